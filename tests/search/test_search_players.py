"""Search players: lawful, blind to hidden cards, repeatable, and right where the best is known."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from terz_env.errors import IllegalActionError, PositionError
from terz_env.evaluation.matches import duplicate_match, play_seating
from terz_env.games import NAMES
from terz_env.games.terz.state import HAND, KNOWN, LANE, PLAYED, RUN, SEVEN, TABLE, TRICK
from terz_env.games.tetka.state import REVOKES, VOIDS
from terz_env.kernel import COMPILED
from terz_env.players import Decisions, PlayerError, decide, load_player
from terz_env.players.search import SearchPlayer
from terz_env.players.solver import SolverPlayer
from terz_env.search import sampled_search
from terz_env.search.logged_batch import LoggedBatch
from terz_env.search.sampled_search import SampledSearch, choose, means, standard_errors
from terz_env.search.solving import TerzSolver, TetkaSolver
from terz_env.search.terz_closed_play import in_closed_phase
from terz_env.search.terz_past import log_of
from terz_env.search.worlds import DealLog, Worlds
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import State
from tests.parity import random_terz_rules
from tests.sources import SeededSource
from tests.test_players import hidden_terz, hidden_tetka

DEALS = 8 if COMPILED else 2
SEARCHES = ("pimc:2", "ismcts:5")

LAST_TO_PLAY = (
    (
        "tetka dealer=1 photo=2D trick=12 hands=AC|7S|6H,QH|JD table=3:7H,TH,2H "
        "tricks=2:9S,QS,4S,JS|3:2D,5D,6D,8D|2:QD,3D,6C,4D|2:9C,8C,3C,JC|1:KS,TS,AS,5S|"
        "3:2S,8S,3S,2C|0:KC,KH,4C,TC|"
        "0:QC,KD,9H,JH|0:4H,AH,3H,5H|1:6S,AD,9D,5C|1:7D,8H,TD,7C"
    ),
    (
        "tetka dealer=3 photo=3S trick=12 hands=QC|JS|TD,AD|7H table=3:JD,4C,7C "
        "tricks=0:3H,9H,2H,4H|1:TH,7D,QH,6H|3:4D,2D,2S,3D|3:5H,8D,AH,KS|1:4S,TS,QS,AS|"
        "0:5C,2C,3C,6D|0:KC,6C,JC,QD|"
        "0:8C,TC,9C,JH|1:5S,9S,KH,3S|2:8S,8H,AC,6S|2:5D,KD,9D,7S"
    ),
    (
        "tetka dealer=3 photo=8D trick=12 hands=9D,KD|QD|3S|7H table=1:4D,7C,6H "
        "tricks=0:2D,7D,TD,6D|2:5C,9C,2C,JC|1:4H,JH,8H,9H|2:QS,2S,AS,5S|0:4C,AC,3C,TC|"
        "1:8C,QC,7S,6C|2:KH,QH,TH,3H|"
        "2:JS,6S,8S,JD|2:4S,TS,KS,KC|0:3D,5D,8D,AD|3:5H,2H,AH,9S"
    ),
)
"""The last seat in trick 12, who knows where every card is; the rest is forced."""


def generator(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


def search(method: str, *args: Any, **options: Any) -> SearchPlayer:
    return SearchPlayer(method, *args, **options)


def played_on(game: str, seed: int, steps: int, rules: Any = None) -> State:
    """Returns a deal after some random actions, with the beginning remembered."""
    state, rng = State.new(game, rules, seed=seed), generator(seed)
    for _ in range(steps):
        if not state.deal_is_over:
            state.apply(int(rng.choice(state.legal_actions())))
    return state


@pytest.mark.parametrize("player", SEARCHES)
@pytest.mark.parametrize("game", NAMES)
def test_every_choice_is_lawful_and_changes_nothing(game: str, player: str) -> None:
    chosen, rng, chooser = load_player(player), generator(), random.Random(1)
    for seed in range(DEALS):
        rules = random_terz_rules(SeededSource(seed)) if game == "terz" else None
        state = State.new(game, rules, seed=seed)
        while not state.deal_is_over:
            if COMPILED or chooser.random() < 0.3:
                before = state.to_bytes()
                action = decide(chosen, state, rng)
                assert state.to_bytes() == before
                assert action in state.legal_actions()
            state.apply(chooser.choice(state.legal_actions()))


def decision_with(state: State, words: NDArray[np.int64]) -> Decisions:
    """Returns the decision of a state with other words in place of its own, and with its log."""
    true = Decisions.of_state(state, with_log=True)
    return Decisions(true.game, words[None], true.bits, true.masks, true.seats, true.logs)


def hidden(state: State, chooser: random.Random) -> State:
    """Returns the position with what the seat to act cannot know dealt anew."""
    if state.game.family == "terz":
        return hidden_terz(state, chooser)
    other = hidden_tetka(state, chooser)
    if "penalise" not in str(state.rules):
        for seat in range(4):
            other.words[4 + seat] &= ~(15 << REVOKES)
    return other


@pytest.mark.parametrize("player", SEARCHES)
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_no_choice_depends_on_hidden_cards(game: str, player: str) -> None:
    chosen, chooser, moved = load_player(player), random.Random(2), 0
    for seed in range(DEALS):
        rules = random_terz_rules(SeededSource(seed)) if game == "terz" else None
        if game == "tetka":
            rules = {"illegal_actions": ["penalise", "raise"][seed % 2]}
        state = State.new(game, rules, seed=seed)
        while not state.deal_is_over:
            if COMPILED or chooser.random() < 0.3:
                other = hidden(state, chooser)
                moved += other.to_bytes() != state.to_bytes()
                action = int(chosen.act(decision_with(state, state.words), generator())[0])
                unknown = decision_with(state, other.words)
                assert int(chosen.act(unknown, generator())[0]) == action
                assert decide(chosen, other, generator()) in state.legal_actions()
            state.apply(chooser.choice(state.legal_actions()))
    assert moved >= 3 * DEALS


@pytest.mark.parametrize("player", SEARCHES)
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_seeded_generator_repeats_every_choice(game: str, player: str) -> None:
    batch = SelfPlayBatch(game, 6 if COMPILED else 2, seed=3)
    decisions = Decisions.of_batch(batch, np.arange(len(batch.seats)))
    first = load_player(player).act(decisions, generator())
    chosen = load_player(player)
    chosen.act(decisions, generator(9))
    np.testing.assert_array_equal(chosen.act(decisions, generator()), first)


def test_seeded_choices_keep_their_fingerprints() -> None:
    names, found = ("pimc:3", "pimc:2:heuristic", "ismcts:12", "ismcts:8:greedy"), {}
    for game in ("terz", "tetka"):
        state = played_on(game, 11, 5)
        chosen = [decide(load_player(name), state, generator()) for name in names]
        found[game] = [state.game.actions[action] for action in chosen]
    assert found == {
        "terz": ["TC", "seven", "seven", "seven"],
        "tetka": ["2C", "2C", "AC", "7C"],
    }


@pytest.mark.parametrize("seed", range(DEALS))
def test_the_logs_of_a_batch_and_of_a_state_are_those_of_the_deal(seed: int) -> None:
    rules = {"illegal_actions": "penalise", "break_deck": ["auto", "choose"][seed % 2]}
    batch = LoggedBatch("terz", 1, seed=seed, rules=rules)
    state = State.new("terz", rules, seed=seed)
    log, rng = DealLog(state), generator(seed)
    while True:
        assert log_of(state) is not None
        np.testing.assert_array_equal(log_of(state), log.words)
        np.testing.assert_array_equal(batch.logs[0], log.words)
        legal = state.legal_actions()
        action = int(rng.choice([action for action in legal if action >= RUN] or legal))
        if state.legal_names()[0] in state.game.actions[:RUN] and rng.random() < 0.05:
            action = int(rng.integers(RUN, SEVEN))  # mostly false (T27)
        log.apply(state, action)
        batch.step(np.array([action]))
        if state.deal_is_over:
            break
    assert int(batch.logs[0, 0]) == 0  # the next deal has its own


def test_a_log_goes_on_into_the_next_deal_and_needs_its_beginning() -> None:
    state = State.new("terz", scope="match", seed=4)
    while not state.deal_is_over:
        state.apply(state.legal_actions()[0])
    state.next_deal(seed=4)
    log = DealLog(state)
    for _ in range(5):
        log.apply(state, state.legal_actions()[-1])
    np.testing.assert_array_equal(log_of(state), log.words)
    assert log_of(state.clone()) is None
    assert Decisions.of_state(state.clone(), with_log=True).logs is None
    assert Decisions.of_state(state).logs is None
    with pytest.raises(ValueError, match="tetka keeps no log"):
        LoggedBatch("tetka", 1)


def worlds_seen(state: State, logs: NDArray[np.int64] | None, count: int) -> list[State]:
    """Returns the worlds that a search of Terz imagines."""
    from terz_env.games.terz.history import LOG_SIZE
    from terz_env.search.terz_beliefs import gather_beliefs, imagine
    from terz_env.search.terz_plan import PLAN_SIZE

    plan = np.zeros(PLAN_SIZE, np.int64)
    rows = np.zeros((0, LOG_SIZE), np.int64) if logs is None else logs
    gather_beliefs(state.words, state.seat_to_act, rows, 0, plan)
    stream, worlds = np.array([7], np.uint64), []
    for _ in range(count):
        worlds.append(state.clone())
        imagine(state.words, state.seat_to_act, plan, stream, worlds[-1].words)
    return worlds


@pytest.mark.rule("T10")
def test_with_a_log_a_search_believes_what_play_has_proved() -> None:
    state = State.from_text(
        "terz dealer=1 trump=9D hands=7S,AS,8C,9C,TC,7H,8H,9H,TH|7D,8D,JC,QC,KC,AC,JH,QH,KH "
        "talon=8S,9S,TS,JS,QS,KS,TD,JD,QD,KD,AD,7C,AH"
    )
    for action in ("AS", "7D", "8D"):  # seat 1 is void in spades, takes, draws and leads
        state.apply(action)
    log = Decisions.of_state(state, with_log=True).logs
    believed, unproved = (
        [(int(world.words[HAND + 1]) & LANE).bit_count() for world in worlds_seen(state, logs, 30)]
        for logs in (log, None)
    )
    assert max(believed) == 1  # the one that came with the draw
    assert max(unproved) > 1


@pytest.mark.parametrize("game", ["terz", "terz_mini", "terz_micro"])
def test_without_a_log_the_unseen_cards_alone_are_dealt_anew(game: str) -> None:
    for seed in range(DEALS):
        state = played_on(game, seed, seed % 9)
        if state.deal_is_over:
            continue
        seat, seen = state.seat_to_act, set()
        for world in worlds_seen(state, None, 20):
            taken = int(world.words[PLAYED]) | int(world.words[PLAYED + 1])
            assert not int(world.words[HAND]) & int(world.words[HAND + 1])
            assert not int(world.words[HAND + 1 - seat]) & taken & 0xFFFFFFFF
            assert world.hand(seat) == state.hand(seat)
            known = int(state.words[KNOWN + 1 - seat])
            assert int(world.words[HAND + 1 - seat]) & known == known
            assert len(world.hand(1 - seat)) == len(state.hand(1 - seat))
            while not world.deal_is_over:  # the talon holds each card once
                world.apply(world.legal_actions()[0])
            cards = int(world.words[PLAYED]) | int(world.words[PLAYED + 1])
            assert cards & 0xFFFFFFFF == state.game.cards
            seen.add(int(world.words[PLAYED]) & 0xFFFFFFFF)
        closed = bool(in_closed_phase(state.words[None])[0])
        assert (len(seen) == 1) == closed


def test_a_log_of_other_play_is_left_aside() -> None:
    state = played_on("terz", 3, 9)
    other = Decisions.of_state(played_on("terz", 3, 7), with_log=True).logs
    beliefs = [[w.to_bytes() for w in worlds_seen(state, logs, 5)] for logs in (other, None)]
    assert beliefs[0] == beliefs[1]


@pytest.mark.parametrize("text", LAST_TO_PLAY)
@pytest.mark.parametrize("player", ["pimc:3", "pimc:3:heuristic", "ismcts:20"])
def test_where_all_cards_are_known_and_the_rest_is_forced_tetka_is_solved(
    text: str, player: str
) -> None:
    state = State.from_text(text)
    exact = TetkaSolver(10).solve(state)
    found = load_player(player).analyse(state)  # type: ignore[attr-defined]
    assert (found.to_act, found.unit, found.is_exact) == (exact.to_act, "marks", False)
    assert {value.action: value.value for value in found.values} == exact.values
    assert {value.error for value in found.values} == {0.0}
    assert found.best == exact.best
    assert state.game.actions[decide(load_player(player), state, generator())] == exact.best


@pytest.mark.parametrize("game", ["terz", "terz_mini", "terz_micro"])
def test_in_the_closed_phase_every_search_is_exact(game: str) -> None:
    solver, checked = TerzSolver(10), 0
    players = [load_player(name) for name in ("pimc:1", "ismcts:1")]
    for seed in range(4 * DEALS):
        state = played_on(game, seed, 0)
        closed = {"terz": 7 if COMPILED else 12, "terz_mini": 2, "terz_micro": 1}[game]
        rng = generator(seed)
        while not state.deal_is_over and int(state.words[TABLE]) >> TRICK & 31 < closed:
            state.apply(int(rng.choice(state.legal_actions())))
        exact = solver.solve(state)
        for player in players:
            found = player.analyse(state)  # type: ignore[attr-defined]
            assert {value.action: value.value for value in found.values} == exact.values
            assert (found.is_exact, found.unit) == (True, "points")
            action = state.game.actions[decide(player, state, rng)]
            assert exact.values[action] == exact.value
            checked += len(exact.values) > 1
    assert checked


@pytest.mark.rule("T13")
@pytest.mark.parametrize("player", ["pimc:20", "ismcts:200"])
def test_a_search_exchanges_the_seven_for_the_fourth_ace(player: str) -> None:
    state = State.from_text(
        "terz rules=seven_min_talon=4 dealer=1 trump=AD trick=6 leader=0 "
        "hands=7D,8D,AS,AC,AH,TS,TC,TH,KH|QD,KD,QS,KS,QC,KC,7H,9H,JH talon=8C,9S,TD"
    )
    assert state.game.actions[decide(load_player(player), state, generator())] == "seven"


@pytest.mark.rule("K4")
@pytest.mark.parametrize("player", ["pimc:10", "ismcts:100"])
def test_a_search_ducks_a_trick_that_holds_the_photo_and_a_queen(player: str) -> None:
    state = State.from_text(
        "tetka photo=5H hands=2C,3H,AH|8C,7D|KS,4D|6S,7S leader=1 table=1:QH,5H,KH"
    )
    assert state.game.actions[decide(load_player(player), state, generator())] == "3H"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pimc:0", "pimc with 0 worlds: at least 1"),
        ("ismcts:0", "ismcts with 0 worlds: at least 1"),
        ("pimc:0ms", "pimc with 0 milliseconds: at least 1"),
        ("pimc:-5", "pimc with -5 worlds"),
        ("ismcts:900000000", "at most 100,000,000"),
        ("pimc:5:wise", "no roll-outs by 'wise': write greedy, heuristic, random"),
        ("pimc", "no player is called 'pimc': write random"),
        ("pimc:few", "no player is called 'pimc:few'"),
        ("mcts:50", "no player is called 'mcts:50'"),
        ("nobody+solver", "no player is called 'nobody'"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        load_player(name)


def test_a_search_that_cannot_be_is_refused() -> None:
    with pytest.raises(PlayerError, match="no search is called 'mcts': write pimc or ismcts"):
        search("mcts", 5)
    for options in ({}, {"worlds": 5, "milliseconds": 5}):
        with pytest.raises(PlayerError, match="either a number of worlds or milliseconds"):
            search("pimc", **options)
    state = State.new("tetka", seed=1)
    with pytest.raises(PlayerError, match=r"greedy\+solver plays terz, not tetka"):
        decide(load_player("greedy+solver"), state, generator())
    while not state.is_over:
        state.apply(state.legal_actions()[0])
    with pytest.raises(IllegalActionError, match="the deal is over"):
        search("pimc", 5).analyse(state)


def test_only_players_of_terz_take_the_solver() -> None:
    class Elsewhere:
        name, game = "elsewhere", "tetka"

        def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
            return decisions.masks.argmax(axis=1)

    with pytest.raises(PlayerError, match=r"elsewhere\+solver: elsewhere plays tetka"):
        SolverPlayer(Elsewhere())


def test_names_say_what_is_played() -> None:
    names = ["pimc:50", "pimc:7ms", "ismcts:9:greedy", "pimc:4:random", "greedy+solver"]
    assert [load_player(name).name for name in names] == names
    assert load_player("pimc:5:greedy").name == "pimc:5"
    assert load_player("pimc:5+solver").name == "pimc:5+solver"


@pytest.mark.parametrize("method", ["pimc", "ismcts"])
def test_knowledge_that_no_deal_agrees_with_is_refused(method: str) -> None:
    state = State.new("tetka", seed=1)
    for seat in range(4):
        if seat != state.seat_to_act:
            state.words[4 + seat] |= 1 << VOIDS
    with pytest.raises(PositionError, match="no deal agrees with what the seat to act would know"):
        decide(search(method, 5), state, generator())


@pytest.mark.parametrize("player", ["pimc:3ms", "ismcts:3ms"])
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_time_limit_is_used_up_in_growing_shares(game: str, player: str) -> None:
    state = played_on(game, 2, 1)
    if len(state.legal_actions()) == 1:
        state = played_on(game, 2, 0)
    chosen = load_player(player)
    chosen.analyse(state)  # type: ignore[attr-defined]
    found = chosen.analyse(state)  # type: ignore[attr-defined]
    tried = sum(value.worlds for value in found.values)
    assert tried >= sampled_search.FIRST_SHARE + (1 if COMPILED else 0)
    assert decide(chosen, state, generator()) in state.legal_actions()


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_pimc_tries_all_actions_in_the_same_worlds_and_a_tree_spreads_its_worlds(game: str) -> None:
    state = State.new(game, seed=6)
    found = search("pimc", 4).analyse(state)
    assert {value.worlds for value in found.values} == {4}
    found = search("ismcts", 30).analyse(state)
    assert sum(value.worlds for value in found.values) == 30
    assert min(value.worlds for value in found.values) >= 1
    assert max(found.values, key=lambda value: value.worlds).worlds == next(
        value.worlds for value in found.values if value.action == found.best
    )


def test_a_tree_that_is_full_is_searched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampled_search, "MOST_NODES", 40)
    for game in ("terz", "tetka"):
        state = State.new(game, seed=6)
        found = search("ismcts", 60).analyse(state)
        assert sum(value.worlds for value in found.values) == 60


def test_means_errors_and_choices_are_those_of_the_results() -> None:
    results = [[3, 5, 10], [4, 4], [8], []]
    tallies = np.array(
        [[[len(r), sum(r), sum(x * x for x in r)] for r in results]], np.int64
    ).transpose(0, 2, 1)
    np.testing.assert_allclose(means(tallies)[0, :3], [6, 4, 8])
    wanted = [np.std(r, ddof=1) / math.sqrt(len(r)) for r in results[:2]]
    np.testing.assert_allclose(standard_errors(tallies)[0, :2], wanted, atol=1e-12)
    assert np.isnan(standard_errors(tallies)[0, 2:]).all()
    assert np.isnan(means(tallies)[0, 3])
    assert choose(tallies, "pimc", fewer_is_better=False).tolist() == [2]
    assert choose(tallies, "pimc", fewer_is_better=True).tolist() == [1]
    assert choose(tallies, "ismcts", fewer_is_better=True).tolist() == [0]


def test_a_match_keeps_logs_for_those_who_ask_for_them() -> None:
    class Asking:
        name, game, needs_log = "asking", None, True

        def __init__(self) -> None:
            self.seen: list[NDArray[np.int64] | None] = []

        def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
            self.seen.append(decisions.logs)
            return decisions.masks.argmax(axis=1)

    player = Asking()
    play_seating([player, load_player("greedy")], "terz", 2, 1, generator())
    assert all(logs is not None for logs in player.seen)
    player.seen.clear()
    play_seating([player] * 4, "tetka", 2, 1, generator())
    assert all(logs is None for logs in player.seen)
    play_seating([SolverPlayer(player), load_player("greedy")], "terz", 2, 1, generator())
    assert player.seen[-1] is not None


@pytest.mark.parametrize("game", ["terz", "tetka"])
@pytest.mark.parametrize("method", ["pimc", "ismcts"])
def test_odd_arrays_are_searched_as_plain_ones(game: str, method: str) -> None:
    batch = SelfPlayBatch(game, 3, seed=5)
    found = SampledSearch(batch.game, method, 2, 3)
    streams = [np.arange(1, 4, dtype=np.uint64)[:, None] for _ in range(2)]
    plain = found.run(batch.states, None, streams[0])
    fixed = np.asfortranarray(batch.states)
    fixed.flags.writeable = False
    np.testing.assert_array_equal(found.run(fixed, None, streams[1]), plain)
    if COMPILED:
        from terz_env.search import ismcts_terz, ismcts_tetka, pimc_terz, pimc_tetka

        kernels: list[Any] = [pimc_terz.add_worlds, pimc_tetka.add_worlds]
        kernels += [ismcts_terz.grow_trees, ismcts_tetka.grow_trees]
        assert all(len(kernel.nopython_signatures) <= 1 for kernel in kernels)


@pytest.mark.slow
def test_a_search_is_stronger_than_the_rules_it_plays_out_with() -> None:
    tetka = duplicate_match(load_player("pimc:20"), load_player("greedy"), "tetka", 100, 1)
    assert tetka.mean + tetka.half_width < 1.75
    solved = load_player("greedy+solver")
    terz = duplicate_match(load_player("pimc:20"), solved, "terz", 200, 1)
    assert terz.mean - terz.half_width > 0
    tree = duplicate_match(load_player("ismcts:200"), load_player("random"), "tetka", 30, 1)
    assert tree.mean + tree.half_width < 1.75


def test_the_solver_wins_points_against_the_player_it_helps() -> None:
    deals = 200 if COMPILED else 2
    found = duplicate_match(load_player("greedy+solver"), load_player("greedy"), "terz", deals, 1)
    if COMPILED:
        assert found.mean - found.half_width > 0
    assert found.count == deals


def test_a_search_agrees_with_the_sampler_of_worlds() -> None:
    state = State.new("terz", seed=8)
    log, rng = DealLog(state), generator()
    for _ in range(9):
        log.apply(state, int(rng.choice(state.legal_actions())))
    seat = state.seat_to_act
    logs = Decisions.of_state(state, with_log=True).logs
    assert logs is not None
    worlds = Worlds(state, seat, log, seed=1)
    other = worlds.draw()
    chosen = load_player("pimc:5")
    actions = [
        int(chosen.act(decision_with(state, words), generator())[0])
        for words in (state.words, other.words)
    ]
    assert actions[0] == actions[1]


@pytest.mark.rule("T24", "T25")
def test_the_solver_plays_for_the_match_where_it_is_told_what_totals_are_worth() -> None:
    other_deals = np.stack([np.full((51, 51), -0.5), np.full((51, 51), 0.5)])
    exact, rng = TerzSolver(12), generator()
    players = [SolverPlayer(load_player("greedy"), equity) for equity in (other_deals, None)]
    differences = 0
    for seed in range(3 * DEALS):
        state = State.new("terz", scope="match", seed=seed)
        while not state.deal_is_over and int(state.words[TABLE]) >> TRICK & 31 < 12:
            state.apply(int(rng.choice(state.legal_actions())))
        if state.deal_is_over or len(state.legal_actions()) == 1:
            continue
        values = exact.solve(state, equity=other_deals).values
        chosen = [state.game.actions[decide(player, state, rng)] for player in players]
        assert values[chosen[0]] == max(values.values())
        differences += values[chosen[1]] < values[chosen[0]]
    assert differences  # for points both want the last trick, for the deal neither does
