"""Terz: kernels that complete a position of which only the independent facts are given."""

from __future__ import annotations

from terz_env.games.terz.announcing import LEAST_RUN_VALUE, MARRIAGE_VALUE, compared_bits
from terz_env.games.terz.melds import (
    four_value,
    holds_meld,
    run_length,
    run_top,
    run_value,
)
from terz_env.games.terz.rules import forfeit, refresh_legal
from terz_env.games.terz.scoring import end_deal, has_reached, win_match
from terz_env.games.terz.state import (
    EVENT,
    EVENT_LENGTH,
    EVENT_OUTCOME,
    EVENT_POINTS,
    EVENT_SCORED,
    EVENT_SEAT,
    EVENT_SHOWN,
    FOUR,
    HAND,
    MARRIAGE,
    OUTCOME_BEATEN,
    OUTCOME_SCORED,
    TARGET_ANNOUNCE,
    State,
    get,
    seat_to_act,
    trump_suit,
)
from terz_env.games.terz.tricks import beats
from terz_env.kernel import inline, kernel

GOES_ON, PLAYED_OUT, FORFEIT = 0, 1, 2


@inline
def _value(hand: int, action: int) -> int:
    """Returns the points of a meld that is held; of a false run the least (Rules T14, T27)."""
    if action < FOUR:
        length = run_length(hand, run_top(action))
        return run_value(length) if length >= 3 else LEAST_RUN_VALUE
    return four_value(action) if action < MARRIAGE else MARRIAGE_VALUE


@kernel
def holds(state: State, seat: int, action: int) -> int:
    """Tells whether a seat holds the named meld."""
    return holds_meld(state[HAND + seat], action, trump_suit(state))


@kernel
def reply_wins(led: int, reply: int, trump: int) -> int:
    """Tells whether the reply takes the trick (Rule T6)."""
    return beats(led, reply, trump)


@kernel
def write_event(state: State, action: int, outcome: int, shown: int, scored: int) -> None:
    """Writes what an announcement of the seat to act made public (Rule T21).

    Args:
        state: The position after the announcement.
        action: The meld announced.
        outcome: One of the outcomes of an announcement.
        shown: The beating meld of the opponent; of no account otherwise.
        scored: Whether the beating meld has scored.
    """
    seat = seat_to_act(state)
    hand, rival = state[HAND + seat], state[HAND + 1 - seat]
    length = 0
    if action < FOUR and outcome <= OUTCOME_BEATEN:
        length = run_length(hand, run_top(action))
    event = action | (seat << EVENT_SEAT) | (outcome << EVENT_OUTCOME) | (length << EVENT_LENGTH)
    if outcome == OUTCOME_SCORED:
        event |= ((action + 1) << EVENT_SHOWN) | ((2 | seat) << EVENT_SCORED)
        event |= _value(hand, action) << EVENT_POINTS
    elif outcome == OUTCOME_BEATEN:
        event |= (shown + 1) << EVENT_SHOWN
        if scored:
            event |= ((2 | (1 - seat)) << EVENT_SCORED) | (_value(rival, shown) << EVENT_POINTS)
        event |= compared_bits(rival, action, length, shown)
    else:
        value = four_value(action) if FOUR <= action < MARRIAGE else LEAST_RUN_VALUE
        event |= value << EVENT_POINTS
    state[EVENT] = event


@kernel
def complete(state: State, ending: int) -> None:
    """Ends the deal as it ended, and computes the legal actions.

    Args:
        state: A position with the scores of the moment before its end.
        ending: GOES_ON (or a meld has just won the match), PLAYED_OUT or FORFEIT.
    """
    scorer = get(state, EVENT, EVENT_SCORED, 3)
    if ending == PLAYED_OUT:
        end_deal(state)
    elif ending == FORFEIT:
        forfeit(state)
    elif scorer >= 2 and has_reached(state, scorer & 1, TARGET_ANNOUNCE):
        win_match(state, scorer & 1)
    refresh_legal(state)
