"""Learning rates and other settings that fall over a budget."""

from collections.abc import Sequence

import torch


def anneal(ends: Sequence[float], done: float) -> float:
    """Return the value between ``ends`` after the share ``done`` of the budget."""
    first, last = ends
    return first + (last - first) * min(done, 1.0)


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Let the next steps of an optimiser have a learning rate."""
    for group in optimiser.param_groups:
        group["lr"] = rate
