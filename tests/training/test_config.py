"""A configuration that is not exactly right is refused with the name of the key."""

from pathlib import Path

import pytest
import yaml

from training.config import ConfigError, load_config, overrides_between, with_overrides

CONFIGS = Path(__file__).parents[2] / "configs"
QUICK = CONFIGS / "tetka" / "small.yaml"


@pytest.mark.parametrize(
    "path", sorted(CONFIGS.glob("*/*.yaml")), ids=lambda path: path.parent.name
)
def test_every_shipped_configuration_is_complete_and_stands_in_its_games_folder(
    path: Path,
) -> None:
    config = load_config(path)
    assert config.game == path.parent.name
    assert config.name == path.stem


def test_an_override_replaces_a_nested_key() -> None:
    config = load_config(QUICK, ["ppo.epochs=7", "seed=5", "network.hidden=[8, 8]"])
    assert (config.ppo.epochs, config.seed, config.network.hidden) == (7, 5, [8, 8])


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("ppo.epoch=3", "ppo.epoch: unknown key"),
        ("learning_rate=0.1", "learning_rate: unknown key"),
        ("ppo.clip=2e-1", "ppo.clip: YAML reads 2e-1 as text; write 2.0e-1"),
        ("ppo.learning_rate=[3e-4, 0.0]", "YAML reads 3e-4 as text; write 3.0e-4"),
        ("ppo.epochs=2.0", "ppo.epochs"),
        ("ppo.epochs=0", "ppo.epochs"),
        ("ppo.clip=.nan", "ppo.clip"),
        ("ppo.clip=.inf", "ppo.clip"),
        ("ppo.lambda=1.5", "ppo.lambda"),
        ("ppo.entropy=[0.1]", "ppo.entropy"),
        ("game=bridge", "game"),
        ("name=../other", "name"),
        ("seed=true", "seed"),
        ("pp.epochs=1", "there is no section 'pp'"),
        ("seed.x=1", "there is no section 'seed'"),
        ("seed", "write key=value"),
        ("seed=[1", "--set seed="),
        ("decisions=1e6", "decisions: YAML reads 1e6 as text; write 1000000"),
        ("rollout.parts=3", "rollout.deals is no multiple of rollout.parts"),
        ("rollout.closed=solve", "rollout.closed=solve is for terz"),
        ("equity.share=0.5", "equity.share is for terz"),
        ("solver.share=0.5", "solver.share is for terz"),
        ("dmc.epsilon=[3.0, 2.0]", "dmc.epsilon is a chance"),
        ("opponents.snapshot_share=0.99", "are more than 1 together"),
        ("evaluation.final_opponents=[]", "evaluation.final_opponents is empty"),
    ],
)
def test_a_wrong_override_is_refused_with_its_key(override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(QUICK, [override])
    assert message in str(caught.value)


@pytest.mark.parametrize("override", ["rollout.closed=solve", "algorithm=dmc"])
def test_the_solver_teaches_ppo_and_deals_that_are_played_out(override: str) -> None:
    with pytest.raises(ConfigError, match=r"needs rollout\.closed=play and algorithm=ppo"):
        load_config(CONFIGS / "terz" / "small.yaml", ["solver.share=0.5", override])


def test_a_file_older_than_a_section_is_read_and_may_replace_its_keys(tmp_path: Path) -> None:
    data = yaml.safe_load((CONFIGS / "terz" / "small.yaml").read_text(encoding="utf-8"))
    del data["solver"]
    path = tmp_path / "old.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    assert load_config(path) == load_config(CONFIGS / "terz" / "small.yaml")
    assert load_config(path, ["solver.share=0.5"]).solver.share == 0.5


def test_overrides_between_two_configurations_turn_one_into_the_other() -> None:
    before = load_config(CONFIGS / "terz" / "small.yaml")
    wanted = [
        "ppo.lambda=0.9",
        "rules={follow: free}",
        "evaluation.targets={greedy: 1.0}",
        "opponents.players=[greedy, 'pimc:10']",
        "ppo.learning_rate=[1.0e-5, 0.0]",
        "network.suits=plain",
    ]
    after = with_overrides(before, wanted, QUICK)
    found = overrides_between(before, after)
    assert len(found) == len(wanted)
    assert with_overrides(before, found, QUICK) == after
    assert overrides_between(after, after) == []


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    data = yaml.safe_load(QUICK.read_text(encoding="utf-8"))
    del data["ppo"]["clip"]
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"ppo\.clip: missing"):
        load_config(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: 1\nseed: 2\n", "line 2: the key 'seed' is given twice"),
        ("- 1\n", "a mapping of keys to values is expected"),
        ("seed: [1\n", "run.yaml"),
        ("? {a: 1}\n: 2\n", "run.yaml"),
        ("a: " + "[" * 5000, "run.yaml"),
        ("", "a mapping of keys to values is expected"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert message in str(caught.value)


def test_a_file_that_is_absent_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml"):
        load_config(tmp_path / "absent.yaml")
    path = tmp_path / "run.yaml"
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ConfigError, match=r"run\.yaml"):
        load_config(path)
