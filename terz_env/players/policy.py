"""A trained policy, played with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from terz_env.bit_layer import bit_sums
from terz_env.canonical import columns_back
from terz_env.players.model_facts import FACTS_KEY, MODEL_FILE, ModelFacts
from terz_env.players.protocol import PlayerError
from terz_env.players.results import own_result
from terz_env.players.trained import TrainedPlayer
from terz_env.ruleset import Option
from terz_env.selfplay import expand_bits

Tensors = dict[str, NDArray[np.float32]]


class PolicyPlayer(TrainedPlayer):
    """A network of ReLU layers with a policy head."""

    def __init__(
        self,
        game: str,
        tensors: Tensors,
        *,
        name: str = "policy",
        rules: Mapping[str, Option] | None = None,
        suits: str = "plain",
        sample: bool = False,
        reward_scale: float | None = None,
        any_rules: bool = False,
    ) -> None:
        """Take the weights over, without copying.

        Args:
            game: Name of the game.
            tensors: ``trunk.<i>`` for each hidden layer and ``policy``, each with ``.weight``
                ``(outputs, inputs)`` and ``.bias`` ``(outputs,)``; ``value`` likewise, if there is
                a value head; others are ignored.
            name: How tables call the player.
            rules: The options it was trained under; None if it plays by any.
            suits: Whether it is shown the suits in "canonical" order or "plain", as they are.
            sample: Draw from the policy instead of taking the most probable action.
            reward_scale: What a deal's reward was multiplied by to train the value head.
            any_rules: Let it play by other rules than those it was trained under.

        Raises:
            PlayerError: If a tensor is missing or does not fit the game, or the order of the suits
                is of no known kind.
            RuleSetError: If there is no such rule set.
        """
        super().__init__(
            game, name=name, rules=rules, suits=suits, sample=sample, any_rules=any_rules
        )
        record = self._record
        self._n_entries = record.layout.n_entries
        depth = sum(key.startswith("trunk.") and key.endswith(".weight") for key in tensors)
        names = [f"trunk.{index}" for index in range(depth)] + ["policy"]
        names += ["value"] if "value.weight" in tensors else []
        try:
            layers = [(tensors[f"{key}.weight"], tensors[f"{key}.bias"]) for key in names]
        except KeyError as error:
            raise PlayerError(f"{name}: the tensor {error.args[0]} is missing") from error
        heads = {"policy": record.n_actions, "value": 1}
        width = self._n_entries
        for key, (weight, bias) in zip(names, layers, strict=True):
            outputs = heads.get(key, len(bias))
            if weight.shape != (outputs, width) or bias.shape != (outputs,):
                raise PlayerError(
                    f"{name}: {key} has the shapes {weight.shape} and {bias.shape}; "
                    f"({outputs}, {width}) and ({outputs},) are expected in {game}"
                )
            if weight.dtype != np.float32 or bias.dtype != np.float32:
                raise PlayerError(f"{name}: {key} is {weight.dtype}; float32 is expected")
            width = width if key in heads else outputs
        self._layers = layers[: depth + 1]
        self._table = np.ascontiguousarray(layers[0][0].T)
        self._value = layers[depth + 1] if len(layers) > depth + 1 else None
        self._reward_scale = reward_scale

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        game: str | None = None,
        sample: bool = False,
        any_rules: bool = False,
    ) -> PolicyPlayer:
        """Load a policy that ``python -m training`` saved.

        Args:
            path: The directory, or its ``model.safetensors``.
            game: The game it has to play; None takes the model's own.
            sample: Draw from the policy instead of taking the most probable action.
            any_rules: Let it play by other rules than those it was trained under.

        Raises:
            PlayerError: If the file is missing or damaged, holds a policy of another game, or was
                trained on another layout of the observation.
        """
        facts, tensors = read_policy(path, game)
        return cls(
            facts.game,
            tensors,
            name=facts.name,
            rules=facts.rules,
            suits=facts.suits,
            sample=sample,
            any_rules=any_rules,
            reward_scale=facts.reward_scale,
        )

    def logits(self, bits: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Logits of all actions ``(N, A)``, illegal ones included."""
        masks = np.zeros((len(bits), self._record.n_actions), dtype=np.int8)
        shown, _, orders = self.shown(bits, masks)
        logits = self.scores(shown, masks)
        return logits if orders is None else columns_back(self._record, logits, orders)

    @property
    def has_values(self) -> bool:
        """Whether `results` can be asked: a value head, and the scale it was trained with."""
        return self._value is not None and self._reward_scale is not None

    def results(self, bits: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Results of the deal ``(N,)`` that the value head expects for the seats that see this.

        Terz: points, own less the other's; Tetka: own marks. They are meant for seats to act.

        Raises:
            PlayerError: If the policy has no value head, or nobody knows its scale.
        """
        if self._value is None or self._reward_scale is None:
            raise PlayerError(
                f"{self.name}: the value head is missing, or the reward_scale that it was trained "
                "with; train again, or give reward_scale"
            )
        masks = np.zeros((len(bits), self._record.n_actions), dtype=np.int8)
        shown, _, _ = self.shown(bits, masks)
        weight, bias = self._value
        values = (self._hidden(shown) @ weight[0] + bias[0]).astype(np.float64)
        return own_result(self.game, values / self._reward_scale)

    def _hidden(self, bits: NDArray[np.uint64]) -> NDArray[np.float32]:
        if len(self._layers) == 1:
            return expand_bits(np.ascontiguousarray(bits), self._n_entries)
        hidden = bit_sums(bits, self._table, self._layers[0][1])
        np.maximum(hidden, np.float32(0), out=hidden)
        for weight, bias in self._layers[1:-1]:
            hidden = hidden @ weight.T
            hidden += bias
            np.maximum(hidden, np.float32(0), out=hidden)
        return hidden

    def scores(self, bits: NDArray[np.uint64], masks: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the logits (see `TrainedPlayer.scores`)."""
        weight, bias = self._layers[-1]
        logits: NDArray[np.float32] = self._hidden(bits) @ weight.T + bias
        return logits


def read_policy(path: Path, game: str | None = None) -> tuple[ModelFacts, Tensors]:
    """Read a policy's facts and all tensors of its file.

    Args:
        path: The directory, or its ``model.safetensors``.
        game: The game it has to play; None takes the policy's own.

    Raises:
        PlayerError: As `PolicyPlayer.load` raises it.
    """
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise PlayerError(
            "loading a policy needs safetensors: pip install 'terz-env[policy]'"
        ) from error
    file = path / MODEL_FILE if path.is_dir() else path
    try:
        with safe_open(file, framework="numpy") as model:
            text = (model.metadata() or {}).get(FACTS_KEY, "{}")
            tensors = {key: model.get_tensor(key) for key in model.keys()}  # noqa: SIM118
    except (OSError, ValueError, SafetensorError) as error:
        raise PlayerError(f"{file}: no policy can be read: {error}") from error
    return ModelFacts.read(file, text, game), tensors
