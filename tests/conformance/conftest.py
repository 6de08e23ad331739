"""The broken boards stand beside the tests; the reference board is compiled once."""

import ctypes
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from firmware_bridge.reference.compiled import build_library, compiler


@pytest.fixture(scope="session")
def c_compiler() -> str:
    """A C compiler; what needs one is skipped where there is none."""
    found = compiler()
    if found is None:
        pytest.skip("did not run: this machine has no C compiler for the reference board")
    return found


@pytest.fixture(scope="session")
def c_core(c_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The C core as a shared library."""
    assert c_compiler
    return build_library(tmp_path_factory.mktemp("reference"))
