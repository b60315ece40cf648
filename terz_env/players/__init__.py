"""Players of batches: the protocol, and `load_player` for names and directories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from terz_env.players.policy import MODEL_FILE, PolicyPlayer
from terz_env.players.protocol import Decisions, Player, PlayerError, check_plays, decide
from terz_env.players.random import RandomAnnouncePlayer, RandomPlayer
from terz_env.players.rule_players import greedy_player, heuristic_player

__all__ = [
    "NAMED",
    "Decisions",
    "Player",
    "PlayerError",
    "check_plays",
    "decide",
    "load_player",
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
        name: One of `NAMED`, or a directory with ``model.safetensors``.

    Raises:
        PlayerError: If there is no such player or the directory does not hold a usable policy.
    """
    if isinstance(name, str) and name in NAMED:
        return NAMED[name]()
    if Path(name).is_dir() or Path(name).name == MODEL_FILE:
        return PolicyPlayer.load(Path(name))
    raise PlayerError(
        f"no player is called {str(name)!r}: write {', '.join(NAMED)}, "
        f"or a directory that holds {MODEL_FILE}"
    )
