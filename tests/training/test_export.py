"""A run becomes a model: what its directory holds, and what is refused."""

import re
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
import yaml
from safetensors.numpy import load_file
from typer.testing import CliRunner

from terz_env.evaluation.evaluating import evaluate, plans
from terz_env.players import PlayerError, load_player, shipped_models
from terz_env.players.model_facts import CARD_FILE, FACTS_KEY, MODEL_FILE, ONNX_FILE, ModelFacts
from terz_env.players.policy import read_policy
from terz_env.selfplay import SelfPlayBatch
from tests.training.tiny_runs import silent, tiny
from training import export as exporting
from training.card import Cost
from training.cli import app
from training.config import load_config
from training.errors import TrainingError
from training.export import MOST_BYTES, export
from training.learner import train

FILES = {MODEL_FILE, ONNX_FILE, CARD_FILE, "run.yaml"}


@pytest.fixture(scope="module", params=["tetka", "terz"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp(request.param)
    train(tiny(request.param), folder, silent)
    return folder


def evaluation(name: Path, folder: Path, suffix: str = "") -> Path:
    """The file of an evaluation of a few deals."""
    found = evaluate(plans(f"{name}{suffix}", yardsticks=["random"], deals=4))
    file = folder / f"evaluation{suffix}.json"
    file.write_text(found.to_json(), encoding="utf-8")
    return file


def test_an_exported_model_is_the_run_under_its_name(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    files = export(run, folder)
    assert set(files) == {folder / name for name in FILES} == set(folder.iterdir())
    facts, tensors = read_policy(folder)
    before, weights = read_policy(run)
    assert facts == ModelFacts(**{**vars(before), "name": "small"})
    assert tensors.keys() == weights.keys()
    assert all((tensors[key] == weights[key]).all() for key in weights)
    graph = onnx.load(folder / ONNX_FILE)
    assert {entry.key: entry.value for entry in graph.metadata_props} == {
        FACTS_KEY: facts.to_json()
    }
    assert (folder / "run.yaml").read_bytes() == (run / "run.yaml").read_bytes()


def test_both_files_of_a_model_choose_the_same(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    export(run, folder)
    players = [load_player(folder / name) for name in (MODEL_FILE, ONNX_FILE)]
    game = str(players[0].game)
    batch = SelfPlayBatch(game, 50, seed=2)
    from terz_env.players import Decisions

    for _ in range(8):
        decisions = Decisions.of_batch(batch, np.arange(50))
        first, second = (player.act(decisions, np.random.default_rng(0)) for player in players)
        np.testing.assert_array_equal(first, second)
        batch.step(batch.random_actions())


def test_an_export_repeats_itself_bit_for_bit(run: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        export(run, tmp_path / folder, name="small")
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_run_file_of_a_model_is_a_configuration_to_train_it_again(
    run: Path, tmp_path: Path
) -> None:
    export(run, tmp_path / "small")
    config = load_config(tmp_path / "small" / "run.yaml")
    assert config == tiny(config.game)
    assert load_config(tmp_path / "small" / "run.yaml", ["seed=5"]).seed == 5


def test_a_card_says_what_it_is_what_it_cost_and_how_strong_it_is(
    run: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "small"
    export(run, folder)
    assert "Not measured yet" in (folder / CARD_FILE).read_text(encoding="utf-8")
    given = [evaluation(folder, tmp_path)]
    facts, _ = read_policy(folder)
    if facts.game == "terz":
        given.append(evaluation(run, tmp_path, "+solver"))
    export(run, folder, evaluations=given)
    text = (folder / CARD_FILE).read_text(encoding="utf-8")
    name = f"{facts.game}/small"
    assert text.startswith(f"# {name}: a policy for {facts.game.capitalize()}, hidden layers 16-16")
    written = yaml.safe_load((run / "run.yaml").read_text(encoding="utf-8"))
    for word in (
        f'load_player("{name}")',
        facts.rules_fingerprint,
        facts.layout_fingerprint,
        f"python -m training train models/{name}/run.yaml",
        f"torch {written['versions']['torch']}",
        written["machine"],
        "PPO: ",
        "`heuristic` played against itself",
        f"{name} against the yardsticks:",
        "| random | ",
        "## Limits",
        "Licence: MIT",
    ):
        assert word in text
    assert "Not measured yet" not in text
    assert (f"{name}+solver against the yardsticks:" in text) == (facts.game == "terz")
    assert str(tmp_path) not in text
    assert not re.search(r"\n\n\n\n|[{}]", text)


def test_seconds_count_on_over_phases_and_interruptions() -> None:
    rows = [
        {"seconds": seconds, "states": "90", "decisions": "30"}
        for seconds in ("1", "3", "2", "5", "1", "4")
    ]
    assert Cost.of_curve(rows) == Cost(90, 30, 3 + 5 + 4)


def test_an_evaluation_of_other_weights_is_refused(run: Path, tmp_path: Path) -> None:
    file = evaluation(run, tmp_path)
    other = tmp_path / "other"
    shutil.copytree(run, other)
    game = read_policy(run)[0].game
    train(tiny(game, "seed=2"), other, silent)
    with pytest.raises(TrainingError, match=r"evaluation\.json is an evaluation of .* other weigh"):
        export(other, tmp_path / "small", evaluations=[file])
    with pytest.raises(TrainingError, match="nowhere cannot be read: No such file"):
        export(run, tmp_path / "small", evaluations=[tmp_path / "nowhere"])
    assert not (tmp_path / "small").exists()


def test_a_run_that_is_none_or_has_not_ended_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="is no directory of a run: No such file"):
        export(tmp_path / "nowhere", tmp_path / "small")
    half = tmp_path / "half"
    shutil.copytree(run, half)
    (half / "curve.csv").write_text("seconds\n", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"half holds no rows of a curve\.csv"):
        export(half, tmp_path / "small")
    (half / MODEL_FILE).write_bytes(b"half")
    with pytest.raises(PlayerError, match="no policy can be read"):
        export(half, tmp_path / "small")
    (half / MODEL_FILE).unlink()
    with pytest.raises(TrainingError, match=r"let the run end: python -m training resume .*half"):
        export(half, tmp_path / "small")
    for text in ("[", "3", "config: 3", "other: 3"):
        (half / "run.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(TrainingError, match=r"run\.yaml: no run file of this version"):
            export(half, tmp_path / "small")
    assert not (tmp_path / "small").exists()


def test_what_is_too_large_or_has_no_name_is_not_shipped(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TrainingError, match=r"'\.\./x' is no name of a model"):
        export(run, name="../x")
    monkeypatch.setattr(exporting, "MOST_BYTES", 1000)
    with pytest.raises(TrainingError, match=r"has [\d,]+ bytes; at most 1,000 are shipped"):
        export(run, name="small")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(exporting, "MOST_BYTES", MOST_BYTES)
    game = read_policy(run)[0].game
    result = CliRunner().invoke(app, ["export", str(run), "--name", "small"])
    assert result.exit_code == 0, result.output
    assert f"models/{game}/small/model.onnx, " in result.output
    assert {path.name for path in (tmp_path / "models" / game / "small").iterdir()} == FILES


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["export", str(tmp_path)])
    assert result.exit_code == 2
    assert "is no directory of a run" in result.output


def test_every_shipped_model_is_whole_small_and_fits_this_version() -> None:
    for name, folder in shipped_models().items():
        assert {path.name for path in folder.iterdir()} >= FILES
        assert all(path.stat().st_size <= MOST_BYTES for path in folder.iterdir())
        game, _, short = name.partition("/")
        facts, tensors = read_policy(folder, game)
        assert facts.name == short
        assert load_file(folder / MODEL_FILE).keys() == tensors.keys()
        assert load_player(folder / ONNX_FILE).game == game
        assert load_config(folder / "run.yaml").game == game
        assert (folder / CARD_FILE).read_text(encoding="utf-8").startswith(f"# {name}: ")
