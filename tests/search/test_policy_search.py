"""Search with a policy: weights of worlds against Bayes' theorem by hand, and its roll-outs."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from terz_env.cards import FULL_DECK
from terz_env.errors import PositionError
from terz_env.evaluation.plan import Plan
from terz_env.games.tetka.state import PLAYED, VOIDS
from terz_env.kernel import COMPILED
from terz_env.players import Decisions, PlayerError, decide, load_player, policy_file
from terz_env.players.policy import PolicyPlayer
from terz_env.players.policy_search import PolicySearchPlayer
from terz_env.search.likelihood import evened_weights, mixed_policy
from terz_env.search.solving import TerzSolver
from terz_env.search.terz_closed_play import in_closed_phase
from terz_env.state import Deal, State
from tests.deals import tetka_deal
from tests.parity import random_terz_rules
from tests.search.networks import SCALE, network, rule_network, save
from tests.search.playing import MELDS, Played, dealt, play, view
from tests.search.test_search_players import decision_with, hidden, played_on
from tests.sources import SeededSource

DEALS = 12 if COMPILED else 2
WORLDS = 12 if COMPILED else 3
HEAT, FLOOR = 1.7, 0.2


def generator(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


def searcher(policy: PolicyPlayer, worlds: int = WORLDS, **options: Any) -> PolicySearchPlayer:
    return PolicySearchPlayer(worlds, policy, **options)


def weigher(policy: PolicyPlayer, worlds: int = WORLDS, **options: Any) -> PolicySearchPlayer:
    heat = {"temperature": HEAT, "floor": FLOOR, "effective": 0.0} | options
    return searcher(policy, worlds, weights=policy, **heat)


def seen_by(words: NDArray[np.int64], state: State) -> NDArray[np.uint64]:
    """Returns what the seat to act of other words of the same game sees."""
    game = state.game
    seat = State(game, state.rules, state.scope, words).seat_to_act
    bits = np.zeros((1, game.layout.n_words), np.int64)
    game.kernels.observe_one(words, seat, bits[0])
    return bits.view(np.uint64)


def chances(policy: PolicyPlayer, state: State) -> dict[int, float]:
    """Returns the chance of every legal action by the formula."""
    logits = policy.logits(seen_by(state.words, state))[0].astype(float)
    legal = state.legal_actions()
    powers = {action: math.exp(logits[action] / HEAT) for action in legal}
    total = sum(powers.values())
    return {a: (1 - FLOOR) * powers[a] / total + FLOOR / len(legal) for a in legal}


def shares(weights: list[float]) -> NDArray[np.float64]:
    return np.array(weights) / sum(weights)


def tetka_weight(world: State, actions: list[int], policy: PolicyPlayer, seat: int) -> float:
    """Returns the chance of the others' past actions, with the deal played again by `State`."""
    hands = []
    for place in range(4):
        cards = int(world.words[place]) | int(world.words[PLAYED + place]) & (1 << 52) - 1
        hands.append([name for card, name in enumerate(FULL_DECK.names) if cards >> card & 1])
    dealer, photo = int(world.words[12]) >> 36 & 3, int(world.words[12]) >> 42 & 63
    deal = Deal(dealer, hands, photo=FULL_DECK.names[photo])
    replay, weight = State.from_deal("tetka", deal, world.rules), 1.0
    for action in actions:
        if replay.seat_to_act != seat:
            found = chances(policy, replay)
            weight *= found.get(action, FLOOR / len(found))
        replay.apply(action)
    return weight


@pytest.mark.parametrize("illegal", ["raise", "penalise"])
def test_worlds_of_tetka_weigh_what_the_others_would_have_played_in_them(illegal: str) -> None:
    policy, chooser = network("tetka", seed=3), random.Random(4)
    uneven = 0
    for seed in range(DEALS):
        state = State.new("tetka", {"illegal_actions": illegal}, seed=seed)
        actions = []
        for _ in range(chooser.randrange(8, 50)):
            actions.append(chooser.choice(state.legal_actions()))
            if illegal == "penalise" and chooser.random() < 0.1:
                actions[-1] = chooser.choice(
                    [FULL_DECK.names.index(card) for card in state.hand(state.seat_to_act)]
                )
            state.apply(actions[-1])
        seat = state.seat_to_act
        worlds, weights = weigher(policy).imagine(Decisions.of_state(state), 0, generator())
        wanted = []
        for words in worlds:
            world = State(state.game, state.rules, "deal", words)
            wanted.append(tetka_weight(world, actions, policy, seat))
        np.testing.assert_allclose(weights, shares(wanted), rtol=1e-5)
        uneven += np.ptp(weights) > 0.1
    assert uneven > DEALS // 3


