"""A native vector environment for Tianshou: N learners' games, the other players inside."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from tianshou.data import Batch
from tianshou.env import BaseVectorEnv

from terz_env.adapters.tables import refuse_fixed, refusing
from terz_env.envs.rows import Observation
from terz_env.envs.seating import Opponents
from terz_env.envs.vector import LearnerVectorEnv

FIXED_OPTIONS = {
    "autoreset_mode": "Tianshou's collectors reset the games that have ended themselves",
    "copy": "Tianshou keeps the last observation while the next step is made",
}
ADVICE = (
    "DQN masks by itself, the networks of other algorithms have to mask their logits by obs.mask, "
    "and `random=True` of a collector knows no masks; or set illegal_actions='forfeit'"
)
Ids = int | list[int] | NDArray[Any] | None


class CardVectorEnv(BaseVectorEnv):
    """N games of Terz or Tetka for Tianshou, each seen from the seat that learns.

    A step takes the learner to its next decision, or to the end of the episode, and pays all that
    its seat has earned meanwhile. An observation is a `Batch` of `obs` (N, O) of 0 or 1 and `mask`
    (N, A) bool, as Tianshou's own `PettingZooEnv` names them; at the end of an episode the mask is
    all false.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 256,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        illegal_actions: str = "raise",
        seed: int | None = None,
        **options: Any,
    ) -> None:
        """Prepares the games; `reset` deals.

        Args:
            game: "terz" or "tetka".
            num_envs: The number of games N.
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
            autoreset_mode=AutoresetMode.DISABLED,
            **options,
        )
        self.options = self.vector.options
        self._next_seed = seed
        entries = self.options.observation_space()["observation"]
        masks = spaces.MultiBinary(self.options.game.n_actions)
        self._attributes = {
            "observation_space": spaces.Dict({"obs": entries, "mask": masks}),
            "action_space": self.vector.single_action_space,
            "metadata": self.vector.metadata,
            "spec": None,
        }
        # What the base class and the collectors read; there are no workers.
        self.workers = []
        self.env_num = self.wait_num = self.vector.num_envs
        self.timeout = None
        self.is_async = self.is_closed = False
        self.waiting_id, self.ready_id = [], list(range(self.env_num))

    def set_opponents(self, opponents: Opponents) -> None:
        """Lets other players sit down, in each game from its next episode on.

        Raises:
            PlayerError: There is no such player, or it plays another game.
        """
        self.vector.set_opponents(opponents)

    # The course of the episodes.

    def seed(self, seed: int | list[int] | None = None) -> list[Any]:
        """Seeds all games at the next reset of all: deal d of game i is a function of both.

        Raises:
            ValueError: A list is given; there is one seed for all games.
        """
        if isinstance(seed, list):
            raise ValueError(f"seed={seed!r}: one seed is for all games; give a number")
        self._next_seed = seed
        return [seed] * self.env_num

    def reset(self, env_id: Ids = None, **kwargs: Any) -> tuple[Any, NDArray[Any]]:
        """Begins an episode in some games, or in all.

        Args:
            env_id: Their numbers; None for all.
            **kwargs: `seed`, which begins with the first deals of this seed.

        Returns:
            What their learners see, a `Batch` (K, …), and infos with their numbers.

        Raises:
            TypeError: Another option of a reset is given.
        """
        seed = kwargs.pop("seed", None)
        if kwargs:
            raise TypeError(
                f"reset takes env_id and seed, not {', '.join(kwargs)}; to begin with a deal or a "
                "state, reset the LearnerVectorEnv beneath, `vector`"
            )
        rows = self._rows(env_id)
        chosen = self._next_seed if seed is None else seed
        seen, _ = self.vector.reset(seed=chosen, options={"reset_mask": self._mask(rows)})
        self._next_seed = None
        return self._seen(seen, rows), _infos(rows)

    def step(
        self,
        action: Any,
        id: Ids = None,  # noqa: A002  (Tianshou's name)
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[Any]]:
        """Plays the learners' actions in some games, or in all, and the others' turns.

        Returns:
            Observations (a `Batch`), rewards, terminations, truncations (none) and infos (K, …).

        Raises:
            IllegalActionError: An action is outside its mask and `illegal_actions` is "raise".
            ResetNeeded: An episode is over, or has not begun.
            PlayerError: Another player chose what it may not.
        """
        rows = self._rows(id)
        actions = np.zeros(self.env_num, dtype=np.int64)
        actions[rows] = action
        chosen = None if len(rows) == self.env_num else self._mask(rows)
        with refusing(ADVICE):
            seen, rewards, ends, truncations, _ = self.vector.step(actions, rows=chosen)
        infos = _infos(rows)
        return self._seen(seen, rows), rewards[rows], ends[rows], truncations[rows], infos

    def _rows(self, numbers: Ids) -> NDArray[np.int64]:
        """Returns the numbers of some games, or of all."""
        if numbers is None:
            return np.arange(self.env_num)
        return np.atleast_1d(np.asarray(numbers, dtype=np.int64))

    def _mask(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Returns which games are meant (N,)."""
        chosen = np.zeros(self.env_num, dtype=np.bool_)
        chosen[rows] = True
        return chosen

    def _seen(self, seen: Observation, rows: NDArray[np.int64]) -> Batch:
        """Returns what the learners of some games see."""
        masks = seen["action_mask"].view(np.bool_)
        return Batch(obs=seen["observation"][rows], mask=masks[rows])

    # What Tianshou asks of single environments.

    def get_env_attr(self, key: str, id: Ids = None) -> list[Any]:  # noqa: A002
        """Returns an attribute of the games once for each."""
        value = self._attributes[key] if key in self._attributes else getattr(self.vector, key)
        return [value for _ in self._rows(id)]

    def set_env_attr(self, key: str, value: Any, id: Ids = None) -> None:  # noqa: A002
        """Refuses: the games share one memory.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(
            f"{key}={value!r}: the games share one memory; make a new CardVectorEnv, or change the "
            "players by set_opponents"
        )

    def render(self, **_: Any) -> list[Any]:
        """Returns a drawing of every table with open hands, with a `render_mode`."""
        return list(self.vector.render() or ())

    def close(self) -> None:
        """Has nothing to release."""
        self.is_closed = True


def _infos(rows: NDArray[np.int64]) -> NDArray[Any]:
    """Returns a dict for each of some games, with its number; collectors want an array of them."""
    return np.array([{"env_id": row} for row in rows.tolist()])
