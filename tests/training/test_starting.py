"""A run that begins with the weights of a policy."""

import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

from terz_env.players import PlayerError, shipped_models
from terz_env.players.model_facts import CARD_FILE, FACTS_KEY, MODEL_FILE
from terz_env.players.policy import read_policy
from tests.training.tiny_runs import CONFIGS, curve, silent, tiny
from training.checkpoint import CheckpointError, checkpoints, load_checkpoint
from training.cli import app
from training.config import ConfigError, TrainingConfig, load_config
from training.errors import InterruptedRunError, TrainingError
from training.export import export
from training.learner import train
from training.model import RUN_FILE, START
from training.run_state import RunState, tensors_of
from training.starting import start_with_policy


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, with a table of match equity among its tensors."""
    folder = tmp_path_factory.mktemp("first")
    train(tiny("terz", "equity.share=0.5", "equity.deals=64"), folder, silent)
    return folder


@pytest.fixture(scope="module")
def second(first: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that began with the first."""
    folder = tmp_path_factory.mktemp("second")
    train(going_on(first, "rules={follow: free}"), folder, silent)
    return folder


def files_in(folder: Path) -> dict[Path, bytes]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {file.relative_to(folder): file.read_bytes() for file in files}


def going_on(start: Path | str, *overrides: str) -> TrainingConfig:
    return tiny("terz", "bootstrap.states=0", "decisions=1500", f"start={start}", *overrides)


def test_weights_and_reference_are_the_policys(first: Path, tmp_path: Path) -> None:
    config = going_on(first)
    run = RunState.begin(config)
    sha256 = start_with_policy(run, config, str(first), tmp_path)
    weights = load_file(first / MODEL_FILE)
    for module in (run.network, run.reference):
        tensors = tensors_of(module)
        assert tensors.keys() == weights.keys() - {"equity"}
        assert all(np.array_equal(tensors[key], weights[key]) for key in tensors)
    assert sha256 == hashlib.sha256((first / MODEL_FILE).read_bytes()).hexdigest()
    assert run.decisions == run.states == 0


def test_a_shipped_policy_is_a_start(tmp_path: Path) -> None:
    config = load_config(CONFIGS / "tetka" / "small.yaml", ["bootstrap.states=0"])
    run = RunState.begin(config)
    start_with_policy(run, config, "tetka/small", tmp_path)
    weights = load_file(shipped_models()["tetka/small"] / MODEL_FILE)
    tensors = tensors_of(run.network)
    assert all(np.array_equal(tensors[key], weights[key]) for key in weights)


def test_it_may_learn_other_rules(second: Path) -> None:
    assert read_policy(second)[0].rules["follow"] == "free"


def test_it_goes_on_without_the_policy_that_it_began_with(first: Path, tmp_path: Path) -> None:
    start = tmp_path / "start"
    shutil.copytree(first, start)
    config = going_on(start)
    train(config, tmp_path / "whole", silent)
    output = tmp_path / "stopped"
    with pytest.raises(InterruptedRunError):
        train(config, output, silent, should_stop=lambda: True)
    shutil.rmtree(start)
    train(config, output, silent, checkpoint=checkpoints(output)[-1])
    assert (output / MODEL_FILE).read_bytes() == (tmp_path / "whole" / MODEL_FILE).read_bytes()
    assert curve(output) == curve(tmp_path / "whole")
    digest = hashlib.sha256((first / MODEL_FILE).read_bytes()).hexdigest()
    assert yaml.safe_load((output / RUN_FILE).read_text())[START] == digest


