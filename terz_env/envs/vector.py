"""The native vector environment of Gymnasium: B learners' games, stepped by one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from terz_env.envs.drawing import RENDER_FPS, check_render_mode, draw
from terz_env.envs.learner import SEED_MASK, action_numbers, learner_options
from terz_env.envs.options import start_of_options
from terz_env.envs.rows import LearnerRows, Observation
from terz_env.envs.seating import Opponents
from terz_env.state import State

RENDER_MODES = ("ansi", "rgb_array")
Seeds = int | Sequence[int | None] | None


class LearnerVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """B games of Terz or Tetka, each seen from the seat that learns (see `LearnerEnv`).

    Deal d of environment i after `reset(seed=s)` is deal d of row i of `SelfPlayBatch(seed=s)`.
    By default a game that ends begins anew in the same step: what the learner saw last is in
    `infos["final_obs"]` and `infos["final_info"]`, as `AutoresetMode.SAME_STEP` says.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Prepares the environments; `reset` deals.

        Args:
            game: "terz" or "tetka".
            num_envs: The number of environments B.
            opponents: Who sits in the other seats (see `LearnerEnv`); they are asked in batches.
            seat: The learner's seat, "rotate" or "random".
            autoreset_mode: When an episode that has ended begins anew.
            render_mode: None, "ansi" or "rgb_array".
            **options: See `terz_env.envs.options.Options.of`; `illegal_actions` is "forfeit" here
                unless given. With `copy=False` observations are overwritten by the next step. Views
                other than `observation` are written row by row, which is slower.

        Raises:
            TypeError: There is no such option.
            ValueError: An option has a wrong value, or a player does not exist or play this game.
        """
        known = ("num_envs", "opponents", "seat", "autoreset_mode", "render_mode")
        self.options = learner_options(game, options, known)
        self.num_envs = _checked_size(num_envs)
        modes = [mode.value for mode in AutoresetMode]
        if autoreset_mode not in (*AutoresetMode, *modes):
            raise ValueError(f"autoreset_mode={autoreset_mode!r}; use {', '.join(modes)}")
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.render_mode = check_render_mode(render_mode, RENDER_MODES)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_observation_space = self.options.observation_space()
        self.single_action_space = gymnasium.spaces.Discrete(self.options.game.n_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        self._rows = LearnerRows(self.options, num_envs, opponents, seat, same_step=same_step)
        self._seeded = False
        self._last_mask = np.zeros((num_envs, self.options.game.n_actions), dtype=np.int8)
        self._last_mask.flags.writeable = False

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode in every environment, or in those of a mask.

        Args:
            seed: Begins with the first deals of this seed. Of a list each environment takes one,
                as the single environment would; None goes on with the next deal.
            options: `{"reset_mask": (B,) bool}` leaves the others as they are; `"deal"` and
                `"state"` as in the single environment.

        Raises:
            PositionError: A deal or position is impossible, or of another game or rule set.
            ResetNeeded: A mask leaves out environments that have not begun.
            TypeError, ValueError: The mask is no array of B truth values, or seeds are missing.
        """
        start = start_of_options(options)
        rows = self._reset_rows(options)
        if not self._seeded and not rows.all():
            raise gymnasium.error.ResetNeeded("reset every environment before some of them")
        self._reseed(seed, rows)
        self._rows.restart(rows, start)
        return self._rows.observations(), self._infos(rows)

    def _reset_rows(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        """Returns which environments begin anew (B,)."""
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"reset_mask={mask!r}: an array of truth values is needed")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"reset_mask={mask!r}: shape ({self.num_envs},) and one True at least are needed"
            )
        return mask.copy()

    def _reseed(self, seed: Seeds, rows: NDArray[np.bool_]) -> None:
        """Seeds what is given, or everything by chance where nothing has been seeded."""
        if seed is None or isinstance(seed, (int, np.integer)):
            super().reset(seed=seed)
            if seed is not None or not self._seeded:
                chosen = self.np_random.integers(SEED_MASK) if seed is None else seed & SEED_MASK
                self._rows.seed(rows, np.full(self.num_envs, chosen, np.int64), first=False)
        else:
            seeds = list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"{len(seeds)} seeds for {self.num_envs} environments")
            if any(number is not None and number < 0 for number in seeds):
                raise ValueError(f"seed={seeds}: a seed is not negative")
            if not self._seeded:
                self._reseed(None, rows)
            given = np.array([number is not None for number in seeds]) & rows
            numbers = [(number or 0) & SEED_MASK for number in seeds]
            if given.any():
                self._rows.seed(given, np.array(numbers, dtype=np.int64), first=True)
        self._seeded = True

    def step(
        self, actions: Any, *, rows: NDArray[np.bool_] | None = None
    ) -> tuple[
        Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Plays an action (B,) in every environment, and the others' turns.

        With `AutoresetMode.NEXT_STEP` the action of an environment whose episode has ended is
        ignored: it begins anew.

        Args:
            actions: One for each environment (B,).
            rows: Which environments play (B,); the others stay as they are. None for all.

        Raises:
            ResetNeeded: There has been no reset; with `AutoresetMode.DISABLED`, also after an end.
            InvalidActionError: The actions are no integers of shape (B,), or one is refused under
                `illegal_actions="raise"`; nothing has changed.
            PlayerError: An opponent chose what it may not; a reset begins anew.
        """
        tables = self._rows
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("no episode is in progress; call reset")
        played = np.ones(self.num_envs, dtype=np.bool_) if rows is None else rows
        over = np.flatnonzero(tables.over & played).tolist()
        if self.autoreset_mode == AutoresetMode.DISABLED and over:
            raise gymnasium.error.ResetNeeded(f"the episodes of {over} are over; reset them")
        chosen = action_numbers(actions, self.num_envs)
        seats = tables.seats
        tables.step(chosen, rows)
        infos = self._infos(played)
        if self.autoreset_mode == AutoresetMode.SAME_STEP and tables.ends.any():
            self._add_finals(infos, seats)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        return tables.observations(), tables.rewards, tables.ends, truncations, infos

    def _infos(self, rows: NDArray[np.bool_]) -> dict[str, Any]:
        """Returns masks and seats, and of which environments they are told."""
        return {
            "action_mask": self._rows.masks,
            "_action_mask": rows.copy(),
            "seat": self._rows.seats,
            "_seat": rows.copy(),
        }

    def _add_finals(self, infos: dict[str, Any], seats: NDArray[np.int64]) -> None:
        """Adds what the learner saw last in the episodes that have just ended."""
        ends = self._rows.ends
        ended = np.flatnonzero(ends)
        entries = self._rows.finals(ended)
        masks = self._last_mask[: len(ended)].copy()
        finals = np.full(self.num_envs, None, dtype=object)
        finals[ended] = [
            {"observation": seen, "action_mask": mask}
            for seen, mask in zip(entries, masks, strict=True)
        ]
        infos["final_obs"] = finals
        infos["_final_obs"] = ends.copy()
        infos["final_info"] = {
            "action_mask": self._last_mask,
            "_action_mask": ends.copy(),
            "seat": np.where(ends, seats, 0),
            "_seat": ends.copy(),
        }
        infos["_final_info"] = ends.copy()

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which environments wait for a reset (B,)."""
        return self._rows.over

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the learners' legal actions (B, A), as MaskablePPO asks for them."""
        masks: NDArray[np.bool_] = self._rows.masks == 1
        return masks

    def set_opponents(self, opponents: Opponents) -> None:
        """Lets other players sit down, in each environment from its next episode on.

        Raises:
            PlayerError: There is no such player, or it plays another game.
        """
        self._rows.set_opponents(opponents)

    def seating(self, environment: int) -> tuple[str, ...]:
        """Returns the name of the player in each seat; the learner is "learner"."""
        return self._rows.seating(environment)

    def position(self, environment: int) -> State:
        """Returns a copy of the position of an environment, hidden cards included."""
        return self._rows.position(environment)

    def render(self) -> tuple[Any, ...] | None:
        """Draws every table with open hands (see `terz_env.envs.drawing.draw`).

        Raises:
            ResetNeeded: There has been no reset yet.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() draws nothing: the environment has no render_mode")
            return None
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("there is nothing to draw; call reset")
        mode = self.render_mode
        return tuple(
            draw(self.position(number), mode, self.seating(number))
            for number in range(self.num_envs)
        )


def _checked_size(size: object) -> int:
    """Returns a number of environments; raises ValueError where there can be no such."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
        raise ValueError(f"num_envs={size!r}: a whole number from 1 on is needed")
    return int(size)
