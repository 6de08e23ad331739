"""`longzhuo sim` and `longzhuo run` are two programs that only a serial port and a camera connect."""

import contextlib
import json
import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controller.journal import JournalReader
from controller.journal_deals import DoubtRow, OutcomeRow
from controller.journal_rows import BootRow, DecisionRow

if TYPE_CHECKING:
    from conftest import StartTable, Table

STOP_S = 3.0
EVENTS = "SELECT count(*) FROM events WHERE deal = 1"
BOOTS = "SELECT count(*) FROM boots"
LIES = re.compile(r"deal (\d) dice (\d) (\d)")
DICE_KNOWN = "SELECT count(*) FROM decisions WHERE kind = 'dice'"
BOARD_CAME = "SELECT count(*) FROM inputs WHERE kind = 'Booted'"
BOARD_WENT = "SELECT count(*) FROM inputs WHERE kind = 'Disconnected'"


def children_of(pid: int, name: str) -> list[int]:
    """Process ids of the children of `pid` whose command is `name`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command, _, rest = (folder / "stat").read_text().rpartition(")")
            if command.endswith(f"({name}") and int(rest.split()[1]) == pid:
                found.append(int(folder.name))
    return found


async def test_they_play_two_hands_and_end_within_three_seconds_of_sigterm(
    simulated_table: "StartTable",
) -> None:
    async with simulated_table("--no-pictures", "--hands", "2") as table:
        controller = await table.run()
        await table.until_hands(2)
        for program in (controller, table.simulator):
            status, seconds = await program.stop()
            assert status == 0, program.said
            assert seconds < STOP_S
        verdict = await table.verdict()
    assert verdict["settled"] + verdict["drawn"] == 2
    assert (verdict["silently_wrong"], verdict["withheld"]) == (0, 0)


async def verdict_across_a_kill(table: "Table") -> dict[str, Any]:
    """Two hands; the controller is killed in the middle of one and started again."""
    killed = await table.run()
    await table.until(lambda: table.count(EVENTS) > 12)
    with table.lies_still:
        await killed.kill()
        await table.run()
        await table.until(lambda: table.count(BOOTS) == 2)
    await table.until_hands(2)
    return await table.verdict()


async def test_a_controller_killed_in_mid_hand_goes_on_where_it_was(simulated_table: "StartTable") -> None:
    async with simulated_table("--no-pictures", "--hands", "2", speed=20.0, seed=2) as table:
        verdict = await verdict_across_a_kill(table)
    assert (verdict["hands"], verdict["silently_wrong"], verdict["withheld"]) == (2, 0, 0)


async def test_a_table_with_options_of_its_own_is_settled_by_them_across_a_kill(
    simulated_table: "StartTable",
) -> None:
    chosen = {"intercept": "flat100", "mirror": 0, "reserve": 34, "stake": 3}
    flags = [word for name, value in chosen.items() for word in ("--option", f"{name}={value}")]
    async with simulated_table("--no-pictures", "--hands", "2", *flags, speed=20.0, seed=2) as table:
        verdict = await verdict_across_a_kill(table)
    assert (verdict["hands"], verdict["silently_wrong"], verdict["withheld"]) == (2, 0, 0)
    with JournalReader(table.journal) as reader:
        assert all(chosen.items() <= (row.options or {}).items() for row in reader.rows(BootRow))
        payments = [row.payments for row in reader.rows(OutcomeRow) if row.how == "won"]
    assert payments


async def test_a_controller_that_is_killed_takes_its_broker_with_it(simulated_table: "StartTable") -> None:
    async with simulated_table("--no-pictures") as table:
        controller = await table.run()
        brokers: list[int] = []

        def broker_runs() -> bool:
            brokers[:] = children_of(controller.process.pid, "mosquitto")
            return bool(brokers)

        await table.until(broker_runs, within_s=20)
        (broker,) = brokers
        await controller.kill()
        await table.until(lambda: not Path(f"/proc/{broker}").exists(), within_s=5)
        assert children_of(controller.process.pid, "mosquitto") == []
        assert table.simulator.process.returncode is None


async def test_play_goes_on_while_the_broker_is_killed(simulated_table: "StartTable") -> None:
    async with simulated_table("--no-pictures", "--hands", "1", speed=20.0) as table:
        controller = await table.run()
        await table.until(lambda: table.count(EVENTS) > 4)
        (broker,) = children_of(controller.process.pid, "mosquitto")
        os.kill(broker, signal.SIGKILL)
        await table.until_hands(1)
        await table.until(lambda: controller.said.count("connected") >= 2, within_s=40)
        status, _ = await controller.stop()
        verdict = await table.verdict()
    assert status == 0
    assert (verdict["silently_wrong"], verdict["withheld"], verdict["hands"]) == (0, 0, 1)


async def test_play_goes_on_and_ends_in_time_while_the_broker_is_frozen(
    simulated_table: "StartTable",
) -> None:
    async with simulated_table("--no-pictures", "--hands", "1", speed=20.0, seed=3) as table:
        controller = await table.run()
        await table.until(lambda: table.count(EVENTS) > 4)
        (broker,) = children_of(controller.process.pid, "mosquitto")
        os.kill(broker, signal.SIGSTOP)
        await table.until_hands(1)
        status, seconds = await controller.stop()
        verdict = await table.verdict()
    assert status == 0
    assert seconds < STOP_S
    assert (verdict["silently_wrong"], verdict["withheld"], verdict["hands"]) == (0, 0, 1)


async def test_a_controller_survives_the_loss_of_its_table(simulated_table: "StartTable") -> None:
    async with simulated_table("--no-pictures") as table:
        controller = await table.run()
        await table.until(lambda: table.count(BOARD_CAME) > 0)
        await table.simulator.stop()
        await table.until(lambda: table.count(BOARD_WENT) > 0, within_s=20)
        status, seconds = await controller.stop()
    assert ": answers" in controller.said
    assert "board: link lost: " in controller.said
    assert status == 0
    assert seconds < STOP_S


async def test_dice_that_the_board_only_spins_are_read_by_the_camera(simulated_table: "StartTable") -> None:
    async with simulated_table("--no-pictures", "--hands", "1", "--dice", "spun", speed=20.0) as table:
        await table.run()
        await table.until_hands(1)
        verdict = await table.verdict()
    assert (verdict["hands"], verdict["silently_wrong"], verdict["withheld"]) == (1, 0, 0)
    with JournalReader(table.journal) as reader:
        decided = {row.kind: json.loads(row.body) for row in reader.rows(DecisionRow)}
        assert list(reader.rows(DoubtRow)) == []
    assert (decided["dealer"]["by"], decided["dice"]["by"]) == ("camera", "camera")


async def test_spun_dice_are_read_from_pictures_as_they_lie(simulated_table: "StartTable") -> None:
    async with simulated_table("--no-wait", "--hands", "1", "--dice", "spun", speed=3.0) as table:
        await table.run()
        await table.until(lambda: table.count(DICE_KNOWN) > 0)
        with JournalReader(table.journal) as reader:
            decided = {row.kind: json.loads(row.body) for row in reader.rows(DecisionRow)}
        truth = table.files.truth
        await table.until(lambda: LIES.search(truth.read_text()) is not None)
        told = LIES.search(truth.read_text())
    assert (decided["dealer"]["by"], decided["dice"]["by"]) == ("camera", "camera")
    assert told is not None
    dealer, *dice = map(int, told.groups())
    assert (decided["dealer"]["dealer"], decided["dice"]["values"]) == (dealer, sorted(dice))
