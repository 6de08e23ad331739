"""Files that are no photographs, or strange ones: one clear line or a right reading, no noise, no trace."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from vision.photo import UnreadablePhoto, load_photo

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Pixels = NDArray[np.integer | np.floating]

DATA = Path(__file__).parent / "data"
TABLE = DATA / "drawn-5-11.jpg"
FORMS = (".jpg", ".png", ".bmp", ".webp", ".tif")
GIF = b"GIF89a\x10\0\x10\0\x80\0\0\0\0\0\xff\xff\xff"
GIF_PICTURE = b",\0\0\0\0\x10\0\x10\0\0\x02\x02\x4c\x01\0"
WEBP = b"RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\x0f\0\0\x0f\0\0" + bytes(42)


def longzhuo(*arguments: str | bytes | Path) -> subprocess.CompletedProcess[bytes]:
    program = [sys.executable, "-c", "from controller.cli import main; main()"]
    return subprocess.run([*program, *arguments], capture_output=True, check=False, timeout=60)


def picture() -> NDArray[np.uint8]:
    return np.asarray(cv2.imread(str(TABLE)), np.uint8)


def encoded(suffix: str, content: Pixels) -> bytes:
    done, data = cv2.imencode(suffix, content)
    assert done
    return data.tobytes()


def refused(path: Path) -> str:
    with pytest.raises(UnreadablePhoto) as caught:
        load_photo(path)
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    return text


def head(width: int, height: int) -> bytes:
    """The beginning of a PNG of such a size."""
    return (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0) + bytes(80)
    )


CONTENTS: dict[str, tuple[bytes, str]] = {
    "empty.jpg": (b"", "is empty"),
    "text.jpg": (b"These are words.\n" * 40, "no picture"),
    "1x1.png": (encoded(".png", np.zeros((1, 1, 3), np.uint8)), "only 1 x 1 px"),
    "1x1.jpg": (encoded(".jpg", np.zeros((1, 1, 3), np.uint8)), "only 1 x 1 px"),
    "huge.png": (head(60_000, 60_000) + b"IEND", "megapixels"),
    "headless.jpg": (b"\xff\xd8\xff\xe0", "cut off"),
    "moving.gif": (GIF + 2 * GIF_PICTURE + b";", "animated GIF"),
    "moving.webp": (WEBP, "animated WebP"),
    "phone.heic": (b"\0\0\0\x18ftypheic" + bytes(64), "JPEG"),
    "riff.webp": (b"RIFF\x24\0\0\0WAVEfmt " + bytes(64), "no picture"),
    "sizeless.tif": (b"II*\0\x08\0\0\0\0\0" + bytes(64), "no size"),
    "sizeless.jpg": (b"\xff\xd8\xff\xda\0\x08" + bytes(64), "no size"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_what_is_no_photograph_is_refused_in_one_line_that_says_why(tmp_path: Path, name: str) -> None:
    content, why = CONTENTS[name]
    (tmp_path / name).write_bytes(content)
    assert why in refused(tmp_path / name)


@pytest.mark.parametrize("suffix", FORMS)
def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path, suffix: str) -> None:
    whole = encoded(suffix, picture()[:96, :96])
    for part in (20, 60, len(whole) // 2, len(whole) - 40, len(whole) - 3):
        (tmp_path / f"cut{suffix}").write_bytes(whole[:part])
        assert "damaged" in refused(tmp_path / f"cut{suffix}")


def test_a_photograph_with_a_hole_is_refused_not_filled_with_grey(tmp_path: Path) -> None:
    whole = encoded(".jpg", picture())
    third = len(whole) // 3
    for name, content in {
        "hole": whole[:third] + whole[2 * third :],
        "zeros": whole[:third] + bytes(2000) + whole[third + 2000 :],
        "ended": whole[:third] + b"\xff\xd9",
    }.items():
        (tmp_path / f"{name}.jpg").write_bytes(content)
        assert "damaged" in refused(tmp_path / f"{name}.jpg"), name


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "loop.jpg").symlink_to("loop.jpg")
    assert "pipe" in refused(tmp_path / "pipe.jpg")
    assert "device" in refused(Path("/dev/zero"))
    assert "folder" in refused(tmp_path)
    assert "cannot be opened" in refused(tmp_path / "loop.jpg")
    assert "cannot be opened" in refused(tmp_path / ("x" * 300))


@pytest.mark.skipif(os.geteuid() == 0, reason="did not run: the superuser may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.png").write_bytes(b"")
    (tmp_path / "mine.png").chmod(0)
    assert "Permission denied" in refused(tmp_path / "mine.png")


def deep(bits: int) -> Callable[[NDArray[np.uint8]], Pixels]:
    return lambda each: each.astype(np.uint16) << (bits - 8)


def grey(each: NDArray[np.uint8]) -> Pixels:
    return cv2.cvtColor(each, cv2.COLOR_BGR2GRAY)


def same(each: NDArray[np.uint8]) -> Pixels:
    return each


@pytest.mark.parametrize(
    ("name", "change"),
    [
        *((f"plain{suffix}", same) for suffix in FORMS),
        ("plain.gif", same),
        ("grey.png", grey),
        ("grey.jpg", grey),
        ("sixteen.png", deep(16)),
        ("sixteen.tif", deep(16)),
        ("twelve.png", deep(12)),
        ("parts.tif", lambda each: each.astype(np.float32) / 255),
    ],
)
def test_every_form_of_a_picture_becomes_eight_bits_in_the_same_light(
    tmp_path: Path, name: str, change: Callable[[NDArray[np.uint8]], Pixels]
) -> None:
    original = picture()
    (tmp_path / name).write_bytes(encoded(Path(name).suffix, change(original)))
    loaded = load_photo(tmp_path / name)
    assert loaded.shape == original.shape
    assert loaded.dtype == np.uint8
    # Few colours (GIF) are mixed by eye, so neighbours are mixed here.
    expected, found = (cv2.blur(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), (5, 5)) for p in (original, loaded))
    assert np.abs(found.astype(int) - expected).mean() < 4


def test_inks_for_print_become_light() -> None:
    printed, light = load_photo(DATA / "drawn-inks.jpg"), cv2.imread(str(DATA / "inks.png"))
    assert light is not None
    assert np.abs(printed.astype(int) - light).mean() < 6


def test_a_photograph_is_turned_as_its_file_says(tmp_path: Path) -> None:
    upright = picture()[:100, :160]
    camera = encoded(".jpg", np.ascontiguousarray(np.rot90(upright)))
    tag = b"MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHH", 0x112, 3, 1, 6, 0) + bytes(4)
    exif = b"Exif\0\0" + tag
    (tmp_path / "turned.jpg").write_bytes(
        camera[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + camera[2:]
    )
    loaded = load_photo(tmp_path / "turned.jpg")
    assert loaded.shape == upright.shape
    assert np.abs(loaded.astype(int) - upright).mean() < 5


def test_what_is_see_through_is_neither_paper_nor_ink(tmp_path: Path) -> None:
    shown = picture()
    clear = np.full(shown.shape[:2], 255, np.uint8)
    clear[:100] = 0
    (tmp_path / "cut-out.png").write_bytes(encoded(".png", np.dstack([shown, clear])))
    loaded = load_photo(tmp_path / "cut-out.png")
    assert np.array_equal(loaded[100:], shown[100:])
    assert len(np.unique(loaded[:100])) == 1
    assert 40 < int(loaded[0, 0, 0]) < 160


def test_a_hundred_megapixels_are_read_within_a_gigabyte_and_a_half(tmp_path: Path) -> None:
    row = np.zeros((10_000, 10_000), np.uint8)
    row[::7] = 200
    (tmp_path / "large.jpg").write_bytes(encoded(".jpg", row))
    program = """import pathlib, sys
