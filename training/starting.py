"""Where a run begins: with random weights, or with those of a policy."""

import hashlib

import torch

from terz_env.players import model_file
from terz_env.players.model_facts import MODEL_FILE
from terz_env.players.policy import read_policy
from training.config import TrainingConfig
from training.errors import TrainingError
from training.model import EQUITY
from training.run_state import RunState


def start_with_policy(run: RunState, config: TrainingConfig) -> str:
    """Let a run begin with the weights of the policy that its configuration names.

    The policy becomes the first reference. Its value head counts where it was trained: that of a
    policy that learned with ``critic: state`` says nothing.

    Args:
        run: A run that has learned nothing.
        config: Its configuration, with a start.

    Returns:
        The sha256 of the policy's file, in hexadecimal digits.

    Raises:
        TrainingError: If there is no such policy, or its network is another one.
        PlayerError: If its file is damaged, or of another game or layout.
    """
    name = str(config.start)
    file = model_file(name)
    if file is None or file.name != MODEL_FILE:
        raise TrainingError(
            f"start={name}: no policy is called so; name a shipped one or a directory with "
            f"{MODEL_FILE}"
        )
    facts, tensors = read_policy(file, config.game)
    if facts.suits != config.network.suits:
        raise TrainingError(
            f"start={name} sees suits that are {facts.suits}; write network.suits={facts.suits}"
        )
    weights = {key: torch.from_numpy(value) for key, value in tensors.items() if key != EQUITY}
    try:
        run.network.load_state_dict(weights)
    except RuntimeError as error:
        raise TrainingError(
            f"start={name} has another network than network.hidden={config.network.hidden}: {error}"
        ) from error
    run.reference.load_state_dict(run.network.state_dict())
    return hashlib.sha256(file.read_bytes()).hexdigest()
