"""Results of one player against others, on duplicate deals."""

from dataclasses import dataclass

from terz_env.evaluation.matches import Rules, duplicate_match
from terz_env.evaluation.statistics import Estimate
from terz_env.players import Player

UNITS = {"terz": "points", "tetka": "marks"}
PARITY = {"terz": 0.0, "tetka": 1.75}
"""What a player gets against others who are as strong."""
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
        return (
            self.game,
            self.opponent,
            f"{self.result.mean:{sign}.2f}",
            f"{self.result.low:{sign}.2f} to {self.result.high:{sign}.2f}",
            UNITS[self.game],
            f"{self.result.count:,}",
        )


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
