"""How long a move takes, one decision at a time."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.evaluation.matches import batch_for, first_episodes
from terz_env.players import Decisions, check_plays, load_player
from training.strength.plan import Times
from training.units import Tell, circumstances, file_name, holds, read_data, write_data

FORMAT = "terz-strength-times/1"
QUANTILES = {"median": 0.5, "90 %": 0.9, "99 %": 0.99}


@dataclass(frozen=True)
class TimesUnit:
    """The times of one player in all seats of some deals, where it has a choice."""

    name: str
    game: str
    player: str
    deals: int
    seed: int
    command: str

    @property
    def file(self) -> Path:
        """The file, from the folder of the report."""
        return Path(self.name) / file_name(self.player)

    @property
    def label(self) -> str:
        """Whose times."""
        return self.player

    def fits(self, file: Path) -> bool:
        """Tell whether the file holds the times of this player and these deals."""
        return holds(read_data(file, FORMAT), self._own())

    def is_kept(self, file: Path) -> bool:
        """Tell whether it does; a time hardly depends on the weights."""
        return self.fits(file)

    def measure(self, file: Path, tell: Tell) -> None:
        """Play the deals one after another and time each decision."""
        player = load_player(self.player)
        check_plays(player, self.game)
        rng = np.random.default_rng(self.seed)
        seconds: list[float] = []
        for number in range(-1, self.deals):  # the first deal warms up
            taken: list[float] = []
            first = number if number >= 0 else self.deals
            batch = batch_for([player], self.game, 1, self.seed, first_environment=first)

            def ask(
                side: int, rows: NDArray[np.int64], taken: list[float] = taken, batch: Any = batch
            ) -> NDArray[np.int64]:
                decisions = Decisions.of_batch(batch, rows)
                start = time.process_time()
                actions = player.act(decisions, rng)
                if decisions.masks.sum() > 1:
                    taken.append(time.process_time() - start)
                return actions

            first_episodes(batch, np.zeros(batch.game.n_seats, dtype=np.int64), ask)
            seconds += taken if number >= 0 else []
            tell(number + 1, self.deals)
        found = 1000 * np.array(seconds)
        quantiles = {name: np.quantile(found, share) for name, share in QUANTILES.items()}
        milliseconds = {"mean": found.mean(), **quantiles}
        rounded = {name: round(float(value), 4) for name, value in milliseconds.items()}
        data = {"format": FORMAT, **self._own(), "moves": len(found), "milliseconds": rounded}
        write_data(file, {**data, "measured": circumstances(self.command)})

    def _own(self) -> dict[str, Any]:
        own = asdict(self)
        return {key: own[key] for key in ("game", "player", "deals", "seed")}


def times_units(entry: Times, seed: int, command: str) -> list[TimesUnit]:
    """Return a unit a player."""
    return [
        TimesUnit(entry.name, entry.game, player, entry.deals, seed, command)
        for player in entry.players
    ]
