"""Tetka: a series of rubbers (K8)."""

from __future__ import annotations

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
