"""Mixing what was learned with what the network says, and the file it is kept in: laws and faults."""

from __future__ import annotations

import io
import resource
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.enrol import BadEnrolment, Enrolment, LeftOut, Mix, digest, log_softmax, unit
from vision.enrol_file import LARGEST
from vision.name import Namer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NETWORK = digest(b"a network")


def made(seed: int = 0, *, views: int = 60, faces: int = 34, floor: float = 0.7) -> Enrolment:
    """An enrolment of random views of the first so many faces."""
    chance = np.random.default_rng(seed)
    vectors = unit(np.abs(chance.normal(0, 1, (views, 128))).astype(np.float32))
    return Enrolment(
        network=NETWORK,
        views=unit(vectors.astype(np.float16).astype(np.float32)),
        faces=np.sort(chance.integers(0, faces, views)),
        levels=np.full(44, floor + 0.05, np.float32),
        mix=Mix(floor=floor),
        tileset="试验 set",
        made="2026-01-31",
        left_out=LeftOut(tiles=9, before=7, after=8),
    )


def outputs(seed: int, count: int = 5) -> tuple[Floats, Floats]:
    chance = np.random.default_rng((seed, 1))
    logits = chance.normal(0, 4, (count, 44)).astype(np.float32)
    return logits, np.abs(chance.normal(0, 3, (count, 128))).astype(np.float32)


# ---- mixing ------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.floats(-0.5, 0.95))
def test_mixed_scores_are_probabilities_of_each_crop_alone(seed: int, floor: float) -> None:
    enrolled, (logits, embeddings) = made(seed, floor=floor), outputs(seed)
    mixed = enrolled.mixed(logits, embeddings)
    assert mixed.shape == (5, 44)
    assert np.exp(mixed).sum(axis=1) == pytest.approx(1, abs=1e-4)
    alone = enrolled.mixed(logits[2:3], embeddings[2:3] * 7)  # nor does an embedding's length matter
    assert alone[0] == pytest.approx(mixed[2], abs=1e-3)


@given(st.integers(0, 10_000))
def test_what_resembles_no_view_is_left_to_the_network(seed: int) -> None:
    enrolled, (logits, embeddings) = made(seed), outputs(seed)
    strange = -np.abs(embeddings)  # the views' values are never below 0
    as_before = log_softmax(np.asarray(1.5 * log_softmax(logits), np.float32))
    seen = np.unique(enrolled.faces)
    mixed = enrolled.mixed(logits, strange)
    assert mixed[:, seen] - mixed[:, seen[:1]] == pytest.approx(
        as_before[:, seen] - as_before[:, seen[:1]], abs=1e-3
    )


@given(st.integers(0, 10_000), st.integers(0, 59))
def test_a_view_speaks_for_its_own_face_and_against_no_other_but_by_that(seed: int, number: int) -> None:
    enrolled, (logits, _) = made(seed), outputs(seed, 1)
    before = log_softmax(np.asarray(enrolled.mix.net * log_softmax(logits), np.float32))
    mixed = enrolled.mixed(logits, enrolled.views[number : number + 1])
    assert mixed[0, enrolled.faces[number]] >= before[0, enrolled.faces[number]] - 1e-4


def test_a_face_without_views_is_found_where_nothing_learned_is_nearer_than_strangers_are() -> None:
    enrolled, (logits, embeddings) = made(faces=30), outputs(1)
    logits[:, 33] += 30
    assert (enrolled.mixed(logits, embeddings).argmax(axis=1) == 33).all()


def test_covered_are_the_faces_with_views() -> None:
    enrolled = made(faces=3)
    assert {int(t) for t in enrolled.covered} == set(np.unique(enrolled.faces)) == {0, 1, 2}


def test_another_network_is_refused_in_words() -> None:
    enrolled = made()
    enrolled.require(b"a network")
    with pytest.raises(BadEnrolment, match="made with another network"):
        enrolled.require(b"another network")
    with pytest.raises(BadEnrolment, match="made with another network"):
        Namer(enrolled=enrolled)


# ---- the file ----------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "table.enrolled"
    made().save(place)
    return place


def test_what_was_saved_is_loaded_and_the_same_gives_the_same_bytes(path: Path) -> None:
    enrolled, again = made(), Enrolment.load(path)
    assert (again.network, again.tileset, again.made) == (NETWORK, "试验 set", "2026-01-31")
    assert (again.mix, again.left_out) == (enrolled.mix, enrolled.left_out)
    assert again.covered == enrolled.covered
    assert enrolled.mixed(*outputs(3)) == pytest.approx(again.mixed(*outputs(3)), abs=0.05)
    before = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == before


def refused(path: Path) -> str:
    with pytest.raises(BadEnrolment) as caught:
        Enrolment.load(path)
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    return text


