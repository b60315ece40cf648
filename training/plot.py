"""The learning curve as a picture."""

from collections.abc import Sequence
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
    if config.game in UNITS:
        upper.set_ylabel(f"{UNITS[config.game]} a deal")
    else:
        _line(upper, rows, "nash_conv", "C0", "NashConv, share of the uniform policy's")
        upper.set_yscale("log")
    for colour, opponent in enumerate(config.evaluation.opponents):
        points = [row for row in rows if row.get(opponent)]
        upper.errorbar(
            _learned(points),
            [float(row[opponent]) for row in points],
            yerr=[float(row[f"{opponent} ±"]) for row in points],
            label=f"against {opponent}",
            color=f"C{colour}",
            capsize=2,
        )
        if opponent in config.evaluation.targets:
            target = config.evaluation.targets[opponent]
            upper.axhline(target, color=f"C{colour}", linestyle=":", label=f"target {target:g}")
    if config.evaluation.opponents:
        upper.legend()
    _line(lower, rows, "entropy", "C2", "entropy (nats)")
    lower.set_xlabel("decisions, the bootstrap's included")
    _line(lower.twinx(), rows, "kl", "C3", "KL of an update")
    write_atomically(path, lambda file: figure.savefig(file, dpi=120, format="png"))


def _learned(rows: Rows) -> list[int]:
    """Return how many decisions had been learned from."""
    return [int(row["states"]) + int(row["decisions"]) for row in rows]


def _line(axes: Axes, rows: Rows, column: str, colour: str, label: str) -> None:
    points = [row for row in rows if row.get(column)]
    values = [float(row[column]) for row in points]
    axes.plot(_learned(points), values, color=colour, linewidth=0.8)
    axes.set_ylabel(label, color=colour)
