"""What a picture is: arrays of one shape and order everywhere, and a frame with the time it was taken."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
"""(H, W, 3), BGR, 0..255: the order OpenCV reads and writes."""

Points = npt.NDArray[np.float64]
"""(N, 2), one point a row: x right, y down, in pixels (centre of the first pixel is 0, 0) or millimetres."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of a source.

    Attributes:
        image: never written to after it was made.
        at: seconds on the reader's monotonic clock, when the picture came out of the decoder.
        number: pictures taken from this source before this one; gaps show pictures nobody had time for.
    """

    image: Image
    at: float
    number: int
