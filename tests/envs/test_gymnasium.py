"""The Gymnasium environment: Gymnasium's checker, what is paid and seen, opponents, refusals."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics
from numpy.typing import NDArray

import terz_env
from terz_env import terz_v0, tetka_v0
from terz_env.envs.learner import InvalidActionError
from terz_env.envs.single import LearnerEnv
from terz_env.errors import (
    IllegalActionError,
    PositionError,
    RuleSetError,
    UnknownGameError,
)
from terz_env.games import get_game
from terz_env.players import Decisions, PlayerError, decide, load_player
from terz_env.players.policy import PolicyPlayer
from terz_env.records import record_game
from terz_env.state import Deal, State
from tests.models import save_model

IDS = {"terz": "terz_env/Terz-v0", "tetka": "terz_env/Tetka-v0"}
MODULES = {"terz": terz_v0, "tetka": tetka_v0}
EVERY = [
    ("terz", {}),
    ("tetka", {"opponents": "greedy"}),
    ("terz", {"scope": "match", "rules": "target_settle=300,target_announce=300"}),
    ("tetka", {"scope": "rubber", "seat": "random", "rewards": "shaped"}),
    ("terz", {"rewards": "shaped", "dtype": "float32", "opponents": "heuristic"}),
    ("tetka", {"rewards": "shaped", "seat": 2, "opponents": {"random": 1, "greedy": 3}}),
    ("terz", {"rules": "break_deck=choose,rounding=none", "opponents": ["random:announce"]}),
    ("terz", {"rules": "illegal_actions=penalise", "rewards": "shaped", "scope": "match"}),
    ("tetka", {"illegal_actions": "penalise", "opponents": ["random", "greedy", "heuristic"]}),
]


class Spy:
    """Plays the highest legal action and keeps what it was shown."""

    name = "spy"
    game: str | None = None

    def __init__(self) -> None:
        self.seen: list[Decisions] = []

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        self.seen.append(decisions)
        return decisions.masks.shape[1] - 1 - decisions.masks[:, ::-1].argmax(axis=1)


class Chancer:
    """Plays by its own chance, in Python."""

    name = "chancer"
    game: str | None = None

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.array([rng.choice(np.flatnonzero(mask)) for mask in decisions.masks])


class Cheat:
    """Gives what no player may give."""

    name = "cheat"
    game: str | None = None

    def __init__(self, given: Any) -> None:
        self.given = given

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return self.given


def policy(game: str) -> PolicyPlayer:
    """Returns a network with weights by chance."""
    record, rng = get_game(game), np.random.default_rng(3)
    shapes = {
        "trunk.0.weight": (8, record.layout.n_entries),
        "trunk.0.bias": (8,),
        "policy.weight": (record.n_actions, 8),
        "policy.bias": (record.n_actions,),
    }
    tensors = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return PolicyPlayer(game, tensors, sample=True)


def play(env: Any, seed: int | None, choice: int) -> list[Any]:
    """Plays an episode with uniform actions; returns all that the environment said."""
    rng = np.random.default_rng(choice)
    seen, info = env.reset(seed=seed)
    said = [(seen, info)]
    over = False
    while not over:
        mask = seen["action_mask"]
        assert mask.any()
        seen, reward, over, truncated, info = env.step(rng.choice(np.flatnonzero(mask)))
        assert not truncated
        assert info["action_mask"] is seen["action_mask"]
        said.append((seen, reward, over, info))
    assert not seen["action_mask"].any()
    return said


def earned(said: list[Any]) -> float:
    """Returns the sum of the rewards of an episode."""
    return sum(step[1] for step in said[1:])


def same(one: Any, other: Any) -> bool:
    """Tells whether nested dicts, lists and arrays hold the same."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


@pytest.mark.filterwarnings("ignore:.*human.*:UserWarning")
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_gymnasiums_checker_passes(game: str) -> None:
    for name, options in EVERY:
        if name == game:
            check_env(gymnasium.make(IDS[game], **options).unwrapped, skip_render_check=True)
    env = gymnasium.make(IDS[game], render_mode="ansi").unwrapped
    check_env(env)
    env.reset(seed=1)
    assert "learner" in str(env.render())


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_a_seed_fixes_everything_and_a_reset_without_one_goes_on(
    game: str, options: dict[str, Any]
) -> None:
    envs = [LearnerEnv(game, **options) for _ in range(2)]
    for seed in (5, None, None, 6, None):
        one, other = (play(env, seed, 1) for env in envs)
        assert same(one, other)
    again = play(envs[0], 5, 1)
    assert same(again, play(envs[1], 5, 2)[:1] + again[1:])
    assert not same(again[0], play(envs[0], None, 1)[0])


