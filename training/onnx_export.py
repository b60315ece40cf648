"""A policy as an ONNX graph: written by torch, then checked against it."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator
from torch import Tensor, nn

from terz_env.canonical import canonical_rows
from terz_env.games import get_game
from terz_env.players.model_facts import FACTS_KEY, ONNX_FILE, ModelFacts
from terz_env.players.onnx_policy import ACTION_MASK, LOGITS, OBSERVATION
from terz_env.players.policy import Tensors
from terz_env.selfplay import SelfPlayBatch, expand_bits
from training.errors import TrainingError
from training.networks import FORBIDDEN_LOGIT, PolicyValueNetwork

VALUE = "value"
BATCH = "batch"
OPSET = 17
CHECKED_DEALS, CHECKED_STEPS = 64, 8
TOLERANCE = 1e-4
"""The most that a logit or a value may differ between the two."""


class MaskedPolicy(nn.Module):
    """What the graph computes: logits with the illegal actions shut out, and the value."""

    def __init__(self, network: PolicyValueNetwork) -> None:
        """Take the network."""
        super().__init__()
        self.network = network

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return masked logits ``(N, A)`` and values ``(N,)``."""
        logits, values = self.network(observation)
        return logits.masked_fill(~action_mask, FORBIDDEN_LOGIT), values


def to_onnx(facts: ModelFacts, tensors: Tensors) -> bytes:
    """Return the graph of a policy, with its facts as metadata.

    Args:
        facts: What the policy is.
        tensors: The weights of a `PolicyValueNetwork`; others are ignored.

    Raises:
        TrainingError: If the weights are not those of such a network, or the graph does not give
            what torch gives.
    """
    policy = MaskedPolicy(_network(facts, tensors)).eval()
    observations, masks = _positions(facts)
    inputs = (torch.from_numpy(observations), torch.from_numpy(masks))
    names = [OBSERVATION, ACTION_MASK, LOGITS, VALUE]
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        file = Path(folder) / ONNX_FILE
        warnings.simplefilter("ignore")  # the exporter without onnxscript is the older one
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
        graph = onnx.load(file)
    onnx.helper.set_model_props(graph, {FACTS_KEY: facts.to_json()})
    onnx.checker.check_model(graph)
    with torch.inference_mode():
        expected = [output.numpy() for output in policy(*inputs)]
    given = {OBSERVATION: observations, ACTION_MASK: masks}
    for name, ours, theirs in zip(
        names[2:], expected, ReferenceEvaluator(graph).run(None, given), strict=True
    ):
        difference = float(np.abs(ours - theirs).max()) if ours.shape == theirs.shape else np.inf
        if not difference <= TOLERANCE:
            raise TrainingError(
                f"the ONNX graph of {facts.name} gives a {name} that differs from torch's by "
                f"{difference:g}; at most {TOLERANCE:g} is allowed"
            )
    data: bytes = graph.SerializeToString()
    return data


def _network(facts: ModelFacts, tensors: Tensors) -> PolicyValueNetwork:
    """Return the network that has these weights."""
    game = get_game(facts.game)
    depth = sum(key.startswith("trunk.") and key.endswith(".bias") for key in tensors)
    try:
        hidden = [len(tensors[f"trunk.{index}.bias"]) for index in range(depth)]
        network = PolicyValueNetwork(game.layout.n_entries, game.n_actions, hidden)
        wanted = {key: torch.from_numpy(tensors[key]) for key in network.state_dict()}
        network.load_state_dict(wanted)
    except (IndexError, KeyError, RuntimeError) as error:
        raise TrainingError(f"{facts.name}: no weights of policy and value: {error}") from error
    return network


def _positions(facts: ModelFacts) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return observations and masks of random play, as the policy is shown them."""
    batch = SelfPlayBatch(facts.game, CHECKED_DEALS, rules=facts.rules)
    bits, masks = [], []
    for _ in range(CHECKED_STEPS):
        bits.append(batch.bits.copy())
        masks.append(batch.masks.copy())
        batch.step(batch.random_actions())
    shown, legal = np.concatenate(bits), np.concatenate(masks)
    if facts.suits == "canonical":
        shown, legal, _ = canonical_rows(batch.game, shown, legal)
    return expand_bits(shown, batch.game.layout.n_entries), legal.astype(np.bool_)
