"""Players of batches: the protocol, and `load_player` for names and trained policies."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from terz_env.players.model_facts import MODEL_FILE
from terz_env.players.onnx_policy import OnnxPlayer
from terz_env.players.policy import PolicyPlayer
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
from terz_env.players.shipped import model_file, shipped_models
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
    "model_file",
    "needs_log",
    "policy_file",
    "shipped_models",
]

NAMED: dict[str, Callable[[], Player]] = {
    "random": RandomPlayer,
    "random:announce": RandomAnnouncePlayer,
    "greedy": greedy_player,
    "heuristic": heuristic_player,
}
"""The players that have a name, from the weakest to the strongest."""

FILES: dict[str, Callable[[Path, bool], Player]] = {
    ".safetensors": lambda file, any_rules: PolicyPlayer.load(file, any_rules=any_rules),
    ".onnx": lambda file, any_rules: OnnxPlayer.load(file, any_rules=any_rules),
    ".zip": lambda file, any_rules: _adapted("terz_env.adapters.sb3", file, any_rules=any_rules),
}
"""What loads a trained policy, by the ending of its file."""


def _adapted(module: str, file: Path, *, any_rules: bool) -> Player:
    """Load another library's file by an adapter, which lies above the players."""
    player: Player = import_module(module).load(file, any_rules=any_rules)
    return player


def load_player(name: str | Path, *, any_rules: bool = False) -> Player:
    """Return the player of that name, or the policy of that file or directory.

    Args:
        name: One of `NAMED`; ``pimc:N`` or ``ismcts:N`` with N worlds, or ``pimc:50ms`` with a time
            limit (see `SearchPlayer`); a shipped policy such as ``tetka/small`` (see
            `shipped_models`); a directory with ``model.safetensors``, or a checkpoint of RLlib;
            such a file, one that ends in ``.onnx``, or a zip file of Stable-Baselines3;
            ``pimc:20@POLICY`` (see `PolicySearchPlayer`); or one of all these with ``+solver`` (see
            `SolverPlayer`).
        any_rules: Let a trained policy play by other rules than those it was trained under.

    Raises:
        PlayerError: If there is no such player, or the policy cannot be used.
        LibraryError: If the file needs a library that is not installed, or is too old.
    """
    text = str(name)
    if text in NAMED:
        return NAMED[text]()
    file = model_file(name)
    if file is not None:
        return FILES[file.suffix](file, any_rules)
    if text.endswith(SOLVER):
        return SolverPlayer(load_player(text.removesuffix(SOLVER), any_rules=any_rules))
    search = SearchPlayer.from_name(text) or PolicySearchPlayer.from_name(text, any_rules=any_rules)
    if search is not None:
        return search
    raise PlayerError(
        f"no player is called {text!r}: write {', '.join([*NAMED, *shipped_models()])}, pimc:50, "
        f"pimc:50ms, ismcts:1000, one of them with {SOLVER}, a directory that holds {MODEL_FILE}, "
        f"a file that ends in {' or '.join(FILES)}, or pimc:20@POLICY"
    )


def policy_file(name: str) -> Path | None:
    """Return the file of the policy that a player of that name plays or searches with, if any.

    >>> policy_file("heuristic") is None
    True
    """
    plain = name.removesuffix(SOLVER)
    return model_file(PolicySearchPlayer.path_in(plain) or plain)
