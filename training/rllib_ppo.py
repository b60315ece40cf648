"""PPO of RLlib learns Terz or Tetka by self-play, in a quarter of an hour.

    python -m training.rllib_ppo --game tetka

It writes a checkpoint of RLlib, which `terz play`, `terz arena` and `terz evaluate` take for a
player, and the learning curve as ``curve.csv`` and ``curve.png``. It needs an environment of its
own (docs/rllib.md).
"""

from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import ray
import torch
import typer
from ray.rllib.algorithms.ppo import PPOConfig
from rich.console import Console

from terz_env.adapters.rllib import LEARNER, player_of, ppo_config
from terz_env.evaluation.report import UNITS
from terz_env.players.policy import PolicyPlayer
from training.cli import GameName
from training.examples import CURVE_PICTURE, REWARD_SCALES, Measurements, draw

CHECKPOINT, TITLE = "checkpoint", "PPO of RLlib, by self-play"
TARGETS = {"terz": {"random:announce": 5.0}, "tetka": {"random": 1.6}}
HIDDEN, EPOCHS, BATCH, MINIBATCH = (256, 256), 4, 8192, 1024
"""Large batches: with the defaults of PPO most time goes into tiny updates."""
LEARNING_RATE, LAST_RATE, ENTROPY, LAMBDA = 1e-3, 5e-5, 0.01, 0.95
ENVIRONMENTS = 64
"""Tables of a worker, whose seats the network sees at once."""


def configuration(game: str, steps: int, workers: int) -> PPOConfig:
    """Return how a game is learned."""
    played = {
        "game": game,
        "suits": "canonical",  # a symmetry of 6 or 24 that need not be learned
        "reward_scale": REWARD_SCALES[game],
        "dtype": "uint8",  # a fourth of the memory of floats
    }
    config: PPOConfig = (
        ppo_config(played, hidden=HIDDEN, snapshots=3, share=0.25)
        .env_runners(num_env_runners=workers, num_envs_per_env_runner=ENVIRONMENTS)
        .training(
            lr=[[0, LEARNING_RATE], [steps, LAST_RATE]],
            train_batch_size_per_learner=BATCH,
            minibatch_size=MINIBATCH,
            num_epochs=EPOCHS,
            lambda_=LAMBDA,
            entropy_coeff=ENTROPY,
            vf_loss_coeff=0.5,
            grad_clip=0.5,
        )
    )
    return config


def learner_of(algorithm: Any) -> PolicyPlayer:
    """Return the player that an algorithm has learned to be so far."""
    return player_of(algorithm.get_module(LEARNER))


def decisions_of(result: dict[str, Any]) -> int:
    """Return how many decisions have been made in all, those of snapshots included."""
    return int(result["env_runners"]["num_env_steps_sampled_lifetime"])


def tell(console: Console, result: dict[str, Any], game: str) -> None:
    """Print a trial against the pool, if there was one."""
    trial = result.get("self_play")
    if trial:
        console.print(
            f"{decisions_of(result):>10,} decisions, against the pool "
            f"{trial[UNITS[game]]:.2f} ± {trial['half_width']:.2f} {UNITS[game]}"
            + (": a new member" if trial["admitted"] else "")
        )


def run(
    game: Annotated[GameName, typer.Option(help="What is learned.")] = GameName.TETKA,
    steps: Annotated[int, typer.Option(min=1, help="Decisions of all seats.")] = 800_000,
    workers: Annotated[int, typer.Option(min=0, help="Processes that play; 0: this one.")] = 2,
    evaluations: Annotated[int, typer.Option(min=1, help="How often it is measured.")] = 8,
    deals: Annotated[int, typer.Option(min=2, help="Duplicate deals of a measurement.")] = 1000,
    address: Annotated[str | None, typer.Option(help="Of a cluster; none starts one.")] = None,
    output: Annotated[Path | None, typer.Option(help="runs/rllib/GAME if absent.")] = None,
) -> None:
    """Learn a game with PPO of RLlib, by self-play with a pool of former selves."""
    torch.set_num_threads(1)
    console = Console(highlight=False, soft_wrap=True)
    folder = (output or Path("runs") / "rllib" / game).absolute()
    local = {} if address else {"num_cpus": workers + 1, "include_dashboard": False}
    try:
        ray.init(address, logging_level="warning", **local)
    except ConnectionError as error:
        raise typer.BadParameter(f"{error}", param_hint="--address") from error
    algorithm = configuration(game, steps, workers).build_algo()
    measurements = Measurements(folder, game, console, steps, evaluations, deals, monotonic)
    decisions = 0
    while decisions < steps:
        measurements.look(decisions, lambda: learner_of(algorithm))
        result = algorithm.train()
        decisions = decisions_of(result)
        tell(console, result, game)
    measurements.measure(decisions, learner_of(algorithm))
    measurements.close()
    algorithm.save_to_path(str(folder / CHECKPOINT))
    algorithm.stop()
    ray.shutdown()
    draw(folder, game, TITLE, TARGETS)
    console.print(f"saved {folder / CHECKPOINT} and {folder / CURVE_PICTURE}", markup=False)


if __name__ == "__main__":
    typer.run(run)
