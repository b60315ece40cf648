"""A trained policy, played with NumPy alone."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.canonical import canonical_rows, columns_back
from terz_env.games import get_game
from terz_env.players.protocol import Decisions, PlayerError
from terz_env.players.results import own_result
from terz_env.selfplay import SUITS, expand_bits

MODEL_FILE = "model.safetensors"
GAMES = ("terz", "tetka")
MODEL_FORMAT = "terz-policy/1"
FACTS_KEY = "terz_env"  # one entry of the metadata: the order of several would not be fixed


class PolicyPlayer:
    """A network of ReLU layers with a policy head.

    Attributes:
        name: How tables call the player.
        game: The game it was trained on.
        rules: The options of the rule set it was trained under.
        suits: Whether it is shown the suits in canonical order or as they are.
    """

    def __init__(
        self,
        game: str,
        tensors: dict[str, NDArray[np.float32]],
        *,
        name: str = "policy",
        rules: dict[str, Any] | None = None,
        suits: str = "plain",
        sample: bool = False,
        reward_scale: float | None = None,
    ) -> None:
        """Take the weights over, without copying.

        Args:
            game: Name of the game.
            tensors: ``trunk.<i>`` for each hidden layer and ``policy``, each with ``.weight``
                ``(outputs, inputs)`` and ``.bias`` ``(outputs,)``; ``value`` likewise, if there is
                a value head; others are ignored.
            name: How tables call the player.
            rules: The options it was trained under.
            suits: Whether it is shown the suits in "canonical" order or "plain", as they are.
            sample: Draw from the policy instead of taking the most probable action.
            reward_scale: What a deal's reward was multiplied by to train the value head.

        Raises:
            PlayerError: If a tensor is missing or does not fit the game, or the order of the suits
                is of no known kind.
        """
        self.name = name
        self.game = game
        self.rules = dict(rules or {})
        if suits not in SUITS:
            raise PlayerError(f"{name}: suits={suits!r}; use {' or '.join(SUITS)}")
        self.suits = suits
        self.sample = sample
        record = get_game(game)
        self._record = record
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
        self._value = layers[depth + 1] if len(layers) > depth + 1 else None
        self._reward_scale = reward_scale

    @classmethod
    def load(cls, path: Path, *, game: str | None = None, sample: bool = False) -> "PolicyPlayer":
        """Load a policy that ``python -m training`` saved.

        Args:
            path: The directory, or its ``model.safetensors``.
            game: The game it has to play; None takes the model's own.
            sample: Draw from the policy instead of taking the most probable action.

        Raises:
            PlayerError: If the file is missing or damaged, holds a policy of another game, or was
                trained on another layout of the observation.
        """
        try:
            from safetensors import SafetensorError, safe_open
        except ImportError as error:
            raise PlayerError(
                "loading a policy needs safetensors: pip install 'terz-env[policy]'"
            ) from error
        file = path if path.name == MODEL_FILE else path / MODEL_FILE
        try:
            with safe_open(file, framework="numpy") as model:
                facts = json.loads((model.metadata() or {}).get(FACTS_KEY, "{}"))
                tensors = {key: model.get_tensor(key) for key in model.keys()}  # noqa: SIM118
        except (OSError, ValueError, RecursionError, SafetensorError) as error:
            raise PlayerError(f"{file}: no policy can be read: {error}") from error
        _check(file, facts, game)
        return cls(
            facts["game"],
            tensors,
            name=facts["name"],
            rules=facts["rules"],
            suits=facts.get("suits", "plain"),
            sample=sample,
            reward_scale=facts.get("reward_scale"),
        )

    def logits(self, bits: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Logits of all actions ``(N, A)``, illegal ones included."""
        shown, orders = self._shown(bits)
        weight, bias = self._layers[-1]
        logits: NDArray[np.float32] = self._hidden(shown) @ weight.T + bias
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
        shown, _ = self._shown(bits)
        weight, bias = self._value
        values = (self._hidden(shown) @ weight[0] + bias[0]).astype(np.float64)
        return own_result(self.game, values / self._reward_scale)

    def _shown(
        self, bits: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64] | None]:
        """Return bits as the network sees them, and the orders of the suits if they are renamed."""
        if self.suits == "plain":
            return bits, None
        masks = np.zeros((len(bits), self._record.n_actions), dtype=np.int8)
        shown, _, orders = canonical_rows(self._record, bits, masks)
        return shown, orders

    def _hidden(self, bits: NDArray[np.uint64]) -> NDArray[np.float32]:
        hidden = expand_bits(np.ascontiguousarray(bits), self._n_entries)
        for weight, bias in self._layers[:-1]:
            hidden = hidden @ weight.T
            hidden += bias
            np.maximum(hidden, np.float32(0), out=hidden)
        return hidden

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the most probable legal action a row, or a sample (see `Player.act`)."""
        return self.choose(decisions.bits, decisions.masks, rng if self.sample else None)

    def choose(
        self, bits: NDArray[np.uint64], masks: NDArray[np.int8], rng: np.random.Generator | None
    ) -> NDArray[np.int64]:
        """Return the most probable legal action a row ``(N,)``; with a generator, a sample.

        Args:
            bits: ``(N, n_words)`` packed observations of the seats to act.
            masks: ``(N, A)`` their legal actions, at least one a row.
            rng: The source of chance, or None for the most probable action.
        """
        logits = np.where(masks != 0, self.logits(bits), np.float32(-np.inf))
        if rng is not None:
            logits = logits + rng.gumbel(size=logits.shape)
        actions: NDArray[np.int64] = logits.argmax(axis=1)
        return actions


def _check(file: Path, facts: object, game: str | None) -> None:
    """Refuse a file whose facts do not fit this version of the package or the game wanted."""
    given = facts if isinstance(facts, dict) else {}
    if given.get("format") != MODEL_FORMAT:
        raise PlayerError(f"{file}: format {given.get('format')!r}; {MODEL_FORMAT!r} is expected")
    missing = {"game", "name", "rules", "layout_fingerprint"} - given.keys()
    if missing:
        raise PlayerError(f"{file}: the metadata lacks {', '.join(sorted(missing))}")
    if given["game"] not in GAMES or game not in (None, given["game"]):
        raise PlayerError(f"{file}: a policy of {given['game']}, not of {game or GAMES}")
    scale = given.get("reward_scale")
    if scale is not None and not (isinstance(scale, int | float) and scale > 0):
        raise PlayerError(f"{file}: reward_scale {scale!r}; a number above 0 is expected")
    fingerprint = get_game(given["game"]).layout.fingerprint
    if given["layout_fingerprint"] != fingerprint:
        raise PlayerError(
            f"{file}: trained on the observation layout {given['layout_fingerprint']}; here "
            f"{given['game']} has {fingerprint}: train again, or use the version that made it"
        )
