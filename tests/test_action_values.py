"""The value of every legal action by roll-outs, and numbers of actions with the suits renamed."""

import numpy as np
import pytest

from terz_env import views
from terz_env.canonical import actions_back, canonical_rows, columns_back, columns_to_canonical
from terz_env.games import engine_numbered, get_game
from terz_env.players import Decisions, PlayerError
from terz_env.players.rollout import action_values, play_out, sampled_values
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import State

GAMES = ("tetka", "terz")


@pytest.mark.parametrize("game", GAMES)
def test_the_value_of_an_action_is_the_result_of_the_deal_played_on_from_it(game: str) -> None:
    batch = SelfPlayBatch(game, 40, seed=7)
    for _ in range(9):
        batch.step(batch.random_actions())
    states, masks, seats = batch.states.copy(), batch.masks.copy(), batch.seats.copy()
    values = action_values(game, states, masks)
    for row in range(40):
        for action in np.flatnonzero(masks[row]):
            after = SelfPlayBatch(game, 1)
            after.states[:] = states[row]
            after.refresh()
            number = after.states[0].copy()
            after.game.kernels.step_one(number, int(action))
            seating = ["heuristic"] * after.game.n_seats
            results = play_out(game, number[None], seating)[0]
            own = results[seats[row]]
            wanted = own if game == "terz" else results.sum() - 4 * own
            assert values[row, action] == wanted
    assert (values[masks == 0] == 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"player": "nobody"}, "use terz or tetka and random"),
        ({"player": "random:announce"}, "use terz or tetka and random"),
        ({"epsilon": 1.5}, "no chance between 0 and 1"),
        ({"masks": np.zeros((2, 3), dtype=np.int8)}, "masks of shape"),
        ({"states": np.zeros((2, 3), dtype=np.int64)}, "states of shape"),
    ],
)
def test_values_of_what_does_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    batch = SelfPlayBatch("tetka", 2)
    given = {"states": batch.states, "masks": batch.masks} | change
    with pytest.raises(PlayerError, match=message):
        action_values("tetka", **given)  # type: ignore[arg-type]


def positions(game: str, deals: int, plays: int) -> Decisions:
    """Positions with a choice after some random actions."""
    batch = SelfPlayBatch(game, deals, seed=7)
    for _ in range(plays):
        batch.step(batch.random_actions())
    return Decisions.of_batch(batch, np.flatnonzero(batch.masks[:, :64].sum(axis=1) > 1))


@pytest.mark.parametrize("game", GAMES)
def test_sampled_worlds_give_a_value_to_legal_actions_only_and_always_the_same(game: str) -> None:
    decisions = positions(game, 12, 8)
    values = sampled_values(decisions, 2, seed=3)
    assert (values[decisions.masks == 0] == 0).all()
    assert np.abs(values).max() > 1
    np.testing.assert_array_equal(values, sampled_values(decisions, 2, seed=3))
    assert not np.array_equal(values, sampled_values(decisions, 2, seed=4))
    with pytest.raises(PlayerError, match="use terz or tetka and random"):
        sampled_values(decisions, 2, player="nobody")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_true_world_is_one_of_those_that_are_sampled(game: str) -> None:
    """Deals are drawn uniformly, so that both have the same mean over many positions."""
    decisions = positions(game, 2000, 9)
    first = decisions.masks.argmax(axis=1)[:, None]
    true = action_values(game, decisions.states, decisions.masks)
    sampled = sampled_values(decisions, 20)
    difference = np.take_along_axis(true - sampled, first, axis=1)
    error = difference.std() / np.sqrt(len(difference))
    assert abs(difference.mean()) < 4 * error
    assert error < (0.2 if game == "tetka" else 3), "the test must be able to fail"


@pytest.mark.parametrize("game", GAMES)
def test_canonical_rows_are_those_of_a_canonical_batch_and_turn_back(game: str) -> None:
    plain = SelfPlayBatch(game, 60, seed=4)
    renamed = SelfPlayBatch(game, 60, seed=4, suits="canonical")
    for _ in range(25):
        bits, masks, orders = canonical_rows(plain.game, plain.bits, plain.masks)
        np.testing.assert_array_equal(bits, renamed.bits)
        np.testing.assert_array_equal(masks, renamed.masks)
        np.testing.assert_array_equal(orders, renamed.orders)
        chosen = masks.argmax(axis=1)
        plain.step(actions_back(plain.game, chosen, orders))
        renamed.step(chosen)


@pytest.mark.parametrize("game", GAMES)
def test_a_number_for_each_action_goes_with_the_action(game: str) -> None:
    record = SelfPlayBatch(game, 1).game
    orders = np.arange(24)
    columns = np.tile(np.arange(record.n_actions, dtype=np.float32), (24, 1))
    renamed = columns_to_canonical(record, columns, orders)
    for order in orders:
        for action in range(record.n_actions):
            assert renamed[order, views.action_to_canonical(game, action, int(order))] == action
    np.testing.assert_array_equal(columns_back(record, renamed, orders), columns)


@pytest.mark.parametrize("game", GAMES)
def test_the_view_of_everything_of_a_batch_is_that_of_its_states(game: str) -> None:
    batch = SelfPlayBatch(game, 12, seed=2)
    for _ in range(11):
        batch.step(batch.random_actions())
    orders = np.arange(12)
    view = batch.game.views["state"]
    words = np.zeros((12, view.n_words), dtype=np.int64)
    batch.game.kernels.whole_state_batch(batch.states, batch.seats, orders, words)
    for row in range(12):
        state = State.from_bytes(game, batch.states[row].tobytes())
        renamed = views.relabelled(state, int(orders[row]))
        seen = views.look(renamed, int(batch.seats[row]), "state")
        np.testing.assert_array_equal(view.expand(words[row]), seen)


def test_a_small_game_is_played_in_batches_by_the_numbers_of_its_family() -> None:
    micro = engine_numbered(get_game("terz_micro"))
    with pytest.raises(ValueError, match="terz_micro is played by State, not in batches"):
        SelfPlayBatch("terz_micro", 2)
    batch = SelfPlayBatch(micro, 50, seed=3)
    assert batch.masks.shape == (50, 74)
    ended = np.zeros(50, dtype=np.bool_)
    for _ in range(12):
        state = State.from_bytes("terz_micro", batch.states[0].tobytes())
        legal = [state.game.engine_actions[action] for action in state.legal_actions()]
        assert np.flatnonzero(batch.masks[0]).tolist() == sorted(legal)
        batch.step(batch.random_actions())
        ended |= batch.ends
    assert ended.all()
