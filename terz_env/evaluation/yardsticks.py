"""The named yardsticks, in two selections: a quick one, and all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from terz_env.evaluation.plan import ArenaError
from terz_env.players.search import SearchPlayer
from terz_env.players.solver import SOLVER


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Some yardsticks and how long to play them.

    Attributes:
        names: The yardsticks of each game, from the weakest to the strongest.
        deals: Deals against each that decides at once.
        search_deals: Deals against each that searches.
        regret_deals: Deals of which the regret is measured.
    """

    names: Mapping[str, tuple[str, ...]]
    deals: int
    search_deals: int
    regret_deals: int


SELECTIONS = {
    "quick": Selection(
        names={
            "terz": ("random", "random:announce", "greedy", "heuristic", "pimc:10"),
            "tetka": ("random", "greedy", "heuristic", "pimc:10"),
        },
        deals=2000,
        search_deals=200,
        regret_deals=50,
    ),
    "full": Selection(
        names={
            "terz": (
                "random",
                "random:announce",
                "greedy",
                "greedy+solver",
                "heuristic",
                "ismcts:1000",
                "pimc:10",
                "pimc:50",
                "pimc:100+solver",
                "pimc:200",
            ),
            "tetka": (
                "random",
                "greedy",
                "ismcts:1000",
                "heuristic",
                "pimc:10",
                "pimc:50",
                "pimc:200",
            ),
        },
        deals=10_000,
        search_deals=1000,
        regret_deals=500,
    ),
}
QUICK = "quick"


def select(game: str, text: str = QUICK) -> Selection:
    """Return a selection by its name, or a list of players with the lengths of the quick one.

    Raises:
        ArenaError: If the list is empty.
    """
    if text in SELECTIONS:
        return SELECTIONS[text]
    names = tuple(filter(None, (name.strip() for name in text.split(","))))
    if not names:
        raise ArenaError(f"yardsticks {text!r}; use {', '.join(SELECTIONS)}, or names and commas")
    quick = SELECTIONS[QUICK]
    return Selection(
        names={game: names},
        deals=quick.deals,
        search_deals=quick.search_deals,
        regret_deals=quick.regret_deals,
    )


def is_search(name: str) -> bool:
    """Tell whether a player of this name searches.

    >>> is_search("pimc:100+solver"), is_search("greedy+solver")
    (True, False)
    """
    return SearchPlayer.from_name(name.removesuffix(SOLVER)) is not None
