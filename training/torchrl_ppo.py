"""PPO of TorchRL learns Terz or Tetka in minutes.

    python -m training.torchrl_ppo --game tetka

It writes ``model.onnx``, which `terz play`, `terz arena` and `terz evaluate` take for a player, and
the learning curve as ``curve.csv`` and ``curve.png``.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from terz_env.adapters.tables import with_snapshots
from terz_env.adapters.torchrl import CardEnv, TorchPlayer, save_policy
from training.cli import GameName
from training.examples import CURVE_PICTURE, N_STEPS, REWARD_SCALES, TEACHERS, Measurements, draw

MODEL_FILE = "model.onnx"
N_ENVS, EPOCHS, MINIBATCH, HIDDEN = 1024, 4, 2048, 128
LEARNING_RATE, ENTROPY, CLIP, LAMBDA = 1e-3, 0.01, 0.2, 0.95
N_SNAPSHOTS, SNAPSHOT_SHARE = 4, 0.3


class Entries(nn.Module):
    """Turns the entries of an observation, bytes of 0 or 1, into floats."""

    def forward(self, entries: Tensor) -> Tensor:
        """Return ``(N, O)`` float32."""
        return entries.float()


def make_network(n_entries: int, n_outputs: int) -> nn.Sequential:
    """Return a network of two hidden layers that reads entries of 0 or 1."""
    return nn.Sequential(
        Entries(),
        nn.Linear(n_entries, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, n_outputs),
    )


class Learner:
    """The environment, the networks, and what turns roll-outs into updates.

    Attributes:
        env: 1,024 tables.
        policy: Gives the logits of all actions.
    """

    def __init__(self, game: str, seed: int, steps: int) -> None:
        """Make a learner that knows nothing, for a run of so many decisions."""
        torch.manual_seed(seed)
        self.env = CardEnv(
            game,
            N_ENVS,
            opponents=TEACHERS[game],
            reward_scale=REWARD_SCALES[game],
            dtype="uint8",  # a fourth of the memory of floats
            seed=seed,
        )
        options = self.env.options
        n_entries, n_actions = options.view.shape[0], options.game.n_actions
        self.policy = make_network(n_entries, n_actions)
        self._actor = ProbabilisticActor(
            TensorDictModule(self.policy, in_keys=["observation"], out_keys=["logits"]),
            in_keys={"logits": "logits", "mask": "action_mask"},
            distribution_class=MaskedCategorical,
            return_log_prob=True,
        )
        critic = ValueOperator(make_network(n_entries, 1), in_keys=["observation"])
        self._advantages = GAE(
            gamma=1.0,  # a deal is short, and every point counts the same
            lmbda=LAMBDA,
            value_network=critic,
            average_gae=True,
        )
        self._loss = ClipPPOLoss(
            self._actor, critic, clip_epsilon=CLIP, entropy_coeff=ENTROPY, critic_coeff=0.5
        )
        self._weights = list(self._loss.parameters())
        self._optimiser = torch.optim.Adam(self._weights, lr=LEARNING_RATE)
        frames = N_ENVS * N_STEPS[game]
        self.rollouts = Collector(
            self.env,
            self._actor,
            frames_per_batch=frames,
            total_frames=-(-steps // frames) * frames,
            auto_register_policy_transforms=False,  # they are for recurrent policies
        )

    def player(self, *, name: str = "torchrl", sample: bool = False) -> TorchPlayer:
        """Return the player that the policy is now."""
        return TorchPlayer.of(self.policy, self.env.options, name=name, sample=sample)

    def update(self, rollout: TensorDictBase, left: float) -> None:
        """Learn from a roll-out ``(N, T)``; `left` of the run falls from 1 to 0."""
        for group in self._optimiser.param_groups:
            group["lr"] = LEARNING_RATE * left
        with torch.no_grad():
            self._advantages(rollout)
        decisions = rollout.exclude("next").reshape(-1)
        for _ in range(EPOCHS):
            for rows in torch.tensor_split(
                torch.randperm(len(decisions)), len(decisions) // MINIBATCH
            ):
                losses = self._loss(decisions[rows])
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                self._optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self._weights, 0.5)
                self._optimiser.step()


def run(
    game: Annotated[GameName, typer.Option(help="What is learned.")] = GameName.TETKA,
    steps: Annotated[int, typer.Option(min=1, help="The learner's decisions.")] = 2_000_000,
    evaluations: Annotated[int, typer.Option(min=1, help="How often it is measured.")] = 8,
    deals: Annotated[int, typer.Option(min=2, help="Duplicate deals of a measurement.")] = 1000,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Of torch.")] = 1,
    output: Annotated[Path | None, typer.Option(help="runs/torchrl/GAME if absent.")] = None,
) -> None:
    """Learn a game with TorchRL's PPO, among rule players and snapshots of the learner."""
    torch.set_num_threads(threads)
    console = Console(highlight=False, soft_wrap=True)
    folder = output or Path("runs") / "torchrl" / game
    learner = Learner(game, seed, steps)
    measurements = Measurements(folder, game, console, steps, evaluations, deals)
    snapshots: list[TorchPlayer] = []
    every = steps // 8 + 1
    learned, due = 0, every
    for rollout in learner.rollouts:
        measurements.look(learned, learner.player)
        if learned >= due:
            due += every
            name = f"snapshot@{learned}"
            snapshots = [*snapshots, learner.player(name=name, sample=True)][-N_SNAPSHOTS:]
            learner.env.set_opponents(with_snapshots(TEACHERS[game], snapshots, SNAPSHOT_SHARE))
        learner.update(rollout, 1 - learned / steps)
        learned += rollout.numel()
    measurements.measure(learned, learner.player())
    measurements.close()
    learner.rollouts.shutdown()
    save_policy(folder / MODEL_FILE, learner.policy, learner.env.options, name="torchrl")
    draw(folder, game, "PPO of TorchRL on CardEnv")
    console.print(f"saved {folder / MODEL_FILE} and {folder / CURVE_PICTURE}", markup=False)


if __name__ == "__main__":
    typer.run(run)
