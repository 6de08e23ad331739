"""What the networks were trained on: nothing of the simulator, and every source is named."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRAINING = sorted((ROOT / "vision" / "training").glob("*.py"))
HAS_TORCH = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("PIL") is not None
PROVENANCE = (ROOT / "vision" / "data" / "PROVENANCE.md").read_text(encoding="utf-8")


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def test_no_training_picture_comes_from_the_simulator() -> None:
    assert len(TRAINING) > 8
    for path in TRAINING:
        assert not any(name.split(".")[0] == "hardware_sim" for name in imported(path)), path.name
        reads_it = "hardware_sim" in path.read_text(encoding="utf-8")
        assert not reads_it, f"{path.name} speaks of hardware_sim"


def test_the_simulators_typefaces_stay_unseen() -> None:
    source = (ROOT / "vision" / "training" / "synth.py").read_text(encoding="utf-8")
    assert '"NotoSerifCJK"' in source


@pytest.mark.parametrize(
    "word", ["CC BY 4.0", "hk-green", "jp-tray", "CC0", "riichimahjongdetection", "seed"]
)
def test_the_provenance_names_every_source(word: str) -> None:
    assert word in PROVENANCE


def test_all_networks_together_are_small() -> None:
    data = files("vision.data")
    names = ("namer.onnx", "locator.onnx", "locator_any.onnx")
    sizes = [len(data.joinpath(name).read_bytes()) for name in names]
    assert sum(sizes) <= 2_000_000


@pytest.mark.skipif(
    not HAS_TORCH, reason="did not run: PyTorch and Pillow (the training extra) are not installed"
)
@pytest.mark.timeout(600)
def test_a_smoke_training_writes_two_networks_that_load(tmp_path: Path) -> None:
    program = f"""
from pathlib import Path
import numpy as np
from vision.training import shards, train_locator, train_namer, views
import sys
out = Path({str(tmp_path)!r})
shards.SCENES, shards.SOLIDS, shards.POINTED, shards.NOTHING = 3, 150, 2, 80
shards.make_crops(0, [], out)
shards.make_solids(0, [], out)
shards.make_pointed(1, [], out)
shards.make_nothing(1, [], out)
assert set(np.load(out / "crops-001.npz")["classes"].tolist()) == {{43}}
assert np.isin(np.load(out / "solids-001.npz")["classes"], (18, *range(27, 43))).mean() > 0.7
views.make_shard(0, [], out, counts=(12, 0))
told = np.load(out / "solids-000.npz")["corners"]
assert told.shape[1] == 8 and 0.2 < np.isfinite(told).mean() < 0.7
assert np.nanmax(np.abs(told)) < 1
for module, name in ((train_namer, "namer"), (train_locator, "locator")):
    sys.argv = ["train", "--shards", str(out), "--out", str(out / f"{{name}}.onnx"), "--epochs", "1"]
    sys.argv += ["--teacher", "vision/data/namer.onnx"] if name == "namer" else []
    module.main()
from vision.find import Finder
from vision.name import Namer
Finder((out / "locator.onnx").read_bytes()), Namer((out / "namer.onnx").read_bytes())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
