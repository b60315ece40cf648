"""Self-play: who sits where, and which former selves of the learner stay in the pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any
from zlib import crc32

from ray.rllib.callbacks.callbacks import RLlibCallback

from terz_env.adapters.rllib.policy import player_of
from terz_env.evaluation.matches import duplicate_match
from terz_env.evaluation.report import PARITY, UNITS
from terz_env.evaluation.statistics import Estimate
from terz_env.players import Player

LEARNER = "learner"
"""The module that learns."""
CERTAIN = 1 << 32


def snapshot_ids(count: int) -> list[str]:
    """Returns the names of the modules that former selves of the learner live in."""
    return [f"snapshot_{number}" for number in range(count)]


@dataclass(frozen=True)
class Seating:
    """Seats the learner and its snapshots, anew in every episode, by the episode's name.

    One seat, in turn another, is always the learner's.

    Attributes:
        n_seats: The seats of the game.
        snapshots: How many snapshots there are.
        share: The chance that another seat is a snapshot's.
    """

    n_seats: int
    snapshots: int
    share: float

    def __call__(self, agent_id: str, episode: Any, **_: Any) -> str:
        """Returns the module that plays a seat."""
        seat = int(agent_id.removeprefix("seat_"))
        if not self.snapshots or crc32(episode.id_.encode()) % self.n_seats == seat:
            return LEARNER
        chance = crc32(f"{episode.id_} {agent_id}".encode())
        if chance >= self.share * CERTAIN:
            return LEARNER
        return snapshot_ids(self.snapshots)[chance % self.snapshots]


@dataclass(frozen=True)
class Trial:
    """The learner against the whole pool.

    Attributes:
        game: What was played.
        results: Points or marks a deal against each member.
    """

    game: str
    results: tuple[Estimate, ...]

    @property
    def mean(self) -> float:
        """The mean over the members: points in Terz, own marks in Tetka."""
        return sum(result.mean for result in self.results) / len(self.results)

    @property
    def half_width(self) -> float:
        """Half the 95 % interval of the mean."""
        return hypot(*(result.half_width for result in self.results)) / len(self.results)

    @property
    def lead(self) -> float:
        """By how much the learner is ahead of par; the other way round, marks being bad."""
        ahead = self.mean - PARITY[self.game]
        return ahead if self.game == "terz" else -ahead

    @property
    def weakest(self) -> int:
        """The member that the learner does best against."""
        sign = 1 if self.game == "terz" else -1
        means = [sign * result.mean for result in self.results]
        return means.index(max(means))


class SelfPlay(RLlibCallback):
    """Plays the learner against the pool now and then, and lets it in where it is better.

    It is let in if the whole 95 % interval of its points (Terz) or marks (Tetka) is on the good
    side of par, and takes the place of the member that it does best against. At first all members
    are the policy that has learned nothing. The results of an iteration show the trial under
    `self_play`.
    """

    def __init__(self, game: str, snapshots: int, every: int = 10, deals: int = 200) -> None:
        """Decides how often is played, and how long.

        Args:
            game: The name of the game.
            snapshots: The size of the pool.
            every: Iterations from one trial to the next.
            deals: Duplicate deals against each member.

        Raises:
            ValueError: A number makes no sense.
        """
        super().__init__()
        if snapshots < 1 or every < 1 or deals < 2:
            raise ValueError(
                f"snapshots={snapshots!r}, every={every!r}, deals={deals!r}: give one snapshot, "
                "one iteration and two deals at least"
            )
        self._game, self._every, self._deals = game, every, deals
        self._pool = snapshot_ids(snapshots)

    def on_algorithm_init(self, *, algorithm: Any, **_: Any) -> None:
        """Makes every member of the pool what the learner is at first."""
        self._replace(algorithm, self._pool)

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **_: Any) -> None:
        """Plays a trial if it is time."""
        if algorithm.iteration % self._every:
            return
        members = [player_of(algorithm.get_module(name), name=name) for name in self._pool]
        learner = player_of(algorithm.get_module(LEARNER), name=LEARNER)
        trial = self.trial(learner, members, seed=algorithm.iteration)
        admitted = trial.lead > trial.half_width
        if admitted:
            self._replace(algorithm, [self._pool[trial.weakest]])
        result["self_play"] = {
            UNITS[self._game]: trial.mean,
            "half_width": trial.half_width,
            "admitted": admitted,
        }

    def trial(self, learner: Player, members: Sequence[Player], seed: int) -> Trial:
        """Returns how a player does against each of the members."""
        results = tuple(
            duplicate_match(learner, member, self._game, self._deals, seed + number)
            for number, member in enumerate(members)
        )
        return Trial(self._game, results)

    def _replace(self, algorithm: Any, members: list[str]) -> None:
        """Gives members of the pool the weights that the learner has now.

        Those who play get them when they get the learner's next ones.
        """
        group = algorithm.learner_group
        path = f"learner/rl_module/{LEARNER}"
        weights = group.get_state(components=path)["learner"]["rl_module"][LEARNER]
        pool = dict.fromkeys(members, weights)
        algorithm.set_state({"learner_group": {"learner": {"rl_module": pool}}})
