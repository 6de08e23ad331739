"""What `longzhuo doctor` says of the camera a configuration names: pictures, light, whether it has moved."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import cv2
import numpy as np

from controller import models
from controller.app import CanNotStart, load_calibration
from controller.cli.calibrate_source import pictures
from controller.cli.doctor_checks import Check, Result, Step
from controller.config import Config, ConfigError, load_config
from vision.calibration import Calibration
from vision.images import Image
from vision.rectify import TableNotFound

DARK, BRIGHT = 55.0, 200.0
"""Mean brightness 0..255 that is too little and too much."""
DARKEST, BRIGHTEST = 12, 250
OVER_SHARE: Final = 0.02
"""Of the picture, at `BRIGHTEST` or above: there nothing can be read."""
UNDER_SHARE: Final = 0.25
FLICKER: Final = 0.04
"""By which the brightness of pictures in a row may differ, as a share."""
DRIFT_MM: Final = 1.5
LOOKS: Final = (
    ("camera", "摄像头", "camera"),
    ("light", "光线", "light"),
    ("calibration", "校准", "calibration"),
)
CALIBRATE: Final[Step] = (
    "重新校准",
    "longzhuo calibrate --config table.toml -o camera.json --draw zones.png",
)


def of_the_camera(path: Path | None) -> list[Check]:
    """Everything about the camera; not checked where no configuration names one that gives pictures."""
    try:
        config = None if path is None else load_config(path)
    except ConfigError as error:
        return _none(str(error))
    if config is None:
        return _none("没有配置 no --config table.toml")
    if isinstance(config.camera.source, str) and config.camera.source.startswith("readings:"):
        return _none(f"{config.camera.source}: 没有画面 no pictures to look at")
    try:
        taken = pictures(config.camera.source)
    except click.ClickException as error:
        todo = (("看摄像头的线、电源和 camera.source", "check the camera's cable, power and camera.source"),)
        first = Check("camera", "摄像头", "camera", Result.FAILED, (error.format_message(),), todo)
        return [first, *_none("")[1:]]
    wide, high = taken[0].shape[1], taken[0].shape[0]
    seen = Check("camera", "摄像头", f"camera {config.camera.source}: {wide} x {high}", Result.OK)
    return [seen, light(taken), place(taken[-1], config)]


def _none(why: str) -> list[Check]:
    details = ((why,) if why else (), (), ())
    return [
        Check(name, zh, en, Result.NOT_CHECKED, detail)
        for (name, zh, en), detail in zip(LOOKS, details, strict=True)
    ]


def light(taken: Sequence[Image]) -> Check:
    """Whether there is enough light, not too much, and always the same."""
    greys = [cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in taken]
    means = np.asarray([float(grey.mean()) for grey in greys])
    mean = float(means.mean())
    under, over = float((greys[-1] <= DARKEST).mean()), float((greys[-1] >= BRIGHTEST).mean())
    flicker = float(np.ptp(means) / max(mean, 1.0)) if len(means) > 1 else 0.0
    todo: list[Step] = []
    if mean < DARK or under > UNDER_SHARE:
        todo.append(
            ("太暗：加灯，或加长曝光", "too dark: more light (500 lux on the cloth), or a longer exposure")
        )
    if mean > BRIGHT or over > OVER_SHARE:
        todo.append(
            (
                "太亮或反光：减曝光，灯不要照进镜头",
                "too bright, or glare: shorter exposure, move the lamp aside",
            )
        )
    if flicker > FLICKER:
        todo.append(
            (
                "闪烁：曝光设为 10 或 20 毫秒，防闪烁设 50 Hz",
                "flicker: exposure of 10 or 20 ms, anti-flicker at 50 Hz",
            )
        )
    said = (
        f"light: mean {mean:.0f} of 255, {over:.1%} over-, {under:.1%} under-exposed, flicker {flicker:.1%}"
    )
    return Check("light", "光线", said, Result.WARNING if todo else Result.OK, (), tuple(todo))


def place(picture: Image, config: Config) -> Check:
    """Whether the camera stands where it was calibrated."""
    try:
        known = load_calibration(config)
    except CanNotStart as error:
        return Check("calibration", "校准", "calibration", Result.FAILED, (str(error),), (CALIBRATE,))
    if known is None:
        en = "calibration: none (camera.calibration); the markers are looked for at every start"
        return Check("calibration", "校准", en, Result.NOT_CHECKED, (), (CALIBRATE,))
    return drift(picture, known, config)


def drift(picture: Image, known: Calibration, config: Config) -> Check:
    """How far the camera has moved since it was calibrated."""
    geometry = models.load(config.table.model)
    try:
        moved = known.drift_mm(known.locate(picture, geometry), geometry)
    except TableNotFound as error:
        todo = (("露出四个角标，开灯", "clear the four corner markers, light on"), CALIBRATE)
        return Check(
            "calibration", "校准", "calibration: table not found", Result.FAILED, (str(error),), todo
        )
    if moved < DRIFT_MM:
        return Check(
            "calibration", "校准", f"calibration: the camera stands still ({moved:.1f} mm)", Result.OK
        )
    en = f"calibration: the camera has moved {moved:.0f} mm"
    fasten: Step = ("把摄像头固定好", "fasten the camera")
    return Check("calibration", "校准", en, Result.WARNING, (), (fasten, CALIBRATE))
