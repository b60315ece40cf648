"""The suits renamed: every view and action follows, and the canonical form forgets their names."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

import numpy as np
import pytest

from terz_env.errors import IllegalActionError, ObservationError
from terz_env.kernel import COMPILED
from terz_env.observation import VIEWS
from terz_env.readings import Fact
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import State
from terz_env.suits import INVERSE, N_ORDERS, NEW_SUIT
from terz_env.views import (
    action_from_canonical,
    action_to_canonical,
    begin_log,
    canonical_order,
    get_view,
    look,
    relabelled,
    relabelled_log,
)
from tests.witness import choose, random_deal

DEALS = 40 if COMPILED else 4
GAMES = ("terz", "tetka")
SUITS = "SCDH"
NAME = re.compile(r"(?:run:)?[2-9TJQKA][SCDH]|[SCDH]")


def new_name(text: str, order: int) -> str:
    """Returns a card, run or suit with its suit renamed, other words as they are."""
    if not NAME.fullmatch(text):
        return text
    return text[:-1] + SUITS[NEW_SUIT[order, SUITS.index(text[-1])]]


def renamed(fact: Fact, order: int) -> object:
    """Returns a fact with all suits renamed, sets without their order."""
    if isinstance(fact, Mapping):
        return {part: renamed(value, order) for part, value in fact.items()}
    if isinstance(fact, tuple):
        return {new_name(name, order) for name in fact}
    return new_name(fact, order) if isinstance(fact, str) else fact


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("game", GAMES)
def test_each_view_follows_when_the_suits_are_renamed(game: str, view: str) -> None:
    layout = get_view(game, view).layout
    chooser = random.Random(1)
    for seed in range(DEALS):
        played = random_deal(game, seed, 60)
        order = chooser.randrange(N_ORDERS)
        other = relabelled(played.state, order)
        log = relabelled_log(played.state, played.log, order)
        for seat in range(played.game.n_seats):
            before = np.atleast_2d(look(played.state, seat, view, played.log))
            after = np.atleast_2d(look(other, seat, view, log))
            for old, new in zip(before, after, strict=True):
                told, now = layout.decode(old), layout.decode(new)
                for field in layout.fields:
                    assert renamed(told[field.name], order) == renamed(now[field.name], 0), field


@pytest.mark.parametrize("game", GAMES)
def test_renaming_and_playing_can_change_places(game: str) -> None:
    chooser = random.Random(2)
    for seed in range(DEALS):
        state = random_deal(game, seed, 3).state
        while not state.deal_is_over:
            order = chooser.randrange(N_ORDERS)
            other = relabelled(state, order)
            legal = {new_name(name, order) for name in state.legal_names()}
            assert legal == set(other.legal_names())
            action = choose(state, chooser)
            state.apply(action)
            other.apply(new_name(action, order))
            # Among equal beating melds the first suit is shown (Rule T19).
            if game == "tetka" or int(state.words[20]) >> 8 & 3 != 2:
                assert relabelled(state, order) == other


@pytest.mark.parametrize("game", GAMES)
def test_the_canonical_form_does_not_depend_on_the_names_of_the_suits(game: str) -> None:
    layout = get_view(game, "observation").layout
    first = "trump_suit" if game == "terz" else "photo"
    for seed in range(DEALS):
        state = random_deal(game, seed, 60).state
        for seat in range(state.game.n_seats):
            forms = set()
            for order in range(N_ORDERS):
                other = relabelled(state, order)
                canonical = relabelled(other, canonical_order(other, seat))
                assert canonical_order(canonical, seat) == 0
                forms.add(look(canonical, seat).tobytes())
                fact = layout.decode(look(canonical, seat))[first]
                assert isinstance(fact, str)
                assert fact[-1] == "S"
            assert len(forms) == 1


@pytest.mark.parametrize("observation", ["uint8", "float32"])
@pytest.mark.parametrize("game", GAMES)
def test_the_batch_in_canonical_form_shows_and_plays_what_the_states_do(
    game: str, observation: str
) -> None:
    plain = SelfPlayBatch(game, 6, seed=3)
    batch = SelfPlayBatch(game, 6, seed=3, observation=observation, suits="canonical")
    rng = np.random.default_rng(4)
    view = get_view(game, "observation")
    for _ in range(60 if COMPILED else 12):
        chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.masks])
        back = chosen.copy()
        for row in range(6):
            state = State(batch.game, batch.rules, batch.scope, batch.states[row].copy())
            seat, order = int(batch.seats[row]), int(batch.orders[row])
            assert order == canonical_order(state, seat)
            shown = look(relabelled(state, order), seat)
            np.testing.assert_array_equal(batch.observations[row], shown)
            np.testing.assert_array_equal(view.expand(batch.bits[row].view(np.int64)), shown)
            legal = {action_to_canonical(game, action, order) for action in state.legal_actions()}
            assert legal == set(np.flatnonzero(batch.masks[row]).tolist())
            back[row] = action_from_canonical(game, int(chosen[row]), order)
        batch.step(chosen)
        plain.step(back)
        np.testing.assert_array_equal(batch.states, plain.states)
        np.testing.assert_array_equal(batch.rewards, plain.rewards)


def test_a_refused_action_is_named_as_the_caller_gave_it() -> None:
    batch = SelfPlayBatch("tetka", 3, seed=3, suits="canonical")
    actions = batch.masks.argmax(axis=1)
    actions[1] = batch.masks[1].argmin()
    with pytest.raises(IllegalActionError, match=f"row 1: .* action {actions[1]};") as refused:
        batch.step(actions)
    legal = [batch.game.actions[action] for action in np.flatnonzero(batch.masks[1])]
    assert str(refused.value).endswith(" ".join(legal))
    with pytest.raises(ValueError, match="plain, canonical"):
        SelfPlayBatch("tetka", 3, suits="sorted")
    with pytest.raises(ValueError, match="orders the suits"):
        SelfPlayBatch("tetka", 3, suits="canonical", observation="none")


@pytest.mark.parametrize("game", GAMES)
def test_an_action_goes_to_the_canonical_form_and_back(game: str) -> None:
    state = State.new(game)
    for order in range(N_ORDERS):
        numbers = [action_to_canonical(game, a, order) for a in range(state.game.n_actions)]
        assert sorted(numbers) == list(range(state.game.n_actions))
        for action, number in enumerate(numbers):
            assert state.game.actions[number] == new_name(state.game.actions[action], order)
            assert action_from_canonical(game, number, order) == action
        assert INVERSE[INVERSE[order]] == order
    for beyond in (-1, 100):
        assert action_to_canonical(game, beyond, 5) == beyond


def test_an_empty_log_stays_empty() -> None:
    state = State.new("tetka")
    assert relabelled_log(state, begin_log(state), 7).size == 0


def test_the_suits_of_small_games_and_orders_that_do_not_exist_are_refused() -> None:
    for name in ("terz_mini", "tetka_micro"):
        with pytest.raises(ObservationError, match="two suits"):
            canonical_order(State.new(name), 0)
    for order in (-1, 24):
        with pytest.raises(ObservationError, match="there are 24"):
            relabelled(State.new("terz"), order)
