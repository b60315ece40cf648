"""The wheel: what is in it, and that it works by itself, away from the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from terz_env.players import shipped_models

ROOT = Path(__file__).parent.parent
PLAY = """
import gymnasium, terz_env

print(terz_env.__file__)
for name in ("terz", "tetka"):
    table = getattr(terz_env, f"{name}_v0").env()
    table.reset(seed=1)
    paid = 0.0
    for agent in table.agent_iter():
        seen, reward, over, _, _ = table.last()
        paid += reward
        table.step(None if over else int(seen["action_mask"].argmax()))
    assert paid == 0, paid
    single = gymnasium.make(f"terz_env/{name.capitalize()}-v0")
    seen, _ = single.reset(seed=1)
    over, steps = False, 0
    while not over:
        seen, _, over, _, _ = single.step(int(seen["action_mask"].argmax()))
        steps += 1
    print(name, steps)
"""
SMALL = """
import terz_env
from terz_env.kernel import COMPILED

assert COMPILED
state = terz_env.State.new("tetka_micro", seed=1)
while not state.deal_is_over:
    state.apply(state.legal_actions()[0])
print(sum(state.returns()))
"""
MODELS = """
import numpy as np, terz_env
from terz_env.players import decide, shipped_models

rng = np.random.default_rng(1)
for name, folder in shipped_models().items():
    player = terz_env.load_player(name)
    state = terz_env.State.new(player.game, seed=1)
    while not state.deal_is_over:
        state.apply(decide(player, state, rng))
    print(name, folder)
"""


def run(*command: str | Path, folder: Path, hide: bool = True, **variables: str) -> str:
    """Runs a program, without the variables that would let it find the repository."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV") if hide else ()
    result = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**{name: os.environ[name] for name in os.environ if name not in hidden}, **variables},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run(*_build(out), folder=ROOT, hide=False)
    (built,) = out.glob("*.whl")
    return built


def _build(out: Path) -> list[str | Path]:
    options: list[str | Path] = ["--wheel", "--no-isolation", "--outdir", out, ROOT]
    return [sys.executable, "-m", "build", *options]


@pytest.mark.slow
def test_the_wheel_holds_the_typed_package_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "terz_env/py.typed" in names
    tops = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"terz_env"}
    assert [name for name in names if "test" in name.rpartition("/")[2]] == []
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "terz_env").rglob("*.py")}
    assert sources == {name for name in names if name.endswith(".py")}
    files = {"model.safetensors", "model.onnx", "card.md", "run.yaml"}
    for name in shipped_models():
        assert {f"terz_env/models/{name}/{file}" for file in files} <= set(names)


@pytest.mark.slow
def test_the_installed_wheel_plays_both_games_away_from_the_repository(
    wheel: Path, tmp_path: Path
) -> None:
    home, elsewhere = tmp_path / "venv", tmp_path / "elsewhere"
    elsewhere.mkdir()
    venv.create(home, with_pip=False, symlinks=True)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    site = Path(
        run(
            python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=elsewhere
        ).strip()
    )
    offline = ("--no-deps", "--no-index", "--quiet")
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", *offline, wheel, folder=elsewhere)
    # A plain path of a .pth file comes after the wheel, and the .pth files in it are not read: an
    # editable installation of the repository stays out of sight.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    # One small game compiles; the rest runs as plain Python, from the same sources.
    assert float(run(python, "-c", SMALL, folder=elsewhere)) == 0
    plain = {"NUMBA_DISABLE_JIT": "1"}
    file, *games = run(python, "-c", PLAY, folder=elsewhere, **plain).splitlines()
    assert Path(file) == site / "terz_env" / "__init__.py"
    assert [line.split()[0] for line in games] == ["terz", "tetka"]
    assert all(int(line.split()[1]) > 0 for line in games)
    assert "compile" in run(scripts / "terz", "--help", folder=elsewhere)
    played = run(python, "-c", MODELS, folder=elsewhere, **plain).splitlines()
    models = dict(line.split() for line in played)
    assert models == {name: str(site / "terz_env" / "models" / name) for name in shipped_models()}
