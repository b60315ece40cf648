"""The space of observations that a saved model keeps, and what it says about the game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from terz_env.envs.options import Options
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.players import PlayerError

GAMES = ("terz", "tetka")


class CardSpace(spaces.Box):
    """Entries of 0 or 1 (O,), which remember what was played.

    A model of Stable-Baselines3 is saved together with its spaces, so that it can say later which
    game it plays.

    Attributes:
        game: The name of the game.
        rules: The options of the rule set.
        layout_fingerprint: Of the layout of the observation.
    """

    def __init__(self, options: Options) -> None:
        """Takes game, rules, shape and dtype from the options of an environment."""
        super().__init__(0, 1, options.view.shape, np.dtype(options.dtype).type)
        self.game = options.game.name
        self.rules: dict[str, Any] = options.rules.to_dict()
        self.layout_fingerprint = options.game.layout.fingerprint


def game_of(file: Path, observations: object, actions: object) -> Game:
    """Returns the game that a model with these spaces plays.

    Spaces without a name, as those of other wrappers, are known by their sizes.

    Raises:
        PlayerError: There is no such game, or the model knows another layout of observations.
    """
    if isinstance(observations, CardSpace):
        game = get_game(observations.game)
        if observations.layout_fingerprint != game.layout.fingerprint:
            raise PlayerError(
                f"{file}: trained on the observation layout {observations.layout_fingerprint}; "
                f"here {game.name} has {game.layout.fingerprint}: train again, or use the version "
                "that made it"
            )
        return game
    entries = observations
    if isinstance(observations, spaces.Dict):
        entries = observations.spaces.get("observation")
    sizes = {
        ((record.layout.n_entries,), record.n_actions): record for record in map(get_game, GAMES)
    }
    shape = entries.shape if isinstance(entries, spaces.Box) else None
    n_actions = int(actions.n) if isinstance(actions, spaces.Discrete) else None
    if (shape, n_actions) not in sizes:
        wanted = " or ".join(
            f"{shape} and {n} ({record.name})" for (shape, n), record in sizes.items()
        )
        raise PlayerError(
            f"{file}: a model of observations {shape} and {n_actions} actions plays none of our "
            f"games; {wanted} are needed"
        )
    return sizes[shape, n_actions]
