"""A policy as an ONNX graph, played by onnxruntime: from this package's export or from elsewhere.

The graph declares its inputs: ``observation (batch, O)``, the entries of the layout as 0 and 1, and
``action_mask (batch, A)``, the legal actions. It gives ``logits (batch, A)``; what it gives beside
them is not read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.games import get_game
from terz_env.players.model_facts import FACTS_KEY, GAMES, ModelFacts
from terz_env.players.protocol import PlayerError
from terz_env.players.trained import TrainedPlayer
from terz_env.selfplay import expand_bits

OBSERVATION, ACTION_MASK, LOGITS = "observation", "action_mask", "logits"
TYPES: dict[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
    "tensor(int8)": np.int8,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}
"""The types that an input may declare, as NumPy knows them."""


class OnnxPlayer(TrainedPlayer):
    """A policy that onnxruntime plays, on one thread of the processor."""

    def __init__(
        self,
        data: bytes,
        *,
        file: Path,
        game: str | None = None,
        sample: bool = False,
        any_rules: bool = False,
    ) -> None:
        """Take over a graph; facts of this package among its metadata say how it is played.

        Without them the game is the one whose sizes the inputs have, the suits are shown as they
        are, and the policy plays by any rules.

        Args:
            data: The graph.
            file: Where it comes from, for messages and, without facts, for the name.
            game: The game it has to play; None takes the policy's own.
            sample: Draw from the policy instead of taking the most probable action.
            any_rules: Let it play by other rules than those it was trained under.

        Raises:
            PlayerError: If onnxruntime is missing, or the graph cannot be played in this game.
        """
        self._data = data
        self._session = _session(data, file)
        text = self._session.get_modelmeta().custom_metadata_map.get(FACTS_KEY)
        facts = None if text is None else ModelFacts.read(file, text, game)
        played = _game_of(self._session, file) if facts is None else facts.game
        if game not in (None, played):
            raise PlayerError(f"{file}: a policy of {played}, not of {game}")
        super().__init__(
            played,
            name=facts.name if facts else file.stem,
            rules=facts.rules if facts else None,
            suits=facts.suits if facts else "plain",
            sample=sample,
            any_rules=any_rules,
        )
        self._file = file
        self._n_entries = self._record.layout.n_entries
        sizes = {OBSERVATION: self._n_entries, ACTION_MASK: self._record.n_actions}
        self._types = {
            given.name: _type_of(given, sizes, file) for given in self._session.get_inputs()
        }
        self._output = _logits_of(self._session, self._record.n_actions, file)

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        game: str | None = None,
        sample: bool = False,
        any_rules: bool = False,
    ) -> OnnxPlayer:
        """Load a graph from a file (see the class for the arguments).

        Raises:
            PlayerError: If the file cannot be read, onnxruntime is missing, or the graph cannot be
                played.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise PlayerError(f"{path}: no policy can be read: {error}") from error
        return cls(data, file=path, game=game, sample=sample, any_rules=any_rules)

    def scores(self, bits: NDArray[np.uint64], masks: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the graph's logits (see `TrainedPlayer.scores`)."""
        given: dict[str, NDArray[Any]] = {
            OBSERVATION: expand_bits(np.ascontiguousarray(bits), self._n_entries),
            ACTION_MASK: masks,
        }
        inputs = {name: given[name].astype(dtype) for name, dtype in self._types.items()}
        (logits,) = self._session.run([self._output], inputs)
        if logits.shape != masks.shape:
            raise PlayerError(
                f"{self._file}: {self._output} of shape {logits.shape} for {len(masks)} "
                f"observations; {masks.shape} is needed: export it with a free first axis"
            )
        found: NDArray[np.float32] = logits.astype(np.float32, copy=False)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_session"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._session = _session(self._data, self._file)


def _session(data: bytes, file: Path) -> Any:
    """Return what runs a graph."""
    try:
        import onnxruntime
    except ImportError as error:
        raise PlayerError(
            f"{file}: playing a .onnx file needs onnxruntime: pip install 'terz-env[onnx]'"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors share no base
        reason = " ".join(str(error).split())
        raise PlayerError(f"{file}: onnxruntime cannot read it: {reason}") from error


def _game_of(session: Any, file: Path) -> str:
    """Return the game whose sizes the inputs have."""
    width = {given.name: given.shape[-1] for given in session.get_inputs() if given.shape}
    sizes = []
    for name in GAMES:
        game = get_game(name)
        if width.get(OBSERVATION) == game.layout.n_entries:
            return name
        sizes.append(f"{game.layout.n_entries} in {name}")
    raise PlayerError(
        f"{file}: {_declared(session)}; an input {OBSERVATION} (batch, {' or '.join(sizes)}) is "
        "needed"
    )


def _type_of(given: Any, sizes: dict[str, int], file: Path) -> Any:
    """Return the type of an input that fits, as NumPy knows it."""
    wanted = sizes.get(given.name)
    is_matrix = len(given.shape) == 2 and not isinstance(given.shape[0], int)
    if wanted is None or not is_matrix or given.shape[1] != wanted or given.type not in TYPES:
        needed = ", ".join(f"{name} (batch, {size})" for name, size in sizes.items())
        raise PlayerError(
            f"{file}: the input {given.name} {_shape(given)} of {given.type} does not fit; a "
            f"policy takes {needed}, as one of {', '.join(TYPES)}"
        )
    return TYPES[given.type]


def _logits_of(session: Any, n_actions: int, file: Path) -> str:
    """Return the name of the output that holds the logits."""
    outputs = session.get_outputs()
    named = [given for given in outputs if given.name == LOGITS] or outputs[:1]
    if len(named[0].shape) != 2 or named[0].shape[1] != n_actions:
        raise PlayerError(
            f"{file}: the output {named[0].name} {_shape(named[0])} does not fit; "
            f"{LOGITS} (batch, {n_actions}) is needed"
        )
    return str(named[0].name)


def _declared(session: Any) -> str:
    """Return the inputs of a graph in words."""
    return "inputs " + ", ".join(f"{one.name} {_shape(one)}" for one in session.get_inputs())


def _shape(given: Any) -> str:
    return f"({', '.join(map(str, given.shape))})"
