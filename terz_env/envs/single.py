"""The Gymnasium environment: one seat learns, players sit in the others."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from terz_env.envs.drawing import RENDER_FPS, RENDER_MODES, check_render_mode, draw
from terz_env.envs.learner import SEED_MASK, action_number, learner_options
from terz_env.envs.options import start_of_options
from terz_env.envs.rows import LearnerRows, Observation
from terz_env.envs.seating import Opponents
from terz_env.state import State


class LearnerEnv(gymnasium.Env[Observation, Any]):
    """One game of Terz or Tetka, seen from the seat that learns.

    An observation is `{"observation": (O,), "action_mask": (A,) int8}`; the mask stands in
    `info["action_mask"]` too, and `info["seat"]` is the learner's seat. A reward is all that the
    seat has earned since its last decision. The total over an episode is the result by the rules.

    After `reset(seed=s)` the game is row 0 of `gymnasium.make_vec(...)` after the same reset: the
    same deals, seats and opponents' chance; a reset without a seed goes on with the next deal. An
    episode that ends before the learner is to act is passed over.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        game: str,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Prepares the environment; `reset` deals.

        Args:
            game: "terz" or "tetka".
            opponents: Who sits in the other seats: a name ("random", "greedy", "heuristic"), the
                directory of a policy, a player, a mapping of these to weights, drawn for each seat
                and episode, or a list of one for each seat from the learner's left neighbour on.
            seat: The learner's seat, "rotate" (the next one in every episode) or "random".
            render_mode: None, "ansi", "human" or "rgb_array".
            **options: See `terz_env.envs.options.Options.of`; `illegal_actions` is "forfeit" here
                unless given, since Gymnasium's checker plays without the mask.

        Raises:
            TypeError: There is no such option.
            ValueError: An option has a wrong value, or a player does not exist or play this game.
        """
        self.options = learner_options(game, options, ("opponents", "seat", "render_mode"))
        self.render_mode = check_render_mode(render_mode)
        self.observation_space = self.options.observation_space()  # type: ignore[assignment]
        self.action_space = gymnasium.spaces.Discrete(self.options.game.n_actions)
        self._rows = LearnerRows(self.options, 1, opponents, seat, same_step=False)
        self._action = np.zeros(1, dtype=np.int64)
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: Begins with the first deal of this seed; None goes on with the next deal.
            options: `{"deal": Deal}` starts with these cards, `{"state": State}` anywhere; other
                names are left alone.

        Raises:
            PositionError: The deal or position is impossible, or of another game or rule set.
        """
        start = start_of_options(options)
        super().reset(seed=seed)
        every = np.ones(1, dtype=np.bool_)
        if seed is not None or not self._seeded:
            chosen = self.np_random.integers(SEED_MASK) if seed is None else seed & SEED_MASK
            self._rows.seed(every, np.array([chosen], dtype=np.int64), first=True)
            self._seeded = True
        self._rows.restart(every, start)
        return self._seen()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, and the others' turns until the learner is to act again.

        Raises:
            ResetNeeded: There has been no reset since the last episode.
            InvalidActionError: The action is no integer, or refused under
                `illegal_actions="raise"`; nothing has changed.
            PlayerError: An opponent chose what it may not; a reset begins anew.
        """
        rows = self._rows
        if rows.is_over(0):
            raise gymnasium.error.ResetNeeded("no episode is in progress; call reset")
        self._action[0] = action_number(action)
        rows.step(self._action)
        seen, info = self._seen()
        return seen, float(rows.rewards[0]), bool(rows.ends[0]), False, info

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        seen = self._rows.observations()
        observation = {name: array[0] for name, array in seen.items()}
        info = {"action_mask": observation["action_mask"], "seat": int(self._rows.seats[0])}
        return observation, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the learner's legal actions (A,), as MaskablePPO asks for them."""
        mask: NDArray[np.bool_] = self._rows.masks[0] == 1
        return mask

    def set_opponents(self, opponents: Opponents) -> None:
        """Lets other players sit down from the next episode on.

        Raises:
            PlayerError: There is no such player, or it plays another game.
        """
        self._rows.set_opponents(opponents)

    @property
    def seating(self) -> tuple[str, ...]:
        """The name of the player in each seat; the learner is "learner"."""
        return self._rows.seating(0)

    @property
    def position(self) -> State:
        """A copy of the position, hidden cards included."""
        return self._rows.position(0)

    def render(self) -> Any:
        """Draws the table with open hands (see `terz_env.envs.drawing.draw`).

        Raises:
            ResetNeeded: There has been no reset yet.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() draws nothing: the environment has no render_mode")
            return None
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("there is nothing to draw; call reset")
        return draw(self.position, self.render_mode, self.seating)
