"""Tetka: the suits renamed, in positions, actions and observations, and a canonical order.

The rules treat the suits alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.observation import LAYOUT
from terz_env.games.tetka.state import (
    ALL_CARDS,
    BEST_CARD,
    COUNT,
    HAND,
    N_CARDS,
    N_WORDS,
    PHOTO,
    PLAYED,
    REVOKES,
    TABLE,
    TRICK,
    TRICK_OF,
    VOIDS,
    State,
    get,
)
from terz_env.kernel import inline
from terz_env.observation import flip, take
from terz_env.suits import NEW_SUIT, order_by_keys, renamed, renamed_card

_PLAYED = ("played_left", "played_opposite", "played_right")
_MAY_HOLD = ("may_hold_left", "may_hold_opposite", "may_hold_right")
_CARD_FIELDS = tuple(
    LAYOUT.field(name).offset for name in ("hand", *_PLAYED, *_MAY_HOLD, "table", "photo")
)
_PHOTO, _LED = LAYOUT.field("photo").offset, LAYOUT.field("led_suit").offset


@inline
def renamed_action(action: int, order: int) -> int:
    """Returns the number of an action when the suits are renamed."""
    if action < 0 or action >= N_CARDS:
        return action
    return renamed_card(action, 13, order)


@inline
def rename_at(out: State, shift: int, order: int) -> None:
    """Renames the suit of a card of six bits within the word of the table."""
    card = get(out, TABLE, shift, 63)
    out[TABLE] ^= (card ^ renamed_card(card, 13, order)) << shift


@inline
def relabel(state: State, order: int, out: State) -> None:
    """Writes a position with the suits renamed into `out`, another array."""
    for word in range(N_WORDS):
        out[word] = state[word]
    for seat in range(4):
        played = state[PLAYED + seat]
        out[HAND + seat] = renamed(state[HAND + seat], 13, order)
        out[PLAYED + seat] = renamed(played & ALL_CARDS, 13, order)
        out[PLAYED + seat] |= renamed((played >> VOIDS) & 15, 1, order) << VOIDS
        out[PLAYED + seat] |= (played >> REVOKES) << REVOKES
    for suit in range(4):
        out[TRICK_OF + NEW_SUIT[order, suit]] = state[TRICK_OF + suit]
    rename_at(out, PHOTO, order)
    count = get(state, TABLE, COUNT, 3)
    if count == 0 and get(state, TABLE, TRICK, 15) > 0:
        count = 4  # the last trick stays in the word until the next lead
    for place in range(count):
        rename_at(out, 6 * place, order)
    if count > 0:
        rename_at(out, BEST_CARD, order)


@inline
def relabel_observation(words: NDArray[np.int64], order: int) -> None:
    """Renames the suits in the bits of an observation, in place."""
    for offset in _CARD_FIELDS:
        cards = take(words, offset, 52)
        flip(words, offset, 52, cards ^ renamed(cards, 13, order))
    led = take(words, _LED, 4)
    flip(words, _LED, 4, led ^ renamed(led, 1, order))


@inline
def canonical_order(words: NDArray[np.int64], keys: NDArray[np.int64]) -> int:
    """Returns the order that brings an observation into canonical form: the photo's suit first.

    The other suits follow by what the seat sees of them, the field `hand` counting most, then the
    others in the order of the layout. Suits that tie are alike in every entry.

    Args:
        words: The bits of the observation.
        keys: Room for eight words.
    """
    for suit in range(4):
        key = 1 if take(words, _PHOTO + 13 * suit, 13) != 0 else 0
        for index in range(4):
            key = (key << 13) | take(words, _CARD_FIELDS[index] + 13 * suit, 13)
        keys[2 * suit] = key
        key = take(words, _LED + suit, 1)
        for index in range(4, 8):
            key = (key << 13) | take(words, _CARD_FIELDS[index] + 13 * suit, 13)
        keys[2 * suit + 1] = key
    return order_by_keys(keys)
