"""What `env_config` says: the game, its options and the order of suits, checked once."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from terz_env.envs.options import Options
from terz_env.players import PlayerError
from terz_env.players.model_facts import GAMES, ModelFacts
from terz_env.selfplay import SUITS

OBSERVATIONS, ACTION_MASK = "observations", "action_mask"
"""The names under which RLlib's own masking looks for what a seat sees and may do."""
OPTIONS = tuple(name for name in inspect.signature(Options.of).parameters if name != "cls")


@dataclass(frozen=True)
class Settings:
    """What is played, seen and paid.

    Attributes:
        options: The options of the environment.
        suits: Whether seats see the suits in "canonical" order or "plain", as they are.
    """

    options: Options
    suits: str

    @classmethod
    def of(cls, env_config: Mapping[str, Any]) -> Settings:
        """Checks and completes what was given.

        Args:
            env_config: `game`, and any of `suits` and the options of `Options.of`; observations are
                float32 unless `dtype` says otherwise.

        Raises:
            TypeError: There is no such option.
            UnknownGameError, RuleSetError: The game, its rules or the scope do not exist.
            ValueError: Another option has no such value, or no game is given.
        """
        given = dict(env_config)
        unknown = [name for name in given if name not in (*OPTIONS, "suits")]
        if unknown:
            raise TypeError(
                f"no option {', '.join(map(repr, unknown))} in env_config; the options are "
                f"{', '.join((*OPTIONS, 'suits'))}"
            )
        game = given.pop("game", None)
        if game not in GAMES:
            raise ValueError(f"game={game!r} in env_config; use {' or '.join(GAMES)}")
        suits = given.pop("suits", "plain")
        if suits not in SUITS:
            raise ValueError(f"suits={suits!r}; use {' or '.join(SUITS)}")
        options = Options.of(game, **{"dtype": "float32", **given})
        if suits == "canonical" and options.view.name != "observation":
            raise ValueError(
                f"suits='canonical' orders the suits of the view observation, not of "
                f"{options.view.name}"
            )
        return cls(options, suits)

    def observation_space(self) -> gymnasium.spaces.Dict:
        """Returns a new space of `{"observations": (O,), "action_mask": (A,)}`, of one dtype."""
        dtype = np.dtype(self.options.dtype).type
        shapes = {OBSERVATIONS: self.options.view.shape, ACTION_MASK: (self.n_actions,)}
        return gymnasium.spaces.Dict(
            {name: gymnasium.spaces.Box(0, 1, shape, dtype) for name, shape in shapes.items()}
        )

    def action_space(self) -> gymnasium.spaces.Discrete:
        """Returns a new space of all actions of the game."""
        return gymnasium.spaces.Discrete(self.n_actions)

    @property
    def n_actions(self) -> int:
        """The number of actions A of the game."""
        return self.options.game.n_actions

    def facts(self, name: str, *, has_values: bool = True) -> ModelFacts:
        """Returns what a policy has to say of itself that learns with these settings.

        Args:
            name: How tables call it.
            has_values: Whether its value head expects the results of single deals.

        Raises:
            PlayerError: It sees another view than players are shown.
        """
        options = self.options
        if options.view.name != "observation":
            raise PlayerError(
                f"view={options.view.name!r} in env_config: policies are shown the view "
                "'observation'; learn from that"
            )
        scale = options.reward_scale / options.game.reward_scale
        tells_results = has_values and options.scope == "deal" and scale > 0
        return ModelFacts(
            game=options.game.name,
            name=name,
            rules=options.rules.to_dict(),
            layout_fingerprint=options.game.layout.fingerprint,
            rules_fingerprint=options.rules.fingerprint,
            suits=self.suits,
            reward_scale=scale if tells_results else None,
        )
