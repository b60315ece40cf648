"""Models of Stable-Baselines3 as players: saved, loaded, refused, and as opponents."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from typer.testing import CliRunner

from terz_env.adapters.libraries import LibraryError
from terz_env.adapters.sb3 import CardVecEnv, Sb3Player, SnapshotOpponents
from terz_env.cli.app import app
from terz_env.envs.seating import Opponent
from terz_env.games import get_game
from terz_env.players import Decisions, PlayerError, load_player
from terz_env.selfplay import SelfPlayBatch, expand_bits
from tests.adapters.sb3_models import learned, tiny_model

ADAPTER = "terz_env.adapters.sb3"


def decisions_of(game: str, steps: int = 3) -> Decisions:
    """Returns decisions of both phases, each with several legal actions or one."""
    batch = SelfPlayBatch(game, 200, seed=7)
    for _ in range(steps):
        batch.step(batch.random_actions())
    return Decisions.of_batch(batch, np.arange(200))


def generator() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.fixture(scope="module", params=["terz", "tetka"])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a model of each game."""
    file = tmp_path_factory.mktemp("models") / f"{request.param}_model.zip"
    learned(request.param).save(file)
    return file


def test_a_saved_model_plays_what_the_model_predicts(saved: Path) -> None:
    player = load_player(saved)
    assert isinstance(player, Sb3Player)
    game = saved.name.partition("_")[0]
    assert (player.name, player.game) == (f"{game}_model", game)
    assert player.rules["illegal_actions"] == "raise"
    assert player.rules_fingerprint == get_game(game).rules(None).fingerprint
    assert Sb3Player.load(saved, any_rules=True).rules_fingerprint is None
    decisions = decisions_of(game)
    model = MaskablePPO.load(saved, device="cpu")
    entries = expand_bits(decisions.bits, decisions.game.layout.n_entries)
    expected, _ = model.predict(entries, deterministic=True, action_masks=decisions.masks == 1)
    assert np.array_equal(player.act(decisions, generator()), expected)


def test_samples_are_legal_and_follow_the_generator_alone(saved: Path) -> None:
    player = Sb3Player.load(saved, sample=True)
    decisions = decisions_of(player.game)
    actions = player.act(decisions, generator())
    torch.manual_seed(99)
    assert np.array_equal(actions, player.act(decisions, generator()))
    assert decisions.masks[np.arange(200), actions].all()
    assert not np.array_equal(actions, player.act(decisions, np.random.default_rng(2)))


def test_a_model_plays_at_the_command_line(saved: Path) -> None:
    game = saved.name.partition("_")[0]

    def output(*words: str) -> str:
        result = CliRunner().invoke(app, [*words], input="quit\n")
        assert result.exit_code == 0, result.output
        return result.output

    quick = ("--yardsticks", "random", "--deals", "20", "--regret-deals", "0")
    assert f"{game}_model" in output("evaluate", str(saved), *quick)
    arena = output("arena", "--game", game, "--players", str(saved), "random", "--deals", "8")
    assert "random" in arena
    output("play", "--game", game, "--opponent", str(saved))


def test_results_of_an_arena_name_the_weights(saved: Path) -> None:
    from terz_env.evaluation.plan import Plan

    game = saved.name.partition("_")[0]
    plan = Plan.make(game, [str(saved), "random"], 4, 1)
    assert len(plan.digests[str(saved)]) == 64


def test_a_model_is_an_opponent_of_another_learner(saved: Path) -> None:
    game = saved.name.partition("_")[0]
    env = CardVecEnv(game, 8, opponents={str(saved): 1.0}, seed=1)
    tiny_model(env).learn(64)
    assert f"{game}_model" in env.env_method("seating")[0]


def test_a_model_of_the_other_game_is_refused(saved: Path) -> None:
    game = saved.name.partition("_")[0]
    other = "tetka" if game == "terz" else "terz"
    with pytest.raises(PlayerError, match=f"{game}_model plays {game}, not {other}"):
        CardVecEnv(other, 2, opponents=str(saved))
    with pytest.raises(ValueError, match="spaces do not match"):
        MaskablePPO.load(saved, CardVecEnv(other, 2), device="cpu")


def test_a_model_of_another_layout_is_refused(tmp_path: Path) -> None:
    env = CardVecEnv("terz", 4)
    env.observation_space.layout_fingerprint = "0" * 16
    tiny_model(env).save(tmp_path / "old.zip")
    with pytest.raises(PlayerError, match="trained on the observation layout 0000000000000000"):
        load_player(tmp_path / "old.zip")


def test_files_that_hold_no_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=r"nothing\.zip does not exist"):
        load_player(tmp_path / "nothing.zip")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK no")
    with pytest.raises(PlayerError, match=r"broken\.zip is no zip file"):
        load_player(broken)
    plain = tmp_path / "plain.zip"
    PPO("MlpPolicy", CardVecEnv("terz", 2), n_steps=8, batch_size=16, device="cpu").save(plain)
    with pytest.raises(PlayerError, match=r"plain\.zip: no MaskablePPO of sb3-contrib can be read"):
        load_player(plain)


