"""Terz: counts the arrangements of unseen cards that fit the bounds, and builds any one by number.

Three kinds of cards: *must* cards have come to the opponent by a known time; *late* cards came
after some time or lie in the talon; *free* cards have no bounds. The first two are laid into the
draws one after another, with a count for every set of draws that they fill; then the free cards
fill the other draws, the rest of the first hand and the talon, in a closed form. So the number of
arrangements is exact, and each has a number from 0 on.
"""

from __future__ import annotations

from terz_env.kernel import highest, inline, lowest, nth_member, popcount
from terz_env.search.counting import BINOMIAL
from terz_env.search.terz_plan import (
    BOUNDED,
    COUNTS,
    DRAWN,
    ENTERED,
    FREE,
    LOWER,
    N_DRAWS,
    N_FACE_DOWN,
    N_LATE,
    N_MUST,
    N_PAIRS,
    ORIGINAL_SIZE,
    PAIRS,
    TOTAL,
    UNBOUNDED,
    UNIVERSE,
    UPPER,
    Plan,
)

_SETS = 128


@inline
def sort_cards(plan: Plan) -> None:
    """Lists the must cards, then the late ones; the others are free."""
    plan[N_MUST] = 0
    plan[N_LATE] = 0
    plan[FREE] = 0
    cards = plan[UNIVERSE]
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if plan[UPPER + card] < UNBOUNDED:
            plan[BOUNDED + plan[N_MUST]] = card
            plan[N_MUST] += 1
        elif plan[LOWER + card] == 0:
            plan[FREE] |= 1 << card
    cards = plan[UNIVERSE] & ~plan[FREE]
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if plan[UPPER + card] == UNBOUNDED:
            plan[BOUNDED + plan[N_MUST] + plan[N_LATE]] = card
            plan[N_LATE] += 1


@inline
def draws_allowed(plan: Plan, card: int) -> int:
    """Returns the set of draws with which a card may have come."""
    first = plan[LOWER + card] - 1
    last = plan[UPPER + card]
    draws = (1 << plan[N_DRAWS]) - 1
    if last < plan[N_DRAWS]:
        draws &= (1 << last) - 1
    if first > 0:
        draws &= ~((1 << first) - 1)
    return draws


@inline
def stays_aside(plan: Plan, card: int) -> int:
    """Tells whether a bounded card may be in no draw: in the first hand, or in the talon."""
    return 1 if plan[LOWER + card] == 0 or plan[UPPER + card] == UNBOUNDED else 0


@inline
def count_row(plan: Plan, row: int, card: int) -> None:
    """Computes a row of counts: one more card laid into the draws or left aside."""
    size = 1 << plan[N_DRAWS]
    before = COUNTS + _SETS * row
    aside = stays_aside(plan, card)
    allowed = draws_allowed(plan, card)
    for filled in range(size):
        ways = plan[before + filled] if aside else 0
        draws = filled & allowed
        while draws != 0:
            ways += plan[before + (filled ^ (draws & -draws))]
            draws &= draws - 1
        plan[before + _SETS + filled] = ways


@inline
def count_bounded(plan: Plan) -> None:
    """Computes the counts of the must cards (rows 0 on) and of the late ones (after them)."""
    row = 0
    for group in range(2):
        for filled in range(1 << plan[N_DRAWS]):
            plan[COUNTS + _SETS * row + filled] = 0
        plan[COUNTS + _SETS * row] = 1
        first = plan[N_MUST] if group else 0
        for index in range(plan[N_LATE] if group else plan[N_MUST]):
            count_row(plan, row, plan[BOUNDED + first + index])
            row += 1
        row += 1


@inline
def free_ways(plan: Plan, must: int, late: int) -> int:
    """Returns the ways of the free cards where bounded cards fill two given sets of draws."""
    free = popcount(plan[FREE])
    ways = 1
    for _ in range(plan[N_DRAWS] - popcount(must | late)):
        ways *= free
        free -= 1
    room = plan[ORIGINAL_SIZE] - plan[N_MUST] + popcount(must)
    if free < 0 or room < 0 or room > free:
        return 0
    return ways * BINOMIAL[free, room]


