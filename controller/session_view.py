"""What people see of a session at one moment. Pure."""

from controller.machine import Machine
from controller.session_play import Play
from controller.timers import deadline
from controller.view import TableView
from controller.view_rules import told


def view_of(play: Play, machine: Machine, now: float, *, heartbeat_s: float) -> TableView:
    """Everything that is published of the table."""
    return TableView(
        players=play.players,
        rules=play.rules.name,
        start_points=play.rules.start_points,
        heartbeat=max(1, round(heartbeat_s)),
        match=play.match,
        shown_hand=play.shown_hand,
        balances=play.balances,
        table=play.table,
        deadline=deadline(play.table, play.timers, play.moved_at) if play.playing else None,
        playing=play.playing,
        ended=play.ended,
        dice=play.dice.values,
        machine=machine,
        doubts=tuple(doubt for doubt in (play.doubt, play.ruling) if doubt is not None),
        settlement=play.settlement,
        history=play.history.points(play.shown_hand[1]),
        ranking=play.ranking,
        corrections=tuple(one.correction for one in play.history.deals if one.correction is not None),
        paused=play.paused,
        locked=play.locked,
        told=told(play.rules, play.table, play.balances, playing=play.playing),
        tallies=play.tallies,
        now=now,
    )
