"""The PettingZoo environment: PettingZoo's own suite, results, copies, refusals."""

from __future__ import annotations

import copy
import importlib
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from terz_env import terz_v0, tetka_v0
from terz_env.errors import IllegalActionError, PositionError, RuleSetError, SeedError
from terz_env.records import record_game
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import Deal, State
from terz_env.views import begin_log, look
from terz_env.views import play as play_on

MODULES = {"terz": terz_v0, "tetka": tetka_v0}
EVERY = [
    ("terz", {}),
    ("tetka", {}),
    ("terz", {"scope": "match", "rules": "target_settle=300,target_announce=300"}),
    ("tetka", {"scope": "rubber"}),
    ("terz", {"rewards": "shaped", "dtype": "float32"}),
    ("tetka", {"rewards": "shaped", "copy": False}),
    ("terz", {"copy": False}),
    ("terz", {"scope": "match", "rewards": "shaped", "rules": "english"}),
    (
        "terz",
        {"view": "history", "scope": "match", "rules": "target_settle=300,target_announce=300"},
    ),
    ("tetka", {"view": "table", "dtype": "float32"}),
    ("terz", {"view": "state"}),
    ("terz", {"rules": "break_deck=choose,rounding=none", "rewards": "shaped"}),
]


def play(env: Any, choose: Callable[[np.ndarray[Any, Any]], int]) -> dict[str, float]:
    """Plays an episode by PettingZoo's loop; returns the sums of what `last` returned."""
    sums = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, over, truncated, info = env.last()
        sums[agent] += reward
        assert not truncated
        np.testing.assert_array_equal(info["action_mask"], observation["action_mask"])
        env.step(None if over else choose(observation["action_mask"]))
    return sums


def chooser(seed: int) -> Callable[[np.ndarray[Any, Any]], int]:
    """Returns what picks a uniform action of a mask."""
    rng = random.Random(seed)
    return lambda mask: int(rng.choice(np.flatnonzero(mask)))


@pytest.mark.filterwarnings("ignore:.*Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:.*[Aa]ction mask numpy array is all zeros")
@pytest.mark.filterwarnings("ignore:.*Observation space for each agent probably should be")
@pytest.mark.parametrize(("game", "options"), EVERY)
def test_pettingzoos_own_tests_pass(game: str, options: dict[str, Any]) -> None:
    for make in (MODULES[game].env, MODULES[game].raw_env):
        api_test(make(**options), num_cycles=200)  # four deals or more
        seed_test(lambda make=make: make(**options), num_cycles=50)


def wrapped(env: Any, name: str) -> Any:
    """Returns the environment inside one of PettingZoo's wrappers."""
    if name == "order":
        return OrderEnforcingWrapper(env)
    return TerminateIllegalWrapper(env, illegal_reward=-1) if name == "illegal" else env


@pytest.mark.parametrize("wrapper", ["none", "order", "illegal"])
@pytest.mark.parametrize(("game", "options"), EVERY)
def test_the_rewards_of_last_sum_to_the_result(
    game: str, options: dict[str, Any], wrapper: str
) -> None:
    for seed in range(4):
        env = wrapped(MODULES[game].raw_env(**options), wrapper)
        env.reset(seed=seed)
        sums = play(env, chooser(seed))
        position = env.unwrapped.position
        assert position.is_over
        scale = 0.01 if game == "terz" and options.get("scope") is None else 1.0
        expected = [scale * value for value in position.returns()]
        assert list(sums.values()) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_rewards_sum_to_zero_at_every_moment(game: str, options: dict[str, Any]) -> None:
    env = MODULES[game].env(**options)
    env.reset(seed=3)
    choose = chooser(3)
    while env.agents:
        observation, _, over, _, _ = env.last()
        env.step(None if over else choose(observation["action_mask"]))
        assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_the_turn_based_parallel_view_pays_the_same(game: str) -> None:
    env = turn_based_aec_to_parallel(MODULES[game].env())
    observations, _ = env.reset(seed=5)
    choose, sums = chooser(5), dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        actions = {
            agent: choose(seen["action_mask"]) if seen["action_mask"].any() else 0
            for agent, seen in observations.items()
        }
        observations, rewards, *_ = env.step(actions)
        for agent, reward in rewards.items():
            sums[agent] += reward
    scale = 0.01 if game == "terz" else 1.0
    result = env.aec_env.unwrapped.position.returns()
    assert list(sums.values()) == pytest.approx([scale * value for value in result])


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_the_environment_and_the_batch_play_the_same_deals(game: str) -> None:
    env = MODULES[game].env()
    env.reset(seed=11)
    batch = SelfPlayBatch(game, 1, seed=11, observation="uint8")
    for number in range(3):
        if number:
            env.reset()
        while not any(env.terminations.values()):
            agent = env.agent_selection
            seen = env.observe(agent)
            assert agent == f"seat_{batch.seats[0]}"
            np.testing.assert_array_equal(seen["observation"], batch.observations[0])
            np.testing.assert_array_equal(seen["action_mask"], batch.masks[0])
            action = int(batch.masks[0].argmax())
            env.step(np.int16(action))
            batch.step(np.array([action]))
        assert list(env.rewards.values()) == pytest.approx(batch.rewards[0].tolist())


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_a_copy_in_mid_episode_goes_on_alone(game: str, options: dict[str, Any]) -> None:
    for make in (MODULES[game].env, MODULES[game].raw_env):
        env = make(**options)
        assert isinstance(copy.deepcopy(env), type(env))
        env.reset(seed=2)
        for _ in range(9):
            env.step(int(env.last()[0]["action_mask"].argmax()))
        before = env.position
        twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        sums = play(env, chooser(1))
        for twin in twins:
            assert twin.position == before
            assert play(twin, chooser(1)) == pytest.approx(sums)
            assert twin.position == env.position
            twin.reset(seed=4)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_any_seat_can_be_observed_at_any_time(game: str) -> None:
    env = MODULES[game].env()
    env.reset(seed=1)
    for _ in range(20):
        actor = env.agent_selection
        before = env.observe(actor)
        for agent in env.agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["action_mask"].any() == (agent == actor)
        again = env.observe(actor)
        np.testing.assert_array_equal(before["observation"], again["observation"])
        env.step(int(before["action_mask"].argmax()))


