"""All that a run knows: networks, optimiser, pool of snapshots, and how far it has come."""

from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from terz_env.game import Game
from terz_env.games import engine_numbered, get_game
from training.config import TrainingConfig
from training.equity import EquityTable
from training.jobs import Tensors
from training.networks import CriticNetwork, PolicyValueNetwork

BOOTSTRAP, LEARN = "bootstrap", "learn"


@dataclass
class RunState:
    """A run between two iterations.

    Attributes:
        network: The learner.
        critic: The critic that sees everything, or None.
        reference: The policy to stay near.
        optimiser: Of network and critic.
        phase: BOOTSTRAP or LEARN.
        rounds: Rounds of the bootstrap so far.
        states: Decisions of the bootstrap so far.
        iteration: Iterations of the algorithm so far.
        decisions: Decisions learned from in them.
        pool: Snapshots, the oldest first.
        behaviour: The weights that the next roll-out is played by, if not the learner's.
        equity: The table that pays the deals, once there is one.
    """

    network: PolicyValueNetwork
    critic: CriticNetwork | None
    reference: PolicyValueNetwork
    optimiser: torch.optim.Adam
    phase: str
    rounds: int = 0
    states: int = 0
    iteration: int = 0
    decisions: int = 0
    pool: list[Tensors] = field(default_factory=list)
    behaviour: Tensors | None = None
    equity: EquityTable | None = None

    @classmethod
    def begin(cls, config: TrainingConfig) -> "RunState":
        """Return the state of a run that has not learned anything, a function of its seed."""
        torch.manual_seed(config.seed)
        game = engine_numbered(get_game(config.game))
        network = new_network(game, config)
        critic = None
        if config.ppo.critic == "state":
            critic = CriticNetwork(game.views["state"].layout.n_entries, config.network.hidden)
        reference = new_network(game, config)
        reference.load_state_dict(network.state_dict())
        for module in (network, critic, reference):
            if module is not None:
                module.to(config.device)
        phase = BOOTSTRAP if config.bootstrap.states else LEARN
        return cls(network, critic, reference, new_optimiser(network, critic), phase)

    def start_learning(self) -> None:
        """Leave the bootstrap: a new optimiser, and the policy is its own reference."""
        self.phase = LEARN
        self.optimiser = new_optimiser(self.network, self.critic)
        self.reference.load_state_dict(self.network.state_dict())

    def is_finite(self) -> bool:
        """Tell whether all weights are numbers."""
        modules = [self.network] + ([self.critic] if self.critic else [])
        return all(bool(torch.isfinite(p).all()) for m in modules for p in m.parameters())


def new_network(game: Game, config: TrainingConfig) -> PolicyValueNetwork:
    """Return a network of the configuration's shape, from torch's global generator."""
    return PolicyValueNetwork(game.layout.n_entries, game.n_actions, config.network.hidden)


def new_optimiser(network: nn.Module, critic: nn.Module | None) -> torch.optim.Adam:
    """Return Adam for the weights of both."""
    parameters = [*network.parameters(), *(critic.parameters() if critic else ())]
    return torch.optim.Adam(parameters, eps=1e-5, fused=True)


def tensors_of(module: nn.Module) -> dict[str, NDArray[np.float32]]:
    """Return copies of the weights by name."""
    return {key: value.cpu().numpy().copy() for key, value in module.state_dict().items()}
