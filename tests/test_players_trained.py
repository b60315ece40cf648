"""Trained policies: their names and files, the shipped ones, and the rules they insist on."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import terz_env
from terz_env.cli.app import app
from terz_env.envs.vector import LearnerVectorEnv
from terz_env.evaluation.matches import duplicate_match
from terz_env.evaluation.plan import Plan
from terz_env.evaluation.regret import regret
from terz_env.games import get_game
from terz_env.players import PlayerError, check_plays, decide, load_player, model_file
from terz_env.players import shipped as shipping
from terz_env.players.model_facts import MODEL_FILE, ModelFacts
from terz_env.players.shipped import IN_CHECKPOINT, RLLIB_FILE, models_folder, shipped_models
from terz_env.state import State
from tests.models import facts_of, save_model

CLASSIC = r"follow=strict, target_announce=500 \(\w{16}\), not under follow=free, .*announce=501 "


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of shipped models with two of them."""
    folder = tmp_path / "models"
    monkeypatch.setattr(shipping, "models_folder", lambda: folder)
    save_model(folder / "tetka" / "small", "tetka")
    (folder / "tetka" / "small" / "card.md").write_text("# A small one\n\nMore.\n", "utf-8")
    save_model(folder / "terz" / "free", "terz", "follow=free")
    return folder


def test_a_shipped_policy_is_loaded_by_its_name(shelf: Path) -> None:
    assert shipped_models() == {
        "terz/free": shelf / "terz" / "free",
        "tetka/small": shelf / "tetka" / "small",
    }
    assert model_file("tetka/small") == shelf / "tetka" / "small" / MODEL_FILE
    player = terz_env.load_player("tetka/small")
    assert (player.name, player.game) == ("tiny", "tetka")
    assert load_player("terz/free+solver").name == "tiny+solver"


def test_an_unknown_name_lists_the_shipped_policies(shelf: Path) -> None:
    with pytest.raises(PlayerError, match=r"'tetka/large': write .*, terz/free, tetka/small, pimc"):
        load_player("tetka/large")


def test_the_shipped_policies_are_listed_with_the_title_of_their_card(shelf: Path) -> None:
    result = CliRunner().invoke(app, ["models"], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    for word in ("tetka/small", "A small one", "default", "terz/free", "follow=free"):
        assert word in result.output
    assert get_game("tetka").layout.fingerprint in result.output


def test_a_list_of_no_policies_says_where_they_would_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipping, "models_folder", lambda: tmp_path)
    result = CliRunner().invoke(app, ["models"])
    assert (result.exit_code, result.output) == (0, f"no policies in {tmp_path}\n")


def test_the_repository_holds_the_shipped_policies_beside_the_package() -> None:
    assert models_folder() == Path(terz_env.__file__).parents[1] / "models"


def test_a_path_means_a_directory_or_a_file(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "run", "terz")
    assert model_file(folder) == model_file(str(folder / MODEL_FILE)) == folder / MODEL_FILE
    assert model_file("pimc:50") is None
    assert load_player(folder / MODEL_FILE).name == "tiny"


def test_a_checkpoint_of_rllib_is_played_by_the_policy_in_it(tmp_path: Path) -> None:
    (tmp_path / RLLIB_FILE).write_text("{}")
    with pytest.raises(PlayerError, match=r"a checkpoint of RLlib without .*learner/model\.safet"):
        load_player(tmp_path)
    save_model(tmp_path / IN_CHECKPOINT, "tetka")
    assert (load_player(tmp_path).name, load_player(str(tmp_path)).game) == ("tiny", "tetka")


def test_a_policy_is_not_evaluated_in_the_other_game(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "run", "terz")
    result = CliRunner().invoke(app, ["evaluate", str(folder), "--game", "tetka"])
    assert (result.exit_code, result.output) == (2, "terz: tiny plays terz, not tetka\n")
    with pytest.raises(PlayerError, match=r"nowhere\.safetensors: no policy can be read"):
        load_player(tmp_path / "nowhere.safetensors")
    with pytest.raises(PlayerError, match=r"model\.safetensors: no policy can be read"):
        load_player(tmp_path)


