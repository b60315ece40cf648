"""Terz: reads a position from its fields (docs/notation.md)."""

from __future__ import annotations

import numpy as np

from terz_env import facts as fact
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.terz.actions import ACTIONS
from terz_env.games.terz.facts import read_facts
from terz_env.games.terz.notation.cards import (
    AUTO_BREAK,
    BREAK_SIZES,
    Cards,
    read_cards,
)
from terz_env.games.terz.notation.completing import FORFEIT, GOES_ON, PLAYED_OUT, complete
from terz_env.games.terz.notation.tallies import Tallies
from terz_env.games.terz.position import (
    check_raises,
    check_totals,
    pack_talon,
)
from terz_env.games.terz.rules import PENALISE, RAISE
from terz_env.games.terz.scoring import FORFEIT_POINTS
from terz_env.games.terz.state import (
    ALL_TRICKS,
    BREAK_CHOICE,
    BREAK_PENDING,
    BREAK_SIZE,
    DEAL,
    DEALER,
    EVENT,
    EVENT_SCORED,
    FULL_GAME,
    HAND,
    HAS_LAST,
    HAS_LED,
    ILLEGAL,
    LAST_LEADER,
    LAST_LED,
    LAST_REPLY,
    LEADER,
    LED,
    MATCH,
    N_SEATS,
    PLAYED,
    RAISES,
    RULES,
    SCORES,
    TABLE,
    TALON,
    TRICK,
    TRUMP_CARD,
    State,
)
from terz_env.notation import (
    MAX_DEAL,
    MAX_NUMBER,
    Fields,
)
from terz_env.ruleset import RuleSet

FIELDS = (
    "dealer",
    "deal",
    "trump",
    "trick",
    "leader",
    "hands",
    "table",
    "last",
    "talon",
    "drawn",
    "break",
    "played",
    "known",
    "scored",
    "announced",
    "false",
    "beaten",
    "event",
    "points",
    "melds",
    "deductions",
    "scores",
    "raises",
    "forfeit",
)


def read_fields(game: Game, rules: RuleSet, scope: str, fields: Fields) -> State:
    """Returns the words of the position that the fields tell.

    Raises:
        PositionError: No play leads to such a position, or a field is wrong or unknown.
    """
    fields.check_names(game.name, FIELDS)
    config = game.config_word(rules, scope)
    dealer = fields.number("dealer", 0, 0, N_SEATS - 1)
    cards = read_cards(game, config, dealer, fields)
    words = np.zeros(game.n_words, dtype=np.int64)
    words[RULES] = config
    words[DEAL] = fields.number("deal", 0, 0, MAX_DEAL)
    _place(words, cards, dealer, _break_size(config, fields, cards))
    ending = _ending(config, fields, cards)
    Tallies(ACTIONS, cards, fields, words).read(
        full=bool(config >> FULL_GAME & 1),
        penalise=config >> ILLEGAL & 3 == PENALISE,
        match=bool(config >> MATCH & 1),
        over=ending == PLAYED_OUT,
    )
    _set_scores(rules, scope, words, fields, ending)
    complete(words, ending)
    return words


def _place(words: State, cards: Cards, dealer: int, break_size: int) -> None:
    """Writes the cards, the talon and the table."""
    table = (dealer << DEALER) | (cards.leader << LEADER) | ((cards.trick - 1) << TRICK)
    table |= (cards.trump << TRUMP_CARD) | (int(cards.pending) << BREAK_PENDING)
    table |= break_size << BREAK_SIZE
    if cards.last:
        leader, led, reply = cards.last
        table |= led << LED
        table |= (led << LAST_LED) | (reply << LAST_REPLY) | (1 << HAS_LAST)
        table |= leader << LAST_LEADER
    for seat in range(N_SEATS):
        words[HAND + seat] = cards.hands[seat]
        words[PLAYED + seat] = cards.played[seat]
    if cards.table:
        led, leader = cards.table
        table = (table & ~31) | (led << LED) | (1 << HAS_LED)
        words[PLAYED + leader] |= 1 << led
    words[TABLE] = table
    words[TALON : TALON + 2] = pack_talon([*cards.talon, cards.trump])


