"""What the environments of learners' libraries share: refusals, and seats for snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from terz_env.envs.seating import Opponent
from terz_env.errors import IllegalActionError
from terz_env.players import Player


def refuse_fixed(options: Mapping[str, Any], fixed: Mapping[str, str]) -> None:
    """Refuses options that a library leaves no choice in.

    Args:
        options: What is given.
        fixed: The options that cannot be chosen, with the reasons.

    Raises:
        TypeError: One of them is given.
    """
    for name, reason in fixed.items():
        if name in options:
            raise TypeError(f"{name} cannot be chosen here: {reason}")


@contextmanager
def refusing(advice: str) -> Iterator[None]:
    """Adds to the refusal of an unmasked action what to do in the library at hand.

    Raises:
        IllegalActionError: An action was refused.
    """
    try:
        yield
    except IllegalActionError as error:
        raise IllegalActionError(f"{error}; {advice}") from error


def with_snapshots(
    others: Mapping[Opponent, float], snapshots: Sequence[Player], share: float
) -> dict[Opponent, float]:
    """Returns who sits in the other seats when earlier selves of the learner join them.

    Args:
        others: The other players, with their weights.
        snapshots: The earlier selves; without any the others keep all seats.
        share: The chance that a seat is a snapshot's, all of them together.
    """
    total = sum(others.values())
    left = 1 - share if snapshots else 1.0
    seats: dict[Opponent, float] = {
        other: left * weight / total for other, weight in others.items()
    }
    return seats | dict.fromkeys(snapshots, share / max(1, len(snapshots)))
