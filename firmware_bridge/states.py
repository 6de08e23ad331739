"""The words of the protocol: regions of the machine and their states, keys, lamps, reasons. Pure."""

from enum import IntEnum, IntFlag, StrEnum


class Region(IntEnum):
    """Parts of the machine that change state independently of each other."""

    SAFETY = 0
    HATCH = 1
    WALLS = 2
    LOWER = 3
    DICE = 4


class State(IntEnum):
    """States of all regions; the high half byte is the region, so that no state belongs to two."""

    BOOTING = 0x00
    OPERATIONAL = 0x01
    DEGRADED = 0x02
    PROTECTIVE_STOP = 0x03
    STOP_CHAIN_OPEN = 0x04
    MAINTENANCE = 0x05
    SELF_TEST = 0x06
    HATCH_UNKNOWN = 0x10
    HATCH_CLOSED = 0x11
    HATCH_OPENING = 0x12
    HATCH_OPEN = 0x13
    HATCH_CLOSING = 0x14
    WALLS_UNKNOWN = 0x20
    WALLS_DOWN = 0x21
    WALLS_RAISING = 0x22
    WALLS_UP = 0x23
    WALLS_LOWERING = 0x24
    LOWER_UNKNOWN = 0x30
    EMPTY = 0x31
    LOADED = 0x32
    SORTING = 0x33
    STAGED = 0x34
    SHORT = 0x35
    OVER = 0x36
    JAMMED = 0x37
    TOPUP_PAUSED = 0x38
    CLEARING = 0x39
    DICE_STILL = 0x40
    DICE_ROLLING = 0x41

    @property
    def region(self) -> Region:
        """The region this state belongs to."""
        return Region(self >> 4)


class Key(IntEnum):
    """Keys on the console and at the seats; SERVICE is a covered one inside the cabinet."""

    LIFT = 1
    DICE = 2
    CLAIM_CHI = 3
    CLAIM_PENG = 4
    CLAIM_KONG = 5
    CLAIM_WIN = 6
    CONFIRM = 7
    SERVICE = 8


class Lamp(IntEnum):
    """How a lamp shines."""

    OFF = 0
    ON = 1
    SLOW = 2
    FAST = 3


class Buzz(IntEnum):
    """What the buzzer does once."""

    NONE = 0
    SHORT = 1
    LONG = 2
    ALARM = 3


class Severity(IntEnum):
    """What a fault does to the machine."""

    INFO = 0
    WARN = 1
    STOP_CYCLE = 2
    PROTECTIVE_STOP = 3


class RejectReason(IntEnum):
    """Why the board did not begin a command; nothing has moved."""

    WRONG_STATE = 1
    HATCH_NOT_CLOSED = 2
    NOT_STAGED = 3
    NO_TILES = 4
    STOPPED = 5
    LOCKED = 6
    BAD_ARGUMENT = 7
    UNSUPPORTED = 8
    BUSY = 9
    NEEDS_LOCAL_KEY = 10
    NOT_HOMED = 11
    BAD_CONFIG = 12
    COVER_OPEN = 13


class FailCause(IntEnum):
    """Why a command that was begun did not end well; the machine may have moved."""

    FAULT = 1
    STOPPED = 2
    HOST_LOST = 3
    NO_ANSWER = 4
    ABORTED = 5


class ResetCause(IntEnum):
    """Why the board's firmware started."""

    POWER_ON = 1
    RESET_LINE = 2
    WATCHDOG = 3
    BROWN_OUT = 4
    SOFTWARE = 5


class Profile(IntEnum):
    """Kind of machine."""

    SINGLE_PORT = 1
    FOUR_PORT = 2
    EIGHT_PORT_DEAL = 3


class Capability(IntFlag):
    """What this board can do beyond what every board does.

    DICE rolls dice and reads them; DICE_SPUN spins dice that a camera reads, so that ``DiceRolled`` has no
    values; VIRTUAL_DICE draws values by commit and reveal.
    """

    NONE = 0
    DICE = 1
    SEAT_KEYS = 2
    LAMPS = 4
    COUNTERS = 8
    VIRTUAL_DICE = 16
    REPLAY = 32
    FAULT_LOG = 64
    DICTIONARY = 128
    CONFIG = 256
    MAINTENANCE = 512
    LOCK = 1024
    DEALS = 2048
    DICE_SPUN = 4096


class StatusFlag(IntFlag):
    """What holds beside the states of the regions."""

    NONE = 0
    LOCKED = 1
    COVER_OPEN = 2
    LEASED = 4


class Motor(IntEnum):
    """Motors that maintenance can jog."""

    HATCH = 1
    DRUM = 2
    RING = 3
    FEED = 4
    HEAD = 5
    CHAIN = 6
    PUSH = 7
    WALLS = 8
    DICE = 9


class Entry(IntEnum):
    """What an entry of the board's dictionary is about."""

    COMMAND = 1
    REPORT = 2
    FAULT = 3


class Loss(StrEnum):
    """Why a host has no board (never on the wire).

    PORT: the port is gone or cannot be opened. HELD: another program holds it. LINK: nothing, or nothing
    more, is heard of the board, or it has begun anew. WRONG_BOARD: another board than the expected one
    answers. NOISE: bytes come, and none of them is a frame.
    """

    PORT = "port"
    HELD = "held"
    LINK = "link"
    WRONG_BOARD = "wrong_board"
    NOISE = "noise"
