"""Counts of lines: exact numbers, and the same numbers from the slow reference."""

from __future__ import annotations

import copy
import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from terz_env.cli.app import app
from terz_env.cli.counting import count_lines
from terz_env.games import get_game
from terz_env.games.terz.notation import completing
from terz_env.state import State
from tests.reference.terz import TerzReference, TerzSmallReference
from tests.reference.tetka import TetkaMicroReference, TetkaReference

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
TERZ = (
    "terz trump=9D hands=7S,9S,JS,QS,KS,TC,JC,9H,TH|8S,TS,AS,QC,KC,7D,KD,QD,JH "
    "talon=8C,TD,JD,AD,7H,8H,QH,7C,KH,AH,9C,AC,8D"
)
CLOSED = "terz trump=9D hands=7D,QD,KD,JS,AH|QS,TS,9D,KH,7H leader=0"
CHOICE = TERZ.replace("terz ", "terz rules=break_deck=choose ")
MATCH = TERZ.replace("terz ", "terz scope=match scores=480,480 ")
TETKA = (
    "tetka dealer=2 photo=7C hands=2S,9S,KS,3C,TC,JC,QC,4D,8D,KD,5H,9H,AH|"
    "3S,4S,JS,2C,5C,KC,2D,5D,9D,QD,2H,6H,KH|5S,TS,QS,4C,6C,AC,6D,TD,AD,3H,4H,TH,JH|"
    "6S,7S,8S,AS,7C,8C,9C,3D,7D,JD,7H,8H,QH"
)
ENDING = "tetka photo=5H hands=TS,AS,2D,3H|KC,AC,2S,4H|KD,AD,4S,5H|KH,AH,6S,5D leader=2"
MINI = "terz_mini trump=JH hands=AS,KS|QS,JS talon=AH,KH,QH"
MICRO = "terz_micro trump=AH hands=KS,AS|QS,KH talon=QH"
TETKA_MICRO = "tetka_micro hands=JS,QH|KS,AS|JH,QS|KH,AH"

BY_REFERENCE = [
    (TERZ, 3, 671, 0),
    (CHOICE, 3, 756, 0),
    (MATCH, 3, 559, 47),
    (TETKA, 4, 432, 0),
    (MINI, 8, 32, 32),
    (MICRO, 6, 12, 12),
    (TETKA_MICRO, 8, 4, 4),
]
BY_ACTION = [(CLOSED, 10, 2200, 648), (CLOSED, 11, 2200, 2200), (ENDING, 16, 2656, 2656)]
LONG = [
    (TERZ, 7, 1_989_899, 0),
    (CHOICE, 7, 2_497_130, 0),
    (MATCH, 7, 1_257_088, 77_027),
    (TETKA, 9, 1_653_696, 0),
]


def reference(state: State, talon: list[str]) -> TerzReference | TetkaReference:
    """Returns the slow reference at the beginning of a deal."""
    game, dealer = state.game, state.dealer
    hands = [state.hand(seat) for seat in range(game.n_seats)]
    rules = {k: v for k, v in state.rules.to_dict().items() if game.name in ("terz", "tetka")}
    if game.name == "tetka":
        return TetkaReference(rules, state.scope, dealer, hands, str(state.photo))
    if game.name == "tetka_micro":
        return TetkaMicroReference(dealer, hands)
    trump_card = str(state.trump_card)
    if game.name == "terz":
        scores = state.scores
        return TerzReference(rules, state.scope, dealer, hands, trump_card, talon, scores)
    return TerzSmallReference(dealer, hands, [*talon, trump_card])


def slow_count(position: TerzReference | TetkaReference, depth: int) -> tuple[int, int]:
    """Counts lines with copies of the reference."""
    if position.deal_over:
        return 1, 1
    if depth == 0:
        return 1, 0
    lines = ends = 0
    for action in position.legal():
        child = copy.deepcopy(position)
        child.apply(action)
        more, ended = slow_count(child, depth - 1)
        lines += more
        ends += ended
    return lines, ends


def talon_of(text: str) -> list[str]:
    """Returns the face-down cards that a text tells."""
    found = re.search(r"talon=(\S+)", text)
    return found[1].split(",") if found else []


def count_by_action(state: State, depth: int) -> tuple[int, int]:
    """Counts lines with actions played and taken back."""
    if state.deal_is_over:
        return 1, 1
    if depth == 0:
        return 1, 0
    lines = ends = 0
    for action in state.legal_actions():
        state.apply(action)
        more, ended = count_by_action(state, depth - 1)
        state.undo()
        lines += more
        ends += ended
    return lines, ends


