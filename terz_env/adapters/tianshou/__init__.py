"""Tianshou: a native vector environment, and policies as players."""

from __future__ import annotations

from terz_env.adapters.libraries import require

require("tianshou", "tianshou", (2, 0))

from terz_env.adapters.tianshou.env import CardVectorEnv  # noqa: E402
from terz_env.adapters.torch_policy import TorchPlayer, save_policy  # noqa: E402

__all__ = ["CardVectorEnv", "TorchPlayer", "save_policy"]
