"""A table.toml is either complete with defaults or refused with one line that helps."""

from pathlib import Path

import pytest

from controller.config import ConfigError, load_config, parse_config
from rules import sets

SMALLEST = """\
rules = "cixi-card"
[board]
port = "/dev/ttyUSB0"
[camera]
source = 0
"""


def test_the_smallest_file_needs_a_port_a_camera_and_a_rule_set() -> None:
    config = parse_config(SMALLEST, name="table.toml")
    assert (config.rules, config.board.port, config.camera.source) == ("cixi-card", "/dev/ttyUSB0", 0)
    assert config.mqtt.url is None
    assert config.prefix == "mj/v1/home/table-1"
    assert len(set(config.table.players)) == 4


def test_a_board_may_be_named_by_its_number_and_reached_by_another_usb_backend() -> None:
    lines = 'port = "usb://1209:4d4a"\nuid = 0x1a2b3c4d\nusb_backend = "package.module:function"'
    board = parse_config(SMALLEST.replace('port = "/dev/ttyUSB0"', lines), name="t").board
    assert (board.uid, board.usb_backend) == (0x1A2B3C4D, "package.module:function")
    for wrong in ("uid = 0", 'usb_backend = "package.module"'):
        with pytest.raises(ConfigError, match=f"board.{wrong.split()[0]}"):
            parse_config(SMALLEST.replace("[camera]", f"{wrong}\n[camera]"), name="t")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "t: rules: missing"),
        ('rules = "cixi-card"\n[camera]\nsource = 0\n', "t: board: missing"),
        (SMALLEST.replace('port = "/dev/ttyUSB0"', ""), "t: board.port: missing"),
        (SMALLEST + "sauce = 1\n", "t: camera.sauce: unknown key; expected one of source, "),
        (SMALLEST + "[tabel]\n", "t: tabel: unknown key; expected one of rules, board, "),
        ("rules = 7\n", "t: rules: expected text, got a whole number"),
        (SMALLEST + "reads = 2.5\n", "t: camera.reads: expected a whole number, got a number"),
        (SMALLEST + "settle_s = -1\n", "t: camera.settle_s: expected a number > 0"),
        (SMALLEST + "settle_s = nan\n", "t: camera.settle_s: "),
        (SMALLEST + "settle_s = inf\n", "t: camera.settle_s: "),
        (SMALLEST + '[table]\nponds = "mine"\n', "t: table.ponds: expected own or common"),
        (SMALLEST + '[table]\nid = "Table One"\n', "t: table.id: expected 1 to 40 of a-z, 0-9 and -"),
        (
            SMALLEST + '[table]\nplayers = ["a", "b"]\n',
            "t: table.players: expected a list of length 4, got 2",
        ),
        (SMALLEST + '[table]\nplayers = ["a", "b", "c", 4]\n', "t: table.players[3]: expected text"),
        (SMALLEST + "[http]\nport = 70000\n", "t: http.port: expected a whole number <= 65535"),
        (SMALLEST + '[mqtt]\nurl = "tcp://x"\n', "t: mqtt.url: expected mqtt or mqtts://host:port"),
        (SMALLEST + '[mqtt]\nurl = "mqtt://x"\n', "t: mqtt.websocket: missing"),
        (SMALLEST + '[mqtt]\nwebsocket = "ws://x:1"\n', "t: mqtt.websocket: expected mqtt.url beside it"),
        (
            SMALLEST + '[mqtt]\nurl = "mqtt://x:99999"\nwebsocket = "ws://x:1"\n',
            "t: mqtt.url: expected mqtt or mqtts://host:port",
        ),
        (
            SMALLEST + '[options]\nfeima = "flat35"\n',
            "t: options: option feima = 'flat35': expected 'formula' or",
        ),
        (SMALLEST + "[options]\nfeimma = 1\n", "t: options: unknown option 'feimma' (there are adjacency, "),
        (SMALLEST + "[options]\nstart_points = 0\n", "t: options: cap_at_stack needs start_points above 0"),
        (SMALLEST + "[options]\nstake = 1.5\n", "t: options"),
        (SMALLEST + '[http]\nhost = "\\u0000"\n', "t: http.host: expected text without control characters"),
        (SMALLEST + 'enrolled = "a\\nb"\n', "t: camera.enrolled: expected text without control characters"),
        (SMALLEST + 'enrolled = "a\\n"\n', "t: camera.enrolled: expected text without control characters"),
        (SMALLEST + '[journal]\npath = "/"\n', "t: journal.path: '/' is a folder; expected a file's name"),
        (SMALLEST + "[timers]\nthink_s = 1e308\n", "t: timers.think_s: expected a number <= 3600"),
        ("rules = \n", "t: not valid TOML: "),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_file_and_key(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, name="t")
    assert str(caught.value).startswith(complaint)
    assert "\n" not in str(caught.value)


def test_a_missing_or_binary_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.toml: No such file"):
        load_config(tmp_path / "absent.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"binary\.toml: is not UTF-8 text"):
        load_config(binary)


def test_a_mark_before_the_text_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SMALLEST, encoding="utf-8-sig")
    assert load_config(path).rules == parse_config(SMALLEST, name="t").rules


def test_a_file_without_an_end_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"/dev/zero: is longer than 1 MB; expected a TOML file"):
        load_config(Path("/dev/zero"))


def test_the_journal_lies_beside_the_file_wherever_the_program_was_started(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SMALLEST, encoding="utf-8")
    assert load_config(path).journal.path == str(tmp_path / "journal.db")
    path.write_text(SMALLEST + '[journal]\npath = "/var/lib/j.db"\n', encoding="utf-8")
    assert load_config(path).journal.path == "/var/lib/j.db"


def test_options_reach_the_rule_set() -> None:
    config = parse_config(SMALLEST + '[options]\nfeima = "flat34"\ntongfu = false\n', name="t")
    assert config.options == {"feima": "flat34", "tongfu": False}
    options = sets.load(config.rules, config.options).options
    assert (options["feima"], options["tongfu"], options["dihu"]) == ("flat34", False, True)
