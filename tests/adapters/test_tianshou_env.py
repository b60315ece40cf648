"""The environments of Tianshou: masks, rewards, single games, refusals."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from torch import Tensor, nn

from terz_env import terz_v0, tetka_v0
from terz_env.adapters.libraries import LibraryError
from terz_env.adapters.tianshou import CardVectorEnv
from terz_env.envs.vector import LearnerVectorEnv
from terz_env.errors import IllegalActionError
from terz_env.players import PlayerError
from terz_env.players.random import uniform_actions

torch.set_num_threads(1)

EVERY: list[tuple[str, dict[str, Any]]] = [
    ("terz", {}),
    ("tetka", {"opponents": "greedy", "reward_scale": 0.25, "dtype": "float32"}),
    ("terz", {"rewards": "shaped", "opponents": {"random": 1.0, "heuristic": 2.0}}),
    ("tetka", {"scope": "rubber", "seat": 2}),
]


class Values(nn.Module):
    """Q-values of a network that has not learned anything."""

    def __init__(self, n_entries: int, n_actions: int) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layer = nn.Linear(n_entries, n_actions)

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        return self.layer(torch.as_tensor(obs).float()), state


def lawful(seen: Any, rng: np.random.Generator) -> NDArray[np.int64]:
    return uniform_actions(np.asarray(seen.mask, dtype=np.int8), rng)


def collector_of(env: Any, game: str, exploration: float = 0.5) -> Collector[CollectStats]:
    space = env.action_space[0]
    entries = {"terz": 533, "tetka": 627}[game]
    policy = DiscreteQLearningPolicy(
        model=Values(entries, int(space.n)), action_space=space, eps_inference=exploration
    )
    buffer = VectorReplayBuffer(4000, len(env))
    gathered: Collector[CollectStats] = Collector(policy, env, buffer, exploration_noise=True)
    gathered.reset()
    return gathered


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_it_plays_what_the_vector_environment_plays(game: str, options: dict[str, Any]) -> None:
    env = CardVectorEnv(game, 6, seed=4, **options)
    twin = LearnerVectorEnv(game, 6, **options)
    rng = np.random.default_rng(1)
    (seen, infos), (expected, _) = env.reset(), twin.reset(seed=4)
    assert [info["env_id"] for info in infos] == list(range(6))
    ended = 0
    for _ in range(80):
        assert np.array_equal(seen.obs, expected["observation"])
        assert seen.obs.dtype == env.observation_space[0]["obs"].dtype
        assert np.array_equal(seen.mask, expected["action_mask"] == 1)
        actions = lawful(seen, rng)
        seen, rewards, ends, truncations, infos = env.step(actions)
        expected, paid, over, _, more = twin.step(actions)
        assert np.array_equal(rewards, paid)
        assert np.array_equal(ends, over)
        assert not truncations.any()
        for row in np.flatnonzero(ends):
            assert np.array_equal(seen.obs[row], more["final_obs"][row]["observation"])
            assert not seen.mask[row].any()
        if ends.any():
            anew, _ = env.reset(np.flatnonzero(ends))
            seen[ends] = anew
        ended += ends.sum()
    assert ended or options.get("scope") == "rubber"


def test_single_games_are_stepped_and_the_others_stay() -> None:
    env, whole = CardVectorEnv("terz", 4, seed=1), CardVectorEnv("terz", 4, seed=1)
    (seen, _), _ = env.reset(), whole.reset()
    actions = seen.mask.argmax(axis=1)
    before = [env.vector.position(row) for row in range(4)]
    some, rewards, ends, _, infos = env.step(actions[[2, 0]], [2, 0])
    every, *_ = whole.step(actions)
    assert [info["env_id"] for info in infos] == [2, 0]
    assert (len(rewards), len(ends)) == (2, 2)
    assert np.array_equal(some.obs, every.obs[[2, 0]])
    assert np.array_equal(some.mask, every.mask[[2, 0]])
    after = [env.vector.position(row) for row in range(4)]
    assert [old == new for old, new in zip(before, after, strict=True)] == [
        False,
        True,
        False,
        True,
    ]
    rest, *_ = env.step(actions[[1, 3]], np.array([1, 3]))
    assert np.array_equal(rest.obs, every.obs[[1, 3]])
    one, *_ = env.step(some.mask[0].argmax(), 2)
    assert len(one.obs) == 1


def test_a_game_that_has_ended_waits_for_its_reset() -> None:
    env = CardVectorEnv("tetka", 2, seed=1)
    seen, _ = env.reset()
    rng = np.random.default_rng(1)
    for _ in range(13):
        seen, _, ends, _, _ = env.step(lawful(seen, rng))
    assert ends.all()
    with pytest.raises(ResetNeeded, match=r"the episodes of \[1\] are over; reset them"):
        env.step([0], [1])
    seen, _ = env.reset(0)
    env.step(seen.mask.argmax(axis=1), [0])


def test_collectors_gather_steps_and_whole_episodes() -> None:
    gathered = collector_of(CardVectorEnv("tetka", 4, seed=1), "tetka")
    stats = gathered.collect(n_step=40)
    assert stats.n_collected_steps == 40
    gathered.reset()
    stats = gathered.collect(n_episode=6)
    assert set(stats.lens) == {13}
    assert len(stats.returns) == 6
    assert set(stats.returns) <= {7.0 - 4 * marks for marks in range(9)}
    played = gathered.buffer.sample(0)[0]
    masks, actions = played.obs.mask, played.act
    assert masks[np.arange(len(actions)), actions].all()


def test_one_seed_gives_the_same_deals_and_another_gives_others() -> None:
    env = CardVectorEnv("terz", 4)
    assert env.seed(9) == [9] * 4
    first = env.reset()[0].obs
    assert not np.array_equal(env.reset()[0].obs, first)
    assert np.array_equal(env.reset(seed=9)[0].obs, first)
    assert np.array_equal(CardVectorEnv("terz", 4, seed=9).reset()[0].obs, first)
    with pytest.raises(ValueError, match="one seed is for all games"):
        env.seed([1, 2, 3, 4])


def test_an_unmasked_action_is_refused_and_says_what_masks() -> None:
    env = CardVectorEnv("tetka", 3, seed=1)
    seen, _ = env.reset()
    illegal = seen.mask.argmin(axis=1)
    with pytest.raises(IllegalActionError, match=r"row 0: .*; DQN masks by itself, the networks"):
        env.step(illegal)
    with pytest.raises(IllegalActionError, match=r"row 2: .* `random=True` of a collector knows"):
        env.step(illegal[[2]], [2])
    lenient = CardVectorEnv("tetka", 3, seed=1, illegal_actions="forfeit")
    lenient.reset()
    assert lenient.step(illegal)[2].all()


def test_a_collector_that_plays_at_random_knows_no_masks() -> None:
    gathered = collector_of(CardVectorEnv("terz", 8, seed=1), "terz")
    with pytest.raises(IllegalActionError, match="knows no masks"):
        gathered.collect(n_step=80, random=True)


def test_opponents_change_with_the_next_episode() -> None:
    env = CardVectorEnv("tetka", 3, seat=1, seed=1)
    seen, _ = env.reset()
    env.set_opponents("greedy")
    assert env.vector.seating(0) == ("random", "learner", "random", "random")
    rng = np.random.default_rng(1)
    for _ in range(13):
        seen, *_ = env.step(lawful(seen, rng))
    env.reset([2])
    assert env.vector.seating(2) == ("greedy", "learner", "greedy", "greedy")


def test_the_games_are_asked_for_their_attributes_and_drawn() -> None:
    env = CardVectorEnv("terz", 2, render_mode="ansi", seed=1)
    env.reset()
    assert len(env) == 2
    assert [space.n for space in env.action_space] == [74, 74]
    assert env.get_env_attr("render_mode", [1]) == ["ansi"]
    assert len(env.render()) == 2
    with pytest.raises(AttributeError, match="share one memory; make a new CardVectorEnv"):
        env.set_env_attr("seat", 1)
    env.close()
    assert env.is_closed


def test_what_cannot_be_chosen_is_refused() -> None:
    with pytest.raises(TypeError, match="copy cannot be chosen here: Tianshou keeps"):
        CardVectorEnv("terz", 2, copy=False)
    with pytest.raises(PlayerError, match="no player is called 'nobody'"):
        CardVectorEnv("terz", 2, opponents="nobody")
    with pytest.raises(TypeError, match="reset takes env_id and seed, not options; to begin with"):
        CardVectorEnv("terz", 2).reset(options={"deal": None})


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_its_wrapper_for_pettingzoo_takes_the_environments(game: str) -> None:
    face = {"terz": terz_v0, "tetka": tetka_v0}[game]
    table = PettingZooEnv(face.env())
    seen, _ = table.reset(seed=3)
    done = False
    while not done:
        assert table.env.observe(seen["agent_id"])["action_mask"].tolist() == seen["mask"]
        seen, rewards, done, _, _ = table.step(int(np.argmax(seen["mask"])))
    assert sum(rewards) == pytest.approx(0)
    assert any(rewards)
    seen, _ = table.reset(seed=3)
    with pytest.raises(IllegalActionError):
        table.step(int(np.argmin(seen["mask"])))


def test_gymnasium_environments_work_in_its_own_vector() -> None:
    def make() -> gymnasium.Env[Any, Any]:
        return gymnasium.make("terz_env/Terz-v0")

    env = DummyVectorEnv([make, make])
    env.reset(seed=1)
    assert len(env) == 2


# The library.


def imported_anew(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    adapter = f"terz_env.adapters.{name}"
    for module in [module for module in sys.modules if module.startswith(adapter)]:
        monkeypatch.delitem(sys.modules, module)
    __import__(adapter)


@pytest.mark.parametrize("name", ["tianshou", "torchrl"])
def test_a_missing_library_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def version(library: str) -> str:
        raise metadata.PackageNotFoundError(library)

    monkeypatch.setattr(metadata, "version", version)
    wanted = rf"{name} is not installed: pip install 'terz-env\[{name}\]'"
    with pytest.raises(LibraryError, match=wanted):
        imported_anew(monkeypatch, name)


@pytest.mark.parametrize(("name", "needed"), [("tianshou", "2.0"), ("torchrl", "0.14")])
def test_an_old_library_is_named_with_the_version_that_is_needed(
    monkeypatch: pytest.MonkeyPatch, name: str, needed: str
) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "0.5.1")
    with pytest.raises(LibraryError, match=rf"{name} 0\.5\.1: {needed} or newer is needed"):
        imported_anew(monkeypatch, name)
