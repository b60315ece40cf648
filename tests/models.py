"""Small networks with random weights, as the files that trained policies come in."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from terz_env.games import get_game
from terz_env.players.model_facts import FACTS_KEY, MODEL_FILE, ModelFacts
from terz_env.players.policy import Tensors

HIDDEN = (16, 16)


def facts_of(game: str, rules: str = "", suits: str = "canonical") -> ModelFacts:
    record = get_game(game)
    played = record.rules(rules)
    return ModelFacts(
        game=game,
        name="tiny",
        rules=played.to_dict(),
        layout_fingerprint=record.layout.fingerprint,
        rules_fingerprint=played.fingerprint,
        suits=suits,
    )


def weights_of(game: str) -> Tensors:
    record, rng = get_game(game), np.random.default_rng(4)
    shapes = dict(enumerate(pairwise([record.layout.n_entries, *HIDDEN])))
    layers = {f"trunk.{index}": shape for index, shape in shapes.items()}
    layers |= {"policy": (HIDDEN[-1], record.n_actions), "value": (HIDDEN[-1], 1)}
    tensors = {}
    for name, (inputs, outputs) in layers.items():
        scale = inputs**-0.5
        tensors[f"{name}.weight"] = rng.normal(0, scale, (outputs, inputs)).astype(np.float32)
        tensors[f"{name}.bias"] = rng.normal(0, 0.1, outputs).astype(np.float32)
    return tensors


def save_model(folder: Path, game: str, rules: str = "", suits: str = "canonical") -> Path:
    """Write a policy into a folder, and return that."""
    folder.mkdir(parents=True, exist_ok=True)
    metadata = {FACTS_KEY: facts_of(game, rules, suits).to_json()}
    save_file(weights_of(game), folder / MODEL_FILE, metadata=metadata)
    return folder
