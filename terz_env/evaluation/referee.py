"""Asks players for actions and turns errors and illegal answers into forfeits."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from terz_env.players import Decisions, Player

FORFEIT = -1
"""An action that means nothing: the rules make a forfeit of it (Rules T28, K11)."""
LONGEST_TRACE = 4000


@dataclass(frozen=True)
class Refusal:
    """Why an answer was none: one line, and the trace if the player raised."""

    row: int
    reason: str
    trace: str


@dataclass
class Referee:
    """Asks one player and keeps the time of its decisions.

    Attributes:
        player: Who is asked.
        rng: The player's chance.
        decisions: How many decisions it has made.
        seconds: Processor time they took.
        refusals: What was wrong in the last call, by row of the decisions.
    """

    player: Player
    rng: np.random.Generator
    decisions: int = 0
    seconds: float = 0.0
    refusals: list[Refusal] = field(default_factory=list)

    def ask(self, decisions: Decisions) -> NDArray[np.int64]:
        """Return an action a row, `FORFEIT` where the player gave no legal one.

        If a whole batch cannot be answered, every row is asked alone, so that only those rows are
        forfeited that cannot be answered alone either.
        """
        self.refusals = []
        start = time.process_time()
        try:
            answer = _checked(self.player.act(decisions, self.rng), len(decisions))
        except Exception as error:
            if len(decisions) == 1:
                answer = np.array([FORFEIT])
                self.refusals.append(_raised(0, error))
            else:
                answer = self._ask_alone(decisions)
        self.seconds += time.process_time() - start
        self.decisions += len(decisions)
        return self._lawful(decisions, answer)

    def _ask_alone(self, decisions: Decisions) -> NDArray[np.int64]:
        answers = np.full(len(decisions), FORFEIT, dtype=np.int64)
        for row in range(len(decisions)):
            try:
                answers[row] = _checked(
                    self.player.act(decisions.take(np.array([row])), self.rng), 1
                )[0]
            except Exception as error:
                self.refusals.append(_raised(row, error))
        return answers

    def _lawful(self, decisions: Decisions, answer: NDArray[np.int64]) -> NDArray[np.int64]:
        inside = (answer >= 0) & (answer < decisions.game.n_actions)
        rows = np.arange(len(decisions))
        lawful = inside & (decisions.masks[rows, np.where(inside, answer, 0)] != 0)
        raised = {refusal.row for refusal in self.refusals}
        for row in np.flatnonzero(~lawful):
            if int(row) not in raised:
                legal = np.flatnonzero(decisions.masks[row])
                names = " ".join(decisions.game.actions[action] for action in legal)
                reason = f"answered action {answer[row]}; legal: {names}"
                self.refusals.append(Refusal(int(row), reason, ""))
        return np.where(lawful, answer, FORFEIT)


def _checked(answer: object, count: int) -> NDArray[np.int64]:
    """Return an answer as integers; raises ValueError if it is none, or of another shape."""
    array = np.asarray(answer)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"an answer of shape {array.shape} and dtype {array.dtype}; integers of shape "
            f"({count},) are needed"
        )
    return array.astype(np.int64)


def _raised(row: int, error: Exception) -> Refusal:
    trace = "".join(traceback.format_exception(error))[-LONGEST_TRACE:]
    return Refusal(row, f"{type(error).__name__}: {error}"[:LONGEST_TRACE], trace)
