"""People who do not lay their tiles as they should: what they do is put right, or the truth in the end."""

from dataclasses import dataclass, field, replace
from random import Random

from evening import Evening

from hardware_sim.layout import scene_tiles
from hardware_sim.layout_bodies import Bodies, claimed, discarded, face, hand_shown
from rules.events import Discarded, Event, WallExhausted, Won


@dataclass
class Mischief:
    """Chances per move.

    `takes_back`: a discard is taken back for another one, and this for the first; `mislays`: it lies beside
    the pond for a while; `false_claim`: somebody who has the tiles makes a set of a discard that nobody gets;
    `arm`: nothing is seen for `blind` moves; `pushes`: the tiles of a pond are pushed about; `shows`: a hand
    is laid open that does not win. `done` counts what was done.
    """

    takes_back: float = 0.0
    mislays: float = 0.0
    false_claim: float = 0.0
    arm: float = 0.0
    pushes: float = 0.0
    shows: float = 0.0
    blind: int = 4
    done: dict[str, int] = field(default_factory=dict)
    hidden: int = 0

    def __call__(self, evening: Evening, event: Event, bodies: Bodies) -> None:
        rng = evening.rng
        if isinstance(event, Won | WallExhausted):
            self.hidden = 0
        if self.hidden:
            self.hidden -= 1
            if self.hidden:
                evening.bodies = bodies
                return
        elif rng.random() < self.arm:
            self._count("arm")
            self.hidden = self.blind
        if isinstance(event, Discarded):
            self._discard(evening, event, bodies, rng)
        evening.show(bodies)
        if rng.random() < self.pushes:
            self._push(evening, bodies, rng)

    def _count(self, what: str) -> None:
        self.done[what] = self.done.get(what, 0) + 1

    def _discard(self, evening: Evening, event: Discarded, bodies: Bodies, rng: Random) -> None:
        before = evening.bodies
        if rng.random() < self.takes_back:
            other = rng.choice(before.racks[event.seat])
            if face(other) is not event.tile:
                self._count("takes_back")
                evening.show(discarded(before, event.seat, other))
                evening.wait(rng.uniform(0.5, 6.0))
                evening.show(before)
                evening.wait(rng.uniform(0.0, 2.0))
        if rng.random() < self.mislays:
            self._count("mislays")
            last = bodies.ponds[event.seat][-1]
            laid = next(
                tile
                for tile in scene_tiles(bodies, seed=evening.seed, ponds=evening.ponds)
                if tile.id == last
            )
            astray = replace(laid, x=rng.uniform(-60.0, 60.0), y=rng.uniform(-60.0, 60.0))
            evening.eye.pushed[laid.id] = laid, astray
            evening.show(bodies)
            evening.wait(rng.uniform(0.5, 8.0))
            del evening.eye.pushed[laid.id]
        if rng.random() < self.false_claim:
            self._false_claim(evening, event, bodies, rng)
        if rng.random() < self.shows:
            seat = rng.choice([s for s in range(4) if s != event.seat])
            self._count("shows")
            evening.show(bodies)
            evening.show(hand_shown(bodies, seat, bodies.racks[seat]))
            evening.wait(rng.uniform(0.5, 8.0))

    def _false_claim(self, evening: Evening, event: Discarded, bodies: Bodies, rng: Random) -> None:
        for seat in rng.sample([s for s in range(4) if s != event.seat], 3):
            own = tuple(body for body in bodies.racks[seat] if face(body) is event.tile)[:2]
            if len(own) == 2:
                self._count("false_claim")
                evening.show(bodies)
                evening.wait(rng.uniform(0.0, 2.0))
                evening.show(claimed(bodies, seat, own, event.seat))
                evening.wait(rng.uniform(0.5, 6.0))
                return

    def _push(self, evening: Evening, bodies: Bodies, rng: Random) -> None:
        """A sleeve pushes one pond some millimetres, each of its tiles a little more or less."""
        self._count("pushes")
        seat = rng.randrange(4)
        dx, dy = rng.uniform(-14.0, 14.0), rng.uniform(-14.0, 14.0)
        lying = {tile.id: tile for tile in scene_tiles(bodies, seed=evening.seed, ponds=evening.ponds)}
        for body in bodies.ponds[seat]:
            tile = lying[body]
            lies = replace(
                tile,
                x=tile.x + dx + rng.uniform(-5.0, 5.0),
                y=tile.y + dy + rng.uniform(-5.0, 5.0),
                angle=(tile.angle + rng.uniform(-20.0, 20.0)) % 360.0,
            )
            evening.eye.pushed[body] = tile, lies
        evening.show(bodies)
