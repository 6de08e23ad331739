"""States of a table that tests show: a hand in its middle, as it would be published."""

import msgspec
from test_page import TABLE

from controller import public

MELDS = (
    (public.PublicMeld(kind="peng", tiles=("5p", "5p", "5p"), taken_from=1),),
    (
        public.PublicMeld(kind="chi", tiles=("3s", "4s", "5s"), taken_from=0),
        public.PublicMeld(kind="peng", tiles=("C", "C", "C"), taken_from=0),
        public.PublicMeld(kind="peng", tiles=("2p", "2p", "2p"), taken_from=3),
    ),
    (
        public.PublicMeld(kind="concealed_kong", tiles=("back", "9m", "9m", "back"), taken_from=None),
        public.PublicMeld(kind="added_kong", tiles=("1s", "1s", "1s", "1s"), taken_from=3),
    ),
    (
        public.PublicMeld(kind="kong", tiles=("7m",) * 4, taken_from=0),
        public.PublicMeld(kind="kong", tiles=("8s",) * 4, taken_from=2),
        public.PublicMeld(kind="kong", tiles=("N",) * 4, taken_from=2),
        public.PublicMeld(kind="kong", tiles=("3m",) * 4, taken_from=1),
    ),
)
PONDS = (
    ("E", "1m", "P", "9s", "2m", "F", "8p", "1p", "4s", "W", "7p", "3p"),
    ("1p", "9p", "S", "4m", "2s", "8m", "9s"),
    ("N", "1m", "9m", "E", "6p", "5s", "6s", "3m", "4p", "2m", "W", "P", "7s", "1s"),
    (
        *("9p", "1s", "W", "S", "E", "2p", "8s", "?", "1m", "5m"),
        *("6m", "3s", "7p", "9s", "F", "4p", "N", "2s", "8p", "5s"),
        *("6p", "4m", "7s"),
    ),
)
HAND = public.HandState(
    indicator="5m",
    dragon="6m",
    turn=2,
    last_discard=public.PlacedTile(seat=1, tile="9s"),
    ponds=PONDS,
    melds=MELDS,
    concealed=(10, 4, 7, 1),
    tiles_left=23,
    claims_left=((0, 1, 2, 2), (0, 0, 2, 1), (2, 2, 0, 1), (1, 1, 0, 0)),
    warnings=(
        public.SeatWarning(
            seat=3,
            kind="discarded",
            zh="打出过龙，本局不得胡",
            en="discarded a dragon: may not win",
        ),
    ),
)
SCORES = public.Scores(
    balances=(76, 142, 100, 82),
    start_points=100,
    points_zh="牌点",
    points_en="card points",
    titles=tuple(
        public.Title(zh=zh, en=en)
        for zh, en in (("新秀", "newcomer"), ("好手", "able"), ("好手", "able"), ("新秀", "newcomer"))
    ),
)
MIDDLE: dict[str, public.Payload] = {
    "table": msgspec.structs.replace(TABLE, tiles_left=23, heartbeat=600),
    "scores": SCORES,
    "hand": HAND,
}
