"""Hidden cards of Tetka: all deals that agree with the voids are equally likely."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from terz_env.errors import PositionError
from terz_env.search import tetka_worlds
from terz_env.search.worlds import DealLog, Worlds
from terz_env.state import State
from tests.search.playing import fits_uniform


def ending(
    seed: int, plies: int, rules: str = "illegal_actions=raise"
) -> tuple[State, set[tuple[int, int]]]:
    """Plays random cards; returns the position and the voids that were proved (seat, suit)."""
    chooser = np.random.default_rng(seed)
    state = State.new("tetka", rules, seed=seed)
    voids, led = set(), 0
    for ply in range(plies):
        seat, card = state.seat_to_act, int(chooser.choice(state.legal_actions()))
        if ply % 4 == 0:
            led = card // 13
        elif card // 13 != led:
            voids.add((seat, led))
        state.apply(card)
    return state, voids


def every_deal(state: State, seat: int, voids: set[tuple[int, int]]) -> set[tuple[int, ...]]:
    """Returns the hands of all seats in every deal that agrees with the voids."""
    hands = [int(word) for word in state.words[:4]]
    others = [other for other in range(4) if other != seat]
    unseen = [card for card in range(52) if sum(hands) - hands[seat] >> card & 1]
    found = set()
    for first in itertools.combinations(unseen, hands[others[0]].bit_count()):
        rest = [card for card in unseen if card not in first]
        for second in itertools.combinations(rest, hands[others[1]].bit_count()):
            third = tuple(card for card in rest if card not in second)
            shares = dict(zip(others, (first, second, third), strict=True))
            if any((s, c // 13) in voids for s, share in shares.items() for c in share):
                continue
            deal = hands.copy()
            for other, share in shares.items():
                deal[other] = sum(1 << card for card in share)
            found.add(tuple(deal))
    return found


@pytest.mark.rule("K3")
@pytest.mark.parametrize(("seed", "plies"), [(1, 40), (2, 41), (3, 42), (4, 43), (5, 44), (6, 38)])
def test_all_deals_that_agree_with_the_voids_are_equally_likely(seed: int, plies: int) -> None:
    state, voids = ending(seed, plies)
    for seat in range(4):
        deals = every_deal(state, seat, voids)
        plan = np.zeros(tetka_worlds.PLAN_SIZE, np.int64)
        assert tetka_worlds.prepare_worlds(state.words, seat, plan) == len(deals)
        worlds = Worlds(state, seat, seed=seed).draw_words(max(400, 8 * len(deals)))
        counts = dict.fromkeys(deals, 0)
        for hands in worlds[:, :4].tolist():
            counts[tuple(hands)] += 1
        assert fits_uniform(list(counts.values()))


@pytest.mark.rule("K3")
def test_before_the_first_card_every_deal_is_possible() -> None:
    state, _ = ending(3, 0)
    plan = np.zeros(tetka_worlds.PLAN_SIZE, np.int64)
    deals = tetka_worlds.prepare_worlds(state.words, 2, plan)
    assert deals == 84_478_098_072_866_400  # 39! / (13!)³
    held = np.zeros(52)
    worlds = Worlds(state, 2).draw_words(3000)
    for card in range(52):
        held[card] = np.mean(worlds[:, 0] >> card & 1)
    unseen = [card for card in range(52) if not int(state.words[2]) >> card & 1]
    assert np.abs(held[unseen] - 1 / 3).max() < 0.05


def test_hidden_cards_do_not_influence_the_worlds() -> None:
    for seed in range(20):
        state, _ = ending(seed, 20 + seed)
        seat = state.seat_to_act
        other = state.clone()
        other.words[:] = Worlds(state, seat, seed=seed).draw_words(1)[0]
        drawn = [Worlds(position, seat, seed=9).draw_words(20) for position in (state, other)]
        np.testing.assert_array_equal(*drawn)


def test_a_world_differs_from_the_position_in_the_other_hands_alone() -> None:
    for seed in range(20):
        state, _ = ending(seed, 2 * seed)
        for world in Worlds(state, 1, seed=seed).draw_words(5):
            changed = np.flatnonzero(world != state.words)
            assert set(changed) <= {0, 2, 3}


@pytest.mark.rule("K10")
def test_a_discard_proves_nothing_where_revokes_are_possible() -> None:
    state, voids = ending(1, 40, "illegal_actions=penalise")
    assert voids
    worlds = Worlds(state, 0).draw_words(300)
    broken = [
        (seat, suit)
        for seat, suit in voids - {(0, suit) for suit in range(4)}
        if np.any(worlds[:, seat] >> 13 * suit & 0x1FFF)
    ]
    assert broken


@pytest.mark.rule("K10")
def test_the_others_revokes_follow_from_the_cards_of_the_world() -> None:
    chooser = np.random.default_rng(5)
    seen = 0
    for seed in range(12):
        state = State.new("tetka", "illegal_actions=penalise", seed=seed)
        for _ in range(36):
            state.apply(str(chooser.choice(state.hand(state.seat_to_act))))
        again = state.words.copy()
        again[4:8] &= ~(15 << 56)
        again[4] |= int(state.words[4]) & 15 << 56
        tetka_worlds.count_revokes_one(again, 0)
        np.testing.assert_array_equal(again, state.words)
        seen += sum(int(word) >> 56 & 15 for word in state.words[5:8])
    assert seen > 0


@pytest.mark.rule("M3")
def test_the_small_game_has_its_own_pack() -> None:
    state = State.new("tetka_micro", seed=3, dealer=0)
    state.apply(state.legal_actions()[0])
    deals = {tuple(world[:4].tolist()) for world in Worlds(state, 0).draw_words(2000)}
    assert len(deals) == 30  # five unseen cards: one, two and two


def test_what_cannot_be_known_is_refused() -> None:
    state, _ = ending(1, 40)
    with pytest.raises(PositionError, match="no seat 4"):
        Worlds(state, 4)
    with pytest.raises(PositionError, match="at least one"):
        Worlds(state, 0).draw_words(0)
    with pytest.raises(PositionError, match="needs no log"):
        DealLog(state)
    impossible = state.clone()
    impossible.words[5:8] |= 15 << 52
    with pytest.raises(PositionError, match="no deal agrees"):
        Worlds(impossible, 0)
    while not state.is_over:
        state.apply(state.legal_actions()[0])
    with pytest.raises(PositionError, match="over"):
        Worlds(state, 0)
