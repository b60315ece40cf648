"""The training loop: play, learn, remember; now and then save, and play the yardsticks."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

from terz_env.evaluation.report import HEADINGS, Row
from terz_env.games import get_game
from terz_env.players import check_plays, load_player
from terz_env.players.model_facts import MODEL_FILE
from training import bootstrap, dmc, ppo
from training.actors import Actors, Pending, make_actors
from training.checkpoint import FOLDER, checkpoints, load_checkpoint, save_checkpoint
from training.config import TrainingConfig
from training.curve import Curve, Value
from training.equity import EquityTable
from training.errors import InterruptedRunError, TrainingError
from training.files import FileError
from training.jobs import (
    LEARNING,
    OPPONENT,
    STARTS,
    TRYING,
    BootstrapJob,
    EquityJob,
    EvaluationJob,
    NashConvJob,
    PlayJob,
    generator_for,
)
from training.lessons import Lesson
from training.model import EQUITY_PLOT_FILE, PLOT_FILE, extend_run_file, save_model, save_run_file
from training.plot import plot_curve, plot_equity
from training.rates import anneal, set_rate
from training.returns import seat_advantages
from training.rollout import Rollout
from training.run_state import BOOTSTRAP, LEARN, RunState, tensors_of
from training.starting import start_with_policy
from training.teaching import Teaching

RESULT = HEADINGS.index("result")
NASH_CONV = "nash_conv"


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Attributes:
        game: Which game is trained.
        phase: What is done now, in a word.
        done: How much of it, in decisions.
        total: Its budget.
        per_second: Decisions a second since this process began the phase, evaluations excluded.
        entropy: Nats of the policy at decisions.
        kl: Divergence of the last update.
        explained: Share of the variance of the returns that the values explain.
        evaluation: The last results, in the order of the configuration's opponents.
    """

    game: str
    phase: str
    done: int
    total: int
    per_second: float
    entropy: float
    kl: float
    explained: float
    evaluation: str


Report = Callable[[Progress], None]
MEASURES = (
    "phase",
    "states",
    "decisions",
    "seconds",
    "learning_rate",
    "entropy",
    "kl",
    "clipped",
    "reference_kl",
    "action_loss",
    "imitation_loss",
    "solver_loss",
    "value_loss",
    "explained",
)


