"""Who may order what, and the referee's PIN. Pure: the time is an argument, the salt too.

What happens at every hand (answers, undo, pause) is everybody's at the table. What moves points or the match
is the referee's. A broker that everybody signs in at decides by its own lists who may send which order
(`longzhuo broker` writes them), so what it lets through is the owner's.
"""

import base64
import binascii
import collections
import enum
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import Final


class Right(enum.Enum):
    """Whose an order is."""

    TABLE = "table"
    """Everybody's at the table."""
    REFEREE = "referee"
    """The referee's."""


RIGHTS: Final[dict[str, Right]] = {
    "answer": Right.TABLE,
    "propose": Right.TABLE,
    "undo": Right.TABLE,
    "pause": Right.TABLE,
    "resume": Right.TABLE,
    "names": Right.TABLE,
    "start": Right.TABLE,
    "correct": Right.REFEREE,
    "enter": Right.REFEREE,
    "adjust": Right.REFEREE,
    "abandon": Right.REFEREE,
    "next_match": Right.REFEREE,
    "setup": Right.REFEREE,
    "lock": Right.REFEREE,
    "unlock": Right.REFEREE,
}
"""By the word for the order; one that is not here is the referee's."""

BEFORE_THE_FIRST_DEAL: Final = frozenset({"names"})
"""Everybody's until the match has begun, then the referee's."""

REFEREES_WORDS: Final = tuple(sorted(verb for verb, right in RIGHTS.items() if right is Right.REFEREE))


def right_of(verb: str, *, match_has_begun: bool) -> Right:
    """Whose the order is."""
    if match_has_begun and verb in BEFORE_THE_FIRST_DEAL:
        return Right.REFEREE
    return RIGHTS.get(verb, Right.REFEREE)


class Way(enum.Enum):
    """How an order came in."""

    PAGE_HERE = "page on this computer"
    PAGE_AWAY = "page over the network"
    BROKER_SIGNED = "broker where everybody signs in"
    BROKER_HERE = "broker of this computer where nobody signs in"
    BROKER_AWAY = "broker of the network where nobody signs in"

    @property
    def is_broker(self) -> bool:
        """Whether it came over MQTT, where a message may come late or twice and no PIN is sent."""
        return self not in {Way.PAGE_HERE, Way.PAGE_AWAY}


class Verdict(enum.Enum):
    """What becomes of a referee's order."""

    ALLOWED = "allowed"
    NEEDS_PIN = "needs the PIN"
    REFUSED = "refused"


REFEREE_WITHOUT_PIN: Final[dict[Way, Verdict]] = {
    Way.PAGE_HERE: Verdict.ALLOWED,
    Way.PAGE_AWAY: Verdict.REFUSED,
    Way.BROKER_SIGNED: Verdict.ALLOWED,
    Way.BROKER_HERE: Verdict.ALLOWED,
    Way.BROKER_AWAY: Verdict.REFUSED,
}
"""Where no PIN is configured: whoever is at the table's own computer is trusted, nobody else."""

REFEREE_WITH_PIN: Final[dict[Way, Verdict]] = {
    Way.PAGE_HERE: Verdict.NEEDS_PIN,
    Way.PAGE_AWAY: Verdict.NEEDS_PIN,
    Way.BROKER_SIGNED: Verdict.ALLOWED,
    Way.BROKER_HERE: Verdict.REFUSED,
    Way.BROKER_AWAY: Verdict.REFUSED,
}


def verdict(verb: str, way: Way, *, has_pin: bool, match_has_begun: bool) -> Verdict:
    """What becomes of an order; `has_pin`: a PIN is configured."""
    if right_of(verb, match_has_begun=match_has_begun) is Right.TABLE:
        return Verdict.ALLOWED
    return (REFEREE_WITH_PIN if has_pin else REFEREE_WITHOUT_PIN)[way]


# ---- the PIN -----------------------------------------------------------------------------------------------

