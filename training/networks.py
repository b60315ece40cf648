"""The network: a trunk of ReLU layers with a policy head and a value head."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

FORBIDDEN_LOGIT = -1e9


class PolicyValueNetwork(nn.Module):
    """Logits of all actions and the expected result of the seat to act."""

    def __init__(self, n_entries: int, n_actions: int, hidden: Sequence[int]) -> None:
        """Create the layers from torch's global generator.

        Args:
            n_entries: Entries of an observation.
            n_actions: Actions of the game, legal or not.
            hidden: Widths of the trunk's layers.
        """
        super().__init__()
        self.n_entries = n_entries
        widths = [n_entries, *hidden]
        self.trunk = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))
        self.policy = nn.Linear(widths[-1], n_actions)
        self.value = nn.Linear(widths[-1], 1)
        nn.init.orthogonal_(self.policy.weight, gain=0.01)
        nn.init.orthogonal_(self.value.weight, gain=0.1)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits ``(N, A)`` and values ``(N,)`` of observations ``(N, O)``."""
        hidden = observations
        for layer in self.trunk:
            hidden = torch.relu(layer(hidden))
        logits: Tensor = self.policy(hidden)
        values: Tensor = self.value(hidden)
        return logits, values.squeeze(1)


class CriticNetwork(nn.Module):
    """The expected result of the seat to act, from the view of everything."""

    def __init__(self, n_entries: int, hidden: Sequence[int]) -> None:
        """Create the layers from torch's global generator (see `PolicyValueNetwork`)."""
        super().__init__()
        self.n_entries = n_entries
        widths = [n_entries, *hidden]
        self.trunk = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))
        self.value = nn.Linear(widths[-1], 1)
        nn.init.orthogonal_(self.value.weight, gain=0.1)

    def forward(self, observations: Tensor) -> Tensor:
        """Return values ``(N,)`` of observations ``(N, O)``."""
        hidden = observations
        for layer in self.trunk:
            hidden = torch.relu(layer(hidden))
        values: Tensor = self.value(hidden)
        return values.squeeze(1)


def masked_log_policy(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities over the legal actions; an illegal one gets a finite, huge negative.

    Args:
        logits: ``(N, A)``.
        masks: ``(N, A)`` bool, at least one legal action a row.
    """
    return torch.log_softmax(logits.masked_fill(~masks, FORBIDDEN_LOGIT), dim=1)


def masked_entropy(log_policy: Tensor) -> Tensor:
    """Entropy in nats ``(N,)`` of masked log-probabilities: illegal actions add exactly zero."""
    return -(log_policy.exp() * log_policy).sum(dim=1)


def divergence(log_policy: Tensor, log_reference: Tensor) -> Tensor:
    """Kullback-Leibler divergence ``(N,)`` of masked policies from others with the same masks."""
    return (log_policy.exp() * (log_policy - log_reference)).sum(dim=1)


def sample_actions(log_policy: Tensor, generator: torch.Generator) -> Tensor:
    """Draw an action a row ``(N,)`` by a race of exponential clocks with rates ``exp(log p)``."""
    clocks = torch.empty_like(log_policy).exponential_(generator=generator)
    return (log_policy - clocks.log()).argmax(dim=1)
