"""Pictures are served of open doubts and of nothing else, from their folder and from nowhere else."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from test_http import get

from controller.http import Display, listen_on
from controller.http_pictures import MOST_BYTES, PictureRoute

NAMED = {
    "doubt.jpg",
    "link.jpg",
    "pipe.jpg",
    "folder.jpg",
    "large.jpg",
    "../secret.jpg",
    "journal.db",
    "absent.jpg",
}
"""Even what the game would name by mistake is served only where it is a picture in the folder."""


@pytest.fixture
async def display(tmp_path: Path) -> AsyncIterator[Display]:
    folder = tmp_path / "journal.db.pictures"
    (folder / "folder.jpg").mkdir(parents=True)
    for name in ("doubt.jpg", "other.jpg", "journal.db"):
        (folder / name).write_bytes(b"\xff\xd8 " + name.encode())
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    (folder / "link.jpg").symlink_to(tmp_path / "secret.jpg")
    (folder / "large.jpg").write_bytes(bytes(MOST_BYTES + 1))
    os.mkfifo(folder / "pipe.jpg")
    route = PictureRoute(folder, lambda: NAMED)
    listener = listen_on("127.0.0.1", 0)
    display = Display(listener, websocket="ws://127.0.0.1:9001", prefix="p", health=dict, pictures=route)
    running = asyncio.create_task(display.run())
    yield display
    display.stop()
    await running
    listener.close()


async def test_a_named_picture_is_served_and_kept_by_nobody(display: Display) -> None:
    answer = await get(display, "/pictures/doubt.jpg")
    assert (answer.status, answer.body) == (200, b"\xff\xd8 doubt.jpg")
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "name",
    [
        "other.jpg",
        "link.jpg",
        "pipe.jpg",
        "folder.jpg",
        "large.jpg",
        "journal.db",
        "absent.jpg",
        "../secret.jpg",
        "%2e%2e%2fsecret.jpg",
        "..%2fsecret.jpg",
        "",
        "doubt.jpg%00",
        "x" * 3000,
    ],
)
async def test_nothing_else_is(display: Display, name: str) -> None:
    answer = await get(display, f"/pictures/{name}")
    assert answer.status == 404
    assert b"secret" not in answer.body
