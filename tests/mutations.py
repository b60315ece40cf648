"""Wrong rules, on purpose: plays each against the reference and tells which were not noticed.

Run uncompiled, `NUMBA_DISABLE_JIT=1 python -m tests.mutations`: then a rule is a Python function
that can be replaced. Prints the names of the mutations that played on unnoticed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from terz_env.games import get_game
from terz_env.games.terz import state as terz
from terz_env.games.terz import talon as terz_talon
from terz_env.games.tetka import state as tetka
from terz_env.kernel import COMPILED
from tests.parity import play_terz, play_tetka
from tests.sources import SeededSource

Mutation = Callable[[Any], Any]
MOST_GAMES = 400


@contextmanager
def mutated(game: str, name: str, mutation: Mutation) -> Iterator[None]:
    """Replaces a function or constant in every module of a game that uses it under its name."""
    package = f"terz_env.games.{game}."
    modules = [module for path, module in sys.modules.items() if path.startswith(package)]
    users = [module for module in modules if name in vars(module)]
    original = getattr(users[0], name)
    for module in users:
        setattr(module, name, mutation(original))
    try:
        yield
    finally:
        for module in users:
            setattr(module, name, original)


def draw_for_the_loser_first(draw: Any) -> Any:
    def wrong(state: Any) -> None:
        state[terz.TABLE] ^= 1 << terz.LEADER
        draw(state)
        state[terz.TABLE] ^= 1 << terz.LEADER

    return wrong


def break_without_turning(break_deck: Any) -> Any:
    def wrong(state: Any, size: int) -> None:
        order = [terz_talon.talon_card(state, place) for place in range(13)]
        break_deck(state, size)
        for place, card in enumerate(order[size:] + order[:size]):
            terz_talon.set_talon_card(state, place, card)

    return wrong


def give_ties_to_the_first(most_tricks: Any) -> Any:
    def wrong(state: Any) -> int:
        flat = state.copy()
        flat[tetka.TALLY] = int(flat[tetka.TALLY]) & ((1 << tetka.LAST_TAKEN) - 1)
        return int(most_tricks(flat))

    return wrong


def forget_revokes(most_tricks: Any) -> Any:
    def wrong(state: Any) -> int:
        clean = state.copy()
        for seat in range(4):
            clean[tetka.PLAYED + seat] = int(clean[tetka.PLAYED + seat]) & (1 << tetka.REVOKES) - 1
        return int(most_tricks(clean))

    return wrong


def count_a_photographed_queen_once(take_trick: Any) -> Any:
    def wrong(state: Any) -> None:
        table = int(state[tetka.TABLE])
        photo = 1 << (table >> tetka.PHOTO & 63)
        taken = any(1 << (table >> 6 * place & 63) == photo for place in range(4))
        take_trick(state)
        if taken and photo & tetka.QUEENS:
            state[tetka.TALLY] -= 1 << tetka.MARKS + 4 * (table >> tetka.BEST_SEAT & 3)

    return wrong


MUTATIONS: dict[str, tuple[str, str, Mutation]] = {
    "T2 the order of plain suits holds in trumps": (
        "terz",
        "HIGHER",
        lambda table: np.array([table[0], table[0]]),
    ),
    "T3 the last trick gives nothing": ("terz", "LAST_TRICK_POINTS", lambda _: 0),
    "T6 no trump wins": (
        "terz",
        "beats",
        lambda beats: lambda led, reply, trump: beats(led, reply, 9),
    ),
    "T7 the loser draws first": ("terz", "draw", draw_for_the_loser_first),
    "T8 the deck is cut, not turned": ("terz", "break_deck", break_without_turning),
    "T8 the engine moves three cards": ("terz", "AUTO_BREAK", lambda _: 3),
    "T10 nobody has to follow suit": (
        "terz",
        "follow",
        lambda follow: (
            lambda hand, led, trump, closed, option: follow(
                hand, led, trump, closed, option if closed else 2
            )
        ),
    ),
    "T11 nobody has to take": (
        "terz",
        "follow",
        lambda follow: (
            lambda hand, led, trump, closed, option: follow(
                hand, led, trump, 0, 0 if closed else option
            )
        ),
    ),
    "T12 the jack has no privilege": ("terz", "NOT_FORCED", lambda _: -1),
    "T13 the seven needs no talon": ("terz", "talon_size", lambda _: lambda state: 14),
    "T13 the seven needs two cards more": (
        "terz",
        "talon_size",
        lambda size: lambda state: size(state) - 2,
    ),
    "T14 a run of five is worth 50": (
        "terz",
        "run_value",
        lambda value: lambda length: min(value(length), 50),
    ),
    "T15 aces may not end a run": (
        "terz",
        "run_tops",
        lambda tops: lambda hand: tops(hand & 0x7F7F7F7F),
    ),
    "T16 the top card comes before the length": (
        "terz",
        "run_strength",
        lambda _: lambda length, top, trump: 16 * (top & 7) + 2 * length + (top >> 3 == trump),
    ),
    "T16 runs in trumps are no stronger": (
        "terz",
        "run_strength",
        lambda strength: lambda length, top, trump: strength(length, top, 9),
    ),
    "T18 trick 9 is for announcing too": ("terz", "LAST_ANNOUNCING_TRICK", lambda last: last + 1),
    "T19 blocking is turned round": (
        "terz",
        "strongest_meld",
        lambda strongest: (
            lambda hand, scored, only, growth, trump: strongest(
                hand, scored, 1 - only, growth, trump
            )
        ),
    ),
    "T20 growth is turned round": (
        "terz",
        "run_can_score",
        lambda may: lambda cards, scored, growth: may(cards, scored, 1 - growth),
    ),
    "T21 a four does not become public": ("terz", "four_cards", lambda _: lambda action: 0),
    "T22 the marriage is king and jack": (
        "terz",
        "marriage_cards",
        lambda _: lambda trump: 0b01010000 << 8 * trump,
    ),
    "T23 halves are rounded up": (
        "terz",
        "rounded",
        lambda rounded: (
            lambda points, rounding: (
                (points + 5) // 10 * 10 if rounding == 0 else rounded(points, rounding)
            )
        ),
    ),
    "T24 the target has to be passed": (
        "terz",
        "has_reached",
        lambda reached: (
            lambda state, seat, target: (
                0 if state[terz.SCORES + seat] % 100 == 0 else reached(state, seat, target)
            )
        ),
    ),
    "T27 a false run costs 50": ("terz", "LEAST_RUN_VALUE", lambda _: 50),
    "T27 every false announcement forfeits": (
        "terz",
        "is_false_announcement",
        lambda _: lambda state, action: 0,
    ),
    "T28 a match goes on after a forfeit": (
        "terz",
        "win_match",
        lambda win: lambda state, seat: win(state, 1 - seat),
    ),
    "K3 nobody has to follow suit": (
        "tetka",
        "legal_actions",
        lambda legal: (
            lambda state: (
                0 if legal(state) == 0 else int(state[tetka.HAND + tetka.seat_to_act(state)])
            )
        ),
    ),
    "K4 jacks are bad, queens are not": ("tetka", "QUEENS", lambda queens: queens >> 1),
    "K4 the counting trick is the next": (
        "tetka",
        "counting_trick",
        lambda trick: lambda state: trick(state) + 1,
    ),
    "K4 a photographed queen counts once": ("tetka", "take_trick", count_a_photographed_queen_once),
    "K5 the first of the tied has the mark": ("tetka", "most_tricks", give_ties_to_the_first),
    "K6 a rubber goes to 22": ("tetka", "RUBBER_TARGET", lambda target: target + 1),
    "K10 revokes count for nothing": ("tetka", "most_tricks", forget_revokes),
    "K10 a revoke forfeits": ("tetka", "PENALISE", lambda _: 9),
    "K11 a forfeit costs six marks": ("tetka", "FORFEIT_MARKS", lambda marks: marks - 1),
}


def is_noticed(game: str, games: int) -> bool:
    """Plays until engine and reference disagree; False where they never do."""
    play = play_terz if game == "terz" else play_tetka
    try:
        for seed in range(games):
            play(SeededSource(seed), Counter())
    except AssertionError:
        return True
    return False


def unnoticed() -> Iterator[str]:
    """Yields the mutations that the comparison does not notice, and what it notices unmutated."""
    for game in ("terz", "tetka"):
        get_game(game)
        if is_noticed(game, 10):
            yield f"{game} as it is"
    for name, (game, function, mutation) in MUTATIONS.items():
        with mutated(game, function, mutation):
            if not is_noticed(game, MOST_GAMES):
                yield name


if __name__ == "__main__":
    if COMPILED:
        raise SystemExit("compiled rules cannot be replaced; set NUMBA_DISABLE_JIT=1")
    sys.stdout.writelines(f"{name}\n" for name in unnoticed())
