"""Tetka for PettingZoo: `env()` checks the order of calls, `raw_env()` does not."""

from __future__ import annotations

from typing import Any

from terz_env.envs.aec import CardGameEnv
from terz_env.envs.options import Options
from terz_env.envs.ordered import OrderedEnv

__all__ = ["env", "raw_env"]


def env(*, render_mode: str | None = None, **options: Any) -> OrderedEnv:
    """Returns a game of Tetka whose calls are checked (see `terz_env.envs.options.Options.of`)."""
    return OrderedEnv(Options.of("tetka", **options), render_mode)


def raw_env(*, render_mode: str | None = None, **options: Any) -> CardGameEnv:
    """Returns a game of Tetka for callers that keep to PettingZoo's order of calls."""
    return CardGameEnv(Options.of("tetka", **options), render_mode)
