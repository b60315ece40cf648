"""Plays one chunk of an arena: a pure function of the plan, the chunk and the players."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.evaluation.matches import batch_for, first_episodes
from terz_env.evaluation.plan import Plan, Task
from terz_env.evaluation.referee import Referee
from terz_env.players import Decisions, Player, load_player
from terz_env.selfplay import SelfPlayBatch

Load = Callable[[str], Player]


@dataclass(frozen=True, kw_only=True)
class Forfeit:
    """An answer that was none. `trace` is kept once for each reason in a chunk."""

    deal: int
    seating: str
    seat: int
    player: str
    reason: str
    trace: str


@dataclass(frozen=True)
class Played:
    """A chunk that has been played.

    Attributes:
        results: What each seat received: a list a deal, in it one a seating, in it one a seat.
        forfeits: The answers that were none.
        times: Decisions and seconds of processor time of players A and B.
    """

    results: list[list[list[int]]]
    forfeits: list[Forfeit]
    times: list[tuple[int, float]]

    def to_dict(self) -> dict[str, Any]:
        """Return the chunk as data for JSON."""
        return {
            "results": self.results,
            "forfeits": [vars(forfeit) for forfeit in self.forfeits],
            "times": self.times,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Played:
        """Return a chunk that `to_dict` wrote."""
        forfeits = [Forfeit(**forfeit) for forfeit in data["forfeits"]]
        return cls(data["results"], forfeits, [(int(n), float(s)) for n, s in data["times"]])


def play_chunk(plan: Plan, task: Task, load: Load = load_player) -> Played:
    """Play the deals of a chunk in every seating.

    The players are loaded anew, and their chance is keyed by seed, pairing, chunk, seating and
    side, so that the result depends neither on other chunks nor on who plays them.
    """
    for name in task.pairing:
        warm_up(plan.game, name, load)
    players = [load(name) for name in task.pairing]
    key = _key(task.pairing)
    results: list[NDArray[np.int64]] = []
    forfeits: list[Forfeit] = []
    times = [(0, 0.0), (0, 0.0)]
    for number, seating in enumerate(plan.seatings):
        chance = (plan.seed, key, plan.chunk, task.chunk, number)
        referees = [
            Referee(player, np.random.default_rng((*chance, side)))
            for side, player in enumerate(players)
        ]
        results.append(_play(plan, task, seating, referees, forfeits))
        times = [
            (decisions + referee.decisions, seconds + referee.seconds)
            for (decisions, seconds), referee in zip(times, referees, strict=True)
        ]
    return Played(np.stack(results, axis=1).tolist(), _without_repeats(forfeits), times)


def _key(pairing: tuple[str, str]) -> int:
    """Return a number for two names: a pairing plays the same whoever else takes part."""
    digest = hashlib.sha256("\0".join(pairing).encode()).digest()
    return int.from_bytes(digest[:8], "little")


def _play(
    plan: Plan, task: Task, seating: str, referees: list[Referee], forfeits: list[Forfeit]
) -> NDArray[np.int64]:
    """Play the deals of a chunk in one seating; return what each seat received ``(B, P)``."""
    batch = batch_for(
        [referee.player for referee in referees],
        plan.game,
        task.deals,
        plan.seed,
        dict(plan.rules),
        plan.scope,
        task.first,
    )

    def note(side: int, rows: NDArray[np.int64], answers: NDArray[np.int64]) -> None:
        for refusal in referees[side].refusals:
            row = rows[refusal.row]
            forfeits.append(
                Forfeit(
                    deal=task.first + int(row),
                    seating=seating,
                    seat=int(batch.seats[row]),
                    player=task.pairing[side],
                    reason=refusal.reason,
                    trace=refusal.trace,
                )
            )

    rewards = play_seating(batch, seating, referees, note)
    scale = batch.game.reward_scale if plan.scope == "deal" else 1.0
    return np.rint(rewards / scale).astype(np.int64)


Watch = Callable[[int, NDArray[np.int64], NDArray[np.int64]], None]
"""Told the side, the rows of the batch and the answers, before these are played."""


def play_seating(
    batch: SelfPlayBatch, seating: str, referees: Sequence[Referee], watch: Watch
) -> NDArray[np.float64]:
    """Play the first episode of every row; return the rewards ``(B, P)``.

    ``seating[p]`` is ``A`` or ``B``, the first or the second referee, whose player has seat p.
    """
    sides = np.array(["AB".index(letter) for letter in seating])

    def ask(side: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        answers = referees[side].ask(Decisions.of_batch(batch, rows))
        watch(side, rows, answers)
        return answers

    return first_episodes(batch, sides, ask)


_warm: set[tuple[str, str]] = set()


def warm_up(game: str, name: str, load: Load) -> None:
    """Let a player play a deal in all seats, so that its times count nothing that happens once.

    Kernels are compiled and files are read then. It happens once in a process, with a player of
    its own.
    """
    if (game, name) in _warm:
        return
    _warm.add((game, name))
    referee = Referee(load(name), np.random.default_rng(0))
    batch = batch_for([referee.player], game, 1, 0, {"illegal_actions": "forfeit"})
    play_seating(batch, "A" * batch.game.n_seats, [referee], lambda *_: None)


def _without_repeats(forfeits: list[Forfeit]) -> list[Forfeit]:
    """Return the forfeits with each trace only where its reason first occurs."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for forfeit in forfeits:
        reason = (forfeit.player, forfeit.reason)
        kept.append(Forfeit(**{**vars(forfeit), "trace": ""}) if reason in seen else forfeit)
        seen.add(reason)
    return kept
