"""Drawings: what they show, what they hide, and that every position has one."""

from __future__ import annotations

import builtins
import importlib.util
import io
import json
import random
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image, ImageFont
from typer.testing import CliRunner

from terz_env.cli.app import app
from terz_env.envs.render import (
    View,
    animated_svg,
    ansi,
    facts,
    gif,
    human,
    png,
    raster,
    recorded_views,
    rgb_array,
    show,
    svg,
)
from terz_env.envs.render.primitives import Label
from terz_env.envs.render.scene import FELT, scene_of
from terz_env.envs.render.words import LANGUAGES, Words
from terz_env.errors import RecordError, RenderError
from terz_env.games import NAMES, get_game
from terz_env.records import record_game
from terz_env.state import State

CODES = re.compile(r"\x1b\[[0-9;]*m")
LONG_NAMES = ["a very long name", "Ещё длиннее имя", "x", "<&\"'>\x1b[31m\n"]
SMALL = (64, 48)


@pytest.fixture(autouse=True)
def cyrillic_font(monkeypatch: pytest.MonkeyPatch) -> None:
    """A font with Cyrillic letters, whatever the machine has: the one inside Matplotlib."""
    package = importlib.util.find_spec("matplotlib")
    assert package is not None
    assert package.origin is not None
    font = Path(package.origin).parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf"
    monkeypatch.setattr(raster, "CYRILLIC_FONTS", ("no such font.ttf", str(font)))


def played(
    name: str, seed: int, scope: str = "deal", rules: Any = None
) -> Iterator[tuple[State, tuple[int, str] | None, list[tuple[int, str]]]]:
    """Every position of a random deal, with the last action and the last trick."""
    chooser = random.Random(seed)
    state = State.new(name, rules, scope=scope, seed=seed)
    last_action, last = None, []
    yield state, last_action, last
    while not state.deal_is_over:
        before, seat = state.table, state.seat_to_act
        legal = state.legal_names()
        said = [name for name in legal if len(name) > 2]
        action = chooser.choice(said if said and chooser.random() < 0.5 else legal)
        state.apply(action)
        last_action = (seat, action)
        if len(before) == state.game.n_seats - 1 and not state.table:
            last = [*before, last_action]
        yield state, last_action, last


def policy(state: State, seed: int) -> dict[str, float]:
    """Some probabilities of the legal actions."""
    chooser = random.Random(seed)
    weights = {name: chooser.random() ** 3 + 1e-9 for name in state.legal_names()}
    return {name: weight / sum(weights.values()) for name, weight in weights.items()}


def some_view(name: str, steps: int = 9, viewer: int | None = None, **options: Any) -> View:
    """A position of a random deal after some steps."""
    positions = played(name, 3)
    for _ in range(steps):
        next(positions)
    state, _, _ = next(positions)
    return View.of(state, viewer, **options)


def a_record(game: str, scope: str = "deal", seed: int = 1, **rules: object) -> dict[str, Any]:
    """A random game, with announcements, as it comes back from a file."""
    chooser = random.Random(seed)

    def choose(state: State) -> str:
        legal = state.legal_names()
        said = [name for name in legal if len(name) > 2]
        return chooser.choice(said or legal)

    record = record_game(game, rules, scope, seed, 0, choose)
    copied: dict[str, Any] = json.loads(json.dumps(record))
    return copied


@pytest.mark.parametrize("name", NAMES)
def test_every_position_of_random_play_can_be_drawn_in_every_mode(name: str) -> None:
    seats = get_game(name).n_seats
    for seed in range(2):
        for step, (state, last_action, last) in enumerate(played(name, seed)):
            # Every seat and every language has its turn with every kind of drawing.
            viewer = (None, *range(seats))[(step + seed) % (seats + 1)]
            view = View.of(
                state,
                viewer,
                language=LANGUAGES[step % 2],
                names=LONG_NAMES[:seats],
                probabilities=policy(state, step),
                last_trick=last,
                last_action=last_action,
            )
            coloured = ansi(view, coloured=True)
            assert CODES.sub("", coloured) == ansi(view)
            assert "\x1b" in coloured
            ElementTree.fromstring(svg(view))
            if step % 5 == 0:
                assert rgb_array(view, SMALL).any()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_text_fits_eighty_columns(name: str, language: str) -> None:
    scope = {"terz": "match", "tetka": "rubber"}.get(name, "deal")
    for seed in range(3):
        for state, last_action, last in played(name, seed, scope):
            view = View.of(
                state,
                names=["Достопочтенный"] * state.game.n_seats,
                language=language,
                probabilities=policy(state, seed),
                last_trick=last,
                last_action=last_action,
            )
            assert max(map(len, ansi(view).splitlines())) <= 80


