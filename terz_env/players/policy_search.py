"""Players that search with a trained policy: it plays worlds out, or tells how likely they are."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from terz_env.games import get_game
from terz_env.heuristics.codes import CODES
from terz_env.players.analysis import Analysis
from terz_env.players.policy import PolicyPlayer
from terz_env.players.protocol import Decisions, PlayerError
from terz_env.players.search import MOST_EFFORT, ROLL_OUTS
from terz_env.players.shipped import model_file
from terz_env.players.solver import ClosedSolver, solvable_rows
from terz_env.search.likelihood import world_weights
from terz_env.search.lines import Sight, branches, kernels_of, play_out
from terz_env.search.terz_closed_play import in_closed_phase
from terz_env.state import State

_NAME = re.compile(r"pimc:(?P<worlds>-?\d+)(:(?P<rule>\w+))?@(?P<path>[^,]+)(?P<options>(,.*)?)")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_OPTIONS = "weights, solver, sample, depth=D, margin=M"


class PolicySearchPlayer:
    """Tries all actions in the same worlds (`pimc`), with the help of a policy.

    In Terz's closed phase, where both hands are known, it plays exactly.

    Attributes:
        name: How tables call the player.
        game: The policy's game.
        needs_log: True: in Terz it reasons from what has happened in the deal.
    """

    needs_log = True

    def __init__(
        self,
        worlds: int,
        policy: PolicyPlayer,
        *,
        roll_out: str | None = None,
        weights: PolicyPlayer | None = None,
        temperature: float = 1.0,
        floor: float = 0.1,
        effective: float = 0.5,
        sample: bool = False,
        depth: int | None = None,
        solver: bool = False,
        margin: float | None = None,
    ) -> None:
        """Take the policy and what it is used for.

        Args:
            worlds: Sampled worlds a decision.
            policy: Plays the worlds out in all seats; where there is no choice it is not asked.
            roll_out: The rule player that plays them out instead.
            weights: The policy by which a world counts the more, the likelier the other seats'
                past actions are in it; None lets all worlds count the same.
            temperature: Divides the logits of `weights`: above 1 the weights are more even.
            floor: The share of a uniform choice in `weights`, so that no world is ruled out by one
                action.
            effective: The least effective number of worlds, as a share of `worlds`: where a few
                would outweigh all others the weights are evened out. 0 never does so.
            sample: The roll-outs draw from the policy instead of taking its most probable action.
            depth: After so many choices of all seats, the policy's value head is asked as soon as
                the searching seat has a choice; None plays on to the end of the deal.
            solver: Terz: the closed phase of a roll-out counts by exact play.
            margin: The policy's own action is left only for one whose results are better by more
                than so many standard errors of the difference, for the one that exceeds that by
                most; None takes the best mean, whatever the policy thinks.

        Raises:
            PlayerError: If a number cannot be, the policies do not fit each other, or the value
                head that `depth` needs is missing.
        """
        if not 1 <= worlds <= MOST_EFFORT:
            raise PlayerError(f"pimc with {worlds} worlds: at least 1, at most {MOST_EFFORT:,}")
        if roll_out is not None and roll_out not in ROLL_OUTS:
            raise PlayerError(f"no roll-outs by {roll_out!r}: write {', '.join(ROLL_OUTS)}")
        if weights is not None and weights.game != policy.game:
            raise PlayerError(f"weights by a policy of {weights.game}; {policy.game} is played")
        if not 0 < temperature < math.inf:
            raise PlayerError(f"temperature={temperature!r}; a number above 0 is needed")
        for share, given in (("floor", floor), ("effective", effective)):
            if not 0 <= given <= 1:
                raise PlayerError(f"{share}={given!r} is no share between 0 and 1")
        if depth is not None and (depth < 1 or roll_out is not None or not policy.has_values):
            raise PlayerError(
                f"depth={depth}: at least 1, with roll-outs by a policy that has a value head and "
                "its reward_scale"
            )
        if solver and (policy.game != "terz" or roll_out is not None):
            raise PlayerError("solver: it values Terz's closed phase in roll-outs by the policy")
        if margin is not None and not (0 <= margin < math.inf and worlds > 1):
            raise PlayerError(f"margin={margin!r}; a number from 0, and 2 worlds, are needed")
        self.game: str | None = policy.game
        self.rules_fingerprint = policy.rules_fingerprint
        self._game = get_game(policy.game)
        self._worlds = worlds
        self._policy = policy
        self._who = None if roll_out is None else CODES[roll_out]
        self._weights = weights
        self._heat = temperature, floor, effective
        self._sample = sample
        self._depth = depth
        self._counts_exactly = solver
        self._margin = margin
        self._solver = ClosedSolver()
        self._kernels = kernels_of(self._game)
        self._imagination = self._kernels.Imagination()
        options = ["weights"] * (weights is not None) + ["solver"] * solver + ["sample"] * sample
        options += [] if depth is None else [f"depth={depth}"]
        options += [] if margin is None else [f"margin={margin:.15g}"]
        rule = "" if roll_out is None else f":{roll_out}"
        self.name = ",".join([f"pimc:{worlds}{rule}@{policy.name}", *options])

    @classmethod
    def from_name(cls, name: str, *, any_rules: bool = False) -> PolicySearchPlayer | None:
        """Return the player of a name such as ``pimc:20@runs/tetka/small,weights,depth=8``.

        Returns:
            The player, or None where the name is not of this kind.

        Raises:
            PlayerError: If it is, but an option is unknown, or as `__init__` and
                `PolicyPlayer.load` raise it.
        """
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        file = model_file(found["path"]) or Path(found["path"])
        policy = PolicyPlayer.load(file, any_rules=any_rules)
        chosen, depth, margin = set(), None, None
        for option in found["options"].split(",")[1:]:
            key, _, value = option.partition("=")
            if key == "depth" and value.isdecimal():
                depth = int(value)
            elif key == "margin" and _NUMBER.fullmatch(value):
                margin = float(value)
            elif option in ("weights", "solver", "sample"):
                chosen.add(option)
            else:
                raise PlayerError(f"{name}: no option {option!r}; use some of {_OPTIONS}")
        if found["rule"] is not None and "weights" not in chosen:
            raise PlayerError(f"{name}: the policy is not used; add ,weights or leave out the rule")
        return cls(
            int(found["worlds"]),
            policy,
            roll_out=found["rule"],
            weights=policy if "weights" in chosen else None,
            solver="solver" in chosen,
            sample="sample" in chosen,
            depth=depth,
            margin=margin,
        )

    @staticmethod
    def path_in(name: str) -> str | None:
        """Return the policy in a name that `from_name` takes, as it is written, else None."""
        found = _NAME.fullmatch(name)
        return None if found is None else found["path"]

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the action of the best weighted mean a row (see `Player.act`).

        Raises:
            PositionError: If no deal agrees with what a seat would know.
        """
        actions, rows = self._solver.decide(decisions)
        for row in rows:
            legal, results, weights = self._try(decisions, int(row), rng)
            actions[row] = legal[self._best(decisions, int(row), legal, results, weights)]
        return actions

    def analyse(self, state: State, *, seed: int = 0) -> Analysis:
        """Return the value of every legal action of a position, with its standard error.

        Args:
            state: The position. In Terz, play the deal through this state from its beginning.
            seed: The seed of the search.

        Raises:
            IllegalActionError: If the deal is over.
            PositionError: If no deal agrees with what the seat would know.
        """
        decisions = Decisions.of_state(state, with_log=True)
        if solvable_rows(decisions)[0]:
            return self._solver.analyse(state)
        legal, results, weights = self._try(decisions, 0, np.random.default_rng(seed))
        means, errors = np.zeros((2, self._game.n_actions))
        tries = np.zeros(self._game.n_actions, dtype=np.int64)
        means[legal] = weights @ results
        squares = weights**2 @ (results - means[legal]) ** 2
        freedom = 1 - (weights**2).sum()
        errors[legal] = np.sqrt(squares / freedom) if freedom > 0 else np.nan
        tries[legal] = self._worlds
        best = legal[self._best(decisions, 0, legal, results, weights)]
        return Analysis.of(state, means, errors, tries, int(best))

    def imagine(
        self, decisions: Decisions, row: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the worlds ``(N, W)`` of a decision and their weights ``(N,)``, which sum to 1.

        Without `weights`, or where nobody knows the past of the deal, they all weigh the same.
        """
        state, seat = decisions.states[row], int(decisions.seats[row])
        stream = rng.integers(1 << 63, size=1, dtype=np.uint64)
        log = np.zeros(0, dtype=np.int64) if decisions.logs is None else decisions.logs[row]
        worlds, past = self._imagination.draw(state, seat, log, stream, self._worlds)
        weights = np.full(len(worlds), 1 / len(worlds))
        if self._weights is not None and past is not None:
            kernel = self._kernels.play_rows
            logits = self._weights.logits
            weights = world_weights(self._game, past, kernel, seat, logits, *self._heat)
        return worlds, weights

    def _try(
        self, decisions: Decisions, row: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the legal actions, their results still to come ``(N, K)``, and the weights."""
        worlds, weights = self.imagine(decisions, row, rng)
        legal = np.flatnonzero(decisions.masks[row])
        seat = int(decisions.seats[row])
        lines = branches(worlds, legal)
        self._kernels.play_rows(lines, np.tile(legal, len(worlds)), self._who is None)
        results = self._finish(lines, seat, rng) - self._standings(worlds[:1], seat)
        return legal, results.reshape(len(worlds), len(legal)), weights

    def _finish(
        self, lines: NDArray[np.int64], seat: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return the results of the deals ``(B,)`` that begin like these lines."""
        if self._who is not None:
            stream = rng.integers(1 << 63, size=1, dtype=np.uint64)
            self._kernels.finish_rows(lines, self._who, stream)
            return self._standings(lines, seat)

        def choose(bits: NDArray[np.uint64], masks: NDArray[np.int8]) -> NDArray[np.int64]:
            return self._policy.choose(bits, masks, rng if self._sample else None)

        def value(states: NDArray[np.int64], seen: Sight, depth: int) -> NDArray[np.float64]:
            worths = np.full(len(states), np.nan)
            if self._counts_exactly:
                rows = np.flatnonzero(in_closed_phase(states))
                ended = states[rows]
                worths[rows] = self._standings(ended, seat) + self._solver.worths(ended, seat)
            if self._depth is not None and depth >= self._depth:
                rows = np.flatnonzero((seen.seats == seat) & np.isnan(worths))
                worths[rows] = self._policy.results(seen.bits[rows])
            return worths

        worths = play_out(self._game, lines, choose, value)
        return np.where(np.isnan(worths), self._standings(lines, seat), worths)

    def _standings(self, states: NDArray[np.int64], seat: int) -> NDArray[np.float64]:
        """Return what a seat has so far ``(B,)``: its lead in Terz, its marks in Tetka."""
        found = np.zeros(len(states))
        self._kernels.standings(states, seat, found)
        return found

    def _best(
        self,
        decisions: Decisions,
        row: int,
        legal: NDArray[np.int64],
        results: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> int:
        """Return the place of the chosen action among the legal ones, the first among equals."""
        gains = -results if self._game.family == "tetka" else results
        means = weights @ gains
        if self._margin is None:
            return int(means.argmax())
        seen, masks = decisions.bits[row : row + 1], decisions.masks[row : row + 1]
        own = int(np.flatnonzero(legal == self._policy.choose(seen, masks, None)[0])[0])
        differences = gains - gains[:, own : own + 1]
        squares = weights**2 @ (differences - (means - means[own])) ** 2
        freedom = 1 - float((weights**2).sum())
        if freedom <= 0:  # a single world counts, so that nobody knows the error
            return own
        surplus = means - means[own] - self._margin * np.sqrt(squares / freedom)
        return int(surplus.argmax()) if surplus.max() > 0 else own
