"""The plots of the report."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from terz_env.evaluation.statistics import Estimate
from training.plot import plot_nash_conv, plot_results
from training.strength.plan import Run


def ladder_plot(series: Mapping[str, Mapping[str, Estimate]], label: str, even: float) -> Figure:
    """Draw the results of players against opponents, one under the other, with intervals.

    Args:
        series: By player and opponent.
        label: What is drawn.
        even: The result among equals.
    """
    opponents = list(dict.fromkeys(name for results in series.values() for name in results))
    figure = Figure(figsize=(7.5, 1.6 + 0.5 * len(opponents)), layout="constrained")
    axes = figure.add_subplot()
    middle = (len(series) - 1) / 2
    for colour, (player, results) in enumerate(series.items()):
        places = [-opponents.index(name) - 0.16 * (colour - middle) for name in results]
        axes.errorbar(
            [found.mean for found in results.values()],
            places,
            xerr=[found.half_width for found in results.values()],
            fmt="o",
            markersize=4,
            capsize=2,
            color=f"C{colour}",
            label=player,
        )
    axes.axvline(even, color="#888888", linewidth=0.8)
    axes.set_yticks(-np.arange(len(opponents)), [f"against {name}" for name in opponents])
    axes.set_xlabel(label)
    axes.legend(fontsize="small")
    return figure


def curve_plot(rows: Sequence[dict[str, str]], entry: Run) -> Figure:
    """Draw the learning curve of a run."""
    figure = Figure(figsize=(7.5, 4), layout="constrained")
    axes = figure.add_subplot()
    if entry.opponents:
        plot_results(axes, rows, entry.game, entry.opponents, entry.aims)
    else:
        plot_nash_conv(axes, rows)
    axes.set_xlabel("decisions, the bootstrap's included")
    return figure