def test_copies_last_and_views_do_not() -> None:
    env = tetka_v0.raw_env()
    env.reset(seed=1)
    kept = env.observe(env.agent_selection)
    saved = copy.deepcopy(kept)
    env.step(int(kept["action_mask"].argmax()))
    np.testing.assert_array_equal(kept["observation"], saved["observation"])
    np.testing.assert_array_equal(kept["action_mask"], saved["action_mask"])
    views = tetka_v0.raw_env(copy=False)
    views.reset(seed=1)
    first = views.observe(views.agent_selection)["observation"]
    views.step(int(saved["action_mask"].argmax()))
    assert np.shares_memory(first, views.observe(views.agent_selection)["observation"])


@pytest.mark.parametrize("game", ["terz", "tetka"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_what_is_shared_is_what_copies_say(game: str, dtype: str) -> None:
    copies = MODULES[game].raw_env(dtype=dtype)
    shared = MODULES[game].raw_env(dtype=dtype, copy=False)
    for number in range(2):
        copies.reset(seed=5 + number)
        shared.reset(seed=5 + number)
        choose = chooser(number)
        while copies.agents:
            if not number:
                for agent in copies.agents:
                    np.testing.assert_equal(shared.observe(agent), copies.observe(agent))
            wanted = copies.last()
            np.testing.assert_equal(shared.last(), wanted)
            assert shared.last(observe=False)[0] is None
            action = None if wanted[2] else choose(wanted[0]["action_mask"])
            copies.step(action)
            shared.step(action)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_bad_action_raises_and_changes_nothing(game: str) -> None:
    for make in (MODULES[game].env, MODULES[game].raw_env):
        env = make()
        env.reset(seed=1)
        before, mask = env.position, env.last()[0]["action_mask"]
        illegal = int(np.flatnonzero(mask == 0)[0])
        odd = [None, True, 1.0, np.float32(2), "AS", np.nan, [1], np.array([1, 2])]
        for action in [illegal, -1, -2, 10**6, 1 << 70, -(1 << 70), np.uint64(1 << 63), *odd]:
            with pytest.raises(IllegalActionError):
                env.step(action)
            assert env.position == before
        env.step(np.array(int(mask.argmax())))
        assert env.position != before


@pytest.mark.rule("T28", "K11")
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_an_illegal_action_can_forfeit_instead(game: str) -> None:
    env = MODULES[game].env(illegal_actions="forfeit")
    env.reset(seed=1)
    offender = env.agent_selection
    env.step(10**6)
    assert all(env.terminations.values())
    assert env.rewards[offender] == min(env.rewards.values()) < 0
    assert sum(env.rewards.values()) == pytest.approx(0)


def test_calls_out_of_order_are_refused_as_pettingzoo_does() -> None:
    env = terz_v0.env()
    for call in (lambda: env.step(0), lambda: env.observe("seat_0"), env.state, env.render):
        with pytest.raises(AssertionError, match="reset"):
            call()
    with pytest.raises(AssertionError, match="reset"):
        env.agent_iter()
    for name in ("agents", "rewards", "agent_selection", "infos", "num_agents"):
        with pytest.raises(AttributeError):
            getattr(env, name)
    env.reset(seed=1)
    with pytest.raises(KeyError):
        env.observe("seat_9")
    play(env, chooser(1))
    assert env.agents == []
    env.step(None)  # warned about by PettingZoo's logger, and without effect
    env.reset()
    while not any(env.terminations.values()):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    with pytest.raises(ValueError, match="None"):
        env.step(0)


def test_wrong_options_say_what_fits() -> None:
    for options, words in [
        ({"rewards": "dense"}, "terminal"),
        ({"view": "pixels"}, "observation"),
        ({"dtype": "int7"}, "uint8"),
        ({"render_mode": "video"}, "ansi"),
        ({"reward_scale": float("nan")}, "finite"),
    ]:
        with pytest.raises(ValueError, match=words):
            terz_v0.env(**options)
    with pytest.raises(RuleSetError, match="match"):
        terz_v0.env(scope="rubber")
    with pytest.raises(RuleSetError, match="forfeit"):
        tetka_v0.env(illegal_actions="shrug")
    with pytest.raises(TypeError, match="colour"):
        terz_v0.env(colour="red")
    with pytest.raises(SeedError, match="whole number"):
        terz_v0.env().reset(seed=-1)


@pytest.mark.parametrize("scope", ["deal", "rubber"])
def test_a_record_or_its_deals_can_be_played_again(scope: str) -> None:
    def first(state: State) -> int:
        return state.legal_actions()[0]

    record = record_game("tetka", None, scope, 3, 0, first, False)
    env = tetka_v0.env(record=record)
    env.reset()
    for deal in record["deals"]:
        for player, name in deal["actions"]:
            assert env.agent_selection == f"seat_{player}"
            env.step(env.position.game.actions.index(name))
    assert all(env.terminations.values())
    assert env.position.scores == record["scores"]
    cards = Deal(
        record["deals"][0]["dealer"], record["deals"][0]["hands"], photo=record["deals"][0]["photo"]
    )
    fixed = tetka_v0.env(deals=[cards])
    for _ in range(2):
        fixed.reset(seed=9)
        assert fixed.position.hand(0) == State.from_deal("tetka", cards).hand(0)
    plain = tetka_v0.env()
    plain.reset(seed=1, options={"deal": cards})
    assert plain.position == State.from_deal("tetka", cards)
    plain.reset(options={"state": fixed.position})
    assert plain.position == fixed.position
    for wrong in (State.new("terz"), State.new("tetka", scope="rubber"), "a position"):
        with pytest.raises(PositionError):
            plain.reset(options={"state": wrong})
    with pytest.raises(ValueError, match="alone"):
        tetka_v0.env(record=record, scope="deal")
    with pytest.raises(ValueError, match="tetka"):
        terz_v0.env(record=record)


def test_nothing_is_printed_or_warned_of_in_play(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = terz_v0.env()
        env.reset(seed=1)
        play(env, chooser(1))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("view", ["observation", "table", "state", "history"])
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_every_view_is_what_the_position_shows(game: str, view: str) -> None:
    env = MODULES[game].env(view=view)
    env.reset(seed=8)
    state = State.new(game, seed=8)
    log, choose = begin_log(state), chooser(8)
    while not state.is_over:
        for seat, agent in enumerate(env.agents):
            shown = env.observe(agent)["observation"]
            np.testing.assert_array_equal(shown, look(state, seat, view, log))
        seat = int(env.agent_selection[-1])
        np.testing.assert_array_equal(env.state(), look(state, seat, "state", log))
        assert env.state_space.contains(env.state())
        action = choose(env.last()[0]["action_mask"])
        env.step(action)
        play_on(state, log, action)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_pettingzoos_tests_of_state_and_drawing_pass(game: str) -> None:
    state_tests = importlib.import_module("pettingzoo.test.state_test")
    state_tests.test_state_space(MODULES[game].env())
    # The test of states samples actions without the mask.
    state_tests.test_state(MODULES[game].env(illegal_actions="forfeit"), num_cycles=40)
    for make in (MODULES[game].env, MODULES[game].raw_env):
        render_test(make)


def test_given_cards_are_dealt_by_whose_turn_it_is() -> None:
    def last(state: State) -> int:
        return state.legal_actions()[-1]

    rules = "target_settle=300,target_announce=300"
    record = record_game("terz", rules, "match", 1, 0, last, False)
    env = terz_v0.env(record=record)
    for seed in range(3):
        env.reset()
        assert play(env, chooser(seed))
        assert env.position.winner is not None


def test_a_history_cannot_begin_within_a_deal() -> None:
    state = State.new("terz", seed=1)
    fresh = state.clone()
    state.apply(state.legal_actions()[0])
    env = terz_v0.env(view="history")
    env.reset(options={"state": fresh})
    with pytest.raises(PositionError, match="history"):
        env.reset(options={"state": state})
    env.reset(seed=1)
    assert env.position == fresh
