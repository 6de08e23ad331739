"""Laws are checked by number of cases, not by the time of a busy machine; the C core is compiled once."""

import ctypes
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))  # the talking board beside the tests

from firmware_bridge.reference.compiled import build_library, build_terminal, compiler

settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")


@pytest.fixture(scope="session")
def c_compiler() -> str:
    """A C compiler; tests of the C core are skipped where there is none."""
    found = compiler()
    if found is None:
        pytest.skip("did not run: this machine has no C compiler for the reference board")
    return found


@pytest.fixture(scope="session")
def c_core(c_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The C core as a shared library, for ``CoreLink`` and ``CoreBoard``."""
    assert c_compiler
    return build_library(tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="session")
def c_terminal(c_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that plays the C board on a pseudo-terminal."""
    assert c_compiler
    return build_terminal(tmp_path_factory.mktemp("terminal"))
