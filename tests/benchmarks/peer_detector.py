"""The peer `mahjong-detector` as a process: reads names of pictures, answers with what it found and the time.

It runs in an environment of its own that holds the peer, and imports nothing of this project. One JSON object
a line: ``{"ms": processor time, "rss_mb": most memory so far, "tiles": [[x, y, w, h, "5p"], ...]}``.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from mahjong_detector.predict import CLASS_NAMES, predict  # type: ignore[import-not-found]
from mahjong_detector.preprocess import preprocess_image  # type: ignore[import-not-found]
from PIL import Image

HONOURS = {"tou": "E", "nan": "S", "sha": "W", "pe": "N", "chun": "C", "hatsu": "F", "haku": "P"}


def most_memory_mb() -> float:
    """The most memory this process has had at once; `getrusage` would count its parent's too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        begun = time.process_time()
        # As the peer's own `detect_tiles` does, which gives names alone.
        picture, padding = preprocess_image(Image.open(line.rstrip("\n")))
        found = predict(picture, padding)
        spent = time.process_time() - begun
        tiles = [
            [
                d.x1,
                d.y1,
                d.x2 - d.x1,
                d.y2 - d.y1,
                HONOURS.get(CLASS_NAMES[d.class_id], CLASS_NAMES[d.class_id]),
            ]
            for d in found
        ]
        answer = {"ms": 1000 * spent, "rss_mb": most_memory_mb(), "tiles": tiles}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
