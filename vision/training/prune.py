"""Makes the weights of a namer of fewer sums out of those of a wider one, as a start for training.

    python -m vision.training.prune --shards FOLDER --start WIDE.pt --out START.pt

Of the early channels those stay whose going would change most of what reads them, and what reads them is
fitted anew on crops of the first shard. The second convolution of the residual part is split into one per
channel and one across channels, the nearest such pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from vision.name import whiten
from vision.training.nets import NamerNet
from vision.training.program import arguments, chosen
from vision.training.train_namer import load

if TYPE_CHECKING:
    from vision.training.train_namer import Samples

    Weights = dict[str, torch.Tensor]

CROPS = 1500
EARLY = ("stem.1.0.weight", *(f"stem.1.1.{n}" for n in ("weight", "bias", "running_mean", "running_var")))
READERS = {"stem.3.0.weight": (2, 1), "edges.0.0.weight": (1, 2)}
"""The convolutions that read the early channels: how far the maximum is pooled before, and their stride."""


def _early(weights: Weights, inputs: torch.Tensor) -> torch.Tensor:
    """What the wide net's first two convolutions give, at its own width."""
    x = nn.functional.pixel_unshuffle(inputs, 2)
    for layer in ("stem.0.1", "stem.1"):
        x = nn.functional.conv2d(x, weights[f"{layer}.0.weight"], padding=1)
        norm = [weights[f"{layer}.1.{n}"] for n in ("running_mean", "running_var", "weight", "bias")]
        x = torch.relu(nn.functional.batch_norm(x, *norm))
    return x


def _patches(early: torch.Tensor, pool: int, stride: int) -> torch.Tensor:
    """Rows (M, C, 9) of what a reader sees."""
    pooled = nn.functional.max_pool2d(early, pool) if pool > 1 else early
    columns = nn.functional.unfold(pooled, 3, padding=1, stride=stride)
    return columns.transpose(1, 2).reshape(-1, early.shape[1], 9)


def _kept(weights: Weights, early: torch.Tensor, count: int) -> torch.Tensor:
    """The numbers of the channels that change most of what reads them."""
    loss = torch.zeros(early.shape[1])
    for name, (pool, stride) in READERS.items():
        rows = _patches(early, pool, stride)[::7]
        rows = rows - rows.mean(dim=0)
        parts = [
            torch.einsum("mk,ok->mo", rows[:, c], weights[name][:, c].flatten(1)) for c in range(len(loss))
        ]
        spread = torch.stack([p.pow(2).mean() for p in parts])
        loss += spread / spread.sum()
    return loss.argsort(descending=True)[:count].sort().values


def _fitted(
    wide: torch.Tensor, early: torch.Tensor, kept: torch.Tensor, pool: int, stride: int
) -> torch.Tensor:
    """The filters on the kept channels whose outputs are nearest to those on all channels."""
    rows = _patches(early, pool, stride)[::7]
    rows = rows - rows.mean(dim=0)
    wanted = rows.flatten(1) @ wide.flatten(1).T
    seen = rows[:, kept].flatten(1)
    square = seen.T @ seen
    square += 1e-3 * square.diagonal().mean() * torch.eye(len(square))
    return torch.linalg.solve(square, seen.T @ wanted).T.reshape(len(wide), len(kept), 3, 3)


def _split(whole: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """One filter per channel, then one number per pair of channels, nearest to a convolution (O, I, 3, 3)."""
    u, s, v = torch.linalg.svd(whole.transpose(0, 1).flatten(2), full_matrices=False)
    root = s[:, 0].sqrt()
    return (root[:, None] * v[:, 0]).reshape(-1, 1, 3, 3), (u[:, :, 0] * root[:, None]).T[:, :, None, None]


def pruned(weights: Weights, samples: Samples) -> Weights:
    """Weights for `NamerNet` out of those of the wider one."""
    wanted = NamerNet().state_dict()
    out = {name: value.clone() for name, value in weights.items() if name in wanted}
    early = _early(weights, torch.from_numpy(whiten(samples.crops[:CROPS])))
    kept = _kept(weights, early, wanted[EARLY[0]].shape[0])
    for name in EARLY:
        out[name] = weights[name][kept]
    for name, (pool, stride) in READERS.items():
        out[name] = _fitted(weights[name], early, kept, pool, stride)
    out["residual.1.weight"], out["residual.2.weight"] = _split(weights["residual.1.weight"])
    for name in wanted:
        if name.startswith("residual.3."):
            out[name] = weights[name.replace("residual.3.", "residual.2.")].clone()
    return out


def main() -> None:
    """Command line."""
    parser = arguments(__doc__, epochs=0)
    parser.add_argument("--start", required=True, help="weights (.pt) of the wider net")
    args = parser.parse_args()
    torch.save(pruned(torch.load(args.start), load(chosen(args, "crops")[:1])), args.out)


if __name__ == "__main__":
    main()
