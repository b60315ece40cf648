"""Terz: whether an arranged world agrees with the announcements (Rules T16–T21, T27)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member
from terz_env.games.terz.melds import (
    four_strength,
    fours_held,
    holds_meld,
    run_action,
    run_can_score,
    run_cards,
    run_length,
    run_strength,
    run_tops,
    strongest_meld,
)
from terz_env.games.terz.state import FOUR, SCORED_FOURS
from terz_env.kernel import inline, lowest, popcount
from terz_env.search.terz_plan import (
    CANDIDATES,
    CHECK_NAMES,
    CHECK_SIZE,
    CHECK_TURN,
    CHECKS,
    FALSE_ANNOUNCEMENT,
    FIRST,
    FOURTH,
    KIND,
    LAST_NAME,
    LEFT_BEFORE,
    N_CANDIDATES,
    N_CHECKS,
    OPEN,
    OWN_ANNOUNCEMENT,
    SCORED_BEFORE,
    SECOND,
    THIRD,
    TIME,
    TURN,
    Plan,
    hand_at,
)


@inline
def agrees_with_contest(
    hand: int,
    scored: int,
    strength: int,
    shown: int,
    recorded: int,
    blocking: int,
    growth: int,
    trump: int,
) -> int:
    """Tells whether a hand answers an announcement as the opponent's hand did (Rule T19).

    Args:
        hand: The opponent's hand.
        scored: His scored things.
        strength: The strength of the seat's announcement.
        shown: The name of the meld that beat it, -1 if none did.
        recorded: Whether that meld was recorded.
        blocking: The option `blocking`.
        growth: The option `growth`.
        trump: The trump suit.
    """
    blocker = strongest_meld(hand, scored, blocking, growth, trump)
    if blocker >> 7 <= strength:
        return 1 if shown < 0 else 0
    if shown < 0:
        return 0
    scoring = strongest_meld(hand, scored, 1, growth, trump)
    if scoring >> 7 > strength:
        return 1 if recorded and scoring & 127 == shown else 0
    return 1 if not recorded and blocker & 127 == shown else 0


@inline
def possible_names(
    hand: int, scored: int, mask: int, value: int, least: int, most: int, growth: int, trump: int
) -> int:
    """Returns the melds of a hand that a beaten announcement may have named, as a set of actions.

    Args:
        hand: The opponent's hand.
        scored: His scored things.
        mask: The bits of the strength that are public.
        value: Their value.
        least: The strength is at least this.
        most: The strength is below this.
        growth: The option `growth`.
        trump: The trump suit.
    """
    names = 0
    fours = fours_held(hand) & ~(scored >> SCORED_FOURS)
    while fours != 0:
        action = FOUR + lowest(fours)
        fours &= fours - 1
        strength = four_strength(action)
        if strength & mask == value and least <= strength < most:
            names |= 1 << action
    tops = run_tops(hand)
    while tops != 0:
        top = lowest(tops)
        tops &= tops - 1
        strength = run_strength(run_length(hand, top), top, trump)
        if strength & mask != value or strength < least or strength >= most:
            continue
        if run_can_score(run_cards(hand, top), scored, growth):
            names |= 1 << run_action(top)
    return names


@inline
def can_differ(plan: Plan, first: int, size: int) -> int:
    """Tells whether announcements of one turn can all have had different names (Rule T18).

    By Hall's theorem they can if any k of them have at least k names to choose from.
    """
    for chosen in range(1, 1 << size):
        names = 0
        for index in range(size):
            if (chosen >> index) & 1:
                names |= plan[CANDIDATES + 2 * (first + index)]
        if popcount(names) < popcount(chosen):
            return 0
    return 1


@inline
def can_differ_in_every_turn(plan: Plan) -> int:
    """Tells whether the beaten announcements of every turn can have had different names."""
    first = 0
    for index in range(1, plan[N_CANDIDATES]):
        turn = CANDIDATES + 2 * index + 1
        if plan[turn] != plan[turn - 2]:
            first = index
        elif not can_differ(plan, first, index - first + 1):
            return 0
    return 1


@inline
def passes(plan: Plan, check: int, blocking: int, growth: int, trump: int) -> int:
    """Tells whether the arranged world passes one check; keeps the names of a hidden one."""
    hand = hand_at(plan, plan[check + TIME], plan[check + LEFT_BEFORE], plan[check + OPEN])
    kind = plan[check + KIND]
    first = plan[check + FIRST]
    second = plan[check + SECOND]
    third = plan[check + THIRD]
    scored = plan[check + SCORED_BEFORE]
    if kind == FALSE_ANNOUNCEMENT:
        return 1 - holds_meld(hand, first, trump)
    if kind == OWN_ANNOUNCEMENT:
        return agrees_with_contest(hand, scored, first, second, third, blocking, growth, trump)
    most = plan[check + FOURTH]
    names = possible_names(hand, scored, first, second, third, most, growth, trump)
    names &= ~plan[check + CHECK_NAMES]
    plan[CANDIDATES + 2 * plan[N_CANDIDATES]] = names
    plan[CANDIDATES + 2 * plan[N_CANDIDATES] + 1] = plan[check + CHECK_TURN]
    plan[N_CANDIDATES] += 1
    return 1 if names != 0 else 0


@inline
def agrees(plan: Plan, blocking: int, growth: int, trump: int) -> int:
    """Tells whether the arranged world passes every check."""
    plan[N_CANDIDATES] = 0
    for index in range(plan[N_CHECKS]):
        if not passes(plan, CHECKS + CHECK_SIZE * index, blocking, growth, trump):
            return 0
    return can_differ_in_every_turn(plan)


@inline
def draw_names(plan: Plan, stream: NDArray[np.uint64]) -> int:
    """Draws names for the opponent's beaten announcements of the turn in progress.

    They differ from each other and agree with the arranged world; the last one is kept in
    `plan[LAST_NAME]`.
    """
    while True:
        names, clash = 0, 0
        for index in range(plan[N_CANDIDATES]):
            if plan[CANDIDATES + 2 * index + 1] == plan[TURN]:
                name = random_member(plan[CANDIDATES + 2 * index], stream)
                clash |= (names >> name) & 1
                names |= 1 << name
                plan[LAST_NAME] = name
        if not clash:
            return names
