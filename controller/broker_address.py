"""Where a broker is, how to sign in there, and whether the way to it is safe."""

import hashlib
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from controller.network import is_loopback

PLAIN_PORT: Final = 1883
TLS_PORT: Final = 8883
_ITERATIONS: Final = 100_000


class BadAddress(ValueError):
    """A broker can't be reached as configured; one line says why, without a password."""


@dataclass(frozen=True, slots=True)
class Tls:
    """Whom to believe, and our own certificate: PEM files; without `ca_file` the system's authorities."""

    ca_file: Path | None = None
    certificate_file: Path | None = None
    key_file: Path | None = None

    def context(self) -> ssl.SSLContext:
        """What a connection needs; the files are read now, so that renewed ones hold from the next one on.

        Raises:
            BadAddress: a file can't be used.
        """
        path: Path | None = self.ca_file
        try:
            context = ssl.create_default_context(cafile=path)
            path = self.certificate_file
            if path is not None:
                # A key behind a password would stop the program at a prompt.
                context.load_cert_chain(path, self.key_file, password="")
        except (OSError, ValueError) as error:
            why = (isinstance(error, OSError) and error.strerror) or "no certificate or key in it"
            raise BadAddress(f"{path}: {why}; expected PEM files") from error
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where a broker listens and how to sign in; `tls` is None where the way is not encrypted."""

    host: str
    port: int
    username: str | None
    password: str | None = field(repr=False)
    tls: Tls | None = None

    @property
    def everybody_signs_in(self) -> bool:
        """Whether even the table has to, so that the broker knows who orders what."""
        return self.username is not None or (self.tls is not None and self.tls.certificate_file is not None)

    def client_name(self, prefix: str) -> str:
        """The name by which the broker knows the table of these topics again.

        Whoever comes under the same name puts the table out, and a name is no secret to the broker's users
        unless it follows from one: with a password, nobody else can guess it.
        """
        plain = "_".join(["mj", *prefix.split("/")[-2:]])
        if self.password is None:
            return plain
        made = hashlib.pbkdf2_hmac("sha256", self.password.encode(), prefix.encode(), _ITERATIONS)
        return f"{plain}_{made.hex()[:16]}"


def parse_broker_url(url: str) -> BrokerAddress:
    """Take `mqtt[s]://[user[:password]@]host[:port]` apart; the port defaults to 1883, with TLS to 8883."""
    parts = urlsplit(url)
    secure = parts.scheme == "mqtts"
    return BrokerAddress(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or (TLS_PORT if secure else PLAIN_PORT),
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        tls=Tls() if secure else None,
    )


def is_exposed(parts: SplitResult) -> bool:
    """Whether the way to this address goes over a network without being encrypted."""
    return parts.scheme in {"mqtt", "ws"} and not is_loopback(parts.hostname or "")


def without_sign_in(url: str) -> str:
    """The address without user and password, for whatever is shown.

    >>> without_sign_in("mqtts://table-1:secret@broker.example:8883")
    'mqtts://broker.example:8883'
    """
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def read_password(path: Path) -> str:
    """The first line of a file that holds a password.

    Raises:
        BadAddress: it can't be read, or there is none in it.
    """
    try:
        password = path.read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise BadAddress(f"{path}: {why}; expected a file with a password in its first line") from error
    if not password:
        raise BadAddress(f"{path}: is empty; expected a file with a password in its first line")
    return password
