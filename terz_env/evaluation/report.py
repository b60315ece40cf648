"""Tables of a policy against the yardsticks."""

from dataclasses import dataclass
from pathlib import Path

from terz_env.evaluation.matches import Rules, duplicate_match
from terz_env.evaluation.statistics import Estimate
from terz_env.players import Player, load_player
from terz_env.players.policy import PolicyPlayer

UNITS = {"terz": "points", "tetka": "marks"}
YARDSTICKS = {"terz": ("random", "random:announce"), "tetka": ("random",)}
HEADINGS = ("game", "against", "result", "95 % interval", "unit", "deals")


@dataclass(frozen=True)
class Row:
    """One player against one opponent."""

    game: str
    player: str
    opponent: str
    result: Estimate

    def cells(self) -> tuple[str, ...]:
        """Return the text of each column of `HEADINGS`."""
        sign = "+" if self.game == "terz" else ""
        low = self.result.mean - self.result.half_width
        high = self.result.mean + self.result.half_width
        return (
            self.game,
            self.opponent,
            f"{self.result.mean:{sign}.2f}",
            f"{low:{sign}.2f} to {high:{sign}.2f}",
            UNITS[self.game],
            f"{self.result.count:,}",
        )


@dataclass(frozen=True)
class Table:
    """Results with a title; every row has the columns of `HEADINGS`."""

    title: str
    rows: tuple[Row, ...]


def evaluate(path: Path, deals: int, seed: int) -> Table:
    """Play a saved policy against the yardsticks of its game, by the rules it was trained under.

    Args:
        path: The directory of the policy.
        deals: Duplicate deals against each yardstick.
        seed: Picks the deals and the yardsticks' chance.

    Raises:
        PlayerError: If the policy cannot be loaded.
        MatchError: If there are too few deals.
    """
    policy = PolicyPlayer.load(path)
    opponents = [load_player(name) for name in YARDSTICKS[policy.game]]
    rows = compare(policy, opponents, policy.game, deals, seed, policy.rules)
    return Table(f"{policy.name}: {deals:,} duplicate deals, seed {seed}", rows)


def compare(
    player: Player,
    opponents: list[Player],
    game: str,
    deals: int,
    seed: int,
    rules: Rules = None,
) -> tuple[Row, ...]:
    """Return a row for each opponent, all on the same deals."""
    return tuple(
        Row(
            game,
            player.name,
            opponent.name,
            duplicate_match(player, opponent, game, deals, seed, rules),
        )
        for opponent in opponents
    )
