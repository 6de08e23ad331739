"""What a calibration is, for people: Chinese first, figures in mm and px."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.calibrate import Calibrated
from vision.calibrate_checks import LEAST_TILE_PX
from vision.calibrate_lens import LensFound

SEAT0 = {
    "markers": ("按角标", "by the markers"),
    "told": ("按 --seat0", "as --seat0 says"),
    "indicator": ("按翻牌的位置", "by the tile in the indicator's place"),
}


@dataclass(frozen=True, slots=True)
class Report:
    """The same as lines for people and as facts for programs."""

    lines: tuple[str, ...]
    facts: dict[str, Any]


def report(
    result: Calibrated,
    lens: LensFound | None,
    *,
    out: Path | None,
    draw: Path | None,
    folder: Path | None = None,
) -> Report:
    """What was found, and where it was written to; `folder` is the one in which table.toml lies."""
    found = result.calibration
    camera = found.rectification
    x, y, height = camera.camera_place
    lines = [
        _table(result),
        f"误差 residual: {camera.error_mm:.2f} mm, {found.error_px:.2f} px",
        _lens(result, lens),
        _camera(result, measured=lens is not None),
        f"牌宽 tile width: 最小 {result.tile_px:.0f} px at least (≥ {LEAST_TILE_PX:.0f})",
    ]
    lines.append("没有保存 not saved: -o FILE" if out is None else f"保存 saved: {out}")
    if out is not None:
        setting = json.dumps(_in_the_configuration(out, folder), ensure_ascii=False)
        lines.append(f"写进配置 in table.toml: [camera] calibration = {setting}")
    if draw is not None:
        lines.append(f"区域图 zones drawn: {draw}（请看一眼 look at it）")
    facts = {
        "by": result.by,
        "seat0_by": result.seat0_by,
        "markers": sorted(found.markers),
        "edges": len(found.edges),
        "size": list(found.size),
        "error_mm": round(camera.error_mm, 3),
        "error_px": round(found.error_px, 3),
        "distortion": list(camera.distortion) or [0.0] * 5,
        "camera_mm": [round(x, 1), round(y, 1), round(height, 1)],
        "slant": round(result.slant, 2),
        "tile_px": round(result.tile_px, 1),
        "file": None if out is None else str(out),
        "drawn": None if draw is None else str(draw),
    }
    return Report(tuple(lines), facts)


def _in_the_configuration(out: Path, folder: Path | None) -> str:
    """The path as table.toml takes it, which counts from its own folder and not from the shell's."""
    there = out.resolve()
    if folder is not None and there.is_relative_to(folder):
        return str(there.relative_to(folder))
    return str(there)


def _table(result: Calibrated) -> str:
    found = result.calibration
    zh, en = SEAT0[result.seat0_by]
    if result.by == "markers":
        numbers = ", ".join(map(str, sorted(found.markers)))
        return f"桌子 table: 角标 {numbers} markers {numbers}"
    return f"桌子 table: 台布的 {len(found.edges)} 条边 edges of the cloth; 0 号位{zh} seat 0 {en}"


def _camera(result: Calibrated, *, measured: bool) -> str:
    x, y, height = result.calibration.rectification.camera_place
    how = "（量出 measured）" if measured else "（给定 as given）"
    return (
        f"摄像头 camera: 高 height {height:.0f} mm{how}, x {x:+.0f} mm, y {y:+.0f} mm, "
        f"斜 aside {result.slant:.1f}°"
    )


def _lens(result: Calibrated, lens: LensFound | None) -> str:
    distortion = result.calibration.rectification.distortion
    if lens is not None:
        k1, k2 = lens.lens.distortion[:2]
        return (
            f"镜头 lens: k1 {k1:+.4f}, k2 {k2:+.4f}（{lens.pictures} 张图 pictures, {lens.error_px:.2f} px）"
        )
    if result.k1_error is None:
        return "镜头 lens: 看不到台布边，没有估计变形 distortion not estimated, the cloth's edges are hidden"
    if not distortion:
        return "镜头 lens: 没有变形 lines stay straight"
    return f"镜头 lens: k1 {distortion[0]:+.4f} ± {result.k1_error:.4f}"
