"""The record of a deal as its revisions leave it. Pure."""

from collections.abc import Iterable, Sequence

from controller.journal_deals import EventRow, FineRow, Quad, RevisionRow


def undone(events: Sequence[EventRow], revisions: Sequence[RevisionRow]) -> str | None:
    """The event that was taken back last, where nothing was written of the deal since."""
    if not revisions or revisions[-1].how != "undone" or revisions[-1].n != len(events):
        return None
    return revisions[-1].undone


def fined(fines: Iterable[FineRow], revisions: Sequence[RevisionRow]) -> Quad:
    """What the false wins of a deal have cost, as its revisions leave them."""
    told_of = [row for row in revisions if row.fined is not None]
    last = told_of[-1] if told_of else None
    paid = [row.payments for row in fines if last is None or row.n >= last.n]
    if last is not None and last.fined is not None:
        paid.append(last.fined)
    first, second, third, fourth = (sum(each[seat] for each in paid) for seat in range(4))
    return (first, second, third, fourth)


def said(events: Sequence[EventRow], revisions: Sequence[RevisionRow]) -> int:
    """How many events of a deal stand because people have corrected it or have said so."""
    last = revisions[-1] if revisions else None
    corrected = last is not None and last.how == "corrected" and last.author != "table"
    before = len(last.events) if last is not None else 0
    since = [row for row in events if last is None or row.n >= last.n]
    by_people = (before + place for place, row in enumerate(since, start=1) if row.author != "table")
    return max(by_people, default=before if corrected else 0)


def told(events: Iterable[EventRow], revisions: Iterable[RevisionRow]) -> tuple[str, ...]:
    """The record of a deal: its rows in order, as its revisions leave them."""
    last = max(revisions, key=lambda row: row.revision, default=None)
    if last is None:
        return tuple(row.text for row in events)
    return (*last.events, *(row.text for row in events if row.n >= last.n))
