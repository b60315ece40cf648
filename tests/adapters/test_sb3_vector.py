"""The environments of Stable-Baselines3: masks, rewards, ends, refusals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common import evaluation as unmasked
from stable_baselines3.common.vec_env import VecNormalize

from terz_env.adapters.sb3 import CardVecEnv
from terz_env.envs.vector import LearnerVectorEnv
from terz_env.errors import IllegalActionError
from terz_env.players import PlayerError
from terz_env.players.random import uniform_actions
from tests.adapters.sb3_models import tiny_model

EVERY = [
    ("terz", {}),
    ("tetka", {"opponents": "greedy", "reward_scale": 0.25}),
    ("terz", {"rewards": "shaped", "opponents": {"random": 1.0, "heuristic": 2.0}}),
    ("tetka", {"scope": "rubber", "seat": 2, "dtype": "float32"}),
]


def lawful(env: CardVecEnv, rng: np.random.Generator) -> NDArray[np.int64]:
    return uniform_actions(env.env_method("action_masks").astype(np.int8), rng)


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_it_plays_what_the_vector_environment_plays(game: str, options: dict[str, Any]) -> None:
    env = CardVecEnv(game, 6, seed=4, **options)
    twin = LearnerVectorEnv(game, 6, **options)
    rng = np.random.default_rng(1)
    seen, (expected, _) = env.reset(), twin.reset(seed=4)
    ended = 0
    for _ in range(80):
        assert np.array_equal(seen, expected["observation"])
        assert seen.dtype == env.observation_space.dtype
        masks = env.env_method("action_masks")
        assert masks.dtype == np.bool_
        assert np.array_equal(masks, expected["action_mask"] == 1)
        actions = lawful(env, rng)
        seen, rewards, ends, infos = env.step(actions)
        expected, paid, over, _, more = twin.step(actions)
        assert rewards.dtype == np.float32
        assert np.array_equal(rewards, paid.astype(np.float32))
        assert np.array_equal(ends, over)
        for row in range(6):
            assert ("terminal_observation" in infos[row]) == over[row]
        for row in np.flatnonzero(over):
            final = more["final_obs"][row]["observation"]
            assert np.array_equal(infos[row]["terminal_observation"], final)
        ended += over.sum()
    assert ended or options.get("scope") == "rubber"


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_an_episode_is_told_with_its_total_and_its_length(game: str) -> None:
    env = CardVecEnv(game, 5, rewards="shaped", opponents="greedy", seed=2)
    rng = np.random.default_rng(2)
    env.reset()
    totals, lengths = np.zeros(5), np.zeros(5, dtype=int)
    told = 0
    for _ in range(60):
        _, rewards, ends, infos = env.step(lawful(env, rng))
        totals += rewards
        lengths += 1
        for row in np.flatnonzero(ends):
            episode = infos[row]["episode"]
            assert episode["r"] == pytest.approx(totals[row], abs=1e-5)
            assert episode["l"] == lengths[row]
            totals[row], lengths[row] = 0, 0
            told += 1
    assert told > 5


def test_all_seats_of_a_deal_of_tetka_are_paid_seven_less_four_times_their_marks() -> None:
    env = CardVecEnv("tetka", 32, seed=3)
    rng = np.random.default_rng(3)
    env.reset()
    for _ in range(12):
        _, rewards, ends, _ = env.step(lawful(env, rng))
        assert not rewards.any()
        assert not ends.any()
    _, rewards, ends, _ = env.step(lawful(env, rng))
    assert ends.all()
    assert set(rewards) <= {7.0 - 4 * marks for marks in range(9)}


def test_masks_are_found_through_wrappers_and_in_parts() -> None:
    env = CardVecEnv("terz", 4, seed=1)
    env.reset()
    masks = env.env_method("action_masks")
    assert masks.shape == (4, 74)
    assert is_masking_supported(env)
    wrapped = VecNormalize(env, norm_obs=False)
    assert is_masking_supported(wrapped)
    assert np.array_equal(get_action_masks(wrapped), masks)
    assert np.array_equal(env.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    assert len(env.env_method("action_masks", indices=1)) == 1


def test_an_unmasked_action_is_refused_and_says_what_masks() -> None:
    env = CardVecEnv("tetka", 3, seed=1)
    before = env.reset()
    illegal = env.env_method("action_masks").argmin(axis=1)
    with pytest.raises(IllegalActionError, match=r"row 0: .* as MaskablePPO"):
        env.step(illegal)
    position = env.vector.position(0)
    assert np.array_equal(before[0], env.vector._rows.observations()["observation"][0])
    assert position.legal_actions()
    lenient = CardVecEnv("tetka", 3, seed=1, illegal_actions="forfeit")
    lenient.reset()
    assert lenient.step(illegal)[2].all()


def test_a_plain_ppo_is_told_to_mask() -> None:
    env = CardVecEnv("terz", 8, seed=1)
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=64, seed=1, device="cpu")
    with pytest.raises(IllegalActionError, match=r"as MaskablePPO and maskable\.evaluation"):
        model.learn(64)


def test_evaluations_with_masks_agree_with_the_episodes_that_are_told() -> None:
    env = CardVecEnv("tetka", 8, seed=1)
    model = tiny_model(env)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rewards, lengths = evaluate_policy(
            model, env, n_eval_episodes=16, return_episode_rewards=True
        )
    assert len(rewards) == len(lengths) == 16
    assert set(lengths) == {13}
    with pytest.raises(IllegalActionError, match=r"maskable\.evaluation"):
        unmasked.evaluate_policy(model, env, n_eval_episodes=16, warn=False)


def test_one_seed_gives_the_same_deals_and_another_gives_others() -> None:
    env = CardVecEnv("terz", 4)
    assert env.seed(9) == [9] * 4
    first = env.reset()
    env.seed(9)
    assert np.array_equal(env.reset(), first)
    assert not np.array_equal(env.reset(), first)
    assert np.array_equal(CardVecEnv("terz", 4, seed=9).reset(), first)


def test_opponents_change_with_the_next_episode() -> None:
    env = CardVecEnv("tetka", 3, seat=1, seed=1)
    env.reset()
    env.env_method("set_opponents", "greedy")
    assert env.env_method("seating")[0] == ("random", "learner", "random", "random")
    rng = np.random.default_rng(1)
    for _ in range(13):
        env.step(lawful(env, rng))
    assert env.env_method("seating", indices=2) == [("greedy", "learner", "greedy", "greedy")]


def test_what_cannot_be_chosen_is_refused() -> None:
    with pytest.raises(TypeError, match="copy cannot be chosen here: Stable-Baselines3 keeps"):
        CardVecEnv("terz", 2, copy=False)
    with pytest.raises(TypeError, match="autoreset_mode cannot be chosen"):
        CardVecEnv("terz", 2, autoreset_mode="NextStep")
    with pytest.raises(PlayerError, match="no player is called 'nobody'"):
        CardVecEnv("terz", 2, opponents="nobody")
    env = CardVecEnv("terz", 2)
    with pytest.raises(ValueError, match="give deals or a record"):
        env.set_options({"deal": None})
    with pytest.raises(AttributeError, match="share one memory"):
        env.set_attr("seat", 1)
    with pytest.raises(AttributeError, match="no method 'shuffle'"):
        env.env_method("shuffle")
    assert not env.has_attr("shuffle")


def test_every_table_can_be_drawn() -> None:
    env = CardVecEnv("terz", 2, render_mode="rgb_array", seed=1)
    env.reset()
    picture = env.render("rgb_array")
    assert picture is not None
    assert picture.shape[2] == 3
    assert env.get_attr("render_mode") == ["rgb_array"] * 2
    env.close()
