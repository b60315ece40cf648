"""Terz: what the rule players announce before they play a card (T13, T14, T16, T18, T22)."""

from __future__ import annotations

from terz_env.games.terz.melds import four_strength, run_length, run_strength, run_top
from terz_env.games.terz.state import (
    FOUR,
    HAND,
    LEGAL,
    MARRIAGE,
    RUN,
    SEVEN,
    State,
    seat_to_act,
    trump_suit,
)
from terz_env.kernel import inline, lowest

NOTHING = -1
_NAMES = (1 << (MARRIAGE - RUN)) - 1


@inline
def next_announcement(state: State) -> int:
    """Returns the strongest lawful meld, else the marriage, else the seven, else `NOTHING`.

    It may not be asked while the break is pending.
    """
    legal = state[LEGAL]
    if legal >> RUN == 0:
        return NOTHING
    names = (legal >> RUN) & _NAMES
    hand = state[HAND + seat_to_act(state)]
    trump = trump_suit(state)
    best, most = NOTHING, 0
    while names != 0:
        action = RUN + lowest(names)
        names &= names - 1
        if action >= FOUR:
            strength = four_strength(action)
        else:
            top = run_top(action)
            strength = run_strength(run_length(hand, top), top, trump)
        if strength > most:
            best, most = action, strength
    if best != NOTHING:
        return best
    return MARRIAGE if (legal >> MARRIAGE) & 1 else SEVEN
