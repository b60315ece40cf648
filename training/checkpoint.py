"""What a run leaves behind: weights, the resolved configuration and the learning curve."""

import csv
import io
import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numba
import numpy as np
import torch
import yaml
from numpy.typing import NDArray
from safetensors.numpy import save

import terz_env
from terz_env.players.policy import FACTS_KEY, MODEL_FILE, MODEL_FORMAT
from terz_env.selfplay import SelfPlayBatch
from training.config import TrainingConfig
from training.networks import PolicyValueNetwork

RUN_FILE, CURVE_FILE, PLOT_FILE = "run.yaml", "curve.csv", "curve.png"


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a temporary neighbour of ``path``, then rename it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        write(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def network_tensors(network: PolicyValueNetwork) -> dict[str, NDArray[np.float32]]:
    """Return copies of the weights by name, as a policy player takes them."""
    return {key: value.numpy().copy() for key, value in network.state_dict().items()}


def save_policy(
    output: Path, network: PolicyValueNetwork, config: TrainingConfig, batch: SelfPlayBatch
) -> None:
    """Write ``model.safetensors`` and ``run.yaml``.

    The model file carries all that is needed to play it; the YAML file is for people.
    """
    game, rules = batch.game, batch.rules
    fingerprints = {
        "layout_fingerprint": game.layout.fingerprint,
        "rules_fingerprint": rules.fingerprint,
    }
    facts = {
        "format": MODEL_FORMAT,
        "game": game.name,
        "name": config.name,
        "rules": rules.to_dict(),
        "reward_scale": config.rollout.reward_scale,
        **fingerprints,
    }
    model = save(network_tensors(network), metadata={FACTS_KEY: json.dumps(facts)})
    run = {
        "config": config.model_dump(by_alias=True),
        "rules": rules.to_dict(),
        **fingerprints,
        "versions": versions(),
    }
    text = yaml.safe_dump(run, sort_keys=False)
    write_atomically(output / MODEL_FILE, lambda file: file.write_bytes(model))
    write_atomically(output / RUN_FILE, lambda file: file.write_text(text, encoding="utf-8"))


def save_curve(output: Path, rows: Sequence[Mapping[str, float | int | None]]) -> None:
    """Write ``curve.csv``; what was not measured in an iteration is empty."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    content = text.getvalue()
    write_atomically(output / CURVE_FILE, lambda file: file.write_text(content, encoding="utf-8"))


def versions() -> dict[str, str]:
    """Return the versions that the result may depend on."""
    return {
        "terz-env": terz_env.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "torch": str(torch.__version__),
    }
