"""Terz: the suits renamed, in positions, logs, actions and observations, and a canonical order.

The rules treat the suits alike but for one tie: among equal melds that beat an announcement the
first in the order S, C, D, H is shown (Rule T19).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.history import (
    ANNOUNCEMENT,
    ENTRIES,
    ENTRY_MASK,
    ENTRY_VALUE,
    LOG_SIZE,
    N_ENTRIES,
    TURNED,
    Log,
)
from terz_env.games.terz.observation import LAYOUT
from terz_env.games.terz.state import (
    ALL_CARDS,
    ANNOUNCED,
    EVENT,
    EVENT_SHOWN,
    FOUR,
    HAND,
    HAS_LAST,
    HAS_LED,
    KNOWN,
    LAST_LED,
    LAST_REPLY,
    LED,
    LEGAL,
    N_WORDS,
    PLAYED,
    RUN,
    SCORED,
    TABLE,
    TALON,
    TRICK,
    TRUMP_CARD,
    State,
    get,
    set_field,
)
from terz_env.games.terz.talon import set_talon_card, talon_card
from terz_env.kernel import inline
from terz_env.observation import flip, take
from terz_env.suits import order_by_keys, renamed, renamed_card

N_TALON = 14
_RUNS = (1 << 24) - 1
_NAME = 127
_SUIT_FIELDS = ("hand", "own_known", "own_played", "played", "known", "may_hold", "led")
_CARD_FIELDS = tuple(LAYOUT.field(name).offset for name in (*_SUIT_FIELDS, "own_scored", "scored"))
_ANNOUNCED = LAYOUT.field("own_announced").offset
_TRUMP = LAYOUT.field("trump_suit").offset


@inline
def renamed_names(names: int, order: int) -> int:
    """Returns a set of actions, cards and runs renamed, the others as they are."""
    cards = renamed(names & ALL_CARDS, 8, order)
    runs = renamed((names >> RUN) & _RUNS, 6, order)
    return cards | (runs << RUN) | ((names >> FOUR) << FOUR)


@inline
def renamed_action(action: int, order: int) -> int:
    """Returns the number of an action when the suits are renamed."""
    if action < 0 or action >= FOUR:
        return action
    if action < RUN:
        return renamed_card(action, 8, order)
    return RUN + renamed_card(action - RUN, 6, order)


@inline
def renamed_event(event: int, order: int) -> int:
    """Returns the word of an announcement with both melds renamed; 0 stays 0."""
    if event == 0:
        return event
    name, shown = event & _NAME, (event >> EVENT_SHOWN) & _NAME
    event ^= name ^ renamed_action(name, order)
    if shown == 0:
        return event
    return event ^ ((shown ^ (renamed_action(shown - 1, order) + 1)) << EVENT_SHOWN)


@inline
def renamed_set(word: int, order: int) -> int:
    """Returns a word whose low 32 bits are cards, these renamed."""
    return ((word >> 32) << 32) | renamed(word & ALL_CARDS, 8, order)


@inline
def relabel(state: State, order: int, out: State) -> None:
    """Writes a position with the suits renamed into `out`, another array."""
    for word in range(N_WORDS):
        out[word] = state[word]
    for seat in range(2):
        out[HAND + seat] = renamed_set(state[HAND + seat], order)
        out[PLAYED + seat] = renamed_set(state[PLAYED + seat], order)
        out[KNOWN + seat] = renamed_set(state[KNOWN + seat], order)
        out[SCORED + seat] = renamed_set(state[SCORED + seat], order)
        out[TALON + seat] = 0
    for place in range(N_TALON):
        set_talon_card(out, place, renamed_card(talon_card(state, place), 8, order))
    for shift in (LED, TRUMP_CARD, LAST_LED, LAST_REPLY):
        started = get(state, TABLE, HAS_LED, 1) | get(state, TABLE, TRICK, 31)
        if shift == TRUMP_CARD or (started if shift == LED else get(state, TABLE, HAS_LAST, 1)):
            card = get(state, TABLE, shift, 31)
            set_field(out, TABLE, shift, 31, renamed_card(card, 8, order))
    out[ANNOUNCED] = renamed_names(state[ANNOUNCED], order)
    out[LEGAL] = renamed_names(state[LEGAL], order)
    out[EVENT] = renamed_event(state[EVENT], order)


@inline
def relabel_log(log: Log, order: int, out: Log) -> None:
    """Writes the log of a deal with the suits renamed into `out`, another array."""
    for word in range(LOG_SIZE):
        out[word] = log[word]
    out[TURNED] = renamed_card(log[TURNED], 8, order)
    for index in range(log[N_ENTRIES]):
        entry = ENTRIES + 2 * index
        head = log[entry]
        value = head >> ENTRY_VALUE
        if head & ENTRY_MASK == ANNOUNCEMENT:
            value = renamed_event(value, order)
        else:
            value = renamed_card(value, 8, order)
        out[entry] = (head & ((1 << ENTRY_VALUE) - 1)) | (value << ENTRY_VALUE)
        out[entry + 1] = renamed(log[entry + 1], 8, order)


@inline
def relabel_observation(words: NDArray[np.int64], order: int) -> None:
    """Renames the suits in the bits of an observation, in place."""
    for offset in _CARD_FIELDS:
        cards = take(words, offset, 32)
        flip(words, offset, 32, cards ^ renamed(cards, 8, order))
    runs = take(words, _ANNOUNCED, 24)
    flip(words, _ANNOUNCED, 24, runs ^ renamed(runs, 6, order))
    trump = take(words, _TRUMP, 4)
    flip(words, _TRUMP, 4, trump ^ renamed(trump, 1, order))


@inline
def canonical_order(words: NDArray[np.int64], keys: NDArray[np.int64]) -> int:
    """Returns the order that brings an observation into canonical form: trumps first.

    The plain suits follow by what the seat sees of them, the field `hand` counting most, then the
    others in the order of the layout. Suits that tie are alike in every entry.

    Args:
        words: The bits of the observation.
        keys: Room for eight words.
    """
    for suit in range(4):
        key = take(words, _TRUMP + suit, 1)
        for index in range(7):
            key = (key << 8) | take(words, _CARD_FIELDS[index] + 8 * suit, 8)
        keys[2 * suit] = key
        key = take(words, _ANNOUNCED + 6 * suit, 6)
        for index in range(7, 9):
            key = (key << 8) | take(words, _CARD_FIELDS[index] + 8 * suit, 8)
        keys[2 * suit + 1] = key
    return order_by_keys(keys)
