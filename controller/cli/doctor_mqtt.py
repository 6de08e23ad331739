"""A few words of MQTT 5 with a broker, to find out what it lets a user do without anybody hearing of it.

What is published is offered with QoS 2 and broken off before it is released: the broker has said by then
whether it takes it (MQTT 5, 4.3.3), and a broker that waits for the release, as mosquitto does, gives it to
nobody. No client does that, so these packets are made here.
"""

import contextlib
import socket
import ssl
from collections.abc import Iterator, Sequence
from typing import Final

from controller.broker_address import BrokerAddress

PATIENCE_S: Final = 5.0
AT_ONCE: Final = 8
"""So many publications are offered over one connection; a broker takes no more than some."""
REFUSED: Final = 0x80
"""Reason codes from here on are refusals (MQTT 5, 2.4)."""
NO_MQTT_5: Final = 0x01
"""What a broker of MQTT 3.1.1 says to a later version; no code of MQTT 5."""

_CONNECT, _CONNACK, _PUBLISH, _PUBACK, _PUBREC = 0x10, 0x20, 0x30, 0x40, 0x50
_SUBSCRIBE, _SUBACK, _DISCONNECT = 0x82, 0x90, 0xE0
_QOS_1, _QOS_2 = 0x02, 0x04
_LONGEST: Final = 1_048_576


class NoTalk(Exception):
    """The broker can't be talked to. `cause`: the error, where there was one; `silent`: it said no word."""

    def __init__(self, line: str, *, cause: OSError | None = None, silent: bool = False) -> None:
        """Keep the line."""
        super().__init__(line)
        self.cause = cause
        self.silent = silent


class SignInRefused(Exception):
    """The broker does not let us in; `code` is its reason (MQTT 5, 3.2.2.2)."""

    def __init__(self, code: int) -> None:
        """Keep the code."""
        super().__init__(f"0x{code:02x}")
        self.code = code


class Talk:
    """One connection, signed in. Its methods raise `NoTalk`."""

    def __init__(self, way: socket.socket) -> None:
        self._way = way
        self._number = 0

    def sign_in(self, username: str | None, password: str | None) -> None:
        """Say who we are, under no name of a client's, so that nobody is put out.

        Raises:
            SignInRefused: the broker does not want us.
        """
        flags = 0x02 | (0x80 if username is not None else 0) | (0x40 if password is not None else 0)
        told = [_text(part) for part in ("", username, password) if part is not None]
        limit = b"\x05\x27" + _LONGEST.to_bytes(4)
        self._send(_CONNECT, _text("MQTT") + bytes([5, flags, 0, 60]) + limit + b"".join(told))
        body = self._until(_CONNACK)
        if len(body) < 2 or body[1]:
            raise SignInRefused(body[1] if len(body) > 1 else 0x80)

    def may_hear(self, filters: Sequence[str]) -> list[bool]:
        """Which of the filters the broker says to grant; some grant what they will not deliver."""
        self._number += 1
        asked = b"".join(_text(each) + b"\x01" for each in filters)
        self._send(_SUBSCRIBE, self._number.to_bytes(2) + b"\x00" + asked)
        body = self._until(_SUBACK)
        return [code < REFUSED for code in body[-len(filters) :]]

    def may_say(self, topics: Sequence[str]) -> list[bool]:
        """Which of the topics the broker would take a message on; at most `AT_ONCE` over a connection."""
        found = []
        for topic in topics:
            self._number += 1
            self._send(_PUBLISH | _QOS_2, _text(topic) + self._number.to_bytes(2) + b"\x00")
            body = self._until(_PUBREC)
            found.append(len(body) < 3 or body[2] < REFUSED)
        return found

    def comes_back(self, topic: str, payload: bytes) -> bool | None:
        """Whether a message that is published is heard again; None: it may not be published.

        The broker answers in order, so that what has not come before the answer to a later question will not.
        """
        self._number += 1
        self._send(_PUBLISH | _QOS_1, _text(topic) + self._number.to_bytes(2) + b"\x00" + payload)
        came: list[bytes] = []
        body = self._until(_PUBACK, came=came)
        if len(body) > 2 and body[2] >= REFUSED:
            return None
        self._send(0xC0, b"")
        self._until(0xD0, came=came)
        return any(packet[2:].startswith(topic.encode()) and packet.endswith(payload) for packet in came)

    def _send(self, kind: int, body: bytes) -> None:
        length, left = b"", len(body)
        while True:
            left, digit = divmod(left, 128)
            length += bytes([digit | (128 if left else 0)])
            if not left:
                break
        with _in_words():
            self._way.sendall(bytes([kind]) + length + body)

    def _until(self, kind: int, *, came: list[bytes] | None = None) -> bytes:
        """The body of the next packet of a kind; of publications before it, `came` gets the bodies."""
        while True:
            first = self._take(1)[0]
            body = self._take(self._length())
            if first & 0xF0 == kind & 0xF0:
                return body
            if first & 0xF0 == _PUBLISH and came is not None:
                came.append(body)
            if first == _DISCONNECT:
                code = body[0] if body else 0
                raise NoTalk(f"it ends the connection, reason 0x{code:02x}")

    def _length(self) -> int:
        total = 0
        for place in range(4):
            digit = self._take(1)[0]
            total |= (digit & 127) << (7 * place)
            if digit < 128 and total <= _LONGEST:
                return total
        raise NoTalk("what it says is no MQTT")

    def _take(self, number: int) -> bytes:
        taken = b""
        with _in_words():
            while len(taken) < number:
                more = self._way.recv(number - len(taken))
                if not more:
                    raise NoTalk("it closes the connection without a word", silent=True)
                taken += more
        return taken


