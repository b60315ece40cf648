"""Stable-Baselines3 and sb3-contrib: environments, snapshots as opponents, models as players."""

from __future__ import annotations

from terz_env.adapters.libraries import require

for _library in ("stable_baselines3", "sb3_contrib"):
    require(_library, "sb3", (2, 7))

from terz_env.adapters.sb3.player import Sb3Player, load  # noqa: E402
from terz_env.adapters.sb3.snapshots import SnapshotOpponents  # noqa: E402
from terz_env.adapters.sb3.space import CardSpace  # noqa: E402
from terz_env.adapters.sb3.vector import CardVecEnv  # noqa: E402

__all__ = ["CardSpace", "CardVecEnv", "Sb3Player", "SnapshotOpponents", "load"]
