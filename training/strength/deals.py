"""Deals of a policy that are worth a look: played in every seat, judged, picked by rule."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.evaluation.evaluating import FORMS
from terz_env.evaluation.matches import batch_for
from terz_env.evaluation.plan import Plan
from terz_env.evaluation.playing import play_seating
from terz_env.evaluation.referee import Referee
from terz_env.evaluation.regret import BLUNDERS, FIRST_TRICK, given_away, measures
from terz_env.players import Decisions, load_player, policy_file
from terz_env.players.policy import PolicyPlayer
from terz_env.players.results import own_result
from terz_env.records import record_game
from terz_env.search.solving import Solution
from terz_env.state import State
from training.errors import TrainingError
from training.strength.plan import DrawnDeals
from training.units import Tell, circumstances, holds, read_data, write_data

FORMAT = "terz-strength-deals/1"
EMPTY_AT_FIRST = ("table", "points", "melds", "marks", "tricks", "scores")
TOP = 3
"""Actions of which the policy's chance is told."""


@dataclass(frozen=True)
class Step:
    """One action of a deal.

    Attributes:
        trick: Its trick, from 1.
        seat: Who acts.
        action: What it does.
        top: What the policy thinks likeliest, and how likely; empty for other seats and where
            there is no choice.
        lost: What the action gives away against exact play, None where that is not judged.
        stake: How much the worst action would have given away.
    """

    trick: int
    seat: int
    action: str
    top: tuple[tuple[str, float], ...] = ()
    lost: float | None = None
    stake: float = 0.0


@dataclass(frozen=True)
class Played:
    """A deal with the policy in one seat.

    Attributes:
        number: The deal's number in the stream of the seed.
        seat: The policy's.
        result: What the policy got: points, or own marks.
        mean: The same over all seats that it had with these cards.
        steps: All actions.
    """

    number: int
    seat: int
    result: float
    mean: float
    steps: tuple[Step, ...]

    @property
    def lost(self) -> float:
        """All that was given away where exact play judges."""
        return sum(step.lost or 0.0 for step in self.steps)

    @property
    def stake(self) -> float:
        """All that could have been given away there."""
        return sum(step.stake for step in self.steps)


def sureness(game: str, deal: Played) -> float:
    """Return the greatest chance that the policy gave to a blunder, 0 if it made none."""
    blunders = [step for step in deal.steps if (step.lost or 0.0) > BLUNDERS[game]]
    return max((dict(step.top)[step.action] for step in blunders), default=0.0)


def picked(game: str, played: Sequence[Played]) -> list[tuple[str, Played]]:
    """Return the deals to be shown, each with the rule that picked it; none is picked twice."""
    sign = 1 if game == "terz" else -1  # marks are bad

    def good(deal: Played) -> tuple[float, float]:
        return sign * deal.mean, sign * deal.result

    def bad(deal: Played) -> tuple[float, float]:
        return -sign * deal.mean, -sign * deal.result

    def surest(deal: Played) -> float:
        return sureness(game, deal)

    def faultless(deal: Played) -> float:
        return deal.stake if deal.lost == 0 else 0.0

    rules: list[tuple[str, Callable[[Played], Any], Callable[[Played], bool]]] = [
        ("The worst result over all seats", bad, lambda deal: True),
        ("The best result over all seats", good, lambda deal: True),
        ("The most given away at the end", lambda deal: deal.lost, lambda deal: deal.lost > 0),
        ("The surest mistake at the end", surest, lambda deal: surest(deal) > 0),
        ("The most at stake, nothing given away", faultless, lambda deal: faultless(deal) > 0),
    ]
    found: list[tuple[str, Played]] = []
    for rule, key, is_one in rules:
        left = [deal for deal in played if is_one(deal) and all(deal is not d for _, d in found)]
        if left:
            found.append((rule, max(left, key=key)))
    return found


