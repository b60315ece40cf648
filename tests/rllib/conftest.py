"""What the tests of RLlib get: one local cluster for all, and its own warnings left to itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
import torch

from tests.rllib.runs import trained

os.environ.update({"RAY_worker_niceness": "0"})  # else workers starve where others are at work


def pytest_configure(config: pytest.Config) -> None:
    """Lets Ray warn as it likes; warnings of this package stay errors."""
    for module in ("ray", "tensorboardX"):
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}\.")
    config.addinivalue_line("filterwarnings", "ignore:.*Overriding environment rllib")


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """A cluster on this machine."""
    torch.set_num_threads(1)
    ray.init(num_cpus=3, include_dashboard=False, logging_level="error", log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture(scope="session", params=["terz", "tetka"])
def checkpoint(
    request: pytest.FixtureRequest, cluster: None, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A checkpoint of each game, two iterations old."""
    algorithm = trained(request.param)
    folder = tmp_path_factory.mktemp("checkpoints") / request.param
    algorithm.save_to_path(str(folder))
    algorithm.stop()
    return folder
