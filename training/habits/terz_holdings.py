"""Terz: the melds in a hand, sorted by class and by what stands against them."""

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.melds import (
    four_cards,
    four_strength,
    fours_held,
    run_action,
    run_can_score,
    run_cards,
    run_length,
    run_strength,
    run_tops,
    strongest_meld,
)
from terz_env.games.terz.state import (
    BLOCKING,
    FOUR,
    GROWTH,
    HAND,
    LEGAL,
    MARRIAGE,
    RULES,
    SCORED,
    SCORED_FOURS,
    State,
    get,
    seat_to_act,
    trump_suit,
)
from terz_env.kernel import inline, kernel, lowest, row_of

CLASSES = ("run_3", "run_4", "run_5", "four_jacks", "four_others", "marriage")
"""The classes of melds; `run_5` holds the longer runs too."""
HELD, BEATABLE, WAITING, USED = 0, len(CLASSES), len(CLASSES) + 1, len(CLASSES) + 2
N_COLUMNS = len(CLASSES) + 3
"""Columns of `read_melds`: names a class that may be announced; those that the opponent can beat
now; the cards of runs and fours that may still score; those of held ones that may not."""


@inline
def _sort_runs(
    state: State, seat: int, legal: int, blocker: int, columns: NDArray[np.int64]
) -> None:
    hand, scored = state[HAND + seat], state[SCORED + seat]
    growth = get(state, RULES, GROWTH, 1)
    tops = run_tops(hand)
    while tops != 0:
        top = lowest(tops)
        tops &= tops - 1
        action, length = run_action(top), run_length(hand, top)
        cards = run_cards(hand, top)
        if not run_can_score(cards, scored, growth):
            columns[USED] |= cards
            continue
        columns[WAITING] |= cards
        if (legal >> action) & 1:
            columns[HELD + min(length, 5) - 3] |= 1 << action
            if blocker > run_strength(length, top, trump_suit(state)):
                columns[BEATABLE] |= 1 << action


@inline
def _sort_fours(
    state: State, seat: int, legal: int, blocker: int, columns: NDArray[np.int64]
) -> None:
    for rank in range(4):
        if not (fours_held(state[HAND + seat]) >> rank) & 1:
            continue
        action = FOUR + rank
        cards = four_cards(action)
        if (state[SCORED + seat] >> (SCORED_FOURS + rank)) & 1:
            columns[USED] |= cards
            continue
        columns[WAITING] |= cards
        if (legal >> action) & 1:
            columns[HELD + (3 if rank == 0 else 4)] |= 1 << action
            if blocker > four_strength(action):
                columns[BEATABLE] |= 1 << action


@kernel
def read_melds(states: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
    """Writes what the seats to act hold of melds ``(N, N_COLUMNS)``, zeros at first."""
    for row in range(states.shape[0]):
        state, own = row_of(states, row), row_of(columns, row)
        seat = seat_to_act(state)
        legal = state[LEGAL]
        growth = get(state, RULES, GROWTH, 1)
        unscored = get(state, RULES, BLOCKING, 1)
        rival, scored = state[HAND + 1 - seat], state[SCORED + 1 - seat]
        blocker = strongest_meld(rival, scored, unscored, growth, trump_suit(state)) >> 7
        _sort_runs(state, seat, legal, blocker, own)
        _sort_fours(state, seat, legal, blocker, own)
        if (legal >> MARRIAGE) & 1:
            own[HELD + 5] |= 1 << MARRIAGE
