"""`python -m hardware_sim`: a table with a machine, four people and a camera, as a process of its own."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path

import click

from firmware_bridge.states import Profile
from hardware_sim import control, scenario
from hardware_sim.board_port import USB_BACKEND
from hardware_sim.faces_style import STYLES
from hardware_sim.faults import BadFault, Kind
from hardware_sim.faults_list import listing, listing_json, parse_faults
from hardware_sim.faults_text import Injection
from hardware_sim.mechanics_profiles import Detail
from hardware_sim.parts import (
    CannotStart,
    Settings,
    asked_of,
    board_of,
    control_of,
    eyes_of,
    say,
    truth_of,
)
from hardware_sim.presets import ALL, DEFAULT, Ponds, Preset, UnknownPreset, named
from hardware_sim.readings_noise import NOISES
from hardware_sim.world import World
from hardware_sim.world_eyes import (
    PortTaken,
    watch_for_truth,
)
from hardware_sim.world_hands import Pace
from hardware_sim.world_table import WorldTable
from rules import sets
from rules.ruleset import RuleSet


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder for board, control socket, truth, sim.json.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Decides everything that is left to chance."
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0.01),
    default=1.0,
    show_default=True,
    help="How fast people and machine are.",
)
@click.option("--hands", type=click.IntRange(min=1), help="After so many hands the players leave.")
@click.option("--rules", default="cixi-card", show_default=True, help="The game they play.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the game.")
@click.option("--no-wait", is_flag=True, help="Don't let tiles rest until the camera has seen them.")
@click.option("--no-pictures", is_flag=True, help="No camera; perfect readings on a TCP port instead.")
@click.option(
    "--noise",
    type=click.Choice(["none", *NOISES]),
    default="none",
    show_default=True,
    help="With --no-pictures: how the readings err.",
)
@click.option(
    "--camera-port", type=click.IntRange(0, 65535), default=0, help="HTTP port of the camera; 0: any."
)
@click.option(
    "--readings-port", type=click.IntRange(0, 65535), default=0, help="Port of the readings; 0: any."
)
@click.option(
    "--camera-preset",
    default=DEFAULT.name,
    show_default=True,
    metavar="NAME",
    help=f"What camera, light and disorder: {', '.join(ALL)}.",
)
@click.option(
    "--faces",
    default=DEFAULT.faces,
    show_default=True,
    metavar="STYLE",
    help=f"What the tiles look like: {', '.join(STYLES)}.",
)
@click.option(
    "--profile",
    type=click.Choice([kind.name.lower() for kind in Profile]),
    default="four_port",
    show_default=True,
    help="Kind of machine.",
)
@click.option(
    "--dice",
    type=click.Choice(["read", "spun"]),
    default="read",
    show_default=True,
    help="Whether the board reads its dice, or only spins them and a camera reads.",
)
@click.option(
    "--detail",
    type=click.Choice([level.name.lower() for level in Detail]),
    default="instant",
    show_default=True,
    help="How closely single tiles are followed.",
)
@click.option(
    "--board",
    type=click.Choice(["pty", "usb"]),
    default="pty",
    show_default=True,
    help="What the control board is plugged in with.",
)
@click.option(
    "--faults", default="", help="What goes wrong, NAME[=VALUE][@WHEN][:KEY=VALUE],...; list: all names."
)
@click.option("--display", default="", metavar="URL", help="People answer what a controller asks there.")
@click.option(
    "--mqtt", default="", metavar="URL", help="With --display: the broker that tells what is asked."
)
@click.option("--prefix", default="", help="With --display: the first levels of that table's topics.")
@click.option("--scenario", "story", default="", help="A file of faults, or the name of one that is shipped.")
@click.option("--json", "as_json", is_flag=True, help="With --faults list: for programs.")
def command(  # noqa: PLR0913 - one argument per flag
    *,
    folder: Path | None,
    seed: int,
    speed: float,
    hands: int | None,
    rules: str,
    options: tuple[str, ...],
    no_wait: bool,
    no_pictures: bool,
    noise: str,
    camera_port: int,
    readings_port: int,
    camera_preset: str,
    faces: str,
    profile: str,
    dice: str,
    detail: str,
    board: str,
    faults: str,
    display: str,
    mqtt: str,
    prefix: str,
    story: str,
    as_json: bool,
) -> None:
    """Run a simulated table until SIGTERM or Ctrl-C."""
    if faults.strip() == "list":
        say(listing_json() if as_json else listing())
        return
    if folder is None:
        raise CannotStart("--dir is missing; expected a folder that can be written")
    if display and not (mqtt and prefix):
        raise CannotStart("--display: expected --mqtt and --prefix beside it")
    planned = _faults(faults, story)
    if no_pictures and noise == "none" and any(one.fault.kind is Kind.CAMERA for one in planned):
        raise CannotStart("--no-pictures: perfect readings have no camera's faults; take --noise too")
    settings = Settings(
        folder=_folder(folder),
        seed=seed,
        speed=speed,
        hands=hands,
        rules=_rules(rules, options),
        wait=not no_wait,
        pictures=not no_pictures,
        noise=noise,
        camera_port=camera_port,
        readings_port=readings_port,
        profile=Profile[profile.upper()],
        spun_dice=dice == "spun",
        detail=Detail[detail.upper()],
        board=board,
        preset=_preset(camera_preset, faces),
        faults=planned,
        display=display,
        mqtt=mqtt,
        prefix=prefix,
    )
    asyncio.run(_run(settings))


def _preset(name: str, faces: str) -> Preset:
    try:
        return named(name, faces=faces)
    except UnknownPreset as error:
        raise CannotStart(str(error)) from error


def _faults(faults: str, story: str) -> tuple[Injection, ...]:
    try:
        return (*(parse_faults(faults) if faults else ()), *(scenario.load(story).faults if story else ()))
    except BadFault as error:
        raise CannotStart(str(error)) from error


def _folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStart(
            f"--dir {folder}: {error.strerror}; expected a folder that can be written"
        ) from error
    (folder / "sim.json").unlink(missing_ok=True)
    board = folder / "board"
    if board.is_symlink():
        board.unlink()
    return folder


def _rules(name: str, options: tuple[str, ...]) -> RuleSet:
    try:
        return sets.load(name, sets.options_from(options))
    except ValueError as error:
        raise CannotStart(f"{'--option' if name in sets.available() else '--rules'}: {error}") from error


async def _run(settings: Settings) -> None:
    """Play until the signal comes; the people may leave earlier."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with contextlib.AsyncExitStack() as stack:
        table = WorldTable(settings.seed, ponds=settings.preset.ponds)
        board = await stack.enter_async_context(board_of(settings))
        truth = stack.enter_context(truth_of(settings))
        watch_for_truth(table, truth)
        await stack.enter_async_context(control_of(settings, board))
        eyes = await stack.enter_async_context(eyes_of(settings, table, board.unit.camera))
        waits = settings.wait or not settings.pictures
        pace = Pace(settings.speed, eyes.seen if waits else None)
        # Whoever tests a controller may have the people hold still while it starts.
        loop.add_signal_handler(signal.SIGUSR1, pace.hold)
        loop.add_signal_handler(signal.SIGUSR2, pace.go)
        world = World(
            seed=settings.seed,
            board=board,
            table=table,
            pace=pace,
            rules=settings.rules,
            truth=truth,
            say=say,
            asked=await stack.enter_async_context(asked_of(settings)),
        )
        announce(
            settings.folder,
            {
                "board": board.port.address,
                "usb_backend": USB_BACKEND if settings.board == "usb" else None,
                "usb": str(board.port.path) if settings.board == "usb" else None,
                "control": str(settings.folder / control.NAME),
                "camera": eyes.camera,
                "readings": eyes.readings,
                "ponds": "common" if table.ponds is Ponds.COMMON else "own",
                "pid": os.getpid(),
            },
        )
        say(f"table ready in {settings.folder}")
        await _play_until(stopping, world, settings.hands)
    (settings.folder / "sim.json").unlink(missing_ok=True)


async def _play_until(stopping: asyncio.Event, world: World, hands: int | None) -> None:
    playing = asyncio.create_task(world.play(hands))
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait((playing, stop), return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            playing.result()
            await stop
    finally:
        for task in (playing, stop):
            task.cancel()
        await asyncio.gather(playing, stop, return_exceptions=True)


def announce(folder: Path, addresses: dict[str, object]) -> None:
    """Write sim.json so that nobody ever reads half of it."""
    fresh = folder / "sim.json.new"
    fresh.write_text(json.dumps(addresses) + "\n", encoding="utf-8")
    fresh.replace(folder / "sim.json")


def main() -> None:
    """Run the program; what is wrong is said in one line."""
    if sys.argv[1:2] == ["ctl"]:
        control.main(sys.argv[2:])
        return
    try:
        command(standalone_mode=False)
    except click.ClickException as error:
        sys.exit(f"hardware_sim: {error.format_message()}")
    except (CannotStart, PortTaken) as error:
        sys.exit(f"hardware_sim: {error}")
    except click.Abort:
        sys.exit(130)


if __name__ == "__main__":
    main()
