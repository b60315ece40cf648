"""A policy of sb3-contrib as a player of batches."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.base_class import BaseAlgorithm

from terz_env.adapters.sb3.space import CardSpace, played_by
from terz_env.players import Decisions, PlayerError
from terz_env.selfplay import expand_bits

CHUNK = 4096
"""Decisions that the network sees at once."""
UNUSED = {name: (lambda _: 0.0) for name in ("learning_rate", "lr_schedule", "clip_range")} | {
    "clip_range_vf": None
}
"""Schedules of the training, which playing does without."""


class Sb3Player:
    """Plays by the policy of a MaskablePPO.

    Attributes:
        name: How tables call the player.
        game: The game it was trained on.
        rules: The options of the rule set it was trained under; empty where it does not know.
        rules_fingerprint: Of that rule set; None where it does not know, or plays by any.
    """

    def __init__(
        self,
        policy: MaskableActorCriticPolicy,
        game: str,
        *,
        name: str = "sb3",
        sample: bool = False,
        any_rules: bool = False,
    ) -> None:
        """Takes the policy over, for playing only.

        Args:
            policy: Sees the entries (O,), or a dict of `observation` and `action_mask`.
            game: Name of the game.
            name: How tables call the player.
            sample: Draw from the policy instead of taking the most probable action.
            any_rules: Let it play by other rules than those it was trained under.
        """
        self.name = name
        self.game = game
        space = policy.observation_space
        self.rules: dict[str, Any] = dict(space.rules) if isinstance(space, CardSpace) else {}
        self.rules_fingerprint: str | None = None
        if isinstance(space, CardSpace) and not any_rules:
            self.rules_fingerprint = space.rules_fingerprint
        self.sample = sample
        policy.set_training_mode(False)
        policy.requires_grad_(False)
        self._policy = policy
        self._wants_masks = isinstance(policy.observation_space, spaces.Dict)

    @classmethod
    def load(cls, path: str | Path, *, sample: bool = False, any_rules: bool = False) -> Sb3Player:
        """Loads what `MaskablePPO.save` has written.

        Such a file holds pickled objects, and reading it runs them: load only what you trust.

        Args:
            path: The zip file.
            sample: Draw from the policy instead of taking the most probable action.
            any_rules: Let it play by other rules than those it was trained under.

        Raises:
            PlayerError: The file is missing or damaged, holds no MaskablePPO, or one of another
                game or layout of the observation.
        """
        file = Path(path)
        if not zipfile.is_zipfile(file):
            there = "is no zip file" if file.exists() else "does not exist"
            raise PlayerError(f"{file} {there}; give what MaskablePPO.save has written")
        try:
            model = MaskablePPO.load(file, device="cpu", custom_objects=UNUSED)
        except Exception as error:
            raise PlayerError(
                f"{file}: no MaskablePPO of sb3-contrib can be read "
                f"({type(error).__name__}: {error})"
            ) from error
        game = played_by(str(file), model.observation_space, model.action_space)
        return cls(model.policy, game, name=file.stem, sample=sample, any_rules=any_rules)

    @classmethod
    def of(cls, model: BaseAlgorithm, *, name: str = "sb3", sample: bool = False) -> Sb3Player:
        """Returns the player that a model is now; what it learns later does not change it.

        Args:
            model: A MaskablePPO.
            name: How tables call the player.
            sample: Draw from the policy instead of taking the most probable action.

        Raises:
            PlayerError: It is another kind of model, or one of another game.
        """
        policy = model.policy
        if not isinstance(policy, MaskableActorCriticPolicy):
            raise PlayerError(
                f"a {type(model).__name__} chooses without masks; learn with MaskablePPO of "
                "sb3-contrib"
            )
        game = played_by(name, model.observation_space, model.action_space)
        copy = type(policy)(**policy._get_constructor_parameters())
        copy.load_state_dict(policy.state_dict())
        return cls(copy.to("cpu"), game, name=name, sample=sample)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Returns the most probable legal action a row, or a sample (see `Player.act`)."""
        parts = range(0, len(decisions), CHUNK)
        logits = np.concatenate([self._logits(decisions, slice(n, n + CHUNK)) for n in parts])
        if self.sample:
            logits = logits + rng.gumbel(size=logits.shape)
        legal = np.where(decisions.masks != 0, logits, -np.inf)
        actions: NDArray[np.int64] = legal.argmax(axis=1)
        return actions

    def _logits(self, decisions: Decisions, rows: slice) -> NDArray[np.float32]:
        """Returns the masked logits of some decisions (N, A)."""
        masks = decisions.masks[rows]
        seen: Any = expand_bits(decisions.bits[rows], decisions.game.layout.n_entries)
        if self._wants_masks:
            seen = {"observation": seen, "action_mask": masks}
        entries, _ = self._policy.obs_to_tensor(seen)
        chances: Any = self._policy.get_distribution(entries, action_masks=masks != 0).distribution
        logits: NDArray[np.float32] = chances.logits.cpu().numpy()
        return logits


def load(path: str | Path, *, any_rules: bool = False) -> Sb3Player:
    """Returns the player of a zip file (see `Sb3Player.load`)."""
    return Sb3Player.load(path, any_rules=any_rules)
