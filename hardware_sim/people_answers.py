"""What the simulated people have answered to a controller's doubts: one JSON object a line."""

from pathlib import Path

import msgspec


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of a person.

    Attributes:
        at: seconds since 1970.
        deal: the journal's number of the deal, 0 where it is not known.
        doubt: number of the doubt.
        kind: its kind.
        action: what was answered, `choice` of the candidates.
        right: whether it is what has happened.
        done: whether the controller took it.
        confirmed: a second person has said the same.
        words: the chosen candidate.
    """

    at: float
    deal: int
    doubt: int
    kind: str
    action: str
    choice: int | None
    right: bool
    done: bool
    confirmed: bool = False
    words: str = ""


def read_answers(path: Path) -> tuple[Answered, ...]:
    """Every answer of a file; a last line that is still being written is left out.

    Raises:
        OSError: the file can't be read.
        ValueError: a line is no answer.
    """
    decoder = msgspec.json.Decoder(Answered)
    try:
        return tuple(
            decoder.decode(line)
            for line in path.read_bytes().splitlines(keepends=True)
            if line.endswith(b"\n")
        )
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path}: a line is no answer ({error})") from error
