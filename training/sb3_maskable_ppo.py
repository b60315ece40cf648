"""MaskablePPO of sb3-contrib learns Terz or Tetka in minutes.

    python -m training.sb3_maskable_ppo --game tetka

It writes ``model.zip``, which `terz play`, `terz arena` and `terz evaluate` take for a player, and
the learning curve as ``curve.csv`` and ``curve.png``.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn

from terz_env.adapters.sb3 import CardVecEnv, Sb3Player, SnapshotOpponents
from training.cli import GameName
from training.examples import CURVE_PICTURE, N_STEPS, REWARD_SCALES, TEACHERS, Measurements, draw

MODEL_FILE = "model.zip"
N_ENVS, EPOCHS, MINIBATCH = 1024, 4, 2048
"""Large batches: with the defaults of MaskablePPO nearly all time goes into tiny updates."""


def make_model(game: str, seed: int) -> MaskablePPO:
    """Return a model that has not learned anything, at its 1,024 tables."""
    env = CardVecEnv(
        game, N_ENVS, opponents=TEACHERS[game], reward_scale=REWARD_SCALES[game], seed=seed
    )
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=N_STEPS[game],
        batch_size=MINIBATCH,
        n_epochs=EPOCHS,
        learning_rate=lambda left: 1e-3 * left,  # left falls from 1 to 0
        gamma=1.0,  # a deal is short, and every point counts the same
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": nn.ReLU},
        seed=seed,
        device="cpu",
    )


class Evaluations(BaseCallback):
    """Plays the yardsticks at the start, a few times on the way, and at the end."""

    def __init__(self, measurements: Measurements) -> None:
        """Take where the results go."""
        super().__init__()
        self._measurements = measurements

    def _player(self) -> Sb3Player:
        return Sb3Player.of(self.model)

    def _on_training_start(self) -> None:
        self._measurements.begin()

    def _on_rollout_start(self) -> None:
        self._measurements.look(self.num_timesteps, self._player)

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self._measurements.measure(self.num_timesteps, self._player())


def run(
    game: Annotated[GameName, typer.Option(help="What is learned.")] = GameName.TETKA,
    steps: Annotated[int, typer.Option(min=1, help="The learner's decisions.")] = 2_000_000,
    evaluations: Annotated[int, typer.Option(min=1, help="How often it is measured.")] = 8,
    deals: Annotated[int, typer.Option(min=2, help="Duplicate deals of a measurement.")] = 1000,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Of torch.")] = 1,
    output: Annotated[Path | None, typer.Option(help="runs/sb3/GAME if absent.")] = None,
) -> None:
    """Learn a game with MaskablePPO, among rule players and snapshots of the learner."""
    torch.set_num_threads(threads)
    console = Console(highlight=False, soft_wrap=True)
    folder = output or Path("runs") / "sb3" / game
    measurements = Measurements(folder, game, console, steps, evaluations, deals)
    model = make_model(game, seed)
    snapshots = SnapshotOpponents(every=steps // 8 + 1, share=0.3, others=TEACHERS[game])
    model.learn(steps, [Evaluations(measurements), snapshots])
    measurements.close()
    model.save(folder / MODEL_FILE, exclude=["_last_obs", "_last_episode_starts"])
    draw(folder, game, "MaskablePPO on CardVecEnv")
    console.print(f"saved {folder / MODEL_FILE} and {folder / CURVE_PICTURE}", markup=False)


if __name__ == "__main__":
    typer.run(run)