def test_opponents_of_ones_own_have_their_chance_from_the_seed() -> None:
    for opponent in (Chancer(), policy("tetka")):
        env = LearnerEnv("tetka", opponents=opponent)
        first, second = play(env, 5, 1), play(env, None, 1)
        assert same(first, play(env, 5, 1))
        assert same(second, play(env, None, 1))


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_the_rewards_sum_to_the_result_by_the_rules(game: str, options: dict[str, Any]) -> None:
    env = LearnerEnv(game, **options)
    for number in range(4):
        said = play(env, None if number else 8, number)
        position, seat = env.position, said[-1][3]["seat"]
        assert position.is_over
        result = position.returns()[seat] * env.options.reward_scale
        assert earned(said) == pytest.approx(result, abs=1e-9)
        if options.get("rewards") != "shaped":
            assert all(step[1] == 0 for step in said[1:-1])


def others_play(turns: Any, learner: str) -> None:
    """Lets greedy play in the turn-based environment until the learner is to act."""
    rng = np.random.default_rng(0)
    while not turns.terminations[learner] and turns.agent_selection != learner:
        turns.step(decide(load_player("greedy"), turns.position, rng))


@pytest.mark.parametrize(("game", "options"), EVERY)
def test_the_turn_based_environment_plays_the_same_game(game: str, options: dict[str, Any]) -> None:
    shared = {name: value for name, value in options.items() if name not in {"seat", "opponents"}}
    env = LearnerEnv(game, opponents="greedy", seat="rotate", **shared)
    shared["illegal_actions"] = env.options.rules.to_dict()["illegal_actions"]
    turns = MODULES[game].env(**shared)
    for number in range(3):
        seed = None if number else 21
        turns.reset(seed=seed)
        seen, info = env.reset(seed=seed)
        learner = turns.possible_agents[info["seat"]]
        others_play(turns, learner)
        opening, over = turns._cumulative_rewards[learner], False
        while not over:
            assert same(seen, turns.observe(learner))
            action = int(seen["action_mask"].argmax())
            turns.step(action)
            others_play(turns, learner)
            seen, reward, over, _, _ = env.step(action)
            assert over == turns.terminations[learner]
            assert reward == pytest.approx(turns._cumulative_rewards[learner] + opening, abs=1e-9)
            opening = 0.0
        assert same(seen, turns.observe(learner))
        assert env.position == turns.position


def test_the_learner_sits_where_it_is_told_to() -> None:
    assert [play(LearnerEnv("tetka", seat=3), 1, 1)[0][1]["seat"] for _ in range(2)] == [3, 3]
    env = LearnerEnv("tetka")
    assert [env.reset()[1]["seat"] for _ in range(6)] == [0, 1, 2, 3, 0, 1]
    env = LearnerEnv("tetka", seat="random")
    counts = Counter(env.reset(seed=seed)[1]["seat"] for seed in range(100))
    assert sorted(counts) == [0, 1, 2, 3]
    assert min(counts.values()) > 10


def test_a_list_names_the_opponents_from_the_left_neighbour_on() -> None:
    env = LearnerEnv("tetka", opponents=["random", "greedy", "heuristic"])
    assert env.reset(seed=1)[1]["seat"] == 0
    assert env.unwrapped.seating == ("learner", "random", "greedy", "heuristic")
    env.reset()
    assert env.unwrapped.seating == ("heuristic", "learner", "random", "greedy")


def test_a_mixture_is_drawn_anew_for_every_episode() -> None:
    spy = Spy()
    env = LearnerEnv("terz", opponents={"random": 1, "greedy": 2, spy: 1, "heuristic": 0}, seat=0)
    counts: Counter[str] = Counter()
    for number in range(200):
        env.reset(seed=None if number else 4)
        counts[env.seating[1]] += 1
    assert counts.keys() == {"random", "greedy", "spy"}
    assert 70 < counts["greedy"] < 130
    assert len(spy.seen) > 0


def test_other_opponents_sit_down_with_the_next_episode() -> None:
    env = LearnerEnv("tetka", opponents="random")
    env.reset(seed=1)
    spy = Spy()
    env.set_opponents(["greedy", spy, "random"])
    assert env.seating == ("learner", "random", "random", "random")
    play_on = env.step(int(env.action_masks().argmax()))
    assert not spy.seen
    assert not play_on[2]
    env.reset()
    assert env.seating == ("random", "learner", "greedy", "spy")
    with pytest.raises(PlayerError):
        env.set_opponents("nobody")
    assert env.seating == ("random", "learner", "greedy", "spy")


