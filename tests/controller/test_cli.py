"""The command line answers at once, and says in one line what is wrong."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from controller.cli import COMMANDS, main
from controller.cli.demo_show import left, progress, right, settlement, tiles, width
from controller.cli.demo_watch import Watcher
from controller.cli.simulated import Addresses, table_toml, timings_for
from controller.config import CameraSection, PatienceSection, parse_config
from controller.mqtt import Heard
from controller.public import Counters, Settlement, SettlementLine, TableSnapshot
from controller.tracker import Patience
from vision.reading import SightSettings


def call(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "controller", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
        env={**os.environ, **(environment or {})},
    )


def test_help_lists_every_command_without_loading_any() -> None:
    probe = "import sys; from controller.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    probe += "print(sorted(m for m in sys.modules if m in {'cv2', 'numpy', 'aiomqtt', 'uvicorn', 'msgspec'}))"
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=110
    )
    assert time.monotonic() - begun < 10
    for name in COMMANDS:
        assert f"  {name} " in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    done = call(name, "--help")
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (("dance",), 2, "longzhuo: No such command 'dance'."),
        (("run",), 2, "longzhuo: Missing option '--config'."),
        (("run", "--config", "absent.toml"), 1, "longzhuo: absent.toml: No such file or directory; expected"),
        (
            ("demo", "--hands", "none"),
            2,
            "longzhuo: Invalid value for '--hands': 'none' is not a valid integer",
        ),
        (("demo", "--dir", "/proc/none", "--http-port", "0"), 1, "longzhuo: --dir /proc/none: No such file"),
        (
            ("sim", "--dir", "/proc/none"),
            1,
            "longzhuo: --dir /proc/none: No such file or directory; expected",
        ),
        (
            ("sim", "--write-config", "absent/table.toml"),
            1,
            "longzhuo: --write-config absent/table.toml: can't be written; expected a folder",
        ),
        (("demo", "--speed", "0"), 2, "longzhuo: Invalid value for '--speed'"),
        (("demo", "--http-port", "70000"), 2, "longzhuo: Invalid value for '--http-port'"),
    ],
)
def test_what_is_wrong_is_one_line_and_no_traceback(
    arguments: tuple[str, ...], status: int, complaint: str
) -> None:
    done = call(*arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(complaint)
    assert len(done.stderr.splitlines()) == 1


HAND = ["--indicator", "1m", "--hand", "46p456p789s23s55p2m", "--win", "5p", "--by", "discard"]
HAND += ["--winner", "0", "--from", "1", "--dealer", "0"]
TAKE_OPTIONS: dict[str, list[str]] = {
    "rules": ["rules", "cixi-card"],
    "score": ["score", "--rules", "cixi-card", *HAND],
    "waits": ["waits", "--rules", "cixi-card", "--indicator", "1m", "--hand", "46p456p789s23s55p2m"],
    "sim": ["sim", "--rules", "cixi-card", "--no-pictures"],
    "demo": ["demo", "--rules", "cixi-card", "--no-pictures", "--http-port", "0"],
}
REFUSED: list[tuple[list[str], str]] = [
    (["feimma=1"], "unknown option 'feimma' (there are adjacency, "),
    (["mirror=7"], "option mirror = 7: expected 0 or 5"),
    (["paohua_autowin=on"], "paohua_autowin contradicts paohua_discard"),
    (["stake"], "'stake', expected NAME=VALUE"),
    (["stake=2", "stake=3"], "stake is given twice"),
]


@pytest.mark.parametrize("name", TAKE_OPTIONS)
@pytest.mark.parametrize(("options", "said"), REFUSED)
def test_options_that_can_not_be_are_refused_in_words_wherever_they_are_given(
    name: str, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [word for option in options for word in ("--option", option)]
    with pytest.raises(SystemExit) as left:
        main([*TAKE_OPTIONS[name], *flags])
    told = capsys.readouterr()
    assert (left.value.code, told.out) == (1, "")
    assert told.err.startswith(f"longzhuo: --option: {said}")
    assert told.err.count("\n") == 1


def test_options_that_contradict_each_other_in_a_table_toml_are_refused_before_anything_starts(
    tmp_path: Path,
) -> None:
    config = tmp_path / "table.toml"
    text = 'rules = "cixi-platform"\n[board]\nport = "/dev/null"\n[camera]\nsource = 0\n[options]\n'
    config.write_text(text + 'paohua_discard = "plain_win"\n', encoding="utf-8")
    done = call("run", "--config", str(config))
    assert (done.returncode, done.stdout) == (1, "")
    assert "table.toml: options: paohua_autowin contradicts" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "journal.db").exists()


@pytest.mark.parametrize(
    ("rules", "extra", "complaint"),
    [
        ("no-such-rules", "", "rules: "),
        ("cixi-card", '[table]\nmodel = "shed"\n', "no table model 'shed'; there are: longzhuo840"),
        ("cixi-card", '[http]\nhost = "203.0.113.1"\n', "http: can't listen on 203.0.113.1:8088: "),
        ("cixi-card", '[journal]\npath = "absent/j.db"\n', "absent/j.db: "),
    ],
)
def test_what_a_controller_cannot_do_without_is_one_line(
    tmp_path: Path, rules: str, extra: str, complaint: str
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(
        f'rules = "{rules}"\n[board]\nport = "{tmp_path}/board"\n[camera]\nsource = 0\n{extra}',
        encoding="utf-8",
    )
    done = call("run", "--config", str(config))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("longzhuo: ")
    assert complaint in line


def test_demo_and_sim_print_the_same_list_of_faults() -> None:
    lists = [call(name, "--faults", "list") for name in ("demo", "sim")]
    assert [done.returncode for done in lists] == [0, 0]
    assert lists[0].stdout == lists[1].stdout
    assert "unplug" in lists[0].stdout


def test_check_reads_a_configuration_and_starts_nothing(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('rules = "cixi-card"\n[board]\nport = "x"\n[camera]\nsource = 0\n', encoding="utf-8")
    done = call("run", "--check", "--config", str(config))
    assert (done.returncode, done.stdout) == (0, f"{config}: in order\n")
    assert list(tmp_path.iterdir()) == [config]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ('rules = "x"\n[board]\nport = "x"\n[camera]\nsource = 0\n', "rules: "),
        ('rules = "cixi-card"\n[board]\nport = "x"\n[camera]\nsource = 0\n[table]\nmodel = "x"\n', "'x'"),
        ('rules = "cixi-card"\n[board]\nport = "gopher://x"\n[camera]\nsource = 0\n', "gopher"),
        (
            'rules = "cixi-card"\n[board]\nport = "x"\n[camera]\nsource = 0\ncalibration = "none.json"\n',
            "camera.calibration: ",
        ),
    ],
)
def test_check_refuses_what_a_start_would_refuse(tmp_path: Path, lines: str, complaint: str) -> None:
    config = tmp_path / "table.toml"
    config.write_text(lines, encoding="utf-8")
    checked, started = (call("run", *more, "--config", str(config)) for more in (("--check",), ()))
    assert (checked.returncode, started.returncode) == (1, 1)
    assert checked.stderr == started.stderr
    (line,) = checked.stderr.splitlines()
    assert complaint in line


@pytest.mark.parametrize("url", ["http://[x", "http://[::bad", "x"])
def test_tell_refuses_what_is_no_address_in_one_line(url: str) -> None:
    done = call("tell", url, "pause")
    assert done.returncode == 1
    assert done.stderr == f"longzhuo: {url}: expected the page's address, such as http://127.0.0.1:8088\n"


def test_tell_ends_no_hand_as_drawn_because_its_winner_was_left_out() -> None:
    done = call("tell", "http://127.0.0.1:9", "enter", "hand=123m")
    assert done.returncode == 1
    assert done.stderr == (
        "longzhuo: enter: expected winner=SEAT (0 to 3), or winner=null for a drawn hand\n"
    )


def test_an_unforeseen_error_is_one_line_unless_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(COMMANDS, "read", ("controller.cli.absent", "gone"))
    with pytest.raises(SystemExit) as left_with:
        main(["read"])
    assert left_with.value.code == 70
    assert capsys.readouterr().err.startswith("longzhuo: unforeseen ModuleNotFoundError: ")
    monkeypatch.setenv("LONGZHUO_TRACEBACK", "1")
    with pytest.raises(ModuleNotFoundError):
        main(["read"])


def test_a_soak_whose_hands_could_not_be_kept_is_refused_before_it_plays() -> None:
    begun = time.monotonic()
    done = call("soak", "--hands", "1", "--dir", "/proc/hands")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("longzhuo: --dir /proc/hands: ")
    assert done.stderr.endswith("expected a folder that can be written\n")
    assert time.monotonic() - begun < 60


def test_a_written_table_toml_is_read_as_it_was_meant(tmp_path: Path) -> None:
    addresses = Addresses(board='/dev/a "b"\\c', pid=1, readings="tcp://127.0.0.1:5")
    text = table_toml(
        addresses,
        rules="cixi-card",
        timings=timings_for(4.0, pictures=False),
        http_port=0,
        journal=tmp_path / "j.db",
        mqtt_url="mqtt://127.0.0.1:1883",
        websocket="ws://127.0.0.1:9001",
    )
    config = parse_config(text, name="t")
    assert config.board.port == addresses.board
    assert config.camera.source == "readings:tcp://127.0.0.1:5"
    assert config.camera.patience_s == 0.5
    assert (config.mqtt.url, config.mqtt.websocket) == ("mqtt://127.0.0.1:1883", "ws://127.0.0.1:9001")


@pytest.mark.parametrize("ponds", ["own", "common"])
def test_a_written_table_toml_says_where_discards_lie(tmp_path: Path, ponds: str) -> None:
    addresses = Addresses(board="b", pid=1, camera="http://127.0.0.1:5", ponds=ponds)
    timings = timings_for(1.0, pictures=True)
    text = table_toml(addresses, rules="cixi-card", timings=timings, http_port=0, journal=tmp_path / "j.db")
    assert parse_config(text, name="t").table.ponds == ponds


def test_the_timings_a_file_may_leave_out_are_those_of_the_eyes_and_the_tracker() -> None:
    camera, sight = CameraSection(source=0), SightSettings()
    names = ("settle_s", "reads", "spacing_s", "confidence", "patience_s", "timeout_s", "retry_s")
    assert [getattr(camera, name) for name in names] == [getattr(sight, name) for name in names]
    assert camera.height_mm == sight.camera_height_mm
    assert Patience(**msgspec.structs.asdict(PatienceSection())) == Patience()
    written = timings_for(1.0, pictures=True)
    assert (written.settle_s, written.spacing_s, written.patience_s) == (
        sight.settle_s,
        sight.spacing_s,
        sight.patience_s,
    )


def test_tiles_of_one_suit_stand_together() -> None:
    assert tiles(("1m", "2m", "5p", "E", "E", "F", "1f")) == "12万 5筒 东东发梅"


def test_chinese_signs_take_two_columns() -> None:
    assert width("甲a") == 3
    assert left("甲", 4) == "甲  "
    assert right("甲", 4) == "  甲"


def test_progress_is_one_line_chinese_first() -> None:
    table = TableSnapshot(
        boot=1,
        seq=1,
        ts="2026-01-01T00:00:00Z",
        phase="playing",
        hand_no=3,
        match_no=1,
        dealer=0,
        dice=(1, 2),
        dragon="2m",
        tiles_left=50,
        players=("甲", "乙", "丙", "丁"),
        rules="cixi-card",
        heartbeat=5,
    )
    line = progress(table, read_fps=7.25, doubts=1)
    assert line == "第3局 hand 3 · 打牌 playing · 龙 二万 2m · 余 50 张 left · 读 7.2/s · 疑 1 doubts"


RESULT = Settlement(
    boot=1,
    seq=1,
    ts="2026-01-01T00:00:00Z",
    hand_no=2,
    match_no=1,
    winner=1,
    from_seat=0,
    how="discard",
    how_zh="打胡",
    how_en="win by discard",
    tile="5s",
    hand=("5s", "5s"),
    melds=(),
    dragon="2m",
    dragons=0,
    lines=(SettlementLine(zh="平胡", en="plain win", value=1, article="1.1"),),
    unit=1,
    point_each=7,
    payments=(-14, 28, -7, -7),
    balances=(86, 128, 93, 93),
    payer=None,
    drawn=False,
    match_over=False,
)


def test_hands_that_are_counted_before_they_are_told_are_waited_for() -> None:
    watcher = Watcher("mj")
    counted = Counters(
        hands=3,
        settled=1,
        drawn=1,
        withheld=1,
        doubts=0,
        uptime_s=9,
        read_fps=0.0,
        serial_frames=0,
        serial_retransmitted=0,
    )

    def heard(topic: str, payload: Counters | Settlement) -> int:
        watcher.hear(Heard(f"mj/state/{topic}", msgspec.json.encode(payload), retained=False))
        return watcher.owed

    assert heard("counters", counted) == 2
    assert heard("settlement", RESULT) == 1
    assert heard("settlement", RESULT) == 1, "the same hand told again"
    assert heard("settlement", msgspec.structs.replace(RESULT, hand_no=3)) == 0


def test_a_settlement_names_who_pays_whom_and_why() -> None:
    text = settlement(RESULT, ("甲", "乙", "丙", "丁"))
    assert "■ 第2局 hand 2: 乙 打胡 win by discard 五条 5s，甲 放炮 discarded · 龙 二万 2m ×0" in text
    assert "平胡 plain win" in text
    assert "  牌 hand    55条\n" in text
    other = msgspec.structs.replace(RESULT, how="moonshot", how_zh="", how_en="")
    assert "乙 moonshot 五条 5s" in settlement(other, ("甲", "乙", "丙", "丁"))
    paid = next(line for line in text.splitlines() if "本局" in line)
    assert paid.split()[-4:] == ["-14", "+28", "-7", "-7"]
    assert "名次" not in text
    ended = settlement(msgspec.structs.replace(RESULT, match_over=True), ("甲", "乙", "丙", "丁"))
    assert ended.splitlines()[-1].split() == ["终局名次", "place", "4", "1", "2", "2"]


def test_a_table_that_is_not_there_is_told_with_its_place_and_no_number_of_an_error() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{held.getsockname()[1]}"
        done = call("tell", f"http://{place}", "undo")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"nothing answers at {place}; " in done.stderr
    assert "Errno" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_doctor_says_all_that_it_looks_at_with_a_configuration() -> None:
    said = " ".join(call("doctor", "--help").stdout.split())
    for part in ("camera", "broker", "journal", "clock"):
        assert part in said.split("--config FILE", maxsplit=1)[-1]
