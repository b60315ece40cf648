"""Self-play of complete deals by one network in every seat."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from terz_env.selfplay import SelfPlayBatch, expand_bits
from training.networks import PolicyValueNetwork, masked_log_policy, sample_actions


@dataclass(frozen=True)
class Rollout:
    """The decisions of a batch of complete deals, in the order of play.

    A decision is a turn with at least two legal actions. Observations stay packed bits; they are
    expanded a minibatch at a time.

    Attributes:
        bits: ``(N, W)`` packed observations.
        masks: ``(N, A)`` legal actions.
        actions: ``(N,)`` what was played.
        log_probabilities: ``(N,)`` of what was played, by the network that played it.
        values: ``(N,)`` expected result of the deciding seat.
        environments: ``(N,)`` index of the deal.
        seats: ``(N,)`` seat that decided.
        steps: ``T + 1`` boundaries of the engine's steps within the N decisions.
        results: ``(B, P)`` result of each seat, in the engine's rewards.
    """

    bits: NDArray[np.uint64]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    log_probabilities: NDArray[np.float32]
    values: NDArray[np.float32]
    environments: NDArray[np.int64]
    seats: NDArray[np.int64]
    steps: list[int]
    results: NDArray[np.float32]

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.actions)


@torch.inference_mode()
def play_deals(
    batch: SelfPlayBatch, network: PolicyValueNetwork, generator: torch.Generator
) -> Rollout:
    """Play the current deal of every row to its end and return the decisions.

    Rows that end early wait: they are stepped with any legal action, and nothing of their next
    deal is kept. Forced moves are played without the network.

    Args:
        batch: Rows that all stand at the start of a deal.
        network: Plays every seat by sampling.
        generator: Source of the samples.
    """
    playing = np.ones(len(batch.seats), dtype=np.bool_)
    results = np.zeros_like(batch.rewards)
    columns: list[tuple[NDArray[Any], ...]] = []
    steps = [0]
    while playing.any():
        legal = batch.masks.astype(np.bool_)
        actions = legal.argmax(axis=1)
        rows = np.flatnonzero(playing & (legal.sum(axis=1) > 1))
        if len(rows):
            observations = torch.from_numpy(expand_bits(batch.bits[rows], network.n_entries))
            logits, values = network(observations)
            log_policy = masked_log_policy(logits, torch.from_numpy(legal[rows]))
            chosen = sample_actions(log_policy, generator)
            played = log_policy.gather(1, chosen[:, None]).squeeze(1)
            actions[rows] = chosen.numpy()
            decided = (actions[rows], played.numpy(), values.numpy())
            columns.append((batch.bits[rows], legal[rows], *decided, rows, batch.seats[rows]))
            steps.append(steps[-1] + len(rows))
        batch.step(actions)
        ended = playing & batch.ends
        results[ended] = batch.rewards[ended]
        playing &= ~ended
    bits, masks, taken, log_probabilities, expected, deals, seats = (
        np.concatenate(column) for column in zip(*columns, strict=True)
    )
    return Rollout(bits, masks, taken, log_probabilities, expected, deals, seats, steps, results)
