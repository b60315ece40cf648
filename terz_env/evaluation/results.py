"""Results of an arena, deal by deal, as data and as JSON (`terz-arena/1`)."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.evaluation.plan import ArenaError, Plan, form_of
from terz_env.evaluation.playing import Forfeit
from terz_env.evaluation.sequential import Sprt
from terz_env.games import get_game

FORMAT = "terz-arena/1"

Pairing = tuple[str, str]


@dataclass(frozen=True)
class Results:
    """What a run came to.

    Attributes:
        plan: What was played.
        played: What each seat received, by pairing: ``(D, S, P)`` int64, S the plan's seatings.
            A sequential test may end a pairing before the plan's number of deals.
        forfeits: The answers that were none, by pairing.
        times: Decisions and seconds of processor time of each player.
        sprt: The test that could end a pairing.
    """

    plan: Plan
    played: dict[Pairing, NDArray[np.int64]]
    forfeits: dict[Pairing, list[Forfeit]]
    times: dict[str, tuple[int, float]]
    sprt: Sprt | None = None

    def units(self, pairing: Pairing) -> NDArray[np.float64]:
        """Return the advantage of the first player a deal ``(D,)``, over all seatings."""
        return _a_deal(self.played[pairing], self.plan.seatings)

    def form_units(self, pairing: Pairing, form: str) -> NDArray[np.float64]:
        """Return the advantage of the first player a deal in the seatings of a form."""
        chosen = [place for place, text in enumerate(self.plan.seatings) if form_of(text) == form]
        seatings = [self.plan.seatings[place] for place in chosen]
        return _a_deal(self.played[pairing][:, chosen], seatings)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as data; all but `times` is the same in every run of a plan."""
        pairings = [
            {
                "players": list(pairing),
                "results": self.played[pairing].tolist(),
                "forfeits": [vars(forfeit) for forfeit in self.forfeits[pairing]],
            }
            for pairing in self.plan.pairings
        ]
        return {
            "format": FORMAT,
            "plan": self.plan.to_dict(),
            "seatings": self.plan.seatings,
            "sprt": None if self.sprt is None else asdict(self.sprt),
            "pairings": pairings,
            "times": {
                name: {"decisions": decisions, "seconds": round(seconds, 6)}
                for name, (decisions, seconds) in self.times.items()
            },
        }

    def write(self, file: Path) -> None:
        """Write the results; the file appears under its name when it is complete."""
        write_whole(file, json.dumps(self.to_dict(), separators=(",", ":")) + "\n")


def advantages(results: NDArray[np.int64], seatings: Sequence[str]) -> NDArray[np.float64]:
    """Return the advantage of A over B ``(D, S)`` from what the seats received ``(D, S, P)``.

    It is the mean of A's seats less the mean of B's, divided by the number of seats. So it is
    the difference of points in a deal of Terz, 1 or -1 in a match, and in Tetka the marks a seat
    of B less the marks a seat of A (Rule K7). More is better for A in every game.
    """
    n_seats = results.shape[2]
    owned = np.array([[letter == "A" for letter in seating] for seating in seatings])
    of_a = (results * owned).sum(axis=2) / owned.sum(axis=1)
    of_b = (results * ~owned).sum(axis=2) / (~owned).sum(axis=1)
    difference: NDArray[np.float64] = (of_a - of_b) / n_seats
    return difference


def _a_deal(results: NDArray[np.int64], seatings: Sequence[str]) -> NDArray[np.float64]:
    """Return the mean advantage over the seatings, a deal."""
    units: NDArray[np.float64] = advantages(results, seatings).mean(axis=1)
    return units


def unit_of(plan: Plan) -> str:
    """Return what an advantage counts."""
    if plan.game == "tetka":
        return "marks"
    return "points" if plan.scope == "deal" else "matches won less lost"


def read_results(file: Path) -> Results:
    """Read what `Results.write` wrote.

    Raises:
        ArenaError: If the file is damaged or of another version.
        OSError: If it cannot be read.
    """
    try:
        data = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{file}: no JSON: {error}") from error
    version = data.get("format") if isinstance(data, dict) else None
    if version != FORMAT:
        raise ArenaError(f"{file}: format {version!r}; {FORMAT!r} is expected: play it again")
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ArenaError(f"{file}: damaged results: {error}") from error


def _read(data: dict[str, Any]) -> Results:
    plan = Plan.from_dict(data["plan"])
    if data["seatings"] != plan.seatings:
        raise ArenaError("the seatings do not fit the forms")
    shape = (len(plan.seatings), get_game(plan.game).n_seats)
    played, forfeits = {}, {}
    for entry in data["pairings"]:
        first, second = entry["players"]
        array = np.array(entry["results"])
        if array.dtype.kind != "i" or array.shape[1:] != shape or len(array) < 2:
            raise ArenaError(f"results of {first} and {second} of shape {array.shape}")
        if (array.sum(axis=2) != 0).any():
            raise ArenaError(f"results of {first} and {second} do not sum to zero over the seats")
        played[first, second] = array.astype(np.int64)
        forfeits[first, second] = [Forfeit(**forfeit) for forfeit in entry["forfeits"]]
    if list(played) != plan.pairings:
        raise ArenaError("the pairings do not fit the players")
    times = {
        name: (int(entry["decisions"]), float(entry["seconds"]))
        for name, entry in data["times"].items()
    }
    if list(times) != list(plan.players):
        raise ArenaError("the times do not fit the players")
    sprt = None if data["sprt"] is None else Sprt(**data["sprt"])
    return Results(plan, played, forfeits, times, sprt)


def write_whole(file: Path, text: str) -> None:
    """Write a file under a temporary name beside it, then rename it."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as output:
            output.write(text)
            output.flush()
            os.fsync(output.fileno())
        temporary.chmod(0o644)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
