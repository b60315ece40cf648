"""Proximal policy optimisation (Schulman et al., arXiv 1707.06347) with masks and a reference."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.config import PpoConfig
from training.minibatches import minibatches
from training.networks import (
    CriticNetwork,
    PolicyValueNetwork,
    divergence,
    masked_entropy,
    masked_log_policy,
)
from training.rollout import Rollout, unpack_masks
from training.teaching import Teaching


@dataclass(frozen=True)
class Diagnostics:
    """Means over the minibatches of one iteration.

    Attributes:
        entropy: Nats of the masked policy at decisions.
        kl: Estimate of the divergence from the policy that played (k3 of Schulman's note
            "Approximating KL divergence": r - 1 - log r).
        clipped: Share of decisions whose ratio left the clip range.
        value_loss: Mean squared error of the value, in scaled rewards.
        reference_kl: Divergence from the reference policy.
        explained: Share of the variance of the returns that the values explained before learning.
        solver_loss: Divergence of the policy from the solver's where that is learned, in nats;
            with `kl` and `clipped` it counts there, too.
    """

    entropy: float
    kl: float
    clipped: float
    value_loss: float
    reference_kl: float
    explained: float
    solver_loss: float


@dataclass(frozen=True)
class Weights:
    """The weights of the terms of one iteration's loss."""

    entropy: float
    reference: float


def normalise(advantages: NDArray[np.float32]) -> NDArray[np.float32]:
    """Advantages with mean 0 and standard deviation 1 over the batch."""
    normal: NDArray[np.float32] = (advantages - advantages.mean()) / (
        advantages.std() + np.float32(1e-8)
    )
    return normal


def clipped_objective(ratio: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """The clipped surrogate of PPO (eq. 7), to be maximised."""
    return torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages).mean()


def explained_variance(values: NDArray[np.float32], targets: NDArray[np.float32]) -> float:
    """Share of the variance of the targets that the values explain; 0 if there is none."""
    spread = float(targets.var())
    return 1 - float((targets - values).var()) / spread if spread > 0 else 0.0


@torch.inference_mode()
def critic_values(critic: CriticNetwork, hidden: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Return the values ``(N,)`` of packed views of everything."""
    parts = np.array_split(hidden, max(1, len(hidden) // 4096))
    return torch.cat([critic.look(part) for part in parts]).cpu().numpy()


@torch.inference_mode()
def log_policies(network: PolicyValueNetwork, rollout: Rollout) -> Tensor:
    """Return the masked log-probabilities ``(N, A)`` of a network at all decisions, on the CPU."""
    n_actions = network.policy.out_features
    found = []
    for rows in np.array_split(np.arange(len(rollout)), max(1, len(rollout) // 4096)):
        logits, _ = network.look(rollout.bits[rows])
        masks = torch.from_numpy(unpack_masks(rollout.masks[rows], n_actions))
        found.append(masked_log_policy(logits.cpu(), masks))
    return torch.cat(found)


def update(
    network: PolicyValueNetwork,
    optimiser: torch.optim.Optimizer,
    rollout: Rollout,
    values: NDArray[np.float32],
    advantages: NDArray[np.float32],
    config: PpoConfig,
    weights: Weights,
    rng: np.random.Generator,
    *,
    reference: PolicyValueNetwork | None = None,
    critic: CriticNetwork | None = None,
    teaching: Teaching | None = None,
) -> Diagnostics:
    """Learn from one roll-out in place, in a few epochs of shuffled minibatches.

    Where `teaching` knows the exact values, the cross-entropy with the policy made of them takes
    the place of the clipped objective; entropy and reference count there as elsewhere.

    The loss adds to PPO's the divergence of the policy from `reference` (magnetic mirror descent,
    Sokota et al., arXiv 2206.05825, as a penalty), where there is one.

    Args:
        network: Learns.
        optimiser: Of the network, and of the critic where there is one.
        rollout: The decisions.
        values: ``(N,)`` what they were expected to bring.
        advantages: ``(N,)``; with `values` the targets of the value.
        config: Settings.
        weights: Of entropy and reference in this iteration.
        rng: Shuffles the decisions.
        reference: The policy to stay near, or None.
        critic: Learns the value instead of the network's value head.
        teaching: Decisions whose actions are learned from exact values instead of `advantages`.
    """
    device = network.value.weight.device
    n_actions = network.policy.out_features
    targets = advantages + values
    explained = explained_variance(values, targets)
    normal = normalise(advantages)
    if teaching is not None:
        normal[teaching.known] = 0.0
    parameters = [p for group in optimiser.param_groups for p in group["params"]]
    anchors = None if reference is None else log_policies(reference, rollout)
    measured: list[Tensor] = []
    for part in minibatches(len(rollout), config.minibatch, config.epochs, rng):
        masks = torch.from_numpy(unpack_masks(rollout.masks[part], n_actions)).to(device)
        actions = torch.from_numpy(rollout.actions[part].astype(np.int64)).to(device)
        logits, estimates = network.look(rollout.bits[part])
        if critic is not None:
            estimates = critic.look(rollout.hidden[part])
        log_policy = masked_log_policy(logits, masks)
        log_ratio = log_policy.gather(1, actions[:, None]).squeeze(1) - torch.from_numpy(
            rollout.log_probabilities[part]
        ).to(device)
        ratio = log_ratio.exp()
        probabilities = log_policy.exp()
        entropy = masked_entropy(log_policy, probabilities).mean()
        value_loss = nn.functional.mse_loss(estimates, torch.from_numpy(targets[part]).to(device))
        gain = clipped_objective(ratio, torch.from_numpy(normal[part]).to(device), config.clip)
        loss = config.value_weight * value_loss - gain - weights.entropy * entropy
        reference_kl = torch.zeros((), device=device)
        if anchors is not None:
            anchor = anchors[part].to(device)
            reference_kl = divergence(log_policy, anchor, probabilities).mean()
            loss = loss + weights.reference * reference_kl
        solver_loss = torch.zeros((), device=device)
        if teaching is not None:
            taught_loss, solver_loss = teaching.loss(part, log_policy)
            loss = loss + taught_loss
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(parameters, config.max_gradient_norm)
        optimiser.step()
        with torch.no_grad():
            kl = (ratio - 1 - log_ratio).mean()
            clipped = ((ratio - 1).abs() > config.clip).float().mean()
            losses = [entropy, kl, clipped, value_loss, reference_kl, solver_loss]
            measured.append(torch.stack(losses))
    means = torch.stack(measured).mean(dim=0).tolist()
    entropy_mean, kl_mean, clipped_mean, value_mean, reference_mean, solver_mean = means
    return Diagnostics(
        entropy_mean, kl_mean, clipped_mean, value_mean, reference_mean, explained, solver_mean
    )
