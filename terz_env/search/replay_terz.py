"""Terz: the past of a deal, to be played again in worlds in which it may have gone as it did."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.history import (
    ANNOUNCEMENT,
    ENTRIES,
    ENTRY_MASK,
    ENTRY_SEAT,
    ENTRY_VALUE,
    EXCHANGE,
    N_ENTRIES,
    START_RAISES,
    START_SCORES,
    TURNED,
    Log,
    dealt_cards,
)
from terz_env.games.terz.melds import run_top
from terz_env.games.terz.rules import play_lawful, start_deal
from terz_env.games.terz.state import (
    BREAK,
    BREAK_CHOICE,
    BREAK_SIZE,
    DEALER,
    EVENT,
    EVENT_OUTCOME,
    EVENT_TOP,
    FOUR,
    HAND,
    LEGAL,
    N_ACTIONS,
    N_WORDS,
    OUTCOME_BEATEN,
    RAISES,
    RULES,
    RUN,
    SCORES,
    SEVEN,
    TABLE,
    State,
    get,
)
from terz_env.games.terz.talon import set_talon_card, talon_card
from terz_env.kernel import inline, kernel, lowest, row_of

_NAME = 127
_RUNS_AND_FOURS = ((1 << 28) - 1) << RUN
_FACE_DOWN = 13


@inline
def lay_talon_together(world: State, size: int, start: State) -> None:
    """Undoes the break of the deck (Rule T8): place by place, what lay where before it."""
    for place in range(_FACE_DOWN):
        source = size - 1 - place if place < size else _FACE_DOWN - 1 - (place - size)
        set_talon_card(start, source, talon_card(world, place))


@kernel
def rewind(worlds: NDArray[np.int64], log: Log, rules: int, starts: NDArray[np.int64]) -> None:
    """Writes the beginning of every world's deal (N, W).

    Args:
        worlds: Worlds (N, W) that agree with the log.
        log: The log of the deal.
        rules: The word RULES of the true position: worlds are played as single deals.
        starts: Receives the positions before the first action.
    """
    for row in range(worlds.shape[0]):
        world = row_of(worlds, row)
        start = row_of(starts, row)
        for word in range(N_WORDS):
            start[word] = world[word]
        for seat in range(2):
            start[HAND + seat] = dealt_cards(world, seat, log)
            start[SCORES + seat] = log[START_SCORES + seat]
            start[RAISES + seat] = log[START_RAISES + seat]
        start[RULES] = rules
        size = get(world, TABLE, BREAK_SIZE, 15)
        if size > 0:
            lay_talon_together(world, size, start)
        set_talon_card(start, _FACE_DOWN, log[TURNED])
        start_deal(start, get(world, TABLE, DEALER, 1))


@inline
def looks_alike(event: int, other: int) -> int:
    """Tells whether two beaten announcements look alike to who beat them (Rule T21)."""
    if event & ~_NAME != other & ~_NAME:
        return 0
    if not (event >> EVENT_TOP) & 1:
        return 1
    name, named = event & _NAME, other & _NAME
    if name >= FOUR:
        return 1 if name == named else 0
    return 1 if run_top(name) & 7 == run_top(named) & 7 else 0


@kernel
def mark_names(states: NDArray[np.int64], event: int, fits: NDArray[np.bool_]) -> None:
    """Marks the announcements (N, A) that would have looked like a beaten one of the opponent."""
    after = np.empty(N_WORDS, np.int64)
    for row in range(states.shape[0]):
        names = states[row, LEGAL] & _RUNS_AND_FOURS
        while names != 0:
            name = lowest(names)
            names &= names - 1
            for word in range(N_WORDS):
                after[word] = states[row, word]
            play_lawful(after, name)
            fits[row, name] = looks_alike(after[EVENT], event) == 1


class TerzPast:
    """What has happened since the deal, to be played again in each of N worlds."""

    def __init__(
        self, state: NDArray[np.int64], worlds: NDArray[np.int64], seat: int, log: Log
    ) -> None:
        """Takes the position (W,), worlds (N, W) in which its log (L,) holds, and who looks on."""
        self.starts = np.zeros_like(worlds)
        rewind(worlds, log, int(state[RULES]), self.starts)
        self._seat = seat
        self._heads: list[int] = log[ENTRIES : ENTRIES + 2 * int(log[N_ENTRIES]) : 2].tolist()
        table, rules = int(state[TABLE]), int(state[RULES])
        self._break = BREAK - 1 + (table >> BREAK_SIZE & 15)
        if rules >> BREAK_CHOICE & 1 and self._break >= BREAK:
            cards = [place for place, head in enumerate(self._heads) if not head & ENTRY_MASK]
            self._heads.insert(cards[1] + 1, -1)  # the loser of trick 1 broke the deck

    def __len__(self) -> int:
        """Returns the number of actions."""
        return len(self._heads)

    def fitting(self, number: int, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Returns which actions look like action `number` in each world (N, A).

        It is one, but for a beaten announcement of the opponent, whose name is not public.
        """
        fits = np.zeros((len(states), N_ACTIONS), dtype=np.bool_)
        head = self._heads[number]
        value, kind = head >> ENTRY_VALUE, head & ENTRY_MASK
        if head < 0:
            fits[:, self._break] = True
        elif kind == EXCHANGE:
            fits[:, SEVEN] = True
        elif kind == ANNOUNCEMENT:
            beaten = value >> EVENT_OUTCOME & 3 == OUTCOME_BEATEN
            if beaten and head >> ENTRY_SEAT & 1 != self._seat:
                mark_names(states, value, fits)
            else:
                fits[:, value & _NAME] = True
        else:
            fits[:, value] = True
        return fits
