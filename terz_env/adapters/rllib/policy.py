"""The weights of a module as a policy of this package, which plays without Ray and torch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.fs
from safetensors.numpy import save

from terz_env.players import PlayerError
from terz_env.players.model_facts import FACTS_KEY, MODEL_FILE, ModelFacts
from terz_env.players.policy import PolicyPlayer, Tensors

FACTS = "terz_env"
"""The entry of a module's configuration that says what it plays."""
NETWORK = {
    "fcnet_activation": "relu",
    "fcnet_use_layernorm": False,
    "head_fcnet_hiddens": [],
    "use_lstm": False,
}
"""What a network has to be, so that a player can be made of it."""
PARTS = {
    re.compile(r"encoder\.(?:actor_)?encoder\.net\.mlp\.(\d+)\.(weight|bias)"): "trunk",
    re.compile(r"pi\.net\.mlp\.(\d+)\.(weight|bias)"): "policy",
    re.compile(r"vf\.net\.mlp\.(\d+)\.(weight|bias)"): "value",
}
"""The names of RLlib's tensors, and what they are here; it counts the ReLU between layers too."""


def check_network(model_config: Mapping[str, Any]) -> None:
    """Refuses a network of which no player can be made.

    Raises:
        PlayerError: It does not consist of ReLU layers alone, or does not say what it plays.
    """
    for name, wanted in NETWORK.items():
        if model_config.get(name, wanted) != wanted:
            raise PlayerError(
                f"{name}={model_config[name]!r}: players are made of plain layers; "
                f"leave it at {wanted!r}"
            )
    if FACTS not in model_config:
        raise PlayerError("the module does not say what it plays; make it by module_spec")


def facts_of(module: Any, name: str | None = None) -> ModelFacts:
    """Returns what a module plays, under another name if one is given."""
    facts = ModelFacts.read(Path("the module"), module.model_config[FACTS])
    return replace(facts, name=name or facts.name)


def tensors_of(state: Mapping[str, Any], *, shares: bool) -> Tensors:
    """Returns the tensors of a state as `PolicyPlayer` calls them.

    Args:
        state: What `CardModule.get_state` returns.
        shares: Whether policy and values share the hidden layers; without, values stay behind.
    """
    tensors: Tensors = {}
    for name, tensor in state.items():
        for pattern, part in PARTS.items():
            found = pattern.fullmatch(name)
            if not found or (part == "value" and not shares):
                continue
            layer = f"trunk.{int(found[1]) // 2}" if part == "trunk" else part
            tensors[f"{layer}.{found[2]}"] = np.array(tensor, dtype=np.float32)
    return tensors


def player_of(module: Any, *, name: str | None = None, sample: bool = False) -> PolicyPlayer:
    """Returns the player that a module is now; what it learns later does not change it.

    Args:
        module: A `CardModule`, such as `algorithm.get_module(LEARNER)`.
        name: How tables call the player.
        sample: Draw from the policy instead of taking the most probable action.

    Raises:
        PlayerError: It is another kind of module.
    """
    if FACTS not in (getattr(module, "model_config", None) or {}):
        raise PlayerError(f"{type(module).__name__} is no CardModule; make it by module_spec")
    facts = facts_of(module, name)
    tensors = tensors_of(module.get_state(), shares=module.model_config["vf_share_layers"])
    return PolicyPlayer(
        facts.game,
        tensors,
        name=facts.name,
        rules=facts.rules,
        suits=facts.suits,
        reward_scale=facts.reward_scale,
        sample=sample,
    )


def write_policy(module: Any, state: Mapping[str, Any], folder: str | Path, system: Any) -> None:
    """Writes ``model.safetensors`` into the checkpoint of a module.

    Args:
        module: Whose policy it is.
        state: Its weights.
        folder: The directory, or its address.
        system: The file system of pyarrow that it lies in; None finds it by the address.
    """
    place = str(folder)
    if system is None:
        system, place = pyarrow.fs.FileSystem.from_uri(place)
    tensors = tensors_of(state, shares=module.model_config["vf_share_layers"])
    data = save(tensors, metadata={FACTS_KEY: facts_of(module).to_json()})
    with system.open_output_stream(f"{place}/{MODEL_FILE}") as stream:
        stream.write(data)
