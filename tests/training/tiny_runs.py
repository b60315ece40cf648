"""Runs so small that tests can make many of them."""

from pathlib import Path

from training.config import TrainingConfig, load_config
from training.curve import read_curve
from training.learner import Progress

CONFIGS = Path(__file__).parents[2] / "configs"
TINY = (
    "decisions=3000",
    "network.hidden=[16, 16]",
    "bootstrap.states=1000",
    "bootstrap.batch=500",
    "bootstrap.minibatch=128",
    "rollout.deals=32",
    "opponents.snapshot_every=1",
    "ppo.minibatch=256",
    "ppo.reference_every=2",
    "evaluation.opponents=[random]",
    "evaluation.times=2",
    "evaluation.deals=4",
    "evaluation.final_opponents=[random, greedy]",
    "evaluation.final_deals=4",
    "checkpoint.every=1",
)


def tiny(game: str, *overrides: str) -> TrainingConfig:
    return load_config(CONFIGS / game / "small.yaml", [*TINY, *overrides])


def curve(output: Path) -> list[dict[str, str]]:
    """The rows of a learning curve, but for the clock."""
    return [{**row, "seconds": ""} for row in read_curve(output)]


def silent(progress: Progress) -> None:
    """Report nothing."""
