"""The environment of all seats: who is to act is shown the table, and all are paid at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env

from terz_env.adapters.rllib.settings import ACTION_MASK, OBSERVATIONS, Settings
from terz_env.canonical import actions_back, canonical_rows
from terz_env.envs.aec import CardGameEnv
from terz_env.errors import IllegalActionError
from terz_env.selfplay import expand_bits
from terz_env.state import State

ENVIRONMENT = "terz_env"
"""The name by which RLlib knows the environment; `env_config` names the game."""
WORD_BYTES = 8

Seen = dict[str, NDArray[Any]]
BySeat = dict[str, Any]


class CardMultiAgentEnv(MultiAgentEnv):
    """One game of Terz or Tetka; `seat_0 …` are the agents, and one of them acts in every step.

    It is shown `{"observations": (O,), "action_mask": (A,)}`. Rewards come for all seats at once,
    with `rewards="terminal"` in the last step, and sum to zero.

    Deal d after `reset(seed=s)` is deal d of row 0 of `SelfPlayBatch(..., seed=s)`. A seed counts
    once: RLlib gives the same one whenever it begins to sample, and would see the same few deals
    again and again. The same seed, or none, goes on with the next deal.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Prepares the environment; `reset` deals.

        Args:
            config: See `Settings.of`.

        Raises:
            TypeError, ValueError: An option does not exist or has a wrong value.
        """
        super().__init__()
        self.settings = Settings.of(config or {})
        self._table = CardGameEnv(self.settings.options)
        self.possible_agents = list(self._table.possible_agents)
        self.agents = list(self.possible_agents)
        self.observation_spaces = {
            agent: self.settings.observation_space() for agent in self.possible_agents
        }
        self.action_spaces = {agent: self.settings.action_space() for agent in self.possible_agents}
        self._orders: NDArray[np.int64] | None = None
        self._seed: int | None = None

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[BySeat, BySeat]:
        """Starts an episode; returns what the seat to act sees, and no infos.

        Args:
            seed: Deals from the first deal of this seed, unless it was given last time too.
            options: `{"deal": Deal}` or `{"state": State}` starts there.
        """
        self._table.reset(None if seed == self._seed else seed, options)
        self._seed = self._seed if seed is None else seed
        return self._shown(), {}

    def step(self, action_dict: BySeat) -> tuple[BySeat, BySeat, BySeat, BySeat, BySeat]:
        """Plays the action of the seat to act.

        Returns:
            What the next seat sees, rewards, ends and cuts by seat, no infos. Ends and cuts have
            `"__all__"` besides.

        Raises:
            IllegalActionError: It is another seat's turn, or the rules refuse the action; nothing
                has changed.
        """
        table = self._table
        agent = table.agent_selection
        if list(action_dict) != [agent]:
            raise IllegalActionError(
                f"actions for {', '.join(action_dict) or 'nobody'}; {agent} alone is to act"
            )
        try:
            table.step(self._turned_back(action_dict[agent]))
        except IllegalActionError as error:
            raise IllegalActionError(
                f"{error}; act by CardModule, which masks, and build the algorithm with "
                "disable_env_checking=True, since RLlib's own check draws without the mask"
            ) from error
        over = table.terminations[agent]
        ends = dict.fromkeys(self.agents, True) if over else {}
        seen = {} if over else self._shown()
        return seen, dict(table.rewards), {**ends, "__all__": over}, {"__all__": False}, {}

    def _shown(self) -> BySeat:
        """Returns what the seat to act sees, under its name."""
        agent = self._table.agent_selection
        seen = self._table.observe(agent)
        entries, mask = seen["observation"], seen["action_mask"]
        if self.settings.suits == "canonical":
            entries, mask = self._canonical(entries, mask)
        dtype = self.settings.options.dtype
        shown: Seen = {OBSERVATIONS: entries.astype(dtype), ACTION_MASK: mask.astype(dtype)}
        return {agent: shown}

    def _canonical(
        self, entries: NDArray[Any], mask: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Returns entries and mask with the suits renamed, and keeps how."""
        game = self.settings.options.game
        packed = np.zeros(WORD_BYTES * game.layout.n_words, dtype=np.uint8)
        bits = np.packbits(entries != 0, bitorder="little")
        packed[: len(bits)] = bits
        words = packed.view("<u8").astype(np.uint64)
        renamed, masks, self._orders = canonical_rows(game, words[None], mask[None])
        return expand_bits(renamed, game.layout.n_entries)[0], masks[0]

    def _turned_back(self, action: Any) -> Any:
        """Returns an action as the game numbers it."""
        is_number = isinstance(action, int | np.integer) and 0 <= action < self.settings.n_actions
        if self._orders is None or not is_number:
            return action
        game = self.settings.options.game
        return int(actions_back(game, np.array([action], dtype=np.int64), self._orders)[0])

    @property
    def position(self) -> State:
        """A copy of the position: text, drawing, hands, scores."""
        return self._table.position


def register(name: str = ENVIRONMENT) -> None:
    """Lets RLlib know the environment by a name."""
    register_env(name, CardMultiAgentEnv)
