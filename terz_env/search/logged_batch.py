"""A batch of Terz that keeps the log of every row's deal, for players who reason from proofs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.history import LOG_SIZE, begin_log, note
from terz_env.games.terz.state import DEAL
from terz_env.kernel import kernel
from terz_env.selfplay import SelfPlayBatch


@kernel
def _begin(logs: NDArray[np.int64], states: NDArray[np.int64]) -> None:
    for row in range(states.shape[0]):
        begin_log(logs[row], states[row])


@kernel
def _note(
    logs: NDArray[np.int64],
    seats: NDArray[np.int64],
    actions: NDArray[np.int64],
    deals: NDArray[np.int64],
    states: NDArray[np.int64],
) -> None:
    for row in range(states.shape[0]):
        if states[row, DEAL] == deals[row]:
            note(logs[row], seats[row], actions[row], states[row])
        else:
            begin_log(logs[row], states[row])


class LoggedBatch(SelfPlayBatch):
    """A self-play batch of Terz with logs.

    Attributes:
        logs: (B, L) int64, the log of each row's deal (`terz_env.games.terz.history`).
    """

    logs: NDArray[np.int64]

    def refresh(self) -> None:
        """Describes the rows again and begins their logs.

        Where cards have been played already the log stays unfit, and players do without it.

        Raises:
            ValueError: the game keeps no log.
        """
        super().refresh()
        if self.game.family != "terz":
            raise ValueError(f"{self.game.name} keeps no log: its positions hold all proofs")
        self.logs = np.zeros((len(self.seats), LOG_SIZE), dtype=np.int64)
        _begin(self.logs, self.states)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Plays an action in every row and notes it; raises what `SelfPlayBatch.step` raises."""
        seats = self.seats.copy()
        deals = self.states[:, DEAL].copy()
        super().step(actions)
        chosen = np.ascontiguousarray(actions, dtype=np.int64)
        _note(self.logs, seats, chosen, deals, self.states)
