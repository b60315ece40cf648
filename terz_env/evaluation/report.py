"""Tables of a policy against the yardsticks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from terz_env.evaluation.matches import MatchError, Rules, duplicate_match
from terz_env.evaluation.statistics import Estimate
from terz_env.players import Player, load_player

UNITS = {"terz": "points", "tetka": "marks"}
YARDSTICKS = {
    "terz": ("random", "random:announce", "greedy", "heuristic"),
    "tetka": ("random", "greedy", "heuristic"),
}
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


def evaluate(
    name: str | Path,
    deals: int,
    seed: int,
    *,
    game: str | None = None,
    opponents: Sequence[str] = (),
) -> Table:
    """Play a player against others; a saved policy by the rules it was trained under.

    Args:
        name: The name of a player or the directory of a policy.
        deals: Duplicate deals against each opponent.
        seed: Picks the deals and the players' chance.
        game: Which game, where the player plays several.
        opponents: Names or directories; none for the other yardsticks of the game.

    Raises:
        PlayerError: If a player cannot be loaded or does not play the game.
        MatchError: If it is not clear which game to play, or there are too few deals.
    """
    player = load_player(name)
    played = game or player.game
    if played not in YARDSTICKS:
        given = f"not {played!r}" if played else f"{player.name} plays both"
        raise MatchError(f"matches are played in {' or '.join(YARDSTICKS)}, {given}: name the game")
    others = opponents or [other for other in YARDSTICKS[played] if other != player.name]
    rules = getattr(player, "rules", None)  # policies know by which rules they were trained
    rivals = [load_player(other) for other in others]
    rows = compare(player, rivals, played, deals, seed, rules)
    return Table(f"{player.name}: {deals:,} duplicate deals, seed {seed}", rows)


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
