"""Models of Stable-Baselines3 so small that tests can make many of them."""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib import MaskablePPO

from terz_env.adapters.sb3 import CardVecEnv

torch.set_num_threads(1)


def tiny_model(env: Any, policy: str = "MlpPolicy", **settings: Any) -> MaskablePPO:
    """A model that has not learned anything."""
    chosen = {"n_steps": 8, "batch_size": 64, "n_epochs": 1, "seed": 3, "device": "cpu"}
    return MaskablePPO(policy, env, policy_kwargs={"net_arch": [8]}, **{**chosen, **settings})


def learned(game: str, n_envs: int = 16, **settings: Any) -> MaskablePPO:
    """A model that has learned for two roll-outs."""
    model = tiny_model(CardVecEnv(game, n_envs, seed=5), **settings)
    return model.learn(2 * 8 * n_envs)
