"""Files that people write, read whole: never without an end (shell)."""

from pathlib import Path


class TooLong(OSError):
    """The file is longer than any file of its kind."""


def whole_text(path: Path, *, most: int) -> str:
    """The text of a file in UTF-8, with or without the mark that editors of Windows put before it.

    Raises:
        OSError: it can't be read; `TooLong`: it has more than `most` bytes, or no end, as a device.
        UnicodeDecodeError: it is something else.

    """
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise TooLong(0, f"is longer than {most // 1_000_000} MB")
    return content.decode("utf-8-sig")
