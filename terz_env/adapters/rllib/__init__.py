"""RLlib (Ray, new API stack): environment, module with masks, self-play, checkpoints as players."""

from __future__ import annotations

from terz_env.adapters.libraries import require

for _library, _least in (("ray", (2, 60)), ("dm-tree", (0, 1)), ("torch", (2, 4))):
    require(_library, "rllib", _least)

from terz_env.adapters.rllib.config import ppo_config  # noqa: E402
from terz_env.adapters.rllib.env import ENVIRONMENT, CardMultiAgentEnv, register  # noqa: E402
from terz_env.adapters.rllib.module import CardModule, module_spec  # noqa: E402
from terz_env.adapters.rllib.policy import player_of  # noqa: E402
from terz_env.adapters.rllib.self_play import LEARNER, SelfPlay, snapshot_ids  # noqa: E402

__all__ = [
    "ENVIRONMENT",
    "LEARNER",
    "CardModule",
    "CardMultiAgentEnv",
    "SelfPlay",
    "module_spec",
    "player_of",
    "ppo_config",
    "register",
    "snapshot_ids",
]

register()
