"""What an arena plays: players, deals and seatings, cut into chunks that any process can play."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from terz_env.errors import TerzEnvError
from terz_env.evaluation.statistics import LEAST_UNITS
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.players import FILES, check_plays, load_player
from terz_env.players.policy import MODEL_FILE
from terz_env.rng import checked_number
from terz_env.ruleset import Option
from terz_env.state import Rules

CHUNK = 100
"""Deals that are played, kept and repeated together."""
MOST_DEALS = 10_000_000


class ArenaError(TerzEnvError, ValueError):
    """An arena that cannot be played, or results that cannot be used; the message says why."""


@dataclass(frozen=True)
class Task:
    """A chunk of deals of one pairing, played in every seating."""

    pairing: tuple[str, str]
    chunk: int
    first: int
    deals: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that decides what is played.

    Attributes:
        game: ``terz`` or ``tetka``.
        scope: ``deal``, ``match`` or ``rubber``; a unit is one of them.
        rules: Every option of the rule set. Illegal answers are forfeits (Rules T28, K11).
        players: Names or directories, as `load_player` takes them.
        digests: SHA-256 of the files of those players that are policies.
        deals: How many deals (matches, rubbers) each pairing plays, each in every seating.
        seed: Picks the deals and the players' chance.
        forms: The seatings, by how many seats each player of a pairing has, such as ``1v3``.
        chunk: Deals a chunk.
    """

    game: str
    scope: str
    rules: Mapping[str, Option]
    players: tuple[str, ...]
    deals: int
    seed: int
    forms: tuple[str, ...]
    chunk: int = CHUNK
    digests: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def make(
        cls,
        game: str,
        players: Sequence[str],
        deals: int,
        seed: int = 0,
        *,
        scope: str = "deal",
        rules: Rules = None,
        forms: Sequence[str] = (),
        chunk: int = CHUNK,
    ) -> Self:
        """Return a checked plan.

        Args:
            game: ``terz`` or ``tetka``.
            players: At least two different names or directories.
            deals: Units a pairing, at least two.
            seed: Picks the deals and the players' chance.
            scope: What a unit is.
            rules: Options of the rule set.
            forms: Some of `forms_of(game)`; none for all.
            chunk: Deals a chunk; it is part of what decides the players' chance.

        Raises:
            ArenaError: If a number, a form or the list of players cannot be.
            UnknownGameError, RuleSetError, SeedError, PlayerError: As their owners raise them.
        """
        record = get_game(game)
        if record.name != record.family:
            raise ArenaError(f"an arena plays terz or tetka, not {game}")
        for name, number, least in (("deals", deals, LEAST_UNITS), ("chunk", chunk, 1)):
            if not least <= number <= MOST_DEALS:
                raise ArenaError(f"{name}={number}; use {least} to {MOST_DEALS:,}")
        if len(players) < 2 or len(set(players)) != len(players):
            raise ArenaError(
                f"players {', '.join(players) or 'none'}; name at least two, each once"
            )
        known = forms_of(record)
        unknown = [form for form in forms if form not in known]
        if unknown:
            raise ArenaError(f"{game} has no form {', '.join(unknown)}; use {', '.join(known)}")
        for player in players:
            check_plays(load_player(player), game)
        return cls(
            game=game,
            scope=record.check_scope(scope),
            rules=_rules(record, rules),
            players=tuple(players),
            deals=deals,
            seed=checked_number(seed, "seed"),
            forms=tuple(form for form in known if not forms or form in forms),
            chunk=chunk,
            digests=_digests(players),
        )

    @property
    def pairings(self) -> list[tuple[str, str]]:
        """Every two players, in the order given."""
        return list(itertools.combinations(self.players, 2))

    @property
    def seatings(self) -> list[str]:
        """The letter A or B of each seat: every seating of the plan's forms."""
        seats = get_game(self.game).n_seats
        every = ("".join(letters) for letters in itertools.product("AB", repeat=seats))
        return [seating for seating in every if form_of(seating) in self.forms]

    @property
    def chunks(self) -> int:
        """How many chunks a pairing has."""
        return -(-self.deals // self.chunk)

    def tasks(self) -> Iterator[Task]:
        """Yield all chunks, so that the pairings advance side by side."""
        for chunk in range(self.chunks):
            first = chunk * self.chunk
            for pairing in self.pairings:
                yield Task(pairing, chunk, first, min(self.chunk, self.deals - first))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as data for JSON."""
        data = asdict(self)
        return data | {"players": list(self.players), "forms": list(self.forms)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return a plan that `to_dict` wrote, without loading its players.

        Raises:
            ArenaError: If a field is missing, unknown or wrong.
        """
        try:
            plan = cls(**{**data, **{key: tuple(data[key]) for key in ("players", "forms")}})
            record = get_game(plan.game)
            record.rules(dict(plan.rules))
            record.check_scope(plan.scope)
            numbers = (plan.deals, plan.seed, plan.chunk)
            fits = all(isinstance(name, str) for name in plan.players) and len(plan.players) >= 2
            fits &= all(isinstance(number, int) for number in numbers) and plan.chunk > 0
            fits &= bool(plan.forms) and set(plan.forms) <= set(forms_of(record))
        except (KeyError, TypeError, TerzEnvError) as error:
            raise ArenaError(f"no plan of an arena: {error}") from error
        if not fits:
            raise ArenaError("no plan of an arena: players, forms or numbers are wrong")
        return plan


def form_of(seating: str) -> str:
    """Return how many seats A and B have in a seating.

    >>> form_of("ABBB")
    '1v3'
    """
    return f"{seating.count('A')}v{seating.count('B')}"


def forms_of(game: Game) -> list[str]:
    """Return the forms in which two players can meet: in Tetka one against three both ways, too."""
    return [f"{own}v{game.n_seats - own}" for own in range(1, game.n_seats)]


def _rules(game: Game, given: Rules) -> dict[str, Option]:
    """Return all options, with illegal answers as forfeits, so that a run goes on after one."""
    options = dict(given) if isinstance(given, Mapping) else given
    rules = game.rules(options).to_dict()
    if rules["illegal_actions"] == "penalise":
        raise ArenaError(
            "illegal_actions=penalise: in an arena an illegal answer is a forfeit; leave it out"
        )
    return rules | {"illegal_actions": "forfeit"}


def _digests(players: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of every policy, so that results name the weights that played."""
    digests = {}
    for player in players:
        path = Path(player)
        is_file = path.name == MODEL_FILE or path.suffix in FILES
        file = path if is_file else path / MODEL_FILE
        if file.is_file():
            digests[player] = hashlib.sha256(file.read_bytes()).hexdigest()
    return digests