def test_names_are_cut_and_cleaned() -> None:
    view = some_view("tetka", names=LONG_NAMES)
    assert [seat.name for seat in view.seats] == ["a very lo…", "Ещё длинн…", "x", "<&\"'>[31m"]
    assert "\x1b" not in ansi(view)
    assert [seat.name for seat in some_view("terz", names=["\x07", "b"]).seats] == ["seat_0", "b"]


def test_both_languages_have_every_word_and_their_own_letters() -> None:
    for name in NAMES:
        for action in (*get_game(name).actions, "invalid"):
            english, russian = (Words(language).action(action) for language in LANGUAGES)
            assert english
            assert not any("CYRILLIC" in unicodedata.name(sign) for sign in english)
            assert not re.search("[A-Za-z]", russian)
    text = ansi(some_view("terz", language="ru"))
    assert "козырь" in text
    assert not re.search("[A-Za-z]", text)


def hidden(state: State, viewer: int) -> set[str]:
    """The cards that a seat may not see."""
    others = [seat for seat in range(state.game.n_seats) if seat != viewer]
    return {
        card for seat in others for card in state.hand(seat) if card not in state.known_cards(seat)
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_viewer_sees_no_hidden_card(name: str) -> None:
    english = Words("en")
    for seed in range(3):
        for state, _, last in played(name, seed):
            for viewer in range(state.game.n_seats):
                view = View.of(state, viewer, last_trick=last, probabilities=policy(state, seed))
                secret = hidden(state, viewer)
                # The photo is a card of the second pack.
                shown = ansi(view).replace(f"photo {english.card(view.photo or '2S')}", "")
                seen = set(re.findall(r"\w+[♠♣♦♥]", shown))
                assert not seen & {english.card(card) for card in secret}
                faces = set(re.findall(r'id="(\w\w)-?', svg(view)))
                assert not faces & (secret - {view.photo})
                backs = sum(card is None for seat in view.seats for card in seat.cards)
                assert backs == len(secret)


def test_two_positions_that_differ_in_hidden_cards_look_the_same() -> None:
    for state, _, last in played("tetka", 5):
        viewer = (state.seat_to_act + 1) % 4
        first, second = [seat for seat in range(4) if seat not in (viewer, state.seat_to_act)][:2]
        other = state.clone()
        if len(state.hand(first)) != len(state.hand(second)):
            continue
        other.words[first], other.words[second] = state.words[second], state.words[first]
        views = [View.of(position, viewer, last_trick=last) for position in (state, other)]
        assert svg(views[0]) == svg(views[1])
        assert ansi(views[0]) == ansi(views[1])


@pytest.mark.rule("T21")
def test_a_card_that_is_publicly_known_lies_face_up_and_a_beaten_run_shows_its_length() -> None:
    shown = beaten = 0
    for seed in range(20):
        for state, last_action, _ in played("terz", seed):
            for viewer in range(2):
                view = View.of(state, viewer, last_action=last_action)
                known = set(state.known_cards(1 - viewer))
                assert known == {card for card in view.seats[1 - viewer].cards if card}
                shown += len(known)
                outcome, length, _, _ = facts.contest(state)
                if outcome != "beaten" or last_action is None:
                    continue
                said = Words("en").action(last_action[1])
                assert (said in view.caption) == (last_action[0] == viewer)
                if last_action[0] != viewer:
                    beaten += 1
                    kind = f"run of {length}" if length else "four of a kind"
                    assert f": {kind}, beaten by" in view.caption
    assert shown
    assert beaten


def test_the_choice_of_another_seat_is_not_shown() -> None:
    for viewer in range(4):
        positions = list(played("tetka", 2))[:20]
        state = positions[-1][0]
        view = View.of(state, viewer, probabilities=policy(state, 1))
        assert bool(view.legal) == bool(view.probabilities) == (viewer == state.seat_to_act)


@pytest.mark.rule("K4")
def test_facts_agree_with_what_was_played() -> None:
    for seed in range(3):
        for state, _, last in played("tetka", seed):
            assert state.last_trick == last
            photo = state.photo
            assert photo is not None
            values = {rank: number for number, rank in enumerate("A23456789TJQK", start=1)}
            assert state.counting_trick == values[photo[0]]
            assert state.trick == min(13, sum(state.trick_counts) + 1)


def test_the_last_trick_is_read_from_the_position_where_it_is_there() -> None:
    state = State.new("terz", seed=1)
    assert View.of(state).last_trick == ()
    first = state.seat_to_act
    cards = []
    while len(cards) < 2:
        cards.append((state.seat_to_act, next(n for n in state.legal_names() if len(n) == 2)))
        state.apply(cards[-1][1])
    assert cards[0][0] == first
    assert View.of(state).last_trick == tuple(cards)
    gone = State.from_text("tetka photo=5H hands=TS,AS,2D,3H|KC,AC,2S,4H|KD,AD,4S,5H|KH,AH,6S,5D")
    assert View.of(gone).last_trick == ()


@pytest.mark.rule("T7")
def test_the_talon_shrinks_by_two_a_trick() -> None:
    for name, size, tricks in (("terz", 14, 16), ("terz_mini", 4, 4), ("terz_micro", 2, 3)):
        for state, _, _ in played(name, 1):
            trick = state.trick
            done = trick - 1 if not state.deal_is_over else tricks
            assert facts.n_tricks(state) == tricks
            assert state.talon_size == max(0, size - 2 * done)


@pytest.mark.rule("T8")
def test_nobody_draws_while_the_break_is_pending() -> None:
    for state, _, last in played("terz", 1, rules={"break_deck": "choose"}):
        if len(state.legal_names()) == 12 and state.legal_names()[0] == "break:1":
            assert state.talon_size == 14
            view = View.of(state, state.seat_to_act, last_trick=last)
            assert "break 12" in ansi(view)
            assert len(view.announcements) == 12
            break
    else:
        pytest.fail("the break never was to be chosen")


def test_a_picture_has_the_shape_and_the_type_of_pixels() -> None:
    view = some_view("terz")
    pixels = rgb_array(view)
    assert pixels.shape == (480, 640, 3)
    assert pixels.dtype == np.uint8
    assert rgb_array(view, (200, 300)).shape == (300, 200, 3)
    assert Image.open(io.BytesIO(png(view, (320, 240)))).size == (320, 240)
    for size in ((0, 10), (10, -1), (9000, 10)):
        with pytest.raises(RenderError, match="pixels a side"):
            rgb_array(view, size)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_a_picture_runs_out_of_its_room_or_into_another(
    name: str, language: str
) -> None:
    longest = ["Достопочтенный"] * 4 if language == "ru" else ["Worthy Wilhelm"] * 4
    for seed in range(6):
        for state, last_action, last in played(
            name, seed, rules={"break_deck": "choose"} if name == "terz" else None
        ):
            view = View.of(
                state,
                language=language,
                names=longest[: state.game.n_seats],
                last_trick=last,
                last_action=last_action,
                probabilities=policy(state, seed) if seed % 2 else None,
            )
            panel: list[float] = []
            for item in scene_of(view).items:
                if not isinstance(item, Label):
                    continue
                width = raster._font(item.size, item.text).getlength(item.text)
                left = item.x - {"start": 0, "middle": 0.5, "end": 1}[item.anchor] * width
                assert left >= 4
                assert left + width <= 635, item.text
                assert item.y <= 476
                if item.x > FELT and item.anchor == "start":
                    panel.append(item.y)
            gaps = np.diff(sorted(panel))
            assert min(gaps) >= 10


def test_the_seat_to_act_is_gold() -> None:
    state = State.new("tetka", seed=1)
    view = View.of(state, state.seat_to_act)
    plate = rgb_array(view)[470, 320]
    assert tuple(plate) == (0xF5, 0xC5, 0x42)
    other = View.of(state, (state.seat_to_act + 1) % 4)
    assert tuple(rgb_array(other)[470, 320]) != tuple(plate)


def test_probabilities_are_taken_by_name_or_by_number_and_checked() -> None:
    state = State.new("terz", seed=1)
    chances = np.zeros(74)
    best = state.legal_actions()[0]
    chances[best] = 1
    view = View.of(state, probabilities=chances)
    assert view.probabilities[state.game.actions[best]] == 1
    assert "100%" in ansi(view)
    assert "100%" in svg(view)
    wrong: list[tuple[Any, str]] = [
        ([0.5], "74 actions"),
        ({"ZZ": 0.5}, "no action"),
        ({"AS": float("nan")}, "not within"),
        ({"AS": 2}, "not within"),
    ]
    for probabilities, message in wrong:
        with pytest.raises(RenderError, match=message):
            View.of(state, probabilities=probabilities)


def test_wrong_seats_languages_and_names_are_refused_with_the_reason() -> None:
    state = State.new("terz", seed=1)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"viewer": 2}, "0 to 1"),
        ({"viewer": True}, "True"),
        ({"language": "de"}, "en or ru"),
        ({"names": ["one"]}, "one name a seat"),
        ({"names": "ab"}, "one name a seat"),
        ({"last_action": (2, "AS")}, "seat 2"),
        ({"last_action": (0, "XX")}, "'XX'"),
    ]
    for options, message in wrong:
        with pytest.raises(RenderError, match=message):
            View.of(state, **options)