def test_a_snapshot_plays_with_the_weights_it_has_now() -> None:
    class Lowest(Spy):
        low = False

        def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
            return decisions.masks.argmax(axis=1) if self.low else super().act(decisions, rng)

    player = Lowest()
    env = LearnerEnv("terz", opponents=player, seat=0)
    before = play(env, 3, 1)
    player.low = True
    assert not same(before, play(env, 3, 1))
    player.low = False
    assert same(before, play(env, 3, 1))


def test_opponents_see_no_hidden_card() -> None:
    spy = Spy()
    env = LearnerEnv("tetka", opponents=spy)
    play(env, 3, 1)
    observe, compared = get_game("tetka").kernels.observe_one, 0
    for seen in spy.seen:
        seat = int(seen.seats[0])
        others = [other for other in range(4) if other != seat]
        swapped = seen.states[0].copy()
        swapped[others] = swapped[others[::-1]]
        words = np.zeros(seen.bits.shape[1], dtype=np.int64)
        observe(swapped, seat, words)
        full = len({int(swapped[other]).bit_count() for other in others}) == 1
        if full and not any(int(word) >> 52 for word in swapped[4:8]):
            np.testing.assert_array_equal(words.view(np.uint64), seen.bits[0])
            compared += 1
        mine = np.zeros_like(words)
        observe(seen.states[0], seat, mine)
        np.testing.assert_array_equal(mine.view(np.uint64), seen.bits[0])
    assert compared > 0


@pytest.mark.rule("T28", "K11")
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_an_illegal_action_forfeits_unless_it_is_to_raise(game: str) -> None:
    env = LearnerEnv(game, seat=0)
    for action in (-1, 10**6, 1 << 80, "illegal"):
        seen, _ = env.reset(seed=1)
        wrong = int(seen["action_mask"].argmin()) if action == "illegal" else action
        seen, reward, over, _, _ = env.step(wrong)
        assert over
        assert reward < 0
        assert reward == env.position.returns()[0] * env.options.reward_scale
    env = LearnerEnv(game, seat=0, illegal_actions="raise")
    seen, _ = env.reset(seed=1)
    before = env.position
    for wrong in (-1, 10**6, 1 << 80, int(seen["action_mask"].argmin())):
        with pytest.raises(gymnasium.error.InvalidAction, match="legal: "):
            env.step(wrong)
        assert env.position == before
    assert not env.step(int(seen["action_mask"].argmax()))[2]


@pytest.mark.parametrize("mode", ["raise", "forfeit", "penalise"])
def test_what_is_no_integer_is_refused_and_changes_nothing(mode: str) -> None:
    env = LearnerEnv("terz", illegal_actions=mode)
    env.reset(seed=1)
    before = env.position
    odd = [None, True, 1.0, np.float32(2), "AS", np.nan, [1], np.array([1, 2]), np.array([1.0])]
    for action in odd:
        with pytest.raises(InvalidActionError, match="integer") as caught:
            env.step(action)
        assert isinstance(caught.value, IllegalActionError)
        assert env.position == before
    env.step(np.array(int(env.action_masks().argmax()), dtype=np.uint8))
    assert env.position != before


def test_calls_out_of_order_need_a_reset() -> None:
    env = LearnerEnv("terz", render_mode="ansi")
    for call in (lambda: env.step(0), env.render):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            call()
    play(env, 1, 1)
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(0)
    env.reset()
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        gymnasium.make(IDS["terz"]).step(0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert LearnerEnv("terz").render() is None


def test_wrong_options_say_what_fits() -> None:
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        (
            {"colour": "red"},
            TypeError,
            "'colour'; the options are opponents, seat, render_mode, ru",
        ),
        ({"rewards": "dense"}, ValueError, "terminal"),
        ({"dtype": "int7"}, ValueError, "uint8"),
        ({"render_mode": "video"}, ValueError, "ansi"),
        ({"seat": 4}, ValueError, "0 to 3, rotate, random"),
        ({"seat": "north"}, ValueError, "rotate"),
        ({"seat": True}, ValueError, "True"),
        ({"scope": "match"}, RuleSetError, "rubber"),
        ({"opponents": "nobody"}, PlayerError, "heuristic"),
        ({"opponents": 3}, PlayerError, "3 is no player"),
        ({"opponents": ["random"]}, PlayerError, "3 other seats"),
        ({"opponents": "random:announce"}, PlayerError, "terz, not tetka"),
        ({"opponents": policy("terz")}, PlayerError, "terz, not tetka"),
        ({"opponents": {"random": -1}}, PlayerError, "chances"),
        ({"opponents": {"random": 0}}, PlayerError, "chances"),
        ({"opponents": {Spy(): 1 for _ in range(40_000)}}, PlayerError, "too many"),
        ({"opponents": {"random": float("nan")}}, PlayerError, "chances"),
    ]
    for options, kind, words in wrong:
        with pytest.raises(kind, match=words):
            LearnerEnv("tetka", **options)
    with pytest.raises(ValueError, match="use terz or tetka"):
        LearnerEnv("terz_mini")
    with pytest.raises(UnknownGameError, match="whist"):
        LearnerEnv("whist")
    with pytest.raises(TypeError, match="the options are opponents"):
        gymnasium.make(IDS["tetka"], colour="red")
    with pytest.raises(gymnasium.error.Error, match="-1"):
        LearnerEnv("tetka").reset(seed=-1)


