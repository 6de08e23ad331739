"""Trains the locator from shards and writes its ONNX file.

python -m vision.training.train_locator --shards FOLDER --out locator_any.onnx --epochs 4
python -m vision.training.train_locator --shards FOLDER --out locator.onnx --for tables --start OLD.pt
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
import torch
from torch import nn

from vision.find import as_input
from vision.find_peaks import CELL
from vision.training.clutter import marker
from vision.training.nets import LocatorNet
from vision.training.program import chosen, whole_training, write
from vision.training.scenes import BACK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BATCH = 16
PEAK, LATER = 3e-3, 1.2e-3
"""Highest learning rates: from scratch, and from weights that are good already (`--start`)."""
SEED = 11
WINDOW = 192
"""Side of the part of a picture that one step sees, px."""
SEEN, HIDDEN = 0.5, 0.15
"""Tiles seen at least this much are to be found; hidden ones are not; between them nothing is asked."""
THIN = 0.75
"""Faces of which half the shorter axis is less than this many quarters are not asked for."""
FACE = 10
"""Numbers of a label that tell of its face; the box's follow where the shard has them."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What a locator is for: the sizes it is shown, px, and what counts.

    Attributes:
        short: short side of the tiles in most of what a step sees.
        other: so it is in the rest of it: tiles of other sizes are left to passes at other scales.
        others: how often.
        large: from which to which short side a tile ceases to be asked for; between them all is right.
        small: the same for tiles' long sides, from where none is asked for to where all are.
        shape: how much the shapes count beside the centres.
        above: whether only pictures count on which all tiles are seen from above, as on a table.
    """

    short: tuple[float, float]
    other: tuple[float, float]
    others: float
    large: tuple[float, float]
    small: tuple[float, float]
    shape: float
    above: bool


AIMS = {
    "photographs": Aim((13.0, 27.0), (6.0, 64.0), 0.3, (28.0, 32.0), (11.0, 14.0), 5.0, above=False),
    "tables": Aim((18.0, 30.0), (11.0, 45.0), 0.1, (36.0, 42.0), (16.0, 22.0), 10.0, above=True),
}
"""Photographs are read at many scales, tables at the one that `vision.find.CANONICAL` tells."""
LONG = (1.12, 1.6)
"""How much longer than wide faces are where the camera looks down on them ..."""
MOST = 0.6
"""... and at least so many of those that are seen; the others stand."""
ALIKE = 1.2
"""There, the largest ones are at most so many times as wide as the smallest ones."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One picture: JPEG bytes, label rows (tile, visible, 8 corner numbers), where labels hold (H/4, W/4).

    `boxes` (N, 4): x0, y0, x1, y1 around all that is seen of each tile; nan where nobody knows.
    """

    data: NDArray[np.uint8]
    rows: Floats
    valid: NDArray[np.uint8]
    boxes: Floats


def load(paths: list[Path]) -> list[Sample]:
    """All samples of the shards."""
    out = []
    for path in paths:
        with np.load(path) as shard:
            data, labels, valid = shard["data"], shard["labels"], shard["valid"]
            ends, label_ends = (np.concatenate([[0], shard[k]]).astype(int) for k in ("ends", "label_ends"))
            for k in range(len(valid)):
                rows = labels[label_ends[k] : label_ends[k + 1]]
                known = rows.shape[1] > FACE
                boxes = rows[:, FACE:] if known else np.full((len(rows), 4), np.nan, np.float32)
                out.append(Sample(data[ends[k] : ends[k + 1]], rows[:, :FACE], valid[k], boxes))
    return out


def from_above(sample: Sample) -> bool:
    """Whether a camera above saw the picture: its faces are about as large, and as long as faces are."""
    quads = sample.rows[sample.rows[:, 1] > SEEN, 2:].reshape(-1, 4, 2)
    if not len(quads):
        return False
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
    pairs = np.sort((sides[:, :2] + sides[:, 2:]) / 2, axis=1)
    long = pairs[:, 1] / np.maximum(pairs[:, 0], 1.0)
    lying = (long > LONG[0]) & (long < LONG[1])
    if lying.mean() < MOST:
        return False
    low, high = np.percentile(pairs[lying, 0], (10, 90))
    return float(high) < ALIKE * float(low)


def shape_of(quad: Floats) -> Floats:
    """The eight shape numbers of a quad in cells; the first two, the centre's fraction, are the caller's."""
    up = (quad[3] - quad[0] + quad[2] - quad[1]) / 4
    across = (quad[1] - quad[0] + quad[2] - quad[3]) / 4
    out = [0.0, 0.0]
    for axis in (up, across):
        turn = 2 * np.arctan2(axis[1], axis[0])
        out += [np.cos(turn), np.sin(turn), np.log(max(0.2, float(np.hypot(*axis))))]
    return np.array(out, np.float32)


def box_of(box: Floats, centre: Floats) -> Floats:
    """The four numbers of a box x0, y0, x1, y1 in cells, seen from a face's centre."""
    middle, half = ((box[2:] + box[:2]) / 2 - centre, np.maximum((box[2:] - box[:2]) / 2, 0.2))
    return np.array([*middle, *np.log(half)], np.float32)