from vision.photo import load_photo
picture = load_photo(pathlib.Path(sys.argv[1]))
status = pathlib.Path("/proc/self/status").read_text()
print(len(picture), status.split("VmHWM:")[1].split()[0])"""
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "large.jpg"], capture_output=True, check=True
    )
    side, kilobytes = map(int, done.stdout.split())
    assert side == 10_000
    assert kilobytes < 1_500_000


def test_the_program_says_one_line_for_each_and_nothing_of_its_decoders(tmp_path: Path) -> None:
    whole = bytearray(encoded(".png", picture()))
    whole[len(whole) // 2] ^= 255
    (tmp_path / "bits.png").write_bytes(whole)
    (tmp_path / "cut.jpg").write_bytes(encoded(".jpg", picture())[:5000] + b"\xff\xd9")
    (tmp_path / "two\nlines.png").write_bytes(encoded(".png", picture())[:9000])
    (tmp_path / "empty.jpg").write_bytes(b"")
    done = longzhuo("read", tmp_path)
    assert done.returncode == 1
    assert done.stdout == b""
    lines = done.stderr.decode().splitlines()
    assert [line.split(": ")[1] for line in lines] == ["bits.png", "cut.jpg", "empty.jpg", "two\\nlines.png"]
    assert all(line.startswith("longzhuo: ") for line in lines)


def test_a_name_in_no_known_encoding_is_read_and_printed(tmp_path: Path) -> None:
    strange = os.fsencode(tmp_path) + b"/t\xff\xe9.jpg"
    Path(os.fsdecode(strange)).write_bytes(TABLE.read_bytes())
    shown = longzhuo("read", strange)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith(b"t\\udcff\\udce9.jpg: ")
    told = longzhuo("read", strange, "--json")
    assert os.fsencode(json.loads(told.stdout)["file"]) == b"t\xff\xe9.jpg"
