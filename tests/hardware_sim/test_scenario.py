"""A scenario file says which fault strikes when; what is wrong in one is said in one line."""

from pathlib import Path

import pytest

from hardware_sim import scenario
from hardware_sim.faults import BadFault
from hardware_sim.faults_list import MIXES, parse_faults
from hardware_sim.scenario import Scenario, load, parse, shipped, write


def test_three_scenarios_come_with_the_package() -> None:
    assert shipped() == ("adapter", "evening", "workshop")


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_scenario_is_written_and_read_as_the_same(name: str) -> None:
    told = load(name)
    assert told.faults
    assert told.zh
    assert told.en
    assert parse(write(told)) == told


@pytest.mark.parametrize("name", MIXES)
def test_a_mix_is_written_and_read_as_the_same(name: str) -> None:
    told = Scenario('引号 " \\', "two\nlines", parse_faults(MIXES[name].faults))
    assert parse(write(told)) == told


def test_the_example_of_the_documentation_is_read() -> None:
    text = "\n".join(line[4:] for line in (scenario.__doc__ or "").splitlines() if line.startswith("    "))
    assert [str(one) for one in parse(text).faults] == ["FED-01=2@cycle1+4s"]


def test_a_file_without_any_fault_is_no_scenario(tmp_path: Path) -> None:
    file = tmp_path / "empty.toml"
    file.write_text("", encoding="utf-8")
    with pytest.raises(BadFault, match=r"empty\.toml: nothing goes wrong in it; expected \[\[fault\]\]"):
        load(str(file))


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text('[[fault]]\ndo = "drop"\nshare = 0.25\n', encoding="utf-8")
    assert load(str(file)).faults == parse_faults("drop=0.25")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[fault]\n", "no TOML"),
        ("speed = 1\n", "speed: expected only zh, en and"),
        ("fault = 1\n", r"fault: expected \[\[fault\]\] entries"),
        ("zh = 1\n", "zh = 1: expected a text"),
        ("[[fault]]\nat = 'cycle1'\n", 'number 1: expected do = "NAME"'),
        ("[[fault]]\ndo = 'drop'\n[[fault]]\ndo = 'jum'\n", "number 2: no fault is called 'jum'"),
        ("[[fault]]\ndo = 'jam'\nside = 9\n", "number 1: side=9: expected a whole number 0..3"),
        ("[[fault]]\ndo = 'jam'\nat = 'soon'\n", "number 1: @soon: expected SECONDSs"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_in_one_line(text: str, said: str) -> None:
    with pytest.raises(BadFault, match=said) as error:
        parse(text)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_names_the_shipped_ones(tmp_path: Path) -> None:
    with pytest.raises(
        BadFault, match="No such file or directory; expected a file, or one of adapter, evening"
    ):
        load(str(tmp_path / "none.toml"))
