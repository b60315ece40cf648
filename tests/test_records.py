"""Records are written as the format says, and replaying refuses whatever the rules do not say."""

from __future__ import annotations

import copy
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from terz_env import cli
from terz_env.cli.app import app
from terz_env.cli.counting import count_lines, position
from terz_env.errors import RecordError
from terz_env.records import read_record, record_game, replay
from terz_env.state import State

Record = dict[str, Any]
ILLEGAL_SHARE = 0.02


def played(
    game: str, scope: str = "deal", seed: int = 0, legal: bool = True, **rules: object
) -> Record:
    """A random game as it comes back from a file; now and then illegal where that is judged."""
    chooser = random.Random(seed)
    judged = rules.get("illegal_actions", "raise") != "raise"

    def choose(state: State) -> int | str:
        if judged and chooser.random() < ILLEGAL_SHARE:
            wild: list[int | str] = [*state.game.actions, "invalid", 999]
            return chooser.choice(wild)
        return chooser.choice(state.legal_actions())

    record = record_game(game, rules, scope, seed, 0, choose, legal)
    copied: Record = json.loads(json.dumps(record))
    return copied


def first(seen: Callable[[Record], bool], game: str, **options: Any) -> Record:
    """The first random game in which something is seen."""
    return next(record for seed in range(500) if seen(record := played(game, seed=seed, **options)))


def penalty_kinds(record: Record) -> set[str]:
    """The kinds of penalties in a record."""
    return {penalty["kind"] for deal in record["deals"] for penalty in deal.get("penalties", [])}


@pytest.mark.parametrize("mode", ["raise", "forfeit", "penalise"])
@pytest.mark.parametrize(
    ("game", "scope"),
    [("terz", "deal"), ("terz", "match"), ("tetka", "deal"), ("tetka", "rubber")],
)
def test_whatever_is_written_can_be_replayed(game: str, scope: str, mode: str) -> None:
    for seed in range(5):
        record = played(game, scope, seed, legal=seed % 2 == 0, illegal_actions=mode)
        assert replay(record) == sum(len(deal["actions"]) for deal in record["deals"])


def test_a_record_has_the_fields_of_the_format_in_their_order() -> None:
    terz, tetka = played("terz", legal=False), played("tetka", "rubber")
    assert list(terz) == ["format", "game", "scope", "rules", "seed", "deals", "scores"]
    assert list(played("terz", "match"))[-1] == "winner"
    assert list(tetka)[-2:] == ["scores", "settlement"]
    assert {"trump_card", "talon", "melds", "card_points"} <= terz["deals"][0].keys()
    assert {"photo", "legal", "marks", "trick_counts"} <= tetka["deals"][0].keys()
    assert "penalties" not in terz["deals"][0]


@pytest.mark.rule("T8")
def test_the_automatic_break_is_an_action_of_the_loser_of_trick_1() -> None:
    deal = played("terz")["deals"][0]
    place = next(i for i, (_, action) in enumerate(deal["actions"]) if action == "break:2")
    assert deal["legal"][place] == ["break:2"]
    winner = deal["actions"][place + 1][0]
    assert deal["actions"][place][0] == 1 - winner


@pytest.mark.rule("T23")
def test_card_points_sum_to_150_where_the_deal_was_played_out() -> None:
    deal = played("terz", rounding="none")["deals"][0]
    assert sum(deal["card_points"]) == 150
    assert deal["recorded_points"] == deal["card_points"]


@pytest.mark.rule("T24")
def test_a_meld_that_wins_the_match_leaves_no_card_points() -> None:
    record = first(
        lambda found: "card_points" not in found["deals"][-1], "terz", scope="match", legal=False
    )
    last = record["deals"][-1]
    assert "recorded_points" not in last
    assert last["melds"][-1]["player"] == record["winner"]
    replay(record)


@pytest.mark.rule("T27", "T28")
def test_penalties_of_terz_say_who_when_and_how_much() -> None:
    record = first(
        lambda found: penalty_kinds(found) == {"false_announcement", "forfeit"},
        "terz",
        illegal_actions="penalise",
    )
    deal = record["deals"][0]
    for penalty in deal["penalties"]:
        player, action = deal["actions"][penalty["step"]]
        assert player == penalty["player"]
        assert action not in deal["legal"][penalty["step"]]
    assert deal["penalties"][-1]["points"] == 150
    replay(record)


