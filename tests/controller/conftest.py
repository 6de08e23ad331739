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
    from evening import Evening  # noqa: PLC0415 - pytest rewrites what is imported after the path is set
    from test_doubts import Eyes  # noqa: PLC0415

    evening = Evening(0)
    evening.prepare((3, 4))
    eyes = Eyes(evening)
    eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    return eyes