@contextlib.contextmanager
def signed_in(address: BrokerAddress) -> Iterator[Talk]:
    """Connect, with TLS where it is meant, and sign in as the configuration says.

    Raises:
        BadAddress: a file of TLS can't be used.
        NoTalk: there is no way to it, or the way ends.
        SignInRefused: it does not let us in.
    """
    with _way(address, tls=None if address.tls is None else address.tls.context()) as way:
        talk = Talk(way)
        talk.sign_in(address.username, address.password)
        yield talk
        # Without a goodbye the broker would log an error of ours.
        with contextlib.suppress(OSError):
            way.sendall(bytes([_DISCONNECT, 0]))


def in_the_handshake(address: BrokerAddress) -> NoTalk | None:
    """What TLS 1.2 says against the connection, or our certificate; None: nothing, or there is no TLS.

    In TLS 1.3 our side is done before the other one has looked at our certificate, and what it says of it
    may be lost.
    """
    if address.tls is None:
        return None
    context = address.tls.context()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    try:
        with _way(address, tls=context):
            return None
    except NoTalk as error:
        reason = error.cause.reason if isinstance(error.cause, ssl.SSLError) else None
        return None if "PROTOCOL_VERSION" in (reason or "") else error


@contextlib.contextmanager
def _way(address: BrokerAddress, *, tls: ssl.SSLContext | None) -> Iterator[socket.socket]:
    with contextlib.ExitStack() as stack:
        with _in_words():
            way = stack.enter_context(
                socket.create_connection((address.host, address.port), timeout=PATIENCE_S)
            )
            if tls is not None:
                way = stack.enter_context(tls.wrap_socket(way, server_hostname=address.host))
        yield way


@contextlib.contextmanager
def _in_words() -> Iterator[None]:
    """Raises NoTalk: instead of what went wrong with the way."""
    try:
        yield
    except TimeoutError as error:
        raise NoTalk(f"it says nothing for {PATIENCE_S:.0f} s", cause=error) from error
    except ConnectionError as error:
        if isinstance(error, ConnectionRefusedError):
            raise NoTalk(error.strerror or str(error), cause=error) from error
        raise NoTalk("it breaks the connection off", cause=error, silent=True) from error
    except ssl.SSLError as error:
        raise NoTalk(error.reason or str(error), cause=error) from error
    except OSError as error:
        raise NoTalk(error.strerror or str(error), cause=error) from error


def _text(text: str) -> bytes:
    coded = text.encode()
    return len(coded).to_bytes(2) + coded
