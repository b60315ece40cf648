"""Players that break, loaded by name; processes find them in this module."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.players import Decisions, Player, load_player


class Raises:
    """Raises where the lowest of many legal actions is action 3."""

    name = "raises"
    game = None

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        lowest = decisions.masks.argmax(axis=1)
        if ((lowest == 3) & (decisions.masks.sum(axis=1) > 6)).any():
            raise RuntimeError("three is too many")
        return lowest


class Cheats:
    """Answers with the last action, legal or not."""

    name = "cheats"
    game = None

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.full(len(decisions), decisions.game.n_actions - 1)


class Floats:
    """Answers with no integers."""

    name = "floats"
    game = None

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.float64]:
        return np.zeros(len(decisions))


class First:
    """Plays the first legal action."""

    name = "first"
    game = None

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        return decisions.masks.argmax(axis=1)


ODD = {"raises": Raises, "cheats": Cheats, "floats": Floats, "first": First}


def load(name: str) -> Player:
    return ODD[name]() if name in ODD else load_player(name)
