"""Advantages along each seat's own decisions."""

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import kernel


@kernel
def _advantages(
    environments: NDArray[np.int64],
    seats: NDArray[np.int64],
    values: NDArray[np.float32],
    lambda_: float,
    next_values: NDArray[np.float32],
    next_advantages: NDArray[np.float32],
    advantages: NDArray[np.float32],
) -> None:
    for back in range(values.shape[0]):
        now = values.shape[0] - 1 - back
        deal, seat = environments[now], seats[now]
        surprise = next_values[deal, seat] - values[now]
        advantages[now] = surprise + lambda_ * next_advantages[deal, seat]
        next_values[deal, seat] = values[now]
        next_advantages[deal, seat] = advantages[now]


def seat_advantages(
    environments: NDArray[np.integer],
    seats: NDArray[np.integer],
    values: NDArray[np.float32],
    results: NDArray[np.float32],
    lambda_: float,
) -> NDArray[np.float32]:
    """Generalised advantage estimates (Schulman et al., arXiv 1506.02438, eq. 16), gamma 1.

    A seat's next state is its own next decision in the same deal, whoever plays in between; after
    its last decision comes the result of the deal and a value of zero. Nothing is paid earlier.

    Args:
        environments: ``(N,)`` the deal of each decision; those of a deal in the order of play.
        seats: ``(N,)`` the seat that decided.
        values: ``(N,)`` the value that the network gave to that seat.
        results: ``(B, P)`` what each seat receives when its deal ends.
        lambda_: The share of the longer estimates.

    Returns:
        ``(N,)`` advantages; adding ``values`` gives the targets of the value head.
    """
    advantages = np.empty_like(values)
    _advantages(
        environments.astype(np.int64),
        seats.astype(np.int64),
        values,
        float(lambda_),
        results.astype(np.float32),
        np.zeros_like(results),
        advantages,
    )
    return advantages
