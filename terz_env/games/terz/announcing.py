"""Terz: announcing melds, the contest, what becomes public, false announcements (T18–T22, T27)."""

from __future__ import annotations

from terz_env.games.terz.melds import (
    four_strength,
    four_value,
    holds_meld,
    meld_cards,
    run_length,
    run_strength,
    run_top,
    run_value,
    strongest_meld,
)
from terz_env.games.terz.scoring import has_reached, win_match
from terz_env.games.terz.state import (
    ANNOUNCED,
    BEATEN,
    BLOCKING,
    BREAK_PENDING,
    DEDUCTIONS,
    EVENT,
    EVENT_LENGTH,
    EVENT_OUTCOME,
    EVENT_POINTS,
    EVENT_SCORED,
    EVENT_SEAT,
    EVENT_SHOWN,
    EVENT_TOP,
    EVENT_TRUMP,
    FALSE_ANNOUNCED,
    FOUR,
    GROWTH,
    HAND,
    KNOWN,
    MARRIAGE,
    MATCH,
    MELD_POINTS,
    OUTCOME_BEATEN,
    OUTCOME_FALSE,
    OUTCOME_SCORED,
    PLAYED,
    POINTS,
    RAISES,
    RULES,
    RUN,
    SCORED,
    SCORED_FOURS,
    SCORED_MARRIAGE,
    SCORES,
    SEVEN,
    TABLE,
    TARGET_ANNOUNCE,
    State,
    get,
    seat_to_act,
    trump_suit,
)
from terz_env.kernel import inline

MARRIAGE_VALUE = 20
LEAST_RUN_VALUE = 20


@inline
def record_meld(state: State, seat: int, action: int) -> int:
    """Scores and shows a meld; ends the match at the target (Rules T14, T20–T22, T24)."""
    trump = trump_suit(state)
    cards = meld_cards(state[HAND + seat], action, trump)
    if action < FOUR:
        state[SCORED + seat] |= cards
        value = run_value(run_length(state[HAND + seat], run_top(action)))
    elif action < MARRIAGE:
        state[SCORED + seat] |= 1 << (SCORED_FOURS + action - FOUR)
        value = four_value(action)
    else:
        state[SCORED + seat] |= 1 << SCORED_MARRIAGE
        value = MARRIAGE_VALUE
    state[KNOWN + seat] |= cards
    state[POINTS + seat] += value << MELD_POINTS
    state[SCORES + seat] += value
    if has_reached(state, seat, TARGET_ANNOUNCE):
        win_match(state, seat)
    return value


@inline
def compared_bits(rival: int, action: int, length: int, shown: int) -> int:
    """Returns which of its traits a beaten announcement makes public, as bits of the event.

    Its top rank where the opponent's meld is of the same class, and whether it is in trumps where
    the top ranks are equal too (Rule T21).

    Args:
        rival: The opponent's hand.
        action: The meld announced.
        length: The length of the run announced, 0 for a four.
        shown: The opponent's meld that beats it.
    """
    if action >= FOUR:
        return 1 << EVENT_TOP if shown >= FOUR else 0
    if shown >= FOUR or run_length(rival, run_top(shown)) != length:
        return 0
    same_rank = run_top(shown) & 7 == run_top(action) & 7
    return (1 << EVENT_TOP) | (1 << EVENT_TRUMP if same_rank else 0)


@inline
def announce(state: State, action: int) -> None:
    """Announces a meld: the contest, who records, and what becomes public (Rules T18–T22)."""
    seat = seat_to_act(state)
    other = 1 - seat
    state[ANNOUNCED] |= 1 << action
    event = action | (seat << EVENT_SEAT)
    if action == MARRIAGE:
        value = record_meld(state, seat, action)
        event |= (OUTCOME_SCORED << EVENT_OUTCOME) | ((action + 1) << EVENT_SHOWN)
        event |= ((2 | seat) << EVENT_SCORED) | (value << EVENT_POINTS)
        state[EVENT] = event
        return
    hand = state[HAND + seat]
    trump = trump_suit(state)
    length = 0
    if action < FOUR:
        length = run_length(hand, run_top(action))
        strength = run_strength(length, run_top(action), trump)
    else:
        strength = four_strength(action)
    event |= length << EVENT_LENGTH
    growth = get(state, RULES, GROWTH, 1)
    only_unscored = get(state, RULES, BLOCKING, 1)
    rival = state[HAND + other]
    blocker = strongest_meld(rival, state[SCORED + other], only_unscored, growth, trump)
    if blocker >> 7 <= strength:
        value = record_meld(state, seat, action)
        event |= (OUTCOME_SCORED << EVENT_OUTCOME) | ((action + 1) << EVENT_SHOWN)
        event |= ((2 | seat) << EVENT_SCORED) | (value << EVENT_POINTS)
        state[EVENT] = event
        return
    state[PLAYED + seat] |= 1 << (BEATEN + (6 if length == 0 else length - 3))
    shown = blocker & 127
    scoring = strongest_meld(rival, state[SCORED + other], 1, growth, trump)
    if scoring >> 7 > strength:
        shown = scoring & 127
        value = record_meld(state, other, shown)
        event |= ((2 | other) << EVENT_SCORED) | (value << EVENT_POINTS)
    else:
        state[KNOWN + other] |= meld_cards(rival, shown, trump)
    event |= compared_bits(rival, action, length, shown)
    state[EVENT] = event | (OUTCOME_BEATEN << EVENT_OUTCOME) | ((shown + 1) << EVENT_SHOWN)


@inline
def is_false_announcement(state: State, action: int) -> int:
    """Tells whether an illegal action is a first false announcement of the turn (Rule T27)."""
    if action < RUN or action >= SEVEN or get(state, TABLE, BREAK_PENDING, 1):
        return 0
    if get(state, TABLE, FALSE_ANNOUNCED, 1):
        return 0
    return 1 - holds_meld(state[HAND + seat_to_act(state)], action, trump_suit(state))


@inline
def announce_falsely(state: State, action: int) -> None:
    """Charges a false announcement: a raise in a match, else a deduction (Rule T27)."""
    seat = seat_to_act(state)
    value = LEAST_RUN_VALUE
    if FOUR <= action < MARRIAGE:
        value = four_value(action)
    state[ANNOUNCED] |= 1 << action
    state[TABLE] |= 1 << FALSE_ANNOUNCED
    if get(state, RULES, MATCH, 1):
        state[RAISES + seat] += value
    else:
        state[POINTS + seat] += value << DEDUCTIONS
        state[SCORES + seat] -= value
    event = action | (seat << EVENT_SEAT) | (OUTCOME_FALSE << EVENT_OUTCOME)
    state[EVENT] = event | (value << EVENT_POINTS)
