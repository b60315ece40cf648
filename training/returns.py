"""Advantages along each seat's own decisions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def seat_advantages(
    environments: NDArray[np.int64],
    seats: NDArray[np.int64],
    values: NDArray[np.float32],
    steps: Sequence[int],
    results: NDArray[np.float32],
    lambda_: float,
) -> NDArray[np.float32]:
    """Generalised advantage estimates (Schulman et al., arXiv 1506.02438, eq. 16), gamma 1.

    A seat's next state is its own next decision in the same deal, whoever plays in between; after
    its last decision comes the result of the deal and a value of zero. Nothing is paid earlier.

    Args:
        environments: ``(N,)`` the deal of each decision, in the order of play.
        seats: ``(N,)`` the seat that decided.
        values: ``(N,)`` the value that the network gave to that seat.
        steps: ``T + 1`` boundaries: decisions ``steps[t]`` to ``steps[t + 1]`` fell in step t,
            each in a deal of its own.
        results: ``(B, P)`` what each seat receives when its deal ends.
        lambda_: The share of the longer estimates.

    Returns:
        ``(N,)`` advantages; adding ``values`` gives the targets of the value head.
    """
    advantages = np.empty_like(values)
    next_values = results.copy()
    next_advantages = np.zeros_like(results)
    for step in reversed(range(len(steps) - 1)):
        now = slice(steps[step], steps[step + 1])
        who = (environments[now], seats[now])
        surprise = next_values[who] - values[now]
        advantages[now] = surprise + np.float32(lambda_) * next_advantages[who]
        next_values[who] = values[now]
        next_advantages[who] = advantages[now]
    return advantages
