"""The learner in one file: it stands alone, is short, and learns."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "training" / "ppo_single_file.py"
DECISIONS = 600_000
FLOORS = {"tetka": 1.35, "terz": 25.0}
"""Against random players: marks a deal, at most, and points, at least."""


def test_it_is_short_and_imports_nothing_of_the_learner_beside_it() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 350
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level
            imported.add(str(node.module))
    packages = {name.partition(".")[0] for name in imported} - set(sys.stdlib_module_names)
    assert packages == {"numpy", "torch", "terz_env"}


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted(FLOORS))
def test_it_learns_in_a_minute(game: str, tmp_path: Path) -> None:
    weights = tmp_path / "policy.pt"
    words = ["--game", game, "--decisions", str(DECISIONS), "--save", str(weights)]
    run = subprocess.run(
        [sys.executable, str(FILE), *words, "--evaluate-every", "1000"],
        capture_output=True,
        text=True,
        check=True,
    )
    untrained, trained = (
        float(line.partition("random ")[2].split()[0]) for line in run.stdout.splitlines()
    )
    floor = FLOORS[game]
    assert untrained > floor >= trained if game == "tetka" else untrained < floor <= trained
    assert weights.is_file()


def test_a_game_that_is_not_there_is_refused() -> None:
    run = subprocess.run(
        [sys.executable, str(FILE), "--game", "bridge"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "choose from" in run.stderr
