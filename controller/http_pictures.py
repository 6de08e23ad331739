"""`GET /pictures/<name>`: pictures of the moment, of doubts that are open and of nothing else.

What may be asked for is a list of names that the game tells, not a folder: a name that is not on it is not
there, whatever it looks like. When the doubt has ended, its pictures are served no more.
"""

import asyncio
import os
import stat
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

MOST_BYTES: Final = 1_000_000
"""A picture of a part of the table is some tens of kilobytes."""

_HEADERS: Final = {"cache-control": "no-store", "cross-origin-resource-policy": "same-origin"}


class PictureRoute:
    """Serves from `folder` the files that `named` tells at the moment of the request."""

    def __init__(self, folder: Path, named: Callable[[], Collection[str]]) -> None:
        self._folder = folder
        self._named = named

    async def __call__(self, request: Request) -> Response:
        """Answer with the picture, or that there is none."""
        name = request.path_params["name"]
        if name in self._named() and Path(name).name == name and name.endswith(".jpg"):
            picture = await asyncio.to_thread(_read, self._folder / name)
            if picture is not None:
                return Response(picture, media_type="image/jpeg", headers=_HEADERS)
        return Response("not found\n", status_code=404, media_type="text/plain", headers=_HEADERS)


def _read(path: Path) -> bytes | None:
    """A plain file of reasonable size, and no link to one; None where there is none."""
    try:
        # A pipe in its place would hold the reader up for ever.
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
            return None
        return os.read(opened, MOST_BYTES)
    finally:
        os.close(opened)