def test_a_policy_refuses_a_rule_set_that_it_was_not_trained_under(tmp_path: Path) -> None:
    player = load_player(save_model(tmp_path, "terz"))
    rules = get_game("terz").rules
    check_plays(player, "terz", rules("illegal_actions=penalise"))
    with pytest.raises(PlayerError, match="tiny was trained under " + CLASSIC):
        check_plays(player, "terz", rules("classic"))
    check_plays(load_player(tmp_path, any_rules=True), "terz", rules("classic"))
    with pytest.raises(PlayerError, match="tiny plays terz, not tetka"):
        check_plays(load_player(tmp_path, any_rules=True), "tetka")


@pytest.mark.parametrize("suffix", ["", "+solver"])
def test_no_face_seats_a_policy_under_other_rules(tmp_path: Path, suffix: str) -> None:
    name = f"{save_model(tmp_path, 'terz')}{suffix}"
    player, random = load_player(name), load_player("random")
    rules = "classic"
    options = get_game("terz").rules(rules).to_dict()
    state = State.new("terz", rules)
    faces = (
        lambda: decide(player, state, np.random.default_rng(0)),
        lambda: duplicate_match(player, random, "terz", 2, 0, options),
        lambda: Plan.make("terz", ["random", name], 2, rules=rules),
        lambda: regret("terz", name, 2, rules=rules),
        lambda: LearnerVectorEnv("terz", 2, rules=rules, opponents=name),
    )
    for face in faces:
        with pytest.raises(PlayerError, match=CLASSIC):
            face()


def test_every_face_seats_a_policy_under_other_rules_when_told_so(tmp_path: Path) -> None:
    name = str(save_model(tmp_path, "terz"))
    player = load_player(name, any_rules=True)
    state = State.new("terz", "classic")
    assert decide(player, state, np.random.default_rng(0)) in state.legal_actions()
    assert Plan.make("terz", ["random", name], 2, rules="classic", any_rules=True).deals == 2
    LearnerVectorEnv("terz", 2, rules="classic", opponents=player).reset(seed=1)


COMMANDS = (
    ["record", "--game", "terz", "--player"],
    ["arena", "--game", "terz", "--deals", "2", "--players", "random"],
    ["play", "--game", "terz", "--seed", "1", "--opponent"],
)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_take_any_rules_as_an_option(command: list[str], tmp_path: Path) -> None:
    words = [*command, str(save_model(tmp_path, "terz")), "--rules", "classic"]
    refused = CliRunner().invoke(app, words)
    assert refused.exit_code == 2
    assert re.search(CLASSIC, refused.output)
    assert "--any-rules" in refused.output
    allowed = CliRunner().invoke(app, [*words, "--any-rules"], input="quit\n")
    assert allowed.exit_code == 0, allowed.output


WRONG = (
    ({"format": "terz-policy/9"}, "format 'terz-policy/9'"),
    ({"game": "hearts"}, "a policy of hearts, not of terz or tetka"),
    ({"layout_fingerprint": "0123"}, "observation layout 0123; here tetka has"),
    ({"rules_fingerprint": "0123"}, "rule set has the fingerprint 0123; here"),
    ({"rules": {"trump": 1}}, "the metadata is damaged: unknown option trump"),
    ({"rules": 3}, "the metadata is damaged"),
    ({"name": 3}, "the metadata is damaged: name=3 is no text"),
    ({"colour": "red"}, "the metadata is damaged: .*colour"),
)


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_facts_that_do_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    import json

    text = json.dumps({**json.loads(facts_of("tetka").to_json()), **change})
    with pytest.raises(PlayerError, match=message):
        ModelFacts.read(Path("file"), text)


def test_facts_that_are_missing_are_named() -> None:
    for text in ("", "[1]", "{}", '{"format": "terz-policy/1", "name": "x"}'):
        with pytest.raises(PlayerError, match=r"no policy can be read|format None|lacks game, lay"):
            ModelFacts.read(Path("file"), text)
    assert ModelFacts.read(Path("file"), facts_of("tetka").to_json()) == facts_of("tetka")
