"""Players of batches: the protocol, and `load_player` for names and directories."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from terz_env.players.policy import MODEL_FILE, PolicyPlayer
from terz_env.players.protocol import (
    Decisions,
    Player,
    PlayerError,
    check_plays,
    decide,
    needs_log,
)
from terz_env.players.random import RandomAnnouncePlayer, RandomPlayer
from terz_env.players.rule_players import greedy_player, heuristic_player
from terz_env.players.search import SearchPlayer
from terz_env.players.solver import SOLVER, SolverPlayer

__all__ = [
    "FILES",
    "NAMED",
    "Decisions",
    "Player",
    "PlayerError",
    "check_plays",
    "decide",
    "load_player",
    "needs_log",
]

NAMED: dict[str, Callable[[], Player]] = {
    "random": RandomPlayer,
    "random:announce": RandomAnnouncePlayer,
    "greedy": greedy_player,
    "heuristic": heuristic_player,
}
"""The players that have a name, from the weakest to the strongest."""


def _stable_baselines(file: Path, any_rules: bool) -> Player:
    """Loads a model of Stable-Baselines3, by an adapter that lies above the players."""
    player: Player = import_module("terz_env.adapters.sb3").load(file, any_rules=any_rules)
    return player


FILES: dict[str, Callable[[Path, bool], Player]] = {".zip": _stable_baselines}
"""What loads a file of another library, by its ending."""


def load_player(name: str | Path) -> Player:
    """Return the player of that name, or the policy saved in that directory.

    Args:
        name: One of `NAMED`; ``pimc:N`` or ``ismcts:N`` with N worlds, or ``pimc:50ms`` with a time
            limit (see `SearchPlayer`); a directory with ``model.safetensors``; a zip file of
            Stable-Baselines3; or one of all these with ``+solver`` (see `SolverPlayer`).

    Raises:
        PlayerError: If there is no such player or the file does not hold a usable policy.
        LibraryError: If the file needs a library that is not installed, or is too old.
    """
    text = str(name)
    if text in NAMED:
        return NAMED[text]()
    if Path(name).is_dir() or Path(name).name == MODEL_FILE:
        return PolicyPlayer.load(Path(name))
    if Path(name).suffix in FILES:
        return FILES[Path(name).suffix](Path(name), False)
    if text.endswith(SOLVER):
        return SolverPlayer(load_player(text.removesuffix(SOLVER)))
    search = SearchPlayer.from_name(text)
    if search is not None:
        return search
    raise PlayerError(
        f"no player is called {text!r}: write {', '.join(NAMED)}, pimc:50, pimc:50ms, "
        f"ismcts:1000, one of them with {SOLVER}, a directory that holds {MODEL_FILE}, or a file "
        f"ending in {' or '.join(FILES)}"
    )
