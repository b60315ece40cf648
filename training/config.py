"""Typed configurations: one complete YAML file a run, every key named, nothing guessed."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from terz_env.errors import TerzEnvError

Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class ConfigError(TerzEnvError, ValueError):
    """A configuration that cannot be used; the message names the file and the key."""


class Section(BaseModel):
    """A part of a configuration: unknown keys and values of another type are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NetworkConfig(Section):
    """Widths of the hidden layers of the shared trunk."""

    hidden: Annotated[list[Count], Field(min_length=1)]


class RolloutConfig(Section):
    """How many complete deals one iteration plays, and the factor on every reward."""

    deals: Count
    reward_scale: Positive


class PpoConfig(Section):
    """Settings of the learning step; a pair ``[first, last]`` is annealed linearly."""

    epochs: Count
    minibatch: Count
    learning_rate: Annotated[list[NonNegative], Field(min_length=2, max_length=2)]
    entropy: Annotated[list[NonNegative], Field(min_length=2, max_length=2)]
    clip: Positive
    lambda_: Annotated[Share, Field(alias="lambda")]
    value_weight: NonNegative
    max_gradient_norm: Positive


class EvaluationConfig(Section):
    """Duplicate deals against each opponent, during the run and at its end.

    ``targets`` maps an opponent to the result that the run is meant to reach: points a deal in
    Terz (more is better), marks a deal in Tetka (fewer is better).
    """

    seed: Seed
    opponents: Annotated[list[str], Field(min_length=1)]
    times: Annotated[int, Field(ge=0)]
    deals: Annotated[int, Field(ge=2)]
    final_deals: Annotated[int, Field(ge=2)]
    targets: dict[str, float]


class TrainingConfig(Section):
    """One run: a game, its rules, a learner and a budget counted in decisions."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    game: Literal["terz", "tetka"]
    rules: dict[str, str | int]
    seed: Seed
    decisions: Count
    network: NetworkConfig
    rollout: RolloutConfig
    ppo: PpoConfig
    evaluation: EvaluationConfig


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
        path: A YAML file with every key of `TrainingConfig`.
        overrides: Replacements ``key=value`` with dotted keys, such as ``ppo.epochs=4``.

    Raises:
        ConfigError: If the file cannot be read, or a key is unknown, missing or ill-typed.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ConfigError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: a mapping of keys to values is expected")
    for override in overrides:
        _replace(data, override)
    try:
        return TrainingConfig.model_validate(data)
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
        elif isinstance(given, str) and _is_number(given):
            sentences.append(f"{key}: YAML reads {given} as text; write {_yaml_number(given)}")
        else:
            sentences.append(f"{key}: {detail['msg']}, not {given!r}")
    return sentences


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _yaml_number(text: str) -> str:
    """Return the number as YAML 1.1 reads it: with a point, and a sign in the exponent."""
    mantissa, _, exponent = text.strip().lower().partition("e")
    if not exponent:
        return repr(float(text))
    point = "" if "." in mantissa else ".0"
    sign = "" if exponent[0] in "+-" else "+"
    return f"{mantissa}{point}e{sign}{exponent}"