def test_the_directory_of_a_policy_is_an_opponent(tmp_path: Path) -> None:
    save_model(tmp_path, "tetka")
    env = LearnerEnv("tetka", opponents=tmp_path)
    play(env, 1, 1)
    assert env.seating.count("tiny") == 3
    with pytest.raises(PlayerError, match="tetka, not"):
        LearnerEnv("terz", opponents=str(tmp_path))


@pytest.mark.parametrize("given", [np.array([-1]), np.array([60]), np.array([0.0]), [], None])
def test_an_opponent_that_plays_what_it_may_not_is_named(given: Any) -> None:
    env = LearnerEnv("tetka", opponents="random", seat=0)
    env.reset(seed=1)
    env.set_opponents(Cheat(given))
    with pytest.raises(PlayerError, match="cheat"):
        play(env, None, 1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.set_opponents("greedy")
    play(env, None, 1)


@pytest.mark.parametrize(("game", "scope"), [("terz", "match"), ("tetka", "rubber")])
def test_a_record_deals_or_a_position_can_be_played(game: str, scope: str) -> None:
    def first(state: State) -> int:
        return state.legal_actions()[0]

    record = record_game(game, None, scope, 3, 0, first)
    env = LearnerEnv(game, record=record, opponents="greedy", seat=0)
    play(env, 1, 1)
    assert env.position.is_over
    cards = record["deals"][0]
    parts = {name: cards[name] for name in ("trump_card", "talon", "photo") if name in cards}
    deal = Deal(cards["dealer"], cards["hands"], **parts)
    for options in ({"deals": [deal]}, {}):
        env = LearnerEnv(game, opponents=Spy(), seat=0, **options)
        env.reset(seed=1, options={} if options else {"deal": deal})
        for seat, hand in enumerate(cards["hands"]):
            held = int(env.position.words[seat]) | int(
                env.position.words[len(cards["hands"]) + seat]
            )
            assert set(hand) <= set(env.options.game.deck.members(held & ((1 << 52) - 1)))
    state = State.new(game, "illegal_actions=forfeit", seed=9)
    for _ in range(9):
        state.apply(state.legal_actions()[0])
    env = LearnerEnv(game, seat=state.seat_to_act)
    env.reset(seed=1, options={"state": state})
    assert env.position == state
    env.reset()
    assert env.position != state


def test_a_start_that_cannot_be_is_refused_and_the_environment_goes_on() -> None:
    env = LearnerEnv("tetka")
    env.reset(seed=1)
    before = env.position
    over = State.new("tetka", "illegal_actions=forfeit")
    over.apply(51 if 51 not in over.legal_actions() else 0)
    mine = State.new("tetka", "illegal_actions=forfeit")
    deal = Deal(0, [[], [], [], []], photo="AS")
    for options in (
        {"state": State.new("terz")},
        {"state": State.new("tetka")},
        {"state": over},
        {"state": "a position"},
        {"deal": "a deal"},
        {"deal": deal},
    ):
        with pytest.raises(PositionError):
            env.reset(options=options)
        assert env.position == before
    with pytest.raises(ValueError, match="one of them"):
        env.reset(options={"deal": deal, "state": mine})
    env.step(int(env.action_masks().argmax()))


def has_won(state: State) -> bool:
    """Announces a meld if there is one; tells whether that ended the match."""
    for name in state.legal_names():
        if name.startswith(("run", "four", "marriage")):
            state.apply(name)
            return state.is_over
    return False


def test_an_episode_that_ends_before_the_learner_acts_is_passed_over() -> None:
    rules = "target_announce=20,target_settle=20,illegal_actions=forfeit"
    states = (State.new("terz", rules, scope="match", seed=seed, dealer=1) for seed in range(200))
    state = next(state for state in states if has_won(state))
    assert state.is_over
    state.undo()
    announcing = {"rules": "target_announce=20,target_settle=20", "scope": "match", "seat": 1}
    env = LearnerEnv("terz", opponents="random:announce", **announcing)
    env.reset(seed=1, options={"state": state})
    assert not env.position.is_over
    assert env.position != state
    places = [int(state.words[8 + place // 7]) >> 5 * (place % 7) & 31 for place in range(14)]
    talon = [state.game.deck.names[card] for card in places]
    hands = [state.hand(0), state.hand(1)]
    deal = Deal(1, hands, trump_card=talon[-1], talon=talon[:-1])
    env = LearnerEnv("terz", opponents=Announcer(), deals=[deal], **announcing)
    with pytest.raises(PositionError, match="no episode lasts"):
        env.reset(seed=1)


class Announcer(Spy):
    """Announces where it can."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.array(
            [next((a for a in range(32, 61) if mask[a]), mask.argmax()) for mask in decisions.masks]
        )


def test_wrappers_work() -> None:
    env = RecordEpisodeStatistics(gymnasium.make(IDS["tetka"], opponents="greedy"))
    said = play_through(env)
    assert said["episode"]["r"] == pytest.approx(said["sum"])
    assert said["episode"]["l"] == 13
    flat = FlattenObservation(gymnasium.make(IDS["terz"]))
    game = get_game("terz")
    assert flat.reset(seed=1)[0].shape == (game.layout.n_entries + game.n_actions,)
    env = gymnasium.make(IDS["terz"])
    assert isinstance(env.unwrapped, LearnerEnv)
    assert env.get_wrapper_attr("action_masks")().dtype == np.bool_
    assert env.observation_space is env.observation_space
    assert env.action_space is env.action_space
    env.action_space.seed(4)
    drawn = [env.action_space.sample() for _ in range(5)]
    env.action_space.seed(4)
    assert drawn == [env.action_space.sample() for _ in range(5)]
    seen, _ = env.reset(seed=1)
    assert seen["action_mask"][env.action_space.sample(seen["action_mask"])] == 1
    assert env.spec is not None
    assert env.spec.max_episode_steps is None


def play_through(env: Any) -> dict[str, Any]:
    """Plays an episode; returns the last info and the sum of the rewards."""
    seen, _ = env.reset(seed=1)
    total, over = 0.0, False
    while not over:
        seen, reward, over, _, info = env.step(int(seen["action_mask"].argmax()))
        total += reward
    return {**info, "sum": total}


def test_what_was_seen_stays_as_it_was_unless_views_are_asked_for() -> None:
    env = LearnerEnv("terz")
    first, _ = env.reset(seed=1)
    kept = copy.deepcopy(first)
    second = env.step(int(first["action_mask"].argmax()))[0]
    assert same(first, kept)
    assert not same(first, second)
    views = LearnerEnv("terz", copy=False)
    first, _ = views.reset(seed=1)
    second = views.step(int(first["action_mask"].argmax()))[0]
    assert np.shares_memory(first["observation"], second["observation"])


@pytest.mark.parametrize(("game", "options"), EVERY[:4])
def test_a_copy_in_mid_episode_goes_on_alone(game: str, options: dict[str, Any]) -> None:
    env = LearnerEnv(game, **options)
    seen, _ = env.reset(seed=2)
    for _ in range(3):
        seen, *_ = env.step(int(seen["action_mask"].argmax()))
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    action = int(seen["action_mask"].argmax())
    said = env.step(action)
    for twin in twins:
        assert same(said, twin.step(action))
        assert twin.position == env.position
    play(twins[0], None, 1)
    assert env.position == twins[1].position


def test_the_package_registers_its_environments_and_loads_nothing_else() -> None:
    code = (
        "import sys, terz_env, gymnasium, pettingzoo\n"
        "assert not {'numba', 'torch'} & set(sys.modules), sys.modules\n"
        "assert {'terz_env/Terz-v0', 'terz_env/Tetka-v0'} <= set(gymnasium.registry)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    for game, name in (("terz", "terz_env/terz_v0"), ("tetka", "terz_env/tetka_v0")):
        make = getattr(pettingzoo, "make", None)  # PettingZoo has a registry since 1.27
        env = make("aec", name, scope="deal") if make else MODULES[game].env()
        assert env.unwrapped.options.game.name == game
    assert terz_env.load_player("greedy").name == "greedy"
    assert terz_env.terz_v0 is terz_v0
    with pytest.raises(AttributeError, match="bridge"):
        terz_env.bridge  # noqa: B018 - the look-up itself is tested
