"""Deals that look alike to everybody at the table: what nobody has shown is otherwise, all else is the same.

A deal is played once, unwatched. Then it is laid before a session as often as wanted, body for body, with
other faces on the bodies that stay out of sight. The camera that watches sees more than any camera should: it
tells of racks and walls too, guesses the faces there, and reads some of them outright.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Final

import msgspec
from evening import Evening, Eye, People, Spoil, perfect

from controller.public import encode
from controller.session_inputs import Order, Ordered
from hardware_sim.layout import scene_tiles
from hardware_sim.layout_bodies import BODIES, Bodies, face
from hardware_sim.readings_lying import is_told
from hardware_sim.scene import Pose, SceneTile
from rules.events import Event, Won
from vision.observations import Appeared, Observation, Vanished

Faces = Mapping[int, str]
"""The face of each body 0..135, in notation."""

AS_MADE: Final[Faces] = {body: str(face(body)) for body in range(BODIES)}


@dataclass(frozen=True)
class Deal:
    """A deal as it was played: its dice, and every event with the bodies after it."""

    dice: tuple[int, int]
    steps: tuple[tuple[Event, Bodies], ...]

    @property
    def won(self) -> bool:
        return isinstance(self.steps[-1][0], Won)

    def unseen_before_the_end(self) -> tuple[int, ...]:
        """Bodies that nobody but their owner has seen when the last event begins."""
        before, after = self.steps[-2][1], self.steps[-1][1]
        shown = set(_open(before)) | ({after.indicator} if after.indicator is not None else set())
        return tuple(body for body in range(BODIES) if body not in shown)

    def never_seen(self) -> tuple[int, ...]:
        """Those of them that are not shown at the end either."""
        after = self.steps[-1][1]
        shown = set(_open(after)) | (set() if after.shown is None else set(after.racks[after.shown]))
        return tuple(body for body in self.unseen_before_the_end() if body not in shown)


def _open(bodies: Bodies) -> Iterator[int]:
    for pond in bodies.ponds:
        yield from pond
    for melds in bodies.melds:
        for meld in melds:
            yield from meld.bodies
    yield from (body for body in (bodies.indicator, bodies.apart) if body is not None)


def exchanged(bodies: tuple[int, ...], rng: Random) -> Faces:
    """The faces of these bodies dealt out anew among them; at least one is another."""
    others = list(bodies)
    while all(face(body) is face(other) for body, other in zip(bodies, others, strict=True)):
        rng.shuffle(others)
    return {**AS_MADE, **{body: str(face(other)) for body, other in zip(bodies, others, strict=True)}}


class Unwatched(Evening):
    """People play, and no session is told."""

    def show(self, bodies: Bodies) -> None:
        self.bodies = bodies

    def prepare(self, dice: tuple[int, int], *, opened: bool = False) -> None:
        assert not opened
        self._dice = dice

    def wait(self, seconds: float) -> None:
        """No time passes."""

    @cached_property
    def played(self) -> Deal:
        """One deal, played to its end."""
        steps = tuple((event, self.bodies) for event in self.play_deal())
        return Deal(self._dice, steps)


class Prying(Eye):
    """A camera that also tells of what stands in racks and lies in walls.

    Of most such tiles it says that it can't read them, and guesses their faces; of some in every rack (fewer
    than half, which is no hand laid open) and of some in the walls it reads the faces.
    """

    def __init__(self, faces: Faces) -> None:
        super().__init__()
        self._faces = faces
        self._hidden: dict[int, tuple[SceneTile, str, int]] = {}

    def look(self, bodies: Bodies, seed: int, at: float) -> list[Observation]:
        told = [self._with_face(seen, bodies) for seen in super().look(bodies, seed, at)]
        here = {
            tile.id: (tile, self._said(tile, bodies))
            for tile in scene_tiles(bodies, seed=seed)
            if not is_told(tile) and tile.pose is not Pose.FLAT_UP
        }
        for body, (tile, said, number) in list(self._hidden.items()):
            if here.get(body) != (tile, said):
                del self._hidden[body]
                told.append(Vanished(at=at, id=number))
        for body, (tile, said) in here.items():
            if body not in self._hidden:
                self._number += 1
                self._hidden[body] = tile, said, self._number
                told.append(self._glimpse(tile, said, at))
        return told

    def _said(self, tile: SceneTile, bodies: Bodies) -> str:
        """What the tile is called; the choice depends on its place only."""
        rack = next((rack for rack in bodies.racks if tile.id in rack), None)
        if rack is None:
            return self._faces[tile.id] if round(tile.x) % 5 == 0 else "back"
        if rack.index(tile.id) < (len(rack) - 3) // 2:
            return self._faces[tile.id]
        return "?" if rack.index(tile.id) % 2 else "back"

    def _glimpse(self, tile: SceneTile, said: str, at: float) -> Appeared:
        return Appeared(
            at=at,
            id=self._number,
            tile=said,
            confidence=0.6,
            candidates=((self._faces[tile.id], 0.6), ("1m", 0.2)),
            x=tile.x,
            y=tile.y,
            angle=tile.angle % 360.0,
        )

    def _with_face(self, seen: Observation, bodies: Bodies) -> Observation:
        """A hand that is laid open at the end is told with the faces it has here."""
        if not isinstance(seen, Appeared) or bodies.shown is None:
            return seen
        body = next(body for body, told in self._told.items() if told is seen)
        if body not in bodies.racks[bodies.shown]:
            return seen
        now = self._faces[body]
        self._told[body] = msgspec.structs.replace(seen, tile=now, candidates=((now, 1.0),))
        return self._told[body]


class Retold(Evening):
    """A deal laid before a session: the bodies as they lay when it was played, the faces as given."""

    def __init__(
        self, seed: int, faces: Faces, *, people: People | None = None, spoil: Spoil = perfect, pace: float
    ) -> None:
        super().__init__(seed, people=people, spoil=spoil, pace=pace)
        self.eye = Prying(faces)
        self.before_the_end = 0
        """How many messages had been published before the last event."""

    def retell(self, deal: Deal, orders: Mapping[int, Order]) -> None:
        """Lay it, event after event; `orders` are given by people after the events of these numbers."""
        self.prepare(deal.dice)
        for number, (event, bodies) in enumerate(deal.steps):
            self.before_the_end = len(self.log.published)
            if self.people is None:
                self.show(bodies)
            else:
                self.people(self, event, bodies)
            self.wait(self.pace)
            if number in orders:
                self.tell(Ordered(f"order-{number}", orders[number]))
        self.wait(8.0)
        self.finish()

    def said(self, until: int | None = None) -> list[tuple[str, bytes]]:
        """Every message as it leaves for the broker, in order; the first `until` of them."""
        return [(topic, encode(payload)) for topic, payload in self.log.published[:until]]
