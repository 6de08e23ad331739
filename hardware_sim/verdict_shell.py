"""What the programs that judge have in common on a command line: whatever is wrong is one line (shell)."""

import contextlib
import sys
from collections.abc import Iterator

import click

from controller.journal import JournalError


@contextlib.contextmanager
def in_one_line() -> Iterator[None]:
    """Files that are missing, or not what they should be, are told in one line.

    Raises:
        click.ClickException: with that line.
    """
    try:
        yield
    except (ValueError, JournalError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from error


def run(command: click.Command, name: str) -> None:
    """Run the program `name`; it ends with 2 where it can't judge."""
    try:
        command(standalone_mode=False)
    except click.ClickException as error:
        click.echo(f"{name}: {error.format_message()}", err=True)
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
