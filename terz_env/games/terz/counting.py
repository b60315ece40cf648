"""Terz: counts lines of play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.rules import play_lawful
from terz_env.games.terz.state import ANY_BREAK, BREAK, LEGAL, State, is_deal_over
from terz_env.kernel import inline, kernel
from terz_env.lines import go_on

_BREAKS = (1 << 12) - 1


@inline
def actions(state: State) -> int:
    """Returns the legal actions as a set; while the break is pending bit i stands for BREAK + i."""
    return _BREAKS if state[LEGAL] >> ANY_BREAK else state[LEGAL]


@inline
def play(state: State, action: int) -> None:
    """Plays a member of that set."""
    play_lawful(state, action + (BREAK if state[LEGAL] >> ANY_BREAK else 0))


@kernel
def count_lines(
    stack: NDArray[np.int64], untried: NDArray[np.int64], tally: NDArray[np.int64], budget: int
) -> int:
    """Goes on with a count (see `terz_env.lines.go_on`)."""
    return go_on(stack, untried, tally, budget, actions, play, is_deal_over)
