"""The certificates of a parlour, made by the program openssl: its own authority, the broker's, the tables'.

Keys are made by openssl itself and never stand in an argument; every one is readable by its owner only.
"""

import contextlib
import ipaddress
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

AUTHORITY_DAYS: Final = 7300
DAYS: Final = 820
"""Of the others: longer ones are refused by Apple's browsers."""
PATIENCE_S: Final = 60.0


class NoCertificate(Exception):
    """A certificate could not be made or read; one line says why."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key, as PEM files."""

    certificate: Path
    key: Path

    @property
    def is_there(self) -> bool:
        """Whether both exist."""
        return self.certificate.is_file() and self.key.is_file()


def make_authority(pair: Pair, *, name: str) -> None:
    """Make the parlour's own authority, for 20 years.

    Raises:
        NoCertificate: openssl is missing or refuses.
    """
    extensions = ["basicConstraints=critical,CA:TRUE,pathlen:0", "keyUsage=critical,keyCertSign,cRLSign"]
    with _made_whole(pair) as fresh:
        _openssl(
            *("req", "-x509", *_new_key(fresh.key), "-days", str(AUTHORITY_DAYS), "-subj", f"/CN={name}"),
            *(part for text in extensions for part in ("-addext", text)),
            *("-out", str(fresh.certificate)),
        )


def make_for_broker(pair: Pair, authority: Pair, *, names: Sequence[str]) -> None:
    """Make the broker's certificate for the host names and addresses under which it is reached.

    Raises:
        NoCertificate: openssl is missing or refuses.
    """
    alternatives = ",".join(f"{'IP' if _is_address(name) else 'DNS'}:{name}" for name in names)
    _signed(pair, authority, name=names[0], use="serverAuth", more=[f"subjectAltName={alternatives}"])


def make_for_client(pair: Pair, authority: Pair, *, name: str) -> None:
    """Make the certificate by which `name` signs in.

    Raises:
        NoCertificate: openssl is missing or refuses.
    """
    _signed(pair, authority, name=name, use="clientAuth", more=[])


def _signed(pair: Pair, authority: Pair, *, name: str, use: str, more: Sequence[str]) -> None:
    lines = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature"]
    lines += [f"extendedKeyUsage={use}", *more]
    with tempfile.TemporaryDirectory(prefix="longzhuo-certificate-") as folder, _made_whole(pair) as fresh:
        request, extensions = Path(folder) / "request.pem", Path(folder) / "extensions"
        extensions.write_text("\n".join(lines) + "\n", encoding="ascii")
        _openssl("req", *_new_key(fresh.key), "-subj", f"/CN={name}", "-out", str(request))
        _openssl(
            *("x509", "-req", "-sha256", "-in", str(request), "-days", str(DAYS)),
            *("-CA", str(authority.certificate), "-CAkey", str(authority.key)),
            *("-set_serial", f"0x{os.urandom(16).hex()}", "-extfile", str(extensions)),
            *("-out", str(fresh.certificate)),
        )


_END: Final = re.compile(rb"-----END [A-Z ]+-----\n\Z")


@contextlib.contextmanager
def _made_whole(pair: Pair) -> Iterator[Pair]:
    """Where a pair is made: it takes the place of the old one when both files are whole, or not at all."""
    fresh = Pair(*(path.with_name(f".{path.name}.new") for path in (pair.certificate, pair.key)))
    try:
        yield fresh
        for made, path in ((fresh.certificate, pair.certificate), (fresh.key, pair.key)):
            if not _END.search(made.read_bytes()):
                # openssl says nothing of a disk that is full.
                raise NoCertificate(f"{path}: could not be written whole; is there space on the disk?")
        fresh.key.replace(pair.key)
        fresh.certificate.replace(pair.certificate)
    finally:
        for path in (fresh.key, fresh.certificate):
            path.unlink(missing_ok=True)


def _new_key(path: Path) -> tuple[str, ...]:
    """What makes openssl write a new key; it writes over what is there, so the file is its owner's before."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    curve = "ec_paramgen_curve:P-256"
    return ("-new", "-sha256", "-newkey", "ec", "-pkeyopt", curve, "-nodes", "-keyout", str(path))


@dataclass(frozen=True, slots=True)
class Told:
    """What a certificate says: when it ceases to hold, and for which names, as openssl writes them."""

    ends_at: datetime
    names: tuple[str, ...]


def read(certificate: Path) -> Told:
    """Read a certificate.

    Raises:
        NoCertificate: openssl is missing, or the file is none.
    """
    end, *rest = _openssl(
        "x509", "-noout", "-enddate", "-ext", "subjectAltName", "-in", str(certificate)
    ).splitlines()
    try:
        ends_at = datetime.strptime(end.removeprefix("notAfter="), "%b %d %H:%M:%S %Y %Z").replace(tzinfo=UTC)
    except ValueError as error:
        raise NoCertificate(f"{certificate}: openssl tells no end of it: {end!r}") from error
    names = "".join(rest[1:]).replace(" ", "").split(",")
    return Told(ends_at, tuple(name.partition(":")[2] for name in names if name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _openssl(*arguments: str) -> str:
    program = shutil.which("openssl")
    if program is None:
        raise NoCertificate("openssl: program not found; install it (Debian, Ubuntu: apt install openssl)")
    done = subprocess.run(  # noqa: S603 - a program of the system with arguments made here
        [program, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"exit status {done.returncode}"
        raise NoCertificate(f"openssl {arguments[0]}: {said[:300]}")
    return done.stdout
