"""The language between eyes and tracker: lines and structs are inverse, and bad lines say what is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.observations import (
    Appeared,
    BadReading,
    CameraBack,
    CameraLost,
    CameraTrouble,
    DiceSeen,
    Observation,
    Settled,
    Vanished,
    decode_line,
    encode_line,
)

TEXTS = st.sampled_from(["1m", "9p", "5s", "E", "P", "8f", "back", "?"])
MOMENTS = st.floats(min_value=0, max_value=1e9)
CHANCES = st.floats(min_value=0, max_value=1)
PLACES = st.floats(min_value=-500, max_value=500)
NUMBERS = st.integers(min_value=0, max_value=2**53)
OBSERVATIONS: st.SearchStrategy[Observation] = st.one_of(
    st.builds(
        Appeared,
        at=MOMENTS,
        id=NUMBERS,
        tile=TEXTS,
        confidence=CHANCES,
        candidates=st.lists(st.tuples(TEXTS, CHANCES), max_size=4).map(tuple),
        x=PLACES,
        y=PLACES,
        angle=st.floats(min_value=0, max_value=359),
    ),
    st.builds(Vanished, at=MOMENTS, id=NUMBERS),
    st.builds(Settled, at=MOMENTS),
    st.builds(
        DiceSeen,
        at=MOMENTS,
        values=st.none() | st.lists(st.integers(1, 6), min_size=1, max_size=2).map(tuple),
        confidence=CHANCES,
    ),
    st.builds(CameraLost, at=MOMENTS, reason=st.text(), trouble=st.sampled_from(CameraTrouble)),
    st.builds(CameraBack, at=MOMENTS),
)


@given(OBSERVATIONS)
def test_a_line_tells_the_whole_observation(observation: Observation) -> None:
    line = encode_line(observation)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode_line(line) == observation


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"", "truncated"),
        (b"{}", "kind"),
        (b'{"kind":"seen","at":1}', "seen"),
        (b'{"kind":"settled"}', "at"),
        (b'{"kind":"appeared","at":1,"id":1,"tile":"10p","x":0,"y":0}', "tile"),
        (b'{"kind":"appeared","at":1,"id":1,"tile":"1p","confidence":1.5,"x":0,"y":0}', "confidence"),
        (b"\xff\xfe", "malformed"),
        (b"[1,2]", "array"),
    ],
)
def test_a_bad_line_says_what_is_wrong(line: bytes, told: str) -> None:
    with pytest.raises(BadReading, match=told):
        decode_line(line)


def test_unknown_fields_of_a_newer_writer_are_ignored() -> None:
    assert decode_line('{"kind":"vanished","at":2.5,"id":9,"why":"taken"}') == Vanished(at=2.5, id=9)