def terz_weight(played: Played, world: NDArray[np.int64], policy: PolicyPlayer, seat: int) -> float:
    """Returns the chance of what the seat has seen of the other, with the world played again."""
    words, weight = dealt(played, world, seat), 1.0
    step = played.state.game.kernels.step_one
    for (actor, action), seen in zip(played.actions, played.views[seat], strict=True):
        state = State(played.state.game, played.state.rules, "deal", words)
        found = chances(policy, state)
        fitting: dict[int, float] = {}
        names = range(MELDS.start, MELDS.stop)
        for candidate in names if actor != seat and action in names else [action]:
            after = words.copy()
            if step(after, candidate) == 0 and view(after, seat) == seen:
                fitting[candidate] = found.get(candidate, 0.0)
        if actor != seat:
            weight *= sum(fitting.values()) or FLOOR / len(found)
        step(words, max(fitting, key=lambda name: fitting[name]))
    return weight


@pytest.mark.rule("T8", "T13", "T21", "T27")
@pytest.mark.parametrize("seed", range(3 * DEALS))
def test_worlds_of_terz_weigh_what_the_other_would_have_done_in_them(seed: int) -> None:
    policy, rng = network("terz", seed=3), generator(seed)
    played = Played(State.new("terz", random_terz_rules(SeededSource(seed)), seed=seed))
    if not play(played, int(rng.integers(1, 34)), rng):
        return
    state = played.state
    seat = state.seat_to_act
    decisions = Decisions.of_state(state)
    decisions = Decisions(
        state.game,
        decisions.states,
        decisions.bits,
        decisions.masks,
        decisions.seats,
        played.log[None],
    )
    worlds, weights = weigher(policy).imagine(decisions, 0, generator())
    wanted = [terz_weight(played, world, policy, seat) for world in worlds]
    np.testing.assert_allclose(weights, shares(wanted), rtol=1e-5)


def test_without_a_log_or_a_policy_for_them_all_worlds_weigh_the_same() -> None:
    for state in (played_on("terz", 3, 9).clone(), played_on("tetka", 3, 9)):
        game = state.game.name
        policy = network(game)
        player = weigher(policy) if game == "terz" else searcher(policy)
        _, weights = player.imagine(Decisions.of_state(state), 0, generator())
        np.testing.assert_array_equal(weights, np.full(WORLDS, 1 / WORLDS))


def test_a_uniform_policy_weighs_worlds_by_the_choices_that_there_were() -> None:
    state = tetka_deal({0: "2C 3C", 1: "AC", 2: "4C KC"}, "5H")
    state.apply("2C")  # one of thirteen cards in every world
    state.apply("AC")  # one of as many clubs as seat 1 held
    player = weigher(rule_network("tetka", [0.0] * 52), 40 if COMPILED else 8)
    worlds, weights = player.imagine(Decisions.of_state(state), 0, generator())
    clubs = [(int(words[1]) >> 13 & 8191).bit_count() + 1 for words in worlds]
    assert len(set(clubs)) > 2
    np.testing.assert_allclose(weights, shares([1 / count for count in clubs]))


def test_a_rule_that_holds_back_a_card_tells_who_has_not_got_others() -> None:
    state = tetka_deal({0: "2C 3C", 1: "AC", 2: "4C KC"}, "5H")
    state.apply("2C")
    state.apply("AC")
    last = [-20.0 if name == "AC" else 0.0 for name in FULL_DECK.names]
    player = weigher(rule_network("tetka", last), 300, floor=0.001)
    worlds, weights = player.imagine(Decisions.of_state(state), 0, generator())
    clubs = np.array([(int(words[1]) >> 13 & 8191).bit_count() + 1 for words in worlds])
    assert 0 < (clubs == 1).mean() < 0.1
    assert weights[clubs == 1].sum() > 0.9


