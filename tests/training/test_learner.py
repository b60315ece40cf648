"""Runs of the learner: the same seed gives the same weights, and the policy really learns."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from safetensors.numpy import load_file, save_file

from terz_env.canonical import canonical_rows, columns_back
from terz_env.evaluation.evaluating import evaluate, plans
from terz_env.games import get_game
from terz_env.players import Decisions, load_player
from terz_env.players.model_facts import FACTS_KEY, MODEL_FILE
from terz_env.players.policy import PlayerError, PolicyPlayer
from terz_env.selfplay import SelfPlayBatch, expand_bits
from tests.training.tiny_runs import CONFIGS, curve, silent, tiny
from training.config import TrainingConfig, load_config
from training.curve import read_curve
from training.jobs import PlayJob, Table
from training.learner import train
from training.networks import PolicyValueNetwork
from training.rates import anneal
from training.rollout import unpack_masks
from training.run_state import RunState, tensors_of

GAMES = ("tetka", "terz")


def metadata(facts: dict[str, object]) -> dict[str, str]:
    return {FACTS_KEY: json.dumps(facts)}


@pytest.fixture(scope="module", params=GAMES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a tiny run."""
    output = tmp_path_factory.mktemp(request.param) / "run"
    train(tiny(request.param), output, silent)
    return output


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_gives_the_same_weights_and_results(game: str, tmp_path: Path) -> None:
    results = [train(tiny(game), tmp_path / name, silent) for name in ("first", "second")]
    first, second = ((tmp_path / name / MODEL_FILE).read_bytes() for name in ("first", "second"))
    assert first == second
    assert results[0] == results[1]
    assert curve(tmp_path / "first") == curve(tmp_path / "second")


def test_another_seed_gives_other_weights(tmp_path: Path) -> None:
    for seed in (1, 2):
        train(tiny("tetka", f"seed={seed}"), tmp_path / str(seed), silent)
    first, second = (load_file(tmp_path / name / MODEL_FILE) for name in ("1", "2"))
    assert not np.array_equal(first["policy.weight"], second["policy.weight"])


@pytest.mark.parametrize("game", GAMES)
def test_a_rollout_holds_every_choice_of_complete_deals_and_no_forced_move(game: str) -> None:
    config = tiny(game)
    weights = tensors_of(RunState.begin(config).network)
    rollout = Table(config).play(PlayJob(0, 0, weights))
    masks = unpack_masks(rollout.masks, get_game(game).n_actions)
    assert (masks.sum(axis=1) > 1).all()
    assert masks[np.arange(len(rollout)), rollout.actions].all()
    assert (rollout.log_probabilities < 0).all()
    deals = config.rollout.deals // config.rollout.parts
    assert len(rollout.results) == deals
    np.testing.assert_allclose(rollout.results.sum(axis=1), 0, atol=1e-5)
    assert set(rollout.environments.tolist()) == set(range(deals))


def test_no_two_parts_or_iterations_play_the_same_deals() -> None:
    config = tiny("tetka")
    table, weights = Table(config), tensors_of(RunState.begin(config).network)
    jobs = [PlayJob(iteration, part, weights) for iteration in range(2) for part in range(2)]
    firsts = []
    for job in jobs:
        rollout = table.play(job)
        _, first = np.unique(rollout.environments, return_index=True)
        firsts += [row.tobytes() for row in rollout.bits[first]]
    assert len(set(firsts)) == 2 * config.rollout.deals


def test_annealing_is_linear_and_ends_at_its_last_value() -> None:
    assert [anneal([1.0, 0.0], done) for done in (0.0, 0.25, 1.0, 1.5)] == [1.0, 0.75, 0.0, 0.0]


