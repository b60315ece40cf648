"""The networks: trunks of ReLU layers that read bits, with heads for policy and value."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from terz_env.adapters.torch_policy import FORBIDDEN_LOGIT
from terz_env.bit_layer import bit_gradient, bit_sums
from terz_env.selfplay import expand_bits


class BitLayer(torch.autograd.Function):
    """A linear layer on packed bits, on the CPU (see `terz_env.bit_layer`)."""

    @staticmethod
    def forward(ctx: Any, words: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Return ``(N, H)`` for words ``(N, n_words)`` int64 and weights ``(H, O)``."""
        ctx.save_for_backward(words)
        ctx.n_entries = weight.shape[1]
        bits = words.numpy().view(np.uint64)
        return torch.from_numpy(bit_sums(bits, weight.detach().t().numpy(), bias.detach().numpy()))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor, Tensor]:
        """Return the gradients of weights and bias."""
        (words,) = ctx.saved_tensors
        (of_sums,) = gradients
        table = bit_gradient(words.numpy().view(np.uint64), of_sums.numpy(), ctx.n_entries)
        return None, torch.from_numpy(table).t().contiguous(), of_sums.sum(dim=0)


class Trunk(nn.Module):
    """Hidden layers; a subclass adds heads.

    Attributes:
        n_entries: Entries of an observation.
        trunk: The layers.
    """

    def __init__(self, n_entries: int, hidden: Sequence[int]) -> None:
        """Create the layers from torch's global generator.

        Args:
            n_entries: Entries of an observation.
            hidden: Widths of the layers.
        """
        super().__init__()
        self.n_entries = n_entries
        self.trunk = nn.ModuleList(nn.Linear(*pair) for pair in pairwise([n_entries, *hidden]))

    def hidden(self, observations: Tensor) -> Tensor:
        """Return the last hidden layer ``(N, H)`` for observations ``(N, O)``."""
        return self._after_first(self.trunk[0](observations))

    def hidden_of_bits(self, bits: NDArray[np.uint64]) -> Tensor:
        """Return the last hidden layer ``(N, H)`` for packed observations ``(N, n_words)``."""
        first = self.trunk[0]
        assert isinstance(first, nn.Linear)
        if first.weight.device.type != "cpu":
            observations = torch.from_numpy(expand_bits(bits, self.n_entries))
            return self.hidden(observations.to(first.weight.device))
        words = torch.from_numpy(np.ascontiguousarray(bits).view(np.int64))
        sums: Tensor = BitLayer.apply(  # type: ignore[no-untyped-call]
            words, first.weight, first.bias
        )
        return self._after_first(sums)

    def _after_first(self, sums: Tensor) -> Tensor:
        hidden = torch.relu(sums)
        for layer in self.trunk[1:]:
            hidden = torch.relu(layer(hidden))
        return hidden


class PolicyValueNetwork(Trunk):
    """Logits of all actions and the expected result of the seat to act."""

    def __init__(self, n_entries: int, n_actions: int, hidden: Sequence[int]) -> None:
        """Create the layers from torch's global generator.

        Args:
            n_entries: Entries of an observation.
            n_actions: Actions of the game, legal or not.
            hidden: Widths of the trunk's layers.
        """
        super().__init__(n_entries, hidden)
        self.policy = nn.Linear(hidden[-1], n_actions)
        self.value = nn.Linear(hidden[-1], 1)
        nn.init.orthogonal_(self.policy.weight, gain=0.01)
        nn.init.orthogonal_(self.value.weight, gain=0.1)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits ``(N, A)`` and values ``(N,)`` of observations ``(N, O)``."""
        return self._heads(self.hidden(observations))

    def look(self, bits: NDArray[np.uint64]) -> tuple[Tensor, Tensor]:
        """Return logits ``(N, A)`` and values ``(N,)`` of packed observations ``(N, n_words)``."""
        return self._heads(self.hidden_of_bits(bits))

    def _heads(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        logits: Tensor = self.policy(hidden)
        values: Tensor = self.value(hidden)
        return logits, values.squeeze(1)


class CriticNetwork(Trunk):
    """The expected result of the seat to act, from the view of everything."""

    def __init__(self, n_entries: int, hidden: Sequence[int]) -> None:
        """Create the layers from torch's global generator (see `Trunk`)."""
        super().__init__(n_entries, hidden)
        self.value = nn.Linear(hidden[-1], 1)
        nn.init.orthogonal_(self.value.weight, gain=0.1)

    def look(self, bits: NDArray[np.uint64]) -> Tensor:
        """Return values ``(N,)`` of packed views ``(N, n_words)``."""
        values: Tensor = self.value(self.hidden_of_bits(bits))
        return values.squeeze(1)


def masked_log_policy(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities over the legal actions; an illegal one gets a finite, huge negative.

    Args:
        logits: ``(N, A)``.
        masks: ``(N, A)`` bool, at least one legal action a row.
    """
    return torch.log_softmax(logits.masked_fill(~masks, FORBIDDEN_LOGIT), dim=1)


def masked_entropy(log_policy: Tensor, probabilities: Tensor | None = None) -> Tensor:
    """Entropy in nats ``(N,)`` of masked log-probabilities: illegal actions add exactly zero.

    Args:
        log_policy: ``(N, A)``.
        probabilities: Its exponential, where that is at hand.
    """
    weights = log_policy.exp() if probabilities is None else probabilities
    return -(weights * log_policy).sum(dim=1)


def divergence(
    log_policy: Tensor, log_reference: Tensor, probabilities: Tensor | None = None
) -> Tensor:
    """Kullback-Leibler divergence ``(N,)`` of masked policies from others with the same masks.

    Args:
        log_policy: ``(N, A)``.
        log_reference: ``(N, A)``.
        probabilities: The exponential of `log_policy`, where that is at hand.
    """
    weights = log_policy.exp() if probabilities is None else probabilities
    return (weights * (log_policy - log_reference)).sum(dim=1)


def sample_actions(log_policy: Tensor, generator: torch.Generator) -> Tensor:
    """Draw an action a row ``(N,)`` by a race of exponential clocks with rates ``exp(log p)``."""
    clocks = torch.empty_like(log_policy).exponential_(generator=generator)
    return (log_policy - clocks.log()).argmax(dim=1)
