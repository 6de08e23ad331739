"""The folder of a simulated table and its controller: where the files lie, what the verdict says of them."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from controller.processes import ChildFailed, start_child


@dataclass(frozen=True, slots=True)
class TableFolder:
    """Where the files of one table lie."""

    folder: Path

    @property
    def simulator(self) -> Path:
        """The simulator's own folder."""
        return self.folder / "sim"

    @property
    def truth(self) -> Path:
        """What really happens at the simulated table."""
        return self.simulator / "truth.jsonl"

    @property
    def answers(self) -> Path:
        """What its people answer to doubts."""
        return self.simulator / "answers.jsonl"

    @property
    def config(self) -> Path:
        """The controller's configuration."""
        return self.folder / "table.toml"

    @property
    def journal(self) -> Path:
        """What the controller decides."""
        return self.folder / "journal.db"

    @property
    def recording(self) -> Path:
        """What goes over MQTT."""
        return self.folder / "mqtt.jsonl"

    @property
    def simulator_log(self) -> Path:
        """What the simulated table says."""
        return self.folder / "sim.log"

    @property
    def controller_log(self) -> Path:
        """What the controller says."""
        return self.folder / "run.log"


async def verdict_of(
    program: str, files: TableFolder, *more: str, environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Have a verdict's program compare truth, journal and, where there is one, recording; its JSON object.

    Raises:
        ChildFailed: it could not say.
    """
    argv = [sys.executable, "-m", program, "--truth", str(files.truth), "--journal", str(files.journal)]
    argv += ["--mqtt-log", str(files.recording)] if files.recording.exists() else []
    lines: list[str] = []
    argv += [*more, "--json"]
    child = await start_child("verdict", argv, on_line=lines.append, environment=environment)
    await child.ended()
    try:
        verdict: dict[str, Any] = msgspec.json.decode(lines[-1], type=dict[str, Any])
    except (IndexError, msgspec.DecodeError) as error:
        raise ChildFailed(child.obituary()) from error
    return verdict