def test_the_card_does_without_a_run_file_of_before(first: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    config = going_on(first)
    with pytest.raises(InterruptedRunError):
        train(config, run, silent, should_stop=lambda: True)
    (run / RUN_FILE).unlink()
    train(config, run, silent, checkpoint=checkpoints(run)[-1])
    export(run, tmp_path / "model")
    card = (tmp_path / "model" / CARD_FILE).read_text(encoding="utf-8")
    assert f"It began with the weights of `{first}`.\n" in card


def test_the_card_names_it(first: Path, second: Path, tmp_path: Path) -> None:
    export(second, tmp_path)
    digest = hashlib.sha256((first / MODEL_FILE).read_bytes()).hexdigest()
    card = (tmp_path / CARD_FILE).read_text(encoding="utf-8")
    assert f"It began with the weights of `{first}`, sha256 `{digest}`." in card


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["network.hidden=[16, 17]"], r"has other layers; write network.hidden=\[16, 16\]"),
        (["network.hidden=[16]"], r"has other layers; write network.hidden=\[16, 16\]"),
        (["network.hidden=[16, 16, 16]"], r"other layers; write network.hidden=\[16, 16\]"),
        (["network.suits=plain"], "sees suits that are canonical; write network.suits=canonical"),
        (["start=terz/nobody"], "start=terz/nobody: no policy is called so"),
        (["start=heuristic"], "start=heuristic: no policy is called so"),
    ],
)
def test_a_start_that_does_not_fit_is_refused_and_nothing_is_lost(
    first: Path, tmp_path: Path, overrides: list[str], message: str
) -> None:
    shutil.copytree(first, tmp_path / "run")
    with pytest.raises(TrainingError, match=message):
        train(going_on(first, *overrides), tmp_path / "run", silent)
    assert files_in(tmp_path / "run") == files_in(first)


def test_a_run_does_not_replace_the_policy_that_it_begins_with(first: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(first, run)
    with pytest.raises(TrainingError, match="would replace the policy that it begins with"):
        train(going_on(run), run, silent)
    assert files_in(run) == files_in(first)


def test_results_in_another_unit_are_refused(tmp_path: Path) -> None:
    overrides = ["bootstrap.states=0", "start=tetka/small", "rollout.reward_scale=0.5"]
    config = load_config(CONFIGS / "tetka" / "small.yaml", overrides)
    with pytest.raises(TrainingError, match=r"write rollout\.reward_scale=0\.25"):
        train(config, tmp_path / "run", silent)


def test_a_network_without_a_value_head_is_refused(first: Path, tmp_path: Path) -> None:
    start = tmp_path / "start"
    start.mkdir()
    facts, tensors = read_policy(first)
    kept = {key: value for key, value in tensors.items() if not key.startswith("value.")}
    save_file(kept, start / MODEL_FILE, metadata={FACTS_KEY: facts.to_json()})
    with pytest.raises(TrainingError, match=r"does not fit the network: .*value\.weight"):
        train(going_on(start), tmp_path / "run", silent)


def test_a_policy_of_the_other_game_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match="a policy of tetka, not of terz"):
        train(going_on("tetka/small"), tmp_path, silent)


def test_a_missing_file_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    words = ["train", str(CONFIGS / "terz" / "small.yaml"), "--output", str(tmp_path / "run")]
    words += ["--set", "bootstrap.states=0", "--set", f"start={tmp_path / 'empty'}"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "no policy can be read" in result.output
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("game", "overrides"),
    [
        ("terz", ["bootstrap.states=1000"]),
        ("terz", ["algorithm=dmc", "bootstrap.states=0"]),
        ("terz_micro", ["bootstrap.states=0"]),
    ],
)
def test_it_needs_what_a_policy_can_begin(game: str, overrides: list[str]) -> None:
    with pytest.raises(ConfigError, match="start needs"):
        load_config(CONFIGS / game / "small.yaml", ["start=terz/small", *overrides])


def test_it_cannot_change_in_a_run(second: Path) -> None:
    changed = going_on("terz/small", "rules={follow: free}")
    with pytest.raises(CheckpointError, match="configuration: start=terz/small cannot change"):
        load_checkpoint(checkpoints(second)[-1], changed)
