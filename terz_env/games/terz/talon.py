"""Terz: dealing, drawing, breaking the deck and the trump seven (T4, T7, T8, T13)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member, random_subset
from terz_env.games.terz.state import (
    ALL_CARDS,
    BREAK_PENDING,
    BREAK_SIZE,
    FULL_GAME,
    HAND,
    KNOWN,
    LEADER,
    MICRO_CARDS,
    MINI_CARDS,
    RULES,
    TABLE,
    TALON,
    TALON_TRICKS,
    TRUMP_CARD,
    State,
    get,
    seat_to_act,
    set_field,
    trick_number,
    trump_suit,
)
from terz_env.kernel import inline

_TALON_WORD = 7


@inline
def talon_card(state: State, place: int) -> int:
    """Returns the card drawn as number `place`, from 0."""
    word = place // _TALON_WORD
    return get(state, TALON + word, 5 * (place - _TALON_WORD * word), 31)


@inline
def set_talon_card(state: State, place: int, card: int) -> None:
    """Puts a card into the order of drawing."""
    word = place // _TALON_WORD
    set_field(state, TALON + word, 5 * (place - _TALON_WORD * word), 31, card)


@inline
def deal_cards(state: State, stream: NDArray[np.uint64]) -> None:
    """Deals the hands and lays the talon, the trump card last (Rule T4, M1, M2)."""
    talon = 2 * get(state, RULES, TALON_TRICKS, 15)
    cards, size = ALL_CARDS, 9
    if not get(state, RULES, FULL_GAME, 1):
        cards, size = MINI_CARDS if talon == 4 else MICRO_CARDS, 2
    state[HAND] = random_subset(cards, size, stream)
    cards &= ~state[HAND]
    state[HAND + 1] = random_subset(cards, size, stream)
    cards &= ~state[HAND + 1]
    state[TALON] = 0
    state[TALON + 1] = 0
    for place in range(talon):
        card = random_member(cards, stream)
        cards &= ~(1 << card)
        set_talon_card(state, place, card)


@inline
def draw(state: State) -> None:
    """Draws a card each, the winner first; the trump card goes last and is public (Rule T7)."""
    done = trick_number(state)
    winner = get(state, TABLE, LEADER, 1)
    state[HAND + winner] |= 1 << talon_card(state, 2 * done - 2)
    last = 1 << talon_card(state, 2 * done - 1)
    state[HAND + 1 - winner] |= last
    if done == get(state, RULES, TALON_TRICKS, 15):
        state[KNOWN + 1 - winner] |= last


@inline
def break_deck(state: State, size: int) -> None:
    """Moves the top cards to the bottom and turns the order of drawing (Rule T8).

    With face-down cards c1 … c13 the order of drawing is ck … c1, c13 … ck+1.
    """
    low, high = state[TALON], state[TALON + 1]
    for place in range(13):
        source = size - 1 - place if place < size else 12 - (place - size)
        word = low if source < _TALON_WORD else high
        shift = 5 * (source if source < _TALON_WORD else source - _TALON_WORD)
        set_talon_card(state, place, (word >> shift) & 31)
    state[TABLE] &= ~(1 << BREAK_PENDING)
    state[TABLE] |= size << BREAK_SIZE


@inline
def exchange(state: State) -> None:
    """Exchanges the trump seven for the trump card, in public (Rule T13)."""
    seat = seat_to_act(state)
    gained = get(state, TABLE, TRUMP_CARD, 31)
    seven = 8 * trump_suit(state)
    state[HAND + seat] ^= (1 << seven) | (1 << gained)
    state[KNOWN + seat] = (state[KNOWN + seat] & ~(1 << seven)) | (1 << gained)
    set_talon_card(state, 13, seven)
    set_field(state, TABLE, TRUMP_CARD, 31, seven)
