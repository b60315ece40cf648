"""A run that is cut off anywhere goes on from its last checkpoint to exactly the same model."""

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

from terz_env.players import PlayerError
from terz_env.players.policy import MODEL_FILE
from tests.training.tiny_runs import curve, silent, tiny
from training.card import commands
from training.checkpoint import (
    FOLDER,
    CheckpointError,
    checkpoints,
    load_checkpoint,
    load_config_of,
    save_checkpoint,
)
from training.cli import app
from training.config import ConfigError, TrainingConfig
from training.errors import InterruptedRunError, TrainingError
from training.files import FileError, write_atomically
from training.learner import train
from training.model import RUN_FILE, extend_run_file, read_run_file
from training.run_state import RunState

VARIANTS = {
    "plain": ("terz", ()),
    "ahead": ("tetka", ("rollout.ahead=true",)),
    "critic": ("tetka", ("ppo.critic=state",)),
    "worlds": ("terz", ("bootstrap.worlds=2", "bootstrap.own_share=0.6", "bootstrap.epochs=2")),
    "dmc": ("tetka", ("algorithm=dmc",)),
    "equity": ("terz", ("equity.share=0.5", "equity.deals=64", "ppo.critic=state")),
    "taught": ("terz", ("solver.share=0.5",)),
    "solve": ("terz", ("rollout.closed=solve", "opponents.player_share=0.2")),
}


