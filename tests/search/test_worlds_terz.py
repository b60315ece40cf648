"""Hidden cards of Terz: exactly the deals in which the seat would have seen the same."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from terz_env.errors import PositionError
from terz_env.kernel import COMPILED, kernel
from terz_env.search import terz_plan, terz_worlds
from terz_env.search.terz_log import Log
from terz_env.search.terz_plan import Plan
from terz_env.search.worlds import DealLog, Worlds
from terz_env.state import Deal, State
from tests.parity import random_terz_rules
from tests.search.playing import (
    Played,
    Words,
    dealt,
    endings,
    fits_uniform,
    play,
    talon_of,
)
from tests.sources import SeededSource

DEALS = 40 if COMPILED else 4
Arrangement = tuple[int, ...]


@kernel
def is_world(state: Words, plan: Plan, number: int) -> int:
    return terz_worlds.is_world(state, plan, number)


@kernel
def passes(state: Words, plan: Plan) -> int:
    return terz_worlds.passes_checks(state, plan)


def new_plan(played: Played, seat: int) -> tuple[Plan, int]:
    plan = np.zeros(terz_plan.PLAN_SIZE, np.int64)
    total = terz_worlds.prepare_worlds(played.state.words, seat, played.log, plan)
    return plan, total


def listed(played: Played, seat: int) -> list[Arrangement]:
    """Returns every world by the opponent's first hand and his draws, as the engine counts."""
    plan, total = new_plan(played, seat)
    return [
        (int(plan[terz_plan.ENTERED]), *plan[terz_plan.DRAWN :][: plan[terz_plan.N_DRAWS]].tolist())
        for number in range(total)
        if is_world(played.state.words, plan, number)
    ]


def draw_places(played: Played, seat: int) -> list[int]:
    """Returns the places in the talon of the opponent's face-down draws."""
    plan, _ = new_plan(played, seat)
    return plan[terz_plan.PLACES :][: plan[terz_plan.N_DRAWS]].tolist()


