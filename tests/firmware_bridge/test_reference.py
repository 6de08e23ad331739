"""The C core is portable, writes and reads the bytes that all do, and knows every word of the protocol."""

import ctypes
import hashlib
import hmac
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.encoding import decode_from_board
from firmware_bridge.faults import FAULTS
from firmware_bridge.frames import FRAME_LIMIT, PAYLOAD_LIMIT, FrameDecoder, encode_frame
from firmware_bridge.layouts import COMMANDS, REPORTS
from firmware_bridge.link import HEADER, Connected, Link, Received, Role
from firmware_bridge.messages import Accepted, Rejected
from firmware_bridge.reference.compiled import CORE, HERE, SANITIZED, CoreBoard, Settings, compile_core
from firmware_bridge.states import Capability, RejectReason
from hardware_sim.wires import Wire
from hardware_sim.wires_pair import Pair

GOLDEN: Final = Path(__file__).with_name("frames.txt")
CONTEXT_BYTES: Final = 128
"""More than ``struct frame_reader`` and ``struct sha256`` need."""


def golden() -> list[tuple[str, bytes, bytes]]:
    lines = [line.split(" ") for line in GOLDEN.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    return [(name, bytes.fromhex(payload), bytes.fromhex(frame)) for name, payload, frame in lines]


def frame_of(core: Any, payload: bytes) -> bytes:
    out = ctypes.create_string_buffer(FRAME_LIMIT)
    core.frame_write.restype = ctypes.c_size_t
    length = core.frame_write(payload, ctypes.c_size_t(len(payload)), out)
    return out.raw[:length]


def payloads_of(core: Any, data: bytes) -> list[bytes]:
    reader = ctypes.create_string_buffer(CONTEXT_BYTES)
    core.frame_take.restype = ctypes.c_size_t
    lengths: list[int] = [core.frame_take(reader, ctypes.c_uint8(byte)) for byte in data]
    assert not any(lengths[:-1]), "one frame at a time"
    return [reader.raw[:length] for length in lengths if length]


@pytest.mark.parametrize(
    "options", [("-O0",), ("-O2",), ("-Os",), ("-O2", "-DNDEBUG"), ("-O2", "-fshort-enums")]
)
def test_the_core_compiles_without_a_warning(
    c_compiler: str, tmp_path: Path, options: tuple[str, ...]
) -> None:
    assert c_compiler
    compile_core(tmp_path / "board.so", CORE, *options, "-shared", "-fPIC")


def test_the_core_needs_nothing_but_string_and_integer_headers() -> None:
    allowed = {"stdint.h", "stddef.h", "stdbool.h", "string.h"}
    for name in [*CORE, *(path.name for path in HERE.glob("*.h"))]:
        lines = (HERE / name).read_text(encoding="utf-8").splitlines()
        system = {line.split("<")[1].split(">")[0] for line in lines if line.startswith("#include <")}
        assert system <= allowed, name


def test_the_core_calls_only_what_moves_and_counts_bytes(c_compiler: str, tmp_path: Path) -> None:
    library = compile_core(tmp_path / "board.so", CORE, "-O2", "-shared", "-fPIC", "-fno-stack-protector")
    assert c_compiler
    listed = subprocess.run(["nm", "-D", "--undefined-only", str(library)], capture_output=True, check=True)
    names = {line.split()[-1].split("@")[0] for line in listed.stdout.decode().splitlines()}
    called = {name for name in names if not name.startswith("_")}
    assert called <= {"memcpy", "memmove", "memset", "strlen", "memcmp"}


def test_golden_frames_are_written_and_read_alike(c_core: Any) -> None:
    for name, payload, frame in golden():
        assert frame_of(c_core, payload) == frame, name
        assert payloads_of(c_core, frame) == [payload], name


@given(st.binary(min_size=1, max_size=PAYLOAD_LIMIT))
def test_both_sides_write_the_same_frame(c_core: Any, payload: bytes) -> None:
    assert frame_of(c_core, payload) == encode_frame(payload)
    assert payloads_of(c_core, encode_frame(payload)) == [payload]


@given(st.binary(max_size=80).map(lambda data: data.replace(b"\x00", b"\x01")))
def test_both_sides_take_the_same_bytes_for_no_frame(c_core: Any, data: bytes) -> None:
    assert payloads_of(c_core, data + b"\x00") == FrameDecoder().feed(data + b"\x00")


@given(st.binary(max_size=300), st.binary(max_size=64))
def test_digests_are_those_of_everybody(c_core: Any, message: bytes, key: bytes) -> None:
    sha, digest = ctypes.create_string_buffer(CONTEXT_BYTES), ctypes.create_string_buffer(32)
    c_core.sha256_begin(sha)
    c_core.sha256_add(sha, message, ctypes.c_size_t(len(message)))
    c_core.sha256_end(sha, digest)
    assert digest.raw == hashlib.sha256(message).digest()
    c_core.hmac_sha256(key, ctypes.c_size_t(len(key)), message, ctypes.c_size_t(len(message)), digest)
    assert digest.raw == hmac.digest(key, message, "sha256")


class Ear:
    """A host's link at a C board: sends messages as they are, gathers the board's."""

    def __init__(self, core: Any, settings: Settings | None = None) -> None:
        self.board = CoreBoard(core, settings or Settings())
        self.link = Link(Role.HOST, session=5)
        self.pair = Pair(self.link, self.board, Wire(1), Wire(2))
        self.link.connect(0.0)

    def hears(self, seconds: float = 0.05) -> list[bytes]:
        self.pair.run(seconds)
        return [event.message for event in self.link.events() if isinstance(event, Received)]

    def ask(self, message: bytes) -> list[Any]:
        """Send a command; the decoded messages of the next moments."""
        self.hears()
        self.link.send(message)
        return [decode_from_board(answer) for answer in self.hears()]


def golden_commands() -> list[tuple[str, bytes]]:
    entries = [(name, payload[HEADER.size :]) for name, payload, _ in golden() if name.startswith("message/")]
    return [(name, message) for name, message in entries if message[0] in COMMANDS]


def test_every_golden_command_is_understood(c_core: Any) -> None:
    for name, message in golden_commands():
        heard = Ear(c_core, Settings(capabilities=Capability(0x1FFF))).ask(message)
        answer = heard[0]
        assert isinstance(answer, Accepted | Rejected), name
        if isinstance(answer, Rejected) and name != "message/StartCycle/high":
            assert answer.reason not in {RejectReason.UNSUPPORTED, RejectReason.BAD_ARGUMENT}, name


def test_a_command_that_is_cut_short_is_a_bad_argument_and_more_bytes_are_ignored(c_core: Any) -> None:
    for name, message in golden_commands():
        if not name.endswith("/plain"):
            continue
        whole = Ear(c_core, Settings(capabilities=Capability(0x1FFF))).ask(message + b"\x00more")[0]
        assert getattr(whole, "reason", None) is not RejectReason.UNSUPPORTED, name
        if len(message) > 5:
            ear = Ear(c_core, Settings(capabilities=Capability(0x1FFF)))
            assert ear.ask(message[:-1])[0].reason is RejectReason.BAD_ARGUMENT, name


def test_what_the_board_can_not_do_is_unsupported(c_core: Any) -> None:
    for name, message in golden_commands():
        layout = COMMANDS[message[0]]
        if layout.needs:
            heard = Ear(c_core, Settings(capabilities=Capability(0))).ask(message)
            assert heard[0].reason is RejectReason.UNSUPPORTED, name
    for opcode in (0x00, 0x17, 0x30, 0x3F, 0x40, 0x99, 0xFF):
        ear = Ear(c_core)
        assert ear.ask(bytes((opcode,)) + b"\x01\x00\x00\x00")[0].reason is RejectReason.UNSUPPORTED


def test_the_vocabulary_of_the_dictionary_is_that_of_the_protocol(c_core: Any) -> None:
    ear = Ear(c_core)
    entries: dict[int, Any] = {}
    while not entries or len(entries) < next(iter(entries.values())).entries:
        first = len(entries)
        ask = bytes((0x0C,)) + (100 + first).to_bytes(4, "little") + first.to_bytes(2, "little") + b"\x08"
        for notice in ear.ask(ask)[1:-1]:
            entries[notice.report.index] = notice.report
    words: dict[tuple[str, int], str] = {}
    for entry in entries.values():  # a long text goes on in the next entry
        key = entry.kind.name, entry.code
        words[key] = words.get(key, "") + entry.text
    assert {code: text for (kind, code), text in words.items() if kind == "COMMAND"} == {
        opcode: layout.cls.__name__ for opcode, layout in COMMANDS.items()
    }
    assert {code: text for (kind, code), text in words.items() if kind == "REPORT"} == {
        opcode: layout.cls.__name__ for opcode, layout in REPORTS.items()
    }
    assert {code: text for (kind, code), text in words.items() if kind == "FAULT"} == {
        int(code): f"{text.severity.value}|{text.zh}|{text.en}" for code, text in FAULTS.items()
    }


def test_its_faults_are_those_of_the_protocol_with_their_severities(c_core: Any) -> None:
    c_core.severity_of.restype = ctypes.c_uint8
    for code, text in FAULTS.items():
        assert c_core.severity_of(ctypes.c_uint16(code)) == text.severity, code


def test_a_connection_begins_with_who_the_board_is(c_core: Any) -> None:
    ear = Ear(c_core, Settings(boot_id=99))
    ear.pair.run(0.1)
    events = ear.link.events()
    assert isinstance(events[0], Connected)
    assert events[0].boot_id == 99
    first = decode_from_board(next(event.message for event in events if isinstance(event, Received)))
    assert getattr(first, "number", None) == 1


@pytest.fixture(scope="session")
def fuzzer(c_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert c_compiler
    target = tmp_path_factory.mktemp("fuzz") / "fuzz"
    return compile_core(target, (*CORE, "fuzz.c"), *SANITIZED)


def fuzz(program: Path, seed: int, size: int) -> str:
    done = subprocess.run(
        [program, str(seed), str(size)], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize("seed", range(3))
def test_no_bytes_whatever_trouble_the_core_under_sanitizers(fuzzer: Path, seed: int) -> None:
    assert "answers" in fuzz(fuzzer, seed, 300_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
def test_no_ten_million_bytes_trouble_the_core_under_sanitizers(fuzzer: Path, seed: int) -> None:
    assert "answers" in fuzz(fuzzer, seed, 10_000_000)


def test_the_command_that_the_readme_shows_names_every_file_of_the_core() -> None:
    text = (HERE / "README.md").read_text(encoding="utf-8")
    command = text[text.index("    cc -std=c99") : text.index("    ./board-on-a-terminal")]
    assert {word for word in command.split() if word.endswith(".c")} == {*CORE, "pty.c"}
    others = {"pty.c", "shared.c", "fuzz.c"}
    assert {path.name for path in HERE.glob("*.c")} == {*CORE, *others}
