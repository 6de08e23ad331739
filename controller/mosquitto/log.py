"""What of mosquitto's verbose output is worth a line: who came and went, what was denied, what failed. Pure.

mosquitto tells of a denied publication only among its debug messages, with every packet: some thousand lines
an hour and table, which would wear out a card. They are read here, and only the denials are kept.
"""

import collections
import re
from dataclasses import dataclass, field
from typing import Final

ROUTINE: Final = re.compile(
    r"(Sending|Received) (CONNACK|SUBACK|UNSUBACK|PUBLISH|PUBACK|PUBREC|PUBREL|PUBCOMP|PING|SUBSCRIBE|"
    r"UNSUBSCRIBE|DISCONNECT|CONNECT|AUTH)|No will message specified|Will message specified|\t"
)
_CAME: Final = re.compile(
    r"New client connected from \S+ as (?P<client>.*) \(p\d, c\d, k\d+, u'(?P<user>.*)'\)"
)
_DENIED: Final = re.compile(r"Denied PUBLISH from (?P<client>.*) \(d\d, q\d, r\d, m\d+, '(?P<topic>.*)'")
_SUBSCRIBED: Final = re.compile(r"(?P<client>\S+) [0-2] (?P<topic>\S+)$")
_WENT: Final = re.compile(r"Client (?P<client>.*) (disconnected|closed its connection)")
_TIME: Final = re.compile(r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|\d+): (?P<rest>.*)", re.DOTALL)

MOST_CLIENTS: Final = 2000
LONGEST: Final = 400


@dataclass(slots=True)
class LogWatch:
    """Goes through the lines; `denied` counts denied publications."""

    denied: int = 0
    _users: "collections.OrderedDict[str, str]" = field(default_factory=collections.OrderedDict)

    def worth(self, line: str) -> str | None:
        """The line as it is to be kept, or None where it is routine."""
        found = _TIME.match(line)
        time, rest = (found["time"], found["rest"]) if found else ("", line)
        kept = self._said(rest)
        if kept is None:
            return None
        shown = "".join(letter if letter.isprintable() else "?" for letter in kept)[:LONGEST]
        return f"{time} {shown}".strip()

    def _said(self, rest: str) -> str | None:
        if came := _CAME.match(rest):
            self._remember(came["client"], came["user"])
            return rest
        if denied := _DENIED.match(rest):
            self.denied += 1
            user = self._users.get(denied["client"], "?")
            return f"没有权限 denied: {user} may not publish {denied['topic']} (client {denied['client']})"
        if went := _WENT.match(rest):
            self._users.pop(went["client"], None)
            return rest
        if ROUTINE.match(rest) or _SUBSCRIBED.match(rest):
            return None
        return rest

    def _remember(self, client: str, user: str) -> None:
        self._users[client] = user
        if len(self._users) > MOST_CLIENTS:
            self._users.popitem(last=False)