def _matrix(sample: Sample, rng: np.random.Generator, aim: Aim) -> Floats:
    """A random window of a sample as an affine map (2, 3): its tiles get a size, turned by quarters."""
    quads = sample.rows[:, 2:].reshape(-1, 4, 2)
    seen = quads[sample.rows[:, 1] > SEEN]
    sides = np.linalg.norm(seen - np.roll(seen, 1, axis=1), axis=2).min(axis=1)
    short = float(np.median(sides)) if len(sides) else 24.0
    wanted = rng.uniform(*aim.short) if rng.random() > aim.others else np.exp(rng.uniform(*np.log(aim.other)))
    factor = float(np.clip(wanted / max(short, 1.0), 0.25, 3.0))
    turn = float(rng.integers(4)) * np.pi / 2
    side = 4.0 * sample.valid.shape[0]
    near = len(seen) > 0 and rng.random() < 0.8
    centre = seen[int(rng.integers(len(seen)))].mean(axis=0) if near else rng.uniform(0, side, 2)
    c, s = factor * np.cos(turn), factor * np.sin(turn)
    linear = np.array([(c, -s), (s, c)])
    to = rng.uniform(0.2, 0.8, 2) * WINDOW
    return np.hstack([linear, (to - linear @ centre)[:, None]]).astype(np.float32)


def _lay_markers(window: NDArray[np.uint8], tiles: Floats, rng: np.random.Generator, largest: float) -> None:
    """Lay some markers where no tile lies: they are what looks most like one."""
    for _ in range(int(rng.integers(0, 9))):
        side = float(rng.uniform(0.6, 1.6) * largest)
        at = rng.uniform(0, WINDOW, 2)
        if len(tiles) == 0 or np.abs(tiles - at).max(axis=1).min() > side + 1.1 * largest:
            marker(window, rng, (float(at[0]), float(at[1])), side)


