"""The environments of TorchRL: specs, masks, rewards, partial resets, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from tensordict import TensorDict, TensorDictBase
from torchrl.collectors import Collector
from torchrl.envs import EnvBase
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType, check_env_specs

from terz_env import SelfPlayBatch, terz_v0, tetka_v0
from terz_env.adapters.torchrl import CardEnv, SelfPlayEnv
from terz_env.envs.vector import LearnerVectorEnv
from terz_env.errors import IllegalActionError
from terz_env.players import PlayerError

torch.set_num_threads(1)

EVERY: list[tuple[str, dict[str, Any]]] = [
    ("terz", {}),
    ("tetka", {"opponents": "greedy", "reward_scale": 0.25, "dtype": "uint8"}),
    ("terz", {"rewards": "shaped", "opponents": {"random": 1.0, "heuristic": 2.0}}),
    ("tetka", {"scope": "rubber", "seat": 2}),
    ("terz", {"view": "table"}),
]


@pytest.fixture(autouse=True)
def chance() -> None:
    torch.manual_seed(1)


def rollout(env: EnvBase, steps: int) -> TensorDictBase:
    return env.rollout(steps, break_when_any_done=False)


# One seat learns.


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_what_the_specs_say_is_what_comes(game: str, options: dict[str, Any]) -> None:
    check_env_specs(CardEnv(game, 3, seed=1, **options))
    check_env_specs(CardEnv(game, 3, seed=1, **options), break_when_any_done="both")


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_it_plays_what_the_vector_environment_plays(game: str, options: dict[str, Any]) -> None:
    played = rollout(CardEnv(game, 6, seed=4, **options), 80)
    twin = LearnerVectorEnv(game, 6, **options)
    seen, _ = twin.reset(seed=4)
    ended = 0
    for step in range(80):
        now = played[:, step]
        assert np.array_equal(now["observation"].numpy(), seen["observation"])
        assert np.array_equal(now["action_mask"].numpy(), seen["action_mask"] == 1)
        seen, rewards, ends, _, more = twin.step(now["action"].numpy())
        after = now["next"]
        assert np.array_equal(after["reward"][:, 0].numpy(), rewards.astype(np.float32))
        assert np.array_equal(after["done"][:, 0].numpy(), ends)
        assert np.array_equal(after["terminated"][:, 0].numpy(), ends)
        for row in range(6):
            last = more["final_obs"][row] if ends[row] else {k: v[row] for k, v in seen.items()}
            assert np.array_equal(after["observation"][row].numpy(), last["observation"])
        assert after["action_mask"][torch.from_numpy(ends)].all()
        ended += ends.sum()
    assert ended or options.get("scope") == "rubber"


def test_one_seed_gives_the_same_deals_and_another_gives_others() -> None:
    def first(env: CardEnv) -> torch.Tensor:
        return env.reset()["observation"]

    env = CardEnv("terz", 4)
    env.set_seed(9)
    seen = first(env)
    assert not torch.equal(first(env), seen)
    env.set_seed(9)
    assert torch.equal(first(env), seen)
    assert torch.equal(first(CardEnv("terz", 4, seed=9)), seen)
    assert not torch.equal(first(CardEnv("terz", 4, seed=10)), seen)


def test_roll_outs_are_repeated_by_their_seeds() -> None:
    env = CardEnv("tetka", 5)
    plays = []
    for _ in range(2):
        env.set_seed(3)
        torch.manual_seed(3)
        plays.append(rollout(env, 30))
    assert (plays[0] == plays[1]).all()


@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_a_partial_reset_leaves_the_other_games_as_they_are(shape: tuple[int, ...]) -> None:
    env = CardEnv("terz", 4, seed=1)
    now = env.rand_step(env.reset())["next"]
    chosen = torch.tensor([True, False, False, True]).reshape(shape)
    before = [env.vector.position(row) for row in range(4)]
    seen = env.reset(TensorDict({**now.exclude("reward"), "_reset": chosen}, [4]))
    after = [env.vector.position(row) for row in range(4)]
    assert [old == new for old, new in zip(before, after, strict=True)] == [
        False,
        True,
        True,
        False,
    ]
    assert torch.equal(seen["observation"][1:3], now["observation"][1:3])
    assert torch.equal(seen["action_mask"][1:3], now["action_mask"][1:3])


def test_a_game_that_has_ended_waits_for_its_reset() -> None:
    env = CardEnv("tetka", 2, seed=1)
    last = env.rollout(20)[:, -1]["next"]
    assert last["done"].all()
    with pytest.raises(ResetNeeded, match=r"the episodes of \[0, 1\] are over; reset them"):
        env.rand_step(last)


def test_all_seats_of_a_deal_of_tetka_are_paid_seven_less_four_times_their_marks() -> None:
    played = rollout(CardEnv("tetka", 32, seed=3), 13)
    rewards, ends = played["next", "reward"], played["next", "done"]
    assert ends[:, -1].all()
    assert not ends[:, :-1].any()
    assert not rewards[:, :-1].any()
    assert set(rewards[:, -1, 0].tolist()) <= {7.0 - 4 * marks for marks in range(9)}


def test_an_unmasked_action_is_refused_and_says_what_masks() -> None:
    env = CardEnv("tetka", 3, seed=1)
    start = env.reset()
    start["action"] = (~start["action_mask"]).int().argmax(dim=1)
    with pytest.raises(IllegalActionError, match=r"row 0: .* choose under `action_mask`, as"):
        env.step(start)
    lenient = CardEnv("tetka", 3, seed=1, illegal_actions="forfeit")
    lenient.reset()
    assert lenient.step(start)["next", "done"].all()


def test_opponents_change_with_the_next_episode() -> None:
    env = CardEnv("tetka", 3, seat=1, seed=1)
    start = env.reset()
    env.set_opponents("greedy")
    assert env.vector.seating(0) == ("random", "learner", "random", "random")
    env.rollout(14, auto_reset=False, tensordict=start, break_when_any_done=False)
    assert env.vector.seating(2) == ("greedy", "learner", "greedy", "greedy")


def test_a_collector_gathers_whole_batches() -> None:
    env = CardEnv("terz", 4, seed=1)
    collector = Collector(env, env.rand_action, frames_per_batch=80, total_frames=160)
    batches = list(collector)
    collector.shutdown()
    assert [batch.batch_size for batch in batches] == [torch.Size([4, 20])] * 2
    assert torch.cat([batch["next", "done"] for batch in batches], dim=1).any()


def test_a_collector_without_a_policy_knows_no_masks() -> None:
    env = CardEnv("terz", 8, seed=1)
    collector = Collector(env, None, frames_per_batch=80, total_frames=160)
    with pytest.raises(IllegalActionError, match="to play at random give"):
        list(collector)


def test_what_cannot_be_chosen_is_refused() -> None:
    with pytest.raises(TypeError, match="copy cannot be chosen here: TorchRL keeps"):
        CardEnv("terz", 2, copy=False)
    with pytest.raises(TypeError, match="autoreset_mode cannot be chosen here: TorchRL resets"):
        CardEnv("terz", 2, autoreset_mode="NextStep")
    with pytest.raises(ValueError, match="dtype='float16'; use uint8, float32"):
        CardEnv("terz", 2, dtype="float16")
    with pytest.raises(PlayerError, match="no player is called 'nobody'"):
        CardEnv("terz", 2, opponents="nobody")


# All seats learn.


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_self_play_is_that_of_the_batch(game: str) -> None:
    check_env_specs(SelfPlayEnv(game, 3, seed=1))
    played = rollout(SelfPlayEnv(game, 5, seed=4, suits="canonical", dtype="uint8"), 150)
    batch = SelfPlayBatch(game, 5, seed=4, suits="canonical", observation="uint8")
    for step in range(150):
        now = played[:, step]
        assert np.array_equal(now["observation"].numpy(), batch.observations)
        assert np.array_equal(now["action_mask"].numpy(), batch.masks == 1)
        assert np.array_equal(now["seat"][:, 0].numpy(), batch.seats)
        batch.step(now["action"].numpy())
        assert np.array_equal(now["next", "reward"].numpy(), batch.rewards)
        assert np.array_equal(now["next", "done"][:, 0].numpy(), batch.ends)
    assert played["next", "done"].any()
    assert played["next", "reward"].abs().sum() > 0
    assert played["next", "reward"].sum(dim=-1).abs().max() < 1e-5


def test_each_roll_out_of_self_play_has_deals_of_its_own() -> None:
    env = SelfPlayEnv("terz", 4, seed=9)
    first, second = env.reset()["observation"], env.reset()["observation"]
    assert not torch.equal(first, second)
    env.set_seed(9)
    assert torch.equal(env.reset()["observation"], first)
    assert torch.equal(env.reset()["observation"], second)


def test_a_game_of_self_play_is_not_broken_off_alone() -> None:
    env = SelfPlayEnv("terz", 4, seed=1)
    now = env.rand_step(env.reset())["next"]
    chosen = torch.tensor([False, True, False, True])
    with pytest.raises(ValueError, match=r"the games \[1, 3\] are in progress"):
        env.reset(TensorDict({**now.exclude("reward"), "_reset": chosen}, [4]))


def test_an_unmasked_action_of_self_play_is_refused() -> None:
    env = SelfPlayEnv("tetka", 3, seed=1)
    start = env.reset()
    start["action"] = (~start["action_mask"]).int().argmax(dim=1)
    with pytest.raises(IllegalActionError, match=r"row 0: .*; choose under `action_mask`, or play"):
        env.step(start)


# The PettingZoo environments in TorchRL's own wrapper.

WRAPPER_WARNINGS = (
    "ignore:PettingZoo in TorchRL is tested using:UserWarning",
    "ignore:The given NumPy array is not writable:UserWarning",
)
FACES = {"terz": terz_v0, "tetka": tetka_v0}


@pytest.mark.filterwarnings(*WRAPPER_WARNINGS)
@pytest.mark.parametrize("game", ["terz", "tetka"])
@pytest.mark.parametrize("face", ["env", "raw_env"])
def test_the_wrapper_for_pettingzoo_takes_the_environments(game: str, face: str) -> None:
    table = getattr(FACES[game], face)()
    env = PettingZooWrapper(env=table, use_mask=True)
    check_env_specs(env)
    env.set_seed(7)
    played = env.rollout(200)
    groups = list(env.group_map)
    assert played["next", "done"][-1].item()
    acting = torch.stack([played[group, "mask"][:, 0] for group in groups])
    assert (acting.sum(dim=0) == 1).all()
    rewards = torch.stack([played["next", group, "reward"][:, 0, 0] for group in groups])
    assert not rewards[:, :-1].any()
    assert rewards.any()
    assert rewards.sum().abs() < 1e-5
    for group in groups:
        actions, masks = played[group, "action"][:, 0], played[group, "action_mask"][:, 0]
        own = played[group, "mask"][:, 0]
        assert masks[own].gather(1, actions[own, None]).all()
        assert masks[~own].all()


@pytest.mark.filterwarnings(*WRAPPER_WARNINGS)
def test_the_wrapper_pays_seats_that_do_not_act_at_the_end() -> None:
    groups = MarlGroupMapType.ALL_IN_ONE_GROUP
    env = PettingZooWrapper(env=tetka_v0.env(), use_mask=True, group_map=groups, seed=3)
    played = env.rollout(100)
    paid = played["next", "agents", "reward"][-1, :, 0]
    acted = played["agents", "mask"][-1]
    assert acted.sum() == 1
    assert paid[~acted].any()