def test_a_policy_that_rules_every_world_out_says_nothing() -> None:
    state = tetka_deal({0: "2C 3C"}, "5H")
    state.apply("2C")
    never = [-math.inf if name == "2C" else 0.0 for name in FULL_DECK.names]
    player = weigher(rule_network("tetka", never), floor=0.0)
    _, weights = player.imagine(Decisions.of_state(state), 0, generator())
    np.testing.assert_array_equal(weights, np.full(WORLDS, 1 / WORLDS))


def test_weights_are_evened_out_until_enough_worlds_count() -> None:
    logs = np.array([0.0, -1.0, -8.0, -8.0, -20.0])
    pure = evened_weights(logs, 0.0)
    np.testing.assert_allclose(pure, np.exp(logs) / np.exp(logs).sum())
    even = evened_weights(logs, 0.6)
    assert 1 / (even**2).sum() == pytest.approx(3)
    power = math.log(even[1] / even[0]) / -1.0
    assert 0 < power < 1
    np.testing.assert_allclose(np.log(even / even[0]), power * logs)
    np.testing.assert_array_equal(evened_weights(logs, 1 / (pure**2).sum() / 5 - 1e-6), pure)
    np.testing.assert_allclose(evened_weights(logs, 1.0), np.full(5, 0.2), atol=1e-3)
    logs[3:] = -np.inf  # what cannot be stays impossible
    np.testing.assert_allclose(evened_weights(logs, 1.0), [1 / 3] * 3 + [0, 0], atol=1e-3)


def test_the_policy_is_mixed_with_a_uniform_choice() -> None:
    logits = np.array([[0.0, math.log(3), 50.0]], np.float32)
    masks = np.array([[True, True, False]])
    np.testing.assert_allclose(mixed_policy(logits, masks, 1.0, 0.0), [[0.25, 0.75, 0]])
    np.testing.assert_allclose(mixed_policy(logits, masks, 1.0, 0.5), [[0.375, 0.625, 0]])
    heated = mixed_policy(logits, masks, 1e9, 0.0)
    np.testing.assert_allclose(heated, [[0.5, 0.5, 0]])


def finished(state: State, policy: PolicyPlayer) -> State:
    while not state.deal_is_over:
        state.apply(decide(policy, state, generator()))
    return state


def standing(state: State, seat: int) -> float:
    if state.game.family == "tetka":
        return float(state.marks[seat])
    points = [
        (int(w) & 1023) + (int(w) >> 10 & 0xFFFFF) - (int(w) >> 30) for w in state.words[12:14]
    ]
    return float(points[seat] - points[1 - seat])


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_roll_out_is_played_by_the_policy_in_every_seat(game: str) -> None:
    policy = network(game, seed=8)
    for seed in range(DEALS):
        state = played_on(game, seed, seed)
        seat = state.seat_to_act
        player = searcher(policy, 2)
        world, _ = player.imagine(Decisions.of_state(state, with_log=True), 0, generator(7))
        wanted = {}
        for action in state.legal_actions():
            ends = []
            for words in world:
                line = State(state.game, state.rules, "deal", words.copy())
                line.apply(action)
                ends.append(standing(finished(line, policy), seat) - standing(state, seat))
            wanted[state.game.actions[action]] = sum(ends) / 2
        found = player.analyse(state, seed=7)
        assert {value.action: value.value for value in found.values} == wanted
        best = (min if game == "tetka" else max)(wanted, key=lambda name: wanted[name])
        assert found.best == best
        assert {value.worlds for value in found.values} == {2}
        assert state.game.actions[decide(player, state, generator(7))] == best


def test_in_roll_outs_the_closed_phase_may_count_by_exact_play() -> None:
    policy, solver = network("terz", seed=8), TerzSolver(10)
    for seed in range(2 if COMPILED else 1):
        state = played_on("terz", seed, 15)
        while int(state.words[10]) >> 8 & 31 < 5:
            state.apply(state.legal_actions()[-1])
        seat = state.seat_to_act
        player = searcher(policy, 1, solver=True)
        world, _ = player.imagine(Decisions.of_state(state, with_log=True), 0, generator(7))
        wanted = {}
        for action in state.legal_actions():
            line = State(state.game, state.rules, "deal", world[0].copy())
            line.apply(action)
            while not in_closed_phase(line.words[None])[0]:
                line.apply(decide(policy, line, generator()))
            exact = solver.value(line) * (1 if line.seat_to_act == seat else -1)
            wanted[state.game.actions[action]] = (
                standing(line, seat) + exact - standing(state, seat)
            )
        found = player.analyse(state, seed=7)
        assert {value.action: value.value for value in found.values} == wanted


