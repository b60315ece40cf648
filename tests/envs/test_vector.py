"""The native vector environment: as many single environments, deals, ends, copies, refusals."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers
from numpy.typing import NDArray

from terz_env.envs.single import LearnerEnv
from terz_env.envs.vector import LearnerVectorEnv
from terz_env.errors import IllegalActionError, PositionError
from terz_env.players import Decisions, PlayerError
from terz_env.state import State

IDS = {"terz": "terz_env/Terz-v0", "tetka": "terz_env/Tetka-v0"}
SIZE = 4
EVERY = [
    ("terz", {}),
    ("tetka", {"opponents": "greedy"}),
    ("terz", {"scope": "match", "rules": "target_settle=300,target_announce=300"}),
    ("tetka", {"scope": "rubber", "seat": "random", "rewards": "shaped"}),
    ("terz", {"rewards": "shaped", "dtype": "float32", "opponents": "heuristic"}),
    ("tetka", {"rewards": "shaped", "seat": 2, "opponents": {"random": 1, "greedy": 3}}),
    ("terz", {"rules": "illegal_actions=penalise", "opponents": ["random:announce"]}),
    ("terz", {"view": "history", "opponents": "greedy", "rewards": "shaped"}),
    ("terz", {"view": "table", "scope": "match", "rules": "target_settle=300,target_announce=300"}),
    ("tetka", {"view": "table", "dtype": "float32", "scope": "rubber"}),
    ("tetka", {"view": "state"}),
]
MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP]


class Lowest:
    """Plays the lowest legal action and counts how often it is asked, and for how much."""

    name = "lowest"
    game: str | None = None

    def __init__(self) -> None:
        self.asked: list[int] = []

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        self.asked.append(len(decisions))
        return decisions.masks.argmax(axis=1)


def choose(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Returns a uniform legal action a row, 0 where there is none."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def assert_same(one: Any, other: Any) -> None:
    """Checks that nested dicts, tuples and arrays hold the same, of the same types."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, tuple) or (isinstance(one, np.ndarray) and one.dtype == object):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    elif one is None:
        assert other is None
    else:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("game", "options"), EVERY)
def test_it_says_what_gymnasiums_own_vector_of_single_environments_says(
    game: str, options: dict[str, Any], mode: AutoresetMode
) -> None:
    native = gymnasium.make_vec(IDS[game], num_envs=SIZE, autoreset_mode=mode, **options)
    singles = SyncVectorEnv([lambda: LearnerEnv(game, **options)] * SIZE, autoreset_mode=mode)
    assert native.single_observation_space == singles.single_observation_space
    assert native.observation_space == singles.observation_space
    assert native.action_space == singles.action_space
    assert native.metadata["autoreset_mode"] == mode
    seeds, rng, ended = [3, 1, 4, 1], np.random.default_rng(5), 0
    said = native.reset(seed=seeds)
    assert_same(said, singles.reset(seed=seeds))
    for number in range(160 if options.get("scope") else 60):
        actions = choose(said[0]["action_mask"], rng)
        if number == 30:
            actions[1] = said[0]["action_mask"][1].argmin()
        said = native.step(actions)
        expected = singles.step(actions)
        assert_same(said, expected)
        assert native.observation_space.contains(said[0])
        ended += int(said[2].sum())
    assert ended > 0
    assert isinstance(native, LearnerVectorEnv)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_without_autoreset_the_ended_wait_for_a_mask(game: str) -> None:
    native = LearnerVectorEnv(game, SIZE, autoreset_mode="Disabled")
    singles = SyncVectorEnv([lambda: LearnerEnv(game)] * SIZE, autoreset_mode="Disabled")
    said, rng = native.reset(seed=[1, 2, 3, 4]), np.random.default_rng(2)
    assert_same(said, singles.reset(seed=[1, 2, 3, 4]))
    for _ in range(50):
        actions = choose(said[0]["action_mask"], rng)
        said = native.step(actions)
        assert_same(said, singles.step(actions))
        if said[2].any():
            with pytest.raises(gymnasium.error.ResetNeeded, match="reset them"):
                native.step(actions)
            said = native.reset(options={"reset_mask": said[2]})
            mask = said[1]["_seat"]
            expected = singles.reset(options={"reset_mask": mask})
            assert_same(said[0], expected[0])
            np.testing.assert_array_equal(said[1]["seat"][mask], expected[1]["seat"][mask])


