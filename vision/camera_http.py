"""Takes a motion JPEG stream over HTTP: every picture as it was sent, and a limit on everything else.

The pictures stay encoded: most are never looked at, and movement is seen in a reduced one. What is not
`multipart/x-mixed-replace` but may be a film is left to OpenCV (`NotMotionJpeg`); what is neither is refused
in words.
"""

import base64
import socket
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from vision.camera_source import ANSWER_S, STALL_S, NoPicture
from vision.observations import CameraTrouble

WAKE_S: Final = 0.1  # how soon a wish to stop is noticed
HEAD_LIMIT: Final = 16 * 1024  # bytes
PICTURE_LIMIT: Final = 32 * 1024 * 1024
CHUNK: Final = 256 * 1024
END: Final = b"\xff\xd9"
END_WITHIN: Final = 1024  # some cameras fill up behind the end of a picture
FILMS: Final = ("video/", "application/octet-stream", "application/vnd.apple", "application/x-mpegurl")
ELSEWHERE: Final = frozenset({301, 302, 303, 307, 308})


class NotMotionJpeg(Exception):
    """The address answers with something that OpenCV may know better."""


class Parts:
    """Cuts the body of a multipart answer into pictures; bytes between parts are passed over. Pure."""

    def __init__(self, boundary: bytes) -> None:
        self._mark = b"--" + boundary
        self._buffer = bytearray()
        self._in_part = False
        self._length: int | None = None
        self._searched = 0
        self.damaged = 0
        """Parts that were no whole JPEG."""

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next bytes; the whole pictures that are complete now."""
        self._buffer += data
        pictures: list[bytes] = []
        while (part := self._next()) is not None:
            end = part.rfind(END, max(0, len(part) - END_WITHIN))
            if part.startswith(b"\xff\xd8") and end > 0:
                pictures.append(part[: end + 2])
            else:
                self.damaged += 1
        if len(self._buffer) > PICTURE_LIMIT:
            self._begin_again(len(self._buffer))
        return pictures

    def _next(self) -> bytes | None:
        if not self._in_part and not self._head():
            return None
        if self._length is not None:
            if len(self._buffer) < self._length:
                return None
            return self._taken(self._length)
        found = self._buffer.find(self._mark, max(0, self._searched - len(self._mark)))
        self._searched = len(self._buffer)
        return None if found < 0 else self._taken(found)

    def _head(self) -> bool:
        """Pass over everything to the next part's first byte, if it is there."""
        start = self._buffer.find(self._mark)
        if start < 0:
            del self._buffer[: max(0, len(self._buffer) - len(self._mark))]
            return False
        end = self._buffer.find(b"\r\n\r\n", start)
        if end < 0:
            if len(self._buffer) - start > HEAD_LIMIT:
                self._begin_again(start + len(self._mark))
            return False
        length = _header(bytes(self._buffer[start:end]), b"content-length")
        number = int(length) if length.isdigit() and len(length) < 10 else 0
        self._length = number if 0 < number <= PICTURE_LIMIT else None
        del self._buffer[: end + 4]
        self._in_part = True
        return True

    def _taken(self, count: int) -> bytes:
        part = bytes(self._buffer[:count])
        self._begin_again(count)
        return part

    def _begin_again(self, count: int) -> None:
        """Drop so many bytes and look for the next part."""
        del self._buffer[:count]
        self._in_part, self._length, self._searched = False, None, 0


