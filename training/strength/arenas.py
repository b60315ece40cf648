"""Arenas of the report: pairs of a ladder, and cross-play."""

import json
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.evaluation.backends import Backend, OneProcess, Processes
from terz_env.evaluation.evaluating import CHUNKS, FORMS, LARGEST_CHUNK
from terz_env.evaluation.journal import Journal
from terz_env.evaluation.plan import Plan, forms_of
from terz_env.evaluation.results import Results, read_results
from terz_env.evaluation.running import run
from terz_env.games import get_game
from terz_env.players.results import own_result
from terz_env.state import State
from training.strength.plan import CrossPlay, Ladder
from training.units import Tell, circumstances, file_name, write_data


@dataclass(frozen=True)
class Arena:
    """Players who meet on duplicate deals; kept as `terz-arena/1`, with the deals' dealers.

    Attributes:
        name: The folder of the results.
        game: What is played.
        scope: What counts once.
        players: Those who meet.
        deals: How many deals, matches or rubbers a pairing.
        seed: Picks the deals and the players' chance.
        forms: The seatings.
        processes: How many share the deals; the results are the same.
    """

    name: str
    game: str
    scope: str
    players: tuple[str, ...]
    deals: int
    seed: int
    forms: tuple[str, ...]
    processes: int = 1

    @property
    def file(self) -> Path:
        """The file, from the folder of the report."""
        pair = len(self.players) == 2
        return Path(self.name) / (file_name(*self.players) if pair else "results.json")

    @property
    def label(self) -> str:
        """Who plays whom."""
        if len(self.players) == 2:
            return " against ".join(self.players)
        return f"{len(self.players)} players in pairs"

    @property
    def chunk(self) -> int:
        """Deals a chunk, as many as `terz evaluate` takes."""
        return max(1, min(LARGEST_CHUNK, self.deals // CHUNKS))

    @property
    def command(self) -> str:
        """The command that plays the same."""
        if self.scope == "deal" and len(self.players) == 2:
            return evaluate_command(self)
        words = ["terz", "arena", "--game", self.game, "--players", *self.players]
        words += ["--scope", self.scope] if self.scope != "deal" else []
        if list(self.forms) != forms_of(get_game(self.game)):
            words += [word for form in self.forms for word in ("--form", form)]
        words += ["--deals", str(self.deals), "--seed", str(self.seed), "--chunk", str(self.chunk)]
        return shlex.join(words)

    @cached_property
    def plan(self) -> Plan:
        """The plan of the arena; its players are loaded.

        Raises:
            PlayerError: If a player cannot be loaded, or plays another game.
        """
        return Plan.make(
            self.game,
            self.players,
            self.deals,
            self.seed,
            scope=self.scope,
            forms=self.forms,
            chunk=self.chunk,
        )

    def fits(self, file: Path) -> bool:
        """Tell whether the file holds results of just this, whatever weights the players had."""
        plan = read_results(file).plan
        found = (plan.game, plan.scope, plan.players, plan.deals, plan.seed, plan.forms, plan.chunk)
        forms = tuple(form for form in forms_of(get_game(self.game)) if form in self.forms)
        own = (self.game, self.scope, self.players, self.deals, self.seed, forms, self.chunk)
        return found == own

    def is_kept(self, file: Path) -> bool:
        """Tell whether it does, with the weights that the players have now."""
        return read_results(file).plan == self.plan

    def measure(self, file: Path, tell: Tell) -> None:
        """Play it; what was interrupted goes on with the chunks of its journal."""
        journal_file = file.with_name(file.name + ".journal")
        journal = Journal(journal_file, self.plan, resume=True)
        backend: Backend = OneProcess() if self.processes == 1 else Processes(self.processes)
        try:
            results = run(self.plan, backend, journal=journal, progress=tell)
        finally:
            journal.close()
        measured = {**circumstances(self.command), "dealers": self._dealers()}
        write_data(file, {**results.to_dict(), "measured": measured})
        journal_file.unlink()

    def _dealers(self) -> list[int]:
        """Return who deals first in each deal, match or rubber."""
        numbers = range(self.deals)
        games = (
            State.new(self.game, scope=self.scope, seed=self.seed, environment=number)
            for number in numbers
        )
        return [game.dealer for game in games]


def evaluate_command(first: Arena, *others: Arena) -> str:
    """Return the command that plays one player against the second ones of some arenas."""
    words = ["terz", "evaluate", first.players[0], "--game", first.game]
    words += [word for arena in (first, *others) for word in ("--against", arena.players[1])]
    words += ["--deals", str(first.deals), "--regret-deals", "0", "--seed", str(first.seed)]
    return shlex.join(words)


def ladder_units(entry: Ladder, seed: int, processes: int = 1) -> list[Arena]:
    """Return the arenas of a ladder: each player against each opponent but itself."""
    known = forms_of(get_game(entry.game))
    forms = tuple(FORMS[entry.game]) or tuple(known)
    return [
        Arena(entry.name, entry.game, entry.scope, (player, other), deals, seed, forms, processes)
        for player in entry.players
        for other, deals in entry.against.items()
        if other != player
    ]


def cross_play_unit(entry: CrossPlay, seed: int, processes: int = 1) -> Arena:
    """Return the arena in which all players meet."""
    forms = tuple(forms_of(get_game(entry.game)))
    players = tuple(entry.players)
    return Arena(entry.name, entry.game, "deal", players, entry.deals, seed, forms, processes)


def measured(file: Path) -> dict[str, Any]:
    """Return the circumstances of an arena that has been kept."""
    found: dict[str, Any] = json.loads(file.read_bytes())["measured"]
    return found


def own_results(results: Results) -> NDArray[np.float64]:
    """Return what the first player of two got ``(D, S)``, alone in its seat in every seating.

    A deal of Terz: points; of Tetka: own marks. A match, a rubber: 1 if it was won, 0 if it was
    lost, and a share where several have won a rubber (Rule K7).
    """
    plan = results.plan
    received = results.played[plan.pairings[0]].astype(np.float64)
    seats = [seating.index("A") for seating in plan.seatings]
    own: NDArray[np.float64] = received[:, np.arange(len(seats)), seats]
    if plan.scope == "deal":
        return own if plan.game == "terz" else own_result(plan.game, own)
    best = received.max(axis=2, keepdims=True)
    winners = (received == best).sum(axis=2)
    return np.where(own == best[:, :, 0], 1 / winners, 0.0)


def by_place(results: Results, dealers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the first player's results ``(D, P)`` by its place: 0 leads first, the last deals.

    Args:
        results: Of two players, the first alone in every seat once.
        dealers: ``(D,)`` who deals first.
    """
    own = own_results(results)
    seats = np.array([seating.index("A") for seating in results.plan.seatings])
    places = (seats - dealers[:, None] - 1) % len(seats)
    ordered = np.empty_like(own)
    np.put_along_axis(ordered, places, own, axis=1)
    return ordered