class Learner:
    """One run of a configuration."""

    def __init__(
        self,
        config: TrainingConfig,
        output: Path,
        run: RunState,
        actors: Actors,
        report: Report,
        should_stop: Callable[[], bool],
    ) -> None:
        """Take up a run where it stands."""
        self.config = config
        self.output = output
        self.run = run
        self.actors = actors
        self.report = report
        self.should_stop = should_stop
        self.game = get_game(config.game)
        self.small = config.is_small
        columns = [*MEASURES, *([NASH_CONV] if self.small else [])]
        for name in config.evaluation.opponents:
            columns += [name, f"{name} ±"]
        self.curve = Curve(output, columns, run.rounds + run.iteration)
        self.evaluated = ""
        self.seconds = 0.0
        self.learned = 0

    def bootstrap(self) -> None:
        """Learn the values of all actions from roll-outs of a rule player."""
        config, run = self.config.bootstrap, self.run
        parts = self.config.rollout.parts

        def policy_plays() -> bool:
            return run.states > (1 - config.own_share) * config.states

        def start(number: int) -> Pending:
            size = -(-config.batch // parts)
            weights = tensors_of(run.network) if policy_plays() else None
            jobs = [BootstrapJob(number, part, size, weights) for part in range(parts)]
            return self.actors.start(jobs)

        pending = start(run.rounds)
        while run.states < config.states:
            started = perf_counter()
            lessons = pending.results()
            lesson = Lesson(
                *(np.concatenate(column) for column in zip(*map(_fields, lessons), strict=True))
            )
            done = run.states / config.states
            run.states += len(lesson.bits)
            run.rounds += 1
            goes_on = run.states < config.states
            if goes_on and not policy_plays():
                pending = start(run.rounds)
            rate = anneal(config.learning_rate, done)
            rates = rate, anneal(config.learning_rate, run.states / config.states)
            rng = generator_for(self.config.seed, LEARNING, TRYING, run.rounds)
            fit = bootstrap.fit(run.network, run.optimiser, lesson, config, rates, rng)
            self._check_finite(fit.action_loss)
            row = {
                "learning_rate": rate,
                "entropy": fit.entropy,
                "action_loss": fit.action_loss,
                "value_loss": fit.value_loss,
                "imitation_loss": fit.imitation_loss,
            }
            lasted = perf_counter() - started
            self._finish_iteration(BOOTSTRAP, lasted, len(lesson.bits), row)
            if not goes_on:
                if self.config.algorithm == "dmc":
                    bootstrap.turn_into_values(run.network)
                else:
                    bootstrap.turn_into_policy(run.network, config.temperature)
                run.start_learning()
            self._save_if_due(run.rounds, last=not goes_on)
            if goes_on and policy_plays():
                pending = start(run.rounds)
        self.seconds, self.learned = 0.0, 0

    def learn(self) -> None:
        """Play with itself and others, and learn, until the budget is spent."""
        config, run = self.config, self.run
        if run.decisions >= config.decisions:
            return
        ahead = config.rollout.ahead
        pending = self._start_playing()
        while run.decisions < config.decisions:
            started = perf_counter()
            rollout = Rollout.join(pending.results())
            done = run.decisions / config.decisions
            run.decisions += len(rollout)
            run.iteration += 1
            if ahead:
                run.behaviour = tensors_of(run.network)
                self._take_snapshot()
                if run.decisions < config.decisions:
                    pending = self._start_playing()
            row = self._update(rollout, done)
            if not ahead:
                self._take_snapshot()
            if run.iteration % config.ppo.reference_every == 0:
                run.reference.load_state_dict(run.network.state_dict())
            lasted = perf_counter() - started
            if self._evaluation_due(done):
                row |= self._measure()
            self._finish_iteration(config.algorithm, lasted, len(rollout), row)
            self._save_if_due(run.iteration, last=run.decisions >= config.decisions)
            if not ahead and run.decisions < config.decisions:
                pending = self._start_playing()

    def finish(self) -> tuple[Row, ...]:
        """Save the policy and its curve; return its results against the final yardsticks.

        A small game has none: its NashConv is the last one of the curve.
        """
        self.curve.close()
        save_model(self.output, self.run, self.config)
        plot_curve(self.output / PLOT_FILE, self.output, self.config)
        if self.run.equity is not None:
            plot_equity(self.output / EQUITY_PLOT_FILE, self.run.equity.values)
        if self.should_stop():
            kept = checkpoints(self.output)[-1]
            raise InterruptedRunError(
                f"stopped before the last evaluations; all is saved in {kept}"
            )
        evaluation = self.config.evaluation
        return self._evaluate(evaluation.final_opponents, evaluation.final_deals, 1)

    def _update(self, rollout: Rollout, done: float) -> dict[str, Value]:
        """Learn from a roll-out; return a row of the curve."""
        config, run = self.config, self.run
        rng = generator_for(config.seed, LEARNING, run.iteration)
        results = rollout.results * np.float32(config.rollout.reward_scale)
        if config.algorithm == "dmc":
            rate = anneal(config.dmc.learning_rate, done)
            set_rate(run.optimiser, rate)
            returns = results[rollout.environments, rollout.seats]
            measured = dmc.update(run.network, run.optimiser, rollout, returns, config.dmc, rng)
        else:
            rate = anneal(config.ppo.learning_rate, done)
            set_rate(run.optimiser, rate)
            values = rollout.values
            if run.critic is not None:
                values = ppo.critic_values(run.critic, rollout.hidden)
            advantages = seat_advantages(
                rollout.environments, rollout.seats, values, results, config.ppo.lambda_
            )
            weights = ppo.Weights(anneal(config.ppo.entropy, done), config.ppo.reference_weight)
            measured = ppo.update(
                run.network,
                run.optimiser,
                rollout,
                values,
                advantages,
                config.ppo,
                weights,
                rng,
                reference=run.reference if weights.reference > 0 else None,
                critic=run.critic,
                teaching=Teaching.of_rollout(rollout, config.solver, config.rollout.reward_scale),
            )
        self._check_finite(measured.value_loss)
        return {"learning_rate": rate, **vars(measured)}

    def _check_finite(self, loss: float) -> None:
        """End the run where it has gone wrong."""
        if self.run.is_finite() and math.isfinite(loss):
            return
        kept = checkpoints(self.output)
        where = f"the last good checkpoint is {kept[-1]}" if kept else "nothing is saved yet"
        raise TrainingError(
            f"{self.run.phase}, iteration {self.run.rounds + self.run.iteration}: weights that are "
            f"no numbers; {where}"
        )

    def _start_playing(self) -> Pending:
        """Give out the deals of the next iteration."""
        config, run = self.config, self.run
        done = run.decisions / config.decisions
        for_the_match = config.equity.share > 0 and done >= 1 - config.equity.share
        if not for_the_match:
            run.equity = None  # of an earlier, shorter budget
        elif run.equity is None:
            run.equity = self._equity_table()
        rng = generator_for(config.seed, OPPONENT, run.iteration)
        snapshot, player = None, None
        if run.pool and config.opponents.snapshot_share > 0:
            snapshot = run.pool[int(rng.integers(len(run.pool)))]
        if config.opponents.player_share > 0:
            player = str(rng.choice(config.opponents.players))
        job = PlayJob(
            run.iteration,
            0,
            (run.behaviour if config.rollout.ahead else None) or tensors_of(run.network),
            snapshot,
            player,
            anneal(config.dmc.epsilon, done) if config.algorithm == "dmc" else None,
            run.equity,
        )
        return self.actors.start(
            [
                replace(job, part=part, equity=None if part % 2 else run.equity)
                for part in range(config.rollout.parts)
            ]
        )

    def _equity_table(self) -> EquityTable:
        """Play deals of matches and solve the match for their results."""
        parts = self.config.rollout.parts
        size = -(-self.config.equity.deals // parts)
        weights = tensors_of(self.run.network)
        jobs = [EquityJob(part, size, weights) for part in range(parts)]
        deals = np.concatenate(self.actors.start(jobs).results())
        return EquityTable.of_deals(deals, generator_for(self.config.seed, STARTS))

    def _take_snapshot(self) -> None:
        """Add the learner to the pool, if it is time."""
        opponents, run = self.config.opponents, self.run
        if opponents.snapshot_share > 0 and run.iteration % opponents.snapshot_every == 0:
            run.pool = [*run.pool, tensors_of(run.network)][-opponents.snapshots :]

    def _measure(self) -> dict[str, Value]:
        """Return the columns of the curve that say how strong the policy is."""
        if self.small:
            share = self._nash_conv()
            self.evaluated = f"NashConv {share:.1%}"
            return {NASH_CONV: share}
        evaluation = self.config.evaluation
        rows = self._evaluate(evaluation.opponents, evaluation.deals, 0)
        self.evaluated = " ".join(row.cells()[RESULT] for row in rows)
        columns: dict[str, Value] = {}
        for name, row in zip(evaluation.opponents, rows, strict=True):
            columns |= {name: row.result.mean, f"{name} ±": row.result.half_width}
        return columns

    def _nash_conv(self) -> float:
        """Return the exact NashConv of the policy, as a share of the uniform policy's."""
        job = NashConvJob(tensors_of(self.run.network))
        share: float = self.actors.start([job]).results()[0]
        return share

    def _evaluate(self, opponents: Sequence[str], deals: int, set_: int) -> tuple[Row, ...]:
        """Play duplicate deals against each opponent."""
        weights = tensors_of(self.run.network)
        seed = self.config.evaluation.seed + set_
        jobs = [EvaluationJob(weights, opponent, deals, seed) for opponent in opponents]
        return tuple(self.actors.start(jobs).results())

    def _evaluation_due(self, before: float) -> bool:
        """Tell whether one of the evenly spread evaluations falls into the last iteration."""
        times = self.config.evaluation.times
        if not (self.small or self.config.evaluation.opponents):
            return False
        after = min(self.run.decisions / self.config.decisions, 1.0)
        return math.floor(after * times) > math.floor(before * times)

    def _finish_iteration(
        self,
        phase: str,
        lasted: float,
        count: int,
        row: Mapping[str, Value],
    ) -> None:
        """Write a row of the curve and tell where the run stands."""
        run, config = self.run, self.config
        self.seconds += lasted
        self.learned += count
        self.curve.add(
            {
                "phase": phase,
                "states": run.states,
                "decisions": run.decisions,
                "seconds": round(self.seconds, 3),
                **row,
            }
        )
        booting = phase == BOOTSTRAP

        def number(name: str) -> float:
            value = row.get(name, 0.0)
            return float(value) if isinstance(value, int | float) else 0.0

        self.report(
            Progress(
                config.game,
                phase,
                run.states if booting else run.decisions,
                config.bootstrap.states if booting else config.decisions,
                self.learned / self.seconds,
                number("entropy"),
                number("kl"),
                number("explained"),
                self.evaluated,
            )
        )

    def _save_if_due(self, number: int, *, last: bool) -> None:
        """Save a checkpoint if it is time, and end the run where it was asked to stop."""
        stop = self.should_stop()
        if last or stop or number % self.config.checkpoint.every == 0:
            path = save_checkpoint(self.output, self.run, self.config)
            if stop:
                self.curve.close()
                raise InterruptedRunError(f"stopped as asked; all is saved in {path}")


def train(
    config: TrainingConfig,
    output: Path,
    report: Report,
    *,
    checkpoint: Path | None = None,
    ray_address: str | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> tuple[Row, ...]:
    """Train a policy, save it with its learning curve, and return its results.

    The weights are a function of the configuration on one machine and its libraries: budget,
    schedules and evaluations count decisions, and the clock is only shown. A run that goes on from
    a checkpoint gives the same weights as one that was never interrupted.

    Args:
        config: The run.
        output: Directory of the results; files of an earlier run are replaced.
        report: Called after every iteration.
        checkpoint: Where to go on from, or None to begin.
        ray_address: The Ray cluster that plays the deals ("local", "auto" or an address).
        should_stop: Asked after every iteration; if true, the run is saved and ends.

    Returns:
        The final results against each opponent of the configuration.

    Raises:
        TrainingError: If weights are no numbers any more, the run was asked to stop, it cannot
            begin with the policy that is named, or it goes on and its run file is damaged.
        CheckpointError: If the checkpoint does not fit.
        WorkerError: If workers are lost again and again.
        FileError: If a file cannot be written.
        PlayerError: If a policy or an opponent of the configuration cannot be loaded.
    """
    torch.set_num_threads(config.threads)
    if config.device == "cuda" and not torch.cuda.is_available():
        raise TrainingError("device=cuda: torch sees no GPU here; use device=cpu")
    check_players(config)
    if checkpoint is None:
        run = RunState.begin(config)
        sha256 = None
        if config.start is not None:
            sha256 = start_with_policy(run, config, config.start, output)
        clear(output, checkpoint)
        save_run_file(output, config, sha256)
    else:
        run = load_checkpoint(checkpoint, config)
        extend_run_file(output, config, run)
        clear(output, checkpoint)
    actors = make_actors(config, ray_address)
    try:
        learner = Learner(config, output, run, actors, report, should_stop)
        if run.phase != LEARN:
            learner.bootstrap()
        if config.algorithm != "bootstrap":
            learner.learn()
        return learner.finish()
    finally:
        actors.close()


def check_players(config: TrainingConfig) -> None:
    """Refuse a player that does not exist or does not play the game, before anything is learned."""
    rules = get_game(config.game).rules(dict(config.rules))
    evaluation = config.evaluation
    names = (*config.opponents.players, *evaluation.opponents, *evaluation.final_opponents)
    for name in dict.fromkeys(names):
        check_plays(load_player(name), config.game, rules)


def clear(output: Path, checkpoint: Path | None) -> None:
    """Remove what another run left in a folder: all, or what is newer than a checkpoint.

    Raises:
        FileError: If something cannot be removed.
    """
    kept = checkpoints(output)
    stale = [file for file in kept if checkpoint is None or file.name > checkpoint.name]
    halves = (output / FOLDER).glob(".*")
    try:
        for file in (*stale, *halves, output / MODEL_FILE):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{output} cannot be cleared: {error.strerror or error}") from error


def _fields(lesson: Lesson) -> tuple[Any, ...]:
    return lesson.bits, lesson.masks, lesson.values, lesson.choices
