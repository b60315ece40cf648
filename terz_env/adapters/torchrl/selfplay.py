"""A native batched `EnvBase` in which all seats learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from torch import Tensor
from torchrl.data import Categorical

from terz_env.adapters.tables import refusing
from terz_env.adapters.torchrl.tables import TablesEnv
from terz_env.envs.learner import SEED_MASK
from terz_env.ruleset import RuleSet
from terz_env.selfplay import SelfPlayBatch

ADVICE = "choose under `action_mask`, or play on with rules={'illegal_actions': 'forfeit'}"


class SelfPlayEnv(TablesEnv):
    """N games of Terz or Tetka for TorchRL: every step plays one action in each, in turn.

    A tensordict holds `observation` (N, O) of 0 or 1 and `action_mask` (N, A) of the seat to act,
    that `seat` (N, 1), `action` (N,), `reward` (N, P) float32 of all seats, `done` and
    `terminated` (N, 1).

    Rewards are paid when an episode ends, to all seats at once; with a discount of 1 that of the
    seat that acted is the return of all its decisions of the episode. The `next` of an end already
    shows the next episode, which `reset` with `_reset` leaves as it is.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1024,
        *,
        rules: RuleSet | str | Mapping[str, object] | None = None,
        scope: str = "deal",
        suits: str = "plain",
        dtype: str = "float32",
        seed: int | None = None,
        device: torch.device | str = "cpu",
    ) -> None:
        """Prepares the games; `reset` deals.

        Args:
            game: "terz" or "tetka".
            num_envs: The number of games N.
            rules: A rule set, a preset, `key=value` text or a mapping.
            scope: What an episode is: "deal", "match" (Terz) or "rubber" (Tetka).
            suits: "plain", or "canonical" to see the suits in an order of their own.
            dtype: Of the observations, "float32" or "uint8".
            seed: Picks the deals, as `set_seed` does; None leaves them to chance. The first reset
                of all games begins with the first deals of the seed, each later one with others.
            device: Where tensors go; the games are played by the processor.

        Raises:
            UnknownGameError, RuleSetError: The game, its rules or the scope do not exist.
            ValueError: Another argument has a wrong value.
        """
        batch = SelfPlayBatch(
            game, num_envs, rules=rules, scope=scope, observation=dtype, suits=suits
        )
        shape, n_actions = batch.observations.shape[1:], batch.game.n_actions
        super().__init__(num_envs, shape, n_actions, batch.game.n_seats, dtype, seed, device)
        seats = Categorical(batch.game.n_seats, (num_envs, 1), self.device)
        self.observation_spec["seat"] = seats
        self.batch = batch
        self._seeds = np.random.default_rng(seed)

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        """Begins an episode in every game; where `_reset` is given, it has already begun.

        Raises:
            ValueError: `_reset` is true for a game in progress.
        """
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        if chosen is None:
            self._deal()
        else:
            early = chosen.reshape(-1).cpu().numpy() & ~self.batch.ends
            if early.any():
                raise ValueError(
                    f"the games {np.flatnonzero(early).tolist()} are in progress: single games "
                    "begin anew when they have ended; to break off, reset all without `_reset`"
                )
        return TensorDict(self._seen(), self.batch_size, self.device)

    def _deal(self) -> None:
        """Deals anew in every game."""
        if self._next_seed is not None:
            self._seeds = np.random.default_rng(self._next_seed)
            self.batch.seed, self._next_seed = self._next_seed, None
        else:
            self.batch.seed = int(self._seeds.integers(SEED_MASK))
        self.batch.reset()

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Plays an action of the seat to act in every game."""
        with refusing(ADVICE):
            self.batch.step(tensordict.get("action").cpu().numpy())
        done = self._tensor(self.batch.ends.copy()).unsqueeze(1)
        paid = {
            "reward": self._tensor(self.batch.rewards.copy()),
            "done": done,
            "terminated": done.clone(),
        }
        return TensorDict({**self._seen(), **paid}, self.batch_size, self.device)

    def _seen(self) -> dict[str, Tensor]:
        """Returns what the seats to act see, as copies."""
        masks = self.batch.masks.astype(np.bool_)
        seats = self._tensor(self.batch.seats.copy()).unsqueeze(1)
        return {**self._shown(self.batch.observations.copy(), masks), "seat": seats}
