"""`longzhuo run` on a disk that fills up in mid hand and has space again: all is settled, nothing twice."""

from typing import TYPE_CHECKING

import pytest
from small_disks import fill, full_soon  # type: ignore[import-not-found]

from controller.journal import JournalReader
from controller.journal_deals import OutcomeRow
from controller.journal_rows import DecisionRow, InputRow, OutboxRow

if TYPE_CHECKING:
    from conftest import StartTable

EVENTS = "SELECT count(*) FROM events WHERE deal = 1"


@pytest.mark.timeout(300)
async def test_play_over_a_full_disk_goes_on_and_is_settled_when_there_is_space(
    simulated_table: "StartTable",
) -> None:
    async with simulated_table("--no-pictures", "--hands", "2", speed=20.0, seed=4) as table:
        with full_soon(table.folder / "small") as folder:
            path = folder / "journal.db"
            config = table.config.read_text(encoding="utf-8").replace(str(table.journal), str(path))
            table.config.write_text(config, encoding="utf-8")
            table.journal.symlink_to(path)
            controller = await table.run()
            await table.until(lambda: table.count(EVENTS) > 12)
            filler = fill(folder)
            await table.until(lambda: "play goes on and is NOT RECORDED" in controller.said)
            written = table.count(EVENTS)
            filler.unlink()
            await table.until(lambda: "recorded again" in controller.said)
            assert table.count(EVENTS) >= written
            await table.until_hands(2)
            verdict = await table.verdict()
            await controller.stop()
            replay = await table.told("replay", str(path), "--json")
            with JournalReader(path) as reader:
                alarms = [row.body for row in reader.rows(DecisionRow) if row.kind == "alarm"]
                kinds = {row.kind for row in reader.rows(InputRow)}
                settled = [row.deal for row in reader.rows(OutcomeRow)]
                sent = len(reader.rows(OutboxRow))
    assert (verdict["hands"], verdict["silently_wrong"], verdict["withheld"]) == (2, 0, 0)
    assert '"JRN-00"' in alarms
    assert {"NotRecorded", "Recorded"} <= kinds
    assert (settled, sent) == ([1, 2], 2)
    assert replay["identical"]
