"""Typed configurations: one YAML file a run, every key named but those younger than some runs."""

import math
import re
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from terz_env.errors import TerzEnvError

Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
"""What a run or a model may be called."""


class ConfigError(TerzEnvError, ValueError):
    """A configuration that cannot be used; the message names the file and the key."""


RUN_KEYS = {"config", "layout_fingerprint", "versions"}
"""Keys of a ``run.yaml``, which holds the configuration of its run."""


class Section(BaseModel):
    """A part of a configuration: unknown keys and values of another type are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


SomeSection = TypeVar("SomeSection", bound=Section)


Annealed = Annotated[list[NonNegative], Field(min_length=2, max_length=2)]
"""First and last value of a setting that falls linearly over the budget."""


class NetworkConfig(Section):
    """The shared trunk of policy and value.

    Attributes:
        hidden: Widths of the hidden layers.
        suits: Whether the network is shown the suits in canonical order, or as they are.
    """

    hidden: Annotated[list[Count], Field(min_length=1)]
    suits: Literal["canonical", "plain"]


class BootstrapConfig(Section):
    """Regression of the values of all legal actions, found by roll-outs of a rule player.

    Attributes:
        states: Decisions learned from; 0 leaves the bootstrap out.
        batch: Decisions a round.
        player: The rule player that plays the deals and the roll-outs.
        epsilon: Chance that an action of the deals is drawn uniformly instead.
        worlds: Worlds in which every action is played out: so many, sampled from what the seat
            knows, or 0 for the true one.
        own_share: Last share of the states whose deals the policy itself plays, by sampling.
        epochs: Passes over the decisions of a round.
        minibatch: Decisions a gradient step.
        learning_rate: First and last.
        temperature: Of the policy that the values are turned into, in scaled rewards.
        imitation: Weight of the cross-entropy of that policy with the rule player's choices.
    """

    states: Annotated[int, Field(ge=0)]
    batch: Count
    player: Literal["random", "greedy", "heuristic"]
    epsilon: Share
    worlds: Annotated[int, Field(ge=0, le=10_000)]
    own_share: Share
    epochs: Count
    minibatch: Count
    learning_rate: Annealed
    temperature: Positive
    imitation: NonNegative


class RolloutConfig(Section):
    """How the deals of an iteration are played.

    Attributes:
        deals: Complete deals an iteration.
        parts: Into how many equal parts they are cut; each is played by itself, by any worker.
        reward_scale: The factor on every reward.
        ahead: Play the next iteration's deals while the learner learns from the last.
        closed: In Terz, stop at the closed phase and pay its exact value ("solve"), or play on.
    """

    deals: Count
    parts: Count
    reward_scale: Positive
    ahead: bool
    closed: Literal["play", "solve"]


class OpponentsConfig(Section):
    """Who else sits at the table in some of the deals; everywhere else the learner plays itself.

    Attributes:
        snapshot_share: Share of the deals with a snapshot of the learner.
        snapshots: How many snapshots are kept; the oldest goes first.
        snapshot_every: Iterations between two snapshots.
        player_share: Share of the deals with one of the players; with 1 it has all seats but one.
        players: Their names, one drawn an iteration.
    """

    snapshot_share: Share
    snapshots: Count
    snapshot_every: Count
    player_share: Share
    players: list[str]


class PpoConfig(Section):
    """Settings of the learning step.

    Attributes:
        epochs: Passes over the decisions of an iteration.
        minibatch: Decisions a gradient step.
        learning_rate: First and last.
        entropy: Weight of the entropy, first and last.
        clip: How far a ratio may leave 1.
        lambda_: The share of the longer estimates of the advantage.
        value_weight: Weight of the squared error of the value.
        max_gradient_norm: Longest gradient.
        reference_weight: Weight of the divergence from the reference policy.
        reference_every: Iterations after which the policy becomes its own reference.
        critic: What the value is estimated from: the observation, or everything ("state").
    """

    epochs: Count
    minibatch: Count
    learning_rate: Annealed
    entropy: Annealed
    clip: Positive
    lambda_: Annotated[Share, Field(alias="lambda")]
    value_weight: NonNegative
    max_gradient_norm: Positive
    reference_weight: NonNegative
    reference_every: Count
    critic: Literal["observation", "state"]


class DmcConfig(Section):
    """Settings of Deep Monte Carlo (DouZero, arXiv 2106.06135).

    Attributes:
        epochs: Passes over the decisions of an iteration.
        minibatch: Decisions a gradient step.
        learning_rate: First and last.
        epsilon: Chance of a uniform action, first and last.
        max_gradient_norm: Longest gradient.
    """

    epochs: Count
    minibatch: Count
    learning_rate: Annealed
    epsilon: Annealed
    max_gradient_norm: Positive


class EquityConfig(Section):
    """In Terz, the last part of a run may be rewarded by the chance to win the match.

    Every second part of the deals stays a single deal for points.

    Attributes:
        share: Last share of the budget that is rewarded so; 0 for points to the end.
        deals: Deals of self-play whose results make the table.
    """

    share: Share
    deals: Count


class SolverConfig(Section):
    """In Terz, the closed phase of some deals is learned from exact values instead of by trial.

    There the policy regresses to ``softmax(value / temperature)`` over the legal actions.

    Attributes:
        share: Of the deals; 0 to learn all of them by trial.
        weight: Of the cross-entropy.
        temperature: Of the policy made of the values, in scaled rewards.
    """

    share: Share
    weight: NonNegative
    temperature: Positive


class EvaluationConfig(Section):
    """Duplicate deals against each opponent, during the run and at its end.

    Attributes:
        seed: Picks the deals of the evaluations on the way; the final ones take the next seed.
        opponents: The yardsticks on the way.
        times: Evaluations on the way.
        deals: Deals of each.
        final_opponents: The yardsticks at the end.
        final_deals: Deals against each of them.
        solver: In Terz, evaluate the policy with the exact solver in the closed phase.
        targets: The result that the run is meant to reach against an opponent: points a deal in
            Terz (more is better), marks a deal in Tetka (fewer is better).
    """

    seed: Seed
    opponents: list[str]
    times: Annotated[int, Field(ge=0)]
    deals: Annotated[int, Field(ge=2)]
    final_opponents: list[str]
    final_deals: Annotated[int, Field(ge=2)]
    solver: bool
    targets: dict[str, float]


class CheckpointConfig(Section):
    """How often a run is saved, and how many of the checkpoints are kept."""

    every: Count
    keep: Count


class TrainingConfig(Section):
    """One run: a game, its rules, a learner and a budget counted in decisions.

    Attributes:
        algorithm: After the bootstrap, if there is one: PPO, Deep Monte Carlo, or nothing.
        decisions: Turns with a choice that the algorithm learns from, all seats together.
        threads: Of torch in the learner.
        workers: Processes that play; 0 to play in the learner's own.
        device: Where the learner learns: cpu or cuda.
        start: The policy whose weights it begins with, and stays near at first: a shipped one, or
            the directory of a run; None for random weights. May be missing: runs are older.
        solver: May be missing: runs are older than this section.
    """

    name: Annotated[str, Field(pattern=NAME.pattern)]
    game: Literal["terz", "tetka", "terz_mini", "terz_micro", "tetka_micro"]
    rules: dict[str, str | int]
    seed: Seed
    algorithm: Literal["ppo", "dmc", "bootstrap"]
    decisions: Count
    threads: Count
    workers: Annotated[int, Field(ge=0)]
    device: Literal["cpu", "cuda"]
    start: str | None = None
    network: NetworkConfig
    bootstrap: BootstrapConfig
    rollout: RolloutConfig
    opponents: OpponentsConfig
    ppo: PpoConfig
    dmc: DmcConfig
    equity: EquityConfig
    solver: SolverConfig = SolverConfig(share=0.0, weight=1.0, temperature=0.05)
    evaluation: EvaluationConfig
    checkpoint: CheckpointConfig

    @property
    def is_small(self) -> bool:
        """Whether the game is one of the small ones (M1–M3), which are solved exactly."""
        return "_" in self.game

    @model_validator(mode="after")
    def _check_together(self) -> "TrainingConfig":
        """Refuse what does not fit together."""
        wrong = []
        if self.rollout.deals % self.rollout.parts:
            wrong.append("rollout.deals is no multiple of rollout.parts")
        if self.is_small:
            if self.network.suits != "plain":
                wrong.append(f"network.suits=canonical is not for {self.game}: it has two suits")
            opponents = [*self.evaluation.opponents, *self.evaluation.final_opponents]
            if self.bootstrap.states or opponents:
                wrong.append(
                    f"{self.game} is evaluated by its exact NashConv and has no bootstrap: write "
                    "bootstrap.states=0 and [] for evaluation's opponents"
                )
        elif not self.evaluation.final_opponents:
            wrong.append("evaluation.final_opponents is empty")
        if self.game != "terz":
            if self.rollout.closed == "solve":
                wrong.append("rollout.closed=solve is for terz")
            if self.equity.share > 0:
                wrong.append("equity.share is for terz")
            if self.evaluation.solver:
                wrong.append("evaluation.solver is for terz")
            if self.solver.share > 0:
                wrong.append("solver.share is for terz")
        if self.rollout.closed == "solve" and self.equity.share > 0:
            wrong.append("rollout.closed=solve pays points: with equity.share write closed=play")
        if self.solver.share > 0 and (self.rollout.closed != "play" or self.algorithm != "ppo"):
            wrong.append("solver.share needs rollout.closed=play and algorithm=ppo")
        if max(self.dmc.epsilon) > 1:
            wrong.append("dmc.epsilon is a chance, at most 1")
        if self.opponents.player_share > 0 and not self.opponents.players:
            wrong.append("opponents.player_share needs opponents.players")
        if self.opponents.snapshot_share + self.opponents.player_share > 1:
            wrong.append("opponents.snapshot_share and player_share are more than 1 together")
        if self.start is not None and (
            self.bootstrap.states or self.algorithm != "ppo" or self.is_small
        ):
            wrong.append("start needs terz or tetka, algorithm=ppo and bootstrap.states=0")
        if self.algorithm == "bootstrap" and self.bootstrap.states == 0:
            wrong.append("algorithm=bootstrap needs bootstrap.states")
        if self.algorithm == "dmc" and self.ppo.critic == "state":
            wrong.append("ppo.critic=state is for algorithm=ppo")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, except that a key given twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for position, key in enumerate(keys):
            if key in keys[:position]:
                mark = node.value[position][0].start_mark
                raise ConfigError(f"line {mark.line + 1}: the key {key!r} is given twice")
        return super().construct_mapping(node, deep)


def load_config(path: Path, overrides: Sequence[str] = ()) -> TrainingConfig:
    """Read and check a configuration.

    Args:
        path: A YAML file with the keys of `TrainingConfig`, or the ``run.yaml`` of a run.
        overrides: Replacements ``key=value`` with dotted keys, such as ``ppo.epochs=4``.

    Raises:
        ConfigError: If the file cannot be read, or a key is unknown, missing or ill-typed.
    """
    data = read_mapping(path)
    if set(data) >= RUN_KEYS:
        data = data["config"]
    return with_overrides(checked(TrainingConfig, data, path), overrides, path)


def with_overrides(config: TrainingConfig, overrides: Sequence[str], path: Path) -> TrainingConfig:
    """Return a configuration with some keys replaced.

    Args:
        config: It stays as it is.
        overrides: As `load_config` takes them.
        path: Where it is from, for messages.

    Raises:
        ConfigError: If a key is unknown or ill-typed.
    """
    data = config.model_dump(by_alias=True)
    for override in overrides:
        _replace(data, override)
    return checked(TrainingConfig, data, path)


def overrides_between(before: TrainingConfig, after: TrainingConfig) -> list[str]:
    """Return the replacements ``key=value`` that make one configuration of another.

    >>> from pathlib import Path
    >>> config = load_config(Path("configs/terz/small.yaml"))
    >>> overrides_between(config, config.model_copy(update={"seed": 9, "decisions": 50}))
    ['seed=9', 'decisions=50']
    >>> slower = config.ppo.model_copy(update={"learning_rate": [1e-5, 0.0]})
    >>> overrides_between(config, config.model_copy(update={"ppo": slower}))
    ['ppo.learning_rate=[1.0e-05, 0.0]']
    """
    old, new = (_leaves(config.model_dump(by_alias=True)) for config in (before, after))
    return [f"{key}={_yaml(value)}" for key, value in new.items() if old[key] != value]


def _yaml(value: object) -> str:
    """Return a value as it is written in one line of YAML."""
    return yaml.safe_dump(value, default_flow_style=True, width=1000).removesuffix("...\n").strip()


def _leaves(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the values by their dotted keys; the rules, which may lack keys, are one."""
    leaves: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and key not in ("rules", "targets"):
            leaves |= _leaves(value, f"{prefix}{key}.")
        else:
            leaves[f"{prefix}{key}"] = value
    return leaves


