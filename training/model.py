"""What a run leaves behind: the policy, and the run file that says how it was made."""

import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np
import torch
import yaml
from safetensors.numpy import save

import terz_env
from terz_env.cli.bench import machine
from terz_env.games import get_game
from terz_env.players.model_facts import FACTS_KEY, MODEL_FILE, ModelFacts
from training.config import TrainingConfig
from training.files import write_atomically
from training.run_state import RunState, tensors_of

RUN_FILE, PLOT_FILE, EQUITY_PLOT_FILE = "run.yaml", "curve.png", "equity.png"


def save_run_file(output: Path, config: TrainingConfig) -> None:
    """Write the resolved configuration, fingerprints, versions and state of the sources."""
    _write_run_file(output, _circumstances(config))


def extend_run_file(output: Path, config: TrainingConfig, run: RunState) -> None:
    """Note that a run goes on from here, if under another configuration or by other sources.

    What the file said before is kept in its list ``earlier``, with the decisions until here.
    """
    now, file = _circumstances(config), output / RUN_FILE
    before = yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else now
    parts = before.pop("earlier", [])
    if before != now:
        parts.append({"states": run.states, "decisions": run.decisions, **before})
    _write_run_file(output, {**now, "earlier": parts} if parts else now)


def _circumstances(config: TrainingConfig) -> dict[str, Any]:
    """Return what the weights of a run depend on, and where they are learned."""
    game = get_game(config.game)
    rules = game.rules(dict(config.rules))
    return {
        "config": config.model_dump(by_alias=True),
        "rules": rules.to_dict(),
        "layout_fingerprint": game.layout.fingerprint,
        "rules_fingerprint": rules.fingerprint,
        "machine": machine(),
        "versions": versions(),
        "sources": source_state(),
    }


def _write_run_file(output: Path, run: Mapping[str, Any]) -> None:
    text = yaml.safe_dump(dict(run), sort_keys=False)
    write_atomically(output / RUN_FILE, lambda file: file.write_text(text, encoding="utf-8"))


def save_model(output: Path, run: RunState, config: TrainingConfig) -> None:
    """Write ``model.safetensors``, which carries all that is needed to play it."""
    game = get_game(config.game)
    rules = game.rules(dict(config.rules))
    tells_points = run.equity is None and run.critic is None and config.algorithm != "dmc"
    facts = ModelFacts(
        game=game.name,
        name=config.name,
        rules=rules.to_dict(),
        layout_fingerprint=game.layout.fingerprint,
        rules_fingerprint=rules.fingerprint,
        suits=config.network.suits,
        reward_scale=config.rollout.reward_scale if tells_points else None,
    )
    tensors = dict(tensors_of(run.network))
    if run.equity is not None:
        tensors["equity"] = run.equity.values
    data = save(tensors, metadata={FACTS_KEY: facts.to_json()})
    write_atomically(output / MODEL_FILE, lambda file: file.write_bytes(data))


def versions() -> dict[str, str]:
    """Return the versions that the result may depend on."""
    return {
        "terz-env": terz_env.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "torch": str(torch.__version__),
    }


def source_state() -> str:
    """Return the commit of the sources and whether they were changed; "" outside a repository."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        found = subprocess.run(  # noqa: S603  (a fixed command)
            command,
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip()
