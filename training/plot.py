"""The learning curve, and the worth of scores, as pictures."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from terz_env.evaluation.report import UNITS
from training.config import TrainingConfig
from training.curve import read_curve
from training.equity import EDGE, STEP
from training.files import write_atomically

Rows = Sequence[dict[str, str]]


def plot_curve(path: Path, output: Path, config: TrainingConfig) -> None:
    """Draw results, entropy and divergence over decisions, and save them as a PNG file."""
    rows = read_curve(output)
    figure = Figure(figsize=(8, 7), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    upper.set_title(f"{config.game}: {config.name}")
    evaluation = config.evaluation
    if config.game in UNITS:
        plot_results(upper, rows, config.game, evaluation.opponents, evaluation.targets)
    else:
        plot_nash_conv(upper, rows)
    _line(lower, rows, "entropy", "C2", "entropy (nats)")
    lower.set_xlabel("decisions, the bootstrap's included")
    _line(lower.twinx(), rows, "kl", "C3", "KL of an update")
    write_atomically(path, lambda file: figure.savefig(file, dpi=120, format="png"))


def plot_nash_conv(axes: Axes, rows: Rows) -> None:
    """Draw the distance of a small game's policy from equilibrium."""
    _line(axes, rows, "nash_conv", "C0", "NashConv, share of the uniform policy's")
    axes.set_yscale("log")


def plot_results(
    axes: Axes,
    rows: Rows,
    game: str,
    opponents: Sequence[str],
    targets: Mapping[str, float],
) -> None:
    """Draw the results against each opponent, with intervals and targets."""
    axes.set_ylabel(f"{UNITS[game]} a deal")
    for colour, opponent in enumerate(opponents):
        points = [row for row in rows if row.get(opponent)]
        axes.errorbar(
            _learned(points),
            [float(row[opponent]) for row in points],
            yerr=[float(row[f"{opponent} ±"]) for row in points],
            label=f"against {opponent}",
            color=f"C{colour}",
            capsize=2,
        )
        if opponent in targets:
            target = targets[opponent]
            axes.axhline(target, color=f"C{colour}", linestyle=":", label=f"target {target:g}")
    if opponents:
        axes.legend()


def _learned(rows: Rows) -> list[int]:
    """Return how many decisions had been learned from."""
    return [int(row.get("states", 0)) + int(row["decisions"]) for row in rows]


def _line(axes: Axes, rows: Rows, column: str, colour: str, label: str) -> None:
    points = [row for row in rows if row.get(column)]
    values = [float(row[column]) for row in points]
    axes.plot(_learned(points), values, color=colour, linewidth=0.8)
    axes.set_ylabel(label, color=colour)


def plot_equity(path: Path, values: NDArray[np.float32]) -> None:
    """Draw the chance to win the match from each score, for either dealer, as a PNG file.

    Args:
        path: The file.
        values: ``(2, 51, 51)``, see `training.equity.EquityTable`.
    """
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    top = STEP * (EDGE - 1)
    for dealer, place in enumerate(axes):
        chances = (values[dealer].T + 1) / 2
        image = place.imshow(
            chances, origin="lower", extent=(0, top, 0, top), cmap="RdYlGn", vmin=0, vmax=1
        )
        lines = place.contour(
            chances, levels=9, extent=(0, top, 0, top), colors="k", linewidths=0.5
        )
        place.clabel(lines, fmt="%.1f", fontsize=7)
        place.set_title("seat 0 deals" if dealer == 0 else "seat 1 deals")
        place.set_xlabel("total of seat 0")
    axes[0].set_ylabel("total of seat 1")
    figure.colorbar(image, ax=axes, label="chance that seat 0 wins the match")
    write_atomically(path, lambda file: figure.savefig(file, dpi=120, format="png"))
