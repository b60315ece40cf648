"""Proximal policy optimisation (Schulman et al., arXiv 1707.06347) with masks."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from terz_env.selfplay import expand_bits
from training.config import PpoConfig
from training.networks import PolicyValueNetwork, masked_entropy, masked_log_policy
from training.rollout import Rollout


@dataclass(frozen=True)
class Diagnostics:
    """Means over the minibatches of one iteration.

    Attributes:
        entropy: Nats of the masked policy at decisions.
        kl: Estimate of the divergence from the policy that played (k3 of Schulman's note
            "Approximating KL divergence": r - 1 - log r).
        clipped: Share of decisions whose ratio left the clip range.
        value_loss: Mean squared error of the value head, in scaled rewards.
    """

    entropy: float
    kl: float
    clipped: float
    value_loss: float


def normalise(advantages: NDArray[np.float32]) -> NDArray[np.float32]:
    """Advantages with mean 0 and standard deviation 1 over the batch."""
    normal: NDArray[np.float32] = (advantages - advantages.mean()) / (
        advantages.std() + np.float32(1e-8)
    )
    return normal


def clipped_objective(ratio: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """The clipped surrogate of PPO (eq. 7), to be maximised."""
    return torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages).mean()


def update(
    network: PolicyValueNetwork,
    optimiser: torch.optim.Optimizer,
    rollout: Rollout,
    advantages: NDArray[np.float32],
    config: PpoConfig,
    entropy_weight: float,
    rng: np.random.Generator,
) -> Diagnostics:
    """Learn from one roll-out in place, in a few epochs of shuffled minibatches."""
    targets = advantages + rollout.values
    normal = normalise(advantages)
    rows = np.arange(len(rollout))
    measured: list[Tensor] = []
    for _ in range(config.epochs):
        rng.shuffle(rows)
        for part in np.array_split(rows, max(1, round(len(rows) / config.minibatch))):
            observations = expand_bits(rollout.bits[part], network.n_entries)
            logits, values = network(torch.from_numpy(observations))
            log_policy = masked_log_policy(logits, torch.from_numpy(rollout.masks[part]))
            actions = torch.from_numpy(rollout.actions[part])
            log_ratio = log_policy.gather(1, actions[:, None]).squeeze(1) - torch.from_numpy(
                rollout.log_probabilities[part]
            )
            ratio = log_ratio.exp()
            entropy = masked_entropy(log_policy).mean()
            value_loss = nn.functional.mse_loss(values, torch.from_numpy(targets[part]))
            gain = clipped_objective(ratio, torch.from_numpy(normal[part]), config.clip)
            loss = config.value_weight * value_loss - gain - entropy_weight * entropy
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), config.max_gradient_norm)
            optimiser.step()
            with torch.no_grad():
                kl = (ratio - 1 - log_ratio).mean()
                clipped = ((ratio - 1).abs() > config.clip).float().mean()
                measured.append(torch.stack([entropy, kl, clipped, value_loss]))
    means = torch.stack(measured).mean(dim=0).tolist()
    return Diagnostics(*means)
