"""Small policies whose weights a test chooses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from terz_env.games import get_game
from terz_env.players.policy import FACTS_KEY, MODEL_FILE, PolicyPlayer

SCALE = 0.25


def tensors(game: str, seed: int = 0, spread: float = 0.5, worth: float = 0.0) -> dict[str, Any]:
    """Returns one linear layer from what is seen to random logits, and one value for everything."""
    record, rng = get_game(game), np.random.default_rng(seed)
    shape = (record.n_actions, record.layout.n_entries)
    return {
        "policy.weight": (spread * rng.standard_normal(shape)).astype(np.float32),
        "policy.bias": rng.standard_normal(record.n_actions).astype(np.float32) * spread,
        "value.weight": np.zeros((1, shape[1]), np.float32),
        "value.bias": np.array([worth], np.float32),
    }


def network(game: str, **options: Any) -> PolicyPlayer:
    return PolicyPlayer(game, tensors(game, **options), name="small", reward_scale=SCALE)


def rule_network(game: str, preferences: list[float]) -> PolicyPlayer:
    """Returns a policy whose logits are the same wherever it looks."""
    chosen = tensors(game, spread=0)
    chosen["policy.bias"] = np.array(preferences, np.float32)
    return PolicyPlayer(game, chosen, name="rule")


def save(directory: Path, game: str, **facts: Any) -> str:
    """Writes a policy as the learner does; returns its directory as text."""
    given = {
        "format": "terz-policy/1",
        "game": game,
        "name": "small",
        "rules": {},
        "layout_fingerprint": get_game(game).layout.fingerprint,
        "rules_fingerprint": get_game(game).rules().fingerprint,
        **facts,
    }
    save_file(tensors(game), directory / MODEL_FILE, metadata={FACTS_KEY: json.dumps(given)})
    return str(directory)
