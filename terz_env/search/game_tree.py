"""The whole tree of a small game (M1–M3), level by level, with its information states.

The chance node is the root: every deal and every dealer is equally likely (Rules T4, K1). An
information state is the sequence of all that a seat has observed (perfect recall); two nodes belong
to the same one if a 64-bit hash of that sequence is the same. Nodes lie in order of depth and the
children of a node lie next to each other, in the order of its legal actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terz_env.errors import PositionError, UnknownGameError
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.games.terz import deals as terz_deals
from terz_env.games.tetka import deals as tetka_deals
from terz_env.search import tree_passes
from terz_env.search.tree_levels import TreeBuilder
from terz_env.state import Deal, State

Policy = NDArray[np.float64]
SMALL_GAMES = ("terz_mini", "terz_micro", "tetka_micro")


def small_deals(game: Game) -> Iterator[Deal]:
    """Yields every deal of a small game with every dealer (Rules M1–M3)."""
    for dealer in range(game.n_seats):
        if game.family == "tetka":
            yield from (Deal(dealer, **cards) for cards in tetka_deals.enumerate_deals(game))
        else:
            yield from (Deal(dealer, **cards) for cards in terz_deals.enumerate_deals(game))


@dataclass(frozen=True, kw_only=True)
class GameTree:
    """A small game in extensive form: N nodes, I information states, E entries of a policy.

    Attributes:
        game: The game.
        deals: The deals, one a root.
        levels: The first node of every level, and N (D + 1,).
        parent: The parent of each node, -1 for a root (N,).
        first_child: Its first child (N,).
        n_children: The number of its legal actions, 0 at the end (N,).
        action: The engine's action that leads to it, -1 for a root (N,).
        seat: The seat to act, -1 at the end (N,).
        info: Its information state, -1 at the end (N,).
        returns: What each seat receives at the end (N, P), zeros before it.
        info_seat: The seat of each information state (I,).
        info_node: A node of each information state (I,).
        info_sees: What its seat sees there, as packed bits of the view `observation` (I, W).
        entry: The first entry of each information state in a policy, and E (I + 1,).
        entry_action: The engine's action of each entry (E,).
    """

    game: Game
    deals: tuple[Deal, ...]
    levels: NDArray[np.int64]
    parent: NDArray[np.int64]
    first_child: NDArray[np.int64]
    n_children: NDArray[np.int64]
    action: NDArray[np.int64]
    seat: NDArray[np.int64]
    info: NDArray[np.int64]
    returns: NDArray[np.float64]
    info_seat: NDArray[np.int64]
    info_node: NDArray[np.int64]
    info_sees: NDArray[np.uint64]
    entry: NDArray[np.int64]
    entry_action: NDArray[np.int64]

    @classmethod
    def of(cls, name: str) -> GameTree:
        """Builds the tree of a small game.

        Raises:
            UnknownGameError: the game is not one of `SMALL_GAMES`, so its tree is too large.
        """
        if name not in SMALL_GAMES:
            raise UnknownGameError(
                f"no tree of {name!r}: exact values are for {', '.join(SMALL_GAMES)}"
            )
        game = get_game(name)
        deals = tuple(small_deals(game))
        states = np.stack([State.from_deal(name, deal).words for deal in deals])
        tree = TreeBuilder(game, states).arrays()
        return cls(game=game, deals=deals, **tree)

    @property
    def n_entries(self) -> int:
        """The number of entries of a policy, E: one for each legal action of each state."""
        return int(self.entry[-1])

    def uniform(self) -> Policy:
        """Returns the policy that plays every legal action with the same probability (E,)."""
        sizes = np.diff(self.entry)
        return np.repeat(1.0 / sizes, sizes)

    def example(self, info: int) -> State:
        """Returns a position of an information state; the seat cannot tell it from the others."""
        actions, node = [], int(self.info_node[info])
        while self.parent[node] >= 0:
            actions.append(int(self.action[node]))
            node = int(self.parent[node])
        state = State.from_deal(self.game.name, self.deals[node])
        for action in reversed(actions):
            state.apply(self.game.engine_actions.index(action))
        return state

    def tabulate(self, policy: Callable[[State], Sequence[float]]) -> Policy:
        """Returns a policy as a table (E,), by asking it once at every information state.

        Args:
            policy: Gives the probabilities of `state.legal_actions()`, in that order. It may use
                what the seat to act has seen, not the hidden cards of the example.
        """
        table = np.concatenate(
            [np.asarray(policy(self.example(info))) for info in range(len(self.info_seat))]
        )
        return self.checked(table)

    def reach(self, policy: Policy, seat: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns how likely each node is by one seat's play, and by all the others' (N,), (N,)."""
        own, others = np.ones(len(self.seat)), np.ones(len(self.seat))
        tree_passes.reach_down(
            self.first_child,
            self.n_children,
            self.seat,
            self.info,
            self.entry,
            policy,
            seat,
            own,
            others,
        )
        return own, others

    def checked(self, policy: Policy) -> Policy:
        """Returns a policy; raises PositionError where it is no table of probabilities."""
        if policy.shape != (self.n_entries,):
            raise PositionError(
                f"a policy of shape {policy.shape}; {self.game.name} needs ({self.n_entries},)"
            )
        sums = np.add.reduceat(policy, self.entry[:-1])
        if not (np.all(policy >= 0) and np.allclose(sums, 1)):
            raise PositionError("the probabilities of an information state do not sum to 1")
        return policy.astype(np.float64)
