"""Networks of torch as players: while they learn, and saved as an ONNX graph."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from terz_env.adapters.libraries import require
from terz_env.canonical import canonical_rows
from terz_env.envs.options import Options
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.players.model_facts import FACTS_KEY, ONNX_FILE, ModelFacts
from terz_env.players.onnx_policy import ACTION_MASK, LOGITS, OBSERVATION
from terz_env.players.protocol import PlayerError
from terz_env.players.trained import TrainedPlayer
from terz_env.ruleset import Option
from terz_env.selfplay import SelfPlayBatch, expand_bits

BATCH = "batch"
OPSET = 17
CHECKED_DEALS, CHECKED_STEPS = 64, 8
TOLERANCE = 1e-4
"""The most that an output may differ between torch and the graph."""
CHUNK = 4096
"""Decisions that a network sees at once."""
FORBIDDEN_LOGIT = -1e9


class TorchPlayer(TrainedPlayer):
    """Plays by a network that gives logits (N, A), or Q-values, for observations (N, O) float32.

    Attributes:
        network: A copy of it, on the processor.
    """

    def __init__(
        self,
        network: nn.Module,
        game: str,
        *,
        name: str = "torch",
        rules: Mapping[str, Option] | None = None,
        sample: bool = False,
        any_rules: bool = False,
    ) -> None:
        """Copies the network as it is now; what it learns later does not change the player.

        Args:
            network: Gives the logits, or a tuple that begins with them.
            game: Name of the game.
            name: How tables call the player.
            rules: The options it was trained under; None if it plays by any.
            sample: Draw from the policy instead of taking the most probable action.
            any_rules: Let it play by other rules than those it was trained under.

        Raises:
            PlayerError: The network does not fit the game.
            RuleSetError: There is no such rule set.
        """
        super().__init__(
            game, name=name, rules=rules, suits="plain", sample=sample, any_rules=any_rules
        )
        self.network = LogitsAlone(deepcopy(network)).to("cpu").eval().requires_grad_(False)
        shape = _shape(self.network, self._record, name)
        if shape != (1, self._record.n_actions):
            raise PlayerError(
                f"{name}: the network gives {shape[1:]} for an observation; "
                f"{self._record.n_actions} logits are needed in {game}"
            )

    @classmethod
    def of(
        cls, network: nn.Module, options: Options, *, name: str = "torch", sample: bool = False
    ) -> TorchPlayer:
        """Returns the player that a network is now, which learns an environment's game and rules.

        Raises:
            PlayerError: The network sees another view than `observation`, or does not fit.
        """
        _check_view(options, name)
        rules = options.rules.to_dict()
        return cls(network, options.game.name, name=name, rules=rules, sample=sample)

    def scores(self, bits: NDArray[np.uint64], masks: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the logits (see `TrainedPlayer.scores`)."""
        size = self._record.layout.n_entries
        parts = []
        with torch.inference_mode():
            for begin in range(0, len(bits), CHUNK):
                rows = np.ascontiguousarray(bits[begin : begin + CHUNK])
                seen = torch.from_numpy(expand_bits(rows, size))
                parts.append(self.network(seen).numpy())
        logits: NDArray[np.float32] = np.concatenate(parts)
        return logits


def save_policy(
    file: Path | str, network: nn.Module, options: Options, *, name: str | None = None
) -> None:
    """Writes a network as an ONNX graph that `load_player` and the command `terz` play.

    Args:
        file: Ends in ``.onnx``.
        network: Gives logits (N, A), or Q-values, for observations (N, O) float32.
        options: Of the environment that it has learned in.
        name: How tables call it; None for the name of the file.

    Raises:
        PlayerError: The file has another ending, or the network does not fit the game or sees
            another view than `observation`, or cannot be written as a graph.
        LibraryError: onnx is not installed.
    """
    path = Path(file)
    if path.suffix != ".onnx":
        raise PlayerError(f"{path}: a policy is saved as a graph; let the name end in .onnx")
    given = name or path.stem
    player = TorchPlayer.of(network, options, name=given)
    facts = ModelFacts(
        game=options.game.name,
        name=given,
        rules=options.rules.to_dict(),
        layout_fingerprint=options.game.layout.fingerprint,
        rules_fingerprint=options.rules.fingerprint,
    )
    path.write_bytes(graph_of(player.network, facts, [LOGITS]))


