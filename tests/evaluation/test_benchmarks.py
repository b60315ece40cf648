"""The tables of docs/benchmarks say what the results beside them say, and can be played again."""

from __future__ import annotations

from pathlib import Path

import pytest

from terz_env.evaluation.playing import play_chunk
from terz_env.evaluation.results import read_results

FOLDER = Path(__file__).parents[2] / "docs" / "benchmarks"


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_the_tables_are_those_of_the_results(game: str) -> None:
    page = (FOLDER / f"arena_{game}.md").read_text(encoding="utf-8")
    results = read_results(FOLDER / f"arena_{game}" / "results.json")
    for pairing in results.plan.pairings:
        mean = results.units(pairing).mean()
        assert f"| {' – '.join(pairing)} | {mean:+.3f} |" in page
    assert " ".join(results.plan.players) in page
    assert f"--deals {results.plan.deals} --seed {results.plan.seed}" in page


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_the_fixed_players_play_their_first_deals_again(game: str) -> None:
    results = read_results(FOLDER / f"arena_{game}" / "results.json")
    tasks = results.plan.tasks()
    task = next(task for task in tasks if task.pairing == ("random", "greedy"))
    kept = results.played[task.pairing][: task.deals].tolist()
    assert play_chunk(results.plan, task).results == kept
