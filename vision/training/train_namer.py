"""Trains the namer from shards and writes its ONNX file.

    python -m vision.training.train_namer --shards FOLDER --out namer.onnx --epochs 3 [--start OLD.pt]
        [--teacher WIDE.onnx]

Names and corners are learned together: corners from the crops of solids that tell them. A teacher, an older
network, is followed in the crops that it names rightly. The last shard of each kind is kept for checking and
for the report; it never enters training.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from vision.name import CLASSES, NOT_A_TILE, SIDE, Namer, whiten
from vision.training.nets import NamerNet
from vision.training.program import chosen, whole_training, write

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

BATCH = 128
PEAK = 2e-3
SEED = 7
SOLID_SHARE = 0.5
"""Part of each batch that is of solids."""
CORNERS = 2.0
"""Weight of the corners beside the names."""
NO_TILES = 2.0
"""How much more often than a tile's class what is no tile is shown: it looks like anything."""
TAUGHT, HINTED = 1.0, 0.3
"""Weights of the teacher's probabilities and of its embedding beside the names."""
KEEP = 0.995
"""The written weights are a running mean of those along the training, with this memory."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Crops (N, 48, 48, 3), classes (N,), corners (N, 8), NaN where they are not told."""

    crops: NDArray[np.uint8]
    classes: NDArray[np.int64]
    corners: NDArray[np.float32]

    def draw(self, count: int, rng: np.random.Generator) -> Samples:
        """Some of the samples, every class about as often, but one of few samples less, no tiles more."""
        counts = np.bincount(self.classes, minlength=CLASSES)
        odds = np.sqrt(np.clip(counts * CLASSES / len(self.classes), 0.35, 1.0)) * (counts > 0)
        odds[NOT_A_TILE] *= NO_TILES
        weights = (odds / np.maximum(counts, 1))[self.classes]
        rows = np.searchsorted(np.cumsum(weights), rng.random(count) * weights.sum())
        return self.at(np.minimum(rows, len(self.classes) - 1))

    def at(self, rows: NDArray[np.int64]) -> Samples:
        """The samples of some rows."""
        return Samples(self.crops[rows], self.classes[rows], self.corners[rows])


def together(parts: list[Samples]) -> Samples:
    """Several in one."""
    columns = ((p.crops, p.classes, p.corners) for p in parts)
    return Samples(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def load(paths: list[Path]) -> Samples:
    """All samples of the shards."""
    parts = []
    for path in paths:
        with np.load(path) as shard:
            classes = shard["classes"].astype(np.int64)
            told = shard["corners"] if "corners" in shard else np.full((len(classes), 8), np.nan, np.float32)
            parts.append(Samples(shard["crops"], classes, told))
    return together(parts)


def accuracy(net: NamerNet, samples: Samples) -> tuple[float, float]:
    """The part named rightly, and the temperature that fits the outputs best."""
    net.eval()
    crops = samples.crops
    with torch.no_grad():
        parts = [net(torch.from_numpy(whiten(crops[i : i + 512])))[0] for i in range(0, len(crops), 512)]
    logits, truth = torch.cat(parts), torch.from_numpy(samples.classes)
    right = float((logits.argmax(1) == truth).float().mean())
    losses = {
        t: float(nn.functional.cross_entropy(logits / t, truth)) for t in (0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0)
    }
    return right, min(losses, key=losses.__getitem__)


def _loss(net: NamerNet, batch: Samples, names: nn.Module, teacher: Namer | None) -> torch.Tensor:
    inputs = torch.from_numpy(whiten(batch.crops)).contiguous(memory_format=torch.channels_last)
    logits, embedding, corners = net(inputs)
    loss: torch.Tensor = names(logits, torch.from_numpy(batch.classes))
    told = np.isfinite(batch.corners[:, 0])
    if told.any():
        wanted = torch.from_numpy(batch.corners[told])
        off = nn.functional.smooth_l1_loss(corners[torch.from_numpy(told)], wanted, beta=0.03)
        loss = loss + CORNERS * off
    if teacher is not None:
        shown, hint = (torch.from_numpy(part) for part in teacher.outputs(batch.crops))
        right = shown.argmax(1) == torch.from_numpy(batch.classes)
        chances = nn.functional.log_softmax(logits[right], dim=1)
        taught = nn.functional.kl_div(chances, shown[right].softmax(1), reduction="batchmean")
        hinted = nn.functional.mse_loss(embedding[right], hint[right]) / hint.var()
        loss = loss + TAUGHT * taught + HINTED * hinted
    return loss


def _follow(mean: nn.Module, net: nn.Module, step: int) -> None:
    """Move the running mean of the weights a step on; it forgets faster at first."""
    memory = min(KEEP, (1 + step) / (10 + step))
    with torch.no_grad():
        for old, new in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
            if old.dtype.is_floating_point:
                old.lerp_(new, 1 - memory)
            else:
                old.copy_(new)


def train(
    kinds: list[Samples], steps: int, start: dict[str, torch.Tensor] | None, teacher: Namer | None
) -> NamerNet:
    """Train: AdamW, one cycle, label smoothing; from `start` where given, else from scratch.

    `kinds`: samples of flat crops, then of solids; a batch is made of both. `teacher`: a namer to follow.
    """
    rng = np.random.default_rng(SEED)
    net = NamerNet()
    net.to(memory_format=torch.channels_last)
    if start is not None:
        net.load_state_dict(start, strict=False)
    mean = copy.deepcopy(net)
    net.train()
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK, weight_decay=0.02)
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, PEAK, total_steps=steps + 1, pct_start=0.15, div_factor=5
    )
    names = nn.CrossEntropyLoss(label_smoothing=0.05)
    solid = round(BATCH * SOLID_SHARE)
    counts = (BATCH,) if len(kinds) == 1 else (BATCH - solid, solid)
    seen = 0.0
    for step in range(steps):
        batch = together([kind.draw(n, rng) for kind, n in zip(kinds, counts, strict=True)])
        loss = _loss(net, batch, names, teacher)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        cycle.step()
        _follow(mean, net, step)
        seen += loss.item()
        if step % 200 == 199:
            print(f"step {step + 1} of {steps}: loss {seen / 200:.3f}", flush=True)  # noqa: T201
            seen = 0.0
    return mean


def main() -> None:
    """Command line."""
    older = {"--teacher": "an older network (.onnx) to follow where it is right"}
    args = whole_training(__doc__, epochs=3, files=older)
    torch.manual_seed(SEED)
    kinds = [paths[: args.limit] for paths in (chosen(args, "crops"), chosen(args, "solids")) if paths]
    samples = [load(paths[:-1] or paths) for paths in kinds]
    count = sum(len(s.classes) for s in samples)
    print(f"{count} crops of {sum(len(paths) for paths in kinds)} shards", flush=True)  # noqa: T201
    start = torch.load(args.start) if args.start else None
    teacher = Namer(args.teacher.read_bytes()) if args.teacher else None
    net = train(samples, max(1, args.epochs * count // BATCH), start, teacher)
    right, temperature = accuracy(net, load([paths[-1] for paths in kinds]))
    print(f"held out: {100 * right:.2f} % right, best temperature {temperature}")  # noqa: T201
    net.eval()
    example = torch.zeros(2, 3, SIDE, SIDE)
    write(net, example, args.out, outputs=["logits", "embedding", "corners"], moving={0: "n"})


if __name__ == "__main__":
    main()
