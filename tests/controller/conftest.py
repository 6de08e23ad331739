"""The played evenings beside the tests, and a hand that has just begun."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:
    from test_doubts import Eyes


@pytest.fixture
def eyes() -> "Eyes":
    """Indicator 1m, so the wild tile is 2m; seat 0 is to discard."""
    from test_doubts import Eyes  # noqa: PLC0415 - pytest rewrites what is imported after the path is set

    return Eyes.begun()