def test_a_model_of_some_other_environment_is_refused(tmp_path: Path) -> None:
    class Other(gymnasium.Env[Any, Any]):
        observation_space = gymnasium.spaces.Box(0, 1, (3,))
        action_space = gymnasium.spaces.Discrete(2)

    tiny_model(Other()).save(tmp_path / "other.zip")
    with pytest.raises(PlayerError, match=r"observations \(3,\) and 2 actions are those of no"):
        load_player(tmp_path / "other.zip")


@pytest.mark.parametrize("game", ["Terz", "Tetka"])
def test_a_model_of_the_gymnasium_environment_plays_too(game: str) -> None:
    model = tiny_model(gymnasium.make(f"terz_env/{game}-v0"), "MultiInputPolicy").learn(16)
    player = Sb3Player.of(model)
    assert player.game == game.lower()
    assert player.rules == {}
    assert player.rules_fingerprint is None
    decisions = decisions_of(player.game)
    actions = player.act(decisions, generator())
    assert decisions.masks[np.arange(200), actions].all()


def test_a_copy_of_a_model_does_not_learn_on() -> None:
    model = learned("terz", learning_rate=0.03)
    player = Sb3Player.of(model, sample=True)
    decisions = decisions_of("terz")
    before = player.act(decisions, generator())
    model.learn(512, reset_num_timesteps=False)
    assert np.array_equal(player.act(decisions, generator()), before)
    now = Sb3Player.of(model, sample=True)
    assert not np.array_equal(now.act(decisions, generator()), before)


def test_a_model_without_masks_is_no_player() -> None:
    model = PPO("MlpPolicy", CardVecEnv("terz", 2), n_steps=8, batch_size=16, device="cpu")
    with pytest.raises(PlayerError, match="a PPO chooses without masks"):
        Sb3Player.of(model)


# Snapshots.


def test_snapshots_of_the_learner_sit_down_and_the_oldest_leave() -> None:
    env = CardVecEnv("tetka", 16, seed=1)
    model = tiny_model(env)
    others: dict[Opponent, float] = {"greedy": 1.0}
    model.learn(128 * 12, SnapshotOpponents(every=256, keep=2, share=0.75, others=others))
    seated = {name for names in env.env_method("seating") for name in names}
    assert "greedy" in seated
    snapshots = {int(name.partition("@")[2]) for name in seated if name.startswith("snapshot")}
    assert snapshots
    assert min(snapshots) >= 768  # the newest is of 1,280 decisions


def test_snapshots_sit_down_in_environments_of_gymnasium() -> None:
    env = gymnasium.make("terz_env/Terz-v0")
    model = tiny_model(env, "MultiInputPolicy", n_steps=64)
    model.learn(256, SnapshotOpponents(every=64, share=1.0))
    assert "snapshot" in " ".join(env.get_wrapper_attr("seating"))


def test_snapshots_that_cannot_be_are_refused() -> None:
    for settings in ({"every": 0}, {"every": 8, "keep": 0}, {"every": 8, "share": 1.5}):
        with pytest.raises(ValueError, match="give whole numbers"):
            SnapshotOpponents(**settings)  # type: ignore[arg-type]

    class Other(gymnasium.Env[Any, Any]):
        observation_space = gymnasium.spaces.Box(0, 1, get_game("terz").views["observation"].shape)
        action_space = gymnasium.spaces.Discrete(74)

        def reset(self, **_: Any) -> tuple[Any, dict[str, Any]]:
            return np.zeros(self.observation_space.shape, np.float32), {}

        def step(self, _: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            return *self.reset()[:1], 0.0, False, False, {}

        def action_masks(self) -> Any:
            return np.ones(74, dtype=np.bool_)

    with pytest.raises(TypeError, match="have no set_opponents; learn on CardVecEnv"):
        tiny_model(Other()).learn(64, SnapshotOpponents(every=8))


# The library.


def without_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the adapter be imported anew."""
    for name in [name for name in sys.modules if name.startswith(ADAPTER)]:
        monkeypatch.delitem(sys.modules, name)


def test_a_missing_library_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    without_adapter(monkeypatch)
    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(LibraryError, match=r"not installed: pip install 'terz-env\[sb3\]'"):
        load_player(tmp_path / "model.zip")
    result = CliRunner().invoke(app, ["evaluate", str(tmp_path / "model.zip")])
    assert result.exit_code == 2
    assert result.output.startswith("terz: stable_baselines3 is not installed")
    assert result.output.count("\n") == 1


def test_an_old_library_is_named_with_the_version_that_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without_adapter(monkeypatch)
    monkeypatch.setattr(metadata, "version", lambda _: "1.8.0")
    with pytest.raises(LibraryError, match=r"stable_baselines3 1\.8\.0: 2\.7 or newer is needed"):
        load_player("model.zip")