def test_the_animations_have_a_picture_for_every_step_and_one_more() -> None:
    for game in ("terz", "tetka"):
        record = a_record(game)
        views = recorded_views(record)
        steps = len(record["deals"][0]["actions"])
        assert len(views) == steps + 1
        with Image.open(io.BytesIO(gif(views, (160, 120), 0.5))) as image:
            assert image.n_frames == steps + 1
            assert image.info["duration"] == 500
        tree = ElementTree.fromstring(animated_svg(views))
        frames = tree.findall("{http://www.w3.org/2000/svg}g")
        assert len(frames) == steps + 1
    for make in (gif, animated_svg):
        with pytest.raises(RenderError, match="no animation"):
            make([])
        with pytest.raises(RenderError, match="no animation"):
            make(views[:1], seconds=0)
        with pytest.raises(RenderError, match="no animation"):
            make(views[:1], seconds=float("inf"))
    # A program that does not animate shows the first picture alone.
    still = ElementTree.fromstring(animated_svg(views)).findall("{http://www.w3.org/2000/svg}g")
    assert [frame.get("class") for frame in still] == [None] + ["f"] * (len(views) - 1)


@pytest.mark.parametrize(("game", "scope"), [("terz", "match"), ("tetka", "rubber")])
def test_a_later_deal_of_a_record_is_drawn_with_its_scores(game: str, scope: str) -> None:
    record = a_record(game, scope)
    last = len(record["deals"]) - 1
    views = recorded_views(record, last)
    assert [len(seat.cards) for seat in views[0].seats] == [get_game(game).hand_size] * len(
        views[0].seats
    )
    assert [seat.score for seat in views[-1].seats] == record["scores"]
    assert any(seat.score for seat in views[0].seats)
    assert views[-1].is_over
    if game == "terz":
        assert views[-1].status == f"seat_{record['winner']} wins the match"
        melds = [(seat.number, meld) for seat in views[-1].seats for meld in seat.melds]
        wanted = [(m["player"], tuple(m["cards"])) for m in record["deals"][last]["melds"]]
        assert sorted(melds) == sorted(wanted)
    with pytest.raises(RenderError, match=f"no deal {last + 1}; the record has deals 0 to {last}"):
        recorded_views(record, last + 1)