@inline
def count_arrangements(plan: Plan) -> None:
    """Counts the arrangements that fit the bounds into `plan[TOTAL]`, pair by pair of sets."""
    sort_cards(plan)
    plan[TOTAL] = 0
    plan[N_PAIRS] = 0
    places = plan[ORIGINAL_SIZE] + plan[N_DRAWS] + plan[N_FACE_DOWN]
    if popcount(plan[UNIVERSE]) != places:
        return
    count_bounded(plan)
    every = (1 << plan[N_DRAWS]) - 1
    must_row = COUNTS + _SETS * plan[N_MUST]
    late_row = must_row + _SETS * (1 + plan[N_LATE])
    for must in range(every + 1):
        if plan[must_row + must] == 0:
            continue
        rest = every & ~must
        late = rest
        while late >= 0:
            ways = plan[must_row + must] * plan[late_row + late]
            if ways > 0:
                ways *= free_ways(plan, must, late)
            if ways > 0:
                plan[TOTAL] += ways
                pair = PAIRS + 2 * plan[N_PAIRS]
                plan[pair] = plan[TOTAL]
                plan[pair + 1] = must | (late << 7)
                plan[N_PAIRS] += 1
            late = (late - 1) & rest if late > 0 else -1


@inline
def lay_bounded(plan: Plan, number: int, filled: int, first: int, size: int, row: int) -> int:
    """Lays a list of bounded cards into a set of draws, by number; returns those left aside."""
    aside = 0
    for index in range(size - 1, -1, -1):
        card = plan[BOUNDED + first + index]
        before = COUNTS + _SETS * (row + index)
        if stays_aside(plan, card):
            if number < plan[before + filled]:
                aside |= 1 << card
                continue
            number -= plan[before + filled]
        draws = filled & draws_allowed(plan, card)
        while number >= plan[before + (filled ^ (draws & -draws))]:
            number -= plan[before + (filled ^ (draws & -draws))]
            draws &= draws - 1
        plan[DRAWN + lowest(draws)] = card
        filled ^= draws & -draws
    return aside


@inline
def subset_by_number(cards: int, size: int, number: int) -> int:
    """Returns subset `number` of those of a size, in the combinatorial number system."""
    subset = 0
    left = popcount(cards)
    while size > 0:
        left -= 1
        card = highest(cards)
        cards ^= 1 << card
        if number >= BINOMIAL[left, size]:
            number -= BINOMIAL[left, size]
            subset |= 1 << card
            size -= 1
    return subset


@inline
def arrange(plan: Plan, number: int) -> None:
    """Builds arrangement `number`: the opponent's cards at every time (DRAWN, ENTERED)."""
    low, high = 0, plan[N_PAIRS] - 1
    while low < high:
        middle = (low + high) >> 1
        if number < plan[PAIRS + 2 * middle]:
            high = middle
        else:
            low = middle + 1
    if low > 0:
        number -= plan[PAIRS + 2 * low - 2]
    sets = plan[PAIRS + 2 * low + 1]
    must, late = sets & 127, sets >> 7
    late_first = plan[N_MUST]
    ways = free_ways(plan, must, late)
    bounded = number // ways
    number -= bounded * ways
    late_ways = plan[COUNTS + _SETS * (late_first + 1 + plan[N_LATE]) + late]
    must_number = bounded // late_ways
    hand = lay_bounded(plan, must_number, must, 0, plan[N_MUST], 0)
    bounded -= must_number * late_ways
    lay_bounded(plan, bounded, late, late_first, plan[N_LATE], late_first + 1)
    pool = plan[FREE]
    unfilled = ((1 << plan[N_DRAWS]) - 1) & ~(must | late)
    while unfilled != 0:
        draw = lowest(unfilled)
        unfilled &= unfilled - 1
        size = popcount(pool)
        card = nth_member(pool, number % size)
        number //= size
        pool ^= 1 << card
        plan[DRAWN + draw] = card
    hand |= subset_by_number(pool, plan[ORIGINAL_SIZE] - popcount(hand), number)
    plan[ENTERED] = hand
    for draw in range(plan[N_DRAWS]):
        hand |= 1 << plan[DRAWN + draw]
        plan[ENTERED + draw + 1] = hand
