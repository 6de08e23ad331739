"""Setting a match up between two matches: rule set, options, names. Pure."""

from dataclasses import replace

from controller.agreed import agreed, tiles_differ
from controller.journal_rows import SetupRow
from controller.match import first_match, paid, seated_by_die
from controller.session_history import difference
from controller.session_inputs import Names, SetUp
from controller.session_match import name_players, require_names
from controller.session_notes import Notes
from controller.session_play import Play
from controller.session_replies import Refused
from controller.timers import Timers
from rules import sets
from rules.ruleset import RuleSet
from rules.table import new_table


def set_up(play: Play, order: SetUp, notes: Notes) -> tuple[str, str]:
    """The coming match is played by these rules, by these people.

    Raises:
        Refused: a match has begun, or the rules can't be played here.
    """
    why = why_not_setup(play)
    if why is not None:
        raise why
    rules = _wished(play, order)
    if order.players is not None:
        require_names(order.players)
    if agreed(rules) != agreed(play.rules):
        _change(play, rules, order.author, notes)
    if order.players is not None:
        name_players(play, Names(order.players, order.author), notes)
    return _words(play)


def why_not_setup(play: Play) -> Refused | None:
    """Why no match can be set up now, None where one can."""
    if play.playing:
        return Refused("这一局还没打完；先打完或放弃", "a hand is being played: finish or abandon it first")
    hands = play.match.hand_no - 1
    if hands:
        return Refused(
            f"这一场已经打了{hands}局；打完，或先结束这一场（next_match）",
            f"{hands} hands of this match were played: play it to its end, or end it first (next_match)",
        )
    return None


def _wished(play: Play, order: SetUp) -> RuleSet:
    name = order.rules or play.rules.name
    if name not in sets.available():
        known = sets.available()
        raise Refused(
            f"没有叫{name}的规则；有：{'、'.join(known)}",
            f"rules: no rule set {name!r}, expected {' or '.join(known)}",
        )
    try:
        rules = sets.load(name, order.options)
    except ValueError as error:
        raise Refused(f"选项不行：{error}", f"options of {name}: {error}") from error
    other_tiles = tiles_differ(play.rules, rules, play.tracker.model.tile_counts)
    if other_tiles is not None:
        raise Refused(*other_tiles)
    return rules


def _change(play: Play, rules: RuleSet, author: str, notes: Notes) -> None:
    """Play by other rules from the coming match on; what a referee has moved before it stays moved."""
    before = play.rules
    moved = difference(play.match.balances, first_match(before).balances)
    fresh = replace(first_match(rules), match_no=play.match.match_no, certain=play.match.certain)
    fresh = replace(fresh, balances=paid(fresh.balances, moved))
    match = play.match
    if match.die is not None:
        fresh = seated_by_die(fresh, match.die, rules)
    elif match.seated:
        fresh = replace(fresh, dealer=match.dealer, seated=True)
    play.match, play.rules, play.tracker = fresh, rules, play.tracker.under(rules)
    play.timers = _timers(play.timers, before, rules)
    if play.deal == 0:
        play.balances, play.table = fresh.balances, new_table(rules)
    play.setups += 1
    row = SetupRow(
        setup=play.setups,
        boot=notes.boot,
        at=notes.now,
        match_no=fresh.match_no,
        rules=rules.name,
        options=agreed(rules).options or {},
        instead_of=play.defaults,
        author=author,
    )
    notes.write(row)
    notes.standing(fresh)


def _timers(timers: Timers, before: RuleSet, rules: RuleSet) -> Timers:
    """The table's own times stay; those of the rules before become those of the new ones."""
    return Timers(
        think_s=rules.think_s if timers.think_s == before.think_s else timers.think_s,
        claim_s=rules.claim_s if timers.claim_s == before.claim_s else timers.claim_s,
    )


def _words(play: Play) -> tuple[str, str]:
    rules, number = play.rules, play.match.match_no
    stake = rules.options.get("stake")
    zh, en = ("", "") if stake is None else (f"，底注{stake}", f", stake {stake}")
    return (
        f"第{number}场：{rules.zh}{zh}；{'、'.join(play.players)}",
        f"match {number}: {rules.en}{en}; {', '.join(play.players)}",
    )
