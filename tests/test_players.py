"""Players: names, lawful choices, what they may know, and the roll-outs of the rule players."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terz_env.errors import IllegalActionError
from terz_env.games import NAMES, get_game
from terz_env.games.tetka.state import REVOKES
from terz_env.kernel import COMPILED
from terz_env.players import NAMED, Decisions, PlayerError, decide, load_player
from terz_env.players.rollout import play_out
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import State
from tests.parity import random_terz_rules
from tests.sources import SeededSource

DEALS = 60 if COMPILED else 6
PAIRS = [(name, player) for player in NAMED for name in NAMES if ":" not in player]
PAIRS.append(("terz", "random:announce"))


def generator() -> np.random.Generator:
    return np.random.default_rng(5)


def test_every_name_gives_the_player_of_that_name() -> None:
    assert {name: load_player(name).name for name in NAMED} == {name: name for name in NAMED}


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(PlayerError, match="'nobody': write random, random:announce, greedy, heur"):
        load_player("nobody")


def test_a_decision_in_another_game_or_after_the_end_is_refused() -> None:
    state = State.new("tetka")
    with pytest.raises(PlayerError, match="random:announce plays terz, not tetka"):
        decide(load_player("random:announce"), state, generator())
    while not state.is_over:
        state.apply(decide(load_player("random"), state, generator()))
    with pytest.raises(IllegalActionError, match="the deal is over"):
        decide(load_player("random"), state, generator())


def test_one_decision_is_the_decision_of_its_row() -> None:
    for game in ("terz", "tetka"):
        batch = SelfPlayBatch(game, 8, seed=3)
        rows = np.array([1, 4, 5])
        decisions = Decisions.of_batch(batch, rows)
        assert len(decisions) == 3
        for index, row in enumerate(rows):
            state = State.new(game, seed=3, environment=int(row))
            alone = Decisions.of_state(state)
            for field in ("states", "bits", "masks", "seats"):
                np.testing.assert_array_equal(
                    getattr(alone, field)[0], getattr(decisions, field)[index]
                )


@pytest.mark.parametrize(("name", "player"), PAIRS)
def test_every_choice_is_lawful_under_every_option_and_changes_nothing(
    name: str, player: str
) -> None:
    chooser, rng = random.Random(2), generator()
    chosen = load_player(player)
    scopes = get_game(name).scopes
    for seed in range(DEALS):
        rules = random_terz_rules(SeededSource(seed)) if name == "terz" else None
        if name == "tetka":
            rules = {"illegal_actions": chooser.choice(["raise", "forfeit", "penalise"])}
        state = State.new(name, rules, scope=chooser.choice(scopes), seed=seed)
        while not state.deal_is_over:
            before = state.to_bytes()
            action = decide(chosen, state, rng)
            assert state.to_bytes() == before
            assert action in state.legal_actions()
            state.apply(action)


def hidden_terz(state: State, chooser: random.Random) -> State:
    """Returns the position with what the seat to act cannot know dealt anew."""
    other, words = 1 - state.seat_to_act, state.words
    trick = int(words[10]) >> 8 & 31
    face_down = [2 * place + side for place in range(trick, 7) for side in (0, 1)][:-1]
    if int(words[10]) >> 21 & 1:
        face_down = list(range(13))
    talon = [int(words[8 + place // 7]) >> 5 * (place % 7) & 31 for place in range(14)]
    secret = int(words[other]) & ~int(words[4 + other])
    cards = [card for card in range(32) if secret >> card & 1]
    pool = cards + [talon[place] for place in face_down]
    chooser.shuffle(pool)
    new = state.clone()
    new.words[other] = int(words[other]) & ~secret | sum(1 << card for card in pool[: len(cards)])
    for place, card in zip(face_down, pool[len(cards) :], strict=True):
        talon[place] = card
    for word in (0, 1):
        new.words[8 + word] = sum(talon[7 * word + place] << 5 * place for place in range(7))
    return new


def hidden_tetka(state: State, chooser: random.Random) -> State:
    """Returns the position with the other hands dealt anew and with revokes, which are secret."""
    others = [seat for seat in range(4) if seat != state.seat_to_act]
    pool = [card for card in range(52) for seat in others if int(state.words[seat]) >> card & 1]
    chooser.shuffle(pool)
    new = state.clone()
    for seat in others:
        size = int(state.words[seat]).bit_count()
        new.words[seat] = sum(1 << card for card in pool[:size])
        new.words[4 + seat] |= chooser.randrange(4) << REVOKES
        del pool[:size]
    return new


@pytest.mark.parametrize(("game", "player"), [pair for pair in PAIRS if "_" not in pair[0]])
def test_no_choice_depends_on_hidden_cards(game: str, player: str) -> None:
    chooser, chosen = random.Random(4), load_player(player)
    moved = 0
    for seed in range(DEALS // 2):
        rules = random_terz_rules(SeededSource(seed)) if game == "terz" else None
        state = State.new(game, rules, seed=seed)
        while not state.deal_is_over:
            other = (hidden_terz if game == "terz" else hidden_tetka)(state, chooser)
            moved += other.to_bytes() != state.to_bytes()
            action = decide(chosen, state, generator())
            assert decide(chosen, other, generator()) == action
            state.apply(chooser.choice([action, *state.legal_actions()]))
    assert moved > DEALS


@pytest.mark.parametrize("name", NAMES)
def test_a_roll_out_plays_as_its_players_do(name: str) -> None:
    game = get_game(name)
    names = ["greedy", "heuristic", "heuristic", "greedy"][: game.n_seats]
    players = [load_player(player) for player in names]
    states, wanted = [], []
    for seed in range(8):
        state = State.new(name, seed=seed)
        states.append(state.words.copy())
        while not state.deal_is_over:
            state.apply(decide(players[state.seat_to_act], state, generator()))
        wanted.append(state.marks if game.family == "tetka" else state.returns())
    given = np.array(states)
    results = play_out(name, given, names)
    assert results.tolist() == wanted
    np.testing.assert_array_equal(given, states)


def totals(game: str, seating: list[str], epsilon: float = 0.0, seed: int = 0) -> list[int]:
    states = SelfPlayBatch(game, 40, seed=8, observation="none").states
    results = play_out(game, states, seating, epsilon=epsilon, seed=seed)
    total: list[int] = results.sum(axis=0).tolist()
    return total


def test_seeded_roll_outs_keep_their_fingerprints() -> None:
    found = {
        "tetka": totals("tetka", ["heuristic", "greedy", "random", "greedy"]),
        "terz": totals("terz", ["heuristic", "greedy"]),
        "announcing": totals("terz", ["random:announce", "random"]),
    }
    wanted = {"tetka": [25, 66, 131, 58], "terz": [1860, -1860], "announcing": [1310, -1310]}
    assert found == wanted


@pytest.mark.parametrize(("game", "seats"), [("terz", 2), ("tetka", 4)])
def test_an_epsilon_of_one_is_uniform_play_by_whomever(game: str, seats: int) -> None:
    ruled = totals(game, ["greedy"] * seats, seed=1)
    assert ruled == totals(game, ["greedy"] * seats, seed=2)
    uniform = totals(game, ["greedy"] * seats, 1.0, seed=1)
    assert uniform == totals(game, ["heuristic"] * seats, 1.0, seed=1)
    assert uniform != totals(game, ["greedy"] * seats, 1.0, seed=2)
    assert totals(game, ["greedy"] * seats, 0.5, seed=1) not in (ruled, uniform)


def test_a_roll_out_breaks_the_deck_where_the_rules_ask_for_it() -> None:
    batch = SelfPlayBatch("terz", 10, rules="break_deck=choose", observation="none")
    for names in (["random:announce"] * 2, ["heuristic", "greedy"]):
        results = play_out("terz", batch.states, names)
        assert (results.sum(axis=1) == 0).all()


@pytest.mark.parametrize(
    ("game", "seating", "epsilon", "message"),
    [
        ("terz", ["greedy"], 0.0, "terz needs 2 of random, random:announce, greedy, heuristic"),
        ("tetka", ["random:announce"] * 4, 0.0, "tetka needs 4 of random, greedy, heuristic"),
        ("terz", ["greedy"] * 2, 1.5, "epsilon=1.5 is no chance"),
        ("terz", ["greedy"] * 2, float("nan"), "epsilon=nan is no chance"),
    ],
)
def test_a_roll_out_that_cannot_be_is_refused(
    game: str, seating: list[str], epsilon: float, message: str
) -> None:
    states = np.zeros((1, get_game(game).n_words), dtype=np.int64)
    with pytest.raises(PlayerError, match=message):
        play_out(game, states, seating, epsilon=epsilon)


def test_states_of_another_game_are_refused() -> None:
    with pytest.raises(PlayerError, match=r"states of shape \(3, 16\); terz needs \(B, 22\)"):
        play_out("terz", np.zeros((3, 16), dtype=np.int64), ["greedy", "greedy"])


def test_the_examples_of_the_guide_run() -> None:
    text = (Path(__file__).parents[1] / "docs" / "players.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert names["state"].is_over
    batch = SelfPlayBatch("terz", 4, seed=1)
    actions = names["FirstLegal"]().act(Decisions.of_batch(batch, np.arange(4)), generator())
    assert batch.masks[np.arange(4), actions].all()
