"""`terz play`: what a person types, sees, takes back, and gets at the end."""

from __future__ import annotations

import io
import json
import re
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from terz_env.cli import play as playing
from terz_env.cli import play_words
from terz_env.cli.app import app
from terz_env.cli.play import Table
from terz_env.cli.play_course import Course
from terz_env.cli.play_input import Command, Move, Unknown, read_action, read_entry
from terz_env.cli.play_setup import load_opponents
from terz_env.envs.render import View
from terz_env.explaining import SENTENCES
from terz_env.players import PlayerError, load_player
from terz_env.records import record_game, replay
from terz_env.state import State

FIRST = "1\n" * 400
"""Enough to play the first legal action to the end of any single deal."""


def play(*options: object, typed: str | bytes = FIRST) -> Any:
    return CliRunner().invoke(app, ["play", *map(str, options)], input=typed)


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def table(game: str, *, seed: int = 1, **options: Any) -> Table:
    """A table against players that are greedy."""
    rules, scope = options.pop("rules", None), options.pop("scope", "deal")
    state = State.new(game, rules, scope=scope, seed=seed)
    return Table(Course(state, seed), load_opponents(state, ["greedy"]), **options)


# What is typed.

LEGAL = ["7S", "TS", "run:JH"]


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        *((text, "en", "TS") for text in ("TS", "ts", "10S", "10s", "S10", "♠10", "10♠", "10 ♠️")),
        *((text, "en", "QH") for text in ("QH", "qh", "hq", "q♥", "♡Q")),
        *((text, "ru", "QH") for text in ("QH", "дч", "ДЧ", "Д♥", "♥д", "чд", "q♥")),
        *((text, "ru", "AC") for text in ("ТТ", "Т♣", "AC", "тт")),
        *((text, "ru", "TC") for text in ("10т", "10Т", "TC", "т10")),
        ("тп", "ru", "AS"),
        ("пт", "ru", "AS"),
        ("тв", "ru", "JC"),
        ("run:JH", "en", "run:JH"),
        ("RUN  jh", "en", "run:JH"),
        ("run:10h", "en", "run:TH"),
        ("ряд вч", "ru", "run:JH"),
        ("four q", "en", "four:Q"),
        ("четвёрка Д", "ru", "four:Q"),
        ("четыре т", "ru", "four:A"),
        ("Marriage", "en", "marriage"),
        ("марьяж", "ru", "marriage"),
        ("seven", "en", "seven"),
        ("обмен", "ru", "seven"),
        ("break 3", "en", "break:3"),
        ("сломать 12", "ru", "break:12"),
    ],
)
def test_actions_go_by_many_names(text: str, language: str, name: str) -> None:
    assert read_action(text, language) == name
    assert read_entry(text, LEGAL, language) == Move(name)
    assert read_entry(f" {text}! ", LEGAL, language) == Move(name, insists=True)


def test_numbers_choose_from_the_list_of_legal_actions() -> None:
    assert read_entry("2", LEGAL, "en") == Move("TS")
    for text in ("0", "4", "999999999"):
        assert read_entry(text, LEGAL, "en") == Unknown(text, is_number=True)


@pytest.mark.parametrize(
    "text",
    ["дч", "ряд вч", "назад", "-1", "²", "٣", "run", "four", "break x", "seven 7", "S", "1S"],
)
def test_what_means_nothing_in_english_is_not_understood(text: str) -> None:
    assert isinstance(read_entry(text, LEGAL, "en"), Unknown)


def test_commands_are_known_in_both_languages() -> None:
    assert read_entry("?", LEGAL, "en") == read_entry("помощь", LEGAL, "ru") == Command("help")
    assert read_entry("UNDO", LEGAL, "ru") == read_entry("назад", LEGAL, "ru") == Command("undo")
    assert read_entry("save A b.txt ", LEGAL, "en") == Command("save", "A b.txt")
    assert read_entry("  ", LEGAL, "en") == Command("")


@given(st.text(), st.sampled_from(["en", "ru"]))
def test_any_text_is_read_as_something(text: str, language: str) -> None:
    entry = read_entry(text, LEGAL, language)
    assert isinstance(entry, (Command, Move, Unknown))


# Whole games.


