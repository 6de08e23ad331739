"""What `longzhuo doctor` says of the broker: the way to it, the sign-in, the rights, and the recorder."""

import secrets
import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from controller.broker import BrokerMissing, find_mosquitto
from controller.broker_address import BadAddress, BrokerAddress
from controller.cli.doctor_checks import Check, Result, Step
from controller.cli.doctor_mqtt import AT_ONCE, NO_MQTT_5, NoTalk, SignInRefused, in_the_handshake, signed_in
from controller.config import Config
from controller.discovery import discovery_topic
from controller.journal import JournalError, JournalReader
from controller.mqtt import AVAILABILITY
from controller.mqtt_orders import CHECK, ORDERS
from controller.mqtt_way import address_of
from controller.public import EVENT_TOPICS, LEDGER_TOPICS, STATE_TOPICS
from controller.public_ledger import ACK_TOPIC

BROKER: Final = ("broker", "MQTT服务器")
RIGHTS: Final = ("broker rights", "MQTT权限")
RECORDER: Final = ("recorder", "记账端")
LATE: Final = timedelta(minutes=10)
"""A recorder that is at work acknowledges within a minute or two."""
NAMED: Final = 3
"""So many topics are named in a line."""

_NETWORK: Final = ("看网线、服务器和防火墙", "look at the network, the broker and its firewall")
_RENEW: Final = (
    "在服务器上换新证书，再重启它；看两边的时钟",
    "on the broker: longzhuo broker DIR, and start it again; look at both clocks",
)
_COPY: Final = ("拷贝新的ca.crt", "copy ca.crt from the broker again, and name it in [mqtt] ca_file")
_OUR_OWN: Final = (
    "拷贝新的桌子证书和密钥",
    "copy tables/TABLE.crt and .key from the broker again: [mqtt] certificate_file, key_file",
)
_PLAIN: Final = ("TLS用另一个端口", "name the port of TLS in [mqtt] url (longzhuo broker: 8883), or mqtt://")
_TLS: Final = ("这个端口也许要TLS：用mqtts://", "this port may want TLS: mqtts:// in [mqtt] url")
_LATER: Final = ("等一下再试；看服务器的日志", "try again later; look at the broker's log")
_VERSION_5: Final = ("换支持MQTT 5的服务器", "use a broker that knows MQTT 5, such as mosquitto")
_USER: Final = ("[mqtt] url里要写用户", "name a user in [mqtt] url: mqtts://TABLE@host, and password_file")
_PASSWORD: Final = (
    "看用户名；拷贝新的密码文件",
    "look at the user in [mqtt] url; copy passwords/USER from the broker again: [mqtt] password_file",
)

_CERTIFICATE: Final[dict[int, tuple[str, Step]]] = {
    2: ("comes from another authority than [mqtt] ca_file", _COPY),
    9: ("does not hold yet", ("看两边的时钟", "look at both clocks")),
    10: ("has expired", _RENEW),
    18: ("comes from another authority than [mqtt] ca_file", _COPY),
    19: ("comes from another authority than [mqtt] ca_file", _COPY),
    20: ("comes from another authority than [mqtt] ca_file", _COPY),
    21: ("comes from another authority than [mqtt] ca_file", _COPY),
}
"""What is wrong with the broker's certificate, by X509_V_ERR_* of OpenSSL."""
_OTHER_NAME: Final = frozenset({62, 63, 64})
_WANTS_ONE: Final = frozenset({"CERTIFICATE_REQUIRED", "HANDSHAKE_FAILURE"})
"""What it says where we show none: TLS 1.3, and 1.2."""


def of_the_broker(config: Config, *, now: datetime) -> list[Check]:
    """The way and the sign-in, the rights, and whether the recorder acknowledges what it is sent."""
    way, address = broker(config)
    if config.mqtt.url is None:
        allowed = Check(*RIGHTS, "MQTT rights: our own broker lets the table say all", way.result)
    elif address is None:
        allowed = Check(*RIGHTS, "MQTT rights", Result.NOT_CHECKED)
    else:
        allowed = rights(config, address)
    return [way, allowed, recorder(config, now=now)]


