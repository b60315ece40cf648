"""The views of a position as arrays, the log that two of them read, and the suits renamed."""

from __future__ import annotations

import operator
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from terz_env.errors import ObservationError
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.observation import VIEWS, View
from terz_env.position import Position
from terz_env.state import State
from terz_env.suits import INVERSE, N_ORDERS, NEW_SUIT

Log = NDArray[np.int64]


def get_view(game: str, name: str) -> View:
    """Returns a view of a game.

    Raises:
        UnknownGameError: There is no such game.
        ObservationError: There is no such view.
    """
    views = get_game(game).views
    if name not in views:
        raise ObservationError(f"view={name!r}; use {', '.join(VIEWS)}")
    return views[name]


def begin_log(state: Position) -> Log:
    """Returns the log of a deal that has just been dealt; `play` fills it.

    Tetka's log is empty: the words of its positions keep the order of play.
    """
    log = np.zeros(state.game.log_size, dtype=np.int64)
    state.game.kernels.begin_log_one(log, state.words)
    return log


def play(state: State, log: Log, action: SupportsIndex | str) -> None:
    """Plays an action and adds it to the log of the deal.

    Raises:
        IllegalActionError: As `State.apply`; position and log are unchanged.
    """
    seat = state.seat_to_act
    state.apply(action)
    state.game.kernels.note_one(log, seat, _engine_number(state.game, action), state.words)


def _engine_number(game: Game, action: SupportsIndex | str) -> int:
    if isinstance(action, str):
        number = game.actions.index(action) if action in game.actions else -1
    else:
        number = operator.index(action)
    return game.engine_actions[number] if 0 <= number < game.n_actions else -1


def look(
    state: Position, seat: int, view: str = "observation", log: Log | None = None
) -> NDArray[np.uint8]:
    """Returns what a seat sees, at any time, in the shape of the view.

    Args:
        state: The position.
        seat: Who looks; it need not be its turn.
        view: One of "observation", "table", "state", "history".
        log: The log of the deal, for Terz's "table" and "history"; none is needed before the first
            action.

    Raises:
        ObservationError: There is no such view or seat, or the log is not that of the position.
    """
    shown = get_view(state.game.name, view)
    if isinstance(seat, bool) or seat not in range(state.game.n_seats):
        raise ObservationError(f"seat {seat!r}; the seats are 0 to {state.game.n_seats - 1}")
    if log is None:
        log = begin_log(state)
    if shown.needs_log and not _fits(log, state):
        raise ObservationError(
            f"the log is not that of the position; the view {view} needs one that was begun with "
            "the deal (`begin_log`) and told every action (`play`)"
        )
    words = np.zeros(shown.n_words, dtype=np.int64)
    shown.write(state.words, log, seat, words)
    return shown.expand(words)


def _fits(log: Log, state: Position) -> bool:
    kernels = state.game.kernels
    return log.shape == (state.game.log_size,) and kernels.is_log_one(log, state.words) == 1


def canonical_order(state: Position, seat: int) -> int:
    """Returns the order of the suits that a seat's observation has in canonical form.

    Raises:
        ObservationError: The game is a small one, with two suits.
    """
    _refuse_small(state)
    words = np.zeros(state.game.layout.n_words, dtype=np.int64)
    state.game.kernels.observe_one(state.words, seat, words)
    return int(state.game.kernels.canonical_order_one(words))


def relabelled(state: State, order: int) -> State:
    """Returns a position with the suits renamed; `NEW_SUIT[order, suit]` is the new suit.

    Raises:
        ObservationError: There is no such order, or the game is a small one, with two suits.
    """
    _check_order(state, order)
    other = state.clone()
    state.game.kernels.relabel_one(state.words, order, other.words)
    return other


def relabelled_log(state: Position, log: Log, order: int) -> Log:
    """Returns the log of a deal with the suits renamed.

    Raises:
        ObservationError: There is no such order, or the game is a small one, with two suits.
    """
    _check_order(state, order)
    other = np.zeros_like(log)
    state.game.kernels.relabel_log_one(log, order, other)
    return other


def action_to_canonical(game: str, action: int, order: int) -> int:
    """Returns the number of an action when the suits are renamed."""
    return int(get_game(game).kernels.rename_action_one(action, order))


def action_from_canonical(game: str, action: int, order: int) -> int:
    """Returns the action that has this number when the suits are renamed."""
    return int(get_game(game).kernels.rename_action_one(action, int(INVERSE[order])))


def _check_order(state: Position, order: int) -> None:
    _refuse_small(state)
    if not 0 <= order < N_ORDERS:
        raise ObservationError(f"order {order}; there are {len(NEW_SUIT)}, from 0 on")


def _refuse_small(state: Position) -> None:
    if state.game.name != state.game.family:
        raise ObservationError(f"{state.game.name} has two suits; they are not renamed")
