"""One run: trained, played against the yardsticks, and kept in one file."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from terz_env.evaluation.matches import duplicate_results
from terz_env.evaluation.statistics import estimate
from terz_env.players import Player, load_player
from terz_env.players.policy import PolicyPlayer
from terz_env.players.solver import SolverPlayer
from training.ablations.clock import Clock
from training.ablations.plan import AblationPlan, Group, Variant
from training.checkpoint import CheckpointError, checkpoints, load_checkpoint, load_config_of
from training.config import TrainingConfig
from training.learner import Progress, train
from training.model import versions
from training.run_state import BOOTSTRAP
from training.units import Tell, circumstances, holds, read_data, write_data

FORMAT = "terz-ablation/1"
DIGITS = 4
"""Kept of the result of a deal."""


@dataclass(frozen=True)
class AblationRun:
    """A variant with a seed: what it learned, measured on the same deals as all others."""

    plan: AblationPlan
    group: Group
    variant: Variant
    seed: int
    plan_file: Path

    @property
    def name(self) -> str:
        """The game and the variant."""
        return f"{self.group.game}-{self.variant.name}"

    @property
    def file(self) -> Path:
        """The file, from the folder of the results."""
        return Path(f"{self.name}-{self.seed}.json")

    @property
    def output(self) -> Path:
        """The directory of the run."""
        return Path(self.plan.runs, self.group.game, self.variant.name, str(self.seed))

    @property
    def label(self) -> str:
        """Which run."""
        return f"{self.group.game}, {self.variant.name}, seed {self.seed}"

    @property
    def command(self) -> str:
        """What makes it."""
        words = ["python", "-m", "training.ablations", "measure", str(self.plan_file)]
        return shlex.join([*words, "--only", self.name])

    @cached_property
    def config(self) -> TrainingConfig:
        """What it is trained by."""
        return self.group.config_of(self.variant, self.seed)

    def fits(self, file: Path) -> bool:
        """Tell whether the file holds this run, by this configuration, on these deals.

        Keys that are younger than the run have their defaults in it.
        """
        kept = read_data(file, FORMAT)
        try:
            config = TrainingConfig.model_validate(kept.get("config"))
        except ValidationError:
            return False
        return holds({**kept, "config": config.model_dump(by_alias=True)}, self._own())

    def is_kept(self, file: Path) -> bool:
        """Tell the same: a run is a function of its configuration."""
        return self.fits(file)

    def measure(self, file: Path, tell: Tell) -> None:
        """Train, or go on from the last checkpoint; then play the yardsticks."""
        clock = self._train(tell)
        results = {name: self._play(name, deals) for name, deals in self.group.yardsticks.items()}
        data = {
            "format": FORMAT,
            **self._own(),
            "states": clock.states,
            "decisions": clock.decisions,
            "cpu_seconds": round(clock.cpu, 1),
            "wall_seconds": round(clock.wall, 1),
            "results": results,
            "measured": {**circumstances(self.command), "versions": versions()},
        }
        write_data(file, data)

    def _own(self) -> dict[str, Any]:
        return {
            "game": self.group.game,
            "variant": self.variant.name,
            "overrides": self.variant.overrides,
            "base": self.group.config,
            "config": self.config.model_dump(by_alias=True),
            "seed": self.seed,
            "deals_seed": self.plan.deals_seed,
            "yardsticks": self.group.yardsticks,
        }

    def _train(self, tell: Tell) -> Clock:
        """Make the run, or the rest of it; return what it took from the beginning."""
        config = self.config
        checkpoint = self._checkpoint()
        clock = None
        if checkpoint is not None:
            run = load_checkpoint(checkpoint, config)
            clock = Clock.go_on(self.output, run.rounds + run.iteration)
        if clock is None:
            checkpoint, clock = None, Clock.begin(self.output)
        states = config.bootstrap.states

        def report(progress: Progress) -> None:
            booting = progress.phase == BOOTSTRAP
            clock.note(progress.done, booting=booting)
            done = progress.done if booting else states + progress.done
            tell(done, states + config.decisions)

        train(config, self.output, report, checkpoint=checkpoint)
        return clock

    def _checkpoint(self) -> Path | None:
        """Return the last checkpoint of this run, if it was begun by the same configuration."""
        kept = checkpoints(self.output)
        try:
            same = bool(kept) and load_config_of(kept[-1]) == self.config
        except CheckpointError:
            return None
        return kept[-1] if same else None

    def _play(self, name: str, deals: int) -> Mapping[str, Any]:
        """Play duplicate deals against a yardstick, as the evaluations of a run do."""
        policy: Player = PolicyPlayer.load(self.output, game=self.group.game)
        if self.config.evaluation.solver:
            policy = SolverPlayer(policy)
        rules = self.config.rules
        units = duplicate_results(
            policy, load_player(name), self.group.game, deals, self.plan.deals_seed, rules
        )
        found = estimate(units)
        return {
            "mean": found.mean,
            "low": found.low,
            "high": found.high,
            "deals": [round(float(unit), DIGITS) for unit in units],
        }


def runs_of(plan: AblationPlan, plan_file: Path) -> list[AblationRun]:
    """Return all runs; a seed of all variants before the next, so that the page is soon whole."""
    return [
        AblationRun(plan, group, variant, seed, plan_file)
        for seed in plan.seeds
        for group in plan.groups
        for variant in group.variants
    ]
