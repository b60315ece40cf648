"""PPO of RLlib on a local cluster: it learns under the masks, and its checkpoints play."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from typer.testing import CliRunner

from terz_env.adapters.libraries import LibraryError
from terz_env.adapters.rllib import LEARNER, CardMultiAgentEnv, player_of, snapshot_ids
from terz_env.adapters.rllib.self_play import SelfPlay, Trial
from terz_env.adapters.rllib.settings import ACTION_MASK, OBSERVATIONS
from terz_env.cli.app import app
from terz_env.errors import IllegalActionError
from terz_env.evaluation.matches import duplicate_match
from terz_env.evaluation.statistics import Estimate
from terz_env.players import Decisions, PlayerError, load_player
from terz_env.players.model_facts import MODEL_FILE
from terz_env.players.shipped import IN_CHECKPOINT
from terz_env.selfplay import SelfPlayBatch
from tests.rllib.runs import tiny_config

ADAPTER = "terz_env.adapters.rllib"
WITHOUT_RAY = """
import sys
from terz_env.players import load_player
print(load_player(sys.argv[1]).game, *[name for name in ("ray", "torch") if name in sys.modules])
"""


def decisions_of(game: str) -> Decisions:
    batch = SelfPlayBatch(game, 100, seed=7)
    for _ in range(6):
        batch.step(batch.random_actions())
    return Decisions.of_batch(batch, np.arange(100))


def output(*words: str) -> str:
    """What the command says."""
    result = CliRunner().invoke(app, [*words], input="quit\n")
    assert result.exit_code == 0, result.output
    return result.output


# Learning.


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_all_that_is_sampled_is_legal_and_every_seat_is_paid(game: str) -> None:
    algorithm = tiny_config(game, snapshots=2, share=0.5).build_algo()
    runner = algorithm.env_runner
    for explore in (True, False):
        for deal in runner.sample(num_episodes=6, explore=explore):
            seats = deal.agent_episodes
            assert deal.is_terminated
            assert len(seats) == runner.env.envs[0].unwrapped.num_agents
            assert sum(one.get_return() for one in seats.values()) == pytest.approx(0, abs=1e-5)
            for one in seats.values():
                shown, actions = one.get_observations(), one.get_actions()
                masks = shown[ACTION_MASK][: len(actions)]
                assert masks[np.arange(len(actions)), actions].all()
                assert not one.get_rewards()[:-1].any()
    algorithm.stop()


@pytest.mark.usefixtures("cluster")
def test_iterations_change_the_learner_and_leave_the_pool_alone() -> None:
    algorithm = tiny_config("tetka", snapshots=2, every=100).build_algo()
    modules = [LEARNER, *snapshot_ids(2)]
    before = {name: algorithm.get_module(name).get_state() for name in modules}
    results = [algorithm.train() for _ in range(2)]
    after = {name: algorithm.get_module(name).get_state() for name in modules}
    for name in modules:
        same = [np.array_equal(before[name][key], after[name][key]) for key in before[name]]
        assert all(same) == (name != LEARNER)
    learned = results[-1]["learners"][LEARNER]
    for key in ("policy_loss", "vf_loss", "entropy"):
        assert np.isfinite(float(learned[key]))
    played = results[-1]["env_runners"]
    assert played["num_env_steps_sampled_lifetime"] >= 800
    assert not played.get("num_env_step_failures_lifetime")
    algorithm.stop()


@pytest.mark.usefixtures("cluster")
def test_a_trial_against_the_pool_stands_in_the_result() -> None:
    algorithm = tiny_config("terz", snapshots=2, every=2, deals=10).build_algo()
    assert "self_play" not in algorithm.train()
    assert set(algorithm.train()["self_play"]) == {"points", "half_width", "admitted"}
    algorithm.stop()


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("lead", [-20.0, 20.0])
def test_a_learner_that_wins_takes_the_place_of_the_weakest(
    lead: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    won = Trial("terz", tuple(Estimate(lead + better, 1.0, 10) for better in (-5.0, 5.0)))
    monkeypatch.setattr(SelfPlay, "trial", lambda *_, **__: won)
    algorithm = tiny_config("terz", snapshots=2, every=1).build_algo()
    first, second = snapshot_ids(2)

    def learned(name: str) -> dict[str, Any]:
        state = algorithm.learner_group.get_state(components="learner/rl_module")
        weights: dict[str, Any] = state["learner"]["rl_module"][name]
        return weights

    kept = learned(first)
    assert algorithm.train()["self_play"]["admitted"] == (lead > 0)
    assert same(learned(first), kept)
    assert same(learned(second), learned(LEARNER) if lead > 0 else kept)
    admitted = learned(second)
    algorithm.train()
    playing = algorithm.get_module(second).get_state()
    policy = [key for key in playing if not key.startswith("vf.")]  # those who play value nothing
    assert same({key: playing[key] for key in policy}, {key: admitted[key] for key in policy})
    algorithm.stop()


def same(weights: dict[str, Any], others: dict[str, Any]) -> bool:
    return all(np.array_equal(weights[key], others[key]) for key in weights)


# Checkpoints.


def test_a_checkpoint_plays_what_its_module_chooses(checkpoint: Path) -> None:
    algorithm = Algorithm.from_checkpoint(str(checkpoint))
    module = algorithm.get_module(LEARNER)
    player, decisions = load_player(checkpoint), decisions_of(checkpoint.name)
    assert (player.game, player.name) == (checkpoint.name, "rllib")
    expected = player_of(module).act(decisions, np.random.default_rng(0))
    assert np.array_equal(player.act(decisions, np.random.default_rng(0)), expected)
    assert algorithm.train()["training_iteration"] == 3
    algorithm.stop()


def test_a_checkpoint_plays_at_the_command_line(checkpoint: Path) -> None:
    game, name = checkpoint.name, str(checkpoint)
    quick = ("--yardsticks", "random", "--deals", "20", "--regret-deals", "0")
    assert "against the yardsticks" in output("evaluate", name, *quick)
    assert "random" in output("arena", "--game", game, "--players", name, "random", "--deals", "8")
    output("play", "--game", game, "--opponent", name)


def test_playing_a_checkpoint_starts_neither_ray_nor_torch(checkpoint: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", WITHOUT_RAY, str(checkpoint)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == [checkpoint.name]


def test_members_of_the_pool_play_too(checkpoint: Path) -> None:
    folder = checkpoint / IN_CHECKPOINT.parent / snapshot_ids(1)[0]
    result = duplicate_match(
        load_player(checkpoint), load_player(folder), checkpoint.name, deals=10, seed=1
    )
    assert result.count == 10


def test_a_checkpoint_of_the_other_game_is_refused(checkpoint: Path) -> None:
    other = "tetka" if checkpoint.name == "terz" else "terz"
    quick = ["evaluate", str(checkpoint), "--game", other]
    result = CliRunner().invoke(app, quick)
    assert result.exit_code == 2
    assert f"plays {checkpoint.name}, not {other}" in " ".join(result.output.split())


def test_a_checkpoint_without_a_policy_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    shutil.copytree(checkpoint, foreign)
    (foreign / IN_CHECKPOINT / MODEL_FILE).unlink()
    with pytest.raises(PlayerError, match=r"a checkpoint of RLlib without .*; learn with ppo_conf"):
        load_player(foreign)


# The library, and other ways in.


@pytest.mark.usefixtures("cluster")
def test_the_masking_module_of_rllib_reads_the_environment() -> None:
    env = CardMultiAgentEnv({"game": "terz"})
    seen, _ = env.reset(seed=1)
    ((agent, shown),) = seen.items()
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        observation_space=env.observation_spaces[agent],
        action_space=env.action_spaces[agent],
        model_config={"fcnet_hiddens": [8]},
    ).build()
    rows = {name: torch.from_numpy(entries)[None] for name, entries in shown.items()}
    logits = module.forward_inference({Columns.OBS: rows})[Columns.ACTION_DIST_INPUTS]
    assert shown[ACTION_MASK][int(logits.argmax())] == 1
    assert OBSERVATIONS in env.observation_spaces[agent].spaces


@pytest.mark.usefixtures("cluster")
def test_actions_drawn_without_the_mask_end_with_the_way_out() -> None:
    algorithm = tiny_config("tetka", snapshots=0).build_algo()
    with pytest.raises(RuntimeError) as caught:
        algorithm.env_runner.sample(num_episodes=1, random_actions=True)
    algorithm.stop()
    assert isinstance(caught.value.__cause__, IllegalActionError)
    assert "act by CardModule, which masks" in str(caught.value.__cause__)


def without_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the adapter be imported anew."""
    for name in [name for name in sys.modules if name.startswith(ADAPTER)]:
        monkeypatch.delitem(sys.modules, name)


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    without_adapter(monkeypatch)
    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(LibraryError, match=r"ray is not installed: pip install 'terz-env\[rllib\]"):
        __import__(ADAPTER)


def test_an_old_library_is_named_with_the_version_that_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without_adapter(monkeypatch)
    monkeypatch.setattr(metadata, "version", lambda _: "2.40.0")
    with pytest.raises(LibraryError, match=r"ray 2\.40\.0: 2\.60 or newer is needed"):
        __import__(ADAPTER)