@pytest.mark.parametrize(
    ("game", "scope", "opponents"),
    [
        ("terz", "deal", ["random:announce"]),
        ("tetka", "deal", ["random", "greedy", "heuristic"]),
        ("tetka", "rubber", ["greedy"]),
    ],
)
def test_a_game_is_played_to_its_end_and_its_record_replays(
    tmp_path: Path, game: str, scope: str, opponents: list[str]
) -> None:
    file = tmp_path / "games.jsonl"
    words = [f"--opponent={name}" for name in opponents]
    said = {
        "en": ("the record is in", "heuristic would play"),
        "ru": ("запись игры в", "сыграл бы"),
    }
    for seat, language in enumerate(said):
        options = ["--game", game, "--scope", scope, "--seed", 5, "--seat", seat, "--hints"]
        result = play(*options, *words, "--lang", language, "--record", file)
        assert result.exit_code == 0, result.output
        assert all(sentence in result.stdout for sentence in said[language])
        assert all(len(line) <= 80 for line in result.stdout.splitlines() if str(file) not in line)
    lines = records(file)
    assert len(lines) == 2
    for line in lines:
        assert replay(line) > 0
        assert line["deals"][0]["hands"] == dealt(game, scope)


def dealt(game: str, scope: str) -> list[list[str]]:
    """The hands that `terz record` deals with the same seed."""
    chosen = record_game(game, None, scope, 5, 0, lambda state: state.legal_actions()[0])
    hands: list[list[str]] = chosen["deals"][0]["hands"]
    return hands


