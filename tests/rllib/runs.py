"""Runs of RLlib so small that tests can make some of them."""

from __future__ import annotations

from typing import Any

from terz_env.adapters.rllib import ppo_config


def tiny_config(game: str, workers: int = 0, **settings: Any) -> Any:
    """PPO with a tiny network; a deal or two an update and table."""
    return (
        ppo_config({"game": game, "suits": "canonical"}, hidden=(16, 16), **settings)
        .env_runners(num_env_runners=workers, num_envs_per_env_runner=4)
        .training(train_batch_size_per_learner=400, minibatch_size=128, num_epochs=2, lr=1e-2)
    )


def trained(game: str) -> Any:
    """An algorithm that has learned for two iterations; two workers have played Terz."""
    workers = 2 if game == "terz" else 0
    algorithm = tiny_config(game, workers, snapshots=2, every=1, deals=20).build_algo()
    for _ in range(2):
        algorithm.train()
    return algorithm