@pytest.mark.rule("T8")
def test_the_automatic_break_has_a_picture_of_its_own() -> None:
    captions = [view.caption for view in recorded_views(a_record("terz"))]
    assert sum("break 2" in caption for caption in captions) == 1


@pytest.mark.rule("T27")
def test_a_false_announcement_is_drawn() -> None:
    state = State.new("terz", {"illegal_actions": "penalise"}, seed=1)
    seat = state.seat_to_act
    state.apply("four:J")
    view = View.of(state, last_action=(seat, "four:J"))
    assert view.caption == f"seat_{seat}: four jacks, false, -200"


def test_a_damaged_record_is_not_drawn() -> None:
    record = a_record("tetka")
    record["deals"][0]["marks"] = [0, 0, 0, 0]
    with pytest.raises(RecordError, match="marks"):
        recorded_views(record)
    with pytest.raises(RecordError):
        recorded_views([])


def test_a_missing_pillow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = builtins.__import__

    def without_pillow(name: str, *rest: Any, **options: Any) -> Any:
        if name.partition(".")[0] == "PIL":
            raise ModuleNotFoundError(f"No module named {name!r}", name="PIL")
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without_pillow)
    view = some_view("terz")
    with pytest.raises(RenderError, match=r"Pillow is missing; pip install 'terz-env\[render\]'"):
        rgb_array(view)
    assert ansi(view)
    assert svg(view)


