"""Cameras that err for a moment: what they say passes, but never stays wrong."""

from dataclasses import dataclass, field
from random import Random

import msgspec

from vision.observations import Appeared, Observation, Settled, Vanished

FACES = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)] + list("ESWNCFP")


@dataclass
class Nuisance:
    """Chances per tile or look.

    `misread`: a new tile is first told with another face; `unsure`: first as unknown; `flicker`: a lying tile
    is gone for a moment and comes back under another number; `hasty`: the table counts as settled midway.
    """

    misread: float = 0.0
    unsure: float = 0.0
    flicker: float = 0.0
    hasty: float = 0.0
    lying: dict[int, Appeared] = field(default_factory=dict)
    alias: dict[int, int] = field(default_factory=dict)
    number: int = 1_000_000

    def __call__(self, told: list[Observation], rng: Random) -> list[Observation]:
        out: list[Observation] = []
        for observation in told:
            match observation:
                case Appeared():
                    out += self._first(observation, rng)
                    out.append(self._here(observation))
                case Vanished(at=at, id=number):
                    del self.lying[number]
                    out.append(Vanished(at=at, id=self.alias.pop(number, number)))
                case _:
                    out.append(observation)
            if rng.random() < self.hasty:
                out.append(Settled(at=observation.at))
        if self.lying and rng.random() < self.flicker:
            out += self._blink(rng, told[-1].at)
        return out

    def _fresh(self) -> int:
        self.number += 1
        return self.number

    def _here(self, seen: Appeared) -> Appeared:
        self.lying[seen.id] = seen
        return seen

    def _first(self, seen: Appeared, rng: Random) -> list[Observation]:
        """What is said of a new tile before it is read well."""
        chance = rng.random()
        number = self._fresh()
        if chance < self.misread and seen.tile != "back":
            wrong = rng.choice(FACES)
            first = msgspec.structs.replace(seen, id=number, tile=wrong, candidates=((wrong, 1.0),))
        elif chance < self.misread + self.unsure:
            likely = tuple((face, 0.3) for face in rng.sample(FACES, 2))
            first = msgspec.structs.replace(seen, id=number, tile="?", candidates=((seen.tile, 0.4), *likely))
        else:
            return []
        still: list[Observation] = [Settled(at=seen.at)] if rng.random() < 0.5 else []
        return [first, *still, Vanished(at=seen.at, id=number)]

    def _blink(self, rng: Random, at: float) -> list[Observation]:
        seen = rng.choice(list(self.lying.values()))
        number = self.alias.get(seen.id, seen.id)
        self.alias[seen.id] = self._fresh()
        still: list[Observation] = [Settled(at=at)] if rng.random() < 0.5 else []
        again = msgspec.structs.replace(seen, at=at, id=self.alias[seen.id])
        return [Vanished(at=at, id=number), *still, again, Settled(at=at)]
