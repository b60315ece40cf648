"""The rule players `greedy` and `heuristic`, as players of batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from terz_env.players.protocol import Decisions

Chooser = Callable[[NDArray[np.int64], NDArray[np.int64]], None]


class RulePlayer:
    """Plays by fixed rules, a kernel for each family of games, and leaves nothing to chance.

    Attributes:
        name: How tables call the player.
        game: None: it plays every game.
    """

    game: str | None = None

    def __init__(self, name: str, choosers: Mapping[str, Chooser]) -> None:
        """Take the kernel of each family: it writes the chosen action of every state."""
        self.name = name
        self._choosers = choosers

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the action that the rules choose a row (see `Player.act`)."""
        game = decisions.game
        chosen = np.empty(len(decisions), dtype=np.int64)
        self._choosers[game.family](np.ascontiguousarray(decisions.states), chosen)
        if game.name == game.family:
            return chosen
        return np.searchsorted(game.engine_actions, chosen)  # a small game numbers its own


def greedy_player() -> RulePlayer:
    """Return the yardstick `greedy`."""
    from terz_env.heuristics import greedy_terz, greedy_tetka

    return RulePlayer(
        "greedy", {"terz": greedy_terz.greedy_actions, "tetka": greedy_tetka.greedy_actions}
    )


def heuristic_player() -> RulePlayer:
    """Return the best rule player of this package."""
    from terz_env.heuristics import heuristic_terz, heuristic_tetka

    return RulePlayer(
        "heuristic",
        {"terz": heuristic_terz.heuristic_actions, "tetka": heuristic_tetka.heuristic_actions},
    )
