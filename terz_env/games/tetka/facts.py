"""Tetka: the facts of a position, for all that is not compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env import facts as fact
from terz_env.games.tetka.rules import next_dealer
from terz_env.games.tetka.state import (
    COUNT,
    DEALER,
    HAND,
    LEADER,
    N_SEATS,
    N_TRICKS,
    PHOTO,
    TABLE,
    TRICK,
    State,
    counting_trick,
    get,
    is_deal_over,
    is_episode_over,
    marks_of,
    score_of,
    seat_to_act,
    tricks_of,
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
    facts[fact.DEALER] = get(state, TABLE, DEALER, 3)
    facts[fact.NEXT_DEALER] = next_dealer(state)
    facts[fact.TRICK] = min(get(state, TABLE, TRICK, 15) + 1, get(state, TABLE, N_TRICKS, 15))
    facts[fact.LEADER] = get(state, TABLE, LEADER, 3)
    count = get(state, TABLE, COUNT, 3)
    facts[fact.ON_TABLE] = count
    for place in range(count):
        facts[fact.TABLE_CARDS + place] = get(state, TABLE, 6 * place, 63)
    facts[fact.TALON_SIZE] = 0
    facts[fact.BREAK_PENDING] = 0
    facts[fact.PHOTO] = get(state, TABLE, PHOTO, 63)
    facts[fact.COUNTING_TRICK] = counting_trick(state)
    for seat in range(N_SEATS):
        facts[fact.HANDS + seat] = state[HAND + seat]
        facts[fact.KNOWN + seat] = 0
        facts[fact.SCORES + seat] = score_of(state, seat)
        facts[fact.MARKS + seat] = marks_of(state, seat)
        facts[fact.TRICK_COUNTS + seat] = tricks_of(state, seat)
