"""A native `VecEnv`: B learners' games, all masks in one array, the other players inside."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from terz_env.adapters.sb3.space import CardSpace
from terz_env.adapters.tables import refuse_fixed, refusing
from terz_env.envs.seating import Opponents
from terz_env.envs.vector import LearnerVectorEnv

FIXED_OPTIONS = {
    "autoreset_mode": "Stable-Baselines3 begins the next episode in the step that ends one",
    "copy": "Stable-Baselines3 keeps the last observation while the next step is made",
}
ADVICE = (
    "choose under the masks of env_method('action_masks'), as MaskablePPO and "
    "maskable.evaluation of sb3-contrib do, or set illegal_actions='forfeit'"
)


class CardVecEnv(VecEnv):
    """B games of Terz or Tetka for Stable-Baselines3, each seen from the seat that learns.

    A step takes the learner to its next decision, or through the end to the first one of the next
    episode, and pays all that its seat has earned meanwhile. Observations are entries of 0 or 1
    (B, O); `env_method("action_masks")` returns the legal actions (B, A) as one array.

    The `info` of an episode's last step holds `terminal_observation` and, as after `Monitor`,
    `episode`: total reward "r", decisions "l", seconds "t".
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1024,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        illegal_actions: str = "raise",
        seed: int | None = None,
        **options: Any,
    ) -> None:
        """Prepares the environments; `reset` deals.

        Args:
            game: "terz" or "tetka".
            num_envs: The number of environments B.
            opponents: Who sits in the other seats: names, files of models, players, a mapping of
                these to weights, drawn anew for each seat and episode, or a list of one for each
                seat from the learner's left neighbour on.
            seat: The learner's seat, "rotate" (the next one in every episode) or "random".
            illegal_actions: "raise" refuses an unmasked action; "forfeit" and "penalise" play on.
            seed: Picks the deals and the other players' chance; None leaves both to chance.
            **options: See `terz_env.envs.vector.LearnerVectorEnv`.

        Raises:
            TypeError: There is no such option, or it is fixed here.
            ValueError: An option has a wrong value, or a player does not exist or play this game.
        """
        refuse_fixed(options, FIXED_OPTIONS)
        self.vector = LearnerVectorEnv(
            game,
            num_envs,
            opponents=opponents,
            seat=seat,
            illegal_actions=illegal_actions,
            **options,
        )
        self.options = self.vector.options
        self._seed = seed
        self._actions: NDArray[np.int64] | None = None
        self._totals = np.zeros(num_envs, dtype=np.float64)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._began = perf_counter()
        actions = spaces.Discrete(self.options.game.n_actions)
        super().__init__(num_envs, CardSpace(self.options), actions)

    # The course of the episodes.

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds all environments at the next reset: deal d of environment i is a function of both.

        Returns:
            The one seed, once for each environment.
        """
        self._seed = seed
        return [seed] * self.num_envs

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Refuses options of the next reset; there are none.

        Raises:
            ValueError: Some are given.
        """
        if options:
            raise ValueError(
                f"options={options!r}: Stable-Baselines3 resets once; give deals or a record to "
                "CardVecEnv, or reset its `vector` with a deal or a state"
            )

    def reset(self) -> NDArray[Any]:
        """Begins an episode in every environment; returns what the learners see (B, O)."""
        seen, _ = self.vector.reset(seed=self._seed)
        self._seed = None
        self._actions = None
        self._totals[:] = 0
        self._lengths[:] = 0
        self._began = perf_counter()
        return seen["observation"]

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the learners' actions (B,)."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Plays them, and the others' turns.

        Returns:
            Observations (B, O), rewards (B,) float32, ends (B,) and a dict for each environment.

        Raises:
            IllegalActionError: An action is outside its mask and `illegal_actions` is "raise".
            ResetNeeded: There has been no reset.
            PlayerError: Another player chose what it may not.
        """
        with refusing(ADVICE):
            seen, rewards, ends, _, more = self.vector.step(self._actions)
        self._totals += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(ends)
        if len(ended):
            finals = more["final_obs"]
            seconds = round(perf_counter() - self._began, 6)
            for row in ended.tolist():
                infos[row] = {
                    "terminal_observation": finals[row]["observation"],
                    "TimeLimit.truncated": False,
                    "episode": {
                        "r": float(self._totals[row]),
                        "l": int(self._lengths[row]),
                        "t": seconds,
                    },
                }
            self._totals[ended] = 0
            self._lengths[ended] = 0
        return seen["observation"], rewards.astype(np.float32), ends, infos

    def close(self) -> None:
        """Has nothing to release."""

    # What Stable-Baselines3 asks of single environments.

    def has_attr(self, attr_name: str) -> bool:
        """Tells whether the environments have an attribute or a method."""
        return hasattr(self.vector, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute of the vector once for each environment."""
        value = getattr(self.vector, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuses: the environments share one memory.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(
            f"{attr_name}={value!r}: the environments share one memory; make a new CardVecEnv, or "
            "change the players by env_method('set_opponents', …)"
        )

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> Any:
        """Calls a method.

        "action_masks" returns one array (B, A), with `indices` some of its rows; "set_opponents"
        is for all environments at once; "seating" and "position" are asked of each.

        Raises:
            AttributeError: There is no such method.
        """
        rows = self._get_indices(indices)
        if method_name == "action_masks":
            masks = self.vector.action_masks()
            return masks if indices is None else masks[list(rows)]
        if method_name == "set_opponents":
            self.vector.set_opponents(*method_args, **method_kwargs)
            return [None for _ in rows]
        if method_name in {"seating", "position"}:
            method = getattr(self.vector, method_name)
            return [method(row) for row in rows]
        raise AttributeError(
            f"no method {method_name!r}; there are action_masks, set_opponents, seating, position"
        )

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """Tells of `Monitor` alone that it is there: infos hold what it would add."""
        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Returns a picture of every table with open hands, with `render_mode="rgb_array"`."""
        return list(self.vector.render() or ())
