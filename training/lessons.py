"""Decisions with a value of every legal action, found by playing each of them out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from terz_env.canonical import actions_back, columns_to_canonical
from terz_env.players import Decisions, load_player
from terz_env.players.rollout import action_values, sampled_values
from terz_env.selfplay import SelfPlayBatch
from terz_env.suits import INVERSE
from training.config import BootstrapConfig
from training.networks import masked_log_policy, sample_actions
from training.rollout import NetworkSeat, pack_masks, real_choices


@dataclass(frozen=True)
class Lesson:
    """Decisions with a value of every legal action.

    Attributes:
        bits: ``(N, W)`` packed observations.
        masks: ``(N, A / 8)`` legal actions, eight to a byte.
        values: ``(N, A)`` scaled rewards, 0 where an action is not legal.
        choices: ``(N,)`` what the rule player does there.
    """

    bits: NDArray[np.uint64]
    masks: NDArray[np.uint8]
    values: NDArray[np.float32]
    choices: NDArray[np.int16]


@torch.inference_mode()
def find_lesson(
    batch: SelfPlayBatch,
    states: int,
    seat: NetworkSeat,
    config: BootstrapConfig,
    rng: np.random.Generator,
    *,
    reward_scale: float,
    own: bool,
) -> Lesson:
    """Play deals, and at every choice on the way play each legal action out by the rule player.

    Args:
        batch: The deals, at their start; it is played on.
        states: Decisions to be found.
        seat: How the network is shown a position.
        config: Who plays, and in which worlds.
        rng: The only source of chance.
        reward_scale: Brings results of the engine to scaled rewards.
        own: The network of `seat`, which gives advantages, plays the deals by sampling; else the
            rule player does.
    """
    game = batch.game
    player = load_player(config.player)
    columns: list[tuple[NDArray[Any], ...]] = []
    everyone = np.arange(len(batch.seats))
    found = 0
    while found < states:
        choices = player.act(Decisions.of_batch(batch, everyone), rng)
        played = choices.copy()
        rows = np.flatnonzero(real_choices(batch.masks))
        if len(rows):
            decisions = Decisions.of_batch(batch, rows)
            values = _values(decisions, config, int(rng.integers(1 << 62)))
            bits, masks, orders = seat.shown(decisions.bits, decisions.masks)
            chosen = choices[rows]
            if seat.canonical:
                values = columns_to_canonical(game, values, orders)
                chosen = actions_back(game, chosen, INVERSE[orders])
            values *= np.float32(reward_scale)
            columns.append((bits, pack_masks(masks), values, chosen.astype(np.int16)))
            found += len(rows)
            if own:
                advantages, _ = seat.network.look(bits)
                log_policy = masked_log_policy(
                    advantages / config.temperature, torch.from_numpy(masks != 0)
                )
                generator = torch.Generator().manual_seed(int(rng.integers(1 << 62)))
                played[rows] = seat.back(sample_actions(log_policy, generator).numpy(), orders)
        uniform = rng.random(len(everyone)) < config.epsilon
        played[uniform] = batch.random_actions(int(rng.integers(1 << 62)))[uniform]
        batch.step(played)
    return Lesson(*(np.concatenate(column)[:states] for column in zip(*columns, strict=True)))


def _values(decisions: Decisions, config: BootstrapConfig, seed: int) -> NDArray[np.float32]:
    """Return the value of every legal action ``(N, A)``, as the engine counts results."""
    if config.worlds:
        return sampled_values(decisions, config.worlds, player=config.player, seed=seed)
    return action_values(
        decisions.game.name,
        decisions.states,
        decisions.masks,
        player=config.player,
        epsilon=config.epsilon,
        seed=seed,
    )
