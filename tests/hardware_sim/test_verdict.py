"""The verdict finds whatever a controller gets wrong without having said that it doubts."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from understood import deal_row, outcome_row, three_deals

from controller.journal import Journal
from controller.journal_deals import DoubtRow, FineRow, OutcomeRow
from controller.journal_rows import BootRow, InputRow, Row
from controller.public import AmendedSettlement, HandState, PublicMeld, Settlement, encode
from hardware_sim.truth import DealTruth, Start, TruthFile, deal_truth, first_match
from hardware_sim.verdict import Account, account, gather, judge
from hardware_sim.world_memory import play_deal
from rules import sets
from rules.events import KongDeclared
from rules.ruleset import RuleSet
from rules.state import Balances

CARD = sets.load("cixi-card")
PREFIX = "mj/v1/parlour/table"
WRONG_DEAL = 2
TS = "2026-01-01T00:00:00Z"


@dataclass(frozen=True)
class Evening:
    """Deals that were played, and the points each began with."""

    deals: tuple[DealTruth, ...]
    before: tuple[Balances, ...]

    def rows(self, **wrong: Any) -> list[Row]:
        """The journal of a controller that has understood everything but `wrong` in the second deal."""
        rows: list[Row] = []
        for deal, balances in zip(self.deals, self.before, strict=True):
            rows.append(deal_row(deal, balances))
            changes = wrong if deal.deal == WRONG_DEAL else {}
            rows.append(msgspec.structs.replace(outcome_row(deal), **changes))
        return rows

    def messages(self, topic: str = "", **wrong: Any) -> list[dict[str, Any]]:
        """What it has published; `wrong` changes the payloads of the second deal under `topic`."""
        found: list[dict[str, Any]] = []
        for deal in self.deals:
            for name, payload in published(deal):
                lie = wrong if (name, deal.deal) == (topic, WRONG_DEAL) else {}
                told = (
                    payload
                    if isinstance(payload, str)
                    else encode(msgspec.structs.replace(payload, **lie)).decode()
                )
                found.append({"topic": f"{PREFIX}/{name}", "retained": False, "payload": told})
        return found


@pytest.fixture(scope="module")
def evening() -> Evening:
    return Evening(*asyncio.run(three_deals(CARD)))


def published(deal: DealTruth) -> Iterable[tuple[str, HandState | Settlement | str]]:
    melds = tuple(
        tuple(PublicMeld(kind=kind, tiles=tiles, taken_from=giver) for kind, tiles, giver in row)  # type: ignore[arg-type]
        for row in deal.melds
    )
    yield "event/deal", "{}"
    yield (
        "state/hand",
        HandState(
            boot=1,
            seq=deal.deal,
            ts=TS,
            indicator=deal.indicator,
            dragon=deal.wild,
            turn=None,
            last_discard=None,
            ponds=deal.ponds,  # type: ignore[arg-type]
            melds=melds,  # type: ignore[arg-type]
            concealed=(13, 13, 13, 13),
            tiles_left=10,
        ),
    )
    yield (
        "state/settlement",
        Settlement(
            boot=1,
            seq=deal.deal,
            ts=TS,
            hand_no=deal.deal,
            match_no=deal.match_no,
            winner=deal.winner,
            from_seat=deal.from_seat,
            how="selfdraw" if deal.from_seat is None else "discard",
            tile=deal.tile,
            hand=deal.hand,
            melds=(),
            dragon=deal.wild,
            dragons=0,
            lines=(),
            unit=None,
            point_each=None,
            payments=deal.payments,
            balances=deal.balances,
            payer=None,
            drawn=False,
            match_over=False,
        ),
    )


DOUBT = DoubtRow(doubt=1, boot=1, at=0.0, deal=WRONG_DEAL, kind="unread", zh="？", en="?", candidates=())


class Desk:
    """A folder with a truth file, to which journals and recordings are laid."""

    def __init__(self, folder: Path, evening: Evening) -> None:
        self.truth = folder / "truth.jsonl"
        self.journal = folder / "journal.db"
        self.recording = folder / "mqtt.jsonl"
        with TruthFile(self.truth) as truth:
            truth.write(Start(seed=7, rules="cixi-card", speed=4.0))
            for deal in evening.deals:
                truth.write(msgspec.structs.replace(deal, people_s=40.0, wall_s=10.0))

    def judged(self, rows: Iterable[Row], messages: list[dict[str, Any]] | None = None) -> Account:
        with Journal.open(self.journal) as journal:
            journal.write(rows)
        if messages is not None:
            self.recording.write_bytes(b"".join(msgspec.json.encode(m) + b"\n" for m in messages))
        evidence, rules = gather(self.truth, self.journal, self.recording if messages is not None else None)
        return account(evidence, judge(evidence, rules))

    def run(self, *more: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "hardware_sim.verdict", "--truth", str(self.truth)]
        argv += ["--journal", str(self.journal), *more]
        return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def desk(tmp_path: Path, evening: Evening) -> Desk:
    return Desk(tmp_path, evening)


def test_a_controller_that_understood_everything_is_right(desk: Desk, evening: Evening) -> None:
    counted = desk.judged(evening.rows(), evening.messages())
    assert (counted.hands, counted.settled, counted.drawn, counted.withheld) == (3, 3, 0, 0)
    assert (counted.silently_wrong, counted.doubts, counted.differences) == (0, 0, ())
    assert counted.speed_reached == 4.0


Lie = Callable[[DealTruth], dict[str, Any]]

LIES: dict[str, Lie] = {
    "how": lambda _: {"how": "drawn"},
    "indicator": lambda deal: {"indicator": other(deal.indicator)},
    "wild": lambda deal: {"wild": other(deal.wild)},
    "ponds": lambda deal: {"ponds": (deal.ponds[0][:-1], *deal.ponds[1:])},
    "melds": lambda deal: {"melds": (*deal.melds[1:], deal.melds[0])},
    "winner": lambda deal: {"winner": turned(deal.winner)},
    "from_seat": lambda deal: {"from_seat": turned(deal.from_seat)},
    "hand": lambda deal: {"hand": (other(deal.hand[0]), *deal.hand[1:])},
    "payments": lambda deal: {"payments": deal.payments[::-1]},
}


def other(tile: str | None) -> str:
    return "E" if tile != "E" else "S"


def turned(seat: int | None) -> int:
    return ((seat or 0) + 1) % 4


@pytest.mark.parametrize("field", LIES)
def test_each_wrong_field_of_the_journal_is_found(desk: Desk, evening: Evening, field: str) -> None:
    lie = LIES[field](evening.deals[WRONG_DEAL - 1])
    counted = desk.judged(evening.rows(**lie))
    assert counted.silently_wrong == 1
    assert [line for line in counted.differences if f"hand 2, journal: {field} is" in line]


@pytest.mark.parametrize("field", LIES)
def test_what_was_doubted_is_not_silent(desk: Desk, evening: Evening, field: str) -> None:
    lie = LIES[field](evening.deals[WRONG_DEAL - 1])
    counted = desk.judged([*evening.rows(**lie), DOUBT])
    assert (counted.silently_wrong, counted.doubts, len(counted.differences)) == (0, 1, 1)


SETTLEMENT_LIES: dict[str, Lie] = {
    "how": lambda _: {"drawn": True},
    "wild": lambda deal: {"dragon": other(deal.wild)},
    **{name: LIES[name] for name in ("winner", "from_seat", "hand", "payments")},
}
HAND_LIES: dict[str, Lie] = {
    "indicator": LIES["indicator"],
    "wild": lambda deal: {"dragon": other(deal.wild)},
    "ponds": LIES["ponds"],
    "melds": lambda _: {"melds": ((), (), (), ())},
}


@pytest.mark.parametrize(
    ("topic", "field", "lie"),
    [
        *(("state/settlement", field, lie) for field, lie in SETTLEMENT_LIES.items()),
        *(("state/hand", field, lie) for field, lie in HAND_LIES.items()),
    ],
)
def test_each_wrong_field_that_was_published_is_found(
    desk: Desk, evening: Evening, topic: str, field: str, lie: Lie
) -> None:
    wrong = lie(evening.deals[WRONG_DEAL - 1])
    counted = desk.judged(evening.rows(), evening.messages(topic, **wrong))
    assert counted.silently_wrong == 1
    assert [line for line in counted.differences if f"hand 2, {topic}: {field} is" in line]


@pytest.mark.parametrize("lost", ["event/deal", "state/hand", "state/settlement"])
def test_a_message_that_the_recording_lacks_shifts_nothing(desk: Desk, evening: Evening, lost: str) -> None:
    messages = evening.messages()
    found = next(n for n, told in enumerate(messages) if told["topic"].endswith(lost))
    counted = desk.judged(evening.rows(), messages[:found] + messages[found + 1 :])
    assert (counted.settled, counted.differences) == (3, ())


def test_a_withheld_deal_is_no_silent_error_and_makes_no_later_one(desk: Desk, evening: Evening) -> None:
    rows = evening.rows(how="withheld", reason="not answered", payments=(0, 0, 0, 0))
    later = msgspec.structs.replace(deal_row(evening.deals[2], evening.before[1]))
    rows[4] = later
    rows[5] = msgspec.structs.replace(outcome_row(evening.deals[2]))
    counted = desk.judged([*rows, DOUBT])
    assert (counted.settled, counted.withheld, counted.silently_wrong) == (2, 1, 0)


def corrected(evening: Evening, **wrong: Any) -> list[Row]:
    """The second deal was settled with its payments turned round; `wrong`: what its correction has wrong."""
    rows = evening.rows(payments=evening.deals[1].payments[::-1])
    right = msgspec.structs.replace(
        outcome_row(evening.deals[1]), edition=2, supersedes=1, author="referee", before=evening.before[1]
    )
    return [*rows, msgspec.structs.replace(right, **wrong)]


def amendment(deal: DealTruth, **wrong: Any) -> dict[str, Any]:
    """The correction as the ledger got it."""
    (told,) = (each for _, each in published(deal) if isinstance(each, Settlement))
    fields = {**msgspec.structs.asdict(told), "deal": deal.deal, "edition": 2, "author": "referee", **wrong}
    payload = encode(AmendedSettlement(**fields)).decode()
    return {"topic": f"{PREFIX}/ledger/settlement", "retained": False, "payload": payload}


@pytest.mark.parametrize(("topic", "field"), [("state/settlement", "payments"), ("state/hand", "ponds")])
def test_of_a_corrected_deal_the_last_edition_counts(
    desk: Desk, evening: Evening, topic: str, field: str
) -> None:
    deal = evening.deals[1]
    shown = evening.messages(topic, **LIES[field](deal))
    counted = desk.judged(corrected(evening), [*shown, amendment(deal)])
    assert (counted.settled, counted.silently_wrong, counted.differences) == (3, 0, ())


def test_a_wrong_correction_is_found_in_the_journal_and_in_the_ledger(desk: Desk, evening: Evening) -> None:
    deal = evening.deals[1]
    backwards = deal.payments[::-1]
    counted = desk.judged(
        corrected(evening, payments=backwards), [*evening.messages(), amendment(deal, payments=backwards)]
    )
    assert [line.partition(": ")[0] for line in counted.differences] == [
        "hand 2, journal",
        "hand 2, ledger/settlement",
    ]


def test_a_correction_counts_from_the_points_that_it_names(desk: Desk, evening: Evening) -> None:
    """An earlier hand was corrected, too; then the winner gets no more than the others have left."""
    deal = evening.deals[1]
    assert deal.winner is not None
    poor = tuple(397 if seat == deal.winner else 1 for seat in range(4))
    counted = desk.judged(corrected(evening, before=poor))
    assert counted.silently_wrong == 1
    paying = tuple(3 if seat == deal.winner else -1 for seat in range(4))
    assert counted.differences[0].endswith(f"true is {msgspec.json.encode(paying).decode()}")


@pytest.mark.parametrize("kong_stands", [False, True])
def test_a_robbed_kong_is_the_peng_that_it_was_before(tmp_path: Path, *, kong_stands: bool) -> None:
    match = first_match(CARD)
    _, played = asyncio.run(play_deal(20305, CARD, match=match))
    kong = played.state.log[-2]
    assert isinstance(kong, KongDeclared)
    deal = deal_truth(1, played.state, match, CARD, fetched=played.fetched)
    robbed = Evening((deal,), (match.balances,))
    begun, told = robbed.rows()
    assert isinstance(told, OutcomeRow)
    if kong_stands:
        melds = tuple(
            tuple(
                ("added_kong", (*tiles, str(kong.tile)), giver) if set(tiles) == {str(kong.tile)} else meld
                for meld in row
                for _, tiles, giver in (meld,)
            )
            for row in told.melds
        )
        told = msgspec.structs.replace(told, melds=melds)
    counted = Desk(tmp_path, robbed).judged([begun, told])
    assert (counted.settled, counted.silently_wrong) == (1, int(kong_stands))


def test_a_deal_given_up_without_a_word_is_silently_wrong(desk: Desk, evening: Evening) -> None:
    counted = desk.judged(evening.rows(how="abandoned", payments=(0, 0, 0, 0)))
    assert (counted.withheld, counted.silently_wrong) == (1, 1)


def test_a_deal_that_is_missing_is_silently_wrong(desk: Desk, evening: Evening) -> None:
    counted = desk.judged(evening.rows()[:-2])
    assert (counted.settled, counted.withheld, counted.silently_wrong) == (2, 1, 1)


def test_the_camera_is_held_against_what_lay_there(desk: Desk, evening: Evening) -> None:
    with desk.truth.open("ab") as file:
        for line in (
            b'{"kind":"lain","at":100.0,"tiles":[[5,"2m",10.0,20.0],[6,"back",50.0,20.0]]}\n',
            b'{"kind":"lain","at":110.0,"tiles":[[9,"3p",10.0,20.0]],"gone":[5]}\n',
        ):
            file.write(line)
    readings = [
        (105.0, "2m", 12.0, 19.0),  # right
        (105.0, "3p", 12.0, 19.0),  # not yet there
        (112.0, "3p", 12.0, 19.0),  # right
        (130.0, "2m", 12.0, 19.0),  # long gone
        (105.0, "2m", 60.0, 19.0),  # nothing open there
        (105.0, "?", 12.0, 19.0),  # not sure: not counted
    ]
    inputs = [
        InputRow(
            boot=1,
            at=at,
            kind="Appeared",
            body=msgspec.json.encode(
                {"kind": "appeared", "at": 1.0, "id": number, "tile": tile, "x": x, "y": y}
            ).decode(),
        )
        for number, (at, tile, x, y) in enumerate(readings)
    ]
    counted = desk.judged([*evening.rows(), *inputs])
    assert (counted.camera.tiles_read, counted.camera.wrong) == (5, 3)


def test_the_program_prints_a_table_or_json_and_its_status_says_whether_all_is_right(
    desk: Desk, evening: Evening
) -> None:
    desk.judged(evening.rows())
    right = desk.run()
    assert right.returncode == 0
    assert "silently wrong 0" in right.stdout
    told = msgspec.json.decode(desk.run("--json").stdout, type=Account)
    assert (told.hands, told.silently_wrong) == (3, 0)


def test_the_program_fails_where_something_is_silently_wrong(desk: Desk, evening: Evening) -> None:
    desk.judged(evening.rows(payments=(0, 0, 0, 0)))
    wrong = desk.run()
    assert wrong.returncode == 1
    assert "payments is [0,0,0,0], true is" in wrong.stdout


def boot_row(rules: str, options: dict[str, bool | int | str] | None) -> BootRow:
    return BootRow(
        boot=1, at=0.0, version="0", rules=rules, model="longzhuo840", settings="{}", options=options
    )


def written(rules: RuleSet) -> dict[str, bool | int | str]:
    return {name: value for name, value in rules.options.items() if isinstance(value, bool | int | str)}


def test_deals_are_priced_by_the_options_they_were_played_with(desk: Desk, evening: Evening) -> None:
    doubled = sets.load("cixi-card", {"stake": 2})
    lines = [msgspec.json.encode(Start(seed=7, rules="cixi-card", speed=4.0, options=written(doubled)))]
    desk.truth.write_bytes(b"\n".join(lines + desk.truth.read_bytes().splitlines()[1:]) + b"\n")
    counted = desk.judged([boot_row("cixi-card", written(doubled)), *evening.rows()])
    assert counted.silently_wrong == 3
    assert all("payments" in line for line in counted.differences)


def test_a_truth_that_names_no_options_is_priced_by_the_journal_s(desk: Desk, evening: Evening) -> None:
    doubled = sets.load("cixi-card", {"stake": 2})
    counted = desk.judged([boot_row("cixi-card", written(doubled)), *evening.rows()])
    assert counted.silently_wrong == 3


@pytest.mark.parametrize(
    ("boot", "said"),
    [
        (boot_row("cixi-card", {**written(CARD), "mirror": 0}), "other options .* mirror 5, not 0$"),
        (boot_row("cixi-platform", None), "the table played cixi-card, the controller cixi-platform$"),
    ],
)
def test_a_controller_that_played_by_other_rules_is_not_judged(
    desk: Desk, evening: Evening, boot: BootRow, said: str
) -> None:
    lines = [msgspec.json.encode(Start(seed=7, rules="cixi-card", speed=4.0, options=written(CARD)))]
    desk.truth.write_bytes(b"\n".join(lines + desk.truth.read_bytes().splitlines()[1:]) + b"\n")
    with pytest.raises(ValueError, match=said):
        desk.judged([boot, *evening.rows()])


def test_what_was_fined_in_a_deal_is_gone_when_it_is_settled(desk: Desk, evening: Evening) -> None:
    true = evening.deals[WRONG_DEAL - 1]
    assert true.winner is not None
    loser = next(seat for seat in range(4) if true.payments[seat] < 0)
    have = evening.before[WRONG_DEAL - 1][loser]
    fined = tuple(-have if seat == loser else have if seat == true.winner else 0 for seat in range(4))
    fine = FineRow(
        deal=WRONG_DEAL,
        n=3,
        boot=1,
        at=0.0,
        seat=loser,
        payments=fined,  # type: ignore[arg-type]
        balances=(0, 0, 0, 0),
        author="referee",
    )
    counted = desk.judged([*evening.rows(), fine])
    assert [line for line in counted.differences if "hand 2, journal: payments" in line]


def test_bad_files_are_one_clear_line(desk: Desk, tmp_path: Path) -> None:
    missing = desk.run()
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    assert "no such journal" in missing.stderr
    (tmp_path / "truth.jsonl").write_text("nonsense\n")
    nonsense = desk.run()
    assert nonsense.returncode == 2
    assert "truth.jsonl, line 1" in nonsense.stderr
    assert "Traceback" not in nonsense.stderr
