"""TorchRL: a native batched environment, and policies as players."""

from __future__ import annotations

from terz_env.adapters.libraries import require

for _library in ("torchrl", "tensordict"):
    require(_library, "torchrl", (0, 14))

from terz_env.adapters.torch_policy import TorchPlayer, save_policy  # noqa: E402
from terz_env.adapters.torchrl.env import CardEnv  # noqa: E402
from terz_env.adapters.torchrl.selfplay import SelfPlayEnv  # noqa: E402

__all__ = ["CardEnv", "SelfPlayEnv", "TorchPlayer", "save_policy"]