def broker(config: Config) -> tuple[Check, BrokerAddress | None]:
    """Whether it lets the table in; the address where it does. Where it is our own, its program is there."""
    try:
        if config.mqtt.url is None:
            return Check(*BROKER, f"broker: our own, {find_mosquitto()}", Result.OK), None
        address = address_of(config.mqtt, config.mqtt.url)
    except (BrokerMissing, BadAddress) as error:
        install = ("安装mosquitto", "sudo apt-get install mosquitto")
        look = ("看[mqtt]里的文件", "look at the files named in [mqtt]")
        step = look if isinstance(error, BadAddress) else install
        return Check(*BROKER, "broker", Result.FAILED, (str(error),), (step,)), None
    en = f"broker {address.host}:{address.port}"
    try:
        with signed_in(address):
            pass
    except (NoTalk, SignInRefused) as error:
        if isinstance(error, SignInRefused):
            why, step = _refused(error.code, address)
        else:
            why, step = _no_talk(in_the_handshake(address) or error, address)
        return Check(*BROKER, f"{en}: {why}", Result.FAILED, (), (step,)), None
    if address.tls is None and config.mqtt.insecure:
        todo = (("改用mqtts://", "use mqtts:// (longzhuo broker DIR writes the certificates)"),)
        return Check(*BROKER, f"{en}: not encrypted", Result.WARNING, (), todo), address
    return Check(*BROKER, f"{en} lets {_who(address)} in", Result.OK), address


def _who(address: BrokerAddress) -> str:
    return address.username or "the table"


def _no_talk(error: NoTalk, address: BrokerAddress) -> tuple[str, Step]:
    """Why there is no way to it, and what to do."""
    cause = error.cause
    if isinstance(cause, ssl.SSLCertVerificationError):
        if cause.verify_code in _OTHER_NAME:
            step = ("给证书加上这个名字", f"on the broker: longzhuo broker DIR --name {address.host}")
            return f"its certificate is for other names than {address.host}", step
        why, step = _CERTIFICATE.get(cause.verify_code, (cause.verify_message, _COPY))
        return f"its certificate {why}", step
    if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
        return _alert((cause.reason or str(cause)).upper(), address)
    if error.silent:
        return str(error), _TLS if address.tls is None else _PLAIN
    return str(error), _NETWORK


def _alert(said: str, address: BrokerAddress) -> tuple[str, Step]:
    """What the other side says of TLS, in OpenSSL's words."""
    _, is_alert, alert = said.partition("ALERT_")
    if not is_alert:
        return "this port speaks no TLS", _PLAIN
    if alert in _WANTS_ONE or (address.tls is not None and address.tls.certificate_file is None):
        return "it asks for a certificate of the table", _OUR_OWN
    return f"it refuses the table's certificate ({alert.lower()})", _OUR_OWN


def _refused(code: int, address: BrokerAddress) -> tuple[str, Step]:
    """Why it lets nobody in: MQTT 5, 3.2.2.2; some say 0x87 where they mean 0x86."""
    if code in {NO_MQTT_5, 0x84}:
        return "it does not know MQTT 5", _VERSION_5
    if code in {0x86, 0x87}:
        if address.username is None:
            return "it lets nobody in without a user", _USER
        return f"it refuses the user {address.username} with this password", _PASSWORD
    if code in {0x88, 0x89, 0x97, 0x9F}:
        return f"it is busy (reason 0x{code:02x})", _LATER
    return f"it lets nobody in (reason 0x{code:02x})", _LATER


# ---- rights ------------------------------------------------------------------------------------------------


