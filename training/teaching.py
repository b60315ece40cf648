"""Terz: a closed phase that is learned from exact values, not by trial."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.config import SolverConfig
from training.rollout import Rollout


@dataclass(frozen=True)
class Teaching:
    """What the solver would play at some of the decisions of a roll-out.

    Attributes:
        known: ``(N,)`` where that is known.
        policies: ``(N, A)`` float32, the policies made of exact values, 0 elsewhere.
        weight: Of the cross-entropy, beside a decision that is learned by trial.
    """

    known: NDArray[np.bool_]
    policies: Tensor
    weight: float

    @classmethod
    def of_rollout(
        cls, rollout: Rollout, config: SolverConfig, reward_scale: float
    ) -> "Teaching | None":
        """Return what a roll-out holds of it, or None.

        Args:
            rollout: The decisions.
            config: Settings.
            reward_scale: Brings the engine's rewards to scaled ones.
        """
        if config.share == 0:
            return None
        known: NDArray[np.bool_] = ~np.isnan(rollout.exact[:, 0])
        values = torch.from_numpy(rollout.exact[known]) * reward_scale
        policies = torch.zeros(rollout.exact.shape)
        policies[torch.from_numpy(known)] = torch.softmax(values / config.temperature, dim=1)
        return cls(known, policies, config.weight)

    def loss(self, part: NDArray[np.int64], log_policy: Tensor) -> tuple[Tensor, Tensor]:
        """Return the loss of a minibatch, and its mean over the decisions that are taught.

        Args:
            part: ``(M,)`` the decisions of the minibatch.
            log_policy: ``(M, A)`` float32, the learner's log-probabilities there.

        Returns:
            The weighted cross-entropy, summed over the taught decisions and divided by all of
            them, and the divergence from the solver's policies in nats.
        """
        known = torch.from_numpy(self.known[part]).to(log_policy.device)
        policies = self.policies[part].to(log_policy.device)
        crossed = -(policies * log_policy).sum(dim=1)
        own = torch.special.entr(policies).sum(dim=1)
        divergence = ((crossed - own) * known).sum() / known.sum().clamp(min=1)
        return self.weight * (crossed * known).mean(), divergence.detach()
