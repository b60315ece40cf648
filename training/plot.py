"""The learning curve as a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from terz_env.evaluation.report import UNITS
from training.checkpoint import write_atomically
from training.config import TrainingConfig


def plot_curve(
    path: Path, curve: Sequence[Mapping[str, float | int | None]], config: TrainingConfig
) -> None:
    """Draw results, entropy and divergence over decisions, and save them as a PNG file."""
    figure = Figure(figsize=(8, 7), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for colour, opponent in enumerate(config.evaluation.opponents):
        points = [row for row in curve if row[opponent] is not None]
        upper.errorbar(
            [row["decisions"] for row in points],
            [row[opponent] for row in points],
            yerr=[row[f"{opponent} ±"] for row in points],
            label=f"against {opponent}",
            color=f"C{colour}",
            capsize=2,
        )
        if opponent in config.evaluation.targets:
            target = config.evaluation.targets[opponent]
            upper.axhline(target, color=f"C{colour}", linestyle=":", label=f"target {target:g}")
    upper.set_title(f"{config.game}: {config.name}")
    upper.set_ylabel(f"{UNITS[config.game]} a deal")
    upper.legend()
    decisions = [row["decisions"] for row in curve]
    lower.plot(decisions, [row["entropy"] for row in curve], color="C2")
    lower.set_ylabel("entropy (nats)", color="C2")
    lower.set_xlabel("decisions")
    divergence = lower.twinx()
    divergence.plot(decisions, [row["kl"] for row in curve], color="C3", linewidth=0.8)
    divergence.set_ylabel("KL of an update", color="C3")
    write_atomically(path, lambda file: figure.savefig(file, dpi=120, format="png"))
