"""All-action bootstrap: regression of the values that roll-outs give to every legal action.

The first iteration of a simplified Deep CFR (Brown et al., arXiv 1811.00164): the regrets of a rule
player's choices, and a policy that prefers what would have been better.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from training.config import BootstrapConfig
from training.lessons import Lesson
from training.minibatches import minibatches
from training.networks import PolicyValueNetwork, masked_entropy, masked_log_policy
from training.rates import anneal, set_rate
from training.rollout import unpack_masks

MAX_GRADIENT_NORM = 10.0
"""Far above the usual: it only stops what would break the weights."""


@dataclass(frozen=True)
class Fit:
    """Means over the minibatches of one round.

    Attributes:
        action_loss: Squared error of the advantages of legal actions, in scaled rewards.
        value_loss: Squared error of the value.
        imitation_loss: Cross-entropy of the policy with the rule player's choices, in nats.
        entropy: Nats of the policy that the advantages stand for.
    """

    action_loss: float
    value_loss: float
    imitation_loss: float
    entropy: float


def advantages_of(values: Tensor, masks: Tensor) -> Tensor:
    """Values ``(N, A)`` of legal actions less their mean in each row; 0 for the others."""
    mean = (values * masks).sum(dim=1, keepdim=True) / masks.sum(dim=1, keepdim=True)
    return torch.where(masks, values - mean, 0.0)


def masked_mse(estimates: Tensor, targets: Tensor, masks: Tensor) -> Tensor:
    """Mean squared error over the legal actions of all rows."""
    return (((estimates - targets) * masks) ** 2).sum() / masks.sum()


def fit(
    network: PolicyValueNetwork,
    optimiser: torch.optim.Optimizer,
    lesson: Lesson,
    config: BootstrapConfig,
    rates: tuple[float, float],
    rng: np.random.Generator,
) -> Fit:
    """Learn from the decisions of one round in place.

    The policy head learns the advantage of each legal action over their mean, and the value head
    the mean of the values under the policy ``softmax(advantage / temperature)``. A single roll-out
    says little of an advantage; what the rule player chooses is certain, and a good start: the
    policy may also learn to predict it. The learning rate falls from the first of `rates` towards
    the second.
    """
    device = network.value.weight.device
    n_actions = network.policy.out_features
    measured: list[Tensor] = []
    parts = list(minibatches(len(lesson.bits), config.minibatch, config.epochs, rng))
    for part in parts:
        set_rate(optimiser, anneal(rates, len(measured) / len(parts)))
        masks = torch.from_numpy(unpack_masks(lesson.masks[part], n_actions)).to(device)
        values = torch.from_numpy(lesson.values[part]).to(device)
        choices = torch.from_numpy(lesson.choices[part].astype(np.int64)).to(device)
        estimates, expected = network.look(lesson.bits[part])
        action_loss = masked_mse(estimates, advantages_of(values, masks), masks)
        log_policy = masked_log_policy(estimates / config.temperature, masks)
        imitation_loss = nn.functional.nll_loss(log_policy, choices)
        with torch.no_grad():
            target = (log_policy.exp() * values).sum(dim=1)
            entropy = masked_entropy(log_policy).mean()
        value_loss = nn.functional.mse_loss(expected, target)
        optimiser.zero_grad()
        loss = action_loss + value_loss + config.imitation * imitation_loss
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT_NORM)
        optimiser.step()
        losses = [action_loss, value_loss, imitation_loss, entropy]
        measured.append(torch.stack(losses).detach())
    return Fit(*torch.stack(measured).mean(dim=0).tolist())


@torch.no_grad()
def turn_into_values(network: PolicyValueNetwork) -> None:
    """Let the policy head give values, the advantage on top of the value, as `dmc` learns them."""
    network.policy.weight.add_(network.value.weight)
    network.policy.bias.add_(network.value.bias)


@torch.no_grad()
def turn_into_policy(network: PolicyValueNetwork, temperature: float) -> None:
    """Let the policy head give logits ``advantage / temperature`` instead of advantages."""
    network.policy.weight.div_(temperature)
    network.policy.bias.div_(temperature)
