"""Tetka: counts lines of play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.rules import legal_actions, play
from terz_env.games.tetka.state import is_deal_over
from terz_env.kernel import kernel
from terz_env.lines import go_on


@kernel
def count_lines(
    stack: NDArray[np.int64], untried: NDArray[np.int64], tally: NDArray[np.int64], budget: int
) -> int:
    """Goes on with a count (see `terz_env.lines.go_on`)."""
    return go_on(stack, untried, tally, budget, legal_actions, play, is_deal_over)
