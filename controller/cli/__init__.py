"""The command line: `longzhuo COMMAND ...`.

Commands are imported when they are called, so that `longzhuo --help` answers at once. Whatever goes wrong
ends in one line on standard error and an exit status other than 0; `LONGZHUO_TRACEBACK=1` shows where an
unforeseen error came from.
"""

import gc
import importlib
import os
import sys
from collections.abc import Sequence

import click

COMMANDS = {
    "demo": ("controller.cli.demo", "Play hands on a simulated table and show them on the display."),
    "run": ("controller.cli.run", "Run the controller of one table."),
    "tell": ("controller.cli.tell", "Give a running table an order: answer a doubt, undo, correct."),
    "broker": ("controller.cli.broker", "Write a parlour's mosquitto: users, rights, certificates; run it."),
    "pin": ("controller.cli.pin", "Make the hash of a referee's PIN for table.toml."),
    "sim": ("controller.cli.sim", "Run a simulated table: control board, camera, four players."),
    "soak": ("controller.cli.soak", "Play many hands under faults; compare what was settled with the truth."),
    "latency": ("controller.cli.latency", "Measure how late a discard is told, stage by stage."),
    "board": ("controller.cli.board", "Look at a control board and try its parts."),
    "doctor": ("controller.cli.doctor", "Say what stands between this computer and the board."),
    "conformance": ("controller.cli.conformance", "Run the protocol against a board, point by point."),
    "enrol": ("controller.cli.enrol", "Learn a table's own set of tiles."),
    "calibrate": ("controller.cli.calibrate", "Find the table in the camera's pictures; print its markers."),
    "read": ("controller.cli.read", "Find and name the tiles on photographs."),
    "score": ("controller.cli.score", "Say what a hand is worth and who pays what."),
    "waits": ("controller.cli.waits", "Say what a hand waits for."),
    "rules": ("controller.cli.rules", "List the rule sets, print a rule sheet."),
    "replay": (
        "controller.cli.replay",
        "Play a journal again: the same settlements, or the first difference.",
    ),
    "export": ("controller.cli.export", "Write a journal's deals as text, its settlements as CSV."),
    "backup": ("controller.cli.backup", "Copy a journal while it is written."),
    "audit": ("controller.cli.audit", "Verify a journal and its virtual dice; test dice and seats for bias."),
    "schemas": ("controller.cli.schemas", "Write the JSON Schemas of what a table says over MQTT."),
    "verdict": ("controller.cli.verdict", "Compare a controller's journal with a simulated table's truth."),
}
"""Command, the module that holds it as `command`, and its line in the list."""


LONGEST = 1000
"""Characters of a complaint; what a person or a file has said in it may be endless."""


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        # What is imported stays: looking for garbage among it would take a third of a start.
        gc.disable()
        try:
            command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        finally:
            gc.freeze()
            gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="longzhuo")
def program() -> None:
    """龙桌 longzhuo: an open controller for automatic mahjong tables."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and leave with its exit status."""
    try:
        # A command that has left by `context.exit` gives its status back here.
        status = program.main(arguments, prog_name="longzhuo", standalone_mode=False)
        if isinstance(status, int) and status:
            sys.exit(status)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _complain(error.format_message())
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has left; there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        # The last place where an error can become a line.
        if os.environ.get("LONGZHUO_TRACEBACK"):
            raise
        _complain(f"unforeseen {type(error).__name__}: {' '.join(str(error).split())}")
        sys.exit(70)


def _complain(text: str) -> None:
    shown = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
    click.echo(f"longzhuo: {shown}", err=True)
