"""Terz: everything there is, hidden cards included (the `state` view)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.history import Log, drawing_tricks
from terz_env.games.terz.names import CARDS, MELDS
from terz_env.games.terz.observation import LAYOUT as OBSERVATION
from terz_env.games.terz.observation import observe
from terz_env.games.terz.state import (
    ANNOUNCED,
    CARD_POINTS,
    CARD_POINTS_MASK,
    DEAL_OVER,
    FALSE_ANNOUNCED,
    FORFEITED,
    HAND,
    HAS_WINNER,
    OFFENDER,
    POINTS,
    RAISES,
    RUN,
    SCORES,
    TABLE,
    WINNER,
    State,
    get,
    seat_to_act,
    talon_size,
)
from terz_env.games.terz.talon import talon_card
from terz_env.kernel import inline
from terz_env.observation import put
from terz_env.readings import RELATIVE_SEATS, number, one_of, set_of

FACE_DOWN = 13
SEATS = RELATIVE_SEATS[2]
_DRAWS = tuple(f"draw {place}" for place in range(1, FACE_DOWN + 1))

LAYOUT = OBSERVATION.extended(
    ("their_hand", 32, "the opponent's cards", set_of(CARDS)),
    ("talon", 416, "the face-down cards in the order of drawing", one_of(CARDS, _DRAWS)),
    ("to_act", 1, "the seat is to act"),
    ("announced", 29, "names that the opponent has announced in this turn", set_of(MELDS)),
    ("false_announced", 1, "a false announcement has been made in this turn"),
    ("points", 16, "card points of each relative seat, 8 bits", number(1, SEATS)),
    ("scores", 40, "running score of each relative seat, 20 bits", number(1, SEATS, signed=True)),
    ("raises", 40, "raise of each relative seat, 20 bits", number(1, SEATS)),
    ("over", 1, "the deal is over"),
    ("forfeited", 2, "who has forfeited", one_of(SEATS)),
    ("winner", 2, "who has won the match", one_of(SEATS)),
)
_HAND, _TALON = LAYOUT.field("their_hand").offset, LAYOUT.field("talon").offset
_TO_ACT, _ANNOUNCED = LAYOUT.field("to_act").offset, LAYOUT.field("announced").offset
_FALSE, _POINTS = LAYOUT.field("false_announced").offset, LAYOUT.field("points").offset
_SCORES, _RAISES = LAYOUT.field("scores").offset, LAYOUT.field("raises").offset
_OVER, _FORFEITED = LAYOUT.field("over").offset, LAYOUT.field("forfeited").offset
_WINNER = LAYOUT.field("winner").offset
_TWENTY_BITS = (1 << 20) - 1


@inline
def whole_state(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the observation of a seat and everything that it does not see."""
    for index in range(words.shape[0]):
        words[index] = 0
    observe(state, seat, words)
    put(words, _HAND, 32, state[HAND + 1 - seat])
    drawn = 2 * drawing_tricks(state)
    for place in range(talon_size(state) - 1):
        put(words, _TALON + 32 * place, 32, 1 << talon_card(state, drawn + place))
    acts = seat_to_act(state)
    put(words, _TO_ACT, 1, 1 if acts == seat else 0)
    put(words, _ANNOUNCED, 29, state[ANNOUNCED] >> RUN if acts != seat else 0)
    put(words, _FALSE, 1, get(state, TABLE, FALSE_ANNOUNCED, 1))
    for step in range(2):
        whose = (seat + step) & 1
        points = get(state, POINTS + whose, CARD_POINTS, CARD_POINTS_MASK)
        put(words, _POINTS + 8 * step, 8, points)
        put(words, _SCORES + 20 * step, 20, state[SCORES + whose] & _TWENTY_BITS)
        put(words, _RAISES + 20 * step, 20, state[RAISES + whose] & _TWENTY_BITS)
    put(words, _OVER, 1, get(state, TABLE, DEAL_OVER, 1))
    if get(state, TABLE, FORFEITED, 1):
        put(words, _FORFEITED, 2, 1 if get(state, TABLE, OFFENDER, 1) == seat else 2)
    if get(state, TABLE, HAS_WINNER, 1):
        put(words, _WINNER, 2, 1 if get(state, TABLE, WINNER, 1) == seat else 2)
