"""Compiling ahead, and what a user is told who has not done it."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from terz_env import compilation, kernel
from terz_env.cli.app import app
from terz_env.cli.compiling import GAMES, PARTS, parts
from terz_env.errors import UnknownGameError

ROOT = Path(__file__).parent.parent
SMALL = """
from terz_env.kernel import kernel

@kernel
def double(value: int) -> int:
    return 2 * value

@kernel
def triple(value: int) -> int:
    return 3 * value

assert (double(21), triple(14)) == (42, 42)
"""
FACES = """
import gymnasium, numpy as np
from terz_env import SelfPlayBatch, State, compilation, load_player, terz_v0, tetka_v0
from terz_env.players import NAMED, decide
from terz_env.search.solving import solve
from terz_env.search.worlds import DealLog, Worlds

for game, face in (("terz", terz_v0), ("tetka", tetka_v0)):
    for observation in ("bits", "uint8", "float32", "none"):
        batch = SelfPlayBatch(game, 3, observation=observation)
        batch.step(batch.masks.argmax(axis=1))
    table = face.env()
    table.reset(seed=1)
    table.step(int(table.last()[0]["action_mask"].argmax()))
    vector = gymnasium.make_vec(f"terz_env/{game.capitalize()}-v0", 3)
    seen, _ = vector.reset(seed=1)
    vector.step(seen["action_mask"].argmax(axis=1))
    state = State.new(game, seed=2)
    log = DealLog(state) if game == "terz" else None
    Worlds(state, 0, log).draw()
    for name in (*NAMED, "pimc:2", "ismcts:5"):
        player = load_player(name)
        if player.game in (None, game):
            decide(player, state, np.random.default_rng(1))
    positions = []
    while not state.deal_is_over:
        positions.append(state.clone())
        state.apply(state.legal_actions()[0])
    solve(positions[-3])
    State.from_text(positions[-3].to_text())
print(*compilation.compiled)
"""
COMMAND = "from terz_env.cli import main; main()"


def run(
    code: str | Path, cache: Path, *arguments: str, timeout: int = 120, **variables: str
) -> tuple[str, str]:
    """Runs Python with a cache; returns what it prints to both streams."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NUMBA_", "TERZ_ENV_"))
    }
    script = ["-c", code] if isinstance(code, str) else [str(code)]
    result = subprocess.run(
        [sys.executable, *script, *arguments],
        cwd=ROOT,
        env={**kept, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache), **variables},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout, result.stderr


def test_the_first_compilation_says_so_once_and_the_cache_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SMALL, encoding="utf-8")
    cache = tmp_path / "cache"
    assert run(script, cache, TERZ_ENV_VERBOSE="1") == ("", compilation.NOTICE + "\n")
    assert run(script, cache, TERZ_ENV_VERBOSE="1") == ("", "")


@pytest.mark.parametrize("variables", [{}, {"TERZ_ENV_VERBOSE": "1", "NUMBA_DISABLE_JIT": "1"}])
def test_nothing_is_said_where_nobody_reads_it_or_nothing_is_compiled(
    variables: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SMALL, encoding="utf-8")
    assert run(script, tmp_path / "cache", **variables) == ("", "")


@pytest.mark.parametrize(
    ("terminal", "wanted", "shown"),
    [(True, "", True), (True, "0", False), (False, "", False), (False, "1", True)],
)
def test_the_line_is_for_a_terminal_unless_told_otherwise(
    terminal: bool, wanted: str, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    class Stream:
        write = written.append

        def isatty(self) -> bool:
            return terminal

        def flush(self) -> None:
            pass

    monkeypatch.setenv(compilation.VERBOSE, wanted)
    monkeypatch.setattr(compilation, "compiled", [])
    monkeypatch.setattr(sys, "stderr", Stream())
    compilation.note("a kernel")
    compilation.note("another")
    assert written == ([compilation.NOTICE + "\n"] if shown else [])
    monkeypatch.setattr(compilation, "compiled", [])
    monkeypatch.setattr(sys, "stderr", None)
    compilation.note("a kernel of a program without a console")


def test_a_listener_hears_every_kernel_instead(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[str] = []
    monkeypatch.setenv(compilation.VERBOSE, "1")
    monkeypatch.setattr(compilation, "compiled", [])
    with compilation.listening(heard.append):
        compilation.note("one")
        compilation.note("two")
    compilation.note("three")
    assert heard == ["one", "two"]
    assert capsys.readouterr().err == ""


def test_a_game_that_is_not_there_is_refused() -> None:
    result = CliRunner().invoke(app, ["compile", "--game", "skat"])
    assert (result.exit_code, result.output) == (
        2,
        "terz: no game 'skat'; use terz, tetka or both\n",
    )
    with pytest.raises(UnknownGameError):
        list(parts(""))
    assert len(list(parts("both"))) == 2 * len(PARTS)


def test_without_compilation_the_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "COMPILED", False)
    result = CliRunner().invoke(app, ["compile", "--game", "tetka"])
    assert result.exit_code == 2
    assert "NUMBA_DISABLE_JIT is set" in result.output


@pytest.mark.slow
def test_after_terz_compile_nothing_is_left_to_compile(tmp_path: Path) -> None:
    """Where TERZ_CACHE_TO_FILL names a directory, that is filled: `make unit` goes on with it."""
    cache = Path(os.environ.get("TERZ_CACHE_TO_FILL", tmp_path))
    assert not list(cache.rglob("*.nb?"))

    def compiled(game: str) -> tuple[str, str]:
        return run(COMMAND, cache, "compile", "--game", game, timeout=900, TERZ_ENV_VERBOSE="1")

    with ThreadPoolExecutor() as both:
        done = list(both.map(compiled, GAMES))
    assert [told for _, told in done] == ["", ""]
    assert sum(int(first.split()[0]) for first, _ in done) > 100
    assert all(f"{cache}" in first.replace("\n", "") for first, _ in done)
    again, _ = run(COMMAND, cache, "compile")
    assert again.strip().startswith("0 kernels compiled")
    assert run(FACES, cache) == ("\n", "")
