"""`longzhuo verdict`: compares what a controller decided with what a simulated table knows."""

import os
import sys

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
    add_help_option=False,
    short_help="Compare a controller's journal with a simulated table's truth.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Compare a controller's journal with a simulated table's truth; flags of `hardware_sim.verdict`."""
    # The simulator is another program: it takes this process over and is never imported.
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "hardware_sim.verdict", *arguments])  # noqa: S606