PIN: Final = re.compile(r"[0-9]{4,12}")
_COST: Final = (14, 8, 1)
"""log2 N, r and p of scrypt: 16 MB and some 50 ms for each guess."""
_COSTLIEST: Final = (16, 8, 4)
_SALT_BYTES: Final = 16
_HASH_BYTES: Final = 32
_MEMORY: Final = 256 * 1024 * 1024


class BadPin(ValueError):
    """No PIN, or no hash of one; one line says what was expected."""


@dataclass(frozen=True, slots=True, repr=False)
class PinHash:
    """What is kept of a PIN: its scrypt hash (RFC 7914) with salt and cost, as text for `table.toml`."""

    cost: tuple[int, int, int]
    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, pin: str, *, salt: bytes) -> "PinHash":
        """Hash a PIN of 4 to 12 digits.

        Raises:
            BadPin: it is none.
        """
        if not PIN.fullmatch(pin):
            raise BadPin("PIN: expected 4 to 12 digits, better 6 or more")
        return cls(_COST, salt, _hashed(pin, _COST, salt))

    @classmethod
    def parse(cls, text: str) -> "PinHash":
        """Read what `str` gives.

        Raises:
            BadPin: it is something else.
        """
        parts = text.split("$")
        try:
            name, *numbers = parts[:4]
            cost = tuple(map(int, numbers))
            salt, digest = (base64.b64decode(part, validate=True) for part in parts[4:])
        except (ValueError, binascii.Error):
            raise BadPin("expected what longzhuo pin prints") from None
        possible = len(cost) == 3 and all(
            1 <= own <= most for own, most in zip(cost, _COSTLIEST, strict=True)
        )
        if name != "scrypt" or not possible or (len(salt), len(digest)) != (_SALT_BYTES, _HASH_BYTES):
            raise BadPin("expected what longzhuo pin prints")
        return cls((cost[0], cost[1], cost[2]), salt, digest)

    def __str__(self) -> str:
        salt, digest = (base64.b64encode(part).decode() for part in (self.salt, self.digest))
        return "$".join(["scrypt", *map(str, self.cost), salt, digest])

    def matches(self, pin: str) -> bool:
        """Whether it is this PIN; takes as long for a wrong one, some tens of milliseconds."""
        return hmac.compare_digest(_hashed(pin, self.cost, self.salt), self.digest)


def _hashed(pin: str, cost: tuple[int, int, int], salt: bytes) -> bytes:
    log_n, r, p = cost
    return hashlib.scrypt(pin.encode(), salt=salt, n=1 << log_n, r=r, p=p, maxmem=_MEMORY, dklen=_HASH_BYTES)


MOST_WRONG: Final = 5
WITHIN_S: Final = 60.0
LOCKED_S: Final = 60.0


@dataclass(slots=True)
class LockOut:
    """Takes no PIN for a minute once five wrong ones came within one, from whomever."""

    _wrong: collections.deque[float] = field(default_factory=lambda: collections.deque(maxlen=MOST_WRONG))
    _until: float = float("-inf")

    def left_s(self, now: float) -> float:
        """For how many seconds no PIN is taken; 0: one is."""
        return max(0.0, self._until - now)

    def wrong(self, now: float) -> None:
        """A wrong PIN came."""
        self._wrong.append(now)
        if len(self._wrong) == MOST_WRONG and now - self._wrong[0] <= WITHIN_S:
            self._until = now + LOCKED_S
            self._wrong.clear()


@dataclass(slots=True)
class Bucket:
    """So many at once, and so many a second: the rest is refused."""

    burst: int
    per_s: float
    _at: float
    _left: float = field(init=False)

    def __post_init__(self) -> None:
        self._left = float(self.burst)

    def take(self, now: float) -> bool:
        """Whether one more may come at `now`."""
        self._left = min(float(self.burst), self._left + max(0.0, now - self._at) * self.per_s)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
