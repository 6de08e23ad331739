"""`longzhuo board` at a board: what it shows, what it moves, what it refuses, in one clear line."""

import asyncio
import json
import os
import pty
import random
import re
import resource
import sys
import zipfile
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from at_a_table import Table, call, table_of
from click.testing import CliRunner

from controller.cli.board import command
from controller.cli.board_report import write
from controller.cli.demo_show import width
from firmware_bridge import Board
from firmware_bridge.capture import parse_capture
from firmware_bridge.states import Capability, Key, State
from hardware_sim.board import SimBoard
from hardware_sim.board_port import UsbPort
from hardware_sim.faults_text import parse_one

Golden = Callable[[str, str], None]
LOOKS = ("status", "faults", "counters", "log")
MOVES = (("cycle",), ("dice",), ("jog", "drum", "forward"))


def without_times(text: str) -> str:
    return re.sub(r"\d:\d\d:\d\d\.\d", "-:--:--.-", text)


def too_wide(text: str) -> list[str]:
    return [line for line in text.splitlines() if width(line) > 80]


# ---- looking -----------------------------------------------------------------------------------------------


async def test_status_tells_who_the_board_is_and_how_everything_stands(table: Table, golden: Golden) -> None:
    shown = await table.call("status")
    assert (shown.status, shown.err) == (0, "")
    assert not too_wide(shown.out)
    golden("status", shown.out)


async def test_every_fault_comes_with_its_evidence_and_what_to_do(table: Table, golden: Golden) -> None:
    await table.play("fault HED-01 2 1800", "fault CNT-01 255 3", "fault CON-01 255 2", "clear HED-01")
    shown = await table.call("faults")
    assert shown.status == 0
    assert not too_wide(shown.out)
    golden("faults", without_times(shown.out))


async def test_counters_are_those_of_the_board(table: Table) -> None:
    await table.play("press LIFT 0", "fault HED-01 2", "clear HED-01")
    told = json.loads((await table.call("counters", "--json")).out)
    assert told["counters"]["faults"] == 1
    assert told["counters"]["jams"] == [0, 0, 1, 0]
    assert told["board_link"]["damaged"] == 0
    shown = (await table.call("counters")).out
    assert not too_wide(shown)
    assert "卡牌 jams, side 2            1" in shown


async def test_the_log_replays_what_happened_before_anybody_listened(table: Table) -> None:
    await table.play("press LIFT 3", "fault RNG-02 1 40")
    shown = await table.call("log")
    assert not too_wide(shown.out)
    told = [line[17:] for line in shown.out.splitlines()]
    assert "按下 pressed LIFT, 座位 seat 3" in told
    assert "吸牌弱 magnet ring picks up too few tiles" in " ".join(told)
    numbers = [int(found) for found in re.findall(r"#(\d+)", shown.out)]
    assert numbers == sorted(set(numbers))


async def test_the_log_follows(table: Table) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "board", "--port", table.port, "log", "--follow", "--json"),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    await table.play("press DICE 1")  # before it listens, or while it does: it is told either way
    async with asyncio.timeout(30):
        while b'"DICE"' not in (await process.stdout.readline()):
            pass
        await table.play("press LIFT 2")
        while b'"LIFT"' not in (line := await process.stdout.readline()):
            pass
    assert json.loads(line)["live"] is True
    process.terminate()
    await process.wait()


async def test_the_report_holds_everything_in_one_file(table: Table, tmp_path: Path) -> None:
    await table.play("fault HED-03 1 12", "press CHI 2")
    written = await table.call("report", tmp_path / "report.zip")
    assert written.status == 0, written.err
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert set(texts) == {"report.txt", "report.json", "frames.txt"}
    facts = json.loads(texts["report.json"])
    assert facts["identity"]["uid"] == 0x1A2B3C4D
    assert [fault["code"] for fault in facts["faults"]] == ["HED-03"]
    assert facts["quality"]["answers"] > 5
    assert facts["left_out"] == {}
    assert len(facts["dictionary"]) == facts["dictionary"][0]["entries"]
    assert any(one["what"].get("key") == "CLAIM_CHI" for one in facts["history"] if "what" in one)
    assert parse_capture(texts["frames.txt"]).board is not None
    for title in ("BOARD", "STATUS", "FAULTS", "FAULT LOG", "COUNTERS", "LINK", "HISTORY", "DICTIONARY"):
        assert f" {title} ==" in texts["report.txt"]
    assert not too_wide(texts["report.txt"].replace(str(table.port), "PORT"))


