"""Complete deals played by the learner's network, and in some seats by others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from terz_env.canonical import actions_back, canonical_rows
from terz_env.game import Game
from terz_env.players import Decisions, Player
from terz_env.selfplay import TOP_BIT, SelfPlayBatch
from training.errors import TrainingError
from training.networks import PolicyValueNetwork, masked_log_policy, sample_actions

LEARNER, SNAPSHOT, PLAYER = 0, 1, 2
"""Who has a seat of a deal."""

Rows = NDArray[np.int64]
Settle = Callable[[SelfPlayBatch, Rows], NDArray[np.float32]]
"""Gives results ``(rows, P)`` of some rows of a batch."""
Witness = Callable[[SelfPlayBatch, Rows, NDArray[np.int64]], NDArray[np.uint64]]
"""Gives the packed view of everything, of some rows with their suits in some orders."""
Teacher = Callable[[SelfPlayBatch, Rows, NDArray[np.int64]], NDArray[np.float32]]
"""Gives the exact values ``(rows, A)`` of actions, of some rows with their suits in some orders.

They are in the engine's rewards, −∞ for illegal actions, and NaN in rows that are not taught.
"""


@dataclass(frozen=True)
class Rollout:
    """The learner's decisions in a batch of complete deals, in the order of play.

    A decision is a turn with at least two legal actions. Observations stay packed bits; they are
    expanded a minibatch at a time.

    Attributes:
        bits: ``(N, W)`` packed observations.
        masks: ``(N, A / 8)`` legal actions, eight to a byte.
        actions: ``(N,)`` what was played.
        log_probabilities: ``(N,)`` of what was played, by the network that played it.
        values: ``(N,)`` expected result of the deciding seat.
        environments: ``(N,)`` index of the deal.
        seats: ``(N,)`` seat that decided.
        results: ``(B, P)`` result of each seat, in the engine's rewards.
        hidden: ``(N, W')`` packed view of everything, for a critic that sees it; else ``(N, 0)``.
        exact: ``(N, A)`` exact values of the actions in the engine's rewards, −∞ for illegal ones,
            NaN in rows that are learned by trial; ``(N, 0)`` where all are.
    """

    bits: NDArray[np.uint64]
    masks: NDArray[np.uint8]
    actions: NDArray[np.int16]
    log_probabilities: NDArray[np.float32]
    values: NDArray[np.float32]
    environments: NDArray[np.int32]
    seats: NDArray[np.int8]
    results: NDArray[np.float32]
    hidden: NDArray[np.uint64]
    exact: NDArray[np.float32]

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.actions)

    @classmethod
    def join(cls, parts: Sequence["Rollout"]) -> "Rollout":
        """Return the decisions of several batches, their deals numbered on."""
        columns = {name: [vars(part)[name] for part in parts] for name in vars(parts[0])}
        firsts = np.cumsum([0, *(len(part.results) for part in parts[:-1])])
        columns["environments"] = [
            part.environments + np.int32(first) for part, first in zip(parts, firsts, strict=True)
        ]
        return cls(**{name: np.concatenate(column) for name, column in columns.items()})


def pack_masks(masks: NDArray[Any]) -> NDArray[np.uint8]:
    """Pack masks ``(N, A)`` eight actions to a byte."""
    return np.packbits(masks != 0, axis=1, bitorder="little")


def unpack_masks(packed: NDArray[np.uint8], n_actions: int) -> NDArray[np.bool_]:
    """Return the masks ``(N, A)`` that `pack_masks` packed."""
    return np.unpackbits(packed, axis=1, count=n_actions, bitorder="little").view(np.bool_)


def draw_seatings(
    rng: np.random.Generator, deals: int, n_seats: int, snapshot_share: float, player_share: float
) -> NDArray[np.int8]:
    """Draw who has each seat of each deal ``(B, P)``: the learner, a snapshot or a player.

    In a deal with an opponent one seat, drawn uniformly, stays the learner's. Of the others each
    is the opponent's with probability 3/4, drawn independently, but with two seats always, and
    where a player sits in every deal.
    """
    kinds = rng.random(deals)
    opponent = np.where(kinds < snapshot_share, SNAPSHOT, LEARNER)
    opponent[kinds >= 1 - player_share] = PLAYER
    certain = n_seats == 2 or player_share == 1
    taken = rng.random((deals, n_seats)) < (1.0 if certain else 0.75)
    taken[np.arange(deals), rng.integers(n_seats, size=deals)] = False
    return np.where(taken, opponent[:, None], LEARNER).astype(np.int8)


def real_choices(masks: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Tell which rows have two legal actions or more that differ.

    The breaks of Terz do not: they are legal together, and the talon is as random after each.
    """
    choices: NDArray[np.bool_] = masks[:, :TOP_BIT].sum(axis=1) > 1
    return choices


class NetworkSeat:
    """Plays by a network, from canonical or plain suits."""

    def __init__(self, game: Game, network: PolicyValueNetwork, suits: str) -> None:
        """Take the network as it is."""
        self.game = game
        self.network = network
        self.canonical = suits == "canonical"

    def shown(
        self, bits: NDArray[np.uint64], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int8], NDArray[np.int64]]:
        """Return bits and masks as the network sees them, and how the suits were renamed."""
        if self.canonical:
            return canonical_rows(self.game, bits, masks)
        return bits, masks, np.zeros(len(bits), dtype=np.int64)

    def back(self, actions: NDArray[np.int64], orders: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the network's actions as the game numbers them."""
        return actions_back(self.game, actions, orders) if self.canonical else actions

    def think(self, bits: NDArray[np.uint64], masks: NDArray[np.int8]) -> tuple[Tensor, Tensor]:
        """Return masked log-probabilities ``(N, A)`` and values ``(N,)``."""
        logits, values = self.network.look(bits)
        return masked_log_policy(logits, torch.from_numpy(masks != 0)), values


@torch.inference_mode()
def play_deals(
    batch: SelfPlayBatch,
    learner: NetworkSeat,
    generator: torch.Generator,
    *,
    seatings: NDArray[np.int8] | None = None,
    snapshot: NetworkSeat | None = None,
    player: Player | None = None,
    rng: np.random.Generator | None = None,
    epsilon: float | None = None,
    stop: Settle | None = None,
    settle: Settle | None = None,
    witness: Witness | None = None,
    teacher: Teacher | None = None,
) -> Rollout:
    """Play the current deal of every row to its end and return the learner's decisions.

    Rows that end early wait: they are stepped with any legal action, and nothing of their next
    deal is kept. Forced moves are played without a network.

    Args:
        batch: Rows that all stand at the start of a deal, with plain suits.
        learner: Plays its seats by sampling, or best action but with `epsilon`.
        generator: Source of the learner's samples.
        seatings: ``(B, P)`` who has each seat; None for the learner everywhere.
        snapshot: Plays the seats of SNAPSHOT, by sampling.
        player: Plays the seats of PLAYER.
        rng: Source of the player's chance.
        epsilon: The learner takes its best action, or with this chance a uniform one.
        stop: Told the rows that play on; returns ``(rows, P)`` the results of those that are
            stopped now, NaN for the others.
        settle: Returns the results ``(rows, P)`` of rows whose deal has just ended; None for the
            rewards of the batch.
        witness: Gives what a critic sees that is shown everything.
        teacher: Gives the exact values of the actions where they are to be learned.
    """
    playing = np.ones(len(batch.seats), dtype=np.bool_)
    results = np.zeros_like(batch.rewards)
    deal_word = batch.game.kernels.DEAL
    columns: list[tuple[NDArray[Any], ...]] = []
    everyone = np.arange(len(batch.seats))
    unknown = np.empty((len(batch.seats), 0), dtype=np.float32)
    while True:
        if stop is not None:
            rows = np.flatnonzero(playing)
            paid = stop(batch, rows)
            stopped = ~np.isnan(paid[:, 0])
            results[rows[stopped]] = paid[stopped]
            playing[rows[stopped]] = False
        if not playing.any():
            break
        actions = batch.masks.argmax(axis=1)
        choices = playing & real_choices(batch.masks)
        owners = LEARNER if seatings is None else seatings[everyone, batch.seats]
        rows = np.flatnonzero(choices & (owners == LEARNER))
        if len(rows):
            shown, masks, orders = learner.shown(batch.bits[rows], batch.masks[rows])
            log_policy, values = learner.think(shown, masks)
            chosen = (
                sample_actions(log_policy, generator)
                if epsilon is None
                else _nearly_best(log_policy, torch.from_numpy(masks != 0), epsilon, generator)
            )
            played = log_policy.gather(1, chosen[:, None]).squeeze(1)
            actions[rows] = learner.back(chosen.numpy(), orders)
            columns.append(
                (
                    shown,
                    pack_masks(masks),
                    chosen.numpy().astype(np.int16),
                    played.numpy(),
                    values.numpy(),
                    rows.astype(np.int32),
                    batch.seats[rows].astype(np.int8),
                    witness(batch, rows, orders) if witness else shown[:, :0],
                    teacher(batch, rows, orders) if teacher else unknown[rows],
                )
            )
        rows = np.flatnonzero(choices & (owners == SNAPSHOT))
        if len(rows):
            assert snapshot is not None
            shown, masks, orders = snapshot.shown(batch.bits[rows], batch.masks[rows])
            log_policy, _ = snapshot.think(shown, masks)
            actions[rows] = snapshot.back(sample_actions(log_policy, generator).numpy(), orders)
        rows = np.flatnonzero(choices & (owners == PLAYER))
        if len(rows):
            assert player is not None
            assert rng is not None
            actions[rows] = player.act(Decisions.of_batch(batch, rows), rng)
        numbers = batch.states[:, deal_word].copy()
        batch.step(actions)
        rows = np.flatnonzero(playing & (batch.states[:, deal_word] != numbers))
        if len(rows):
            results[rows] = batch.rewards[rows] if settle is None else settle(batch, rows)
            playing[rows] = False
    if not columns:
        raise TrainingError("no deal of a roll-out gave the learner a choice; play more deals")
    bits, packed, taken, log_probabilities, expected, deals, places, hidden, exact = (
        np.concatenate(column) for column in zip(*columns, strict=True)
    )
    return Rollout(
        bits, packed, taken, log_probabilities, expected, deals, places, results, hidden, exact
    )


def _nearly_best(
    log_policy: Tensor, masks: Tensor, epsilon: float, generator: torch.Generator
) -> Tensor:
    """Take the best action a row, or with chance `epsilon` a uniform legal one."""
    uniform = sample_actions(masked_log_policy(torch.zeros_like(log_policy), masks), generator)
    explore = torch.rand(len(log_policy), generator=generator) < epsilon
    return torch.where(explore, uniform, log_policy.argmax(dim=1))