@pytest.mark.rule("K10", "K11")
def test_penalties_of_tetka_are_revokes_and_forfeits() -> None:
    for kind, points in (("revoke", 3), ("forfeit", 7)):

        def seen(found: Record, kind: str = kind) -> bool:
            return kind in penalty_kinds(found)

        record = first(seen, "tetka", illegal_actions="penalise")
        penalties = record["deals"][0]["penalties"]
        assert points in [penalty["points"] for penalty in penalties if penalty["kind"] == kind]
        replay(record)


@pytest.mark.rule("K7")
def test_the_settlement_follows_from_the_scores() -> None:
    record = played("tetka", "rubber")
    total = sum(record["scores"])
    assert record["settlement"] == [total - 4 * score for score in record["scores"]]


def test_start_scores_are_part_of_the_scores() -> None:
    record = played("tetka")
    record["start_scores"] = [1, 2, 3, 4]
    record["scores"] = [a + b for a, b in zip(record["scores"], [1, 2, 3, 4], strict=True)]
    total = sum(record["scores"])
    record["settlement"] = [total - 4 * score for score in record["scores"]]
    replay(record)


def test_missing_rules_take_their_defaults_and_the_order_of_sets_means_nothing() -> None:
    record = first(lambda found: bool(found["deals"][0]["melds"]), "terz")
    record["rules"] = {}
    deal = record["deals"][0]
    deal["legal"] = [names[::-1] for names in deal["legal"]]
    deal["melds"][0]["cards"].reverse()
    replay(record)