@pytest.mark.parametrize(("game", "result"), [("terz", 40.0), ("tetka", 2.5)])
def test_after_some_choices_the_value_head_may_say_what_a_line_is_worth(
    game: str, result: float
) -> None:
    reward = result / 100 if game == "terz" else 7 - 4 * result
    policy = network(game, worth=reward * SCALE)
    state = played_on(game, 3, 6)
    seat = state.seat_to_act
    found = searcher(policy, 3, depth=1).analyse(state)
    wanted = result - standing(state, seat)
    assert [value.value for value in found.values] == pytest.approx([wanted] * len(found.values))
    everything = searcher(policy, 3).analyse(state, seed=4)
    assert searcher(policy, 3, depth=90).analyse(state, seed=4) == everything


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_rule_players_may_play_out_the_worlds_that_a_policy_weighs(game: str) -> None:
    policy = network(game)
    state = played_on(game, 5, 7)
    seat = state.seat_to_act
    player = weigher(policy, roll_out="greedy")
    worlds, weights = player.imagine(Decisions.of_state(state, with_log=True), 0, generator(2))
    found = player.analyse(state, seed=2)
    for value in found.values:
        lines = []
        for words in worlds:
            line = State(state.game, state.rules, "deal", words.copy())
            line.apply(value.action)
            lines.append(line)
        ends = []
        for line in lines:
            greedy = load_player("greedy")
            while not line.deal_is_over:
                line.apply(decide(greedy, line, generator()))
            ends.append(standing(line, seat) - standing(state, seat))
        mean = float(weights @ ends)
        assert value.value == pytest.approx(mean)
        squares = float(weights**2 @ (np.array(ends) - mean) ** 2)
        assert value.error == pytest.approx(math.sqrt(squares / (1 - (weights**2).sum())))


