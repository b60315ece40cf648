"""What is played for the learner: pure functions of the configuration and a job.

A job names the deals by number and carries the weights, so that it gives the same result wherever
and whenever it runs, and can be given again if a worker is lost.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from terz_env.canonical import columns_to_canonical
from terz_env.evaluation.report import Row, compare
from terz_env.game import Game
from terz_env.games import engine_numbered, get_game
from terz_env.players import Decisions, Player, check_plays, load_player
from terz_env.players.policy import PolicyPlayer
from terz_env.players.solver import ClosedSolver, SolverPlayer, solvable_rows
from terz_env.search.terz_closed_play import ClosedPlay
from terz_env.search.terz_objectives import RECORDED
from terz_env.selfplay import SelfPlayBatch
from training.config import TrainingConfig
from training.equity import EquityTable, dealers_of, points_of, random_scores
from training.exploiting import exploitability
from training.lessons import Lesson, find_lesson
from training.networks import PolicyValueNetwork
from training.rollout import (
    NetworkSeat,
    Rollout,
    draw_seatings,
    play_deals,
)

Tensors = Mapping[str, NDArray[np.float32]]

PLAYING, TRYING, EQUITY, LEARNING, OPPONENT, STARTS = range(6)
"""What chance is drawn for; each purpose has streams of its own."""
_BOOTSTRAP_DEALS = 1 << 40
_EQUITY_DEALS = 1 << 41
"""First environments, so that no phase plays the deals of another."""


def generator_for(seed: int, purpose: int, *numbers: int) -> np.random.Generator:
    """Return the source of chance of one purpose in one iteration, the same in every run."""
    return np.random.default_rng((seed, purpose, *numbers))


@dataclass(frozen=True)
class PlayJob:
    """Some deals of an iteration.

    Attributes:
        iteration: Number of the iteration.
        part: Which part of its deals.
        weights: The learner's.
        snapshot: Weights of the snapshot that sits in some deals, or None.
        player: Name of the player that does, or None.
        epsilon: Chance of a uniform action where the best one is played, or None to sample.
        equity: The table that pays the deals of a match, or None for points.
    """

    iteration: int
    part: int
    weights: Tensors
    snapshot: Tensors | None = None
    player: str | None = None
    epsilon: float | None = None
    equity: EquityTable | None = None


@dataclass(frozen=True)
class BootstrapJob:
    """Some deals of a round of the bootstrap.

    Attributes:
        round: Number of the round.
        part: Which part of its deals.
        states: Decisions to be found.
        weights: Of the policy that plays the deals; None if the rule player does.
    """

    round: int
    part: int
    states: int
    weights: Tensors | None = None


@dataclass(frozen=True)
class EquityJob:
    """Deals whose results make the table of match equity."""

    part: int
    deals: int
    weights: Tensors


@dataclass(frozen=True)
class EvaluationJob:
    """Duplicate deals of the policy, best actions only, against one opponent."""

    weights: Tensors
    opponent: str
    deals: int
    seed: int


@dataclass(frozen=True)
class NashConvJob:
    """The exact exploitability of the policy in a small game."""

    weights: Tensors


Job = PlayJob | BootstrapJob | EquityJob | EvaluationJob | NashConvJob


class Table:
    """Runs jobs; keeps what is costly to make."""

    def __init__(self, config: TrainingConfig) -> None:
        """Take the configuration of all jobs to come."""
        self.config = config
        self.game: Game = engine_numbered(get_game(config.game))
        self._networks: dict[str, PolicyValueNetwork] = {}
        self._players: dict[str, Player] = {}
        self._solver = ClosedPlay(objective=RECORDED)
        self._teacher = ClosedSolver()

    def run(self, job: Job) -> Any:
        """Return what the job asks for."""
        if isinstance(job, PlayJob):
            return self.play(job)
        if isinstance(job, BootstrapJob):
            return self.bootstrap(job)
        if isinstance(job, EquityJob):
            return self.deal_points(job)
        if isinstance(job, NashConvJob):
            return exploitability(job.weights, self.config)
        return self.evaluate(job)

    def play(self, job: PlayJob) -> Rollout:
        """Play the deals of a part of an iteration."""
        config = self.config
        size = config.rollout.deals // config.rollout.parts
        first = (job.iteration * config.rollout.parts + job.part) * size
        rng = generator_for(config.seed, PLAYING, job.iteration, job.part)
        batch = self._batch(size, first, "deal" if job.equity is None else "match")
        if job.equity is not None:
            random_scores(batch, job.equity, rng)
        seatings = None
        if job.snapshot is not None or job.player is not None:
            shares = config.opponents
            seatings = draw_seatings(
                rng,
                size,
                self.game.n_seats,
                shares.snapshot_share if job.snapshot is not None else 0.0,
                shares.player_share if job.player is not None else 0.0,
            )
        return play_deals(
            batch,
            self._seat("learner", job.weights),
            torch.Generator().manual_seed(int(rng.integers(1 << 62))),
            seatings=seatings,
            snapshot=None if job.snapshot is None else self._seat("snapshot", job.snapshot),
            player=None if job.player is None else self._player(job.player),
            rng=rng,
            epsilon=job.epsilon,
            stop=self._solved if config.rollout.closed == "solve" else None,
            settle=None if job.equity is None else job.equity.settle,
            witness=self._everything if config.ppo.critic == "state" else None,
            teacher=self._exact if config.solver.share > 0 else None,
        )

    def bootstrap(self, job: BootstrapJob) -> Lesson:
        """Play deals and try every action of every decision on the way."""
        config = self.config
        size = max(1, job.states // 32)
        number = job.round * config.rollout.parts + job.part
        seat = NetworkSeat(self.game, self._network("learner"), config.network.suits)
        return find_lesson(
            self._batch(size, _BOOTSTRAP_DEALS + number * size),
            job.states,
            seat if job.weights is None else self._seat("learner", job.weights),
            config.bootstrap,
            generator_for(config.seed, TRYING, job.round, job.part),
            reward_scale=self.game.reward_scale * config.rollout.reward_scale,
            own=job.weights is not None,
        )

    def deal_points(self, job: EquityJob) -> NDArray[np.int64]:
        """Play deals of a match from 0:0; return them as `EquityTable.of_deals` takes them."""
        batch = self._batch(job.deals, _EQUITY_DEALS + job.part * job.deals, "match")
        dealers = dealers_of(batch.states)
        deals = np.zeros((job.deals, 3), dtype=np.int64)

        def note(batch: SelfPlayBatch, rows: NDArray[np.int64]) -> NDArray[np.float32]:
            deals[rows] = points_of(dealers[rows], batch.states[rows])
            deals[rows[batch.ends[rows]]] = 0
            return batch.rewards[rows]

        rng = generator_for(self.config.seed, EQUITY, job.part)
        generator = torch.Generator().manual_seed(int(rng.integers(1 << 62)))
        play_deals(batch, self._seat("learner", job.weights), generator, settle=note)
        return deals[deals.any(axis=1)]

    def evaluate(self, job: EvaluationJob) -> Row:
        """Play the yardstick."""
        config = self.config
        policy: Player = PolicyPlayer(
            self.game.name, dict(job.weights), name=config.name, suits=config.network.suits
        )
        if config.evaluation.solver:
            policy = SolverPlayer(policy)
        opponent = [self._player(job.opponent)]
        (row,) = compare(policy, opponent, self.game.name, job.deals, job.seed, config.rules)
        return row

    def _batch(self, size: int, first: int, scope: str = "deal") -> SelfPlayBatch:
        return SelfPlayBatch(
            self.game,
            size,
            seed=self.config.seed,
            rules=self.config.rules,
            scope=scope,
            first_environment=first,
        )

    def _network(self, name: str) -> PolicyValueNetwork:
        if name not in self._networks:
            shape = (self.game.layout.n_entries, self.game.n_actions)
            with torch.random.fork_rng(devices=[]):  # the weights are replaced
                self._networks[name] = PolicyValueNetwork(*shape, self.config.network.hidden)
        return self._networks[name]

    def _seat(self, name: str, weights: Tensors) -> NetworkSeat:
        network = self._network(name)
        network.load_state_dict({key: torch.from_numpy(value) for key, value in weights.items()})
        return NetworkSeat(self.game, network, self.config.network.suits)

    def _player(self, name: str) -> Player:
        if name not in self._players:
            player = load_player(name)
            check_plays(player, self.game.name, self.game.rules(dict(self.config.rules)))
            self._players[name] = player
        return self._players[name]

    def _solved(self, batch: SelfPlayBatch, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the exact results of rows in Terz's closed phase, NaN for the others."""
        results = np.full((len(rows), 2), np.nan, dtype=np.float32)
        decisions = Decisions.of_batch(batch, rows)
        closed = np.flatnonzero(solvable_rows(decisions))
        if len(closed):
            values = self._solver.values(decisions.states[closed])
            own = np.where(decisions.masks[closed] != 0, values, values.min() - 1).max(axis=1)
            own = own * self.game.reward_scale
            first = np.where(decisions.seats[closed] == 0, own, -own)
            results[closed] = np.stack([first, -first], axis=1)
        return results

    def _exact(
        self, batch: SelfPlayBatch, rows: NDArray[np.int64], orders: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the values ``(rows, A)`` that `play_deals` asks its teacher for.

        They are known in the closed phase of the first deals, but not of matches: the solver plays
        for points.
        """
        values = np.full((len(rows), self.game.n_actions), np.nan, dtype=np.float32)
        decisions = Decisions.of_batch(batch, rows)
        share = self.config.solver.share if batch.scope == "deal" else 0.0
        taught = rows < share * len(batch.seats)
        closed = np.flatnonzero(taught & solvable_rows(decisions))
        if len(closed):
            points = self._teacher.values(decisions.take(closed))
            values[closed] = points * self.game.reward_scale
        if self.config.network.suits == "canonical":
            values = columns_to_canonical(self.game, values, orders)
        return values

    def _everything(
        self, batch: SelfPlayBatch, rows: NDArray[np.int64], orders: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        words = np.zeros((len(rows), self.game.views["state"].n_words), dtype=np.int64)
        self.game.kernels.whole_state_batch(batch.states[rows], batch.seats[rows], orders, words)
        return words.view(np.uint64)
