"""The two networks, in PyTorch, and their export to single-file ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import onnx.numpy_helper
import torch
from torch import nn

if TYPE_CHECKING:
    from pathlib import Path

from vision.name import CLASSES, SIDE

HEADS = 14


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
            nn.Sequential(nn.PixelUnshuffle(2), block(12, 16)), block(16, 24), nn.MaxPool2d(2), block(24, 64)
        )
        # `cv2.dnn` runs a 3 x 3 on 64 channels or more at half the price: the others are few or split.
        self.residual = nn.Sequential(
            block(64, 64),
            nn.Conv2d(64, 64, 3, 1, 1, groups=64, bias=False),
            nn.Conv2d(64, 64, 1, bias=False),
            nn.BatchNorm2d(64),
        )
        self.top = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2), block(64, 96))
        self.narrow = block(96, 40, kernel=1)
        self.embed = nn.Sequential(nn.Linear(40 * (SIDE // 8) ** 2 + 96, 128), nn.BatchNorm1d(128), nn.ReLU())
        self.drop = nn.Dropout(0.15)
        self.out = nn.Linear(128, CLASSES)
        self.edges = nn.Sequential(
            block(24, 14, stride=2),
            block(14, 14, stride=2),
            nn.Flatten(),
            nn.Linear(14 * (SIDE // 8) ** 2, 24),
        )
        self.corners = nn.Sequential(nn.ReLU(), nn.Linear(24, 8))

    def early(self, x: torch.Tensor) -> torch.Tensor:
        """The features (N, 24, 24, 24) that naming and corners share."""
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
    """(N, 3, H, W) to (N, 4 x 14, H/8, W/8); H and W are multiples of 8.

    A channel's four are the quarters of a cell of 8 x 8 px (`nn.PixelShuffle(2)` lays them out). Channels:
    logits of a face's and of a back's centre; dx, dy in quarters; cos 2a, sin 2a and log of half the length
    of the tile's upright axis in quarters; the same of its cross axis; of the box around all that is seen of
    the tile the middle from the face's centre, x and y, and the logs of half its width and height.

    Few, plain layers: 3 x 3 at stride 1 are what `cv2.dnn` runs fastest.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(block(3, 24, kernel=7, stride=4), block(24, 24))
        self.down = block(24, 48, stride=2)
        self.first = nn.Sequential(block(48, 48), block(48, 48))
        self.second = nn.Sequential(block(48, 48), block(48, 48))
        self.out = nn.Conv2d(48, 4 * HEADS, 1)
        nn.init.constant_(self.out.bias[:8], -4.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Heat maps and shapes."""
        x = self.down(self.fine(x))
        x = x + self.first(x)
        out: torch.Tensor = self.out(x + self.second(x))
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


def halve(path: Path, out: Path) -> None:
    """Write a network with 16 bit weights: half the size; outputs differ by some thousandths."""
    model = onnx.load(str(path))
    for weights in model.graph.initializer:
        _halved(weights)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "value":
                _halved(attribute.t)
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        if value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    onnx.save(model, str(out))


def _halved(tensor: onnx.TensorProto) -> None:
    if tensor.data_type == onnx.TensorProto.FLOAT:
        values = onnx.numpy_helper.to_array(tensor).astype("float16")
        tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))
