"""The configuration of one table: `table.toml` to frozen structs.

A file needs only `rules`, `[board] port` and `[camera] source`; everything else has a default. Unknown
keys, wrong types and impossible values are refused with one line: the file, the key, what was expected.
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Final

import msgspec

from controller import config_mqtt
from controller.rights import BadPin, PinHash
from controller.whole_text import whole_text
from rules import sets

MOST_BYTES: Final = 1_000_000
"""No table.toml is longer."""

Id = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]{1,40}$")]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=600)]
Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]
# Names of files, ports and hosts are given to the system as they stand, and stand in lines of the log.
PLAIN: Final = r"^[^\x00-\x1f\x7f]*\Z"
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=400, pattern=PLAIN)]
PlayerName = Annotated[str, msgspec.Meta(min_length=1, max_length=12, pattern=PLAIN)]
CountDown = Annotated[float, msgspec.Meta(ge=0, le=3600)]
Players = tuple[PlayerName, PlayerName, PlayerName, PlayerName]


class ConfigError(Exception):
    """A configuration that can't be used; the text is one line for the person who wrote it."""


class TableSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which table this is and who sits at it.

    `id` and `parlour` become MQTT topic levels (never names of people). `players` are shown on the display,
    in the order of the seats 0..3. `ponds` says where discards lie: each player's in rows before him ("own"),
    or all of them anyhow in the middle ("common"), where the turn tells whose each is.
    """

    id: Id = "table-1"
    parlour: Id = "home"
    model: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]*$")] = "longzhuo840"
    ponds: Annotated[str, msgspec.Meta(pattern=r"^(own|common)$")] = "own"
    players: Players = ("甲", "乙", "丙", "丁")


class BoardSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The control board's port.

    `port` is a device path, `serial:///dev/...`, `serial://usb/VID:PID[/SERIAL]` (the serial port of that USB
    device, whatever its name is today), `socket://host:port` or `usb://VID:PID[/SERIAL]` (bulk endpoints).
    The link counts as lost after `lost_after_s` seconds without a valid frame; the port is then opened again
    and again until the board answers. `uid` is the number of the only board that is accepted (as `longzhuo
    board status` tells it, `uid = 0x1a2b3c4d`), for adapters without serial numbers that may be swapped.
    `usb_backend` names another backend of pyusb than libusb, as `package.module:function`. `captures` is a
    folder where the last frames are written to when the link is lost or a fault stops the machine.
    """

    port: Text
    baud: Annotated[int, msgspec.Meta(ge=1200, le=4_000_000)] = 115200
    lost_after_s: Seconds = 3.0
    uid: Annotated[int, msgspec.Meta(ge=1, le=0xFFFFFFFF)] | None = None
    usb_backend: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")] | None = None
    captures: Text | None = None


class CameraSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the pictures (or ready-made readings) come from, and how long a tile must rest to be believed.

    `source` is a V4L2 index, a URL, a folder, or `readings:PATH` / `readings:tcp://HOST:PORT`. All times are
    seconds of the wall clock: a place counts as still after `settle_s` without movement; `reads` readings at
    least `spacing_s` apart must agree with at least `confidence`; a tile that stays doubtful for `patience_s`
    is reported so. The indicator names the wild tile and so decides about money: it needs
    `indicator_confidence`, one reading more, no other face near, and a place inside its zone; else people are
    asked. The camera counts as lost after `timeout_s` without a usable picture and is opened again
    every `retry_s`. `height_mm` is the lens above the cloth. `enrolled` is the file of `longzhuo enrol` that
    holds the table's own set of tiles, `calibration` that of `longzhuo calibrate`, which knows the camera's
    lens and place; relative paths start at the configuration's folder.
    """

    source: int | Text
    settle_s: Seconds = 0.25
    reads: Annotated[int, msgspec.Meta(ge=1, le=20)] = 2
    spacing_s: Seconds = 0.15
    confidence: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.95
    indicator_confidence: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.98
    patience_s: Seconds = 2.0
    timeout_s: Seconds = 1.5
    retry_s: Seconds = 1.0
    height_mm: Annotated[float, msgspec.Meta(ge=300, le=5000)] = 1200.0
    enrolled: Text | None = None
    calibration: Text | None = None


class PatienceSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long the controller waits before it says that it is not certain.

    `claim_s`: for something half done on the table to become a play that can be told. `set_s`: for a set that
    was just laid to become a larger one. `win_s`: for an open hand to be completed by a drawn tile, before
    the last discard counts as the winning tile. `reread_s`: for a tile that is read otherwise than before,
    until the new face counts; `known_s`: a face read for so long is not given up without people. `past_s`:
    for a table that only other plays than those told account for, until they are taken back, or only turns
    that nobody has seen, until they are told; `unseen_s`: for later plays to tell which of several accounts
    of such turns is true. `look_s`: looks at a still table that follow each other faster are one, nobody
    plays between them; `order_s`: the same for a common pond, where a discard must lie so long before it
    counts as the next one.
    """

    claim_s: Seconds = 4.0
    set_s: Seconds = 0.8
    win_s: Seconds = 1.5
    reread_s: Seconds = 1.0
    known_s: Seconds = 10.0
    past_s: Seconds = 2.5
    unseen_s: Seconds = 25.0
    look_s: Seconds = 0.3
    order_s: Seconds = 1.2


class TimersSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Seconds that the display counts down: for a move, and for claiming a discard.

    0: as long as one likes. Where a number is left out, the rule set's holds. Nothing happens at the end of
    the time.
    """

    think_s: CountDown | None = None
    claim_s: CountDown | None = None


class MqttSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The broker. Without `url` a mosquitto of our own runs on free loopback ports.

    With `url` (`mqtt[s]://[user[:password]@]host[:port]`) the page also needs `websocket`
    (`ws[s]://[user[:password]@]host:port`; these user and password reach the page, so they may read only).
    Passwords are better kept in `password_file` and `websocket_password_file`. `mqtts://` is TLS, where
    `ca_file` names the authority that is believed, `certificate_file` and `key_file` what the table signs in
    with. A broker elsewhere is not reached without TLS unless `insecure` says that it may be.
    `recorder`: somebody records what is published below `ledger/` and acknowledges it; until then it is kept
    and sent again. Without one it is sent once, and stays in the journal as long as all the rest.
    `home_assistant`: the table announces itself to a Home Assistant at the same broker; false takes it back.
    """

    url: Text | None = None
    websocket: Text | None = None
    password_file: Text | None = None
    websocket_password_file: Text | None = None
    ca_file: Text | None = None
    certificate_file: Text | None = None
    key_file: Text | None = None
    insecure: bool = False
    recorder: bool = False
    home_assistant: bool = True


class HttpSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the display page is served; port 0 takes a free one.

    On a `host` other than loopback, a broker of our own offers its read-only WebSocket there too. The page is
    opened by an address or this computer's own name; `names` are others under which it is known.
    """

    host: Text = "127.0.0.1"
    port: Port = 8088
    names: tuple[Text, ...] = ()


class RefereeSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The referee. `pin` is what `longzhuo pin` prints: the hash of the PIN that his orders need.

    Without it his orders are taken from the table's own computer only.
    """

    pin: Text | None = None


class JournalSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The SQLite file that holds what was decided; a relative path starts at the file's own folder.

    Matches that ended more than `keep_days` ago are deleted; the running one never. Pictures of the moment
    (what lies open at a doubt or a win) are kept beside it for `pictures_days`, at most `pictures_mb` in all;
    0: none.
    """

    path: Text = "journal.db"
    keep_days: Annotated[int, msgspec.Meta(ge=1, le=36500)] = 90
    pictures_mb: Annotated[int, msgspec.Meta(ge=0, le=100000)] = 200
    pictures_days: Annotated[int, msgspec.Meta(ge=1, le=36500)] = 30


Options = dict[str, bool | int | str]
"""The section `[options]`: choices of the rule set that differ from its defaults (`longzhuo rules NAME`)."""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table's configuration, complete."""

    rules: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+$")]
    board: BoardSection
    camera: CameraSection
    table: TableSection = TableSection()
    patience: PatienceSection = PatienceSection()
    timers: TimersSection = TimersSection()
    mqtt: MqttSection = MqttSection()
    http: HttpSection = HttpSection()
    referee: RefereeSection = RefereeSection()
    journal: JournalSection = JournalSection()
    options: Options = msgspec.field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """The first levels of every MQTT topic of this table."""
        return f"mj/v1/{self.table.parlour}/{self.table.id}"


