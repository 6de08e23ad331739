"""Trains the namer from shards and writes its ONNX file.

    python -m vision.training.train_namer --shards FOLDER --out vision/data/namer.onnx --epochs 3

The last shards are kept for checking and for the report; they never enter training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from vision.name import CLASSES, SIDE, whiten
from vision.training.nets import NamerNet
from vision.training.program import chosen, whole_training, write

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

BATCH = 128
PEAK = 4e-3
SEED = 7


def load(paths: list[Path]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """All crops (N, 48, 48, 3) and classes (N,) of the shards."""
    crops, classes = [], []
    for path in paths:
        with np.load(path) as shard:
            crops.append(shard["crops"])
            classes.append(shard["classes"])
    return np.concatenate(crops), np.concatenate(classes).astype(np.int64)


def even(classes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """An order of the samples for one epoch in which no class is rarer than 0.7 of an equal share."""
    counts = np.bincount(classes, minlength=CLASSES)
    share = int(0.7 * len(classes) / CLASSES)
    rare = [k for k in range(CLASSES) if 0 < counts[k] < share]
    extra = [rng.choice(np.flatnonzero(classes == k), share - counts[k]) for k in rare]
    order = np.concatenate([np.arange(len(classes)), *extra])
    rng.shuffle(order)
    return order


def accuracy(net: NamerNet, crops: NDArray[np.uint8], classes: NDArray[np.int64]) -> tuple[float, float]:
    """The part named rightly, and the temperature that fits the outputs best."""
    net.eval()
    with torch.no_grad():
        parts = [net(torch.from_numpy(whiten(crops[i : i + 512])))[0] for i in range(0, len(crops), 512)]
    logits, truth = torch.cat(parts), torch.from_numpy(classes)
    right = float((logits.argmax(1) == truth).float().mean())
    losses = {
        t: float(nn.functional.cross_entropy(logits / t, truth)) for t in (0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0)
    }
    return right, min(losses, key=losses.__getitem__)


def train(
    crops: NDArray[np.uint8], classes: NDArray[np.int64], epochs: int, start: dict[str, torch.Tensor] | None
) -> NamerNet:
    """Train: AdamW, one cycle, label smoothing; from `start` where given, else from scratch."""
    rng = np.random.default_rng(SEED)
    net = NamerNet()
    net.to(memory_format=torch.channels_last)
    if start is not None:
        net.load_state_dict(start, strict=False)
    steps = epochs * (len(even(classes, rng)) // BATCH)
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK, weight_decay=0.02)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK, total_steps=steps + 1)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.05)
    for epoch in range(epochs):
        net.train()
        order = even(classes, rng)
        seen = 0.0
        for first in range(0, len(order) // BATCH * BATCH, BATCH):
            rows = order[first : first + BATCH]
            inputs = torch.from_numpy(whiten(crops[rows])).contiguous(memory_format=torch.channels_last)
            loss = loss_of(net(inputs)[0], torch.from_numpy(classes[rows]))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            cycle.step()
            seen += loss.item()
        print(f"epoch {epoch + 1}: loss {seen / max(1, len(order) // BATCH):.3f}", flush=True)  # noqa: T201
    return net


def main() -> None:
    """Command line."""
    args = whole_training(__doc__, epochs=3)
    torch.manual_seed(SEED)
    paths = chosen(args, "crops")[: args.limit]
    held = max(1, len(paths) // 20)
    crops, classes = load(paths[:-held] or paths)
    print(f"{len(crops)} crops of {len(paths)} shards", flush=True)  # noqa: T201
    start = torch.load(args.start) if args.start else None
    net = train(crops, classes, args.epochs, start)
    right, temperature = accuracy(net, *load(paths[-held:]))
    print(f"held out: {100 * right:.2f} % right, best temperature {temperature}")  # noqa: T201
    write(
        net,
        torch.zeros(2, 3, SIDE, SIDE),
        args.out,
        outputs=["logits", "embedding", "corners"],
        moving={0: "n"},
    )


if __name__ == "__main__":
    main()
