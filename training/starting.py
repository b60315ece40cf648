"""Lets a run begin with the weights of a policy."""

import hashlib
from pathlib import Path

import torch

from terz_env.players import model_file
from terz_env.players.model_facts import MODEL_FILE
from terz_env.players.policy import read_policy
from training.config import TrainingConfig
from training.errors import TrainingError
from training.model import EQUITY
from training.run_state import RunState


def start_with_policy(run: RunState, config: TrainingConfig, start: str, output: Path) -> str:
    """Let a run begin with the weights of a policy, which becomes the first reference.

    Its value head is taken over as it is. Where the policy learned with ``critic: state``, by Deep
    Monte Carlo, or in part for the match, the head does not count points (its file has no
    ``reward_scale``) and has to learn anew.

    Args:
        run: A run that has learned nothing.
        config: Its configuration.
        start: The policy: a shipped one, or the directory of a run or a model.
        output: Where the run is going to write.

    Returns:
        The sha256 of the policy's file, in hexadecimal digits.

    Raises:
        TrainingError: If there is no such policy, its network is another one, it counts rewards in
            another unit, or the run would replace it.
        PlayerError: If its file is damaged, or of another game or layout.
    """
    file = model_file(start)
    if file is None or file.name != MODEL_FILE:
        raise TrainingError(
            f"start={start}: no policy is called so; name a shipped one or a directory with "
            f"{MODEL_FILE}"
        )
    if file.resolve().parent == output.resolve():
        raise TrainingError(
            f"start={start}: the run would replace the policy that it begins with; give it another "
            "name or --output"
        )
    facts, tensors = read_policy(file, config.game)
    if facts.suits != config.network.suits:
        raise TrainingError(
            f"start={start} sees suits that are {facts.suits}; write network.suits={facts.suits}"
        )
    if facts.reward_scale not in (None, config.rollout.reward_scale):
        raise TrainingError(
            f"start={start} counts rewards times {facts.reward_scale}; write "
            f"rollout.reward_scale={facts.reward_scale}"
        )
    biases = [f"trunk.{index}.bias" for index in range(len(tensors))]
    hidden = [len(tensors[key]) for key in biases if key in tensors]
    if hidden != config.network.hidden:
        raise TrainingError(f"start={start} has other layers; write network.hidden={hidden}")
    weights = {key: torch.from_numpy(value) for key, value in tensors.items() if key != EQUITY}
    try:
        run.network.load_state_dict(weights)
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise TrainingError(f"start={start} does not fit the network: {reason}") from error
    run.reference.load_state_dict(run.network.state_dict())
    return hashlib.sha256(file.read_bytes()).hexdigest()