def read_mapping(path: Path) -> dict[str, Any]:
    """Return the keys and values of a YAML file.

    Raises:
        ConfigError: If the file cannot be read, is no mapping, or gives a key twice.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ConfigError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: a mapping of keys to values is expected")
    return data


def checked(section: type[SomeSection], data: object, path: Path) -> SomeSection:
    """Return data as a section.

    Args:
        section: What the data have to be.
        data: What the file holds.
        path: The file, for messages.

    Raises:
        ConfigError: If a key is unknown, missing or ill-typed.
    """
    try:
        return section.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{path}: " + "; ".join(_sentences(error))) from error


def _replace(data: dict[str, Any], override: str) -> None:
    """Put one ``key=value`` into the tree in place; a new key is left for validation to refuse."""
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise ConfigError(f"--set {override}: write key=value, such as ppo.epochs=4")
    *parents, last = key.split(".")
    section: Any = data
    for parent in parents:
        section = section.get(parent) if isinstance(section, dict) else None
    if not isinstance(section, dict):
        raise ConfigError(f"--set {override}: there is no section {'.'.join(parents)!r}")
    try:
        section[last] = yaml.load(text, Loader=_Loader)  # noqa: S506
    except (yaml.YAMLError, ConfigError, RecursionError) as error:
        raise ConfigError(f"--set {override}: {error}") from error


def _sentences(error: ValidationError) -> list[str]:
    """What is wrong with each key, one short sentence each."""
    sentences = []
    for detail in error.errors():
        key = ".".join(str(part) for part in detail["loc"])
        given = detail["input"]
        if detail["type"] == "extra_forbidden":
            sentences.append(f"{key}: unknown key")
        elif detail["type"] == "missing":
            sentences.append(f"{key}: missing")
        elif detail["type"] == "value_error":
            sentences.append(str(detail["ctx"]["error"]))
        elif isinstance(given, str) and _is_number(given):
            whole = detail["type"] == "int_type" and float(given).is_integer()
            written = str(int(float(given))) if whole else _yaml_number(given)
            sentences.append(f"{key}: YAML reads {given} as text; write {written}")
        else:
            sentences.append(f"{key}: {detail['msg']}, not {given!r}")
    return sentences


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _yaml_number(text: str) -> str:
    """Return the number as YAML 1.1 reads it: with a point, and a sign in the exponent."""
    mantissa, _, exponent = text.strip().lower().partition("e")
    if not exponent:
        return repr(float(text))
    point = "" if "." in mantissa else ".0"
    sign = "" if exponent[0] in "+-" else "+"
    return f"{mantissa}{point}e{sign}{exponent}"
