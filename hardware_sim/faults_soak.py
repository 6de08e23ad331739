"""The faults of a soak run: those of the list, spread by chance over the hands of many tables. Pure.

A camera's fault lasts in the clock's seconds; where pictures are read that has to be longer than where
readings come ready made and everything is faster.
"""

from typing import Final

LINK: Final = (
    "drop=0.02,flip=0.01,duplicate=0.01,unplug=0.3@hand*+15s:p=0.08,unplug=0.2@cycle*+3s:p=0.05,"
    "renumber@hand*+40s:p=0.04,stall=0.4@hand*+60s:p=0.04,half-open=to_host@raise*:for=0.4:p=0.03"
)
BOARD: Final = (
    "jam=1@cycle*+6s:p=0.08,head-jam=2@cycle*+5s:p=0.04,missing@push*:p=0.08,HAT-04@open*:p=0.03,"
    "reset@hand*+12s:p=0.05,reset@cycle*+5s:p=0.04,hang=0.3@hand*+50s:p=0.03"
)
POWER: Final = (
    "power-cut=0.3@hand*+20s:p=0.08,power-cut=0.3@cycle*+5s:p=0.06,reset=brown_out@raise*:p=0.05,"
    "power-cut=0.3@open*:p=0.03"
)
PEOPLE: Final = (
    "mislay@play*:p=0.01,take-back@play*:p=0.01,claim-late@play*:p=0.03,claim-wrong@play*:p=0.03,"
    "show-hand@play*:p=0.003,discard-wild@play*:p=0.01,push-tiles@play*:p=0.01"
)
_CAMERA: Final = (
    *("unplug@hand*+9s:p=0.03", "freeze@hand*+24s:p=0.03", "black@hand*+38s:p=0.03"),
    *("overexposed@hand*+52s:p=0.03", "other@hand*+80s:p=0.02", "size@hand*+95s:p=0.02"),
    *("half@hand*+110s:p=0.02", "garbage@hand*+125s:p=0.02", "html@hand*+140s:p=0.02"),
)


def camera(seconds: float) -> str:
    """Every fault of a camera, each so long (s of the clock)."""
    lasting = [f"camera-{one.replace('@', f'={seconds:g}@', 1)}" for one in _CAMERA]
    # These have a parameter of their own before how long they last.
    lasting = [
        one.replace(f"camera-size={seconds:g}@", "camera-size@") + f":for={seconds:g}"
        if one.startswith("camera-size")
        else one
        for one in lasting
    ]
    return ",".join(
        [*lasting, f"camera-move@hand*+66s:for={seconds:g}:p=0.03", "camera-restart@hand*+45s:p=0.03"]
    )


def mixes(seconds: float) -> dict[str, str]:
    """The faults of each name of `longzhuo soak --faults`; `seconds`: how long those of a camera last."""
    kinds = {"camera": camera(seconds), "board": BOARD, "link": LINK, "power": POWER, "people": PEOPLE}
    return {**kinds, "mixed": ",".join(kinds.values())}