@pytest.mark.parametrize(("game", "scope"), [("terz", "match"), ("tetka", "deal")])
def test_deal_d_of_environment_i_is_that_of_the_self_play_batch(game: str, scope: str) -> None:
    envs = LearnerVectorEnv(game, 3, scope=scope, autoreset_mode="Disabled")
    rules = envs.options.rules
    seats = envs.options.game.n_seats
    pack = (1 << 52) - 1
    for number in range(3):
        envs.reset(seed=None if number else 8)
        for row in range(3):
            dealt = State.new(game, rules, scope=scope, seed=8, environment=row, deal=number)
            position = envs.position(row)
            assert position.dealer == dealt.dealer
            for seat in range(seats):
                held = position.words[seat] | (position.words[seats + seat] & pack)
                assert int(held) & int(dealt.words[seat]) == int(dealt.words[seat])


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_row_0_is_the_single_environment_of_the_same_seed(game: str) -> None:
    envs, single = LearnerVectorEnv(game, SIZE), LearnerEnv(game)
    seen, _ = envs.reset(seed=6)
    alone, _ = single.reset(seed=6)
    rng = np.random.default_rng(1)
    for _ in range(40):
        np.testing.assert_array_equal(seen["observation"][0], alone["observation"])
        actions = choose(seen["action_mask"], rng)
        seen, rewards, ends, _, _ = envs.step(actions)
        alone, reward, over, _, _ = single.step(actions[0])
        assert (rewards[0], ends[0]) == (reward, over)
        if over:
            alone, _ = single.reset()


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_every_mask_has_an_action_and_totals_are_results(
    game: str, options: dict[str, Any]
) -> None:
    envs = LearnerVectorEnv(game, 8, autoreset_mode=AutoresetMode.NEXT_STEP, **options)
    seen, infos = envs.reset(seed=2)
    rng, totals, over = np.random.default_rng(3), np.zeros(8), np.zeros(8, dtype=bool)
    for _ in range(40):
        assert (seen["action_mask"].any(axis=1) != over).all()
        assert ((seen["action_mask"] == 1) == envs.action_masks()).all()
        seats = infos["seat"]
        seen, rewards, ends, _, infos = envs.step(choose(seen["action_mask"], rng))
        assert (rewards[over] == 0).all()
        totals = np.where(over, 0.0, totals) + rewards
        over = ends
        for row in np.flatnonzero(ends):
            result = envs.position(row).returns()[seats[row]] * envs.options.reward_scale
            assert totals[row] == pytest.approx(result, abs=1e-9)


def test_seats_are_spread_over_the_rows_and_rotate() -> None:
    envs = LearnerVectorEnv("tetka", 6)
    _, infos = envs.reset(seed=1)
    assert infos["seat"].tolist() == [0, 1, 2, 3, 0, 1]
    assert envs.reset()[1]["seat"].tolist() == [1, 2, 3, 0, 1, 2]
    assert LearnerVectorEnv("tetka", 3, seat=2).reset()[1]["seat"].tolist() == [2, 2, 2]


def test_players_are_asked_for_all_of_their_rows_at_once() -> None:
    player = Lowest()
    envs = LearnerVectorEnv("tetka", 64, opponents=player)
    seen, _ = envs.reset(seed=1)
    opening = len(player.asked)
    assert opening <= 3
    for _ in range(12):
        seen, *_ = envs.step(seen["action_mask"].argmax(axis=1))
    assert len(player.asked) <= opening + 12 * 6
    assert sum(player.asked) > 64 * 3 * 11
    mixed = LearnerVectorEnv("tetka", 64, opponents=[player, "random", {player: 1, "greedy": 1}])
    mixed.reset(seed=1)
    assert {name for row in range(64) for name in mixed.seating(row)} == {
        "learner",
        "lowest",
        "random",
        "greedy",
    }


