"""Inputs as the journal keeps them: a kind and its JSON, and back. Pure."""

from dataclasses import asdict
from typing import Any, Final, get_args

import msgspec

from controller.session_inputs import Input, Order, Ordered, PersonAnswer
from firmware_bridge.messages import Missed

_INPUTS: Final[dict[str, type]] = {kind.__name__: kind for kind in get_args(Input)}
_ORDERS: Final[dict[str, type]] = {kind.__name__: kind for kind in get_args(Order)}


class UnreadableInput(ValueError):
    """A kind that is not known, or a body that does not fit it."""


class _MissedBody(msgspec.Struct, frozen=True):
    """A report inside a report: its kind stands beside it."""

    number: int
    at_ms: int
    kind: str
    report: msgspec.Raw


class _OrderedBody(msgspec.Struct, frozen=True):
    """An order inside its envelope: its kind stands beside it."""

    id: str
    kind: str
    order: msgspec.Raw
    expires: float | None = None


def body_of(arrived: Input) -> str:
    """The JSON of an input."""
    value: object = arrived
    if isinstance(arrived, Missed):
        inner = msgspec.Raw(msgspec.json.encode(arrived.report))
        value = _MissedBody(arrived.number, arrived.at_ms, type(arrived.report).__name__, inner)
    elif isinstance(arrived, Ordered):
        inner = msgspec.Raw(msgspec.json.encode(_said(arrived.order)))
        value = _OrderedBody(arrived.id, type(arrived.order).__name__, inner, arrived.expires)
    return msgspec.json.encode(_said(value)).decode()


def _said(value: object) -> object:
    """An answer without the words that nobody said: so journals from before there were any stay the same."""
    if isinstance(value, PersonAnswer) and value.words is None:
        return {name: said for name, said in asdict(value).items() if name != "words"}
    return value


def input_from(kind: str, body: str) -> Input:
    """The input that `body_of` gave as `body`.

    Raises:
        UnreadableInput: the kind is not known or the body does not fit it.
    """
    try:
        if kind == Missed.__name__:
            told = msgspec.json.decode(body, type=_MissedBody)
            return Missed(told.number, told.at_ms, _decoded(told.kind, told.report))
        if kind == Ordered.__name__:
            envelope = msgspec.json.decode(body, type=_OrderedBody)
            if envelope.kind not in _ORDERS:
                raise UnreadableInput(f"an order of unknown kind {envelope.kind!r}")
            return Ordered(envelope.id, _decoded(envelope.kind, envelope.order), envelope.expires)
        arrived: Input = _decoded(kind, body)
    except msgspec.MsgspecError as error:
        raise UnreadableInput(f"{kind}: {error}") from error
    return arrived


def _decoded(kind: str, body: str | msgspec.Raw) -> Any:
    if kind not in _INPUTS:
        raise UnreadableInput(f"an input of unknown kind {kind!r}")
    return msgspec.json.decode(body, type=_INPUTS[kind])
