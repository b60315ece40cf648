"""Regret of a player at the end of its deals, kept as an evaluation of no yardstick."""

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from terz_env.evaluation.evaluating import Evaluation, read_evaluation
from terz_env.evaluation.plan import Plan
from terz_env.evaluation.regret import regret
from terz_env.evaluation.results import write_whole
from training.strength.plan import Regrets
from training.units import Tell, circumstances, file_name


@dataclass(frozen=True)
class RegretUnit:
    """What one player gives away, in all seats; kept as `terz-evaluation/1`."""

    name: str
    game: str
    player: str
    deals: int
    seed: int
    processes: int = 1

    @property
    def file(self) -> Path:
        """The file, from the folder of the report."""
        return Path(self.name) / file_name(self.player)

    @property
    def label(self) -> str:
        """Who is judged."""
        return self.player

    @property
    def command(self) -> str:
        """The command that measures the same."""
        words = ["terz", "regret", "--game", self.game, "--player", self.player]
        return shlex.join([*words, "--deals", str(self.deals), "--seed", str(self.seed)])

    @cached_property
    def plan(self) -> Plan:
        """An arena of the player: its rules and the SHA-256 of its policy; it is loaded.

        Raises:
            PlayerError: If it cannot be loaded, or plays another game.
        """
        other = "random" if self.player != "random" else "greedy"
        return Plan.make(self.game, [self.player, other], self.deals, self.seed)

    @property
    def _digest(self) -> str:
        return self.plan.digests.get(self.player, "")

    def fits(self, file: Path) -> bool:
        """Tell whether the file holds results of just this, whatever weights the player had."""
        found = read_evaluation(file)
        counts = {row.a_deal.count for row in found.regret}
        own = (self.game, self.player, self.seed, {self.deals})
        return (found.game, found.player, found.seed, counts) == own

    def is_kept(self, file: Path) -> bool:
        """Tell whether it does, with the weights that the player has now."""
        return self.fits(file) and read_evaluation(file).digest == self._digest

    def measure(self, file: Path, tell: Tell) -> None:
        """Measure the regret."""
        tell(0, 1)
        known = circumstances(self.command)
        versions = ", ".join(f"{name} {version}" for name, version in known["versions"].items())
        found = Evaluation(
            player=self.player,
            game=self.game,
            rules=self.plan.rules,
            digest=self._digest,
            seed=self.seed,
            scores=(),
            regret=tuple(
                regret(self.game, self.player, self.deals, self.seed, processes=self.processes)
            ),
            notes={**known, "versions": versions},
        )
        write_whole(file, found.to_json())
        tell(1, 1)


def regret_units(entry: Regrets, seed: int, processes: int = 1) -> list[RegretUnit]:
    """Return a unit a player."""
    return [
        RegretUnit(entry.name, entry.game, player, entry.deals, seed, processes)
        for player in entry.players
    ]