def test_a_file_cut_anywhere_or_with_a_wrong_byte_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    for cut in (*range(0, len(whole), 997), len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert refused(path)
    # Anywhere but in dates and the like, which nobody reads, a wrong byte is noticed.
    for at in range(60, len(whole) - 700, 499):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        assert refused(path)


def test_files_that_are_something_else_are_refused(path: Path, tmp_path: Path) -> None:
    assert "cannot be opened" in refused(tmp_path / "none")
    assert "cannot be opened" in refused(tmp_path)
    path.write_bytes(b"")
    assert refused(path) == "the file is empty"
    path.write_bytes(b"no enrolment at all")
    assert "is no enrolment" in refused(path)
    np.savez(path.with_suffix(".npz"), views=np.zeros(3))
    assert "expected the parts head.json" in refused(path.with_suffix(".npz"))


def test_a_huge_file_is_refused_and_not_read(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(50_000_000_000)
    assert "is larger than 8 MB" in refused(path)


def packed_again(path: Path, **parts: bytes) -> None:
    """The same file with some parts instead of its own: `views=...` for `views.npy`."""
    with zipfile.ZipFile(path) as file:
        contents = {name: file.read(name) for name in file.namelist()}
    for name, content in parts.items():
        contents[next(n for n in contents if n.startswith(name))] = content
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in contents.items():
            file.writestr(name, content)


def npy(array: NDArray[np.generic] | NDArray[np.object_]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array))
    return out.getvalue()


def test_a_part_that_unpacks_to_more_than_any_enrolment_is_refused(path: Path) -> None:
    packed_again(path, views=bytes(LARGEST + 1))
    assert path.stat().st_size < 100_000
    assert "a part is larger than 8 MB" in refused(path)


class Trap:
    """Leaves a file behind where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.place,))


def test_nothing_in_a_file_is_ever_unpickled(path: Path, tmp_path: Path) -> None:
    trap = np.empty(1, object)
    trap[0] = Trap(tmp_path / "sprung")
    packed_again(path, views=npy(trap))
    assert "damaged" in refused(path)
    assert not (tmp_path / "sprung").exists()


VIEWS = made().views.astype(np.float16)


@pytest.mark.parametrize(
    ("part", "array", "why"),
    [
        ("views", VIEWS.astype(np.float32), "views are float32"),
        ("views", VIEWS[:, :100], "views are float16"),
        ("views", VIEWS[:0], "0 views"),
        ("views", VIEWS * np.float16(np.nan), "no embeddings of length 1"),
        ("views", VIEWS * np.float16(2), "no embeddings of length 1"),
        ("faces", np.arange(60, dtype=np.uint8)[::-1], "its faces are not"),
        ("faces", np.arange(60, dtype=np.uint8), "its faces are not"),
        ("faces", np.zeros(59, np.uint8), "faces are uint8"),
        ("levels", np.full(44, 2, np.float32), "levels are no cosines"),
        ("levels", np.zeros(43, np.float32), "levels are float32"),
    ],
)
def test_arrays_that_make_no_sense_are_refused(
    path: Path, part: str, array: NDArray[np.generic], why: str
) -> None:
    packed_again(path, **{part: npy(array)})
    assert why in refused(path)


def test_an_array_whose_head_promises_more_than_there_is_is_refused(path: Path) -> None:
    packed_again(path, views=npy(VIEWS).replace(b"(60, 128)", b"(9999999, 128)"[:9].ljust(9)))
    assert refused(path)
    packed_again(path, views=npy(VIEWS)[:-200])
    assert "damaged" in refused(path)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (b'{"version":2}', "is of version 2, this program reads version 1"),
        (b'{"version":"1"}', "its head says nothing usable"),
        (b"{}", "its head says nothing usable"),
        (b"\xff\xfe", "its head says nothing usable"),
        (b'{"version":1,"network":"../../etc"}', "its head says nothing usable"),
    ],
)
def test_a_head_of_another_version_or_of_nonsense_is_refused(path: Path, head: bytes, why: str) -> None:
    packed_again(path, head=head)
    assert why in refused(path)


# ---- writing -----------------------------------------------------------------------------------------------

SAVING = """
import sys
from pathlib import Path
from vision.enrol import Enrolment
place = Path(sys.argv[1])
enrolled = Enrolment.load(place)
print("begin", flush=True)
while True:
    enrolled.save(place)
"""


def test_a_process_killed_while_it_writes_leaves_a_whole_file(path: Path) -> None:
    for pause in (0.0, 0.005, 0.02):
        with subprocess.Popen([sys.executable, "-c", SAVING, path], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(pause)
            process.send_signal(signal.SIGKILL)
        assert Enrolment.load(path).tileset == "试验 set"


def test_a_full_disk_is_told_and_loses_nothing(path: Path) -> None:
    before, files = path.read_bytes(), sorted(path.parent.iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            made(5).save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == files


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        made().save(tmp_path / "none" / "table.enrolled")