class Stop:
    """Asks a run to stop after some iterations."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_run_stopped_after_any_iteration_ends_in_the_same_model(
    variant: str, tmp_path: Path
) -> None:
    game, overrides = VARIANTS[variant]
    config = tiny(game, *overrides)
    results = train(config, tmp_path / "whole", silent)
    output = tmp_path / "stopped"
    done, checkpoint = None, None
    while done is None:
        try:
            done = train(config, output, silent, checkpoint=checkpoint, should_stop=Stop(1))
        except InterruptedRunError as stopped:
            checkpoint = checkpoints(output)[-1]
            assert str(checkpoint) in str(stopped)  # noqa: PT017
    assert done == results
    assert (output / MODEL_FILE).read_bytes() == (tmp_path / "whole" / MODEL_FILE).read_bytes()
    assert curve(output) == curve(tmp_path / "whole")


def test_a_run_that_has_ended_goes_on_with_more_decisions(tmp_path: Path) -> None:
    train(tiny("terz"), tmp_path, silent)
    before = yaml.safe_load((tmp_path / RUN_FILE).read_text(encoding="utf-8"))
    rows = curve(tmp_path)
    kept = checkpoints(tmp_path)[-1]
    longer = load_config_of(kept, ["decisions=6000", "solver.share=0.5", "ppo.clip=0.1"])
    train(longer, tmp_path, silent, checkpoint=kept)
    after = yaml.safe_load((tmp_path / RUN_FILE).read_text(encoding="utf-8"))
    (earlier,) = after["earlier"]
    spent = int(rows[-1]["decisions"])
    assert spent >= 3000
    assert earlier == {"states": 1000, "decisions": spent, **before}
    assert TrainingConfig.model_validate(after["config"]) == longer
    first, second = commands("terz/small", longer, after)
    assert first.startswith("python -m training train models/terz/small/run.yaml --set decisions=")
    assert first.endswith("=3000 --set ppo.clip=0.2 --set solver.share=0.0")
    assert second.startswith("python -m training resume runs/terz/small --set decisions=6000 --set")
    assert second.endswith(" ppo.clip=0.1 --set solver.share=0.5")
    assert curve(tmp_path)[: len(rows)] == rows
    assert int(curve(tmp_path)[-1]["decisions"]) >= 6000
    with pytest.raises(ConfigError, match=r"ppo\.clap: unknown key"):
        load_config_of(checkpoints(tmp_path)[-1], ["ppo.clap=0.1"])


def test_what_nothing_was_learned_under_is_forgotten(tmp_path: Path) -> None:
    """A run that is resumed twice without learning in between has one part before."""
    train(tiny("tetka"), tmp_path, silent)
    kept = checkpoints(tmp_path)[-1]
    for clip in (0.1, 0.05):
        config = load_config_of(kept, [f"ppo.clip={clip}", "decisions=6000"])
        extend_run_file(tmp_path, config, load_checkpoint(kept, config))
    (part,) = read_run_file(tmp_path)[0]["earlier"]
    assert part["config"]["ppo"]["clip"] == 0.2
    train(config, tmp_path, silent, checkpoint=kept)
    longer = load_config_of(checkpoints(tmp_path)[-1], ["decisions=9000", "workers=0"])
    train(longer, tmp_path, silent, checkpoint=checkpoints(tmp_path)[-1])
    written, config = read_run_file(tmp_path)
    assert [part["config"]["decisions"] for part in written["earlier"]] == [3000, 6000]
    assert len(commands("tetka/small", config, written)) == 3


def test_a_part_that_was_stopped_early_says_so_beside_its_command(tmp_path: Path) -> None:
    with pytest.raises(InterruptedRunError):
        train(tiny("tetka"), tmp_path, silent, should_stop=Stop(3))
    kept = checkpoints(tmp_path)[-1]
    config = load_config_of(kept, ["ppo.clip=0.1"])
    train(config, tmp_path, silent, checkpoint=kept)
    written, _ = read_run_file(tmp_path)
    stopped = load_checkpoint(kept, config).decisions
    assert stopped < 3000
    first, second = commands("tetka/small", config, written)
    assert first.endswith(f"--set ppo.clip=0.2  # stopped after {stopped:,} decisions")
    assert second == "python -m training resume runs/tetka/small --set ppo.clip=0.1"


@pytest.mark.parametrize(
    "override",
    [
        "name=other",
        "seed=9",
        "algorithm=dmc",
        "network.suits=plain",
        "bootstrap.states=0",
        "rollout.deals=16",
        "ppo.critic=state",
        "rules={illegal_actions: penalise}",
    ],
)
def test_what_makes_another_run_cannot_change_in_one(override: str, tmp_path: Path) -> None:
    train(tiny("tetka", "decisions=500", "evaluation.times=0"), tmp_path, silent)
    kept = checkpoints(tmp_path)[-1]
    config = load_config_of(kept, [override, "decisions=9000"])
    key, _, _ = override.partition("=")
    with pytest.raises(CheckpointError, match=rf"{key}=.* cannot change in a run"):
        load_checkpoint(kept, config)


def test_a_budget_that_is_spent_is_refused(tmp_path: Path) -> None:
    train(tiny("tetka"), tmp_path, silent)
    before = (tmp_path / MODEL_FILE).read_bytes()
    arguments = ["resume", str(tmp_path), "--set", "decisions=1000"]
    refused = CliRunner().invoke(app, arguments)
    assert refused.exit_code == 2
    assert "decisions=1000: the run has learned from" in refused.output.replace("\n", "")
    assert (tmp_path / MODEL_FILE).read_bytes() == before
    misspelled = CliRunner().invoke(app, ["resume", str(tmp_path), "--set", "ppo.clap=1"])
    assert misspelled.exit_code == 2
    assert "ppo.clap: unknown key" in misspelled.output.replace("\n", "")


@pytest.mark.parametrize("text", ["seed: [1", "[1]", "", "config: 3", "earlier: [{}]"])
def test_a_damaged_run_file_is_named_and_nothing_is_lost(text: str, tmp_path: Path) -> None:
    train(tiny("tetka", "decisions=500", "evaluation.times=0"), tmp_path, silent)
    (tmp_path / RUN_FILE).write_text(text, encoding="utf-8")
    kept = checkpoints(tmp_path)[-1]
    with pytest.raises(TrainingError, match=r"run\.yaml: no run file of this version"):
        train(load_config_of(kept), tmp_path, silent, checkpoint=kept)
    assert (tmp_path / MODEL_FILE).is_file()


def test_a_checkpoint_older_than_a_section_is_read(tmp_path: Path) -> None:
    config = tiny("tetka", "decisions=500", "evaluation.times=0")
    train(config, tmp_path, silent)
    kept = checkpoints(tmp_path)[-1]
    with safe_open(kept, framework="numpy") as file:
        facts = json.loads(file.metadata()["terz_env"])
    del facts["config"]["solver"]
    save_file(load_file(kept), kept, metadata={"terz_env": json.dumps(facts)})
    assert load_config_of(kept) == config
    assert load_config_of(kept, ["solver.weight=2.0"]).solver.weight == 2.0
    assert load_checkpoint(kept, config).decisions >= 500


def test_without_playing_ahead_the_latest_weights_play(tmp_path: Path) -> None:
    """Weights that were kept while the run played ahead are not played by for ever."""
    ahead = tiny("tetka", "rollout.ahead=true")
    train(ahead, tmp_path, silent)
    kept = checkpoints(tmp_path)[-1]
    results = []
    for name, forget in (("kept", False), ("forgotten", True)):
        config = load_config_of(kept, ["rollout.ahead=false", "decisions=6000"])
        run = load_checkpoint(kept, config)
        assert run.behaviour is not None
        if forget:
            run.behaviour = None
        folder = tmp_path / name
        again = save_checkpoint(folder, run, config)
        train(config, folder, silent, checkpoint=again)
        results.append((folder / MODEL_FILE).read_bytes())
    assert results[0] == results[1]


def test_a_run_that_goes_on_under_the_same_circumstances_leaves_its_file_alone(
    tmp_path: Path,
) -> None:
    config = tiny("tetka")
    with pytest.raises(InterruptedRunError):
        train(config, tmp_path, silent, should_stop=Stop(2))
    before = (tmp_path / RUN_FILE).read_bytes()
    train(config, tmp_path, silent, checkpoint=checkpoints(tmp_path)[-1])
    assert (tmp_path / RUN_FILE).read_bytes() == before


def work(output: Path) -> None:
    """Go on with a run, or begin it."""
    kept = checkpoints(output)
    train(tiny("tetka"), output, silent, checkpoint=kept[-1] if kept else None)


@pytest.mark.slow
def test_a_run_killed_at_twenty_points_ends_in_the_same_model(tmp_path: Path) -> None:
    train(tiny("tetka"), tmp_path / "whole", silent)
    output = tmp_path / "killed"
    context = multiprocessing.get_context("fork")
    rng = np.random.default_rng(5)
    for _ in range(20):
        process = context.Process(target=work, args=(output,))
        process.start()
        time.sleep(float(rng.uniform(0.05, 0.6)))
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    work(output)
    assert (output / MODEL_FILE).read_bytes() == (tmp_path / "whole" / MODEL_FILE).read_bytes()
    assert curve(output) == curve(tmp_path / "whole")


def test_the_same_deals_are_learned_from_whoever_plays_them(tmp_path: Path) -> None:
    """Worker processes give the same model as the learner's own, whose process ends with them."""
    train(tiny("tetka"), tmp_path / "alone", silent)
    arguments = (tiny("tetka", "workers=2"), tmp_path / "helped", silent)
    learner = multiprocessing.get_context("spawn").Process(target=train, args=arguments)
    learner.start()
    learner.join(timeout=240)
    has_ended = not learner.is_alive()
    learner.kill()
    learner.join()
    assert has_ended
    assert learner.exitcode == 0
    first, second = (tmp_path / name / MODEL_FILE for name in ("alone", "helped"))
    assert first.read_bytes() == second.read_bytes()


