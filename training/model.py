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
from pydantic import ValidationError
from safetensors.numpy import save

import terz_env
from terz_env.cli.bench import machine
from terz_env.games import get_game
from terz_env.players.model_facts import FACTS_KEY, MODEL_FILE, ModelFacts
from training.config import TrainingConfig
from training.errors import TrainingError
from training.files import write_atomically
from training.run_state import RunState, tensors_of

RUN_FILE, PLOT_FILE, EQUITY_PLOT_FILE = "run.yaml", "curve.png", "equity.png"
EQUITY = "equity"
"""The table of match equity among the tensors of a policy."""
START = "start_sha256"
"""The key of a run file that tells which policy the run began with."""


def save_run_file(output: Path, config: TrainingConfig, start_sha256: str | None = None) -> None:
    """Write the resolved configuration, fingerprints, versions and state of the sources.

    Args:
        output: The directory of the run.
        config: Its configuration.
        start_sha256: Of the file of the policy that it begins with, if any.
    """
    start = {START: start_sha256} if start_sha256 else {}
    _write_run_file(output, _circumstances(config) | start)


def extend_run_file(output: Path, config: TrainingConfig, run: RunState) -> None:
    """Note that a run goes on from here, if under another configuration or by other sources.

    What the file said before is kept in its list ``earlier``, with the decisions until here. What
    nothing was learned under is forgotten.

    Raises:
        TrainingError: If the file is damaged.
        FileError: If it cannot be written.
    """
    now = _circumstances(config)
    before: dict[str, Any] = dict(now)
    if (output / RUN_FILE).is_file():
        before, earlier_config = read_run_file(output)
        before["config"] = earlier_config.model_dump(by_alias=True)
        if START in before:
            now[START] = before[START]
    parts = before.pop("earlier", None) or []
    here = {"states": run.states, "decisions": run.decisions}
    if before != now and not (parts and here.items() <= parts[-1].items()):
        parts.append({**here, **before})
    _write_run_file(output, {**now, "earlier": parts} if parts else now)


def read_run_file(output: Path) -> tuple[dict[str, Any], TrainingConfig]:
    """Return what the run file of a directory says, and the configuration in it.

    Raises:
        TrainingError: If there is none, or it is damaged or of another version.
    """
    file = output / RUN_FILE
    try:
        written = yaml.safe_load(file.read_text(encoding="utf-8"))
        for part in written.get("earlier") or []:
            TrainingConfig.model_validate(part["config"])
        return written, TrainingConfig.model_validate(written["config"])
    except OSError as error:
        raise TrainingError(
            f"{output} is no directory of a run: {error.strerror}: {file}"
        ) from error
    except (
        AttributeError,
        KeyError,
        TypeError,
        UnicodeDecodeError,
        yaml.YAMLError,
        ValidationError,
    ) as error:
        raise TrainingError(f"{file}: no run file of this version: {error}") from error


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
        tensors[EQUITY] = run.equity.values
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
