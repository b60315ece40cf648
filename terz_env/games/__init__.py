"""The games by name."""

from __future__ import annotations

import copyreg
from dataclasses import replace

from terz_env.errors import UnknownGameError
from terz_env.game import Game

NAMES = ("terz", "tetka", "terz_mini", "terz_micro", "tetka_micro")


def get_game(name: str) -> Game:
    """Returns a game by name; raises UnknownGameError listing the names."""
    if name not in NAMES:
        raise UnknownGameError(f"no game {name!r}; the games are {', '.join(NAMES)}")
    if name.startswith("tetka"):
        from terz_env.games.tetka import game as tetka

        return tetka.TETKA if name == "tetka" else tetka.TETKA_MICRO
    from terz_env.games.terz import game as terz

    return {"terz": terz.TERZ, "terz_mini": terz.TERZ_MINI, "terz_micro": terz.TERZ_MICRO}[name]


copyreg.pickle(Game, lambda game: (get_game, (game.name,)))


def engine_numbered(game: Game) -> Game:
    """Returns a game whose actions have the numbers and names of its family, most never legal."""
    family = get_game(game.family)
    return replace(game, actions=family.actions, engine_actions=family.engine_actions)
