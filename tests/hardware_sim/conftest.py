"""The simulated table's tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # what a controller has understood stands beside the tests
