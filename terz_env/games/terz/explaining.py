"""Terz: why an action is not lawful (T8–T13, T15, T18, T20, T22, T28)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.explaining import Reason
from terz_env.game import Game
from terz_env.games.terz.melds import holds_meld, run_cards, run_top
from terz_env.games.terz.rules import LAST_ANNOUNCING_TRICK, is_legal
from terz_env.games.terz.state import (
    BREAK_PENDING,
    FOLLOW,
    FOUR,
    GROWTH,
    HAND,
    LANE,
    LED,
    MARRIAGE,
    N_ACTIONS,
    RULES,
    RUN,
    SCORED,
    SCORED_FOURS,
    SCORED_MARRIAGE,
    SEVEN,
    SEVEN_MIN,
    TABLE,
    TALON_TRICKS,
    TRUMP_JACK,
    State,
    get,
    seat_to_act,
    talon_size,
    trick_number,
    trump_suit,
)
from terz_env.games.terz.tricks import JACK, NOT_FORCED, follow, legal_cards
from terz_env.kernel import inline, kernel

(
    LAWFUL, UNKNOWN, PENDING, NO_BREAK, NOT_HELD, FOLLOW_SUIT, SUIT_OR_TRUMP, TRUMP,
    FOLLOW_CLOSED, BEAT, TRUMP_CLOSED, NO_RUN, NO_FOUR, NO_MARRIAGE, LATE, RUN_SCORED, RUN_SHARES,
    FOUR_SCORED, MARRIAGE_SCORED, TWICE, NO_SEVEN, SMALL_TALON,
) = range(22)  # fmt: skip

_REASONS = {
    UNKNOWN: ("unknown", "T28"),
    PENDING: ("pending", "T8"),
    NO_BREAK: ("no_break", "T8"),
    NOT_HELD: ("not_held", "T28"),
    FOLLOW_SUIT: ("must_follow", "T10"),
    SUIT_OR_TRUMP: ("suit_or_trump", "T10"),
    TRUMP: ("must_trump", "T10"),
    FOLLOW_CLOSED: ("must_follow", "T11"),
    BEAT: ("must_beat", "T11"),
    TRUMP_CLOSED: ("must_trump", "T11"),
    NO_RUN: ("no_run", "T15"),
    NO_FOUR: ("no_four", "T14"),
    NO_MARRIAGE: ("no_marriage", "T22"),
    LATE: ("late", "T18"),
    RUN_SCORED: ("run_scored", "T20"),
    RUN_SHARES: ("run_shares", "T20"),
    FOUR_SCORED: ("four_scored", "T20"),
    MARRIAGE_SCORED: ("marriage_scored", "T22"),
    TWICE: ("twice", "T18"),
    NO_SEVEN: ("no_seven", "T13"),
    SMALL_TALON: ("small_talon", "T13"),
}
_CODE, _CARDS, _LED, _TALON = range(4)


@inline
def _judge_card(state: State, card: int, found: NDArray[np.int64]) -> int:
    """Returns why a card may not be played, and writes the cards that the rule speaks of."""
    hand = state[HAND + seat_to_act(state)]
    if not (hand >> card) & 1:
        return NOT_HELD
    trump = trump_suit(state)
    jack = 8 * trump + JACK
    rest = hand
    if card != jack and get(state, RULES, TRUMP_JACK, 3) <= NOT_FORCED:
        rest &= ~(1 << jack)  # the other cards answer as if the jack were not there (Rule T12)
    led = get(state, TABLE, LED, 31)
    closed = 1 if trick_number(state) >= get(state, RULES, TALON_TRICKS, 15) else 0
    wanted = follow(rest, led, trump, closed, get(state, RULES, FOLLOW, 3))
    suit = LANE << (8 * (led >> 3))
    trumps = LANE << (8 * trump)
    found[_LED] = led
    found[_CARDS] = hand & suit
    if wanted & ~suit == 0:
        if closed and (suit >> card) & 1:
            found[_CARDS] = legal_cards(state) & suit
            return BEAT
        return FOLLOW_CLOSED if closed else FOLLOW_SUIT
    if rest & suit:
        found[_CARDS] = hand & (suit | trumps)
        return SUIT_OR_TRUMP
    found[_CARDS] = hand & trumps
    return TRUMP_CLOSED if closed else TRUMP


@inline
def _judge_meld(state: State, action: int) -> int:
    """Returns why a meld may not be announced."""
    seat = seat_to_act(state)
    hand, scored = state[HAND + seat], state[SCORED + seat]
    if not holds_meld(hand, action, trump_suit(state)):
        if action < FOUR:
            return NO_RUN
        return NO_FOUR if action < MARRIAGE else NO_MARRIAGE
    if action == MARRIAGE:
        return MARRIAGE_SCORED if (scored >> SCORED_MARRIAGE) & 1 else TWICE
    if trick_number(state) >= LAST_ANNOUNCING_TRICK:
        return LATE
    if action >= FOUR:
        return FOUR_SCORED if (scored >> (SCORED_FOURS + action - FOUR)) & 1 else TWICE
    cards = run_cards(hand, run_top(action))
    if cards & ~scored == 0:
        return RUN_SCORED
    if get(state, RULES, GROWTH, 1) and cards & scored:
        return RUN_SHARES
    return TWICE


@inline
def _judge(state: State, action: int, found: NDArray[np.int64]) -> int:
    """Returns why an action of the seat to act is not lawful, `LAWFUL` where it is."""
    if is_legal(state, action):
        return LAWFUL
    if action < 0 or action >= N_ACTIONS:
        return UNKNOWN
    if get(state, TABLE, BREAK_PENDING, 1):
        return PENDING
    if action < RUN:
        return _judge_card(state, action, found)
    if action < SEVEN:
        return _judge_meld(state, action)
    if action > SEVEN:
        return NO_BREAK
    seven = state[HAND + seat_to_act(state)] >> (8 * trump_suit(state))
    return SMALL_TALON if seven & 1 else NO_SEVEN


@kernel
def judge_one(state: State, action: int, found: NDArray[np.int64]) -> None:
    """Writes why an action is not lawful into `found` (4,): code, cards, led card, talon."""
    found[_TALON] = talon_size(state)
    found[_CODE] = _judge(state, action, found)


def why_not(game: Game, words: State, action: int) -> Reason | None:
    """Returns why an action of the seat to act is not lawful, None where it is.

    Args:
        game: Terz or one of its small relatives.
        words: The position; the deal is not over.
        action: The number that the kernels know the action by, -1 for none.
    """
    found = np.zeros(4, dtype=np.int64)
    judge_one(words, action, found)
    code, cards, led, talon = found.tolist()
    if code == LAWFUL:
        return None
    key, rule = _REASONS[code]
    if code == SMALL_TALON:
        needed = int(words[RULES]) >> SEVEN_MIN & 7
        return Reason(key=key, rule=rule, talon=talon, needed=needed)
    if not FOLLOW_SUIT <= code <= TRUMP_CLOSED:
        return Reason(key=key, rule=rule)
    held = tuple(game.deck.members(cards))
    return Reason(key=key, rule=rule, led=game.deck.names[led], cards=held)
