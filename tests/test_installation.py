"""The package in odd places: light to import, without a home, with a damaged cache."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from terz_env import kernel

ROOT = Path(__file__).parent.parent
HEAVY = ("matplotlib", "numba", "torch")
PLAY = """
from terz_env.state import State
state = State.new("tetka_micro", seed=1)
print(len(state.legal_actions()))
"""
DOUBLE = """
@kernel
def {name}(value: int) -> int:
    return 2 * value

print({name}(21))
"""


def run(code: str | Path, folder: Path, **variables: str) -> str:
    """Runs code, compiled, with the package of a folder and returns what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    script = ["-c", code] if isinstance(code, str) else [str(code)]
    result = subprocess.run(
        [sys.executable, *script],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(folder), **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def test_importing_the_package_loads_and_compiles_nothing(
    record_property: Callable[[str, object], None],
) -> None:
    code = f"""
import sys, time
import gymnasium
before = set(sys.modules)
start = time.perf_counter()
import terz_env
print(time.perf_counter() - start)
print(*[name for name in {HEAVY} if name in set(sys.modules) - before])
"""
    seconds, heavy = run(code, ROOT).splitlines()
    record_property("seconds", float(seconds))
    assert heavy == ""


def test_a_read_only_installation_works_without_a_home(tmp_path: Path) -> None:
    site, temporary, file = tmp_path / "site", tmp_path / "temporary", tmp_path / "file"
    shutil.copytree(ROOT / "terz_env", site / "terz_env")
    for path in (site, *site.rglob("*")):
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    temporary.mkdir()
    file.touch()  # no directory can be made below a file, not even by root
    nowhere = str(file / "home")
    homeless = {"HOME": nowhere, "XDG_CACHE_HOME": nowhere, "TMPDIR": str(temporary)}
    try:
        assert run(PLAY, site, PYTHONDONTWRITEBYTECODE="1", **homeless) == "2\n"
        assert not list(temporary.iterdir())
    finally:
        for path in (site, *site.rglob("*")):
            path.chmod(path.stat().st_mode | stat.S_IWUSR)


def test_where_nothing_can_be_written_every_process_compiles(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(prefix: str) -> str:
        raise FileNotFoundError(prefix)

    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "below"))
    monkeypatch.setattr(kernel.tempfile, "mkdtemp", refuse)
    assert kernel._cache_directory() == ""


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def scribble(path: Path) -> None:
    path.write_bytes(b"no pickle at all")


def test_a_damaged_cache_costs_a_compilation_and_is_repaired(tmp_path: Path) -> None:
    """A kernel for each damage to each of its two files."""
    cases = {
        f"{damage.__name__}_{suffix}": (damage, suffix)
        for damage in (cut, empty, scribble)
        for suffix in ("nbi", "nbc")
    }
    script = tmp_path / "script.py"
    kernels = "".join(DOUBLE.format(name=name) for name in cases)
    script.write_text("from terz_env.kernel import kernel\n" + kernels, encoding="utf-8")
    cache = tmp_path / "cache"

    def cached() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in cache.rglob("*.nb?")}

    def doubled() -> list[str]:
        return run(script, ROOT, NUMBA_CACHE_DIR=str(cache)).split()

    answers = ["42"] * len(cases)
    assert doubled() == answers
    whole = cached()
    damaged = []
    for name, (damage, suffix) in cases.items():
        files = [path for path in whole if f".{name}-" in path.name]
        assert sorted(path.suffix for path in files) == [".nbc", ".nbi"]
        (file,) = (path for path in files if path.suffix == f".{suffix}")
        damage(file)
        assert file.read_bytes() != whole[file]
        damaged.append(file)
    assert doubled() == answers
    repaired = cached()
    assert all(len(repaired[path]) > 100 for path in damaged)
    assert doubled() == answers
    assert cached() == repaired
