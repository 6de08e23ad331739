"""`longzhuo demo`: broker, simulated table, controller and display; the newcomer's first command."""

import asyncio
import contextlib
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import msgspec

from controller.broker import BrokerMissing
from controller.cli.demo_play import DemoFailed, Played, Wishes, play
from controller.cli.simulated import become_simulator, rule_options
from controller.cli.table_folder import TableFolder, verdict_of
from controller.http import PortTaken, usable_port
from controller.processes import ChildFailed


@click.command()
@click.option("--hands", type=click.IntRange(min=1), help="End after so many hands; without it, play on.")
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 1000),
    default=1.0,
    show_default=True,
    help="Times as fast as people.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="The same seed, the same deals."
)
@click.option("--rules", default="cixi-card", show_default=True, help="The rule set.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the rule set.")
@click.option("--json", "as_json", is_flag=True, help="Make the last line of the output a JSON object.")
@click.option(
    "--http-port",
    type=click.IntRange(0, 65535),
    default=None,
    help="The display's port [8088 or a free one].",
)
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path, file_okay=False), help="Keep the files here."
)
@click.option(
    "--board",
    type=click.Choice(["pty", "usb"]),
    default="pty",
    show_default=True,
    help="What the control board is plugged in with.",
)
@click.option("--camera-preset", default="", metavar="NAME", help="What camera, light and disorder.")
@click.option("--faces", default="", metavar="STYLE", help="What the tiles look like.")
@click.option(
    "--faults", default="", help="What goes wrong: mixed, or names of `longzhuo sim --faults list`."
)
@click.option("--scenario", default="", help="A file of faults, or the name of a shipped one.")
@click.option("--no-pictures", is_flag=True, hidden=True, help="No camera: readings come over TCP.")
@click.option("--no-wait", is_flag=True, hidden=True, help="Players do not wait for the camera.")
def command(  # noqa: PLR0913 - one argument per flag
    *,
    hands: int | None,
    speed: float,
    seed: int,
    rules: str,
    options: tuple[str, ...],
    as_json: bool,
    http_port: int | None,
    folder: Path | None,
    board: str,
    camera_preset: str,
    faces: str,
    faults: str,
    scenario: str,
    no_pictures: bool,
    no_wait: bool,
) -> None:
    """Play hands of mahjong on a simulated table and show them on the display."""
    if faults.strip() == "list":
        become_simulator("--faults", "list")
    try:
        port = usable_port(http_port)
        wishes = Wishes(
            hands=hands,
            speed=speed,
            seed=seed,
            rules=rules,
            options=rule_options(rules, options),
            http_port=port,
            pictures=not no_pictures,
            no_wait=no_wait,
            board=board,
            camera_preset=camera_preset,
            faces=faces,
            faults=faults,
            scenario=scenario,
        )
        with contextlib.ExitStack() as stack:
            if folder is None:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="longzhuo-demo-")))
            status = asyncio.run(_demo(wishes, _files(folder), as_json=as_json))
    except (DemoFailed, BrokerMissing, ChildFailed, PortTaken) as error:
        raise click.ClickException(str(error)) from error
    sys.exit(status)


def _files(folder: Path) -> TableFolder:
    """Give the demo's files, with nothing left of an earlier demo."""
    folder = folder.resolve()
    files = TableFolder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for stale in (
            files.truth,
            files.simulator / "sim.json",
            files.recording,
            *folder.glob("journal.db*"),
            *folder.glob("*.log"),
        ):
            stale.unlink(missing_ok=True)
        files.recording.touch()
    except OSError as error:
        raise DemoFailed(
            f"--dir {folder}: {error.strerror}; expected a folder that can be written"
        ) from error
    return files


async def _demo(wishes: Wishes, files: TableFolder, *, as_json: bool) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    line = ProgressLine()
    played = await play(wishes, files, say=line.keep, show=line.show, stop=stop)
    line.end()
    click.echo(_how_it_ended(wishes, stopped=stop.is_set()))
    report = _report(wishes, played, await _verdict(files, stopped=stop.is_set()))
    click.echo(_in_words(report))
    if as_json:
        click.echo(msgspec.json.encode(report).decode())
    return 1 if report["silently_wrong"] else 0


async def _verdict(files: TableFolder, *, stopped: bool) -> dict[str, Any]:
    """Judge; a demo that was stopped before it began has nothing to judge."""
    try:
        return await verdict_of("hardware_sim.verdict", files)
    except ChildFailed:
        if not stopped:
            raise
        return dict.fromkeys(("hands", "settled", "drawn", "withheld", "silently_wrong", "doubts"), 0)


def _report(wishes: Wishes, played: Played, verdict: dict[str, Any]) -> dict[str, Any]:
    """Put together what the verdict, MQTT and the clock say, under the names the demo promises."""
    counted = played.watcher.counters
    rates = played.watcher.read_fps
    return {
        "hands": verdict["hands"],
        "settled": verdict["settled"],
        "drawn": verdict["drawn"],
        "withheld": verdict["withheld"],
        "silently_wrong": verdict["silently_wrong"],
        "doubts": verdict["doubts"],
        "seconds": round(played.seconds, 1),
        "seed": wishes.seed,
        "speed_reached": verdict.get("speed_reached"),
        "read_fps": round(sum(rates) / len(rates), 2) if rates else 0.0,
        "camera": verdict.get("camera", {"tiles_read": 0, "wrong": 0}),
        "serial": {
            "frames": counted.serial_frames if counted else 0,
            "retransmitted": counted.serial_retransmitted if counted else 0,
        },
        "mqtt": {"published": played.watcher.heard},
    }


def _in_words(report: dict[str, Any]) -> str:
    return (
        f"共 {report['hands']} 局 hands：结算 settled {report['settled']}，荒庄 drawn {report['drawn']}，"
        f"未结 withheld {report['withheld']}，错算 silently wrong {report['silently_wrong']}，"
        f"存疑 doubts {report['doubts']}，{report['seconds']} s"
    )


def _how_it_ended(wishes: Wishes, *, stopped: bool) -> str:
    if stopped:
        return "\n已停止，全部程序已结束 stopped; everything it started has ended"
    return f"\n打完 {wishes.hands} 局 all {wishes.hands} hands are over"


class ProgressLine:
    """One line at the bottom of a terminal; without a terminal only its changes of hand and phase."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._shown = ""

    def show(self, line: str) -> None:
        """Replace the line."""
        if line == self._shown:
            return
        if self._live:
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()
        elif line.split(" · ")[:2] != self._shown.split(" · ")[:2]:
            click.echo(line, err=True)
        self._shown = line

    def keep(self, text: str) -> None:
        """Print text above the line."""
        if self._live and self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
        click.echo(text)
        if self._live and self._shown:
            sys.stderr.write(self._shown)
            sys.stderr.flush()

    def end(self) -> None:
        """Take the line away."""
        if self._live and self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
        self._shown = ""
