"""A trained policy as an ONNX graph."""

import torch

from terz_env.adapters.torch_policy import graph_of
from terz_env.games import get_game
from terz_env.players.model_facts import ModelFacts
from terz_env.players.onnx_policy import LOGITS
from terz_env.players.policy import Tensors
from terz_env.players.protocol import PlayerError
from training.errors import TrainingError
from training.networks import PolicyValueNetwork

VALUE = "value"


def to_onnx(facts: ModelFacts, tensors: Tensors) -> bytes:
    """Return the graph of a policy, with its facts as metadata.

    Args:
        facts: What the policy is.
        tensors: The weights of a `PolicyValueNetwork`; others are ignored.

    Raises:
        TrainingError: If the weights are not those of such a network, or the graph does not give
            what torch gives.
    """
    try:
        return graph_of(_network(facts, tensors), facts, [LOGITS, VALUE])
    except PlayerError as error:
        raise TrainingError(str(error)) from error


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
