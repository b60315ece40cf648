"""Checkpoints: everything that a run needs to go on exactly, in one safetensors file."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from terz_env.errors import TerzEnvError
from terz_env.games import get_game
from training.config import TrainingConfig, overrides_between, with_overrides
from training.equity import EquityTable
from training.files import write_atomically
from training.run_state import LEARN, RunState, tensors_of

FORMAT = "terz-checkpoint/1"
FOLDER, SUFFIX = "checkpoints", ".safetensors"
FACTS_KEY = "terz_env"
FIXED = (
    "name",
    "rules",
    "seed",
    "algorithm",
    "start",
    "network.",
    "bootstrap.",
    "rollout.deals",
    "ppo.critic",
)
"""Keys, or sections, that make another run where they change."""
COUNTERS = ("phase", "rounds", "states", "iteration", "decisions")


class CheckpointError(TerzEnvError, ValueError):
    """A checkpoint that cannot be used; the message names the file and says why."""


def save_checkpoint(output: Path, run: RunState, config: TrainingConfig) -> Path:
    """Write a checkpoint and remove the oldest beyond the number that is kept.

    Raises:
        FileError: If it cannot be written; the checkpoints before it are all still there.
    """
    tensors: dict[str, NDArray[Any]] = {}
    _add(tensors, "network", tensors_of(run.network))
    _add(tensors, "reference", tensors_of(run.reference))
    if run.critic is not None:
        _add(tensors, "critic", tensors_of(run.critic))
    for index, slots in run.optimiser.state_dict()["state"].items():
        _add(tensors, f"optimiser.{index}", {k: v.cpu().numpy() for k, v in slots.items()})
    for index, snapshot in enumerate(run.pool):
        _add(tensors, f"pool.{index}", snapshot)
    if run.behaviour is not None:
        _add(tensors, "behaviour", run.behaviour)
    facts: dict[str, Any] = {name: getattr(run, name) for name in COUNTERS}
    if run.equity is not None:
        _add(tensors, "equity", {"values": run.equity.values, "starts": run.equity.starts})
        facts["equity_scale"] = run.equity.scale
    facts |= {
        "format": FORMAT,
        "game": config.game,
        "layout_fingerprint": get_game(config.game).layout.fingerprint,
        "pool": len(run.pool),
        "config": config.model_dump(by_alias=True),
    }
    data = save(tensors, metadata={FACTS_KEY: json.dumps(facts)})
    folder = output / FOLDER
    path = folder / f"{run.rounds:06d}-{run.iteration:06d}{SUFFIX}"
    write_atomically(path, lambda file: file.write_bytes(data))
    for old in checkpoints(output)[: -config.checkpoint.keep]:
        old.unlink(missing_ok=True)
    return path


def checkpoints(output: Path) -> list[Path]:
    """Return the checkpoints of a run, the oldest first."""
    return sorted((output / FOLDER).glob(f"[0-9]*{SUFFIX}"))


def load_config_of(path: Path, overrides: Sequence[str] = ()) -> TrainingConfig:
    """Return the configuration that a checkpoint was made under.

    Args:
        path: The checkpoint.
        overrides: Replacements ``key=value``, as `load_config` takes them.

    Raises:
        CheckpointError: If the file is damaged or no checkpoint of this version.
        ConfigError: If a replacement is none of the configuration.
    """
    facts, _ = _read(path)
    return with_overrides(_config_in(facts, path), overrides, path)


def load_checkpoint(path: Path, config: TrainingConfig) -> RunState:
    """Return the run that a checkpoint holds.

    Raises:
        CheckpointError: If the file is damaged, no checkpoint of this version, of another game or
            layout, or made under a configuration that differs in what cannot change in a run; if
            the budget is another one and spent already.
    """
    facts, tensors = _read(path)
    fingerprint = get_game(config.game).layout.fingerprint
    if facts.get("game") != config.game:
        raise CheckpointError(f"{path}: a checkpoint of {facts.get('game')}, not {config.game}")
    if facts.get("layout_fingerprint") != fingerprint:
        raise CheckpointError(
            f"{path}: made for the observation layout {facts.get('layout_fingerprint')}; here "
            f"{config.game} has {fingerprint}"
        )
    before = _config_in(facts, path)
    changed = [key for key in overrides_between(before, config) if key.startswith(FIXED)]
    if changed:
        raise CheckpointError(
            f"{path}: does not fit the configuration: {', '.join(changed)} cannot change in a run"
        )
    if config.decisions != before.decisions and facts["decisions"] >= config.decisions:
        raise CheckpointError(
            f"{path}: decisions={config.decisions}: the run has learned from {facts['decisions']} "
            "already; give it more"
        )
    run = RunState.begin(config)
    try:
        if facts["phase"] == LEARN:
            run.start_learning()
        for name in COUNTERS:
            setattr(run, name, facts[name])
        for name, module in (
            ("network", run.network),
            ("reference", run.reference),
            ("critic", run.critic),
        ):
            if module is not None:
                module.load_state_dict(_torch(_group(tensors, name)))
        _restore(run.optimiser, tensors)
        run.pool = [_group(tensors, f"pool.{index}") for index in range(facts["pool"])]
        run.behaviour = _group(tensors, "behaviour") or None
        if "equity_scale" in facts:
            table = _group(tensors, "equity")
            run.equity = EquityTable(table["values"], table["starts"], facts["equity_scale"])
    except (KeyError, RuntimeError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: does not fit the configuration: {error}") from error
    return run


def _read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    try:
        with safe_open(path, framework="numpy") as file:
            facts = json.loads((file.metadata() or {}).get(FACTS_KEY, "{}"))
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (OSError, ValueError, RecursionError, SafetensorError) as error:
        raise CheckpointError(f"{path}: no checkpoint can be read: {error}") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise CheckpointError(f"{path}: no checkpoint of the format {FORMAT}")
    return facts, tensors


def _config_in(facts: dict[str, Any], path: Path) -> TrainingConfig:
    try:
        return TrainingConfig.model_validate(facts["config"])
    except (KeyError, ValueError) as error:
        raise CheckpointError(f"{path}: its configuration is of another version") from error


def _add(tensors: dict[str, NDArray[Any]], prefix: str, group: Any) -> None:
    for key, value in group.items():
        tensors[f"{prefix}.{key}"] = np.ascontiguousarray(value)


def _group(tensors: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    start = f"{prefix}."
    return {key[len(start) :]: value for key, value in tensors.items() if key.startswith(start)}


def _torch(group: dict[str, NDArray[Any]]) -> dict[str, torch.Tensor]:
    return {key: torch.from_numpy(value) for key, value in group.items()}


def _restore(optimiser: torch.optim.Adam, tensors: dict[str, NDArray[Any]]) -> None:
    """Give an optimiser the moments of its weights, if it has taken a step."""
    state = optimiser.state_dict()
    count = sum(len(group["params"]) for group in state["param_groups"])
    if _group(tensors, "optimiser"):
        state["state"] = {
            index: {k: v.clone() for k, v in _torch(_group(tensors, f"optimiser.{index}")).items()}
            for index in range(count)
        }
        optimiser.load_state_dict(state)
