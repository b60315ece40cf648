"""OpenSpiel plays the games: importing this package registers them with `pyspiel`.

`python_terz`, `python_tetka`, `python_terz_mini`, `python_terz_micro`, `python_tetka_micro`; a game
is one deal (docs/openspiel.md).
"""

from __future__ import annotations

from terz_env.adapters.libraries import require

require("open_spiel", "openspiel", (2, 0))

from terz_env.adapters.openspiel.bots import BotPlayer, PlayerBot  # noqa: E402
from terz_env.adapters.openspiel.games import (  # noqa: E402
    SpielGame,
    SpielState,
    register,
    resampler,
)

__all__ = ["BotPlayer", "PlayerBot", "SpielGame", "SpielState", "resampler"]

register()