def test_missing_letters_are_said_and_not_drawn_as_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_font(name: str, size: int) -> None:
        raise OSError(name)

    monkeypatch.setattr(ImageFont, "truetype", no_font)
    raster._loaded.cache_clear()
    with pytest.raises(RenderError, match="no font with the letters"):
        raster._loaded(20, latin=False)
    raster._loaded.cache_clear()


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_redrawn_in_place_and_a_pipe_gets_plain_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    view, terminal, pipe = some_view("tetka"), _Terminal(), io.StringIO()
    show(view, terminal)
    show(view, pipe)
    assert terminal.getvalue().startswith(human.HOME_AND_CLEAR)
    assert CODES.search(terminal.getvalue())
    assert pipe.getvalue() == ansi(view) + "\n\n"
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = _Terminal()
    show(view, terminal)
    assert not CODES.search(terminal.getvalue())


def draw(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["draw", *map(str, arguments)])


def test_the_command_draws_files_of_every_kind(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    lines = [json.dumps(a_record("terz")), json.dumps(a_record("tetka", "rubber"))]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for suffix, start in (("gif", b"GIF8"), ("svg", b"<svg"), ("png", b"\x89PNG"), ("txt", b"T")):
        output = tmp_path / f"deal.{suffix}"
        result = draw(file, "-o", output, "--step", 5, "--size", "80x60")
        assert result.exit_code == 0, result.output
        assert output.read_bytes().startswith(start)
        assert "1 picture\n" in result.output
    result = draw(file, "-o", tmp_path / "whole.svg", "--line", 2, "--deal", 1, "--lang", "ru")
    assert "53 pictures" in result.output
    assert draw(file, "-o", tmp_path / "first.png", "--size", "80x60").exit_code == 0
    names = [argument for name in "abcd" for argument in ("--name", name)]
    text = draw(file, "--line", 2, "--step", 7, "--seat", 1, *names).output
    assert "▸ " in text
    assert "▒▒" in text
    assert sorted(path.suffix for path in tmp_path.iterdir()) == sorted(
        [".jsonl", ".gif", ".svg", ".svg", ".png", ".png", ".txt"]
    )


def test_the_command_says_in_one_line_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(a_record("terz")) + "\n", encoding="utf-8")
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\xff\xfe\n")
    wrong: list[tuple[list[object], str]] = [
        ([tmp_path / "none"], "No such file"),
        ([tmp_path], "directory"),
        ([bad], "no UTF-8"),
        ([file, "--line", 2], "no line 2; it ends after 1"),
        ([file, "--deal", 1], "no deal 1; the record has only deal 0"),
        ([file, "--step", 999], "no step 999; the deal has steps 0 to"),
        ([file, "--seat", 2], "no seat 2"),
        ([file, "--lang", "de"], "use en or ru"),
        ([file, "--size", "640"], "use WIDTHxHEIGHT"),
        ([file, "-o", tmp_path / "x.bmp"], "use .gif, .svg, .png, .txt"),
        ([file, "-o", tmp_path / "none" / "x.svg"], "there is no directory"),
        ([file, "-o", tmp_path / "x.png", "--size", "0x0"], "pixels a side"),
    ]
    for arguments, message in wrong:
        result = draw(*arguments)
        assert result.exit_code == 2, result.output
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
    folder = tmp_path / "folder.svg"
    folder.mkdir()
    assert "is a directory" in draw(file, "-o", folder).stderr
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"games.jsonl", "bad.jsonl", "folder.svg"}


def test_a_file_that_cannot_be_renamed_leaves_no_remains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(a_record("terz")) + "\n", encoding="utf-8")

    def refuse(path: Path, target: Path) -> None:
        raise PermissionError(f"no right to write {target}")

    monkeypatch.setattr(Path, "replace", refuse)
    result = draw(file, "-o", tmp_path / "x.svg", "--step", 0)
    assert result.exit_code == 2
    assert "no right to write" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]


def test_the_examples_of_the_guide_run(capsys: pytest.CaptureFixture[str]) -> None:
    guide = Path(__file__).parent.parent / "docs" / "rendering.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert "Anna" in capsys.readouterr().out
    assert names["pixels"].shape == (480, 640, 3)
    assert names["small"].startswith(b"GIF8")


def test_the_pictures_of_the_guide_are_small_and_whole() -> None:
    images = Path(__file__).parent.parent / "docs" / "images"
    for name, most in (("terz_deal.gif", 600), ("terz_table.png", 60), ("tetka_table.png", 60)):
        assert (images / name).stat().st_size < 1000 * most
        with Image.open(images / name) as image:
            image.load()
            assert image.width >= 480