@pytest.mark.parametrize(("text", "depth", "lines", "ends"), BY_REFERENCE)
def test_the_lines_of_a_deal_are_those_of_the_slow_reference(
    text: str, depth: int, lines: int, ends: int
) -> None:
    state = State.from_text(text)
    assert count_lines(state, depth) == (lines, ends)
    assert slow_count(reference(state, talon_of(text)), depth) == (lines, ends)


@pytest.mark.parametrize(("text", "depth", "lines", "ends"), BY_ACTION)
def test_the_lines_of_an_ending_are_those_of_playing_and_taking_back(
    text: str, depth: int, lines: int, ends: int
) -> None:
    state = State.from_text(text)
    assert count_lines(state, depth) == (lines, ends)
    if not UNCOMPILED:
        assert count_by_action(state, depth) == (lines, ends)


@pytest.mark.parametrize(("text", "depth", "lines", "ends"), LONG)
def test_millions_of_lines_are_counted(text: str, depth: int, lines: int, ends: int) -> None:
    if UNCOMPILED:
        depth, lines = 2, len(State.from_text(text).legal_actions())
        assert count_lines(State.from_text(text), depth)[0] > lines
    else:
        assert count_lines(State.from_text(text), depth) == (lines, ends)


@pytest.mark.parametrize("text", [CLOSED, ENDING])
def test_a_count_may_be_interrupted_and_goes_on(text: str) -> None:
    state = State.from_text(text)
    before = state.to_bytes()
    assert count_lines(state, 6, budget=7) == count_lines(state, 6)
    assert state.to_bytes() == before


@pytest.mark.parametrize("text", [CLOSED, ENDING])
def test_a_count_stops_where_the_deal_does(text: str) -> None:
    state = State.from_text(text)
    assert count_lines(state, 0) == (1, 0)
    while not state.deal_is_over:
        state.apply(state.legal_actions()[0])
    assert count_lines(state, 5) == (1, 1)


def counted(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["count", *arguments])
    return result.exit_code, result.output


def test_the_command_counts_from_a_seed_or_from_a_text() -> None:
    state = State.new("terz", seed=1)
    told = counted("--position", state.to_text(), "--depth", "2")
    assert told == counted("--game", "terz", "--seed", "1", "--depth", "2")
    assert told[0] == 0
    assert told[1].startswith("lines ")
    state = State.new("tetka_micro", seed=2)
    assert counted("--game", "tetka_micro", "--seed", "2", "--depth", "8")[1].count("ends") == 1


def test_the_command_refuses_a_position_with_a_seed_and_a_wrong_position() -> None:
    for more in (["--game", "terz"], ["--seed", "1"], ["--step", "1"], ["--rules", "classic"]):
        status, output = counted("--position", CLOSED, *more)
        assert status == 2
        assert "--position" in output
    assert counted()[0] == 2
    status, output = counted("--position", CLOSED + " trick=3")
    assert status == 2
    assert "belong to trick 12" in output


def test_the_example_of_the_document_counts_what_it_says() -> None:
    text = (Path(__file__).parent.parent / "docs" / "notation.md").read_text(encoding="utf-8")
    found = re.search(r"terz count --depth (\d+) --position \"(.+)\"\n\s+(.+)\n\s+(.+)\n", text)
    assert found
    depth, position, lines, ends = found.groups()
    assert counted("--depth", depth, "--position", position) == (0, f"{lines}\n{ends}\n")


def test_every_kernel_of_positions_is_compiled_for_one_signature() -> None:
    for text in (TERZ, TETKA):
        state = State.from_text(text)
        count_lines(state, 2)
        while state.trick == 1:
            State.from_bytes(state.game.name, state.to_bytes(), state.rules)
            names = state.legal_names()
            state.apply("marriage" if "marriage" in names else names[0])
        State.from_text(state.to_text())
    terz, tetka = get_game("terz"), get_game("tetka")
    for kernel in (
        *(terz.read_facts, terz.count_lines, tetka.read_facts, tetka.count_lines),
        *(completing.complete, completing.holds, completing.reply_wins, completing.write_event),
    ):
        assert UNCOMPILED or len(kernel.signatures) == 1, kernel  # type: ignore[attr-defined]
