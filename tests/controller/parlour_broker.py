"""A parlour's mosquitto as `longzhuo broker` runs it, for the tests of a file."""

import contextlib
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiomqtt

from controller.mosquitto.folder import Folder, Ports
from controller.mosquitto.roles import password_line
from controller.processes import lasting_ports

TESTER = "tester"
"""Hears and says everything; added to what is written, so that the tests can tell what reaches whom."""
DEAF = "deaf"
"""Says everything and hears nothing."""
ADDED = {TESTER: "topic readwrite #", DEAF: "topic write #"}
THEIR_PASSWORD = "t"  # noqa: S105
PATIENCE_S = 20.0
RELOADING = "Reloading config"


@dataclass
class ParlourBroker:
    """The running program, its folder, and the lines it has logged."""

    folder: Folder
    ports: Ports
    log: Path
    program: "subprocess.Popen[bytes]"

    def read_again(self) -> None:
        """Have it read users, rights and certificates again."""
        before = self.log.read_text(encoding="utf-8").count(RELOADING)
        self.program.send_signal(signal.SIGHUP)
        _wait(lambda: self.log.read_text(encoding="utf-8").count(RELOADING) > before, self.program, self.log)

    def lines(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines()

    def password(self, user: str) -> str:
        if user in ADDED:
            return THEIR_PASSWORD
        return self.folder.password(user).read_text(encoding="utf-8").strip()

    @contextlib.asynccontextmanager
    async def client(self, user: str | None, **more: Any) -> AsyncIterator[aiomqtt.Client]:
        """Sign in as a user; `more` goes to the client."""
        settings = {
            "hostname": "127.0.0.1",
            "port": self.ports.plain,
            "username": user,
            "password": None if user is None else self.password(user),
            "protocol": aiomqtt.ProtocolVersion.V5,
            "timeout": PATIENCE_S,
        }
        async with aiomqtt.Client(**{**settings, **more}) as client:
            yield client

    def tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.folder.authority.certificate))


def longzhuo(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "controller", *map(str, arguments)]


@contextlib.contextmanager
def parlour_broker() -> Iterator[ParlourBroker]:
    """Write a folder by the command, then run it by the command."""
    # mosquitto may be a user of its own, which must reach the folder.
    with TemporaryDirectory(prefix="longzhuo-parlour-") as root:
        Path(root).chmod(0o755)
        ports = Ports(**dict(zip(Ports.__struct_fields__, lasting_ports(5), strict=True)))
        folder, log = Folder(Path(root) / "broker"), Path(root) / "log"
        given = ",".join(str(getattr(ports, name)) for name in Ports.__struct_fields__)
        argv = longzhuo("broker", folder.path, "--table", "table-1", "--table", "table-2", "--ports", given)
        subprocess.run(argv, check=True, capture_output=True)
        with log.open("wb") as file:
            program = subprocess.Popen(longzhuo("broker", folder.path, "--run"), stderr=file, stdout=file)
        try:
            _wait(lambda: "running" in log.read_text(encoding="utf-8"), program, log)
            _let_in_more(folder)
            running = ParlourBroker(folder, ports, log, program)
            running.read_again()
            yield running
        finally:
            program.send_signal(signal.SIGTERM)
            program.wait(PATIENCE_S)


def _let_in_more(folder: Folder) -> None:
    with (folder.path / "users").open("a", encoding="utf-8") as file:
        file.writelines(password_line(name, THEIR_PASSWORD, salt=b"s" * 12) for name in ADDED)
    with (folder.path / "access").open("a", encoding="utf-8") as file:
        file.writelines(f"\nuser {name}\n{right}\n" for name, right in ADDED.items())


def _wait(true: Callable[[], bool], program: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        if program.poll() is not None or time.monotonic() > end:
            raise RuntimeError(log.read_text(encoding="utf-8"))
        time.sleep(0.02)


def mode(path: Path) -> str:
    return f"{path.stat().st_mode & 0o777:o}"
