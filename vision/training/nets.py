"""The two networks, in PyTorch, and their export to single-file ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from pathlib import Path

from vision.name import CLASSES, SIDE

HEADS = 10


def block(inputs: int, outputs: int, *, kernel: int = 3, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    """Convolution, batch norm, ReLU; the size is kept at stride 1."""
    reach = dilation * (kernel - 1) // 2
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, reach, dilation, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


class NamerNet(nn.Module):  # type: ignore[misc, unused-ignore]
    """(N, 3, 48, 48) to logits (N, 44), an embedding (N, 128) and corners (N, 8).

    The corners are how far the tile's TL, TR, BR, BL (x, y each) lie from where a crop of margin
    `vision.name.REFINE_MARGIN` expects them, as parts of half the crop's side.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Sequential(nn.PixelUnshuffle(2), block(12, 16)), block(16, 32), nn.MaxPool2d(2), block(32, 64)
        )
        self.residual = nn.Sequential(
            block(64, 64), nn.Conv2d(64, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64)
        )
        self.top = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2), block(64, 96))
        self.narrow = block(96, 40, kernel=1)
        self.embed = nn.Sequential(nn.Linear(40 * (SIDE // 8) ** 2 + 96, 128), nn.BatchNorm1d(128), nn.ReLU())
        self.drop = nn.Dropout(0.15)
        self.out = nn.Linear(128, CLASSES)
        self.edges = nn.Sequential(
            block(32, 14, stride=2),
            block(14, 14, stride=2),
            nn.Flatten(),
            nn.Linear(14 * (SIDE // 8) ** 2, 24),
        )
        self.corners = nn.Sequential(nn.ReLU(), nn.Linear(24, 8))

    def early(self, x: torch.Tensor) -> torch.Tensor:
        """The features (N, 32, 24, 24) that naming and corners share."""
        out: torch.Tensor = self.stem[1](self.stem[0](x))
        return out

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits, embedding, corners."""
        early = self.early(x)
        corners = self.corners(self.edges(early))
        x = self.stem[3](self.stem[2](early))
        x = self.top(x + self.residual(x))
        flat = torch.cat([self.narrow(x).flatten(1), x.mean(dim=(2, 3))], dim=1)
        embedding = self.embed(flat)
        return self.out(self.drop(embedding)), embedding, corners


class LocatorNet(nn.Module):  # type: ignore[misc, unused-ignore]
    """(N, 3, H, W) to (N, 10, H/4, W/4); H and W are multiples of 8.

    Channels: logits of a face's and of a back's centre; dx, dy in cells; cos 2a, sin 2a and log of half the
    length of the tile's upright axis in cells; the same of its cross axis.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(block(3, 16, stride=2), block(16, 28, stride=2), block(28, 28))
        self.coarse = nn.Sequential(
            block(28, 44, stride=2),
            block(44, 44),
            block(44, 44, dilation=2),
            block(44, 44, dilation=4),
            block(44, 44),
            nn.Upsample(scale_factor=2, mode="nearest"),
        )
        self.merge = block(44 + 28, 32)
        self.out = nn.Conv2d(32, HEADS, 1)
        nn.init.constant_(self.out.bias[:2], -4.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Heat maps and shapes."""
        fine = self.fine(x)
        out: torch.Tensor = self.out(self.merge(torch.cat([fine, self.coarse(fine)], dim=1)))
        return out


def export(
    net: nn.Module, example: torch.Tensor, path: Path, *, outputs: list[str], moving: dict[int, str]
) -> None:
    """Write one ONNX file; `moving` names the input axes that may change."""
    net.to(memory_format=torch.contiguous_format).eval()
    torch.onnx.export(
        net,
        (example,),
        str(path),
        input_names=["image"],
        output_names=outputs,
        dynamic_axes=dict.fromkeys(("image", *outputs), moving),
        dynamo=False,
        opset_version=17,
    )
