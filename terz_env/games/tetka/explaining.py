"""Tetka: why an action is not lawful (K3, K11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.explaining import Reason
from terz_env.game import Game
from terz_env.games.tetka.rules import is_legal, legal_actions
from terz_env.games.tetka.state import HAND, N_CARDS, TABLE, State, seat_to_act
from terz_env.kernel import kernel

LAWFUL, UNKNOWN, NOT_HELD, FOLLOW = range(4)


@kernel
def judge_one(state: State, action: int, found: NDArray[np.int64]) -> None:
    """Writes why an action is not lawful into `found` (3,): code, lawful cards, led card."""
    found[1] = legal_actions(state)
    found[2] = state[TABLE] & 63
    if is_legal(state, action):
        found[0] = LAWFUL
    elif action < 0 or action >= N_CARDS:
        found[0] = UNKNOWN
    elif (state[HAND + seat_to_act(state)] >> action) & 1:
        found[0] = FOLLOW
    else:
        found[0] = NOT_HELD


def why_not(game: Game, words: State, action: int) -> Reason | None:
    """Returns why an action of the seat to act is not lawful, None where it is.

    Args:
        game: Tetka or its small relative.
        words: The position; the deal is not over.
        action: The number that the kernels know the action by, -1 for none.
    """
    found = np.zeros(3, dtype=np.int64)
    judge_one(words, action, found)
    code, cards, led = found.tolist()
    if code == LAWFUL:
        return None
    if code == UNKNOWN:
        return Reason(key="unknown", rule="K11")
    if code == NOT_HELD:
        return Reason(key="not_held", rule="K11")
    suit = tuple(game.deck.members(cards))
    return Reason(key="must_follow", rule="K3", led=game.deck.names[led], cards=suit)
