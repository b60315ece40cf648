"""DQN of Tianshou learns Terz or Tetka in minutes.

    python -m training.tianshou_dqn --game tetka

It writes ``model.onnx``, which `terz play`, `terz arena` and `terz evaluate` take for a player, and
the learning curve as ``curve.csv`` and ``curve.png``.
"""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from numpy.typing import NDArray
from rich.console import Console
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.trainer import OffPolicyTrainerParams
from torch import Tensor, nn

from terz_env.adapters.tables import with_snapshots
from terz_env.adapters.tianshou import CardVectorEnv, TorchPlayer, save_policy
from training.cli import GameName
from training.examples import CURVE_PICTURE, REWARD_SCALES, TEACHERS, Measurements, draw

MODEL_FILE = "model.onnx"
N_ENVS, HIDDEN = 256, 128
BUFFER = 200_000
MINIBATCH, UPDATES_A_DECISION = 1024, 1 / 128
LEARNING_RATE, TARGET_EVERY, HORIZON = 1e-3, 100, 4
EXPLORATION = 0.3, 0.02
"""The chance of a random action at the beginning, and from the middle of the run on."""
N_SNAPSHOTS, SNAPSHOT_SHARE = 4, 0.3


class QNetwork(nn.Module):
    """Gives the expected result of each action; Tianshou calls it with more than entries."""

    def __init__(self, n_entries: int, n_actions: int) -> None:
        """Make two hidden layers."""
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_entries, HIDDEN),
            nn.ReLU(),
            nn.Linear(HIDDEN, HIDDEN),
            nn.ReLU(),
            nn.Linear(HIDDEN, n_actions),
        )

    def forward(
        self, obs: NDArray[np.uint8] | Tensor, state: Any = None, info: Any = None
    ) -> tuple[Tensor, Any]:
        """Return values ``(N, A)``, and the state, of which there is none."""
        return self.layers(torch.as_tensor(obs).float()), state


def run(
    game: Annotated[GameName, typer.Option(help="What is learned.")] = GameName.TETKA,
    steps: Annotated[int, typer.Option(min=1, help="The learner's decisions.")] = 200_000,
    evaluations: Annotated[int, typer.Option(min=1, help="How often it is measured.")] = 4,
    deals: Annotated[int, typer.Option(min=2, help="Duplicate deals of a measurement.")] = 1000,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Of torch.")] = 1,
    output: Annotated[Path | None, typer.Option(help="runs/tianshou/GAME if absent.")] = None,
) -> None:
    """Learn a game with Tianshou's DQN, among rule players and snapshots of the learner."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002  (Tianshou explores by NumPy's global chance)
    console = Console(highlight=False, soft_wrap=True)
    folder = output or Path("runs") / "tianshou" / game
    env = CardVectorEnv(
        game,
        N_ENVS,
        opponents=TEACHERS[game],
        reward_scale=REWARD_SCALES[game],
        seed=seed,
    )
    options = env.options
    network = QNetwork(options.view.shape[0], options.game.n_actions)
    policy = DiscreteQLearningPolicy(
        model=network, action_space=env.get_env_attr("action_space")[0], eps_training=EXPLORATION[0]
    )
    algorithm = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=LEARNING_RATE),
        gamma=1.0,  # a deal is short, and every point counts the same
        n_step_return_horizon=HORIZON,
        target_update_freq=TARGET_EVERY,
    )
    measurements = Measurements(folder, game, console, steps, evaluations, deals)
    snapshots: list[TorchPlayer] = []
    every = steps // 8 + 1
    due = [every]

    def player(name: str = "tianshou") -> TorchPlayer:
        return TorchPlayer.of(network, options, name=name)

    def before_step(epoch: int, decisions: int) -> None:
        """Measure, explore less, and let snapshots of the learner sit down."""
        measurements.look(decisions, player)
        first, last = EXPLORATION
        policy.set_eps_training(max(last, first - (first - last) * 2 * decisions / steps))
        if decisions >= due[0]:
            due[0] += every
            snapshots[:] = [*snapshots, player(f"snapshot@{decisions}")][-N_SNAPSHOTS:]
            env.set_opponents(with_snapshots(TEACHERS[game], snapshots, SNAPSHOT_SHARE))

    buffer = VectorReplayBuffer(BUFFER, N_ENVS, ignore_obs_next=True)
    collector: Collector[CollectStats] = Collector(policy, env, buffer, exploration_noise=True)
    collector.reset()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=8 * N_ENVS,
            update_step_num_gradient_steps_per_sample=UPDATES_A_DECISION,
            batch_size=MINIBATCH,
            training_fn=before_step,
            show_progress=False,
            verbose=False,
        )
    )
    measurements.measure(collector.collect_step, player())
    measurements.close()
    save_policy(folder / MODEL_FILE, network, options, name="tianshou")
    draw(folder, game, "DQN of Tianshou on CardVectorEnv")
    console.print(f"saved {folder / MODEL_FILE} and {folder / CURVE_PICTURE}", markup=False)


if __name__ == "__main__":
    typer.run(run)
