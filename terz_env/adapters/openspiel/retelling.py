"""Reads a position backwards, into the chance and the actions that lead to it.

A position drawn from what a seat knows gives other hidden cards the same public course. Where the
opponent of the seat has made an announcement that was beaten, the seat knows its class only
(Rule T21): it may have had another name, and one that the hidden cards allow is drawn.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from terz_env.adapters.openspiel.play import Play, Words, history
from terz_env.deal import Deal
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.terz.position import unpack_talon
from terz_env.games.terz.state import BREAK_SIZE, MARRIAGE, RUN, TABLE
from terz_env.position import Position
from terz_env.readings import RELATIVE_SEATS, Fact
from terz_env.search.worlds import DealLog, Worlds
from terz_env.state import State
from terz_env.views import look

Facts = dict[str, Fact]
_ACTIONS = {"play": "cards", "announce": "name", "break": "break", "exchange": ""}
"""The events that are actions, and the fact that names the action to the seat that acts."""
_BREAK_MASK = 15


def witnessed(position: Position, seat: int, log: Words, most: int | None = None) -> list[Facts]:
    """Returns what a seat has witnessed in a deal, or the first of it, an event a dictionary."""
    layout = position.game.views["history"].layout
    rows = look(position, seat, "history", log)[:most]
    return [layout.decode(row) for row in rows if row.any()]


def deal_of(position: Position, log: Words) -> Deal:
    """Returns the deal that a position comes from."""
    game = position.game
    seats = [witnessed(position, seat, log, 2) for seat in range(game.n_seats)]
    hands = [_cards(start) for start, _ in seats]
    (turned,) = _cards(seats[0][1])
    if not game.talon_size:
        return Deal(position.dealer, hands, photo=turned)
    *drawn, _ = unpack_talon(position.words.tolist(), game.talon_size)
    size = int(position.words[TABLE]) >> BREAK_SIZE & _BREAK_MASK
    talon = drawn[:size][::-1] + drawn[size:][::-1] if size else drawn  # (Rule T8)
    names = [game.deck.names[card] for card in talon]
    return Deal(position.dealer, hands, trump_card=turned, talon=names)


def _cards(facts: Facts) -> list[str]:
    cards = facts["cards"]
    assert isinstance(cards, tuple)
    return list(cards)


def actions_of(position: Position, log: Words) -> list[int]:
    """Returns the actions that have led from the deal to a position.

    Args:
        position: The position; breaks done by the engine are no actions.
        log: The log of the deal.
    """
    game = position.game
    seats = [witnessed(position, seat, log) for seat in range(game.n_seats)]
    chosen = position.rules.to_dict().get("break_deck") == "choose"
    names = []
    for events in zip(*seats, strict=True):
        kind = events[0]["kind"]
        if kind not in _ACTIONS or (kind == "break" and not chosen):
            continue
        facts = events[RELATIVE_SEATS[game.n_seats].index(str(events[0]["seat"]))]
        fact = _ACTIONS[str(kind)]
        names += _cards(facts) if fact == "cards" else [str(facts[fact] if fact else "seven")]
    return [game.actions.index(action) for action in names]


def imagined(
    start: Play, position: State, log: Words, actions: Sequence[int], seat: int, seed: int
) -> list[int]:
    """Returns the chance and the actions of a deal that a seat cannot tell from the real one.

    Args:
        start: A play of which nothing has been dealt; it is played on.
        position: The real position; of the hidden cards nothing is used. Deals are uniform.
        log: The log of the real deal.
        actions: What has been played.
        seat: The seat; it need not be its turn.
        seed: The seed of the draw.

    Raises:
        PositionError: No deal agrees with what the seat knows.
    """
    told_log = DealLog.of(log) if position.game.family == "terz" else None
    world = Worlds(position, seat, told_log, seed=seed).draw()
    outcomes = start.dealing.outcomes_of(deal_of(world, log))
    for outcome in outcomes:
        start.chance(outcome)
    rng = np.random.default_rng(seed)
    told = _retold(start, actions, seat, history(position, log, seat), rng)
    if told is None:
        raise PositionError(f"the announcements fit no deal that seat_{seat} can imagine")
    return [*outcomes, *told]


def _retold(
    play: Play, actions: Sequence[int], seat: int, rows: Words, rng: np.random.Generator
) -> list[int] | None:
    """Plays actions on; returns them, with the names of announcements that the seat cannot know."""
    told: list[int] = []
    for number, action in enumerate(actions):
        if play.seat == seat or not _is_announcement(play.game, action):
            play.act(action)
            told.append(action)
            continue
        lawful = play.dealt.legal_actions()
        names = [name for name in lawful if _is_announcement(play.game, name)]
        for name in rng.permutation(names).tolist():
            tried = copy.deepcopy(play)
            tried.act(name)
            if _agrees(tried, seat, rows):
                rest = _retold(tried, actions[number + 1 :], seat, rows, rng)
                if rest is not None:
                    return [*told, name, *rest]
        return None
    return told


def _is_announcement(game: Game, action: int) -> bool:
    return game.family == "terz" and RUN <= game.engine_actions[action] <= MARRIAGE


def _agrees(play: Play, seat: int, rows: Words) -> bool:
    """Tells whether a seat has witnessed so far what it has in the real deal."""
    so_far = history(play.dealt, play.log, seat)
    return bool((so_far == rows[: len(so_far)]).all())
