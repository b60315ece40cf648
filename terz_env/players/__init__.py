"""Players of batches: the protocol, and `load_player` for names and directories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from terz_env.players.policy import MODEL_FILE, PolicyPlayer
from terz_env.players.policy_search import PolicySearchPlayer
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
    "NAMED",
    "Decisions",
    "Player",
    "PlayerError",
    "check_plays",
    "decide",
    "load_player",
    "needs_log",
    "policy_file",
]

NAMED: dict[str, Callable[[], Player]] = {
    "random": RandomPlayer,
    "random:announce": RandomAnnouncePlayer,
    "greedy": greedy_player,
    "heuristic": heuristic_player,
}
"""The players that have a name, from the weakest to the strongest."""


def load_player(name: str | Path) -> Player:
    """Return the player of that name, or the policy saved in that directory.

    Args:
        name: One of `NAMED`; ``pimc:N`` or ``ismcts:N`` with N worlds, or ``pimc:50ms`` with a time
            limit (see `SearchPlayer`); a directory with ``model.safetensors``; ``pimc:20@DIR`` with
            such a directory (see `PolicySearchPlayer`); or one of all these with ``+solver`` (see
            `SolverPlayer`).

    Raises:
        PlayerError: If there is no such player or the directory does not hold a usable policy.
    """
    text = str(name)
    if text in NAMED:
        return NAMED[text]()
    if Path(name).is_dir() or Path(name).name == MODEL_FILE:
        return PolicyPlayer.load(Path(name))
    if text.endswith(SOLVER):
        return SolverPlayer(load_player(text.removesuffix(SOLVER)))
    search = SearchPlayer.from_name(text) or PolicySearchPlayer.from_name(text)
    if search is not None:
        return search
    raise PlayerError(
        f"no player is called {text!r}: write {', '.join(NAMED)}, pimc:50, pimc:50ms, "
        f"ismcts:1000, one of them with {SOLVER}, a directory that holds {MODEL_FILE}, or "
        "pimc:20@DIRECTORY"
    )


def policy_file(name: str) -> Path | None:
    """Return the file of the policy that a player of that name plays or searches with, if any."""
    plain = name.removesuffix(SOLVER)
    path = PolicySearchPlayer.path_in(plain) or Path(plain)
    file = path if path.name == MODEL_FILE else path / MODEL_FILE
    return file if file.is_file() else None
