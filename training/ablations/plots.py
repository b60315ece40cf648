"""The plot of a game's runs: each seed a dot, with the mean and its interval."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terz_env.evaluation.plots import BLUE, GREY
from terz_env.evaluation.report import UNITS
from training.ablations.figures import Figures, over_seeds
from training.ablations.plan import Group

SHIFT = 0.18
"""How far the dots lie above the mean, in rows."""


def seeds_plot(group: Group, figures: Sequence[Figures]) -> Figure:
    """Draw the results of all variants, a field a yardstick."""
    yardsticks = list(group.yardsticks)
    size = (2.0 + 2.7 * len(yardsticks), 1.4 + 0.5 * len(figures))
    figure = Figure(figsize=size, layout="constrained")
    fields = figure.subplots(1, len(yardsticks), sharey=True, squeeze=False)[0]
    for axes, yardstick in zip(fields, yardsticks, strict=True):
        _field(axes, figures, yardstick)
        axes.set_title(f"against {yardstick}", fontsize="medium")
        axes.set_xlabel(f"{UNITS[group.game]} a deal")
    fields[0].set_yticks(-np.arange(len(figures)), [one.variant.name for one in figures])
    return figure


def _field(axes: Axes, figures: Sequence[Figures], yardstick: str) -> None:
    for row, one in enumerate(figures):
        results = one.results(yardstick)
        axes.plot(
            list(results.values()), [SHIFT - row] * len(results), "o", color=GREY, markersize=4
        )
        mean = over_seeds(results)
        if mean is not None:
            axes.errorbar(
                mean.mean, -row, xerr=mean.half_width, fmt="D", color=BLUE, markersize=5, capsize=3
            )
    axes.grid(axis="x", linewidth=0.4)
