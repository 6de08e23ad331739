"""What the controller knows of the board: plain data. Pure."""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from controller.machine_advice import Steps
from controller.machine_stages import Stage
from firmware_bridge.faults import FaultCode, UnknownFault
from firmware_bridge.messages import Booted, Command, Status
from firmware_bridge.states import Key, Loss, Severity, State


class DiceReader(StrEnum):
    """Who tells what dice show: the board, its proven virtual roll, or the camera."""

    BOARD = "board"
    VIRTUAL = "virtual"
    CAMERA = "camera"


@dataclass(frozen=True, slots=True)
class Trouble:
    """An alarm in words, with what to do step by step; `since` in seconds, `sides` (0..3) it is at."""

    code: str
    zh: str
    en: str
    since: float
    steps: Steps = ()
    sides: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """A fault of the board that stands; `since` in seconds."""

    code: FaultCode | UnknownFault
    severity: Severity
    side: int | None
    evidence: int
    since: float


@dataclass(frozen=True, slots=True)
class Failure:
    """The last command that was refused, or did not reach its end. `detail` as in `CommandFailed`."""

    command: Command
    how: str
    detail: str
    since: float


@dataclass(frozen=True, slots=True)
class Retry:
    """A command that was refused (nothing has moved) is given again at `at`."""

    command: Command
    at: float


@dataclass(frozen=True, slots=True)
class VirtualRoll:
    """A roll that the board has committed to by its number and the digest of its seed.

    `values`: as the board has told them; None until it is rolled.
    """

    roll: int
    digest: bytes
    values: tuple[int, ...] | None = None


class ConfigCheck(Enum):
    """How far it is known what the board is set to build."""

    UNKNOWN = auto()
    ASKED = auto()
    DIFFERS = auto()
    KNOWN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What is known of the board.

    Attributes:
        stacks: stacks of two tiles on sides 0..3.
        dice: how many dice break the wall.
        first_die: a match begins: one die is rolled before them, for the first dealer.
        stage: where the table is.
        before: the last milestone (`machine_stages.MILESTONES`): the stage itself where it is one.
        boot_id: the board's last boot.
        board: who the board is; None while there is no link.
        status: state of the regions as last told, None until told since the last start of the link.
        number: number of the last command.
        pending: the last command while its end is still to come, over a lost link too.
        goes_on: false once something happened after which a person presses a key before anything moves.
        wish: a key whose meaning is carried out once the board stands still.
        asks: the board is to be asked for its status.
        retry: a refused command that is given again.
        tries: how often the last command was refused.
        dice_by: until when the values of dice that were rolled may still come.
        dice_last: what `dice_by` becomes at most where a camera that reads them goes and comes back.
        lost_at: since when there is no link, in seconds; None while there is one.
        lost: why there is no link, in words.
        loss: the same as one of a few kinds.
        away_s: how long the last loss of the link took.
        heard: a key of the time without a link was used already.
        faults: the board's standing faults.
        failure: the last command that came to nothing, until something moves again.
        notices: alarms that do not come from the board.
        config: what is known of the board's configuration.
        rolls_failed: rolls in a row whose dice did not turn or could not be read.
        virtual: the virtual roll that is not proved yet.
        jam: side to free next where no fault tells one.
        eyes: a camera sees the table.
        seen: what it has read of the dice since they were last set spinning, None where nothing sure.
        spun: they have come to rest and the board does not read them: the camera is waited for.
        troubles: everything people should know now, most urgent first.
    """

    stacks: tuple[int, int, int, int]
    dice: int = 2
    first_die: bool = False
    stage: Stage = Stage.UNKNOWN
    before: Stage = Stage.IDLE
    boot_id: int | None = None
    board: Booted | None = None
    status: Status | None = None
    number: int = 0
    pending: Command | None = None
    goes_on: bool = False
    wish: Key | None = None
    asks: bool = False
    retry: Retry | None = None
    tries: int = 0
    dice_by: float | None = None
    dice_last: float = 0.0
    lost_at: float | None = None
    lost: str = ""
    loss: Loss = Loss.LINK
    away_s: float = 0.0
    heard: bool = False
    faults: tuple[Standing, ...] = ()
    failure: Failure | None = None
    notices: tuple[Trouble, ...] = ()
    config: ConfigCheck = ConfigCheck.UNKNOWN
    rolls_failed: int = 0
    virtual: VirtualRoll | None = None
    jam: int = 0
    eyes: bool = False
    seen: tuple[int, ...] | None = None
    spun: bool = False
    troubles: tuple[Trouble, ...] = ()

    @property
    def count(self) -> int:
        """How many dice to roll next."""
        return 1 if self.first_die else self.dice

    @property
    def alarm(self) -> Trouble | None:
        """The trouble to show: the most urgent."""
        return self.troubles[0] if self.troubles else None

    @property
    def stopped(self) -> bool:
        """Whether a protective stop holds."""
        stops = {State.PROTECTIVE_STOP, State.STOP_CHAIN_OPEN}
        return self.status is not None and self.status.safety in stops


@dataclass(frozen=True, slots=True)
class MachineStep:
    """The machine afterwards, the command to send (its number is `machine.number`), dice that were rolled.

    `die` is the one that names the first dealer. `by` says who has read dice or die. `dice` is empty
    where they were rolled and nobody has told their values. `lift`: the lift key was pressed during a hand;
    what it means depends on the hand.
    """

    machine: Machine
    command: Command | None = None
    dice: tuple[int, ...] | None = None
    die: int | None = None
    lift: bool = False
    by: DiceReader = DiceReader.BOARD
