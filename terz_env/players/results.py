"""What a deal's rewards are worth in the words of the games: points and marks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

POINTS_A_REWARD = 100.0  # Terz pays the difference of points over 100
MARKS_AT_PAR, MARKS_A_REWARD = 7.0, 4.0  # Tetka pays 7 - 4 * marks (Rule K7)


def own_result(game: str, rewards: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Turn a seat's rewards into points (Terz: own minus the other's) or marks (Tetka)."""
    exact = rewards.astype(np.float64)
    if game == "terz":
        return exact * POINTS_A_REWARD
    return (MARKS_AT_PAR - exact) / MARKS_A_REWARD
