"""Deep Monte Carlo (Zha et al., DouZero, arXiv 2106.06135): values of actions from whole deals."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.config import DmcConfig
from training.minibatches import minibatches
from training.networks import PolicyValueNetwork, masked_entropy, masked_log_policy
from training.ppo import Diagnostics, explained_variance
from training.rollout import Rollout, unpack_masks


def update(
    network: PolicyValueNetwork,
    optimiser: torch.optim.Optimizer,
    rollout: Rollout,
    returns: NDArray[np.float32],
    config: DmcConfig,
    rng: np.random.Generator,
) -> Diagnostics:
    """Learn the return of the action taken at every decision, in place.

    The policy head holds the values; playing the best of them is the policy. The value head
    learns the same returns, for the explained variance.

    Args:
        network: Learns.
        optimiser: Of the network.
        rollout: The decisions.
        returns: ``(N,)`` what the deciding seat received in the end, scaled.
        config: Settings.
        rng: Shuffles the decisions.
    """
    device = network.value.weight.device
    n_actions = network.policy.out_features
    measured: list[Tensor] = []
    for part in minibatches(len(rollout), config.minibatch, config.epochs, rng):
        actions = torch.from_numpy(rollout.actions[part].astype(np.int64)).to(device)
        masks = torch.from_numpy(unpack_masks(rollout.masks[part], n_actions)).to(device)
        targets = torch.from_numpy(returns[part]).to(device)
        values, expected = network.look(rollout.bits[part])
        taken = values.gather(1, actions[:, None]).squeeze(1)
        action_loss = nn.functional.mse_loss(taken, targets)
        value_loss = nn.functional.mse_loss(expected, targets)
        optimiser.zero_grad()
        (action_loss + value_loss).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), config.max_gradient_norm)
        optimiser.step()
        with torch.no_grad():
            entropy = masked_entropy(masked_log_policy(values, masks)).mean()
            measured.append(torch.stack([entropy, value_loss]))
    entropy_mean, value_mean = torch.stack(measured).mean(dim=0).tolist()
    explained = explained_variance(rollout.values, returns)
    return Diagnostics(entropy_mean, 0.0, 0.0, value_mean, 0.0, explained, 0.0)