@dataclass(frozen=True)
class DealsUnit:
    """The deals that are shown of one policy."""

    entry: DrawnDeals
    seed: int
    command: str

    @property
    def file(self) -> Path:
        """The file, from the folder of the report."""
        return Path(self.entry.name) / "deals.json"

    @property
    def label(self) -> str:
        """Whose deals."""
        return f"{self.entry.player} against {self.entry.opponent}"

    def fits(self, file: Path) -> bool:
        """Tell whether the file holds some of these deals, whatever weights played them."""
        return holds(read_data(file, FORMAT), self._own())

    def is_kept(self, file: Path) -> bool:
        """Tell whether it does, with the weights that the players have now."""
        return self.fits(file) and read_data(file, FORMAT)["digests"] == self._plan().digests

    def measure(self, file: Path, tell: Tell) -> None:
        """Play, judge and pick the deals.

        Raises:
            TrainingError: If the player is no policy with weights.
            PlayerError: If a player cannot be loaded, or plays another game.
        """
        plan = self._plan()
        policy = _policy(self.entry.player)
        games = [(seating, *_play(plan, seating)) for seating in plan.seatings]
        own = np.array([results[:, seating.index("A")] for seating, results, _ in games])
        solver = next(iter(measures(plan.game).values()))
        played = []
        for place, (seating, _, actions) in enumerate(games):
            seat = seating.index("A")
            for number, names in enumerate(actions):
                tell(place * plan.deals + number, len(games) * plan.deals)
                steps = tuple(_steps(plan, number, seat, names, policy, solver))
                result, mean = float(own[place, number]), float(own[:, number].mean())
                played.append(Played(number, seat, result, mean, steps))
        deals = [
            {
                "rule": rule,
                **asdict(deal),
                "drawing": _cards(_start(plan, deal.number)),
                "record": _record(plan, deal),
            }
            for rule, deal in picked(plan.game, played)
        ]
        data = {"format": FORMAT, **self._own(), "digests": dict(plan.digests), "picked": deals}
        write_data(file, {**data, "measured": circumstances(self.command)})
        tell(1, 1)

    def _own(self) -> dict[str, Any]:
        entry = self.entry
        own = {"game": entry.game, "player": entry.player, "opponent": entry.opponent}
        return {**own, "deals": entry.deals, "seed": self.seed}

    def _plan(self) -> Plan:
        entry = self.entry
        players = [entry.player, entry.opponent]
        return Plan.make(entry.game, players, entry.deals, self.seed, forms=FORMS[entry.game])


def _policy(name: str) -> PolicyPlayer:
    file = policy_file(name)
    player = None if file is None else load_player(name)
    if not isinstance(player, PolicyPlayer):
        raise TrainingError(f"{name} is no trained policy alone: its chances cannot be told")
    return player


def _play(plan: Plan, seating: str) -> tuple[NDArray[np.float64], list[list[str]]]:
    """Play all deals in one seating; return the results ``(B, P)`` and the actions of each."""
    referees = [
        Referee(load_player(name), np.random.default_rng((plan.seed, side, seating.index("A"))))
        for side, name in enumerate(plan.players)
    ]
    players = [referee.player for referee in referees]
    batch = batch_for(players, plan.game, plan.deals, plan.seed, dict(plan.rules))
    actions: list[list[str]] = [[] for _ in range(plan.deals)]

    def note(side: int, rows: NDArray[np.int64], answers: NDArray[np.int64]) -> None:
        for refusal in referees[side].refusals:
            raise TrainingError(f"{plan.players[side]} forfeits: {refusal.reason}")
        for row, answer in zip(rows.tolist(), answers.tolist(), strict=True):
            actions[row].append(batch.game.actions[answer])

    rewards = play_seating(batch, seating, referees, note)
    return np.rint(own_result(plan.game, rewards)), actions


def _start(plan: Plan, number: int) -> State:
    return State.new(plan.game, dict(plan.rules), seed=plan.seed, environment=number)


def _cards(state: State) -> str:
    """Return the drawing of a fresh deal, without the lines that tell nothing yet."""
    lines = str(state).splitlines()
    return "\n".join(line for line in lines if line.split()[0] not in EMPTY_AT_FIRST)


def _steps(
    plan: Plan,
    number: int,
    seat: int,
    actions: Iterable[str],
    policy: PolicyPlayer,
    solve: Callable[[State], Solution],
) -> Iterable[Step]:
    """Yield the steps of a deal, with what the policy thought in its seat."""
    state = _start(plan, number)
    for action in actions:
        trick, acting = state.trick, state.seat_to_act
        if acting != seat or len(state.legal_actions()) < 2:
            yield Step(trick, acting, action)
        else:
            top = _top(policy, state, action)
            if trick < FIRST_TRICK:
                yield Step(trick, acting, action, top)
            else:
                solution = solve(state)
                most = max(given_away(solution, name) for name in solution.values)
                yield Step(trick, acting, action, top, given_away(solution, action), most)
        state.apply(action)


def _top(policy: PolicyPlayer, state: State, action: str) -> tuple[tuple[str, float], ...]:
    """Return the likeliest legal actions and their chances; the one taken is always among them."""
    legal = state.legal_actions()
    logits = policy.logits(Decisions.of_state(state).bits)[0, legal].astype(np.float64)
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    names = [state.game.actions[number] for number in legal]
    order = np.argsort(-chances, kind="stable")[:TOP].tolist()
    taken = names.index(action)
    order += [] if taken in order else [taken]
    return tuple((names[place], round(float(chances[place]), 4)) for place in order)


def _record(plan: Plan, deal: Played) -> dict[str, Any]:
    """Return the record of a deal, for `terz draw` and `terz replay`."""
    actions = iter([step.action for step in deal.steps])
    rules = dict(plan.rules)
    return record_game(
        plan.game, rules, "deal", plan.seed, deal.number, lambda state: next(actions), False
    )
