"""What an event of the game does to the bodies: which tile goes where. Pure."""

from hardware_sim.layout_bodies import (
    Bodies,
    claimed,
    discarded,
    face,
    hand_shown,
    indicator_laid,
    kong_added,
    kong_concealed,
    next_tail,
    replaced,
    sorted_rack,
    taken,
    winning_tile_fetched,
)
from rules.events import (
    Claimed,
    Discarded,
    Drew,
    Event,
    IndicatorTurned,
    KongDeclared,
    MeldKind,
    Won,
)
from rules.tiles import Tile


def next_draw(bodies: Bodies, *, replacement: bool = False) -> Tile:
    """The face of the tile that is drawn next."""
    return face(next_tail(bodies) if replacement else bodies.wall[0][1])


def follow(  # noqa: PLR0911 - one return a kind of event
    bodies: Bodies, event: Event, *, wild: Tile | None, fetch: bool = True, indicator_at: int = 0
) -> Bodies:
    """Where the bodies are after the event.

    `fetch` says whether the winner lays another's tile apart beside his hand (True) or leaves it where it
    lies; `indicator_at` is the place in the wall of the tile that is turned up. The deal itself
    (`DealStarted`) is taken block by block by the caller and changes nothing here.
    """
    match event:
        case IndicatorTurned():
            return _all_in_order(indicator_laid(bodies, indicator_at), wild)
        case Drew(seat, _, replacement):
            return replaced(bodies, seat) if replacement else taken(bodies, seat)
        case Discarded(seat, tile):
            return _in_order(discarded(bodies, seat, _held(bodies, seat, (tile,))[0]), seat, wild)
        case Claimed():
            return _in_order(_claim(bodies, event), event.seat, wild)
        case KongDeclared():
            return _in_order(_kong(bodies, event), event.seat, wild)
        case Won():
            return _win(bodies, event, wild, fetch=fetch)
        case _:
            return bodies


def _held(bodies: Bodies, seat: int, tiles: tuple[Tile, ...]) -> tuple[int, ...]:
    """Bodies of the rack that show these tiles, the one drawn last first."""
    free = list(reversed(bodies.racks[seat]))
    found = []
    for tile in tiles:
        body = next((body for body in free if face(body) is tile), None)
        if body is None:
            raise ValueError(f"seat {seat} holds no {tile}")
        free.remove(body)
        found.append(body)
    return tuple(found)


def _claim(bodies: Bodies, event: Claimed) -> Bodies:
    own = list(event.tiles)
    own.remove(event.taken)
    return claimed(bodies, event.seat, _held(bodies, event.seat, tuple(own)), event.from_seat)


def _kong(bodies: Bodies, event: KongDeclared) -> Bodies:
    if event.kind is MeldKind.ADDED_KONG:
        return kong_added(bodies, event.seat, _held(bodies, event.seat, (event.tile,))[0])
    first, second, third, fourth = _held(bodies, event.seat, (event.tile,) * 4)
    return kong_concealed(bodies, event.seat, (first, second, third, fourth))


def _win(bodies: Bodies, event: Won, wild: Tile | None, *, fetch: bool) -> Bodies:
    rack = bodies.racks[event.seat]
    order = _sorted(rack, wild)
    if event.from_seat is None:
        known = event.tile is not Tile.UNKNOWN
        drawn = _held(bodies, event.seat, (event.tile,))[0] if known else None
        return hand_shown(bodies, event.seat, order, apart=drawn)
    bodies = hand_shown(bodies, event.seat, order)
    return winning_tile_fetched(bodies, event.from_seat, event.tile) if fetch else bodies


def _sorted(rack: tuple[int, ...], wild: Tile | None) -> tuple[int, ...]:
    """Wild tiles leftmost, then by kind."""
    return tuple(sorted(rack, key=lambda body: (face(body) is not wild, body)))


def _in_order(bodies: Bodies, seat: int, wild: Tile | None) -> Bodies:
    return sorted_rack(bodies, seat, _sorted(bodies.racks[seat], wild))


def _all_in_order(bodies: Bodies, wild: Tile | None) -> Bodies:
    for seat in range(4):
        bodies = _in_order(bodies, seat, wild)
    return bodies
