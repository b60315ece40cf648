"""The space of observations that a saved model keeps, and what it says about the game."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from terz_env.envs.options import Options
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
        rules_fingerprint: Of the rule set.
        layout_fingerprint: Of the layout of the observation.
    """

    def __init__(self, options: Options) -> None:
        """Takes game, rules, shape and dtype from the options of an environment."""
        super().__init__(0, 1, options.view.shape, np.dtype(options.dtype).type)
        self.game = options.game.name
        self.rules: dict[str, Any] = options.rules.to_dict()
        self.rules_fingerprint = options.rules.fingerprint
        self.layout_fingerprint = options.game.layout.fingerprint


def played_by(model: str, observations: object, actions: object) -> str:
    """Returns the game that a model with these spaces plays.

    Spaces that say nothing, as those of other wrappers, are known by their sizes.

    Raises:
        PlayerError: There is no such game, or the model knows another layout of observations.
    """
    if isinstance(observations, CardSpace):
        game, trained = get_game(observations.game), observations.layout_fingerprint
        if trained != game.layout.fingerprint:
            raise PlayerError(
                f"{model}: trained on the observation layout {trained}; here {game.name} has "
                f"{game.layout.fingerprint}: train again, or use the version that made it"
            )
        return game.name
    entries = observations
    if isinstance(observations, spaces.Dict):
        entries = observations.spaces.get("observation")
    shape = entries.shape if isinstance(entries, spaces.Box) else None
    n_actions = int(actions.n) if isinstance(actions, spaces.Discrete) else None
    sizes = {name: _sizes(name) for name in GAMES}
    for name, wanted in sizes.items():
        if (shape, n_actions) == wanted:
            return name
    needed = " or ".join(f"{wanted[0]} and {wanted[1]} ({name})" for name, wanted in sizes.items())
    raise PlayerError(
        f"{model}: observations {shape} and {n_actions} actions are those of no game here; "
        f"{needed} are needed"
    )


def _sizes(name: str) -> tuple[tuple[int, ...], int]:
    """Returns the shape of a game's observations, and the number of its actions."""
    game = get_game(name)
    return game.views["observation"].shape, game.n_actions
