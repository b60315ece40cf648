"""The learner finds a solution of a small game, by the exact measure."""

from pathlib import Path

import pytest

from tests.training.tiny_runs import CONFIGS, silent
from training.config import load_config
from training.curve import read_curve
from training.learner import train


@pytest.mark.slow
def test_the_learner_comes_within_a_twentieth_of_the_uniform_policys_nash_conv(
    tmp_path: Path,
) -> None:
    train(load_config(CONFIGS / "terz_micro" / "small.yaml"), tmp_path, silent)
    measured = [float(row["nash_conv"]) for row in read_curve(tmp_path) if row["nash_conv"]]
    assert measured[-1] < 0.05
