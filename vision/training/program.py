"""What the programs that train from shards share: their arguments, their shards, what they write."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from vision.training.nets import export

if TYPE_CHECKING:
    from torch import nn


def arguments(description: str | None, *, epochs: int) -> argparse.ArgumentParser:
    """The parser of a training program; `epochs` is what it runs when nothing is said."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--shards", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--first", type=int, default=0, help="use shards from this number on")
    return parser


def whole_training(
    description: str | None, *, epochs: int, files: dict[str, str] | None = None, aims: tuple[str, ...] = ()
) -> argparse.Namespace:
    """The arguments of a program that trains a whole network; sets the number of threads.

    `files`: further options that name a file, and what each is; `aims`: what the network may be for, where
    there is a choice, the first when nothing is said.
    """
    parser = arguments(description, epochs=epochs)
    if aims:
        parser.add_argument("--for", dest="aim", choices=aims, default=aims[0])
    parser.add_argument("--limit", type=int, default=1000, help="use at most this many shards")
    parser.add_argument("--start", type=Path, help="weights (.pt) to go on from")
    for option, meaning in (files or {}).items():
        parser.add_argument(option, type=Path, help=meaning)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    return args


def chosen(args: argparse.Namespace, kind: str) -> list[Path]:
    """The shards of one kind ("crops", "pictures") from `--first` on, in order."""
    paths = sorted(args.shards.glob(f"{kind}-*.npz"))
    return [path for path in paths if int(path.stem[-3:]) >= args.first]


def write(
    net: nn.Module, example: torch.Tensor, out: Path, *, outputs: list[str], moving: dict[int, str]
) -> None:
    """Write the weights (.pt) and the ONNX file beside each other, and say how large the latter is."""
    torch.save(net.state_dict(), out.with_suffix(".pt"))
    export(net, example, out, outputs=outputs, moving=moving)
    print(f"{out}: {out.stat().st_size} bytes")  # noqa: T201
