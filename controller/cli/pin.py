"""`longzhuo pin`: makes the line of `table.toml` that stands for the referee's PIN."""

import secrets
import sys

import click

from controller.rights import BadPin, PinHash

SALT_BYTES = 16


@click.command(name="pin")
def command() -> None:
    """Make the hash of a referee's PIN for table.toml.

    Asks for the PIN (4 to 12 digits, better 6 or more) at the terminal, or reads one line of standard input.
    It is never an argument: those are in the list of processes and in the shell's memory.
    """
    pin = entered_pin(twice=True)
    try:
        made = PinHash.of(pin, salt=secrets.token_bytes(SALT_BYTES))
    except BadPin as error:
        raise click.ClickException(str(error)) from error
    if sys.stdout.isatty():
        click.echo(
            "放进table.toml，文件只给自己读 put it into table.toml, readable by its owner only:", err=True
        )
    click.echo(f'[referee]\npin = "{made}"')


def entered_pin(*, twice: bool = False) -> str:
    """A PIN from the terminal, or where there is none, the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.buffer.readline(200).decode("utf-8", "replace").rstrip("\r\n")
    pin: str = click.prompt("PIN", hide_input=True, confirmation_prompt=twice, err=True)
    return pin
