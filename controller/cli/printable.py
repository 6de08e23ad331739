"""Names of files as one line for people, whatever they hold."""


def printable(name: str) -> str:
    r"""A name in which what would break a line or a terminal is written as ``\n``, ``\x1b``, ``\udcff``."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in name)
