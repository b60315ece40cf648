"""Terz: the facts of a position, for all that is not compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env import facts as fact
from terz_env.games.terz.rules import next_dealer
from terz_env.games.terz.scoring import recorded_points
from terz_env.games.terz.state import (
    ALL_TRICKS,
    BREAK_PENDING,
    CARD_POINTS,
    CARD_POINTS_MASK,
    DEALER,
    DEDUCTIONS,
    HAND,
    HAS_LED,
    HAS_WINNER,
    KNOWN,
    LEADER,
    LED,
    MELD_POINTS,
    N_SEATS,
    POINTS,
    RAISES,
    RULES,
    SCORES,
    TABLE,
    TRUMP_CARD,
    WIDE,
    WINNER,
    State,
    get,
    is_deal_over,
    is_episode_over,
    seat_to_act,
    talon_size,
    trick_number,
)
from terz_env.kernel import kernel


@kernel
def read_facts(state: State, facts: NDArray[np.int64]) -> None:
    """Writes the facts of a position into `facts` (N_FACTS,); see `terz_env.facts`."""
    facts[:] = -1
    over = is_deal_over(state)
    facts[fact.SEAT_TO_ACT] = -1 if over else seat_to_act(state)
    facts[fact.DEAL_IS_OVER] = over
    facts[fact.IS_OVER] = is_episode_over(state)
    facts[fact.DEALER] = get(state, TABLE, DEALER, 1)
    facts[fact.NEXT_DEALER] = next_dealer(state)
    if get(state, TABLE, HAS_WINNER, 1):
        facts[fact.WINNER] = get(state, TABLE, WINNER, 1)
    facts[fact.TRICK] = min(trick_number(state) + 1, get(state, RULES, ALL_TRICKS, 31))
    facts[fact.LEADER] = get(state, TABLE, LEADER, 1)
    facts[fact.ON_TABLE] = get(state, TABLE, HAS_LED, 1)
    facts[fact.TABLE_CARDS] = get(state, TABLE, LED, 31)
    facts[fact.TRUMP_CARD] = get(state, TABLE, TRUMP_CARD, 31)
    facts[fact.TALON_SIZE] = talon_size(state)
    facts[fact.BREAK_PENDING] = get(state, TABLE, BREAK_PENDING, 1)
    for seat in range(N_SEATS):
        facts[fact.HANDS + seat] = state[HAND + seat]
        facts[fact.KNOWN + seat] = state[KNOWN + seat]
        facts[fact.SCORES + seat] = state[SCORES + seat]
        facts[fact.RAISES + seat] = state[RAISES + seat]
        facts[fact.CARD_POINTS + seat] = get(state, POINTS + seat, CARD_POINTS, CARD_POINTS_MASK)
        facts[fact.MELD_POINTS + seat] = get(state, POINTS + seat, MELD_POINTS, WIDE)
        facts[fact.RECORDED_POINTS + seat] = recorded_points(state, seat)
        facts[fact.DEDUCTIONS + seat] = get(state, POINTS + seat, DEDUCTIONS, WIDE)
