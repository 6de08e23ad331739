"""`longzhuo board report FILE`: everything a board's maker wants to know, in one file (shell)."""

import contextlib
import json
import os
import platform
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from controller.cli import board_faults, board_link, board_log, board_show
from controller.cli.board_link import Quality
from controller.cli.board_plain import plain, told
from controller.cli.board_talk import Talk
from controller.cli.board_text import wrapped
from firmware_bridge import BoardError
from firmware_bridge.capture import capture_of, format_capture
from firmware_bridge.messages import (
    PROTOCOL,
    Command,
    Config,
    Counters,
    DictionaryEntry,
    Fault,
    FaultRecord,
    GetConfig,
    GetCounters,
    GetDictionary,
    GetFaults,
    Missed,
    Report,
    ReportsLost,
    Status,
)
from firmware_bridge.states import Capability

PAGE: Final = 8
Heard = TypeVar("Heard", bound=Report)


@dataclass(slots=True)
class Findings:
    """What was found out about a board. ``left_out``: what could not be asked, and why."""

    status: Status
    faults: list[Fault]
    quality: Quality | None = None
    counters: Counters | None = None
    log: list[FaultRecord] = field(default_factory=list)
    configs: list[Config] = field(default_factory=list)
    dictionary: list[DictionaryEntry] = field(default_factory=list)
    history: list[Missed | ReportsLost] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


async def collect(talk: Talk, say: Callable[[str], None]) -> Findings:
    """Ask for everything the board can tell; nothing moves."""
    await board_log.history(talk)
    found = Findings(await talk.first(Status), talk.faults)
    found.history = [report for report in talk.heard if isinstance(report, Missed | ReportsLost)]
    abilities = talk.identity.capabilities
    if talk.board.read_only is not None:
        found.left_out["everything but status"] = str(talk.board.read_only)
    else:
        for ability, command, kind, name in ASKED:
            if ability in abilities:
                await _add(talk, found, command, kind, name)
        if Capability.DICTIONARY in abilities:
            await _read_dictionary(talk, found)
    say("测量通信质量 measuring the link ...")
    try:
        found.quality = await board_link.measure(talk)
    except BoardError as error:
        found.left_out["link"] = str(error)
    return found


ASKED: Final[tuple[tuple[Capability, Command, type[Report], str], ...]] = (
    (Capability.COUNTERS, GetCounters(), Counters, "counters"),
    (Capability.FAULT_LOG, GetFaults(), FaultRecord, "fault log"),
    (Capability.CONFIG, GetConfig(), Config, "configuration"),
)


async def _add(talk: Talk, found: Findings, command: Command, kind: type[Report], name: str) -> None:
    try:
        answers = await talk.ask(command, kind)
    except BoardError as error:
        found.left_out[name] = str(error)
        return
    for answer in answers:
        match answer:
            case Counters():
                found.counters = answer
            case FaultRecord():
                found.log.append(answer)
            case Config():
                found.configs.append(answer)


async def _read_dictionary(talk: Talk, found: Findings) -> None:
    try:
        while True:
            page = await talk.ask(GetDictionary(len(found.dictionary), PAGE), DictionaryEntry)
            found.dictionary += [entry for entry in page if entry.index >= len(found.dictionary)]
            if not page or len(found.dictionary) >= page[-1].entries:
                return
    except BoardError as error:
        found.left_out["dictionary"] = str(error)


# ---- writing -----------------------------------------------------------------------------------------------


def texts(talk: Talk, found: Findings, at: datetime) -> dict[str, str]:
    """The files of the report by name; ``report.txt`` is for people, the others for programs."""
    about = {"longzhuo": version("longzhuo"), "at": at.isoformat(timespec="seconds"), "port": talk.place.port}
    capture = capture_of(talk.board.frames, talk.identity, about=about)
    return {
        "report.txt": "\n".join(_report(talk, found, at)) + "\n",
        "report.json": json.dumps(_json(talk, found, about), ensure_ascii=False, indent=1) + "\n",
        "frames.txt": format_capture(capture),
    }


def _report(talk: Talk, found: Findings, at: datetime) -> list[str]:
    host = f"longzhuo {version('longzhuo')}, protocol {'.'.join(map(str, PROTOCOL))}"
    parts: list[tuple[str, list[str]]] = [
        (
            "报告 REPORT",
            [
                at.isoformat(timespec="seconds"),
                host,
                f"Python {platform.python_version()}, {platform.platform()}",
                f"端口 port {talk.place.port}",
            ],
        ),
        ("控制板 BOARD", board_show.identity(talk.identity)),
        ("状态 STATUS", board_show.status(found.status) + board_show.configuration(found.configs)),
        ("故障 FAULTS", board_faults.standing(found.faults)),
        ("故障记录 FAULT LOG", board_faults.log(found.log, talk.identity.boot_id)),
        ("计数 COUNTERS", _counters(talk, found)),
        ("通信 LINK", _link(talk, found)),
        ("历史 HISTORY", [line for one in found.history for line in board_log.lines(one, "")] or ["–"]),
        (
            "词典 DICTIONARY",
            [f"{e.index:>4} {e.kind.name:<7} 0x{e.code:04X} {e.text}" for e in found.dictionary] or ["–"],
        ),
        ("没有问到 LEFT OUT", [f"{name}: {why}" for name, why in found.left_out.items()] or ["–"]),
    ]
    return [line for title, body in parts for line in (f"== {title} ==", *body, "")]


def _counters(talk: Talk, found: Findings) -> list[str]:
    if found.counters is None:
        return ["–"]
    return board_show.counters(found.counters, newer=talk.identity.protocol >= (1, 1))


def _link(talk: Talk, found: Findings) -> list[str]:
    board = None if found.quality is None else found.quality.board
    lines = board_show.link(talk.board.stats, board)
    return lines if found.quality is None else [*wrapped(board_link.summary(found.quality)), *lines]


def _json(talk: Talk, found: Findings, about: dict[str, str]) -> dict[str, Any]:
    return {
        **about,
        "protocol": PROTOCOL,
        "identity": plain(talk.identity),
        "link": plain(talk.board.stats),
        **{name: plain(getattr(found, name)) for name in Findings.__slots__ if name != "history"},
        "history": [
            told(each) | {"what": told(each.report)} if isinstance(each, Missed) else told(each)
            for each in found.history
        ],
    }


def check(path: Path) -> None:
    """Before anything is asked: whether a new file can be there. Raises ClickException."""
    if path.exists():
        raise click.ClickException(f"{path}: 已经有了 exists already; name another file")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise click.ClickException(f"{path}: 不能写 can't be written; expected a folder that takes files")


def write(path: Path, files: dict[str, str]) -> int:
    """One file: a zip where the name says so, else all texts after each other; its bytes.

    What could not be written completely is taken away again. Raises ClickException.
    """
    check(path)
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
                for name, text in files.items():
                    archive.writestr(name, text)
        else:
            with path.open("x", encoding="utf-8") as out:
                out.write(files["report.txt"] + "== 最近的帧 LAST FRAMES ==\n" + files["frames.txt"])
        return path.stat().st_size
    except FileExistsError as error:
        raise click.ClickException(f"{path}: 已经有了 exists already; name another file") from error
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise click.ClickException(
            f"{path}: {error.strerror}; expected a file that can be written"
        ) from error
