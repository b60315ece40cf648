"""What the runs of a game come to: means over seeds, and differences from the base."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from terz_env.evaluation.statistics import LEAST_UNITS, Estimate, estimate
from training.ablations.plan import Group, Variant
from training.ablations.runs import FORMAT, AblationRun
from training.units import read_data


@dataclass(frozen=True)
class Figures:
    """What the runs of a variant came to.

    Attributes:
        variant: What was changed.
        runs: What is kept of each run, by seed.
    """

    variant: Variant
    runs: Mapping[int, Mapping[str, Any]]

    def results(self, yardstick: str) -> dict[int, float]:
        """Return the result against a yardstick, by seed."""
        return {seed: float(run["results"][yardstick]["mean"]) for seed, run in self.runs.items()}

    def mean(self, key: str) -> float:
        """Return the mean over the seeds of what a run took."""
        return float(np.mean([run[key] for run in self.runs.values()]))


def figures_of(group: Group, kept: Sequence[tuple[AblationRun, Path]]) -> list[Figures]:
    """Return the variants of which there is a run, in the order of the plan."""
    found = []
    for variant in group.variants:
        runs = {
            run.seed: read_data(file, FORMAT)
            for run, file in kept
            if run.group == group and run.variant == variant
        }
        if runs:
            found.append(Figures(variant, runs))
    return found


def over_seeds(results: Mapping[int, float]) -> Estimate | None:
    """Return the mean with its 95 % t interval, the seed as the unit; None of a single seed.

    >>> found = over_seeds({1: 1.0, 2: 2.0, 3: 3.0})
    >>> round(found.mean, 3), round(found.half_width, 3)
    (2.0, 2.484)
    """
    if len(results) < LEAST_UNITS:
        return None
    return estimate(np.array(list(results.values())))


def difference(own: Mapping[int, float], base: Mapping[int, float]) -> Estimate | None:
    """Return how much more there is than in the base, in pairs of the same seed.

    None where fewer than two seeds have both.
    """
    return over_seeds({seed: own[seed] - base[seed] for seed in own if seed in base})
