"""MaskablePPO of sb3-contrib learns Terz or Tetka in minutes.

    python -m training.sb3_maskable_ppo --game tetka

It writes ``model.zip``, which `terz play`, `terz arena` and `terz evaluate` take for a player, and
the learning curve as ``curve.csv`` and ``curve.png``.
"""

from pathlib import Path
from time import process_time
from typing import Annotated

import torch
import typer
from matplotlib.figure import Figure
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn

from terz_env.adapters.sb3 import CardVecEnv, Sb3Player, SnapshotOpponents
from terz_env.envs.seating import Opponent
from terz_env.evaluation.report import HEADINGS, Row, compare
from terz_env.players import load_player
from training.cli import GameName
from training.curve import Curve, read_curve
from training.files import write_atomically
from training.plot import plot_results

RESULT = HEADINGS.index("result")
MODEL_FILE, PLOT_FILE = "model.zip", "curve.png"
N_ENVS, EPOCHS, MINIBATCH = 1024, 4, 2048
"""Large batches: with the defaults of MaskablePPO nearly all time goes into tiny updates."""


N_STEPS = {"terz": 32, "tetka": 26}
"""Decisions a roll-out and environment: in Tetka two deals, in Terz nearly two."""
REWARD_SCALES = {"terz": 0.01, "tetka": 0.25}
"""Bring a deal's result near a standard deviation of 1."""
TEACHERS: dict[str, dict[Opponent, float]] = {
    "terz": {"random:announce": 0.5, "heuristic": 0.5},
    "tetka": {"random": 0.5, "heuristic": 0.5},
}
"""Who sits in the other seats, beside snapshots of the learner."""
YARDSTICKS = {
    "terz": ("random", "random:announce", "greedy", "heuristic"),
    "tetka": ("random", "greedy", "heuristic"),
}
TARGETS = {"terz": {"random": 15.0, "random:announce": 5.0}, "tetka": {"random": 1.2}}


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


def strength(model: MaskablePPO, deals: int, seed: int) -> tuple[Row, ...]:
    """Return the model's results on duplicate deals, taking its most probable actions."""
    player = Sb3Player.of(model)
    rivals = [load_player(name) for name in YARDSTICKS[player.game]]
    return compare(player, rivals, player.game, deals, seed)


class Evaluations(BaseCallback):
    """Plays the yardsticks at the start, a few times on the way, and at the end."""

    def __init__(self, curve: Curve, console: Console, steps: int, times: int, deals: int) -> None:
        """Take where the results go."""
        super().__init__()
        self._curve, self._console = curve, console
        self._every, self._deals = max(1, steps // times), deals
        self._due = 0
        self._began = 0.0

    def _on_training_start(self) -> None:
        self._began = process_time()

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self._due:
            self._due += self._every
            self._evaluate()

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self._evaluate()

    def _evaluate(self) -> None:
        """Add a row to the curve; the time of evaluations is not counted."""
        assert isinstance(self.model, MaskablePPO)
        seconds = process_time() - self._began
        rows = strength(self.model, self._deals, seed=1_000_001)
        self._began += process_time() - self._began - seconds
        results = {row.opponent: row.result.mean for row in rows}
        widths = {f"{row.opponent} ±": row.result.half_width for row in rows}
        learned: dict[str, float] = {"decisions": self.num_timesteps, "seconds": round(seconds, 1)}
        self._curve.add(learned | results | widths)
        self._console.print(
            f"{self.num_timesteps:>10,} decisions, {seconds:4.0f} CPU seconds: "
            + ", ".join(f"{row.opponent} {row.cells()[RESULT]}" for row in rows)
        )


def draw(output: Path, game: str) -> None:
    """Draw the learning curve of a directory."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    axes.set_title(f"{game}: MaskablePPO on CardVecEnv")
    axes.set_xlabel("decisions of the learner")
    plot_results(axes, read_curve(output), game, YARDSTICKS[game], TARGETS[game])
    write_atomically(output / PLOT_FILE, lambda file: figure.savefig(file, dpi=120, format="png"))


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
    columns = ["decisions", "seconds"]
    for name in YARDSTICKS[game]:
        columns += [name, f"{name} ±"]
    curve = Curve(folder, columns, 0)
    model = make_model(game, seed)
    snapshots = SnapshotOpponents(every=steps // 8 + 1, share=0.3, others=TEACHERS[game])
    model.learn(steps, [Evaluations(curve, console, steps, evaluations, deals), snapshots])
    curve.close()
    model.save(folder / MODEL_FILE, exclude=["_last_obs", "_last_episode_starts"])
    draw(folder, game)
    console.print(f"saved {folder / MODEL_FILE} and {folder / PLOT_FILE}", markup=False)


if __name__ == "__main__":
    typer.run(run)