def test_a_run_saves_policy_configuration_and_curve(run: Path) -> None:
    names = {path.name for path in run.iterdir()}
    assert names == {
        MODEL_FILE,
        "run.yaml",
        "curve.csv",
        "curve.png",
        "checkpoints",
        "events",
    }
    saved = yaml.safe_load((run / "run.yaml").read_text(encoding="utf-8"))
    assert set(saved) == {
        "config",
        "rules",
        "layout_fingerprint",
        "rules_fingerprint",
        "machine",
        "versions",
        "sources",
    }
    config = TrainingConfig.model_validate(saved["config"])
    assert config == tiny(config.game)
    assert saved["layout_fingerprint"] == get_game(config.game).layout.fingerprint
    rows = read_curve(run)
    assert rows[0]["phase"] == "bootstrap"
    assert int(rows[-1]["decisions"]) >= config.decisions
    assert sum(row["random"] != "" for row in rows) == 2
    assert (run / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_a_saved_policy_gives_the_logits_of_the_network(run: Path) -> None:
    player = PolicyPlayer.load(run)
    record = get_game(player.game)
    network = PolicyValueNetwork(record.layout.n_entries, record.n_actions, [16, 16])
    tensors = {key: torch.from_numpy(value) for key, value in load_file(run / MODEL_FILE).items()}
    network.load_state_dict(tensors)
    batch = SelfPlayBatch(player.game, 64, seed=9)
    batch.reset()
    bits, masks, orders = canonical_rows(record, batch.bits, batch.masks)
    observations = torch.from_numpy(expand_bits(bits, record.layout.n_entries))
    with torch.inference_mode():
        expected, _ = network(observations)
    np.testing.assert_allclose(player.scores(bits, masks), expected.numpy(), atol=1e-5)
    plain = columns_back(record, expected.numpy(), orders)
    np.testing.assert_allclose(player.logits(batch.bits), plain, atol=1e-5)


def test_a_saved_policy_plays_its_yardsticks_again(run: Path) -> None:
    planned = plans(str(run), yardsticks="random,greedy", deals=8, seed=3)
    first, second = ([score.row for score in evaluate(planned).scores] for _ in ("once", "again"))
    assert [row.result.count for row in first] == [8, 8]
    assert first == second


def test_a_policy_of_another_layout_game_or_format_is_refused(run: Path, tmp_path: Path) -> None:
    tensors = load_file(run / MODEL_FILE)
    player = PolicyPlayer.load(run)
    other = "terz" if player.game == "tetka" else "tetka"
    with pytest.raises(PlayerError, match=f"a policy of {player.game}, not of {other}"):
        PolicyPlayer.load(run, game=other)
    facts: dict[str, object] = {
        "format": "terz-policy/1",
        "game": player.game,
        "name": "old",
        "rules": {},
        "layout_fingerprint": "0123",
        "rules_fingerprint": "0123",
    }
    save_file(tensors, tmp_path / MODEL_FILE, metadata=metadata(facts))
    with pytest.raises(PlayerError, match="observation layout 0123"):
        load_player(tmp_path)
    save_file(tensors, tmp_path / MODEL_FILE, metadata=metadata({**facts, "format": "other"}))
    with pytest.raises(PlayerError, match="format 'other'"):
        load_player(tmp_path)
    facts["layout_fingerprint"] = get_game(player.game).layout.fingerprint
    facts["rules_fingerprint"] = get_game(player.game).rules().fingerprint
    save_file(
        {"policy.bias": tensors["policy.bias"]}, tmp_path / MODEL_FILE, metadata=metadata(facts)
    )
    with pytest.raises(PlayerError, match=r"policy\.weight is missing"):
        load_player(tmp_path)


def test_a_damaged_file_and_an_unknown_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / MODEL_FILE).write_bytes(b"\xff" * 40)
    with pytest.raises(PlayerError, match="no policy can be read"):
        load_player(tmp_path)
    with pytest.raises(PlayerError, match="no player is called 'nobody'"):
        load_player("nobody")


def test_a_policy_that_samples_follows_its_probabilities() -> None:
    record = get_game("tetka")
    network = PolicyValueNetwork(record.layout.n_entries, record.n_actions, [16])
    tensors = tensors_of(network)
    batch = SelfPlayBatch("tetka", 256, seed=2)
    batch.reset()
    rng = np.random.default_rng(1)
    sampled = PolicyPlayer("tetka", tensors, sample=True)
    greedy = PolicyPlayer("tetka", tensors)
    decisions = Decisions.of_batch(batch, np.arange(256))
    first = sampled.act(decisions, rng)
    assert batch.masks[np.arange(256), first].all()
    best = greedy.act(decisions, rng)
    assert batch.masks[np.arange(256), best].all()
    assert (first != best).any()


SHORT = (
    "network.hidden=[128, 128]",
    "bootstrap.states=60000",
    "bootstrap.worlds=1",
    "bootstrap.epochs=2",
    "decisions=40000",
    "evaluation.times=0",
    "evaluation.final_opponents=[random]",
    "evaluation.final_deals=1000",
)


@pytest.mark.slow
def test_a_short_run_in_tetka_takes_far_fewer_marks_than_its_share(tmp_path: Path) -> None:
    config = load_config(CONFIGS / "tetka" / "small.yaml", SHORT)
    (against_random,) = train(config, tmp_path, silent)
    assert against_random.result.mean + against_random.result.half_width < 1.2


@pytest.mark.slow
def test_a_short_run_in_terz_beats_both_random_players(tmp_path: Path) -> None:
    both = 'evaluation.final_opponents=[random, "random:announce"]'
    config = load_config(CONFIGS / "terz" / "small.yaml", [*SHORT, both])
    for row in train(config, tmp_path, silent):
        floor = {"random": 35.0, "random:announce": 12.0}[row.opponent]
        assert row.result.mean - row.result.half_width > floor
