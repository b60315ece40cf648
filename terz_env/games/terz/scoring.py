"""Terz: the end of a deal and of a match (T23, T24, T28)."""

from __future__ import annotations

from terz_env.games.terz.state import (
    CARD_POINTS,
    CARD_POINTS_MASK,
    DEAL_OVER,
    DEDUCTIONS,
    EPISODE_OVER,
    FORFEITED,
    HAS_WINNER,
    MATCH,
    MELD_POINTS,
    OFFENDER,
    PLAYED_OUT,
    POINTS,
    RAISES,
    ROUNDING,
    RULES,
    SCORES,
    TABLE,
    TARGET_SETTLE,
    WIDE,
    WINNER,
    State,
    get,
)
from terz_env.kernel import inline

NEAREST_HALF_DOWN, FLOOR, ONLY_FIVES = 0, 1, 2
FORFEIT_POINTS = 150
_TARGET_MASK = (1 << 16) - 1


@inline
def rounded(points: int, rounding: int) -> int:
    """Rounds the card points of a deal (Rule T23)."""
    if rounding == NEAREST_HALF_DOWN:
        return (points + 4) // 10 * 10
    if rounding == FLOOR:
        return points // 10 * 10
    if rounding == ONLY_FIVES and points % 10 == 5:
        return points - 5
    return points


@inline
def recorded_points(state: State, seat: int) -> int:
    """Returns the rounded card points of a seat (Rule T23)."""
    points = get(state, POINTS + seat, CARD_POINTS, CARD_POINTS_MASK)
    return rounded(points, get(state, RULES, ROUNDING, 3))


@inline
def deal_points(state: State, seat: int) -> int:
    """Returns a seat's points of a finished deal: cards, melds, less deductions (T23, T27, T28)."""
    melds = get(state, POINTS + seat, MELD_POINTS, WIDE)
    points = -get(state, POINTS + seat, DEDUCTIONS, WIDE)
    if get(state, TABLE, FORFEITED, 1):
        if get(state, TABLE, OFFENDER, 1) != seat:
            points += melds + FORFEIT_POINTS
    else:
        points += melds + recorded_points(state, seat)
    return points


@inline
def has_reached(state: State, seat: int, target: int) -> int:
    """Tells whether a seat's total, less its raise, reaches a target of a match (Rule T24)."""
    if not get(state, RULES, MATCH, 1):
        return 0
    total = state[SCORES + seat] - state[RAISES + seat]
    return 1 if total >= get(state, RULES, target, _TARGET_MASK) else 0


@inline
def win_match(state: State, seat: int) -> None:
    """Ends the match in favour of a seat."""
    state[TABLE] |= (1 << DEAL_OVER) | (1 << EPISODE_OVER) | (1 << HAS_WINNER) | (seat << WINNER)


@inline
def end_deal(state: State) -> None:
    """Adds the rounded card points and settles the match (Rules T23, T24)."""
    state[TABLE] |= (1 << DEAL_OVER) | (1 << PLAYED_OUT)
    for seat in range(2):
        state[SCORES + seat] += recorded_points(state, seat)
    if not get(state, RULES, MATCH, 1):
        state[TABLE] |= 1 << EPISODE_OVER
        return
    lead = (state[SCORES] - state[RAISES]) - (state[SCORES + 1] - state[RAISES + 1])
    if lead > 0 and has_reached(state, 0, TARGET_SETTLE):
        win_match(state, 0)
    elif lead < 0 and has_reached(state, 1, TARGET_SETTLE):
        win_match(state, 1)


@inline
def result(state: State, seat: int) -> int:
    """Returns what a seat receives: the difference of the deal's points, or ±1 for a match."""
    if get(state, RULES, MATCH, 1):
        return win_sign(state, seat)
    return deal_points(state, seat) - deal_points(state, 1 - seat)


@inline
def win_sign(state: State, seat: int) -> int:
    """Returns 1 for the winner of a match, -1 for the loser."""
    return 1 if get(state, TABLE, WINNER, 1) == seat else -1


@inline
def points_so_far(state: State, seat: int) -> int:
    """Returns a seat's points of the deal in progress: cards unrounded, melds, less deductions."""
    points = get(state, POINTS + seat, CARD_POINTS, CARD_POINTS_MASK)
    points += get(state, POINTS + seat, MELD_POINTS, WIDE)
    return points - get(state, POINTS + seat, DEDUCTIONS, WIDE)


@inline
def standing(state: State, seat: int) -> float:
    """Returns what a seat would receive if the points counted so far were settled now.

    Within a match: the lead, cards of the deal in progress included, over twice the target.
    """
    other = 1 - seat
    if get(state, TABLE, EPISODE_OVER, 1):
        return float(result(state, seat))
    if not get(state, RULES, MATCH, 1):
        return float(points_so_far(state, seat) - points_so_far(state, other))
    lead = state[SCORES + seat] - state[RAISES + seat]
    lead -= state[SCORES + other] - state[RAISES + other]
    if not get(state, TABLE, DEAL_OVER, 1):
        lead += get(state, POINTS + seat, CARD_POINTS, CARD_POINTS_MASK)
        lead -= get(state, POINTS + other, CARD_POINTS, CARD_POINTS_MASK)
    return lead / (2.0 * get(state, RULES, TARGET_SETTLE, _TARGET_MASK))
