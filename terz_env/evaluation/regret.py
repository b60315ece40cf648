"""Regret against exact play: a measure of strength without an opponent.

In Terz both hands are known from trick 8 on (Rule T7), so perfect play is the solver's, and regret
is what a player gives away. In Tetka the last six cards are solved with all hands open, which no
player sees: even the best player has some regret there, and only differences between players count.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.evaluation.matches import batch_for
from terz_env.evaluation.plan import CHUNK, ArenaError
from terz_env.evaluation.playing import Load, play_seating
from terz_env.evaluation.referee import FORFEIT, Referee
from terz_env.evaluation.statistics import LEAST_UNITS, Estimate, estimate, ratio_estimate
from terz_env.games import get_game
from terz_env.players import check_plays, load_player
from terz_env.search.solving import MODELS, Solution, TerzSolver, TetkaSolver
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import Rules, State

FIRST_TRICK = 8
"""The closed phase of Terz begins, and in Tetka six cards are left."""
BLUNDERS = {"terz": 10, "tetka": 0}
"""A decision that loses more than this is a blunder."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is measured.

    Attributes:
        game: ``terz`` or ``tetka``.
        player: Whose decisions are judged.
        opponent: Who plays the other seats, the player in each in turn; None for itself.
        deals: How many deals.
        seed: Picks the deals and the players' chance.
        rules: Options of the rule set.
    """

    game: str
    player: str
    opponent: str | None
    deals: int
    seed: int
    rules: Mapping[str, Any]

    def seatings(self) -> list[str]:
        """Return who sits where: A is the player."""
        seats = get_game(self.game).n_seats
        if self.opponent is None:
            return ["A" * seats]
        return ["B" * seat + "A" + "B" * (seats - 1 - seat) for seat in range(seats)]


@dataclass(frozen=True)
class Regret:
    """What a player gives away by one measure.

    Attributes:
        measure: ``points`` in Terz; ``paranoid`` or ``teams``, in marks, in Tetka.
        a_deal: Regret of one seat in a deal.
        a_decision: Regret of a decision; those with one legal action do not count.
        blunders: Decisions of one seat in a deal that lose more than `BLUNDERS`.
        decisions: How many decisions were judged.
        forfeits: Answers that were none; they are not judged.
    """

    measure: str
    a_deal: Estimate
    a_decision: Estimate
    blunders: Estimate
    decisions: int
    forfeits: int


def regret(
    game: str,
    player: str,
    deals: int,
    seed: int = 0,
    *,
    opponent: str | None = None,
    rules: Rules = None,
    processes: int = 1,
    load: Load = load_player,
    any_rules: bool = False,
) -> list[Regret]:
    """Return a player's regret by every measure of the game; the deal is the unit.

    Args:
        game: ``terz`` or ``tetka``.
        player: Whose decisions are judged.
        deals: How many deals, at least two.
        seed: Picks the deals and the players' chance.
        opponent: Who plays the other seats; None for the player itself.
        rules: Options of the rule set.
        processes: How many processes share the deals; the result does not depend on it.
        load: Loads a player by name; a function of a module if there are several processes.
        any_rules: Let a trained policy play by other rules than those it was trained under.

    Raises:
        ArenaError: If a number cannot be, or no decision of the deals can be judged.
        UnknownGameError, RuleSetError, PlayerError: As their owners raise them.
    """
    record = get_game(game)
    if record.name != record.family:
        raise ArenaError(f"regret is measured in terz or tetka, not in {game}")
    if deals < LEAST_UNITS or processes < 1:
        raise ArenaError(f"{deals} deals in {processes} processes; use at least {LEAST_UNITS} in 1")
    played = record.rules(dict(rules) if isinstance(rules, Mapping) else rules)
    for name in filter(None, (player, opponent)):
        check_plays(load(name), game, None if any_rules else played)
    job = Job(
        game=game,
        player=player,
        opponent=opponent,
        deals=deals,
        seed=seed,
        rules=played.to_dict() | {"illegal_actions": "forfeit"},
    )
    work = partial(_judge_chunk, job, load)
    chunks = range(-(-deals // CHUNK))
    if processes == 1:
        tallies = list(map(work, chunks))
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, context) as pool:
            tallies = list(pool.map(work, chunks))
    tally = np.concatenate([counts for counts, _ in tallies], axis=1)
    if not tally[:, :, 1].sum():
        raise ArenaError(f"{player} had no decision to judge in {deals} deals")
    forfeits = sum(count for _, count in tallies)
    return [
        _measured(name, counts, forfeits, record.n_seats)
        for name, counts in zip(measures(game), tally, strict=True)
    ]


def _measured(measure: str, counts: NDArray[np.float64], forfeits: int, seats: int) -> Regret:
    totals, decisions, blunders = counts.T
    return Regret(
        measure,
        estimate(totals / seats),
        ratio_estimate(totals, decisions),
        estimate(blunders / seats),
        int(decisions.sum()),
        forfeits,
    )


def measures(game: str) -> dict[str, Callable[[State], Solution]]:
    """Return what solves a position, by the name of the measure."""
    if game == "terz":
        return {"points": TerzSolver().solve}
    solver = TetkaSolver()
    return {model: partial(solver.solve, model=model) for model in MODELS}


def given_away(solution: Solution, action: str) -> float:
    """Return what an action gives away against the best one."""
    return abs(solution.value - solution.values[action])


def _judge_chunk(job: Job, load: Load, chunk: int) -> tuple[NDArray[np.float64], int]:
    """Return regret, decisions and blunders by measure and deal ``(M, B, 3)``, and forfeits."""
    solvers = measures(job.game)
    first = chunk * CHUNK
    deals = min(CHUNK, job.deals - first)
    tally = np.zeros((len(solvers), deals, 3))
    forfeits = 0
    for number, seating in enumerate(job.seatings()):
        names = [job.player, *([job.opponent] if job.opponent else [])]
        referees = [
            Referee(load(name), np.random.default_rng((job.seed, chunk, number, side)))
            for side, name in enumerate(names)
        ]
        players = [referee.player for referee in referees]
        batch = batch_for(
            players, job.game, deals, job.seed, dict(job.rules), first_environment=first
        )

        def judge(
            side: int,
            rows: NDArray[np.int64],
            answers: NDArray[np.int64],
            batch: SelfPlayBatch = batch,
        ) -> None:
            nonlocal forfeits
            if side == 0:
                forfeits += int((answers == FORFEIT).sum())
                _judge(batch, rows, answers, solvers, tally)

        play_seating(batch, seating, referees, judge)
    return tally, forfeits


def _judge(
    batch: SelfPlayBatch,
    rows: NDArray[np.int64],
    answers: NDArray[np.int64],
    solvers: Mapping[str, Callable[[State], Solution]],
    tally: NDArray[np.float64],
) -> None:
    """Add what the answers give away to a tally ``(M, B, 3)``."""
    game = batch.game
    choices = batch.masks[rows].sum(axis=1)
    for row, answer, choice in zip(rows.tolist(), answers.tolist(), choices, strict=True):
        if answer == FORFEIT or choice < 2:
            continue
        state = State(game, batch.rules, batch.scope, batch.states[row].copy())
        if state.trick < FIRST_TRICK:
            continue
        for number, solve in enumerate(solvers.values()):
            solution = solve(state)
            lost = given_away(solution, game.actions[answer])
            tally[number, row] += (lost, 1, lost > BLUNDERS[game.family])