def load_config(path: Path) -> Config:
    """Read and check a configuration file.

    Paths of journal, captures, enrolment, calibration and of `[mqtt]` come back absolute, so that the program
    may be started from any folder.

    Raises:
        ConfigError: the file can't be read, is no TOML, or says something impossible.

    """
    try:
        text = whole_text(path, most=MOST_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise ConfigError(f"{path}: {reason}; expected a TOML file like table.toml") from error
    config = parse_config(text, name=str(path))
    folder = path.resolve().parent
    journal = msgspec.structs.replace(config.journal, path=str(folder / config.journal.path))
    board = config.board
    if board.captures is not None:
        board = msgspec.structs.replace(board, captures=str(folder / board.captures))
    camera = config.camera
    if camera.enrolled is not None:
        camera = msgspec.structs.replace(camera, enrolled=str(folder / camera.enrolled))
    if camera.calibration is not None:
        camera = msgspec.structs.replace(camera, calibration=str(folder / camera.calibration))
    files = {key: getattr(config.mqtt, key) for key in config_mqtt.FILES}
    named = {key: str(folder / file) for key, file in files.items() if file is not None}
    mqtt = msgspec.structs.replace(config.mqtt, **named)
    return msgspec.structs.replace(config, journal=journal, board=board, camera=camera, mqtt=mqtt)


def with_enrolment(config: Config, path: Path) -> Config:
    """The same table, its tiles as another file of `longzhuo enrol` has them."""
    camera = msgspec.structs.replace(config.camera, enrolled=str(path.absolute()))
    return msgspec.structs.replace(config, camera=camera)


def parse_config(text: str, *, name: str) -> Config:
    """Check the text of a configuration; `name` stands at the head of every complaint.

    Raises:
        ConfigError: one line saying which key is wrong and what was expected.

    """
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Not only TOML's own errors: numbers of thousands of digits and endless brackets have others.
        raise ConfigError(f"{name}: not valid TOML: {error}") from error
    try:
        config = msgspec.convert(raw, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name}: {_in_words(str(error))}") from error
    _check_options(config, name)
    if not Path(config.journal.path).name:
        raise ConfigError(
            f"{name}: journal.path: {config.journal.path!r} is a folder; expected a file's name"
        )
    if wrong := config_mqtt.complaint(config.mqtt):
        raise ConfigError(f"{name}: {wrong}")
    if config.referee.pin is not None:
        try:
            PinHash.parse(config.referee.pin)
        except BadPin as error:
            raise ConfigError(f"{name}: referee.pin: {error}") from error
    return config


def _check_options(config: Config, name: str) -> None:
    if config.rules not in sets.available():
        return
    try:
        sets.load(config.rules, config.options)
    except ValueError as error:
        raise ConfigError(f"{name}: options: {error}") from error


_PATTERN_WORDS = {
    r"^[a-z0-9-]{1,40}$": "1 to 40 of a-z, 0-9 and -",
    r"^[a-z][a-z0-9_]*$": "the name of a table model, such as longzhuo840",
    r"^(own|common)$": "own or common",
    r"^[a-z0-9-]+$": "the name of a rule set, such as cixi-card",
    PLAIN: "text without control characters",
}

_PLAIN_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "array": "a list",
    "object": "a [section]",
}


def _in_words(complaint: str) -> str:
    """Put msgspec's complaint (`Expected X, got Y - at `$.a.b``) as `a.b: expected X, got Y`."""
    words, _, place = complaint.partition(" - at ")
    key = place.strip("`").removeprefix("$").removeprefix(".")
    for pattern, meaning in _PATTERN_WORDS.items():
        words = words.replace(f"`str` matching regex {pattern!r}", meaning)
    for jargon, plain in _PLAIN_WORDS.items():
        words = words.replace(f"`{jargon}", f"`{plain}")
    words = words.replace("`", "")
    missing = re.search(r"Object missing required field (\w+)", words)
    unknown = re.search(r"Object contains unknown field (\S+)", words)
    if missing:
        return (
            f"{_join(key, missing[1])}: missing; expected {_EXAMPLES.get(_join(key, missing[1]), 'a value')}"
        )
    if unknown:
        return f"{_join(key, unknown[1])}: unknown key; expected one of {', '.join(_keys_at(key))}"
    return f"{key or 'the file'}: {words[:1].lower()}{words[1:]}"


_EXAMPLES = {
    "rules": 'rules = "cixi-card" above the first [section]',
    "board": "[board] with port",
    "board.port": 'port = "/dev/ttyUSB0"',
    "camera": "[camera] with source",
    "camera.source": "source = 0 or source = a URL",
}


def _join(key: str, field: str) -> str:
    return f"{key}.{field}" if key else field


def _keys_at(key: str) -> tuple[str, ...]:
    """The names that may stand in the section `key` ("" is the top of the file)."""
    if not key:
        return Config.__struct_fields__
    section = {field.name: field.type for field in msgspec.structs.fields(Config)}[key]
    return tuple(field.name for field in msgspec.structs.fields(section))