class MotionJpeg:
    """One connection.

    Args:
        url: `http://[user:password@]host[:port]/path`.
        stop: set from elsewhere when nobody wants pictures any more.

    Raises:
        NoPicture: nobody answers, or not with pictures.
        NotMotionJpeg: OpenCV shall try.
    """

    def __init__(self, url: str, stop: threading.Event) -> None:
        self._url, self._stop = url, stop
        self._ready: deque[bytes] = deque()
        self._patience_s = ANSWER_S
        try:
            parts = urlsplit(url)
            address = (parts.hostname or "", parts.port or 80)
            self._socket = socket.create_connection(address, timeout=ANSWER_S)
        except (OSError, ValueError) as error:
            raise NoPicture(f"{url}: can't be opened: {_why(error)}") from error
        try:
            self._socket.settimeout(WAKE_S)
            self._socket.sendall(_request(parts))
            boundary, rest = self._answer()
            self._parts = Parts(boundary)
            self._ready += self._parts.feed(rest)
        except OSError as error:
            self.close()
            raise NoPicture(f"{url}: can't be opened: {_why(error)}") from error
        except BaseException:
            self.close()
            raise

    def read(self) -> bytes:
        """The next picture, a JPEG.

        Raises:
            NoPicture: the stream ended, or no whole picture came for some time.
        """
        until = time.monotonic() + self._patience_s
        bytes_before, damaged = 0, self._parts.damaged
        while not self._ready:
            if time.monotonic() > until or self._stop.is_set():
                told = "sends bytes but no picture" if bytes_before else "stopped sending pictures"
                broken = self._parts.damaged - damaged
                raise NoPicture(f"{self._url}: {'sends damaged pictures' if broken else told}")
            data = self._received()
            bytes_before += len(data)
            self._ready += self._parts.feed(data)
        self._patience_s = STALL_S
        return self._ready.popleft()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _received(self) -> bytes:
        """What has come within `WAKE_S`, often nothing."""
        try:
            data = self._socket.recv(CHUNK)
        except TimeoutError:
            return b""
        except OSError as error:
            raise NoPicture(f"{self._url}: stopped sending pictures: {_why(error)}") from error
        if not data:
            raise NoPicture(f"{self._url}: ended the stream")
        return data

    def _answer(self) -> tuple[bytes, bytes]:
        """The boundary, and what came behind the answer's head."""
        until = time.monotonic() + ANSWER_S
        head = b""
        while b"\r\n\r\n" not in head:
            if time.monotonic() > until or self._stop.is_set():
                raise NoPicture(f"{self._url}: gives no answer")
            if len(head) > HEAD_LIMIT or not b"HTTP/".startswith(head[:5]):
                raise self._stranger("no answer of HTTP")
            head += self._received()
        head, _, rest = head.partition(b"\r\n\r\n")
        return self._boundary(head), rest

    def _boundary(self, head: bytes) -> bytes:
        line = head.split(b"\r\n", 1)[0].decode("latin-1").split(maxsplit=2)
        status = int(line[1]) if len(line) > 1 and line[1].isdigit() else 0
        kind = _header(head, b"content-type").decode("latin-1")
        if not head.startswith(b"HTTP/"):
            raise self._stranger("no answer of HTTP")
        digest = _header(head, b"www-authenticate").lower().startswith(b"digest")
        if status in ELSEWHERE or (status == 401 and digest):
            raise NotMotionJpeg
        if status == 401:
            raise NoPicture(f"{self._url}: wants a user and a password (http://USER:PASSWORD@...)")
        if status != 200:
            raise self._stranger(" ".join(line[1:]) or "no answer of HTTP")
        if not kind.lower().startswith("multipart/x-mixed-replace"):
            if kind.lower().startswith(FILMS) or not kind:
                raise NotMotionJpeg
            raise self._stranger(kind.split(";")[0])
        fields = (field.strip().partition("=") for field in kind.split(";")[1:])
        named = next((value for key, _, value in fields if key.lower() == "boundary"), "")
        return named.strip('"').removeprefix("--").encode("latin-1")

    def _stranger(self, answered: str) -> NoPicture:
        words = f"{self._url}: answers {answered}; expected the motion JPEG stream of a camera"
        return NoPicture(words, CameraTrouble.WRONG_DEVICE)


def _request(parts: SplitResult) -> bytes:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host = parts.netloc.rpartition("@")[2]
    lines = [f"GET {path} HTTP/1.0", f"Host: {host}", "User-Agent: longzhuo", "Accept: */*"]
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        lines.append(f"Authorization: Basic {base64.b64encode(pair.encode()).decode()}")
    return "\r\n".join([*lines, "", ""]).encode()


def _header(head: bytes, name: bytes) -> bytes:
    for line in head.split(b"\r\n"):
        key, colon, value = line.partition(b":")
        if colon and key.strip().lower() == name:
            return value.strip()
    return b""


def _why(error: Exception) -> str:
    """In few words, without numbers of the system."""
    with suppress(AttributeError):
        return str(error.strerror or error)  # type: ignore[attr-defined]
    return str(error)