def _rule_lines(window: NDArray[np.uint8], quads: Floats, rng: np.random.Generator, largest: float) -> None:
    """Rule lines on the cloth, in pairs a tile apart: a table's slots, which bare cloth turns into backs."""
    ruled = window.copy()
    for _ in range(int(rng.integers(0, 4))):
        a, gap = rng.uniform(0, np.pi), rng.uniform(0.7, 2.2) * largest
        along, aside = (np.array((np.cos(a), np.sin(a))), np.array((-np.sin(a), np.cos(a))))
        middle, half = rng.uniform(0, WINDOW, 2), rng.uniform(1, 9) * largest
        corners = [
            middle + s * half * along + t * gap / 2 * aside for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        shade = float(rng.uniform(0, 70)) if rng.random() < 0.8 else float(rng.uniform(120, 255))
        px = np.round(np.array(corners)).astype(np.int32)
        cv2.polylines(ruled, [px], isClosed=True, color=(shade,) * 3, thickness=int(rng.integers(1, 4)))
    free = np.full(window.shape[:2], 255, np.uint8)
    for quad in quads:
        grown = quad.mean(axis=0) + (quad - quad.mean(axis=0)) * 1.5
        cv2.fillConvexPoly(free, np.round(grown).astype(np.int32), 0.0)
    mixed = cv2.addWeighted(ruled, 0.75, window, 0.25, 0.0)
    window[free > 0] = mixed[free > 0]


def windowed(sample: Sample, rng: np.random.Generator, aim: Aim) -> tuple[NDArray[np.uint8], Sample]:
    """A random window (WINDOW, WINDOW, 3) of a sample's picture, and the labels moved with it."""
    picture = cv2.imdecode(sample.data, cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError("a shard holds a picture that is no JPEG")
    matrix = _matrix(sample, rng, aim)
    window = cv2.warpAffine(picture, matrix, (WINDOW, WINDOW), borderMode=cv2.BORDER_REPLICATE).astype(
        np.uint8
    )
    rows = sample.rows.copy()
    quads = sample.rows[:, 2:].reshape(-1, 4, 2) @ matrix[:, :2].T + matrix[:, 2]
    _rule_lines(window, quads, rng, aim.short[1])
    _lay_markers(window, quads.mean(axis=1), rng, aim.short[1])
    cut = (rows[:, 2:].min(axis=1) < -2) | (rows[:, 2:].max(axis=1) > picture.shape[0] + 2)
    rows[cut, 1] = np.minimum(rows[cut, 1], (SEEN + HIDDEN) / 2)
    rows[:, 2:] = (rows[:, 2:].reshape(-1, 2) @ matrix[:, :2].T + matrix[:, 2]).reshape(-1, 8)
    cells = matrix.copy()
    cells[:, 2] /= CELL
    size = (WINDOW // CELL, WINDOW // CELL)
    valid = cv2.warpAffine(sample.valid, cells, size, flags=cv2.INTER_NEAREST)
    known = np.where(np.isfinite(sample.boxes), sample.boxes, np.nan)
    ends = known.reshape(-1, 2, 2) @ matrix[:, :2].T + matrix[:, 2]
    boxes = np.hstack([ends.min(axis=1), ends.max(axis=1)]).astype(np.float32)
    return window, Sample(sample.data, rows, valid.astype(np.uint8), boxes)


def targets(sample: Sample, aim: Aim) -> tuple[Floats, Floats, Floats]:
    """Heat (2, H, W) with 1 at centres; shape (12, H, W), then weights of both; the loss mask."""
    high, wide = sample.valid.shape
    heat, shape = (np.zeros((2, high, wide), np.float32), np.zeros((14, high, wide), np.float32))
    mask = (sample.valid > 0).astype(np.float32)
    for row, box in zip(sample.rows, sample.boxes, strict=True):
        quad = row[2:].reshape(4, 2) / CELL
        centre = quad.mean(axis=0)
        if not (-1 < centre[0] < wide and -1 < centre[1] < high):
            continue
        numbers = shape_of(quad)
        half, long = (float(np.exp(f(numbers[4], numbers[7]))) for f in (min, max))
        short, long = 2 * CELL * half, 2 * CELL * long
        if row[1] < HIDDEN or short > aim.large[1] or long < aim.small[0]:
            continue
        if row[1] < SEEN or half < THIN or short > aim.large[0] or long < aim.small[1]:
            ignored = np.zeros(mask.shape, np.uint8)
            cv2.fillConvexPoly(ignored, np.round(quad).astype(np.int32), 1.0)
            mask[ignored > 0] = 0.0
            continue
        numbers = np.concatenate([numbers, box_of(box / CELL, centre)])
        _splat(heat[int(row[0] == BACK)], shape, centre, numbers, half)
    return heat, shape, mask


def _splat(heat: Floats, shape: Floats, centre: Floats, numbers: Floats, half: float) -> None:
    high, wide = heat.shape
    sigma = max(0.65, 0.35 * half)
    r = int(3 * sigma) + 1
    # Cell k is centred on (k + 0.5); centres are given in the same continuous measure.
    cx, cy = centre[0] - 0.5, centre[1] - 0.5
    x0, x1 = max(0, round(cx) - r), min(wide, round(cx) + r + 1)
    y0, y1 = max(0, round(cy) - r), min(high, round(cy) + r + 1)
    if x0 >= x1 or y0 >= y1:
        return
    y, x = np.mgrid[y0:y1, x0:x1].astype(np.float32)
    g = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * sigma**2))
    px, py = min(max(round(cx), 0), wide - 1), min(max(round(cy), 0), high - 1)
    g[py - y0, px - x0] = 1.0
    part = heat[y0:y1, x0:x1]
    np.maximum(part, g, out=part)
    area = shape[:, y0:y1, x0:x1]
    better = (g > area[12]) & (g > 0.35)
    known = bool(np.isfinite(numbers[8:]).all())
    rest = np.broadcast_to(np.nan_to_num(numbers[2:])[:, None, None], (10, *g.shape))
    stack = np.stack([cx - x, cy - y, *rest, g, g * known])
    area[:, better] = stack[:, better]


def batch_of(samples: list[Sample], rng: np.random.Generator, aim: Aim) -> tuple[torch.Tensor, ...]:
    """Inputs and targets of a batch: a random window of each picture in a random light."""
    inputs, heats, shapes, masks = [], [], [], []
    for sample in samples:
        picture, moved = windowed(sample, rng, aim)
        gain = rng.uniform(0.7, 1.3) * rng.uniform(0.85, 1.15, 3)
        lit = np.clip(picture * gain, 0, 255).astype(np.uint8)
        heat, shape, mask = targets(moved, aim)
        inputs.append(as_input(lit)[0])
        heats.append(heat)
        shapes.append(shape)
        masks.append(mask)
    return tuple(torch.from_numpy(np.stack(a)) for a in (inputs, heats, shapes, masks))


def loss_of(raw: torch.Tensor, wanted: tuple[torch.Tensor, ...], aim: Aim) -> torch.Tensor:
    """Focal loss on the centres plus weighted L1 on the shapes near them; `wanted`: heat, shape, mask."""
    heat, shape, mask = wanted
    out = nn.functional.pixel_shuffle(raw, 2)
    p = torch.sigmoid(out[:, :2]).clamp(1e-4, 1 - 1e-4)
    centre = (heat == 1).float()
    wanted = -centre * (1 - p) ** 2 * torch.log(p)
    other = -(1 - centre) * (1 - heat) ** 4 * p**2 * torch.log(1 - p)
    count = centre.sum().clamp(min=1)
    focal = ((wanted + other) * mask[:, None]).sum() / count
    weight = shape[:, 12:] * mask[:, None]
    weights = torch.cat([weight[:, :1].expand(-1, 8, -1, -1), weight[:, 1:].expand(-1, 4, -1, -1)], dim=1)
    scale = torch.tensor([1.0, 1.0, 0.7, 0.7, 1.5, 0.7, 0.7, 1.5, 0.5, 0.5, 1.5, 1.5]).view(1, 12, 1, 1)
    distance = nn.functional.smooth_l1_loss(out[:, 2:], shape[:, :12], reduction="none", beta=0.1)
    return focal + aim.shape * (distance * weights * scale).sum() / weight[:, 0].sum().clamp(min=1)


def train(
    samples: list[Sample],
    epochs: int,
    rng: np.random.Generator,
    *,
    aim: Aim,
    start: dict[str, torch.Tensor] | None,
) -> Iterator[LocatorNet]:
    """Train: AdamW, one cycle; from `start` where given, else from scratch; gives the network each epoch."""
    net = LocatorNet()
    net.to(memory_format=torch.channels_last)
    if start is not None:
        net.load_state_dict(start)
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK, weight_decay=0.01)
    steps = epochs * (len(samples) // BATCH)
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, PEAK if start is None else LATER, total_steps=steps + 1
    )
    for epoch in range(epochs):
        net.train()
        seen = 0.0
        order = rng.permutation(len(samples))
        for k in range(0, len(order) // BATCH * BATCH, BATCH):
            inputs, heat, shape, mask = batch_of([samples[i] for i in order[k : k + BATCH]], rng, aim)
            loss = loss_of(
                net(inputs.contiguous(memory_format=torch.channels_last)), (heat, shape, mask), aim
            )
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimiser.step()
            cycle.step()
            seen += loss.item()
        print(f"epoch {epoch + 1}: loss {seen / max(1, len(order) // BATCH):.3f}", flush=True)  # noqa: T201
        yield net


def main() -> None:
    """Command line."""
    args = whole_training(__doc__, epochs=4, aims=tuple(AIMS))
    cv2.setNumThreads(1)
    torch.manual_seed(SEED)
    paths = chosen(args, "pictures")[: args.limit]
    aim = AIMS[args.aim]
    samples = [one for one in load(paths) if from_above(one) or not aim.above]
    print(f"{len(samples)} pictures of {len(paths)} shards", flush=True)  # noqa: T201
    start = torch.load(args.start) if args.start else None
    net = LocatorNet()
    for net in train(samples, args.epochs, np.random.default_rng(SEED), aim=aim, start=start):
        torch.save(net.state_dict(), args.out.with_suffix(".pt"))
    write(net, torch.zeros(1, 3, 320, 320), args.out, outputs=["map"], moving={0: "n", 2: "h", 3: "w"})


if __name__ == "__main__":
    main()
