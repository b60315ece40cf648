"""Terz: the yardstick `greedy`, fixed for ever.

It announces everything at once, the strongest meld first, then the marriage and the exchange. Where
the loser of trick 1 chooses the break, it breaks two cards. One legal card is played. Else it plays
the card of the greatest value, among equals the first in the order S C D H, each suit from 7 to A.
"Unseen" is a card neither played nor in the own hand; "place" is 0–7 in the suit's own order.

| leading                       | talon phase       | closed phase      |
|-------------------------------|-------------------|-------------------|
| trump, a higher one unseen    | −points − 10      | −points − 5       |
| trump, no higher one unseen   | −0.2·points − 3   | 20 + points       |
| plain, a higher one unseen    | −points − 0.1·place | −points − 0.1·place |
| plain, no higher one unseen   | 0.3·points        | points + 5        |

| replying          | talon phase                | closed phase                     |
|-------------------|----------------------------|----------------------------------|
| winning           | points of both cards       | points of both cards             |
| … with a trump    | the same − 9 − place       | the same − 3 − 0.5·place         |
| losing            | −1.5·points − 0.1·place    | −1.5·points − 0.1·place          |
| … with a trump    | the same − 6 − place       | the same − 6 − place             |

The code counts in tenths, so that all values are whole numbers and ties are exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.rules import AUTO_BREAK
from terz_env.games.terz.state import (
    ALL_CARDS,
    BREAK,
    BREAK_PENDING,
    FULL_GAME,
    HAND,
    HAS_LED,
    LED,
    LEGAL,
    MICRO_CARDS,
    MINI_CARDS,
    PLAYED,
    RULES,
    TABLE,
    TALON_TRICKS,
    State,
    get,
    seat_to_act,
    trick_number,
    trump_suit,
)
from terz_env.games.terz.tricks import HIGHER, beats, card_value
from terz_env.heuristics.announcing import NOTHING, next_announcement
from terz_env.kernel import inline, kernel, lowest, popcount

WORST = -(1 << 40)
BREAK_TWO = BREAK + AUTO_BREAK - 1


@inline
def unseen_cards(state: State, seat: int) -> int:
    """Returns the cards that are neither played nor in the hand of the seat."""
    pack = ALL_CARDS
    if not get(state, RULES, FULL_GAME, 1):
        pack = MINI_CARDS if get(state, RULES, TALON_TRICKS, 15) == 2 else MICRO_CARDS
    return pack & ~(state[HAND + seat] | state[PLAYED] | state[PLAYED + 1])


@inline
def is_closed(state: State) -> int:
    """Returns 1 in the closed phase."""
    return 1 if trick_number(state) >= get(state, RULES, TALON_TRICKS, 15) else 0


@inline
def higher_cards(card: int, trump: int) -> int:
    """Returns the cards of the suit that stand above a card."""
    suit = card >> 3
    return HIGHER[1 if suit == trump else 0, card & 7] << (8 * suit)


@inline
def place_of(card: int, trump: int) -> int:
    """Returns the place of a card in its suit, 0–7 from low to high (Rule T2)."""
    return 7 - popcount(HIGHER[1 if card >> 3 == trump else 0, card & 7])


@inline
def lead_value(card: int, trump: int, unseen: int, closed: int) -> int:
    """Returns the value of a lead, in tenths."""
    points = card_value(card, trump)
    is_master = higher_cards(card, trump) & unseen == 0
    if card >> 3 == trump:
        if is_master:
            return 200 + 10 * points if closed else -2 * points - 30
        return -10 * points - (50 if closed else 100)
    if is_master:
        return 10 * points + 50 if closed else 3 * points
    return -10 * points - place_of(card, trump)


@inline
def reply_value(card: int, led: int, trump: int, closed: int) -> int:
    """Returns the value of a reply, in tenths."""
    points = card_value(card, trump)
    place = place_of(card, trump)
    is_trump = card >> 3 == trump
    if beats(led, card, trump):
        value = 10 * (points + card_value(led, trump))
        if is_trump:
            value -= 30 + 5 * place if closed else 90 + 10 * place
        return value
    value = -15 * points - place
    if is_trump:
        value -= 60 + 10 * place
    return value


@inline
def greedy_action(state: State) -> int:
    """Returns the action of the seat to act."""
    if get(state, TABLE, BREAK_PENDING, 1):
        return BREAK_TWO
    named = next_announcement(state)
    if named != NOTHING:
        return named
    cards = state[LEGAL] & ALL_CARDS
    if cards & (cards - 1) == 0:
        return lowest(cards)
    trump = trump_suit(state)
    closed = is_closed(state)
    replying = get(state, TABLE, HAS_LED, 1)
    led = get(state, TABLE, LED, 31)
    unseen = unseen_cards(state, seat_to_act(state))
    best, most = lowest(cards), WORST
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if replying:
            value = reply_value(card, led, trump, closed)
        else:
            value = lead_value(card, trump, unseen, closed)
        if value > most:
            best, most = card, value
    return best


@kernel
def greedy_actions(states: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
    """Writes the action of the seat to act of every row (N,)."""
    for row in range(states.shape[0]):
        actions[row] = greedy_action(states[row])
