"""Networks of torch as players: while they learn, saved, loaded, refused."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from typer.testing import CliRunner

from terz_env.adapters.libraries import LibraryError
from terz_env.adapters.torch_policy import TorchPlayer, save_policy
from terz_env.cli.app import app
from terz_env.envs.options import Options
from terz_env.games import get_game
from terz_env.players import Decisions, PlayerError, check_plays, load_player
from terz_env.players.onnx_policy import OnnxPlayer
from terz_env.selfplay import SelfPlayBatch, expand_bits

torch.set_num_threads(1)


def network_of(game: str) -> nn.Sequential:
    record = get_game(game)
    torch.manual_seed(1)
    return nn.Sequential(
        nn.Linear(record.layout.n_entries, 8), nn.ReLU(), nn.Linear(8, record.n_actions)
    )


def decisions_of(game: str) -> Decisions:
    batch = SelfPlayBatch(game, 200, seed=7)
    for _ in range(3):
        batch.step(batch.random_actions())
    return Decisions.of_batch(batch, np.arange(200))


def generator() -> np.random.Generator:
    return np.random.default_rng(1)


class Recurrent(nn.Module):
    """Gives a state beside its logits, as networks of Tianshou do."""

    def __init__(self, game: str) -> None:
        super().__init__()
        self.layers = network_of(game)

    def forward(self, obs: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        return self.layers(obs), state


GAMES = pytest.mark.parametrize("game", ["terz", "tetka"])


@GAMES
def test_a_network_plays_its_largest_lawful_logit(game: str) -> None:
    network, decisions = network_of(game), decisions_of(game)
    entries = torch.from_numpy(expand_bits(decisions.bits, decisions.game.layout.n_entries))
    logits = network(entries).detach().masked_fill(torch.from_numpy(decisions.masks == 0), -1e9)
    player = TorchPlayer.of(network, Options.of(game), name="mine")
    assert (player.name, player.game) == ("mine", game)
    assert np.array_equal(player.act(decisions, generator()), logits.argmax(dim=1).numpy())


def test_samples_are_legal_and_follow_the_generator_alone() -> None:
    player = TorchPlayer.of(network_of("terz"), Options.of("terz"), sample=True)
    decisions = decisions_of("terz")
    actions = player.act(decisions, generator())
    torch.manual_seed(99)
    assert np.array_equal(actions, player.act(decisions, generator()))
    assert decisions.masks[np.arange(200), actions].all()
    assert not np.array_equal(actions, player.act(decisions, np.random.default_rng(2)))


def test_a_player_does_not_learn_on() -> None:
    network, decisions = network_of("tetka"), decisions_of("tetka")
    player = TorchPlayer.of(network, Options.of("tetka"))
    before = player.act(decisions, generator())
    with torch.no_grad():
        for weights in network.parameters():
            weights.neg_()
    assert np.array_equal(player.act(decisions, generator()), before)
    assert network[0].weight.requires_grad
    assert network.training
    now = TorchPlayer.of(network, Options.of("tetka"))
    assert not np.array_equal(now.act(decisions, generator()), before)


@GAMES
def test_a_saved_network_plays_what_it_played(game: str, tmp_path: Path) -> None:
    file = tmp_path / f"{game}_model.onnx"
    options = Options.of(game, rules="english" if game == "terz" else None)
    network = Recurrent(game)
    save_policy(file, network, options)
    player = load_player(file)
    assert isinstance(player, OnnxPlayer)
    assert (player.name, player.game) == (f"{game}_model", game)
    assert player.rules == options.rules.to_dict()
    decisions = decisions_of(game)
    expected = TorchPlayer.of(network, options).act(decisions, generator())
    assert np.array_equal(player.act(decisions, generator()), expected)


def test_a_saved_network_plays_at_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    save_policy(file, network_of("tetka"), Options.of("tetka"), name="mine")
    quick = ["--yardsticks", "random", "--deals", "20", "--regret-deals", "0"]
    result = CliRunner().invoke(app, ["evaluate", str(file), *quick])
    assert result.exit_code == 0, result.output
    assert "against the yardsticks" in result.output


def test_a_network_of_the_other_game_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=r"torch: the network does not take the 533 entries of t"):
        TorchPlayer.of(network_of("tetka"), Options.of("terz"))
    record = get_game("terz")
    narrow = nn.Linear(record.layout.n_entries, 52)
    with pytest.raises(
        PlayerError, match=r"gives \(52,\) for an observation; 74 logits are needed"
    ):
        TorchPlayer.of(narrow, Options.of("terz"))
    file = tmp_path / "tetka.onnx"
    save_policy(file, network_of("tetka"), Options.of("tetka"))
    with pytest.raises(PlayerError, match="tetka plays tetka, not terz"):
        check_plays(load_player(file), "terz")


def test_a_network_that_sees_what_players_are_not_shown_is_refused() -> None:
    with pytest.raises(PlayerError, match="are shown the view observation, not state; learn from"):
        TorchPlayer.of(network_of("terz"), Options.of("terz", view="state"))


def test_a_file_of_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=r"model\.pt: a policy is saved as a graph; let the name"):
        save_policy(tmp_path / "model.pt", network_of("terz"), Options.of("terz"))


def test_what_torch_cannot_write_is_refused(tmp_path: Path) -> None:
    class Strange(nn.Module):
        def forward(self, entries: Tensor) -> Tensor:
            return torch.linalg.pinv(entries)[:74, :1].T.expand(len(entries), 74)

    with pytest.raises(PlayerError, match="strange: torch cannot write the graph: "):
        save_policy(tmp_path / "strange.onnx", Strange(), Options.of("terz"))


def test_a_missing_onnx_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(LibraryError, match=r"onnx is not installed: pip install 'terz-env\[train"):
        save_policy(tmp_path / "model.onnx", network_of("terz"), Options.of("terz"))