async def test_a_report_is_one_text_too_and_overwrites_nothing(table: Table, tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    assert (await table.call("report", file)).status == 0
    assert "LAST FRAMES" in file.read_text(encoding="utf-8")
    again = await table.call("report", file)
    assert again.status == 1
    assert again.err.splitlines() == [f"longzhuo: {file}: 已经有了 exists already; name another file"]


# ---- moving ------------------------------------------------------------------------------------------------


async def load_tiles(table: Table, tiles: int) -> None:
    await table.becomes(1, State.HATCH_OPEN)
    await table.play(f"load {tiles}", "press LIFT 0")


async def test_a_cycle_shows_every_side_and_its_end(table: Table) -> None:
    loading = asyncio.create_task(load_tiles(table, 136))
    done = await table.call("cycle", "--open", "--raise", "--yes")
    await loading
    assert done.status == 0, done.err
    assert not too_wide(done.out)
    for side in range(4):
        assert f"side {side}  {'█' * 34}  34/34" in done.out
    assert "cycle 1 done: 34 34 34 34" in done.out
    assert "table 136" in await table.play("state")


async def test_a_cycle_that_fails_explains_the_fault(table: Table) -> None:
    loading = asyncio.create_task(load_tiles(table, 134))
    done = await table.call("cycle", "--open", "--yes")
    await loading
    assert done.status == 1
    assert "2 (tiles missing)" in done.out
    assert "怎么办 what to do" in done.out
    assert done.err.splitlines()[-1] == "longzhuo: 没有洗完 the cycle ended early: FAULT CNT-01"


async def test_dice_are_counted_and_never_called_fair(table: Table) -> None:
    rolled = await table.call("dice", "--rolls", 2, "--yes", "--json")
    told = json.loads(rolled.out)
    assert [len(roll) for roll in told["rolls"]] == [2, 2]
    assert "2 rolls say nothing" in told["en"]


async def test_virtual_dice_keep_what_they_committed_to(table: Table) -> None:
    rolled = await table.call("dice", "--rolls", 3, "--dice", 1, "--virtual", "--yes")
    assert rolled.status == 0, rolled.err
    assert "第3次 roll 3: " in rolled.out


async def test_a_motor_is_jogged_only_after_the_service_key(table: Table) -> None:
    jogging = asyncio.create_task(table.call("jog", "hatch", "forward", "--ms", 50, "--home", "--yes"))
    async with asyncio.timeout(30):
        while not jogging.done():
            await asyncio.sleep(0.2)
            assert (await table.play("state")).split()[1] in {"01", "05"}
            await table.play("press SERVICE 0")
    done = await jogging
    assert done.status == 0, done.err
    assert "SERVICE" in done.err
    assert "forward 50 ms 完成 done" in done.out
    assert "(HATCH_CLOSED)" in done.out
    assert (await table.play("state")).split()[1] == "01"


@pytest.mark.parametrize("move", MOVES, ids=lambda move: str(move[0]))
@pytest.mark.parametrize("typed", ["", "y\n"])
async def test_nothing_moves_unless_somebody_agrees(table: Table, move: tuple[str, ...], typed: str) -> None:
    before = await table.play("state")
    asked = await table.call(*move, typed=typed)
    assert asked.status == 1
    assert "没有动 nothing was moved" in asked.err.splitlines()[-1]
    assert await table.play("state") == before


async def test_who_types_yes_has_agreed(table: Table) -> None:
    rolled = await table.call("dice", typed="yes\n")
    assert rolled.status == 0, rolled.err
    assert "第1次 roll 1: " in rolled.out


# ---- refusals ----------------------------------------------------------------------------------------------


async def test_what_the_board_refuses_is_one_line_with_what_to_do(table: Table) -> None:
    done = await table.call("cycle", "--yes")
    assert done.status == 1
    assert len(done.err.splitlines()) == 1
    assert "机内没有牌 no tiles are inside" in done.err


@pytest.mark.parametrize(
    "words", [*((look,) for look in LOOKS), ("dice", "--yes")], ids=lambda words: words[0]
)
async def test_a_port_that_another_controller_holds_is_left_alone(
    table: Table, words: tuple[str, ...]
) -> None:
    async with Board(str(table.port)) as other:
        await other.connected()
        refused = await table.call(*words)
    assert refused.status == 1
    assert len(refused.err.splitlines()) == 1
    assert "端口被占用 held by" in refused.err


async def test_a_second_controller_at_the_same_board_ends_at_once_whatever_journal_it_has(
    table: Table, tmp_path: Path
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(
        f'rules = "cixi-card"\n[board]\nport = "{table.port}"\n[camera]\nsource = "no camera"\n'
        f'[http]\nport = 0\n[journal]\npath = "{tmp_path / "another.db"}"\n',
        encoding="utf-8",
    )
    async with Board(str(table.port)) as other:
        await other.connected()
        refused = await call("run", "--config", config)
    assert refused.status == 1
    assert (refused.out, len(refused.err.splitlines())) == ("", 1)
    assert f"longzhuo: {table.port}: 端口被占用 held by" in refused.err
    assert f"pid {os.getpid()}" in refused.err
    assert not (tmp_path / "another.db").exists()
    assert f"pid {os.getpid()}" in refused.err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("status",), "没有说明端口 which port?"),
        (("--port", "nowhere", "status"), "nowhere: 没有这个端口 there is no such port"),
        (("--port", "usb://12", "status"), "board address 'usb://12': expected"),
        (("--port", "serial://usb/ffff:ffff", "status"), "there is no USB serial port ffff:ffff"),
        (("--config", "absent.toml", "status"), "absent.toml: No such file or directory"),
        (("--port", "x", "cycle", "--stacks", "17,17"), "'17,17': expected four numbers of stacks"),
        (("--port", "x", "dice", "--rolls", "0"), "Invalid value for '--rolls': 0"),
        (("--port", "x", "jog", "wheel", "forward"), "'wheel' is not one of 'hatch'"),
        (("--port", "x", "jog", "drum", "forward", "--ms", "501"), "Invalid value for '--ms': 501"),
        (("--port", "/dev/null", "status"), "打不开端口 can't use the port: /dev/null: is no serial port"),
        (("--port", "/usr", "status"), "打不开端口 can't use the port: /usr: is no serial port"),
        (("--port", "socket://127.0.0.1:1", "status"), "can't use the port: 127.0.0.1:1: Connection refused"),
    ],
)
async def test_what_is_wrong_is_said_in_one_line(words: tuple[str, ...], complaint: str) -> None:
    ended = await call("board", *words)
    assert ended.status in {1, 2}
    assert len(ended.err.splitlines()) == 1, ended.err
    assert ended.err.startswith("longzhuo: ")
    assert complaint in ended.err


