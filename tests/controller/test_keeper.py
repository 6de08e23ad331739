"""What led to nothing is written with what follows it, in its order, and is never lost by an orderly end."""

from pathlib import Path

from controller.journal import Journal, JournalReader
from controller.journal_keeper import MOST_NOTED, Keeper
from controller.journal_rows import DecisionRow, InputRow


def came(number: int) -> InputRow:
    return InputRow(boot=1, at=float(number), kind="Tick", body="{}")


def written(path: Path) -> tuple[list[float], int]:
    """The inputs' times in order, and how often something was written."""
    with JournalReader(path) as reader:
        verified = reader.verified()
        assert verified is not None
        assert not verified.breaks
        return [row.at for row in reader.rows(InputRow)], verified.last


async def test_what_is_noted_is_written_at_once_with_what_is_decided(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        keeper = Keeper(journal, now=lambda: 0.0)
        for number in (1, 2):
            await keeper.note((came(number),))
        assert (keeper.has_notes, written(path)) == (True, ([], 0))
        await keeper.write((came(3), DecisionRow(boot=1, at=3.0, kind="alarm", body="{}")))
        assert (keeper.has_notes, written(path)) == (False, ([1.0, 2.0, 3.0], 1))
        await keeper.write()
        assert written(path)[1] == 1
        keeper.close()


async def test_notes_are_written_when_they_are_many_and_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        keeper = Keeper(journal, now=lambda: 0.0)
        for number in range(MOST_NOTED):
            await keeper.note((came(number),))
        assert written(path) == ([float(number) for number in range(MOST_NOTED)], 1)
        await keeper.note((came(MOST_NOTED),))
        keeper.close()
        assert written(path)[0][-1] == float(MOST_NOTED)
