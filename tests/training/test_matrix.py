"""The matrix of paths: measured, merged, and written into the pages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from training import matrix
from training.matrix import DATA, PAGES, ROOT, markdown, merged, read_data, with_table, write_pages
from training.paths import ROWS

PETTINGZOO = [row for row in ROWS if row.name.startswith("PettingZoo")]


def invoke(*words: str) -> Any:
    app = typer.Typer()
    app.command()(matrix.run)
    return CliRunner().invoke(app, [*words])


def row_of(name: str, speed: float) -> dict[str, Any]:
    return {
        "name": name,
        "library": "lib",
        "version": "1.2",
        "page": "guide.md",
        "proof": "pytest tests/x.py",
        "games_at_once": 1024,
        "speeds": {game: {"per_second": speed, "spread": 0.1} for game in ("terz", "tetka")},
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tables_are_what_the_data_say(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert with_table(text, markdown(read_data(DATA), PAGES[page])) == text


def test_every_row_that_the_environment_can_measure_is_there() -> None:
    rows = read_data(DATA)
    names = [row["name"] for row in rows]
    assert names == [row.name for row in ROWS if row.name in names]
    assert {row.name for row in ROWS if not row.name.startswith("RLlib")} <= set(names)
    for known, row in ((row, rows[names.index(row.name)]) for row in ROWS if row.name in names):
        told = (row["library"], row["page"], row["proof"], row["games_at_once"])
        assert told == (known.library, known.page, known.proof, known.games)
        assert (ROOT / "docs" / row["page"]).is_file()
        assert all(speed["per_second"] > 0 for speed in row["speeds"].values())


def test_every_proof_names_tests_that_are_there() -> None:
    for row in ROWS:
        words = row.proof.split()
        assert words[0] in {"make", "pytest"}
        assert words[0] == "make" or (ROOT / words[1]).is_file()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.name[:5] != "RLlib"], ids=lambda row: row.name
)
def test_each_path_plays_both_games(row: Any) -> None:
    assert matrix.is_installed(row)
    for game in ("terz", "tetka"):
        play = row.prepare(game)
        assert play() >= 1
        assert play() >= 1


def test_what_is_measured_replaces_what_was_known_and_the_rest_stays() -> None:
    first, second, third = (row.name for row in ROWS[:3])
    old = [row_of(third, 3), row_of(second, 2)]
    rows = merged(old, [row_of(second, 9), row_of(first, 1)])
    assert [row["name"] for row in rows] == [first, second, third]
    assert [row["speeds"]["terz"]["per_second"] for row in rows] == [1, 9, 3]


def test_the_table_has_three_digits_of_a_speed_and_half_its_spread() -> None:
    lines = markdown([row_of("A path", 123_456.7)], "docs/").splitlines()
    assert lines[0].startswith("| path | version | games at once |")
    assert lines[2] == (
        "| [A path](docs/guide.md) | lib 1.2 | 1,024 | 123,000 ± 5% | 123,000 ± 5% | "
        "`pytest tests/x.py` |"
    )


def test_the_command_measures_and_writes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(matrix, "ROWS", PETTINGZOO)
    monkeypatch.setattr("terz_env.cli.bench.MIN_SECONDS", 0.001)
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{matrix.BEGIN}\nold\n{matrix.END}\n\nmore\n", encoding="utf-8")
    monkeypatch.setattr(matrix, "PAGES", {page: "docs/"})
    data = tmp_path / "matrix.json"
    result = invoke("--only", "PettingZoo, `raw", "--repeats", "1", "--data", str(data))
    assert result.exit_code == 0, result.output
    rows = json.loads(data.read_text(encoding="utf-8"))["rows"]
    assert [row["name"] for row in rows] == [PETTINGZOO[0].name]
    assert set(rows[0]["speeds"]) == {"terz", "tetka"}
    text = page.read_text(encoding="utf-8")
    assert "old" not in text
    assert "| [PettingZoo, `raw_env()`](docs/guide.md) |" in text
    assert text.endswith("\n\nmore\n")


def test_a_proof_that_fails_ends_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = replace(PETTINGZOO[0], proof="pytest tests/nowhere.py", prepare=lambda game: lambda: 1)
    monkeypatch.setattr(matrix, "ROWS", [row])
    monkeypatch.setattr("terz_env.cli.bench.MIN_SECONDS", 0.0001)
    result = invoke("--prove", "--repeats", "1", "--data", str(tmp_path / "m.json"), "--no-write")
    assert result.exit_code == 1
    assert "pytest tests/nowhere.py failed" in result.output
    assert not (tmp_path / "m.json").exists()


def test_what_cannot_be_measured_here_is_said() -> None:
    result = invoke("--only", "Nothing")
    assert result.exit_code == 2
    assert "nothing to measure here; the rows are PettingZoo" in result.output
    missing = replace(ROWS[0], module="no_such_library.part")
    assert not matrix.is_installed(missing)


def test_a_page_without_the_marks_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n", encoding="utf-8")
    with pytest.raises(ValueError, match="the page lacks the lines <!-- matrix"):
        write_pages([], {page: ""})