def test_equal_weights_give_the_usual_standard_error() -> None:
    state = played_on("tetka", 5, 7)
    found = searcher(network("tetka"), 4).analyse(state, seed=2)
    assert math.isnan(searcher(network("tetka"), 1).analyse(state).values[0].error)
    worlds, _ = searcher(network("tetka"), 4).imagine(Decisions.of_state(state), 0, generator(2))
    action = state.legal_actions()[0]
    ends = []
    for words in worlds:
        line = State(state.game, state.rules, "deal", words.copy())
        line.apply(action)
        ends.append(standing(finished(line, network("tetka")), state.seat_to_act))
    assert found.values[0].error == pytest.approx(np.std(ends, ddof=1) / 2)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_within_the_margin_the_policy_has_its_way(game: str) -> None:
    """Beyond it the action with the greatest surplus is taken, by the formula."""
    policy = network(game)
    left = 0
    for seed in range(DEALS):
        state = played_on(game, seed, 7)
        decisions = decision_with(state, state.words)
        own = int(policy.act(decisions, generator())[0])
        assert searcher(policy, margin=1e6).act(decisions, generator())[0] == own
        legal, results, _ = searcher(policy)._try(decisions, 0, generator())
        gains = (-results if game == "tetka" else results).T
        ahead = gains - gains[list(legal).index(own)]
        errors = ahead.std(axis=1, ddof=1) / math.sqrt(WORLDS)
        surplus = ahead.mean(axis=1) - 0.5 * errors
        chosen = int(searcher(policy, margin=0.5).act(decisions, generator())[0])
        best = max(surplus.max(), 0.0)
        assert surplus[list(legal).index(chosen)] == pytest.approx(best, abs=1e-9)
        left += chosen != own
    assert left > 0


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_choices_are_lawful_repeatable_and_blind(game: str) -> None:
    policy, chooser, moved = network(game), random.Random(2), 0
    chosen = weigher(policy, 3, sample=True)
    for seed in range(max(2, DEALS // 3)):
        rules: Any = random_terz_rules(SeededSource(seed)) if game == "terz" else None
        state = State.new(game, rules, seed=seed)
        while not state.deal_is_over:
            if chooser.random() < 0.3:
                before = state.to_bytes()
                other = hidden(state, chooser)
                moved += other.to_bytes() != state.to_bytes()
                action = int(chosen.act(decision_with(state, state.words), generator())[0])
                assert action in state.legal_actions()
                unknown = decision_with(state, other.words)
                assert int(chosen.act(unknown, generator())[0]) == action
                assert state.to_bytes() == before
            state.apply(chooser.choice(state.legal_actions()))
    assert moved > 3


def test_in_the_closed_phase_it_is_exact() -> None:
    state, solver = played_on("terz", 1, 0), TerzSolver(10)
    while not in_closed_phase(state.words[None])[0] or len(state.legal_actions()) == 1:
        state.apply(state.legal_actions()[-1])
    exact = solver.solve(state)
    player = searcher(network("terz"), 1)
    found = player.analyse(state)
    assert found.is_exact
    assert {value.action: value.value for value in found.values} == exact.values
    assert exact.values[state.game.actions[decide(player, state, generator())]] == exact.value


def test_knowledge_that_no_deal_agrees_with_is_refused() -> None:
    state = State.new("tetka", seed=1)
    for seat in range(4):
        if seat != state.seat_to_act:
            state.words[4 + seat] |= 1 << VOIDS
    with pytest.raises(PositionError, match="no deal agrees with what seat_"):
        decide(searcher(network("tetka")), state, generator())


def test_names_say_what_is_played(tmp_path: Path) -> None:
    terz, tetka = tmp_path / "terz", tmp_path / "tetka"
    terz.mkdir()
    tetka.mkdir()
    save(terz, "terz", reward_scale=0.5)
    save(tetka, "tetka")
    for name, shown in (
        (f"pimc:5@{tetka}", "pimc:5@small"),
        (f"pimc:5@{tetka},weights", "pimc:5@small,weights"),
        (f"pimc:5:greedy@{tetka},weights", "pimc:5:greedy@small,weights"),
        (f"pimc:7@{terz},depth=3,solver,sample", "pimc:7@small,solver,sample,depth=3"),
        (f"pimc:7@{terz}+solver", "pimc:7@small+solver"),
        (f"pimc:7@{tetka},margin=1.50", "pimc:7@small,margin=1.5"),
    ):
        assert load_player(name).name == shown
        assert policy_file(name) == (tetka if "tetka" in name else terz) / "model.safetensors"
    assert policy_file("pimc:5") is None
    plan = Plan.make("tetka", ["random", f"pimc:5@{tetka}"], 2)
    assert list(plan.digests) == [f"pimc:5@{tetka}"]

    for name, message in (
        (f"pimc:0@{tetka}", "pimc with 0 worlds"),
        (f"pimc:5@{tetka},depth=2", "a value head and its reward_scale"),
        (f"pimc:5@{tetka},wisdom", "no option 'wisdom'; use some of weights"),
        (f"pimc:5@{tetka},depth=x", "no option 'depth=x'"),
        (f"pimc:5@{tetka},margin=-1", "no option 'margin=-1'"),
        (f"pimc:5:greedy@{tetka}", "the policy is not used; add ,weights"),
        (f"pimc:5:wise@{tetka},weights", "no roll-outs by 'wise'"),
        (f"pimc:5@{tmp_path}", "no policy can be read"),
    ):
        with pytest.raises(PlayerError, match=message):
            load_player(name)
    save(tmp_path, "terz", reward_scale="much")
    with pytest.raises(PlayerError, match="reward_scale 'much'; a number above 0"):
        load_player(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.0}, "temperature=0.0; a number above 0"),
        ({"temperature": math.nan}, "temperature=nan"),
        ({"floor": 1.5}, "floor=1.5 is no share"),
        ({"effective": -0.5}, "effective=-0.5 is no share"),
        ({"depth": 0}, "depth=0: at least 1"),
        ({"margin": -1.0}, "margin=-1.0; a number from 0, and 2 worlds"),
        ({"margin": math.inf}, "margin=inf"),
        ({"depth": 2, "roll_out": "greedy"}, "depth=2"),
        ({"solver": True}, "it values Terz's closed phase"),
        ({"weights": network("terz")}, "weights by a policy of terz; tetka is played"),
    ],
)
def test_a_search_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        searcher(network("tetka"), **options)


def test_a_policy_without_a_value_head_has_no_results() -> None:
    bits = Decisions.of_state(State.new("tetka")).bits
    with pytest.raises(PlayerError, match="rule: the value head is missing, or the reward_scale"):
        rule_network("tetka", [0.0] * 52).results(bits)
