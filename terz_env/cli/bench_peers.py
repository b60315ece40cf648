"""Random roll-outs of other libraries' nearest games, measured where they are installed."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from types import ModuleType
from typing import Any

from terz_env.cli.bench import Row, measure_row

COMPARED = ("rollout", "aec_env")
"""Our rows that are compared: inside the kernel, and from Python a step at a time."""
DECISIONS = 200
"""At least so many decisions between two looks at the clock."""
SEED = 1
BELOTE_CARDS, BELOTE_ROLLOUTS = 32, 100
"""Every card is a decision; so many roll-outs start from each deal."""
NO_BATCH = 1
"""These libraries play one deal at a time."""


@dataclass(frozen=True)
class Peer:
    """A library and how one of its games is rolled out.

    Attributes:
        module: What is imported; a library that cannot be imported is left out.
        game: Its game that is nearest to ours.
        ours: Which of ours that is.
        deal: Returns a function that plays a deal at random and counts the decisions.
    """

    module: str
    game: str
    ours: str
    deal: Callable[[ModuleType], Callable[[], int]]


def _open_spiel(library: ModuleType) -> Callable[[], int]:
    """Plays hearts from Python; the cards dealt by chance are no decisions."""
    game, chance = library.load_game("hearts"), random.Random(SEED)  # noqa: S311 - nothing is secret here

    def deal() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            decisions += not state.is_chance_node()
            state.apply_action(chance.choice(state.legal_actions()))
        return decisions

    return deal


def _colver(library: ModuleType) -> Callable[[], int]:
    """Plays belote inside the library, from the first card on under a given contract."""
    number = count(SEED)

    def deal() -> int:
        table = library.Env.deal(seed=next(number))
        table.set_contract(trump=0, value=80, team=0, coinche=0)
        table.set_phase_playing()
        table.rollout(BELOTE_ROLLOUTS)
        return BELOTE_ROLLOUTS * BELOTE_CARDS

    return deal


def _rlcard(library: ModuleType) -> Callable[[], int]:
    """Plays bridge, the auction included; observations come with every step."""
    table, chance = library.make("bridge", config={"seed": SEED}), random.Random(SEED)  # noqa: S311 - nothing is secret here

    def deal() -> int:
        seen, _ = table.reset()
        decisions = 0
        while not table.is_over():
            seen, _ = table.step(chance.choice(list(seen["legal_actions"])))
            decisions += 1
        return decisions

    return deal


def _pettingzoo(library: ModuleType) -> Callable[[], int]:
    """Plays Texas hold'em; observations come with every step."""
    table, chance = library.raw_env(), random.Random(SEED)  # noqa: S311 - nothing is secret here

    def deal() -> int:
        table.reset(seed=chance.getrandbits(31))
        decisions = 0
        while True:
            seen, _, terminated, truncated, _ = table.last()
            if terminated or truncated:
                return decisions
            table.step(chance.choice(seen["action_mask"].nonzero()[0].tolist()))
            decisions += 1

    return deal


PEERS = (
    Peer("colver", "belote", "terz", _colver),
    Peer("pyspiel", "hearts", "tetka", _open_spiel),
    Peer("rlcard", "bridge", "tetka", _rlcard),
    Peer("pettingzoo.classic.texas_holdem_v4", "texas_holdem", "terz", _pettingzoo),
)


@dataclass(frozen=True)
class Comparison:
    """A library's row, and how many times as fast our nearest game is.

    Attributes:
        row: Its random decisions a second and core; the name is that of the library.
        ours: Our nearest game.
        ratios: Our speed over its speed, by the name of our row.
    """

    row: Row
    ours: str
    ratios: dict[str, float]


def measure_peers(rows: Sequence[Row], repeats: int) -> Iterator[Comparison]:
    """Yields a comparison for each library that is installed and has a game near to a row's.

    Args:
        rows: What has been measured of ours, in the same run.
        repeats: Measurements a row.
    """
    for peer in PEERS:
        ours = {row.name: row.per_second for row in rows if row.game == peer.ours}
        library = _installed(peer.module) if ours else None
        if library is not None:
            name, play = peer.module.partition(".")[0], _many(peer.deal(library))
            row = measure_row(name, peer.game, NO_BATCH, repeats, play)
            ratios = {face: ours[face] / row.per_second for face in COMPARED if face in ours}
            yield Comparison(row, peer.ours, ratios)


def _installed(module: str) -> Any:
    """Returns a module, None where it or what it needs is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def _many(deal: Callable[[], int]) -> Callable[[], int]:
    """Returns what plays deals until there have been enough decisions, and tells how many."""

    def play() -> int:
        played = 0
        while played < DECISIONS:
            played += deal()
        return played

    return play