def rights(config: Config, address: BrokerAddress) -> Check:
    """Whether the table may say all that it says, and hear its orders and acknowledgements.

    Nothing that is retained changes. Who listens to the table's orders, which is the table, hears one word.
    """
    try:
        denied = tuple(_denied(address, said_by(config)))
        unheard, untried = _unheard(config, address)
    except (NoTalk, SignInRefused) as error:
        why = (f"could not be tried: {error}",)
        return Check(*RIGHTS, "MQTT rights", Result.NOT_CHECKED, why)
    detail = tuple(
        f"{zh} may not {en}: {topic}"
        for zh, en, topics in (("不能发", "publish", denied), ("收不到", "hear", unheard))
        for topic in _few(topics)
    )
    if not detail:
        untold = ("命令收不收得到，没试 whether orders arrive was not tried: its lists are older",)
        return Check(*RIGHTS, "MQTT rights: all there", Result.OK, untold if untried else ())
    wants = [f"publish {len(denied)} of {len(said_by(config))} topics"] if denied else []
    wants += [f"hear {topic.removeprefix(config.prefix + '/')}" for topic in unheard]
    who = _who(address)
    add = f"longzhuo broker DIR --table {config.table.id}"
    en = f"the user must be the table's, {config.table.id}; or on the broker: {add}, and start it again"
    todo = (("用户要和桌号一样，或者在服务器上加桌", en),)
    return Check(*RIGHTS, f"MQTT rights: {who} may not {' or '.join(wants)}", Result.FAILED, detail, todo)


def said_by(config: Config) -> tuple[str, ...]:
    """Every topic that the table publishes on, complete."""
    below = (AVAILABILITY, *STATE_TOPICS, *EVENT_TOPICS, *LEDGER_TOPICS, f"answer/{CHECK}")
    topics = tuple(f"{config.prefix}/{topic}" for topic in below)
    return (*topics, discovery_topic(config.prefix)) if config.mqtt.home_assistant else topics


def _denied(address: BrokerAddress, topics: Sequence[str]) -> Iterator[str]:
    for begin in range(0, len(topics), AT_ONCE):
        some = topics[begin : begin + AT_ONCE]
        with signed_in(address) as talk:
            for topic, taken in zip(some, talk.may_say(some), strict=True):
                if not taken:
                    yield topic


def _unheard(config: Config, address: BrokerAddress) -> tuple[tuple[str, ...], bool]:
    """The topics that can't be heard; and whether nothing tells of the orders whether they can."""
    orders = f"{config.prefix}/{ORDERS}"
    wanted = [orders, *([f"{config.prefix}/{ACK_TOPIC}"] if config.mqtt.recorder else [])]
    with signed_in(address) as talk:
        unheard = [topic for topic, granted in zip(wanted, talk.may_hear(wanted), strict=True) if not granted]
        if orders in unheard:
            return tuple(unheard), False
        # Some brokers grant every filter and deliver nothing.
        comes_back = talk.comes_back(f"{config.prefix}/cmd/{CHECK}", secrets.token_hex(8).encode())
    return ((orders, *unheard) if comes_back is False else tuple(unheard)), comes_back is None


def _few(topics: Sequence[str]) -> list[str]:
    more = len(topics) - NAMED
    return [*topics[:NAMED], *([f"… +{more}"] if more > 0 else [])]


# ---- the recorder ------------------------------------------------------------------------------------------


def recorder(config: Config, *, now: datetime) -> Check:
    """Whether something waits long for the recorder's acknowledgement."""
    path = Path(config.journal.path)
    if not config.mqtt.recorder or not path.exists():
        return Check(*RECORDER, "recorder: nobody is waited for", Result.NOT_CHECKED)
    try:
        with JournalReader(path) as reader:
            waiting = reader.unacknowledged((0, 0), 1)
    except JournalError as error:
        return Check(*RECORDER, "recorder", Result.NOT_CHECKED, (str(error),))
    if not waiting:
        return Check(*RECORDER, "recorder: has acknowledged everything", Result.OK)
    since = datetime.fromtimestamp(waiting[0].at, UTC)
    if now - since < LATE:
        return Check(*RECORDER, "recorder: the last messages are on their way", Result.OK)
    todo = (
        (
            "看记账端开着没有，能不能写ledger/ack",
            f"look whether the recorder runs, and may publish {config.prefix}/{ACK_TOPIC}",
        ),
    )
    en = f"recorder: has not acknowledged what waits since {since:%Y-%m-%d %H:%M} UTC"
    return Check(*RECORDER, en, Result.WARNING, (), todo)
