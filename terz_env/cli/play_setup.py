"""Prepares what `terz play` needs, and refuses what cannot be before a card is played."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

from terz_env.errors import PositionError, RecordError
from terz_env.notation import MAX_TEXT
from terz_env.players import Player, PlayerError, check_plays, load_player
from terz_env.records.writing import GAMES
from terz_env.state import State

ADVISER = "heuristic"
SEED_BITS = 31


def check_game(name: str) -> str:
    """Returns the name of a game that can be played here; raises PlayerError for others."""
    if name not in GAMES:
        raise PlayerError(f"{name!r} cannot be played here; use --game {' or '.join(GAMES)}")
    return name


def load_opponents(state: State, names: list[str], *, any_rules: bool = False) -> list[Player]:
    """Returns a player for each other seat, the one on the person's left first.

    Raises:
        PlayerError: There is no such player, it does not fit, or there are too few or too many.
    """
    game = state.game
    others, chosen = game.n_seats - 1, names or [ADVISER]
    if len(chosen) not in (1, others):
        what = "one" if others == 1 else f"one for all, or {others}"
        raise PlayerError(f"{len(chosen)} opponents; {game.name} takes {what}")
    players = [load_player(name, any_rules=any_rules) for name in chosen]
    for player in players:
        check_plays(player, game.name, state.rules)
    return players if len(players) == others else players * others


def read_position(file: Path) -> State:
    """Returns the position that `save` has written.

    Raises:
        OSError: The file cannot be read.
        PositionError, RuleSetError, UnknownGameError: It holds no position that can be played on.
    """
    with file.open("rb") as lines:
        text = lines.read(MAX_TEXT + 2).decode("utf-8", errors="replace").strip()
    state = State.from_text(text)
    if state.is_over:
        raise PositionError(f"{file}: the position is the end of a game")
    return state


def check_record(file: Path) -> None:
    """Refuses a file that cannot take a record, before anything is played for it."""
    folder = file.resolve().parent
    if not folder.is_dir():
        raise RecordError(f"{file}: there is no directory {folder}")
    if file.exists() and not file.is_file():
        raise RecordError(f"{file} is no file; name one for the record")
    if not os.access(folder, os.W_OK) or (file.exists() and not os.access(file, os.R_OK)):
        raise RecordError(f"{file} cannot be written")


def draw_seed() -> int:
    """Returns a seed by chance."""
    return secrets.randbits(SEED_BITS)


def forgive_odd_letters() -> None:
    """Lets the streams replace what is no text in their encoding, instead of failing."""
    for stream in (sys.stdin, sys.stdout):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
