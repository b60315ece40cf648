"""Asks a player for its actions, and checks that it may play them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.players import Decisions, Player, PlayerError
from terz_env.selfplay import first_refused


def ask(
    player: Player, decisions: Decisions, legal: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Returns the player's action for each decision (N,).

    Args:
        player: Who decides.
        decisions: What is to be decided.
        legal: The legal actions of each decision as a set (N,).
        rng: The player's chance.

    Raises:
        PlayerError: The player gives no lawful action for each decision.
    """
    game = decisions.game
    chosen = np.asarray(player.act(decisions, rng))
    if chosen.shape != (len(decisions),) or chosen.dtype.kind not in "iu":
        raise PlayerError(
            f"{player.name} chose {chosen.dtype} of shape {chosen.shape}; "
            f"integers of shape ({len(decisions)},) are needed"
        )
    chosen = np.ascontiguousarray(chosen, dtype=np.int64)
    row = first_refused(legal, chosen, game.n_actions)
    if row >= 0:
        names = [game.actions[action] for action in np.flatnonzero(decisions.masks[row])]
        raise PlayerError(
            f"{player.name} may not play action {chosen[row]} in seat_{decisions.seats[row]}; "
            f"legal: {' '.join(names)}"
        )
    return chosen