CHANGES: dict[str, Callable[[Record], object]] = {
    "format": lambda r: r.update(format="terz-record/2"),
    "game": lambda r: r.update(game=["terz"]),
    "scope": lambda r: r.update(scope="rubber"),
    "option": lambda r: r["rules"].update(fallow="free"),
    "option type": lambda r: r["rules"].update(seven_min_talon=2.0),
    "seed": lambda r: r.update(seed=True),
    "no deals": lambda r: r.update(deals=[]),
    "two deals": lambda r: r["deals"].append(r["deals"][0]),
    "deal type": lambda r: r.update(deals=[7]),
    "unknown field": lambda r: r.update(score=[0, 0]),
    "dealer": lambda r: r["deals"][0].update(dealer=2),
    "hand": lambda r: r["deals"][0]["hands"][0].append("7S"),
    "card type": lambda r: r["deals"][0]["hands"][0].__setitem__(0, {}),
    "card twice": lambda r: r["deals"][0].update(trump_card=r["deals"][0]["talon"][0]),
    "talon": lambda r: r["deals"][0]["talon"].pop(),
    "talon missing": lambda r: r["deals"][0].pop("talon"),
    "action cut off": lambda r: (r["deals"][0]["actions"].pop(), r["deals"][0]["legal"].pop()),
    "legal short": lambda r: r["deals"][0]["legal"].pop(),
    "legal wrong": lambda r: r["deals"][0]["legal"][3].append("seven"),
    "action type": lambda r: r["deals"][0]["actions"].__setitem__(1, [0, 5]),
    "player": lambda r: r["deals"][0]["actions"][0].__setitem__(0, 9),
    "meld": lambda r: r["deals"][0]["melds"].append({"player": 0}),
    "melds missing": lambda r: r["deals"][0].pop("melds"),
    "card points": lambda r: r["deals"][0].update(card_points=[75.0, 75.0]),
    "no recorded points": lambda r: r["deals"][0].pop("recorded_points"),
    "penalty": lambda r: r["deals"][0].update(penalties=[{}]),
    "scores": lambda r: r.update(scores=[True, 0]),
    "winner": lambda r: r.update(winner=0),
    "settlement": lambda r: r.update(settlement=[0, 0, 0, 0]),
    "start scores": lambda r: r.update(start_scores=[10**4000, 0]),
    "huge text": lambda r: r["deals"][0].update(trump_card="S" * 10**6),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_record_is_refused_in_few_words(change: str) -> None:
    record = copy.deepcopy(played("terz"))
    CHANGES[change](record)
    with pytest.raises(RecordError) as refused:
        replay(record)
    assert len(str(refused.value)) < 1000


def test_an_unlawful_step_names_deal_step_finding_and_rule() -> None:
    record = played("tetka", legal=False)
    deal = record["deals"][0]
    seat = deal["actions"][5][0]
    other = next(card for card in deal["hands"][(seat + 1) % 4])
    deal["actions"][5][1] = other
    with pytest.raises(RecordError, match=rf"^deal 0, step 5: .*{other}.*legal: ") as refused:
        replay(record)
    assert (refused.value.deal, refused.value.step) == (0, 5)


@pytest.mark.parametrize(
    "text", ["", "[" * 10**6, "1" * 5000, '{"a":', "NaN", "null", b"\xff\xfe", '{"deals":1}']
)
def test_lines_that_are_no_record_are_refused(text: str | bytes) -> None:
    with pytest.raises(RecordError):
        replay(read_record(text))


def test_nested_values_are_refused_wherever_they_stand() -> None:
    deep: object = []
    for _ in range(900):
        deep = [deep]
    for name in played("terz"):
        with pytest.raises(RecordError):
            replay(played("terz") | {name: deep})


def test_small_games_have_no_records() -> None:
    with pytest.raises(RecordError, match="terz_mini"):
        record_game("terz_mini", None, "deal", 0, 0, lambda state: state.legal_names()[0])


def run(*words: str, stdin: str | None = None) -> tuple[int, str, str]:
    """Runs a command: exit status, standard output, standard error."""
    result = CliRunner().invoke(app, list(words), input=stdin)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_the_command_writes_what_it_replays(game: str) -> None:
    status, lines, _ = run("record", "--game", game, "--games", "3", "--seed", "4", "--legal")
    assert status == 0
    assert lines == run("record", "--game", game, "--games", "3", "--seed", "4", "--legal")[1]
    assert run("replay", "-", stdin=lines) == (0, "3 records replayed\n", "")


def test_a_bad_line_is_named_and_the_others_are_still_checked(tmp_path: Path) -> None:
    words = ("record", "--game", "terz", "--games", "2", "--player", "random:announce")
    _, lines, _ = run(*words, "--rules", "classic,break_deck=choose")
    file = tmp_path / "games.jsonl"
    file.write_text("{}\n" + lines + "\n" + lines.replace('"scores":[', '"scores":[1'))
    status, output, errors = run("replay", str(file))
    assert (status, output) == (1, "2 records replayed, 3 bad\n")
    places = [line.split(": ")[0] for line in errors.splitlines()]
    assert places == [f"{file}:{number}" for number in (1, 5, 6)]


@pytest.mark.parametrize(
    "words",
    [
        ("record", "--game", "whist"),
        ("record", "--game", "tetka", "--player", "random:announce"),
        ("record", "--game", "tetka", "--player", "random", "--player", "random"),
        ("record", "--game", "terz", "--player", "nobody"),
        ("record", "--game", "terz", "--rules", "follow=never"),
        ("record", "--game", "terz", "--seed", "-1"),
        ("replay", "no such file"),
        ("evaluate", "no such directory"),
        ("count", "--game", "tetka", "--step", "53"),
    ],
)
def test_wrong_words_end_the_command_with_a_message(words: tuple[str, ...]) -> None:
    status, output, errors = run(*words)
    assert (status, output) == (2, "")
    assert "Traceback" not in errors
    assert errors


def test_lines_of_play_are_counted_to_the_end_of_the_deal() -> None:
    state = position("tetka", None, 1, 44)
    before = state.to_bytes()
    lines, ends = count_lines(state, 8)
    assert lines == ends > 0
    assert count_lines(state, 0) == (1, 0)
    assert count_lines(state, 1) == (len(state.legal_actions()), 0)
    assert state.to_bytes() == before
    counted = run("count", "--game", "tetka", "--seed", "1", "--step", "44", "--depth", "8")
    assert counted[1] == f"lines {lines}\nends {ends}\n"


def test_the_command_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.delitem(sys.modules, "terz_env.cli.app")
    with pytest.raises(SystemExit, match=r"terz-env\[cli\]"):
        cli.main()


def test_the_benchmark_writes_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terz_env.cli.bench.MIN_SECONDS", 0.001)
    monkeypatch.setattr("terz_env.cli.bench.STEPS", 4)
    file = tmp_path / "bench.json"
    arguments = ("--batch", "2", "--repeats", "1", "--no-solvers", "--json", str(file))
    status, _, errors = run("bench", *arguments)
    assert (status, errors) == (0, "")
    facts = json.loads(file.read_text())
    assert {row["game"] for row in facts["rows"]} == {"terz", "tetka"}
    observed = {"actions+bits", "actions+mask+u8", "actions+mask+f32"}
    assert {row["name"] for row in facts["rows"]} == {"rollout", "actions+mask"} | observed
    assert all(row["per_second"] > 0 for row in facts["rows"])
    assert facts["latencies"] == []