def test_a_match_goes_over_several_deals_and_names_its_winner(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    rules = "target_announce=150,target_settle=151,break_deck=choose"
    options = ("--game=terz", "--scope=match", "--rules", rules, "--seed=2", "--record", file)
    result = play(*options, "--opponent=greedy")
    assert result.exit_code == 0, result.output
    (line,) = records(file)
    assert replay(line) > 0
    assert len(line["deals"]) > 1
    assert "deal 2; " in result.stdout
    assert f"{['you', 'greedy'][line['winner']]}: the match is won" in result.stdout


# What is seen.


@pytest.mark.rule("T21", "T26")
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_person_sees_no_card_that_the_seat_may_not_know(
    game: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every card that is drawn or told is in the own hand or has been seen by everybody."""
    for seat, seed in ((0, 1), (1, 2), (1, 3)):
        played = table(game, seed=seed, seat=seat)
        seen: set[str] = set()
        past: set[str] = set()

        def look(view: View, seen: set[str] = seen, seat: int = seat) -> None:
            assert view.viewer == seat
            for other in view.seats:
                if other.number != seat:
                    seen.update(card for card in other.cards if card is not None)

        def answer(
            _: str,
            played: Table = played,
            seen: set[str] = seen,
            past: set[str] = past,
            seat: int = seat,
        ) -> str:
            state = played.course.state
            public = {name for _, name in played.course.log.actions if len(str(name)) == 2}
            public |= {card for meld in played.course.log.melds for card in meld["cards"]}
            public |= {state.trump_card, state.photo, *state.hand(seat)}  # type: ignore[arg-type]
            for other in range(state.game.n_seats):
                public |= set(state.known_cards(other))
            told = re.findall(r"([2-9TJQKA]|10)([♠♣♦♥])", capsys.readouterr().out)
            names = {rank.replace("10", "T") + "SCDH"["♠♣♦♥".index(suit)] for rank, suit in told}
            assert names | seen <= public | past, state.to_text()
            seen.clear()
            past.update(public)
            return "1"

        monkeypatch.setattr(playing, "show", look)
        monkeypatch.setattr(played, "_ask", answer)
        assert played.run() == ""
        capsys.readouterr()


@pytest.mark.rule("T26", "K9")
def test_only_the_tricks_that_the_rules_allow_may_be_looked_at() -> None:
    for game in ("terz", "tetka"):
        state = State.new(game, seed=4)
        course = Course(state, 4)
        while not state.deal_is_over:
            seen, done = course.tricks_to_see(), course.tricks
            if game == "tetka":
                assert seen == (done[-1:] if state.table else done[-2:])
            else:
                assert seen == (done if state.talon_size >= 4 else [])
            course.play(state.legal_actions()[0])
    result = play("--game=terz", "--seed=4", typed="last\n" + "1\nlast\n" * 60)
    assert "no trick to look at" in result.stdout
    assert "(Rule T26)" in result.stdout


def test_advice_help_and_lists_are_given_and_change_nothing(tmp_path: Path) -> None:
    plain, asked = tmp_path / "plain.jsonl", tmp_path / "asked.jsonl"
    asked_for = ["?", "hint", "legal", "last", "why", "why AS", "why what", "", "save"]
    questions = "\n".join([*asked_for, "xyz", "77", "2S", "\x1b[2J", ""])
    for file, typed in ((plain, FIRST), (asked, questions + f"1\n{questions}" * 60)):
        result = play("--game=terz", "--seed=8", "--record", file, typed=typed)
        assert result.exit_code == 0, result.output
    for words in (
        "A card: 10S", "heuristic would play", "   1  ", "write a card", "'what' is no card",
        "write a file", "is no card, action or command", "no number 77", "no such action",
    ):  # fmt: skip
        assert words in result.stdout, words
    assert "\x1b" not in result.stdout
    assert records(plain) == records(asked)


# What is refused.


@pytest.mark.rule("K3", "K11")
def test_an_illegal_card_is_refused_with_the_rule_in_the_language() -> None:
    state = State.new("tetka", seed=1, dealer=2)
    card = next(name for name in state.game.deck.names if name not in state.hand(0))
    for language, rule in (("en", "(Rule K11)"), ("ru", "(правило K11)")):
        result = play("--game=tetka", "--seed=1", "--lang", language, typed=f"{card}\nwhy {card}\n")
        assert result.stdout.count(rule) >= 1
    lines = "".join(f"{rank}{suit}\n" for suit in "SCDH" for rank in "23456789TJQKA")
    result = play("--game=tetka", "--seed=1", typed=lines * 13)
    assert "follow suit (Rule K3)" in result.stdout


def test_every_reason_has_words_in_both_languages_with_the_same_values() -> None:
    assert play_words._REASONS.keys() == SENTENCES.keys()
    for phrases in (play_words._REASONS, play_words._PHRASES):
        for english, russian in phrases.values():
            assert values(english) == values(russian), english


def values(text: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(text)} - {None}


@pytest.mark.rule("K10", "T27")
def test_an_exclamation_mark_plays_what_is_illegal_where_the_rules_punish_it(
    tmp_path: Path,
) -> None:
    file = tmp_path / "game.jsonl"
    suits = "".join(f"{rank}{suit}!\n" for rank in "23456789TJQKA" for suit in "SCDH")
    options = ("--game=tetka", "--seed=1", "--record", file)
    result = play(*options, "--rules=illegal_actions=penalise", typed="1\n1\n" + suits + FIRST)
    assert result.exit_code == 0
    (line,) = records(file)
    assert line["deals"][0]["penalties"]
    assert replay(line)
    assert "you has" not in result.stdout
    refused = play("--game=terz", "--seed=1", typed="four J!\n" + FIRST)
    assert "you do not hold all four (Rule T14)" in refused.stdout
    false = play(
        "--game=terz", "--seed=1", "--rules=illegal_actions=penalise", typed="four:J!\n" + FIRST
    )
    assert "-200" in false.stdout
    assert "false" in false.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "give --game"),
        (["--game=chess"], "no game|cannot be played"),
        (["--game=terz_mini"], "cannot be played here"),
        (["--game=terz", "--scope=rubber"], "no scope"),
        (["--game=terz", "--rules=follow=maybe"], "follow"),
        (["--game=terz", "--opponent=nobody"], "no player is called"),
        (["--game=terz", "--opponent=random", "--opponent=random"], "takes one"),
        (["--game=tetka", "--opponent=random:announce"], "plays terz"),
        (["--game=tetka", "--opponent=random", "--opponent=random"], "one for all, or 3"),
        (["--game=terz", "--seat=2"], "there is no seat 2"),
        (["--game=terz", "--lang=de"], "no language"),
        (["--game=terz", "--record=/nowhere/at/all/x.jsonl"], "no directory"),
        (["--game=terz", "--record=."], "no file"),
        (["--game=terz", "--seed=-1"], "range|seed"),
        (["--position=nothing.txt"], "nothing.txt"),
        (["--position=nothing.txt", "--game=terz"], "takes no --game"),
    ],
)
def test_bad_options_end_the_command_before_a_card_is_played(
    options: list[str], words: str
) -> None:
    result = play(*options)
    assert result.exit_code == 2
    assert re.search(words, re.sub(r"[\s│]+", " ", result.stderr)), result.stderr


# What is taken back.


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_after_undo_the_same_actions_give_the_same_game(tmp_path: Path, game: str) -> None:
    plain, undone = tmp_path / "plain.jsonl", tmp_path / "undone.jsonl"
    options = ("--game", game, "--seed=3", "--opponent=random")
    play(*options, "--record", plain)
    result = play(*options, "--record", undone, typed="undo\n1\nundo\n" + "1\n1\nundo\n" * 100)
    assert "there is nothing to take back" in result.stdout
    assert "taken back" in result.stdout
    assert records(plain) == records(undone)


def test_undo_goes_back_beyond_the_start_of_a_deal() -> None:
    played = table("tetka", scope="rubber")
    answers = iter(["1"] * 14 + ["undo"] * 14 + ["quit"])
    played._ask = lambda _: next(answers)  # type: ignore[method-assign]
    start = State.new("tetka", scope="rubber", seed=1)
    assert played.run() == "quit"
    assert played.course.deals == []
    assert played.course.state.trick == 1
    assert played.course.state.photo == start.photo
    assert len(played.course.state.hand(0)) == 13


# The end before the end.


def test_the_end_of_the_input_and_quit_end_politely_and_save_the_position(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    position = tmp_path / "game.jsonl.position"
    for typed, status, said in (("1\n1\n", 1, "The input has ended."), ("1\n1\nquit\n", 0, "Good")):
        result = play("--game=terz", "--seed=2", "--record", file, typed=typed)
        assert result.exit_code == status
        assert said in result.stdout
        assert "no record of it" in result.stdout
        assert not file.exists()
        assert State.from_text(position.read_text()).trick > 1
    assert play("--game=terz", typed="").exit_code == 1
    resumed = play("--position", position, "--opponent=greedy", typed="last\n" + FIRST)
    assert resumed.exit_code == 0
    assert "result: " in resumed.stdout
    refused = play("--position", position, "--record", file)
    assert refused.exit_code == 2
    assert "no record" in refused.stderr


def test_a_position_is_saved_and_no_file_is_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "saved.txt"
    lines = [f"save {file}"] * 2 + [f"save {tmp_path / 'none' / 'x'}", "save ~nobody_here/x"]
    lines += ["save " + "x" * 300, "save x\0y"]
    result = play("--game=tetka", "--seed=6", typed="\n".join(["1", *lines, "quit"]) + "\n")
    assert result.exit_code == 0
    assert State.from_text(file.read_text()).game.name == "tetka"
    assert "name another file" in result.stdout
    assert result.stdout.count("nothing could be saved") == 4
    assert [path.name for path in tmp_path.iterdir()] == ["saved.txt"]


def test_a_position_that_is_over_or_none_cannot_be_played_on(tmp_path: Path) -> None:
    state = State.new("tetka", seed=1)
    while not state.is_over:
        state.apply(state.legal_actions()[0])
    for text, words in ((state.to_text(), "end of a game"), ("\xff\0 x", "no game|no field|name=")):
        file = tmp_path / "position.txt"
        file.write_text(text)
        result = play("--position", file)
        assert result.exit_code == 2
        assert re.search(words, result.stderr), result.stderr


def test_an_interrupt_ends_politely(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Table, prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Table, "_ask", interrupt)
    result = play("--game=terz")
    assert result.exit_code == 130
    assert "Interrupted." in result.stdout


def test_bytes_that_are_no_text_are_not_understood() -> None:
    result = play("--game=terz", "--seed=1", typed=b"\xff\xfe\n\x00\n1\nquit\n")
    assert result.exit_code == 0
    assert result.stdout.count("is no card, action or command") == 2


def test_a_record_that_cannot_be_written_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(playing, "append_line", fail)
    result = play("--game=tetka", "--seed=1", "--record", tmp_path / "game.jsonl")
    assert "the disk is full" in result.stdout
    assert replay(json.loads(result.stdout.splitlines()[-1])) == 52


def test_a_record_is_added_after_a_last_line_without_an_end(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text("{}")
    play("--game=tetka", "--seed=1", "--record", file)
    first, second = records(file)
    assert first == {}
    assert replay(second) == 52
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]


# On a terminal.


class Terminal(io.StringIO):
    """Takes what is written, and says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_table_is_coloured_and_drawn_in_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typed = ["1", "1"]

    def answer(prompt: str) -> str:
        if not typed:
            raise EOFError
        return typed.pop(0)

    screen = Terminal()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("sys.stdout", screen)
    assert table("terz").run() == "input ends"
    assert screen.getvalue().count("\x1b[H\x1b[2J") == 3
    assert "\x1b[31m" in screen.getvalue()


def test_without_a_standard_input_the_input_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert table("terz").run() == "input ends"


def test_the_names_of_seats_tell_them_apart() -> None:
    assert table("tetka", seat=1).names == ["right", "you", "left", "opposite"]
    player = load_player("greedy")
    for name, shown in (("you", "opposite"), ("\x1b[2J\n", "[2J"), ("", "opposite")):
        player.name = name  # type: ignore[misc]
        state = State.new("terz", seed=1)
        assert Table(Course(state, 1), [player]).names == ["you", shown]
    with pytest.raises(PlayerError, match="no seat"):
        table("terz", seat=2)
