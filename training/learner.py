"""The training loop: play complete deals, learn from them, now and then play the yardsticks."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import torch

from terz_env.evaluation.report import HEADINGS, Row, compare
from terz_env.players import load_player
from terz_env.players.policy import PolicyPlayer
from terz_env.selfplay import SelfPlayBatch
from training.checkpoint import PLOT_FILE, network_tensors, save_curve, save_policy
from training.config import TrainingConfig
from training.networks import PolicyValueNetwork
from training.plot import plot_curve
from training.ppo import update
from training.returns import seat_advantages
from training.rollout import play_deals

RESULT = HEADINGS.index("result")


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Attributes:
        game: Which game is trained.
        decisions: Decisions learned from so far.
        total: The budget.
        per_second: Decisions a second since the start, evaluations excluded.
        entropy: Nats of the policy at decisions.
        kl: Divergence of the last update.
        evaluation: The last results, in the order of the configuration's opponents.
    """

    game: str
    decisions: int
    total: int
    per_second: float
    entropy: float
    kl: float
    evaluation: str


def train(
    config: TrainingConfig, output: Path, report: Callable[[Progress], None]
) -> tuple[Row, ...]:
    """Train a policy by self-play, save it with its learning curve, and return its results.

    The weights are a function of the configuration on one machine and its libraries: the budget
    counts decisions, and the clock is only shown.

    Args:
        config: The run.
        output: Directory of the results; files of an earlier run are replaced.
        report: Called after every iteration.

    Returns:
        The final results against each opponent of the configuration.
    """
    torch.set_num_threads(1)
    torch.manual_seed(config.seed)
    generator = torch.Generator().manual_seed(config.seed)
    rng = np.random.default_rng(config.seed)
    batch = new_deals(config, 0)
    opponents = [load_player(name) for name in config.evaluation.opponents]
    game = batch.game
    network = PolicyValueNetwork(game.layout.n_entries, game.n_actions, config.network.hidden)
    optimiser = torch.optim.Adam(network.parameters(), eps=1e-5, fused=True)

    curve: list[Mapping[str, float | int | None]] = []
    evaluated = ""
    decisions, iteration, seconds = 0, 0, 0.0
    while decisions < config.decisions:
        started = perf_counter()
        done = decisions / config.decisions
        optimiser.param_groups[0]["lr"] = anneal(config.ppo.learning_rate, done)
        rollout = play_deals(new_deals(config, iteration), network, generator)
        advantages = seat_advantages(
            rollout.environments,
            rollout.seats,
            rollout.values,
            rollout.steps,
            rollout.results * np.float32(config.rollout.reward_scale),
            config.ppo.lambda_,
        )
        entropy_weight = anneal(config.ppo.entropy, done)
        measured = update(network, optimiser, rollout, advantages, config.ppo, entropy_weight, rng)
        decisions += len(rollout)
        iteration += 1
        seconds += perf_counter() - started

        results = None
        if _evaluation_due(config, done, decisions / config.decisions):
            player = PolicyPlayer(game.name, network_tensors(network), name=config.name)
            results = compare(
                player,
                opponents,
                game.name,
                config.evaluation.deals,
                config.evaluation.seed,
                config.rules,
            )
            evaluated = " ".join(row.cells()[RESULT] for row in results)
        curve.append(
            {
                "decisions": decisions,
                "entropy": measured.entropy,
                "kl": measured.kl,
                "clipped": measured.clipped,
                "value_loss": measured.value_loss,
                **_result_columns(config, results),
            }
        )
        report(
            Progress(
                game.name,
                decisions,
                config.decisions,
                decisions / seconds,
                measured.entropy,
                measured.kl,
                evaluated,
            )
        )

    save_policy(output, network, config, batch)
    save_curve(output, curve)
    plot_curve(output / PLOT_FILE, curve, config)
    return compare(
        PolicyPlayer.load(output),
        opponents,
        game.name,
        config.evaluation.final_deals,
        config.evaluation.seed + 1,
        config.rules,
    )


def new_deals(config: TrainingConfig, iteration: int) -> SelfPlayBatch:
    """Return a batch at the start of deals that no other iteration of this run plays."""
    size = config.rollout.deals
    batch = SelfPlayBatch(
        config.game,
        size,
        seed=config.seed,
        rules=config.rules,
        first_environment=iteration * size,
    )
    batch.reset()
    return batch


def anneal(ends: list[float], done: float) -> float:
    """Return the value between ``ends`` after the share ``done`` of the budget."""
    first, last = ends
    return first + (last - first) * min(done, 1.0)


def _evaluation_due(config: TrainingConfig, before: float, after: float) -> bool:
    """Whether one of the evenly spread evaluations falls between two shares of the budget."""
    times = config.evaluation.times
    return math.floor(min(after, 1.0) * times) > math.floor(before * times)


def _result_columns(
    config: TrainingConfig, results: tuple[Row, ...] | None
) -> dict[str, float | None]:
    """Mean and half width against each opponent, None where nothing was played."""
    columns: dict[str, float | None] = {}
    for index, opponent in enumerate(config.evaluation.opponents):
        result = results[index].result if results else None
        columns[opponent] = result.mean if result else None
        columns[f"{opponent} ±"] = result.half_width if result else None
    return columns