def test_other_opponents_sit_down_where_an_episode_begins() -> None:
    envs = LearnerVectorEnv("terz", 8, opponents={"random": 1, "greedy": 1})
    seen, _ = envs.reset(seed=1)
    before = [envs.seating(row) for row in range(8)]
    assert len({name for row in before for name in row}) == 3
    rng = np.random.default_rng(4)
    for newer in ("heuristic", Lowest(), "random"):
        envs.set_opponents(newer)
        assert [envs.seating(row) for row in range(8)] == before
        done = np.zeros(8, dtype=bool)
        for _ in range(40):
            seen, _, ends, _, _ = envs.step(choose(seen["action_mask"], rng))
            done |= ends
            for row in np.flatnonzero(~done):
                assert envs.seating(row) == before[row]
        assert done.all()
        before = [envs.seating(row) for row in range(8)]
        name = newer if isinstance(newer, str) else newer.name
        assert all(set(row) == {"learner", name} for row in before)
    with pytest.raises(PlayerError):
        envs.set_opponents(["random", "greedy"])


def test_what_was_seen_stays_as_it_was_unless_views_are_asked_for() -> None:
    envs = LearnerVectorEnv("terz", SIZE)
    said = envs.reset(seed=1)
    rng, kept = np.random.default_rng(1), copy.deepcopy(said)
    for _ in range(30):
        later = envs.step(choose(said[0]["action_mask"], rng))
        assert_same(said, kept)
        said, kept = later, copy.deepcopy(later)
    views = LearnerVectorEnv("terz", SIZE, copy=False)
    first, _ = views.reset(seed=1)
    second = views.step(first["action_mask"].argmax(axis=1))[0]
    assert np.shares_memory(first["observation"], second["observation"])


def test_a_copy_in_mid_episode_goes_on_alone() -> None:
    envs = gymnasium.make_vec(IDS["tetka"], num_envs=SIZE, opponents={"random": 1, "greedy": 1})
    seen, _ = envs.reset(seed=1)
    twins = [copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))]
    for _ in range(20):
        actions = seen["action_mask"].argmax(axis=1)
        said = envs.step(actions)
        for twin in twins:
            assert_same(said, twin.step(actions))
        seen = said[0]


def test_bad_actions_are_refused_and_change_nothing() -> None:
    for mode in ("forfeit", "raise"):
        envs = LearnerVectorEnv("tetka", 3, illegal_actions=mode)
        seen, _ = envs.reset(seed=1)
        before = [envs.position(row) for row in range(3)]
        lawful = seen["action_mask"].argmax(axis=1)
        bad: list[Any] = [None, 0, lawful[:2], lawful[:, None], lawful.astype(float), "AS"]
        bad += [[0, None, 1], [[1], [1, 2], [3]], np.full(3, np.nan), lawful > 0]
        if mode == "raise":
            bad += [np.where(np.arange(3) == 2, wrong, lawful) for wrong in (-1, 52, 10**9)]
        for actions in bad:
            with pytest.raises(gymnasium.error.InvalidAction) as caught:
                envs.step(actions)
            assert isinstance(caught.value, IllegalActionError)
            assert [envs.position(row) for row in range(3)] == before
        envs.step(lawful.tolist())
        assert [envs.position(row) for row in range(3)] != before
    later = LearnerVectorEnv("tetka", 2, illegal_actions="raise", autoreset_mode="NextStep")
    seen, _ = later.reset(seed=1)
    for _ in range(30):
        seen, *_ = later.step(seen["action_mask"].argmax(axis=1))
    with pytest.raises(gymnasium.error.InvalidAction, match="row 0: seat_"):
        later.step(np.full(2, -1) if seen["action_mask"][0].any() else np.array([0, 99]))


def test_wrong_options_say_what_fits() -> None:
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"colour": 1}, TypeError, "num_envs, opponents, seat, autoreset_mode"),
        ({"autoreset_mode": "later"}, ValueError, "NextStep, SameStep, Disabled"),
        ({"render_mode": "human"}, ValueError, "ansi, rgb_array"),
        ({"num_envs": 0}, ValueError, "from 1 on"),
        ({"num_envs": 2.0}, ValueError, "from 1 on"),
        ({"opponents": "nobody"}, PlayerError, "nobody"),
    ]
    for options, kind, words in wrong:
        with pytest.raises(kind, match=words):
            LearnerVectorEnv("tetka", **{"num_envs": 2, **options})


