"""The plan of the report: a typed YAML file that names the measurements, in the page's order."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from training.config import NAME, Count, Section, Seed, checked, read_mapping

Deals = Annotated[int, Field(ge=2)]
Players = Annotated[list[str], Field(min_length=1)]
NASH_CONV = "nash_conv"
"""What the curve of a small game calls the distance from equilibrium."""
Aims = dict[str, dict[str, float]]
"""The result that a player is meant to reach, by player and opponent."""


class Entry(Section):
    """What all measurements have.

    Attributes:
        name: The folder of its results.
        title: The heading of its part of the page.
        note: What a reader should know of it; "" for nothing.
    """

    name: Annotated[str, Field(pattern=NAME.pattern)]
    title: str
    note: str


def _refuse_unknown(name: str, aims: Iterable[str], known: Collection[str]) -> None:
    unknown = [aim for aim in aims if aim not in known]
    if unknown:
        raise ValueError(f"{name}: {', '.join(unknown)} in aims, of {', '.join(known)}")


class Match(Entry):
    """What all measurements have in which players meet."""

    game: Literal["terz", "tetka"]


class Ladder(Match):
    """Each player against each opponent; in Tetka one seat against three.

    Attributes:
        scope: What counts once: a deal, a match of Terz, a rubber of Tetka.
        players: Whose results are wanted.
        against: How many deals, matches or rubbers against each opponent.
        aims: What is meant to be reached.
        places: Opponents against whom the result is told for each place at the table.
    """

    kind: Literal["ladder"]
    scope: Literal["deal", "match", "rubber"]
    players: Players
    against: Annotated[dict[str, Deals], Field(min_length=1)]
    aims: Aims
    places: list[str]

    @model_validator(mode="after")
    def _check_names(self) -> "Ladder":
        """Refuse aims and places of opponents who are not met, and names that no list can hold."""
        lists = [name for name in self.against if "," in name]
        if lists:
            raise ValueError(
                f"{self.name}: {lists[0]!r} has a comma, so `terz evaluate` cannot take it as an "
                "opponent; name it under players"
            )
        unknown = [player for player in self.aims if player not in self.players]
        named = [*self.places, *(other for aims in self.aims.values() for other in aims)]
        unknown += [other for other in named if other not in self.against]
        if unknown:
            raise ValueError(f"{self.name}: {', '.join(unknown)} in aims or places do not play")
        return self


class CrossPlay(Match):
    """All players in pairs, on the same deals, in all seatings."""

    kind: Literal["cross_play"]
    players: Annotated[list[str], Field(min_length=3)]
    deals: Deals


class Aimed(Match):
    """Measurements of single players, with aims.

    Attributes:
        players: Who is measured.
        aims: The greatest figure that a player is meant to have.
    """

    players: Players
    aims: dict[str, float]

    @model_validator(mode="after")
    def _check_aims(self) -> "Aimed":
        """Refuse aims of players who are not measured."""
        _refuse_unknown(self.name, self.aims, self.players)
        return self


class Regrets(Aimed):
    """What players give away against exact play at the end of the deal, in all seats.

    Attributes:
        deals: How many; the aims are of a deal.
    """

    kind: Literal["regret"]
    deals: Deals


class Times(Aimed):
    """How long a move takes, one decision at a time, as at the table.

    Attributes:
        deals: How many; the aims are milliseconds on average.
    """

    kind: Literal["times"]
    deals: Count


class DrawnDeals(Match):
    """A handful of deals of a policy, picked by rule and drawn.

    Attributes:
        player: The policy.
        opponent: Has the other seats.
        deals: Among how many deals the rules pick.
    """

    kind: Literal["deals"]
    player: str
    opponent: str
    deals: Deals


class Run(Entry):
    """The learning curve of a run; that of an exploiter is such a curve against a frozen model.

    Attributes:
        game: What is learned.
        folder: The directory of the run; what is needed of it is kept beside the report.
        command: How the run was made.
        opponents: Whose columns of the curve are shown; none for the NashConv of a small game.
        aims: The result that is meant to be reached against them, or the share of NashConv.
        attacks: The run attacks a policy, and is meant not to get as far as the aims.
    """

    kind: Literal["run"]
    game: Literal["terz", "tetka", "terz_mini", "terz_micro", "tetka_micro"]
    folder: str
    command: str
    opponents: list[str]
    aims: dict[str, float]
    attacks: bool = False

    @model_validator(mode="after")
    def _check_aims(self) -> "Run":
        """Refuse aims of what is not shown."""
        _refuse_unknown(self.name, self.aims, self.opponents or [NASH_CONV])
        return self


Measurement = Annotated[
    Ladder | CrossPlay | Regrets | Times | DrawnDeals | Run, Field(discriminator="kind")
]


class ReportPlan(Section):
    """All of a report.

    Attributes:
        title: The heading of the page.
        folder: Where results and plots lie, beside the page ``FOLDER.md``.
        seed: Picks the deals and the players' chance.
        measurements: In the order of the page.
    """

    title: str
    folder: str
    seed: Seed
    measurements: Annotated[list[Measurement], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_names(self) -> "ReportPlan":
        """Refuse two measurements that would share a folder."""
        names = [entry.name for entry in self.measurements]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two measurements are called {', '.join(twice)}")
        return self


def load_plan(path: Path) -> ReportPlan:
    """Read and check the plan of a report.

    Raises:
        ConfigError: If the file cannot be read, or a key is unknown, missing or ill-typed.
    """
    return checked(ReportPlan, read_mapping(path), path)
