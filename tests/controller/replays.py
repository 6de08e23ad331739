"""A journal's inputs, played again, against the rows it holds."""

from pathlib import Path

from controller.journal import JournalReader
from controller.journal_replay import first_difference, replayed
from controller.journal_rows import BootRow, InputRow, Row
from controller.models import TableModel


def replayed_alike(path: Path, model: TableModel, *kinds: type[Row]) -> list[Row]:
    """The rows of these kinds that the journal's inputs lead to: the very ones it holds."""
    with JournalReader(path) as reader:
        again = list(replayed(reader.rows(BootRow), reader.rows(InputRow), model))
        for kind in kinds:
            assert (
                first_difference(reader.rows(kind), [row for row in again if isinstance(row, kind)]) is None
            )
    return [row for row in again if isinstance(row, kinds)]
