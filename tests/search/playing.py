"""Plays deals of Terz with their logs, and replays worlds to see whether they look the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.history import LOG_SIZE
from terz_env.state import State

Words = NDArray[np.int64]
MELDS = slice(32, 61)


@dataclass
class Played:
    """A deal of Terz in progress, its log, and what each seat has seen after every action."""

    state: State
    log: Words = field(default_factory=lambda: np.zeros(LOG_SIZE, np.int64))
    actions: list[tuple[int, int]] = field(default_factory=list)
    views: list[list[tuple[int, ...]]] = field(default_factory=lambda: [[], []])

    def __post_init__(self) -> None:
        self.start = self.state.words.copy()
        self.state.game.kernels.begin_log_one(self.log, self.state.words)

    def apply(self, action: int | str) -> None:
        names = self.state.game.actions
        number = names.index(action) if isinstance(action, str) else action
        seat = self.state.seat_to_act
        self.state.apply(number)
        engine = self.state.game.engine_actions[number]
        self.state.game.kernels.note_one(self.log, seat, engine, self.state.words)
        self.actions.append((seat, engine))
        for observer in range(2):
            self.views[observer].append(view(self.state.words, observer))


def view(words: Words, seat: int) -> tuple[int, ...]:
    """Returns what a seat sees: all but the other's hand, the talon and hidden names."""
    event = int(words[20])
    if event >> 8 & 3 == 2 and event >> 7 & 1 != seat:
        top = event & 127
        rank = (top - 32) % 6 if top < 56 else top
        in_trumps = (top - 32) // 6 == int(words[10]) >> 17 & 3
        event = event & ~127
        if event >> 33 & 1:
            event |= rank
        if event >> 34 & 1:
            event |= int(in_trumps) << 6
    public = (*words[2:8], *words[10:11], *words[12:18], event)
    return (int(words[seat]), *(int(word) for word in public))


def play(played: Played, steps: int, chooser: np.random.Generator, announcing: float = 0.7) -> bool:
    """Plays random legal actions, melds more often than cards; False once the deal is over."""
    for _ in range(steps):
        if played.state.deal_is_over:
            return False
        legal = played.state.legal_actions()
        melds = [action for action in legal if action >= 32]
        pool = melds if melds and chooser.random() < announcing else legal
        played.apply(int(chooser.choice(pool)))
    return not played.state.deal_is_over


def talon_of(words: Words, size: int) -> list[int]:
    return [int(words[8 + place // 7]) >> 5 * (place % 7) & 31 for place in range(size)]


def dealt(played: Played, world: Words, seat: int) -> Words:
    """Returns the words at the start of the deal that a world belongs to."""
    size = played.state.game.talon_size
    drawn = talon_of(world, size)
    turned = talon_of(played.start, size)[-1]
    drawn[-1] = turned
    start = played.start.copy()
    rest = played.state.game.cards & ~int(start[seat])
    for card in drawn:
        assert rest >> card & 1, "a card lies in two places"
        rest ^= 1 << card
    start[1 - seat] = rest
    cut = int(world[10]) >> 29 & 15
    if cut:
        order = [cut - 1 - place if place < cut else 12 - (place - cut) for place in range(13)]
        moved = drawn.copy()
        for place, source in enumerate(order):
            moved[source] = drawn[place]
        drawn = moved
    start[8:10] = 0
    for place, card in enumerate(drawn):
        start[8 + place // 7] |= card << 5 * (place % 7)
    played.state.game.kernels.restart_one(start, int(world[10]) >> 13 & 1)
    return start


def endings(played: Played, start: Words, seat: int) -> Iterable[Words]:
    """Yields every position that a deal can lead to with all that the seat has seen."""
    step = played.state.game.kernels.step_one
    fronts = [start]
    for (actor, action), seen in zip(played.actions, played.views[seat], strict=True):
        following = []
        for words in fronts:
            candidates = [action]
            if actor != seat and 32 <= action < 61:
                candidates = list(range(32, 61))
            for candidate in candidates:
                after = words.copy()
                if step(after, candidate) == 0 and view(after, seat) == seen:
                    following.append(after)
        fronts = following
    return fronts


def every_world(
    played: Played, seat: int, deals: Iterable[Words], key: Callable[[Words], Any]
) -> dict[Any, int]:
    """Counts the deals that agree with all that the seat has seen, by a key of their ending."""
    counts: dict[Any, int] = {}
    for start in deals:
        for words in list(endings(played, start, seat))[:1]:
            counts[key(words)] = counts.get(key(words), 0) + 1
    return counts


def fits_uniform(counts: list[int]) -> bool:
    """Tells whether counts agree with equal chances: chi-square within 4.5 deviations."""
    expected = sum(counts) / len(counts)
    statistic = sum((count - expected) ** 2 / expected for count in counts)
    freedom = len(counts) - 1
    return abs(statistic - freedom) <= 4.5 * (2 * freedom) ** 0.5 + 1e-9