async def test_a_port_where_nobody_answers_is_named_with_what_to_look_at(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    try:
        (tmp_path / "board").symlink_to(os.ttyname(slave))
        ended = await call("board", "--port", tmp_path / "board", "status")
    finally:
        os.close(master)
        os.close(slave)
    assert ended.status == 1
    (line,) = ended.err.splitlines()
    assert line.startswith(f"longzhuo: {tmp_path}/board: 控制板没有回答，")
    assert "has it power, are port and baud rate right?" in line


async def test_a_link_that_goes_in_the_middle_keeps_the_rolls_and_warns_of_the_machine(
    sim: SimBoard,
) -> None:
    await sim.start()

    async def unplugged() -> None:
        # While the second roll goes on the first has been heard of.
        await sim.until(lambda board: board.dice_rolling)
        await sim.until(lambda board: not board.dice_rolling)
        await sim.until(lambda board: board.dice_rolling)
        sim.inflict(parse_one("unplug=60"))

    pulling = asyncio.create_task(unplugged())
    rolled = await call("board", "--port", sim.port.address, "dice", "--rolls", "100000", "--yes")
    await pulling
    assert rolled.status == 1
    assert "点 face      骰 die 1      骰 die 2" in rolled.out
    (line,) = rolled.err.splitlines()
    assert line.startswith("longzhuo: 连接断了 link to the board lost: ")
    assert line.endswith("the machine may still be moving, look first: longzhuo board status")


def test_help_of_every_subcommand_is_a_whole_sentence() -> None:
    shown = CliRunner().invoke(command, ["--help"]).output
    assert not too_wide(shown)
    assert "..." not in shown.partition("Commands:")[2]


async def test_without_a_subcommand_the_help_is_shown() -> None:
    ended = await call("board")
    assert ended.status == 2
    assert ended.err.startswith("Usage: longzhuo board")


@pytest.mark.parametrize("name", ["r.txt", "r.zip"])
def test_a_report_for_which_the_disk_has_no_room_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    texts = {"report.txt": "r" * 9000, "frames.txt": random.Random(1).randbytes(9000).hex()}  # noqa: S311
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(click.ClickException, match="File too large; expected a file that can be"):
            write(tmp_path / name, texts)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
    assert write(tmp_path / name, texts) > 4096


async def test_a_report_that_can_have_no_file_asks_the_board_nothing(table: Table, tmp_path: Path) -> None:
    refused = await table.call("report", tmp_path / "absent" / "r.txt")
    assert refused.status == 1
    (line,) = refused.err.splitlines()
    assert line.endswith("r.txt: 不能写 can't be written; expected a folder that takes files")


# ---- other boards ------------------------------------------------------------------------------------------


async def test_a_board_of_another_major_version_can_be_read(sim: SimBoard) -> None:
    sim.unit.identity = replace(sim.unit.identity, protocol=(2, 0))
    await sim.start()
    shown = await call("board", "--port", sim.port.address, "status")
    assert shown.status == 0, shown.err
    assert "协议 protocol  2.0" in shown.out
    assert "只能看，不能动 read only" in shown.err
    refused = await call("board", "--port", sim.port.address, "dice", "--yes")
    assert refused.status == 1
    assert "update this program" in refused.err.splitlines()[-1]


async def test_a_report_of_a_board_of_another_major_version_says_what_it_left_out(
    sim: SimBoard, tmp_path: Path
) -> None:
    sim.unit.identity = replace(sim.unit.identity, protocol=(2, 0))
    await sim.start()
    written = await call("board", "--port", sim.port.address, "report", tmp_path / "r.txt", "--json")
    assert written.status == 0, written.err
    assert "update this program" in json.loads(written.out)["left_out"]["everything but status"]


async def test_a_board_that_only_spins_its_dice_has_nothing_to_count(sim: SimBoard) -> None:
    spun = sim.unit.identity.capabilities & ~(Capability.DICE | Capability.VIRTUAL_DICE)
    sim.unit.identity = replace(sim.unit.identity, capabilities=spun | Capability.DICE_SPUN)
    await sim.start()
    refused = await call("board", "--port", sim.port.address, "dice", "--yes")
    assert (refused.status, len(refused.err.splitlines())) == (1, 1)
    assert "there is nothing to count" in refused.err


async def test_the_simulated_board_plays_a_cycle_too(sim: SimBoard) -> None:
    await sim.start()

    async def people() -> None:
        await sim.until(lambda board: board.hatch is State.HATCH_OPEN)
        sim.load_tiles(136)
        sim.press(Key.LIFT, 0)

    loading = asyncio.create_task(people())
    done = await call("board", "--port", sim.port.address, "cycle", "--open", "--yes", "--json")
    await loading
    assert done.status == 0, done.err
    assert json.loads(done.out)["counts"] == [34, 34, 34, 34]


@asynccontextmanager
async def usb_board(folder: Path) -> Any:
    made = SimBoard(UsbPort(folder / "usb", "T7"), 1, 60.0)
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


async def test_a_board_on_usb_by_the_configuration(tmp_path: Path) -> None:
    async with usb_board(tmp_path) as board:
        (tmp_path / "table.toml").write_text(
            f'rules = "cixi-card"\n[board]\nport = "{board.port.address}"\n'
            'usb_backend = "hardware_sim.usb_remote:backend"\n[camera]\nsource = 0\n',
            encoding="utf-8",
        )
        environment = {"LONGZHUO_SIM_USB": str(tmp_path / "usb")}
        told = await call(
            "board", "--config", tmp_path / "table.toml", "status", "--json", environment=environment
        )
        checked = await call("doctor", "--config", tmp_path / "table.toml", "--json", environment=environment)
    assert told.status == 0, told.err
    assert json.loads(told.out)["status"]["hatch"] == "HATCH_CLOSED"
    results = {check["id"]: check["result"] for check in json.loads(checked.out)["checks"]}
    assert results["board"] == results["link"] == "ok"


async def test_a_board_without_replay_says_so(c_terminal: Path, tmp_path: Path) -> None:
    async with table_of(c_terminal, tmp_path / "board", "--capabilities", "0x0f", "--speed", "20") as table:
        assert "keeps no reports" in (await table.call("log")).out
