"""A configuration of PPO in which environment, masks, seating and pool fit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec

from terz_env.adapters.rllib.env import ENVIRONMENT
from terz_env.adapters.rllib.module import module_spec
from terz_env.adapters.rllib.self_play import LEARNER, Seating, SelfPlay, snapshot_ids
from terz_env.adapters.rllib.settings import Settings

SAMPLE_TIMEOUT = 900.0
"""Seconds that a worker may take for its deals; the first time it compiles the kernels, too."""


def ppo_config(
    env_config: Mapping[str, Any],
    *,
    hidden: Sequence[int] = (256, 256),
    snapshots: int = 4,
    share: float = 0.3,
    every: int = 10,
    deals: int = 200,
) -> PPOConfig:
    """Returns PPO by self-play, to be changed further by RLlib's own methods.

    Args:
        env_config: What is played (see `Settings.of`).
        hidden: The widths of the hidden layers.
        snapshots: The size of the pool of former selves; 0 for none.
        share: The chance that a seat beside the learner's is a snapshot's.
        every: Iterations from one trial against the pool to the next.
        deals: Duplicate deals of a trial against each member.

    Raises:
        PlayerError: No player could be made of the network.
        ValueError: A number makes no sense.
    """
    if snapshots < 0 or not 0 <= share <= 1:
        raise ValueError(
            f"snapshots={snapshots!r}, share={share!r}: give 0 snapshots or more and a share from "
            "0 to 1"
        )
    game = Settings.of(env_config).options.game
    modules = [LEARNER, *snapshot_ids(snapshots)]
    specs = {name: module_spec(env_config, hidden) for name in modules}
    config = (
        PPOConfig()
        .environment(ENVIRONMENT, env_config=dict(env_config), disable_env_checking=True)
        .env_runners(batch_mode="complete_episodes", sample_timeout_s=SAMPLE_TIMEOUT)
        .training(gamma=1.0, use_kl_loss=False)
        .multi_agent(
            policies=set(modules),
            policy_mapping_fn=Seating(game.n_seats, snapshots, share),
            policies_to_train=[LEARNER],
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=specs))
    )
    if snapshots:
        pool = partial(SelfPlay, game.name, snapshots, every=every, deals=deals)
        config = config.callbacks(pool)
    return config
