"""Players that search: `pimc` and `ismcts`."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from terz_env.game import Game
from terz_env.heuristics.codes import CODES
from terz_env.players.analysis import Analysis
from terz_env.players.protocol import Decisions, PlayerError
from terz_env.players.solver import ClosedSolver, solvable_rows
from terz_env.search.sampled_search import SampledSearch, choose, means, standard_errors
from terz_env.search.tally import TRIES
from terz_env.state import State

METHODS = {"pimc": "greedy", "ismcts": "random"}
"""The methods, with the rule player that plays their worlds out unless another is named."""
ROLL_OUTS = ("greedy", "heuristic", "random")
MOST_EFFORT = 100_000_000
_NAME = re.compile(r"(?P<method>[a-z]+):(?P<effort>-?\d+)(?P<ms>ms)?(:(?P<roll_out>\w+))?")


class SearchPlayer:
    """Tries actions in worlds that agree with what the seat knows, and plays them out by rules.

    In Terz's closed phase, where both hands are known, it plays exactly.

    Attributes:
        name: How tables call the player.
        game: None: it plays every game.
        needs_log: True: in Terz it reasons from what has happened in the deal.
    """

    game: str | None = None
    needs_log = True

    def __init__(
        self,
        method: str,
        worlds: int | None = None,
        *,
        milliseconds: int | None = None,
        roll_out: str | None = None,
    ) -> None:
        """Take the method and how much it may spend on a decision.

        Args:
            method: `pimc`: all legal actions in the same sampled worlds, the best mean is played.
                `ismcts`: a tree over sampled worlds, the action tried most is played.
            worlds: Sampled worlds a decision; the iterations of a tree.
            milliseconds: The time a decision instead; what is then chosen depends on the machine.
            roll_out: The rule player that plays on; None for that of `METHODS`.

        Raises:
            PlayerError: If there is no such method or rule player, or nothing to spend.
        """
        if method not in METHODS:
            raise PlayerError(f"no search is called {method!r}: write {' or '.join(METHODS)}")
        given, unit = worlds, "worlds"
        if milliseconds is not None:
            given, unit = milliseconds, "milliseconds"
        if given is None or None not in (worlds, milliseconds):
            raise PlayerError(f"{method} takes either a number of worlds or milliseconds")
        if not 1 <= given <= MOST_EFFORT:
            raise PlayerError(f"{method} with {given} {unit}: at least 1, at most {MOST_EFFORT:,}")
        rule_player = METHODS[method] if roll_out is None else roll_out
        if rule_player not in ROLL_OUTS:
            raise PlayerError(f"no roll-outs by {roll_out!r}: write {', '.join(ROLL_OUTS)}")
        self.method = method
        self.name = f"{method}:{given}" + ("" if milliseconds is None else "ms")
        if rule_player != METHODS[method]:
            self.name += f":{rule_player}"
        self._worlds = worlds
        self._seconds = (milliseconds or 0) / 1000
        self._who = CODES[rule_player]
        self._searches: dict[str, SampledSearch] = {}
        self._solver = ClosedSolver()

    @classmethod
    def from_name(cls, name: str) -> SearchPlayer | None:
        """Return the player of a name such as ``pimc:50`` or ``ismcts:20ms:greedy``.

        Returns:
            The player, or None where the name is not of this kind.

        Raises:
            PlayerError: If it is, but there is no such rule player, or nothing to spend.
        """
        found = _NAME.fullmatch(name)
        if found is None or found["method"] not in METHODS:
            return None
        effort = int(found["effort"])
        if found["ms"]:
            return cls(found["method"], milliseconds=effort, roll_out=found["roll_out"])
        return cls(found["method"], effort, roll_out=found["roll_out"])

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the action that the search chooses a row (see `Player.act`).

        Raises:
            PositionError: If no deal agrees with what a seat would know.
        """
        streams = rng.integers(1 << 63, size=(len(decisions), 1), dtype=np.uint64)
        actions, rows = self._solver.decide(decisions)
        if len(rows):
            game, states = decisions.game, decisions.states[rows]
            logs = None if decisions.logs is None else decisions.logs[rows]
            tallies = self._search(game).run(states, logs, streams[rows], self._seconds)
            fewer = game.family == "tetka"
            actions[rows] = choose(tallies, self.method, fewer_is_better=fewer)
        return actions

    def analyse(self, state: State, *, seed: int = 0) -> Analysis:
        """Return the value of every legal action of a position, with its standard error.

        The errors of `pimc` are those of each mean by itself: the actions are tried in the same
        worlds, so differences are known better. The values of `ismcts` are means over the growth
        of its tree, in which actions that look bad are tried seldom.

        Args:
            state: The position. In Terz, play the deal through this state from its beginning, so
                that the search uses all that has happened.
            seed: The seed of the search.

        Raises:
            IllegalActionError: If the deal is over.
            PositionError: If no deal agrees with what the seat would know.
        """
        decisions = Decisions.of_state(state, with_log=True)
        if solvable_rows(decisions)[0]:
            return self._solver.analyse(state)
        streams = np.random.default_rng(seed).integers(1 << 63, size=(1, 1), dtype=np.uint64)
        game = state.game
        tallies = self._search(game).run(decisions.states, decisions.logs, streams, self._seconds)
        best = choose(tallies, self.method, fewer_is_better=game.family == "tetka")
        mean, error = means(tallies)[0], standard_errors(tallies)[0]
        return Analysis.of(state, mean, error, tallies[0, TRIES], int(best[0]))

    def _search(self, game: Game) -> SampledSearch:
        """Return the search of a game."""
        if game.name not in self._searches:
            self._searches[game.name] = SampledSearch(game, self.method, self._who, self._worlds)
        return self._searches[game.name]