def _break_size(config: int, fields: Fields, cards: Cards) -> int:
    """Returns the size of the break that has been made, 0 before it (Rule T8)."""
    choice = config >> BREAK_CHOICE & 1
    if cards.pending:
        if not choice:
            raise fields.refuse("break", "it waits under break_deck=choose only (Rule T8)")
        return 0
    made = bool(config >> FULL_GAME & 1) and cards.trick > 1
    if not made:
        if fields.has("break"):
            raise fields.refuse("break", "the deck is not broken yet, or never (Rule T8)")
        return 0
    low, high = (1, BREAK_SIZES) if choice else (AUTO_BREAK, AUTO_BREAK)
    return fields.number("break", AUTO_BREAK, low, high)


def _ending(config: int, fields: Fields, cards: Cards) -> int:
    """Returns how the deal has ended, if not by a meld."""
    played_out = cards.trick > config >> ALL_TRICKS & 31
    if not fields.has("forfeit"):
        return PLAYED_OUT if played_out else GOES_ON
    seat = fields.number("forfeit", 0, 0, N_SEATS - 1)
    if config >> ILLEGAL & 3 == RAISE or played_out or seat != cards.seat or fields.has("event"):
        raise fields.refuse(
            "forfeit", "the seat to act forfeits, not under raise, and nothing is announced with it"
        )
    return FORFEIT


def _set_scores(rules: RuleSet, scope: str, words: State, fields: Fields, ending: int) -> None:
    """Writes raises and the scores of the moment before the end of the deal (Rules T23–T28)."""
    facts = fact.facts_of(read_facts, words)
    raises = fields.numbers("raises", -MAX_NUMBER, MAX_NUMBER) or [0] * N_SEATS
    check_raises(scope, raises)
    melds = facts[fact.MELD_POINTS : fact.MELD_POINTS + N_SEATS]
    gained = [melds[seat] - facts[fact.DEDUCTIONS + seat] for seat in range(N_SEATS)]
    at_end = [0] * N_SEATS
    if ending == PLAYED_OUT:
        at_end = facts[fact.RECORDED_POINTS : fact.RECORDED_POINTS + N_SEATS]
    elif ending == FORFEIT and scope == "deal":
        seat = fields.number("forfeit", 0, 0, 1)
        at_end[seat], at_end[1 - seat] = -melds[seat], FORFEIT_POINTS
    scores = fields.numbers("scores", -MAX_NUMBER, MAX_NUMBER)
    if scores is None:
        before = gained
    else:
        before = [score - more for score, more in zip(scores, at_end, strict=True)]
    if scope == "match":
        _check_match(rules, int(words[EVENT]), before, melds, raises)
    words[SCORES : SCORES + N_SEATS] = before
    words[RAISES : RAISES + N_SEATS] = raises


def _check_match(
    rules: RuleSet, event: int, scores: list[int], melds: list[int], raises: list[int]
) -> None:
    """Refuses totals with which the match would have been over before (Rule T24)."""
    options = rules.to_dict()
    scorer = event >> EVENT_SCORED & 3
    for seat in range(N_SEATS):
        total = scores[seat] - raises[seat]
        if melds[seat] and total >= int(options["target_announce"]) and scorer != 2 | seat:
            raise PositionError(
                f"scores: seat_{seat} has won the match with a meld: {total} points (Rule T24)"
            )
    totals = [scores[seat] - melds[seat] - raises[seat] for seat in range(N_SEATS)]
    if options["illegal_actions"] == "penalise":
        # Some of the raises may be of this deal: the totals before it may have been equal.
        lead = totals[0] - totals[1]
        if -raises[0] <= lead <= raises[1]:
            return
    check_totals(rules, totals)
