"""Tetka: a series of rubbers (K8)."""

from __future__ import annotations

import numpy as np

RUBBERS_A_SEATING = 4
"""Seats are redrawn after so many rubbers (Rule K8)."""


def first_of_seating(rubber: int) -> int:
    """Returns the number of the first rubber, from 0, played in the same seats (Rule K8)."""
    return rubber - rubber % RUBBERS_A_SEATING


def first_dealer(lot: int, rubber: int) -> int:
    """Returns who deals first: after the lot, the left neighbour of the one before (Rule K8).

    Args:
        lot: The seat that the lot made first dealer when the seats were last drawn.
        rubber: The number of the rubber, from 0.
    """
    return (lot + rubber % RUBBERS_A_SEATING) % 4


def seating(seed: int, rubber: int) -> list[int]:
    """Returns which player sits in each seat: as they came, then drawn anew (Rule K8).

    Args:
        seed: Seed of the series; the draw is a pure function of it and of the seating.
        rubber: The number of the rubber, from 0.
    """
    number = rubber // RUBBERS_A_SEATING
    if number == 0:
        return [0, 1, 2, 3]
    draw = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    return [int(player) for player in draw.permutation(4)]
