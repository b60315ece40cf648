"""Plain minimax on `State`, without bounds, and positions small enough for it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from terz_env.games.terz import state as terz
from terz_env.games.terz.rules import refresh_legal
from terz_env.games.terz.variant import TerzRules
from terz_env.kernel import COMPILED, kernel
from terz_env.state import State

Worth = Callable[[State], float]
SCALE = 1 if COMPILED else 40
"""Fewer positions where nothing is compiled."""


@kernel
def _refresh(words: Any) -> None:
    refresh_legal(words)


def minimax(state: State, worth: Worth, raisers: int, seen: dict[bytes, float]) -> float:
    """Returns what a deal is worth at its end; the seats of the set `raisers` raise it."""
    if state.deal_is_over:
        return worth(state)
    key = state.to_bytes()
    if key not in seen:
        values = action_values(state, worth, raisers, seen).values()
        seen[key] = max(values) if raisers >> state.seat_to_act & 1 else min(values)
    return seen[key]


def action_values(
    state: State, worth: Worth, raisers: int, seen: dict[bytes, float]
) -> dict[str, float]:
    """Returns what each legal action is worth."""
    values = {}
    for name in state.legal_names():
        state.apply(name)
        values[name] = minimax(state, worth, raisers, seen)
        state.undo()
    return values


def standing(state: State) -> int:
    """Returns seat 0's card points and melds, less seat 1's."""
    points = [(int(word) & 1023) + (int(word) >> 10 & 0xFFFFF) for word in state.words[12:14]]
    return points[0] - points[1]


def random_rules(chooser: random.Random) -> TerzRules:
    """Returns a random value of every option that matters before the last card."""
    choices = {name: chooser.choice(values) for name, values in TerzRules.CHOICES.items()}
    return TerzRules(**{**choices, "illegal_actions": "raise"})


def short_deal(
    chooser: random.Random,
    *,
    trick: int,
    hand_size: int,
    talon_tricks: int = 7,
    scope: str = "deal",
    pack: int = terz.ALL_CARDS,
) -> State:
    """Returns a deal of Terz that stands at a trick (from 0) and ends after few.

    Cards, points, scores and what has scored so far are random; the last cards of the talon are
    still to be drawn where the talon phase is not over.
    """
    rules = random_rules(chooser)
    words = State.new("terz", rules, scope=scope).words
    cards = [card for card in range(32) if pack >> card & 1]
    others = [card for card in range(32) if not pack >> card & 1]
    chooser.shuffle(cards)
    chooser.shuffle(others)
    cards += others
    for seat in range(2):
        hand = [cards.pop(0) for _ in range(hand_size)]
        words[seat] = sum(1 << card for card in hand)
        words[terz.SCORED + seat] = chooser.getrandbits(37) & chooser.getrandbits(37)
        words[terz.POINTS + seat] = chooser.randrange(60)
        words[terz.SCORES + seat] = 10 * chooser.randrange(36, 50) if scope == "match" else 0
    words[2:6] = 0
    packed = [0, 0]
    for place in range(14):
        packed[place // 7] |= cards[place] << 5 * (place % 7)
    words[terz.TALON : terz.TALON + 2] = packed
    trump_card = cards[13]
    words[terz.TABLE] = (
        (chooser.getrandbits(1) << terz.LEADER)
        | (trick << terz.TRICK)
        | (trump_card << terz.TRUMP_CARD)
    )
    tricks = trick + hand_size + max(0, talon_tricks - trick)
    sizes = (31 << terz.ALL_TRICKS) | (15 << terz.TALON_TRICKS)
    words[terz.RULES] &= ~np.int64(sizes)
    words[terz.RULES] |= (tricks << terz.ALL_TRICKS) | (talon_tricks << terz.TALON_TRICKS)
    words[terz.ANNOUNCED] = 0
    _refresh(words)
    return State(State.new("terz").game, rules, scope, words)


def play_some(state: State, chooser: random.Random, most: int) -> None:
    """Plays up to `most` random actions, as long as the deal goes on after each."""
    for _ in range(chooser.randrange(most + 1)):
        state.apply(chooser.choice(state.legal_names()))
        if state.deal_is_over:
            state.undo()
            return
