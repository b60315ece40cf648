"""The environment of RLlib: who acts, what is seen and paid, which deals come, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from ray.tune.registry import ENV_CREATOR, _global_registry

from terz_env.adapters.rllib import ENVIRONMENT, CardMultiAgentEnv
from terz_env.adapters.rllib.settings import ACTION_MASK, OBSERVATIONS
from terz_env.errors import IllegalActionError, RuleSetError
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import State

GAMES = ("terz", "tetka")


def table(game: str, **options: Any) -> CardMultiAgentEnv:
    return CardMultiAgentEnv({"game": game, **options})


def some_legal(seen: dict[str, Any], rng: np.random.Generator) -> dict[str, int]:
    """A random action for the seat that is shown something."""
    ((agent, shown),) = seen.items()
    return {agent: int(rng.choice(np.flatnonzero(shown[ACTION_MASK])))}


def played(env: CardMultiAgentEnv, seed: int | None = None) -> dict[str, float]:
    """What an episode pays in all."""
    rng = np.random.default_rng(1)
    seen, _ = env.reset(seed=seed)
    totals = dict.fromkeys(env.agents, 0.0)
    over = False
    while not over:
        seen, rewards, ends, cuts, _ = env.step(some_legal(seen, rng))
        assert sum(rewards.values()) == pytest.approx(0)
        for agent, reward in rewards.items():
            totals[agent] += reward
        over = ends["__all__"]
        assert not cuts["__all__"]
    assert seen == {}
    assert all(ends[agent] for agent in env.agents)
    return totals


@pytest.mark.parametrize("suits", ["plain", "canonical"])
@pytest.mark.parametrize("game", GAMES)
def test_a_seat_sees_what_the_self_play_batch_shows_it(game: str, suits: str) -> None:
    env = table(game, suits=suits)
    batch = SelfPlayBatch(game, 1, seed=11, observation="float32", suits=suits)
    seen, infos = env.reset(seed=11)
    assert infos == {}
    for _ in range(120):
        agent = f"seat_{batch.seats[0]}"
        assert list(seen) == [agent]
        assert env.observation_spaces[agent].contains(seen[agent])
        assert np.array_equal(seen[agent][OBSERVATIONS], batch.observations[0])
        assert np.array_equal(seen[agent][ACTION_MASK], batch.masks[0])
        action = int(np.flatnonzero(batch.masks[0])[-1])
        batch.step(np.array([action]))
        seen, rewards, ends, _, _ = env.step({agent: action})
        assert ends["__all__"] == bool(batch.ends[0])
        assert list(rewards.values()) == pytest.approx(batch.rewards[0].tolist())
        if ends["__all__"]:
            seen, _ = env.reset()


@pytest.mark.parametrize("game", GAMES)
def test_all_seats_are_paid_at_the_end_what_the_rules_say(game: str) -> None:
    env = table(game, reward_scale=1.0)
    totals = played(env, seed=5)
    assert list(totals.values()) == pytest.approx(env.position.returns())
    assert any(totals.values())
    assert played(table(game, reward_scale=1.0, rewards="shaped"), seed=5) == pytest.approx(totals)


def test_a_seed_counts_once_since_rllib_gives_it_again_and_again() -> None:
    def first_cards(env: CardMultiAgentEnv, seed: int | None) -> bytes:
        seen, _ = env.reset(seed=seed)
        return next(iter(seen.values()))[OBSERVATIONS].tobytes()

    env, other = table("tetka"), table("tetka")
    first, second, third = (first_cards(env, 3) for _ in range(3))
    assert len({first, second, third}) == 3
    assert [first_cards(other, seed) for seed in (3, None, 3)] == [first, second, third]
    assert first_cards(env, 4) not in {first, second, third}
    assert first_cards(env, 3) == first


def test_a_game_can_begin_with_given_cards_or_anywhere() -> None:
    env = table("terz")
    state = State.new("terz", seed=8)
    state.apply(state.legal_actions()[0])
    seen, _ = env.reset(options={"state": state})
    assert list(seen) == [f"seat_{state.seat_to_act}"]
    assert str(env.position) == str(state)


def test_entries_and_masks_share_a_dtype() -> None:
    for dtype in ("uint8", "float32"):
        env = table("terz", dtype=dtype)
        seen, _ = env.reset(seed=1)
        ((agent, shown),) = seen.items()
        assert {entries.dtype.name for entries in shown.values()} == {dtype}
        assert env.observation_spaces[agent].contains(shown)


def test_rllib_knows_the_environment_by_its_name() -> None:
    create = _global_registry.get(ENV_CREATOR, ENVIRONMENT)
    assert create({"game": "tetka"}).settings.options.game.name == "tetka"


# What is refused.


@pytest.mark.parametrize("suits", ["plain", "canonical"])
def test_an_unmasked_action_is_refused_with_the_way_out(suits: str) -> None:
    env = table("tetka", suits=suits)
    seen, _ = env.reset(seed=2)
    ((agent, shown),) = seen.items()
    before = str(env.position)
    for action in (int(np.flatnonzero(shown[ACTION_MASK] == 0)[0]), 52, -1):
        with pytest.raises(IllegalActionError, match=r"act by CardModule.*disable_env_checking"):
            env.step({agent: action})
    assert str(env.position) == before


def test_only_the_seat_to_act_may_act() -> None:
    env = table("tetka")
    seen, _ = env.reset(seed=2)
    (agent,) = seen
    others = [name for name in env.agents if name != agent]
    for actions in ({}, {others[0]: 0}, dict.fromkeys(env.agents, 0)):
        with pytest.raises(IllegalActionError, match=f"{agent} alone is to act"):
            env.step(actions)


def test_the_check_of_rllib_plays_unmasked_which_a_rule_set_may_allow() -> None:
    def check_often() -> None:
        for _ in range(100):  # it draws one action, which is lawful now and then
            check_multiagent_environments(table("terz"))

    with pytest.raises(ValueError, match="step"):
        check_often()
    for game in GAMES:
        check_multiagent_environments(table(game, illegal_actions="forfeit"))


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({}, ValueError, "game=None in env_config; use terz or tetka"),
        ({"game": "terz_mini"}, ValueError, "game='terz_mini' in env_config"),
        ({"game": "terz", "seats": 3}, TypeError, "no option 'seats' in env_config; the options"),
        ({"game": "terz", "rules": "follow=never"}, RuleSetError, "follow"),
        ({"game": "terz", "suits": "sorted"}, ValueError, "suits='sorted'; use plain or canonical"),
        (
            {"game": "terz", "suits": "canonical", "view": "table"},
            ValueError,
            "orders the suits of the view observation, not of table",
        ),
    ],
)
def test_options_that_do_not_exist_are_refused(
    given: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        CardMultiAgentEnv(given)