def test_only_the_last_checkpoints_are_kept(tmp_path: Path) -> None:
    train(tiny("tetka", "checkpoint.keep=2"), tmp_path, silent)
    assert len(checkpoints(tmp_path)) == 2
    assert not list((tmp_path / FOLDER).glob(".*"))


def test_a_checkpoint_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    config = tiny("tetka")
    train(config, tmp_path, silent)
    kept = checkpoints(tmp_path)[-1]
    assert load_config_of(kept) == config
    with pytest.raises(CheckpointError, match="a checkpoint of tetka, not terz"):
        load_checkpoint(kept, tiny("terz"))
    with pytest.raises(CheckpointError, match="does not fit the configuration"):
        load_checkpoint(kept, tiny("tetka", "network.hidden=[8]"))
    foreign = tmp_path / "foreign.safetensors"
    save_file(load_file(kept), foreign)
    with pytest.raises(CheckpointError, match="no checkpoint of the format"):
        load_checkpoint(foreign, config)
    data = kept.read_bytes()
    for size in (0, 7, len(data) // 2, len(data) - 1):
        kept.write_bytes(data[:size])
        with pytest.raises(CheckpointError, match="no checkpoint can be read"):
            load_checkpoint(kept, config)


def test_weights_that_are_no_numbers_end_the_run_with_the_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = iter([True, True, True, False])
    monkeypatch.setattr(RunState, "is_finite", lambda run: next(asked))
    with pytest.raises(TrainingError, match=r"no numbers; the last good checkpoint is .*-000001"):
        train(tiny("tetka"), tmp_path, silent)


def test_a_full_disk_is_named_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")

    def fail(temporary: Path) -> None:
        temporary.write_text("half", encoding="utf-8")
        raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="file cannot be written: No space left on device"):
        write_atomically(path, fail)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_run_in_a_folder_replaces_what_is_left_of_the_old_one(tmp_path: Path) -> None:
    train(tiny("tetka"), tmp_path, silent)
    old = len(checkpoints(tmp_path))
    with pytest.raises(InterruptedRunError) as stopped:
        train(tiny("tetka", "seed=2"), tmp_path, silent, should_stop=Stop(1))
    kept = checkpoints(tmp_path)
    assert len(kept) == 2 < old
    assert str(kept[-1]) in str(stopped.value)
    assert not (tmp_path / MODEL_FILE).exists()


def test_a_player_that_does_not_exist_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match="no player is called 'greddy'"):
        train(tiny("tetka", "evaluation.final_opponents=[greddy]"), tmp_path / "run", silent)
    assert not (tmp_path / "run").exists()
