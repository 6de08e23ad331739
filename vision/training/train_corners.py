"""Teaches a trained namer where a tile's corners lie in a loose crop, and writes the namer's ONNX file.

    python -m vision.training.train_corners --shards FOLDER --namer namer.pt --out vision/data/namer.onnx

Only the head for the corners learns; names stay as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import torch
from torch import nn

from vision.name import REFINE_MARGIN, SIDE, crop_matrix, crop_quads, whiten
from vision.training.crops import jitter
from vision.training.nets import NamerNet
from vision.training.program import arguments, chosen, write
from vision.training.train_locator import Sample, load

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BATCH = 128
PEAK = 4e-3
SEED = 13
LEAST_SIDE = 17.0
AMOUNTS = (0.04, 0.08, 0.13)
"""How far crops are off, as in `crops.jitter`."""


def corners_in(crop_of: Floats, quad: Floats) -> Floats:
    """The training target (8,): a quad's corners in the crop of another, from where they are expected."""
    matrix = crop_matrix(crop_of, REFINE_MARGIN)
    there = cv2.perspectiveTransform(quad.reshape(-1, 1, 2) - 0.5, matrix).reshape(4, 2) + 0.5
    unit = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32) / (1 + REFINE_MARGIN)
    return (there / (SIDE / 2) - 1 - unit).astype(np.float32).ravel()


def crops_of(sample: Sample, rng: np.random.Generator) -> tuple[NDArray[np.uint8], Floats]:
    """Loose crops of a picture's tiles (N, 48, 48, 3) and their targets (N, 8)."""
    picture = cv2.imdecode(sample.data, cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError("a shard holds a picture that is no JPEG")
    loose, wanted = [], []
    for row in sample.rows:
        quad = row[2:].reshape(4, 2)
        sides = np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1)
        if row[1] < 0.9 or sides.min() < LEAST_SIDE or quad.min() < 2 or quad.max() > picture.shape[0] - 2:
            continue
        # Drawn quads may count from pixels' centres or corners: a quarter of a pixel is let pass.
        quad = np.roll(quad, 2, axis=0) if rng.random() < 0.5 else quad
        off = jitter(quad.astype(np.float64), rng, float(rng.choice(AMOUNTS))).astype(np.float32)
        loose.append(off)
        wanted.append(corners_in(off, quad))
    crops = crop_quads(picture.astype(np.uint8), np.array(loose, np.float32).reshape(-1, 4, 2), REFINE_MARGIN)
    return crops, np.array(wanted, np.float32).reshape(-1, 8)


def train(net: NamerNet, crops: NDArray[np.uint8], wanted: Floats, epochs: int) -> float:
    """Train the head; gives the last epoch's mean error in parts of a tile's side."""
    net.eval()
    for parameter in net.parameters():
        parameter.requires_grad = False
    heads = nn.ModuleList([net.edges, net.corners])
    heads.requires_grad_().train()
    rng = np.random.default_rng(SEED)
    optimiser = torch.optim.AdamW(heads.parameters(), lr=PEAK, weight_decay=0.01)
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, PEAK, total_steps=epochs * (len(crops) // BATCH) + 1
    )
    error = 0.0
    for epoch in range(epochs):
        order = rng.permutation(len(crops))
        seen = []
        for first in range(0, len(order) // BATCH * BATCH, BATCH):
            rows = order[first : first + BATCH]
            with torch.no_grad():
                early = net.early(torch.from_numpy(whiten(crops[rows])))
            out = net.corners(net.edges(early))
            loss = nn.functional.smooth_l1_loss(out, torch.from_numpy(wanted[rows]), beta=0.03)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            cycle.step()
            seen.append((out.detach() - torch.from_numpy(wanted[rows])).abs().mean().item())
        error = float(np.mean(seen)) * (1 + REFINE_MARGIN) / 2
        print(f"epoch {epoch + 1}: corners off by {100 * error:.2f} % of a side", flush=True)  # noqa: T201
    return error


def main() -> None:
    """Command line."""
    parser = arguments(__doc__, epochs=4)
    parser.add_argument("--namer", type=Path, required=True, help="the namer's weights (.pt)")
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    net = NamerNet()
    net.load_state_dict(torch.load(args.namer), strict=False)
    parts = [crops_of(sample, rng) for sample in load(chosen(args, "pictures"))]
    crops, wanted = (np.concatenate(column) for column in zip(*parts, strict=True))
    print(f"{len(crops)} loose crops", flush=True)  # noqa: T201
    train(net, crops, wanted, args.epochs)
    outputs = ["logits", "embedding", "corners"]
    write(net, torch.zeros(2, 3, SIDE, SIDE), args.out, outputs=outputs, moving={0: "n"})


if __name__ == "__main__":
    main()
