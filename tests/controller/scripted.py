"""Deals that go as a script says: real walls are stacked so that everybody draws what the script needs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

from evening import Evening
from records import Pile

from hardware_sim.layout_bodies import Bodies, broken, face, next_tail, taken, walls_up
from hardware_sim.layout_moves import follow
from rules.deal import deal_blocks, dice_break
from rules.events import DealStarted, Discarded, Drew, Event, IndicatorTurned, Won
from rules.record import parse_record
from rules.ruleset import RuleSet
from rules.table import Phase, apply, new_table
from rules.tiles import Seat, Tile, parse_tiles

DICE = (3, 4)
INDICATOR, DRAGON = Tile.M1, Tile.M2
"""Only who is given a dragon in the script holds one."""


class Scripted(Evening):
    """An evening whose next deal is told beforehand."""

    def play_script(self, moves: str, hands: Mapping[int, str], *, fetched: bool = True) -> None:
        """Play `moves`, the text of a record after its indicator, to the end.

        `hands` are tiles that seats are dealt, no matter what else they hold. A discard without its draw is
        of the tile that was drawn. `fetched`: a tile that is won is laid to the hand.
        """
        dealer, kept = self.true_match.dealer, self.true_match.kept
        start = DealStarted(dealer, DICE, kept)
        told = list(_with_draws((start, IndicatorTurned(INDICATOR), *parse_record(moves)), self.rules))
        self.prepare(DICE)
        bodies = self._stacked(told, hands)
        for seat, number in deal_blocks(dealer, self.rules):
            bodies = taken(bodies, seat, number)
        dealt = tuple(tuple(face(body) for body in rack) for rack in bodies.racks)
        self.bodies = bodies
        self._fetched = fetched
        self._run([replace(start, hands=dealt), *told[1:]])
        self.wait(3.0)
        self._end()

    def _run(self, told: list[Event]) -> None:
        state = new_table(self.rules)
        for event in told:
            bodies = follow(self.bodies, event, wild=state.wild, fetch=self._fetched)
            state = apply(state, event, self.rules)
            if self.people is None:
                self.show(bodies)
            else:
                self.people(self, event, bodies)
            self.true_state = state
            self.wait(self.pace)
        assert state.phase is Phase.OVER

    def _stacked(self, told: list[Event], hands: Mapping[int, str]) -> Bodies:
        """The broken walls out of which these tiles come."""
        pile = Pile()
        given = [[pile.take(tile) for tile in parse_tiles(hands.get(seat, ""))] for seat in range(4)]
        indicator = pile.take(INDICATOR)
        drawn = [
            (event.replacement, pile.take(event.tile))
            for event in told
            if isinstance(event, Drew) and event.tile is not Tile.UNKNOWN
        ]
        self.rng.shuffle(pile.left)
        pile.left.sort(key=lambda body: face(body) is DRAGON)
        dealer, head = self.true_match.dealer, list[int]()
        for seat, number in deal_blocks(dealer, self.rules):
            head += [given[seat].pop() if given[seat] else pile.left.pop(0) for _ in range(number)]
        assert not any(given)
        head += [indicator, *(body for replacement, body in drawn if not replacement)]
        return _laid(dealer, head, [body for replacement, body in drawn if replacement], pile.left)


def _laid(dealer: Seat, head: list[int], tail: list[int], rest: list[int]) -> Bodies:
    """Walls of which `head` is drawn first, and `tail` in place of the fourth tiles of kongs."""
    at = dice_break(dealer, DICE)
    slots = broken(walls_up(tuple(range(136))), side=at.owner, stacks=at.passed)
    number = {body: slot for slot, body in slots.wall}
    left, found = slots, {}
    for body in tail:
        last = next_tail(left)
        found[number[last]] = body
        left = replace(left, wall=tuple(pair for pair in left.wall if pair[1] != last))
    for (slot, _), body in zip(left.wall, [*head, *rest], strict=True):
        found[slot] = body
    return replace(slots, wall=tuple((slot, found[slot]) for slot, _ in slots.wall))


def _with_draws(script: tuple[Event, ...], rules: RuleSet) -> Iterator[Event]:
    """The record, with the draws that the script leaves out."""
    state = new_table(rules)
    for event in script:
        if isinstance(event, Won):
            event = replace(event, hand=tuple(sorted(event.hand)))  # noqa: PLW2901 - as a record has it
        if isinstance(event, Discarded) and state.phase is Phase.CLAIM:
            drew = Drew(event.seat, event.tile)
            state = apply(state, drew, rules)
            yield drew
        state = apply(state, event, rules)
        yield event


def nobody_wins(dealer: int) -> tuple[str, dict[int, str]]:
    """Moves and hands of a deal in which everybody throws what he draws until no tile is left.

    Everybody holds a dragon, so that none is thrown.
    """
    pile = Pile()
    pile.take(INDICATOR)
    hands = {seat: [pile.take(DRAGON)] for seat in range(4)}
    Random(dealer).shuffle(pile.left)  # noqa: S311 - a game
    for seat, hand in hands.items():
        hand += [pile.left.pop() for _ in range(13 if seat == dealer else 12)]
    thrown = [hands[dealer][-1], *pile.left]
    moves = [f"discard {(dealer + turn) % 4} {face(body)}" for turn, body in enumerate(thrown)]
    dealt = {seat: " ".join(str(face(body)) for body in hand) for seat, hand in hands.items()}
    return "\n".join([*moves, "exhausted"]), dealt
