"""The batch: parity with the single state, independence of the batch size, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from terz_env.errors import IllegalActionError
from terz_env.selfplay import SelfPlayBatch, expand_bits, first_refused
from terz_env.state import State


def play(game: str, size: int, first: int, steps: int, scope: str) -> list[bytes]:
    """Plays the first legal actions by a fixed rule and returns the states of each row."""
    batch = SelfPlayBatch(game, size, seed=5, first_environment=first, scope=scope)
    for step in range(steps):
        batch.step(np.array([np.flatnonzero(mask)[step % mask.sum()] for mask in batch.masks]))
    return [row.tobytes() for row in batch.states]


@pytest.mark.parametrize(("game", "scope"), [("terz", "match"), ("tetka", "rubber")])
def test_a_deal_depends_on_seed_environment_and_number_alone(game: str, scope: str) -> None:
    together = play(game, 6, 0, 150, scope)
    apart = play(game, 2, 0, 150, scope) + play(game, 4, 2, 150, scope)
    assert together == apart


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_the_batch_and_the_single_state_agree(game: str) -> None:
    batch = SelfPlayBatch(game, 4, seed=7, observation="uint8")
    states = [State.new(game, seed=7, environment=row) for row in range(4)]
    rng = np.random.default_rng(0)
    for _ in range(200):
        for row, state in enumerate(states):
            assert np.flatnonzero(batch.masks[row]).tolist() == state.legal_actions()
            assert batch.seats[row] == state.seat_to_act
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.masks])
        batch.step(actions)
        for row, state in enumerate(states):
            state.apply(actions[row])
            assert batch.ends[row] == state.is_over
            if state.is_over:
                expected = np.array(state.returns()) * batch.game.reward_scale
                np.testing.assert_allclose(batch.rewards[row], expected, rtol=1e-6)
                number = int(batch.states[row, state.words.size - 1 if game == "tetka" else 19])
                states[row] = State.new(game, seed=7, environment=row, deal=number)
        assert [row.tobytes() for row in batch.states] == [s.words.tobytes() for s in states]


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_bits_and_bytes_and_floats_say_the_same(game: str) -> None:
    batch = SelfPlayBatch(game, 8, observation="uint8")
    size = batch.game.layout.n_entries
    floats = expand_bits(batch.bits, size)
    np.testing.assert_array_equal(floats, batch.observations)
    hand = batch.game.layout.field("hand")
    own = [set(np.flatnonzero(row[hand.offset : hand.offset + hand.size])) for row in floats]
    for row in range(8):
        cards = State.new(game, environment=row).hand(batch.seats[row])
        assert own[row] == {batch.game.deck.number(card) for card in cards}


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_hidden_cards_do_not_change_what_a_seat_sees(game: str) -> None:
    for seed in range(30):
        state = State.new(game, seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(int(rng.integers(12))):
            state.apply(int(rng.choice(state.legal_actions())))
        seat = state.seat_to_act
        other = state.clone()
        others = [s for s in range(state.game.n_seats) if s != seat]
        if game == "tetka":
            swapped = other.words[others[::-1]].copy()
            other.words[others] = swapped
        else:
            hidden = other.words[others[0]] & ~other.words[4 + others[0]]
            low = int(hidden) & -int(hidden)
            drawn = 1 << (int(other.words[8 + 1]) >> 20 & 31)
            other.words[others[0]] ^= low | drawn
        words = [np.zeros(state.game.layout.n_words, np.int64) for _ in range(2)]
        state.game.kernels.observe_one(state.words, seat, words[0])
        other.game.kernels.observe_one(other.words, seat, words[1])
        np.testing.assert_array_equal(words[0], words[1])


def test_a_refused_action_leaves_every_row_as_it_was() -> None:
    for game in ("terz", "tetka"):
        batch = SelfPlayBatch(game, 3)
        before = batch.states.tobytes()
        actions = batch.masks.argmax(axis=1)
        for wrong in (-1, 10_000, int(batch.masks[2].argmin())):
            actions[2] = wrong
            with pytest.raises(IllegalActionError, match="row 2"):
                batch.step(actions)
            assert batch.states.tobytes() == before
        for bad in (np.zeros(2, np.int64), np.zeros(3), np.full(3, np.nan)):
            with pytest.raises(ValueError, match="integers of shape"):
                batch.step(bad)


def test_the_first_action_outside_its_legal_set_is_found() -> None:
    some, breaks = 0b1010, 1 << 62
    lawful = np.array([some, some, breaks, breaks, breaks])
    actions = np.array([1, 3, 62, 70, 73])
    assert first_refused(lawful, actions, 74) == -1
    for row, wrong in ((4, 74), (3, 61), (2, 0), (1, 62), (1, 2), (0, -1), (0, 0)):
        actions[row] = wrong
        assert first_refused(lawful, actions, 74) == row
    for wrong in (-(1 << 63), (1 << 63) - 1, 1 << 40):
        assert first_refused(lawful[:1], np.array([wrong]), 74) == 0


def test_a_batch_needs_a_game_a_size_and_a_view() -> None:
    for arguments in (("terz_mini", 1), ("terz", 0)):
        with pytest.raises(ValueError, match=r"terz|at least one"):
            SelfPlayBatch(*arguments)
    with pytest.raises(ValueError, match="bits"):
        SelfPlayBatch("terz", 1, observation="pixels")


@pytest.mark.parametrize("rules", [None, "break_deck=choose"])
def test_random_actions_are_lawful_uniform_and_the_rows_own(rules: str | None) -> None:
    game = "terz" if rules else "tetka"
    batch = SelfPlayBatch(game, 6, seed=3, rules=rules)
    part = SelfPlayBatch(game, 2, seed=3, rules=rules, first_environment=4)
    for _ in range(120):
        actions = batch.random_actions()
        assert batch.masks[np.arange(6), actions].all()
        np.testing.assert_array_equal(actions[4:], part.random_actions())
        batch.step(actions)
        part.step(actions[4:])
    again = batch.random_actions(seed=9)
    np.testing.assert_array_equal(again, batch.random_actions(seed=9))
    wide = SelfPlayBatch(game, 4000, seed=1, rules=rules, observation="none")
    drawn = wide.random_actions()
    share = np.bincount(drawn, minlength=wide.game.n_actions) / 4000
    wanted = (wide.masks / wide.masks.sum(axis=1, keepdims=True)).mean(axis=0)
    assert abs(share - wanted).max() < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_million_deals_run_in_one_batch(game: str) -> None:
    batch = SelfPlayBatch(game, 1_000_000, seed=1, observation="bits")
    for _ in range(3):
        batch.step(batch.masks.argmax(axis=1))
    assert batch.masks.any(axis=1).all()
    one = SelfPlayBatch(game, 1, seed=1, first_environment=999_999)
    for _ in range(3):
        one.step(one.masks.argmax(axis=1))
    assert batch.states[-1].tobytes() == one.states[0].tobytes()
