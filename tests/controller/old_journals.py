"""Journals of older schemas, as their programs wrote them."""

import gzip
from pathlib import Path

JOURNALS = Path(__file__).parent / "journals"


def unpacked(schema: int, folder: Path) -> Path:
    """A copy of the journal of that schema, to be written to.

    `schema-2.db.gz`: cixi-card with mirror 0 and stake 2, two starts, two settled deals (the second after a
    doubt about its dice) and a third in its middle, written by version 0.1.0.
    """
    path = folder / "journal.db"
    path.write_bytes(gzip.decompress((JOURNALS / f"schema-{schema}.db.gz").read_bytes()))
    return path
