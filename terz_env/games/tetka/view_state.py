"""Tetka: everything there is, hidden cards included (the `state` view)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.observation import CARDS, SEATS, observe
from terz_env.games.tetka.observation import LAYOUT as OBSERVATION
from terz_env.games.tetka.state import (
    ALL_CARDS,
    FORFEITED,
    HAND,
    PLAYED,
    REVOKES,
    SCORE_BITS,
    TABLE,
    State,
    get,
    is_deal_over,
    score_of,
    seat_to_act,
)
from terz_env.kernel import inline
from terz_env.observation import put
from terz_env.readings import number, one_of, set_of

LAYOUT = OBSERVATION.extended(
    ("hand_left", 52, "cards of the left neighbour", set_of(CARDS)),
    ("hand_opposite", 52, "cards of the seat opposite", set_of(CARDS)),
    ("hand_right", 52, "cards of the right neighbour", set_of(CARDS)),
    ("own_played", 52, "cards that the seat has played", set_of(CARDS)),
    ("to_act", 4, "who is to act, relative seat one-hot; empty at the end", one_of(SEATS)),
    ("revokes", 16, "revokes of each relative seat, 4 bits", number(1, SEATS)),
    ("exact_scores", 60, "running score of each relative seat, 15 bits", number(1, SEATS)),
    ("over", 1, "the deal is over"),
    ("forfeited", 4, "who has forfeited", one_of(SEATS)),
)
_HANDS, _OWN_PLAYED = LAYOUT.field("hand_left").offset, LAYOUT.field("own_played").offset
_TO_ACT, _REVOKES = LAYOUT.field("to_act").offset, LAYOUT.field("revokes").offset
_SCORES, _OVER = LAYOUT.field("exact_scores").offset, LAYOUT.field("over").offset
_FORFEITED = LAYOUT.field("forfeited").offset


@inline
def whole_state(state: State, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the observation of a seat and everything that it does not see."""
    for index in range(words.shape[0]):
        words[index] = 0
    observe(state, seat, words)
    for step in range(1, 4):
        put(words, _HANDS + 52 * (step - 1), 52, state[HAND + ((seat + step) & 3)])
    put(words, _OWN_PLAYED, 52, state[PLAYED + seat] & ALL_CARDS)
    acts = 1 << ((seat_to_act(state) - seat) & 3)
    over = is_deal_over(state)
    put(words, _TO_ACT, 4, 0 if over else acts)
    put(words, _FORFEITED, 4, acts if get(state, TABLE, FORFEITED, 1) else 0)
    put(words, _OVER, 1, over)
    for step in range(4):
        whose = (seat + step) & 3
        put(words, _REVOKES + 4 * step, 4, (state[PLAYED + whose] >> REVOKES) & 15)
        put(words, _SCORES + SCORE_BITS * step, SCORE_BITS, score_of(state, whose))
