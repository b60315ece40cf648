"""The learning curve as a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terz_env.evaluation.report import UNITS
from training.config import TrainingConfig
from training.curve import read_curve
from training.files import write_atomically

Rows = Sequence[dict[str, str]]


def plot_curve(path: Path, output: Path, config: TrainingConfig) -> None:
    """Draw results, entropy and divergence over decisions, and save them as a PNG file."""
    rows = read_curve(output)
    figure = Figure(figsize=(8, 7), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    upper.set_title(f"{config.game}: {config.name}")
    if config.game not in UNITS:
        _line(upper, rows, "nash_conv", "C0", "NashConv, share of the uniform policy's")
        upper.set_yscale("log")
    evaluation = config.evaluation
    plot_results(upper, rows, config.game, evaluation.opponents, evaluation.targets)
    _line(lower, rows, "entropy", "C2", "entropy (nats)")
    lower.set_xlabel("decisions, the bootstrap's included")
    _line(lower.twinx(), rows, "kl", "C3", "KL of an update")
    write_atomically(path, lambda file: figure.savefig(file, dpi=120, format="png"))


def plot_results(
    axes: Axes,
    rows: Rows,
    game: str,
    opponents: Sequence[str],
    targets: Mapping[str, float],
) -> None:
    """Draw the results against each opponent, with intervals and targets."""
    if game in UNITS:
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