class LogitsAlone(nn.Module):
    """A network without what it gives beside its logits."""

    def __init__(self, network: nn.Module) -> None:
        """Takes the network, which gives the logits or a tuple that begins with them."""
        super().__init__()
        self.network = network

    def forward(self, observation: Tensor) -> Tensor:
        """Returns logits (N, A)."""
        found = self.network(observation)
        logits: Tensor = found[0] if isinstance(found, tuple) else found
        return logits


class MaskedPolicy(nn.Module):
    """What the graph computes: logits with the illegal actions shut out, and what else there is."""

    def __init__(self, network: nn.Module) -> None:
        """Take the network."""
        super().__init__()
        self.network = network

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, ...]:
        """Return masked logits ``(N, A)``, and the other outputs."""
        found = self.network(observation)
        logits, *others = found if isinstance(found, tuple) else (found,)
        return (logits.masked_fill(~action_mask, FORBIDDEN_LOGIT), *others)


def graph_of(network: nn.Module, facts: ModelFacts, outputs: Sequence[str]) -> bytes:
    """Return the graph of a policy, with its facts as metadata.

    Args:
        network: Gives logits ``(N, A)``, or a tuple that begins with them, for ``(N, O)`` float32.
        facts: What the policy is.
        outputs: What the outputs are called.

    Raises:
        PlayerError: If torch cannot write the graph, or it does not give what torch gives.
        LibraryError: If onnx is not installed.
    """
    require("onnx", "train", (1, 17))
    import onnx
    from onnx.reference import ReferenceEvaluator

    policy = MaskedPolicy(network).eval()
    observations, masks = _positions(facts)
    inputs = (torch.from_numpy(observations), torch.from_numpy(masks))
    names = [OBSERVATION, ACTION_MASK, *outputs]
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        file = Path(folder) / ONNX_FILE
        warnings.simplefilter("ignore")  # the exporter without onnxscript is the older one
        try:
            torch.onnx.export(
                policy,
                inputs,
                file,
                dynamo=False,
                opset_version=OPSET,
                input_names=names[:2],
                output_names=names[2:],
                dynamic_axes={name: {0: BATCH} for name in names},
            )
        except (RuntimeError, torch.onnx.errors.OnnxExporterError) as error:
            raise PlayerError(f"{facts.name}: torch cannot write the graph: {error}") from error
        graph = onnx.load(file)
    onnx.helper.set_model_props(graph, {FACTS_KEY: facts.to_json()})
    onnx.checker.check_model(graph)
    with torch.inference_mode():
        expected = [output.numpy() for output in policy(*inputs)]
    given = {OBSERVATION: observations, ACTION_MASK: masks}
    for name, ours, theirs in zip(
        outputs, expected, ReferenceEvaluator(graph).run(None, given), strict=True
    ):
        difference = float(np.abs(ours - theirs).max()) if ours.shape == theirs.shape else np.inf
        if not difference <= TOLERANCE:
            raise PlayerError(
                f"the ONNX graph of {facts.name} gives a {name} that differs from torch's by "
                f"{difference:g}; at most {TOLERANCE:g} is allowed"
            )
    data: bytes = graph.SerializeToString()
    return data


def _shape(network: nn.Module, game: Game, name: str) -> tuple[int, ...]:
    """Returns the shape of what a network gives for one observation.

    Raises:
        PlayerError: It refuses.
    """
    try:
        with torch.inference_mode():
            return tuple(network(torch.zeros(1, game.layout.n_entries)).shape)
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise PlayerError(
            f"{name}: the network does not take the {game.layout.n_entries} entries of "
            f"{game.name}: {reason}"
        ) from error


def _check_view(options: Options, name: str) -> None:
    """Refuses a policy that sees what players are not shown; raises PlayerError."""
    if options.view.name != "observation":
        raise PlayerError(
            f"{name}: players are shown the view observation, not {options.view.name}; learn from "
            "that one"
        )


def _positions(facts: ModelFacts) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return observations and masks of random play, as the policy is shown them."""
    batch = SelfPlayBatch(get_game(facts.game), CHECKED_DEALS, rules=facts.rules)
    bits, masks = [], []
    for _ in range(CHECKED_STEPS):
        bits.append(batch.bits.copy())
        masks.append(batch.masks.copy())
        batch.step(batch.random_actions())
    shown, legal = np.concatenate(bits), np.concatenate(masks)
    if facts.suits == "canonical":
        shown, legal, _ = canonical_rows(batch.game, shown, legal)
    return expand_bits(shown, batch.game.layout.n_entries), legal.astype(np.bool_)