def every_arrangement(
    played: Played, seat: int, certain: int = 0
) -> Iterator[tuple[Arrangement, Words]]:
    """Yields every deal that agrees with the seat's own cards, by trying them all.

    Args:
        played: The deal.
        seat: The seat.
        certain: Cards that are known to have been in the opponent's first hand.
    """
    words, game = played.state.words, played.state.game
    size = game.talon_size
    drawn = talon_of(words, size)
    tricks = int(words[10]) >> 8 & 31
    places = draw_places(played, seat)
    done = min(2 * tricks, size)
    own = [place for place in range(min(done, size - 1)) if place not in places]
    seen = int(played.start[seat]) | 1 << talon_of(played.start, size)[-1]
    for place in own:
        seen |= 1 << drawn[place]
    unseen = game.cards & ~seen & ~certain
    numbers = [card for card in range(32) if unseen >> card & 1]
    for hand in itertools.combinations(numbers, game.hand_size - certain.bit_count()):
        left = [card for card in numbers if card not in hand]
        first = certain | sum(1 << card for card in hand)
        for cards in itertools.permutations(left, len(places)):
            world = words.copy()
            order = drawn.copy()
            rest = [card for card in left if card not in cards]
            for place in range(size - 1):
                if place in places:
                    order[place] = cards[places.index(place)]
                elif place not in own:
                    order[place] = rest.pop()
            world[8:10] = 0
            for place, card in enumerate(order):
                world[8 + place // 7] |= card << 5 * (place % 7)
            yield (first, *cards), dealt(played, world, seat)


def by_trial(played: Played, seat: int, certain: int = 0) -> list[Arrangement]:
    """Returns every arrangement whose replay shows the seat what it has seen."""
    return [
        arrangement
        for arrangement, start in every_arrangement(played, seat, certain)
        if list(endings(played, start, seat))
    ]


@pytest.mark.rule("T7", "T10", "T22", "M1", "M2")
@pytest.mark.parametrize("name", ["terz_mini", "terz_micro"])
def test_in_the_small_games_the_worlds_are_those_whose_replay_looks_the_same(name: str) -> None:
    for seed in range(DEALS):
        chooser = np.random.default_rng(seed)
        played = Played(State.new(name, seed=seed))
        if not play(played, int(chooser.integers(0, 7)), chooser):
            continue
        for seat in range(2):
            found = listed(played, seat)
            assert len(set(found)) == len(found)
            assert sorted(found) == sorted(by_trial(played, seat))


def shown_run_deal(seed: int, rules: dict[str, object], length: int) -> tuple[Played, int]:
    """Starts a deal whose leader holds a plain run and announces it; returns the run too."""
    chooser = random.Random(seed)
    suit = 8 * chooser.randrange(4)
    run = ((1 << length) - 1) << suit + chooser.randrange(9 - length)
    rest = [card for card in range(32) if not run >> card & 1 and card >> 3 != suit >> 3]
    chooser.shuffle(rest)
    leader = [card for card in range(32) if run >> card & 1] + rest[: 9 - length]
    rest = [card for card in range(32) if card not in leader]
    chooser.shuffle(rest)
    deck = State.new("terz").game.deck
    hands = [[deck.names[card] for card in cards] for cards in (leader, rest[:9])]
    names = [deck.names[card] for card in rest[9:]]
    played = Played(
        State.from_deal("terz", Deal(1, hands, trump_card=names[-1], talon=names[:-1]), rules)
    )
    top = f"run:{deck.names[run.bit_length() - 1]}"
    played.apply(top)
    return played, run


@pytest.mark.rule("T8", "T10", "T12", "T15", "T16", "T18", "T19", "T20", "T21")
def test_in_the_whole_game_the_worlds_are_those_whose_replay_looks_the_same() -> None:
    compared = checked = 0
    for seed in range(DEALS):
        rules = random_terz_rules(SeededSource(seed)) | {"illegal_actions": "raise"}
        played, run = shown_run_deal(seed, rules, 7)
        chooser = np.random.default_rng(seed)
        if int(played.log[2]) >> 11 & 3 != 1:
            continue  # it was beaten
        while int(played.state.words[10]) >> 8 & 31 == 0:
            play(played, 1, chooser, 0.9)
        play(played, int(chooser.integers(0, 3)), chooser, 0.9)
        if int(played.state.words[10]) >> 21 & 1 or int(played.state.words[10]) >> 8 & 31 > 1:
            continue
        found = listed(played, 1)
        assert sorted(found) == sorted(by_trial(played, 1, run)), (seed, rules)
        compared += 1
        checked += int(new_plan(played, 1)[0][terz_plan.N_CHECKS] > 0)
    assert compared > 0
    assert checked > 0


@pytest.mark.rule("T7", "T13", "T19", "T21", "T27")
def test_every_world_shows_the_seat_what_it_has_seen() -> None:
    stream = np.zeros(1, np.uint64)
    drawn = 0
    for seed in range(DEALS):
        chooser = np.random.default_rng(seed)
        rules = random_terz_rules(SeededSource(seed))
        played = Played(State.new("terz", rules, seed=seed))
        while play(played, int(chooser.integers(1, 9)), chooser):
            lie(played, chooser)
            for seat in range(2):
                plan, total = new_plan(played, seat)
                assert total > 0
                out = np.zeros(22, np.int64)
                assert terz_worlds.draw_world(played.state.words, seat, plan, stream, out)
                start = dealt(played, out, seat)
                assert any(np.array_equal(out, end) for end in endings(played, start, seat))
                drawn += 1
    assert drawn > 0


def lie(played: Played, chooser: np.random.Generator) -> None:
    """Makes a false announcement now and then, where the rules only fine it (Rule T27)."""
    state = played.state
    if state.rules.to_dict()["illegal_actions"] != "penalise" or chooser.random() < 0.7:
        return
    if int(state.words[10]) >> 24 & 1 or int(state.words[10]) >> 21 & 1:
        return
    hand = int(state.words[state.seat_to_act])
    for top in chooser.permutation(32):
        if int(top) & 7 >= 2 and not hand >> int(top) & 1:
            played.apply(32 + 6 * (int(top) >> 3) + (int(top) & 7) - 2)
            return


def entry_times(played: Played, seat: int) -> tuple[dict[int, int], list[int]]:
    """Returns when each unseen card truly came to the opponent, and his cards at every time."""
    drawn = talon_of(played.state.words, played.state.game.talon_size)
    first = int(played.start[1 - seat])
    times = {card: 0 for card in range(32) if first >> card & 1}
    entered = [first]
    for time, place in enumerate(draw_places(played, seat), 1):
        times[drawn[place]] = time
        entered.append(entered[-1] | 1 << drawn[place])
    return times, entered


@pytest.mark.rule("T19", "T21", "T27")
def test_the_true_deal_always_agrees_with_what_a_seat_knows() -> None:
    for seed in range(DEALS):
        chooser = np.random.default_rng(1000 + seed)
        rules = random_terz_rules(SeededSource(seed))
        played = Played(State.new("terz", rules, seed=seed))
        while play(played, int(chooser.integers(1, 9)), chooser, 0.9):
            lie(played, chooser)
            for seat in range(2):
                plan, _ = new_plan(played, seat)
                times, entered = entry_times(played, seat)
                for card in range(32):
                    if int(plan[terz_plan.UNIVERSE]) >> card & 1:
                        time = times.get(card, terz_plan.UNBOUNDED)
                        assert plan[terz_plan.LOWER + card] <= time <= plan[terz_plan.UPPER + card]
                plan[terz_plan.ENTERED :][: len(entered)] = entered
                assert passes(played.state.words, plan), (seed, len(played.actions), seat)


@pytest.mark.rule("T10")
def test_all_worlds_are_equally_likely() -> None:
    for seed in range(3, 6):
        chooser = np.random.default_rng(seed)
        played = Played(State.new("terz_mini", seed=seed))
        play(played, 3, chooser)
        seat = played.state.seat_to_act
        plan, total = new_plan(played, seat)
        counts: dict[tuple[int, ...], int] = {}
        out = np.zeros((30 * 24 * total, 22), np.int64)
        stream = np.array([seed], np.uint64)
        terz_worlds.draw_worlds(played.state.words, seat, plan, stream, out)
        for world in out:
            key = tuple(world.tolist())
            counts[key] = counts.get(key, 0) + 1
        face_down = int(plan[terz_plan.N_FACE_DOWN])
        orders = [1, 1, 2, 6][face_down]
        assert len(counts) == orders * len(listed(played, seat))
        assert fits_uniform(list(counts.values()))


def test_hidden_cards_and_names_do_not_influence_the_worlds() -> None:
    for seed in range(DEALS):
        chooser = np.random.default_rng(seed)
        played = Played(State.new("terz", seed=seed))
        if not play(played, int(chooser.integers(2, 20)), chooser, 0.9):
            continue
        for seat in range(2):
            plan, _ = new_plan(played, seat)
            stream = np.array([seed], np.uint64)
            other = played.state.words.copy()
            terz_worlds.draw_world(played.state.words, seat, plan, stream, other)
            log = hide_names(played.log, seat)
            drawn = []
            for words, heard in ((played.state.words, played.log), (other, log)):
                again = np.zeros_like(plan)
                terz_worlds.prepare_worlds(words, seat, heard, again)
                out = np.zeros((5, 22), np.int64)
                start = np.array([1], np.uint64)
                terz_worlds.draw_worlds(words, seat, again, start, out)
                drawn.append(out)
            np.testing.assert_array_equal(*drawn)


def hide_names(log: Log, seat: int) -> Log:
    """Returns a log with wrong suits in the names of the other's beaten runs."""
    log = log.copy()
    for entry in range(2, 2 + 2 * int(log[0]), 2):
        head = int(log[entry])
        event = head >> 3
        hidden = head & 3 == 1 and head >> 2 & 1 != seat and event >> 8 & 3 == 2
        if hidden and event & 127 < 56 and not event >> 34 & 1:
            rank = (event & 127) - 32
            other = 32 + (rank + 6) % 24
            if not event >> 33 & 1:
                other = 32 + 6 * (other - 32) // 24
            log[entry] = head & ~(127 << 3) | other << 3
    return log


def test_a_log_belongs_to_its_deal_from_the_first_turn_on() -> None:
    state = State.new("terz", seed=1)
    log = DealLog(state)
    with pytest.raises(PositionError, match="log of the deal"):
        Worlds(state, 0)
    log.apply(state, state.legal_names()[0])
    assert Worlds(state, 0, log).draw().hand(0) == state.hand(0)
    with pytest.raises(PositionError, match="has begun"):
        DealLog(state)
    state.apply(state.legal_actions()[0])
    with pytest.raises(PositionError, match="another position"):
        Worlds(state, 0, log)
