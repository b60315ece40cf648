"""Environments for the card games Terz and Tetka.

Importing the package registers them with Gymnasium (`terz_env/Terz-v0`, `terz_env/Tetka-v0`) and
PettingZoo (`terz_env/terz_v0`, `terz_env/tetka_v0`); it compiles nothing. Names load when used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from terz_env.describing import describe as describe
    from terz_env.games import get_game as get_game
    from terz_env.players import load_player as load_player
    from terz_env.selfplay import SelfPlayBatch as SelfPlayBatch
    from terz_env.selfplay import expand_bits as expand_bits
    from terz_env.state import Deal as Deal
    from terz_env.state import State as State

__version__ = "0.1.0"

_HOMES = {
    "Deal": "terz_env.state",
    "SelfPlayBatch": "terz_env.selfplay",
    "State": "terz_env.state",
    "describe": "terz_env.describing",
    "expand_bits": "terz_env.selfplay",
    "get_game": "terz_env.games",
    "load_player": "terz_env.players",
}
_MODULES = ("terz_v0", "tetka_v0")
__all__ = [*_HOMES, *_MODULES]  # noqa: PLE0604 - names of this module, loaded when used


def __getattr__(name: str) -> Any:
    """Loads a public name of the package when it is first used."""
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def _register() -> None:
    """Adds the environments to the registries; older versions of PettingZoo have none."""
    for game in ("terz", "tetka"):
        name = f"terz_env/{game.capitalize()}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="terz_env.envs.single:LearnerEnv",
                vector_entry_point="terz_env.envs.vector:LearnerVectorEnv",
                kwargs={"game": game},
            )
        turns = f"terz_env/{game}_v0"
        if turns not in getattr(pettingzoo, "aec_registry", {turns}):
            pettingzoo.register("aec", turns, entry_point=f"terz_env.{game}_v0:env")


_register()
