"""The two random yardsticks: `random` and, in Terz, `random:announce`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.state import BREAK_PENDING, TABLE, get
from terz_env.heuristics.announcing import NOTHING, next_announcement
from terz_env.kernel import kernel
from terz_env.players.protocol import Decisions


@kernel
def _announcements(states: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
    for row in range(states.shape[0]):
        state = states[row]
        pending = get(state, TABLE, BREAK_PENDING, 1)
        actions[row] = NOTHING if pending else next_announcement(state)


def uniform_actions(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a uniform legal action a row ``(N,)``."""
    draws = 1 - rng.random(masks.shape, dtype=np.float32)  # in (0, 1]: above every illegal 0
    actions: NDArray[np.int64] = (draws * masks).argmax(axis=1)
    return actions


class RandomPlayer:
    """Plays uniformly over the mask: cards, melds and the exchange alike."""

    name = "random"
    game: str | None = None

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a uniform legal action a row (see `Player.act`)."""
        return uniform_actions(decisions.masks, rng)


class RandomAnnouncePlayer:
    """Announces the strongest meld first, then exchanges the seven, else plays uniformly."""

    name = "random:announce"
    game: str | None = "terz"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the strongest announcement, the exchange or a uniform action (`Player.act`)."""
        named = np.empty(len(decisions), dtype=np.int64)
        _announcements(decisions.states, named)
        return np.where(named != NOTHING, named, uniform_actions(decisions.masks, rng))
