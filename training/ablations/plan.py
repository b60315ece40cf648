"""The plan of the ablations: a typed YAML file that names the runs, in the page's order."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from training.config import (
    NAME,
    ConfigError,
    Section,
    Seed,
    TrainingConfig,
    checked,
    load_config,
    read_mapping,
)

Deals = Annotated[int, Field(ge=2)]
QUIET = (
    "evaluation.opponents=[]",
    "evaluation.times=0",
    "evaluation.final_opponents=[random]",
    "evaluation.final_deals=2",
    "evaluation.targets={}",
)
"""Leaves the run's own evaluations out, but for the two deals that a run has to end with."""


class Variant(Section):
    """One thing changed.

    Attributes:
        name: What it is called, also in the names of files.
        title: What is changed, in words.
        overrides: The same as ``key=value``, as `load_config` takes them.
    """

    name: Annotated[str, Field(pattern=NAME.pattern)]
    title: str
    overrides: list[str]


class Group(Section):
    """The runs of one game.

    Attributes:
        game: What is learned.
        config: The configuration that every variant starts from.
        budget: What all of them change in it, as `load_config` takes it.
        note: What a reader should know of it; "" for nothing.
        yardsticks: How many deals against each.
        variants: The first one changes nothing.
    """

    game: Literal["terz", "tetka"]
    config: str
    budget: list[str]
    note: str
    yardsticks: Annotated[dict[str, Deals], Field(min_length=1)]
    variants: Annotated[list[Variant], Field(min_length=2)]

    @model_validator(mode="after")
    def _check_variants(self) -> "Group":
        """Refuse a base that changes something, and two variants of one name."""
        base, *_ = self.variants
        if base.overrides:
            raise ValueError(f"{self.game}: the first variant, {base.name}, has to change nothing")
        names = [variant.name for variant in self.variants]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"{self.game}: two variants are called {', '.join(twice)}")
        return self

    def config_of(self, variant: Variant, seed: int) -> TrainingConfig:
        """Return the configuration of a run.

        Raises:
            ConfigError: If the base cannot be read, or an override does not fit.
        """
        overrides = [*self.budget, *variant.overrides, *QUIET, f"seed={seed}"]
        config = load_config(Path(self.config), overrides)
        if config.game != self.game:
            raise ConfigError(f"{self.config} is of {config.game}, not of {self.game}")
        return config


class AblationPlan(Section):
    """All of the ablations.

    Attributes:
        title: The heading of the page.
        folder: Where results and plots lie, beside the page ``FOLDER.md``.
        runs: Where the runs lie.
        seeds: Of the runs; every variant has one with each.
        deals_seed: Picks the deals against the yardsticks, the same for all runs.
        groups: In the order of the page.
    """

    title: str
    folder: str
    runs: str
    seeds: Annotated[list[Seed], Field(min_length=2)]
    deals_seed: Seed
    groups: Annotated[list[Group], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_together(self) -> "AblationPlan":
        """Refuse a game or a seed given twice, and deals that a run is trained on."""
        games = [group.game for group in self.groups]
        wrong = []
        if len(set(games)) < len(games):
            wrong.append("a game has two groups")
        if len(set(self.seeds)) < len(self.seeds):
            wrong.append("a seed is given twice")
        if self.deals_seed in self.seeds:
            wrong.append(f"deals_seed: runs are trained on the deals of {self.deals_seed}")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


def load_plan(path: Path) -> AblationPlan:
    """Read and check the plan of the ablations, with the configurations that it names.

    Raises:
        ConfigError: If a file cannot be read, or a key is unknown, missing or ill-typed; if the
            deals are those of a run's own evaluations.
    """
    plan = checked(AblationPlan, read_mapping(path), path)
    for group in plan.groups:
        for variant in group.variants:
            try:
                config = group.config_of(variant, plan.seeds[0])
            except ConfigError as error:
                raise ConfigError(f"{path}: {group.game}, {variant.name}: {error}") from error
            first = config.evaluation.seed
            if plan.deals_seed in (first, first + 1):
                raise ConfigError(
                    f"{path}: deals_seed: {group.config} has the deals of {plan.deals_seed} for "
                    "the evaluations of its runs"
                )
    return plan