def test_bad_resets_are_refused() -> None:
    envs = LearnerVectorEnv("terz", 3)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(3, dtype=np.int64))
    some = np.array([True, False, True])
    with pytest.raises(gymnasium.error.ResetNeeded, match="every environment"):
        envs.reset(options={"reset_mask": some})
    envs.reset(seed=[1, None, 2])
    with pytest.raises(ValueError, match="2 seeds for 3"):
        envs.reset(seed=[1, 2])
    with pytest.raises(gymnasium.error.Error, match="-4"):
        envs.reset(seed=-4)
    with pytest.raises(ValueError, match="negative"):
        envs.reset(seed=[1, -4, 2])
    for mask, kind in (([True] * 3, TypeError), (np.ones(3), TypeError)):
        with pytest.raises(kind, match="truth values"):
            envs.reset(options={"reset_mask": mask})
    for mask in (np.ones(2, dtype=bool), np.zeros(3, dtype=bool)):
        with pytest.raises(ValueError, match=r"shape \(3,\)"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(PositionError):
        envs.reset(options={"state": State.new("tetka")})
    before = envs.position(1)
    envs.reset(seed=[None, None, 5], options={"reset_mask": some})
    assert envs.position(1) == before


def test_a_position_is_where_every_environment_starts() -> None:
    state = State.new("terz", "illegal_actions=forfeit", seed=4)
    envs = LearnerVectorEnv("terz", 3, seat=state.seat_to_act)
    envs.reset(seed=1, options={"state": state})
    assert [envs.position(row) for row in range(3)] == [state] * 3


def test_every_table_can_be_drawn() -> None:
    envs = LearnerVectorEnv("tetka", 2, render_mode="ansi")
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.render()
    envs.reset(seed=1)
    drawn = envs.render()
    assert drawn is not None
    assert ["learner" in picture for picture in drawn] == [True, True]
    with pytest.warns(UserWarning, match="render_mode"):
        assert LearnerVectorEnv("tetka", 2).render() is None


@pytest.mark.parametrize("mode", MODES)
def test_wrappers_work(mode: AutoresetMode) -> None:
    made = gymnasium.make_vec(IDS["tetka"], num_envs=3, autoreset_mode=mode)
    envs: Any = wrappers.DictInfoToList(wrappers.RecordEpisodeStatistics(made))
    seen, _ = envs.reset(seed=1)
    totals, told = np.zeros(3), 0
    for _ in range(30):
        seen, rewards, ends, _, infos = envs.step(seen["action_mask"].argmax(axis=1))
        totals += rewards
        for row in np.flatnonzero(ends):
            assert infos[row]["episode"]["r"] == pytest.approx(totals[row])
            totals[row], told = 0.0, told + 1
    assert told >= 3
    assert envs.unwrapped is made
    if mode == AutoresetMode.NEXT_STEP:  # Gymnasium refuses to flatten in the other mode
        flat = wrappers.FlattenObservation(made)
        seen, _ = flat.reset(seed=1)
        assert flat.observation_space.contains(seen)
        assert seen.shape[1] > made.single_action_space.n
    made.action_space.seed(3)
    drawn = made.action_space.sample()
    made.action_space.seed(3)
    np.testing.assert_array_equal(drawn, made.action_space.sample())
    made.close()


@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_some_environments_are_stepped_and_the_others_stay(mode: str) -> None:
    some = LearnerVectorEnv("tetka", 4, autoreset_mode=mode)
    every = LearnerVectorEnv("tetka", 4, autoreset_mode=mode)
    seen, _ = some.reset(seed=3)
    every.reset(seed=3)
    actions = seen["action_mask"].argmax(axis=1)
    chosen = np.array([True, False, False, True])
    illegal = np.where(chosen, actions, -1)
    half, _, _, _, infos = some.step(illegal, rows=chosen)
    assert np.array_equal(infos["_action_mask"], chosen)
    assert np.array_equal(half["observation"][~chosen], seen["observation"][~chosen])
    assert np.array_equal(half["action_mask"][~chosen], seen["action_mask"][~chosen])
    whole, rewards, ends, _, _ = every.step(actions)
    rest, paid, over, _, _ = some.step(actions, rows=~chosen)
    assert np.array_equal(rest["observation"], whole["observation"])
    assert np.array_equal(rest["action_mask"], whole["action_mask"])
    assert np.array_equal(paid, rewards)
    assert np.array_equal(over, ends)
