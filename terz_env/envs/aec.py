"""The PettingZoo environment of both games: the seats take turns, each with its own observation."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from terz_env.envs.block import DEAL_OVER, EPISODE_OVER, SEAT_BITS, Block
from terz_env.envs.drawing import RENDER_FPS, RENDER_MODES, check_render_mode, draw
from terz_env.envs.options import Options, dealt_by, start_of_options
from terz_env.errors import IllegalActionError
from terz_env.kernel import entry_point
from terz_env.observation import View
from terz_env.rng import checked_number
from terz_env.state import Deal, State

Observation = dict[str, NDArray[Any]]
SEED_BITS = 63
ACTING, NOBODY = -1, -2
"""The seat that is to act, and none, where a seat is meant."""
NO_ACTION = 1 << 32
"""A number that no action has; larger ones need not fit a word."""
_OF_BLOCK = (
    "_block",
    "_step_at",
    "_describe_at",
    "_standing_one",
    "_address",
    "_position",
    "_mask",
    "_shown",
    "_shown_info",
    "_ready",
)
"""Attributes that a copy makes anew."""


class CardGameEnv(AECEnv[str, Observation, int]):
    """One game of Terz or Tetka; `seat_0 …` are the agents, all of them present until the end.

    An observation is `{"observation": (O,), "action_mask": (A,) int8}`; the mask is all zeros for a
    seat that is not to act, and stands in `infos[agent]["action_mask"]` too. Rewards sum to zero
    over the seats at every moment; their total over an episode is the result by the rules.

    Deal d after `reset(seed=s)` is deal d of row 0 of `SelfPlayBatch(..., seed=s)`; a reset without
    a seed goes on with the next deal.
    """

    metadata: dict[str, Any]

    def __init__(self, options: Options, render_mode: str | None = None) -> None:
        """Prepares the environment; `reset` deals.

        Args:
            options: What is played, seen and paid.
            render_mode: None, "ansi", "human" or "rgb_array".

        Raises:
            ValueError: There is no such render mode.
        """
        super().__init__()
        game = options.game
        self.options = options
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {
            "name": f"{game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(game.n_seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: options.observation_space() for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(game.n_actions) for agent in self.possible_agents
        }
        self._everything = game.views["state"]
        self.state_space = gymnasium.spaces.Box(0, 1, self._everything.shape, np.uint8)
        self._no_mask = np.zeros(game.n_actions, dtype=np.int8)
        self._no_mask.flags.writeable = False
        self._idle = {"action_mask": self._no_mask}
        self._copies = options.copy
        self._bytes = options.dtype == "uint8"
        self._view = None if options.view.name == "observation" else options.view
        self._shares = not self._copies and self._bytes and self._view is None
        self._log = np.zeros(game.log_size, dtype=np.int64)
        self._logs = options.view.needs_log
        self._shaped = options.rewards == "shaped"
        self._config = game.config_word(options.rules, options.scope)
        self._seed: int | None = None
        self._dealt = 0
        self._started = False
        self._take_block(Block(game))

    def _take_block(self, block: Block) -> None:
        options = self.options
        self._block = block
        kernels = options.game.kernels
        self._step_at = entry_point(kernels.step_at, 0, 0)
        self._describe_at = entry_point(kernels.describe_at, 0, 0)
        self._standing_one = entry_point(kernels.standing_one, block.words, 0)
        self._address = block.address
        self._position = State(options.game, options.rules, options.scope, block.words)
        self._mask = self._no_mask if self._copies else block.mask
        self._shown: Observation | None = None
        if self._shares:
            self._shown = {"observation": block.entries, "action_mask": block.mask}
        self._ready: Observation | None = None
        self._shown_info = {"action_mask": block.mask}
        self._described = NOBODY

    # Spaces.

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Returns the space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Returns the space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    # The course of an episode.

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Starts an episode.

        Args:
            seed: Deals anew from the first deal of this seed; None goes on with the next deal.
            options: `{"deal": Deal}` starts with these cards, `{"state": State}` anywhere; other
                names are left alone, as PettingZoo asks.

        Raises:
            SeedError: The seed is no whole number from 0 to 2⁶³ - 1.
            ValueError: Both a deal and a state are given.
            PositionError: The deal or position is impossible, or of another game or rule set; or
                the view needs what has happened in the deal, which a position within it lacks.
        """
        if seed is not None:
            self._seed, self._dealt = checked_number(seed, "seed"), 0
        elif self._seed is None:
            self._seed = secrets.randbits(SEED_BITS)
        self._start(start_of_options(options))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = dict.fromkeys(self.agents, self._idle)
        self._standings = [0.0] * len(self.agents)
        self._skip_agent_selection = None
        self._started = True
        self._begin_log()
        self._turn_to(self._describe(ACTING))

    def _start(self, start: Deal | State | None) -> None:
        """Writes the first position of an episode into the block."""
        options = self.options
        if start is None and options.deals:
            start = self._next_cards()
        if start is not None:
            self._block.words[:] = options.position(start).words
            return
        assert self._seed is not None
        kernels = options.game.kernels
        kernels.start_one(self._block.words, self._config, self._seed, 0, self._dealt, -1)
        self._dealt += 1

    def _next_cards(self) -> Deal:
        self._dealt += 1
        return self.options.deals[(self._dealt - 1) % len(self.options.deals)]

    def _next_deal(self) -> None:
        """Deals again within a match or rubber."""
        if self.options.deals:
            self._position.next_deal(dealt_by(self._position.next_dealer, self._next_cards()))
            return
        game = self.options.game
        game.kernels.move_on_one(self._block.words, self._config, self._seed or 0, 0)
        self._dealt += 1

    def _begin_log(self) -> None:
        """Begins the log of a deal, which some views read."""
        if self._logs:
            self._log[:] = 0
            self.options.game.kernels.begin_log_one(self._log, self._block.words)
            self.options.check_log(self._log, self._position)

    def step(self, action: Any) -> None:
        """Plays an action of `agent_selection`; after the end takes None for each seat in turn.

        Raises:
            IllegalActionError: The action is no integer, or the rule set refuses it; nothing has
                changed.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action.__class__ is not int:
            action = self._index(action)
        if not -1 <= action < NO_ACTION:
            action = NO_ACTION
        packed = self._step_at(self._address, action)
        if packed < 0:
            self._position.clone().apply(action)  # raises, and says why
        if self._logs:
            seat = self._seat_of[agent]
            self.options.game.kernels.note_one(self._log, seat, action, self._block.words)
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = self._idle
        if packed >= DEAL_OVER or self._shaped:
            self._settle(packed)
        else:
            self._turn_to(packed)

    def _index(self, action: object) -> int:
        """Returns an action of any integer type as an int."""
        if isinstance(action, (bool, np.bool_)):
            raise IllegalActionError(f"{action!r} is a truth value; an action is an integer")
        try:
            return operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            raise IllegalActionError(
                f"{action!r} of type {type(action).__name__} is no action; "
                f"{self.agent_selection} needs an integer from 0 to {self._block.mask.size - 1}"
            ) from None

    def _turn_to(self, seat: int) -> None:
        """Lets a seat act that the block describes: its mask goes into its info."""
        agent = self.possible_agents[seat]
        if self._copies:
            self._mask = self._block.mask.copy()
            self.infos[agent] = {"action_mask": self._mask}
        else:
            self.infos[agent] = self._shown_info
        self._described = seat
        self._ready = self._shown
        self.agent_selection = agent

    def _describe(self, seat: int) -> int:
        """Describes a seat, or the one that is `ACTING`, and returns it."""
        described: int = self._describe_at(self._address, seat)
        self._described = described
        self._ready = None
        return described

    def _settle(self, packed: int) -> None:
        """Pays what is due, and deals again, ends the episode or passes the turn."""
        over = packed & EPISODE_OVER
        if self._shaped or over:
            words, standing_one = self._block.words, self._standing_one
            standings = [standing_one(words, seat) for seat in range(len(self.agents))]
            for agent, now, before in zip(self.agents, standings, self._standings, strict=True):
                self.rewards[agent] = (now - before) * self.options.reward_scale
                self._cumulative_rewards[agent] += self.rewards[agent]
            self._standings = standings
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            self._described = packed & SEAT_BITS
            self._ready = None
            return
        if packed & DEAL_OVER:
            self._next_deal()
            self._begin_log()
            packed = self._describe(ACTING)
        self._turn_to(packed)

    # What the seats see.

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Returns what the agent to act sees, has earned and is told, as PettingZoo's own does."""
        agent = self.agent_selection
        over = self.terminations[agent]
        seen = self._ready if observe else None
        if observe and (seen is None or over):
            seen = self.observe(agent)
        reward = self._cumulative_rewards[agent]
        return seen, reward, over, self.truncations[agent], self.infos[agent]

    def observe(self, agent: str) -> Observation:
        """Returns what any seat sees now, whether or not it is to act.

        Raises:
            KeyError: There is no such agent.
        """
        seat = self._seat_of[agent]
        if self._described != seat:
            self._describe(seat)
        acting = agent == self.agent_selection and not self.terminations.get(agent, True)
        if acting and self._shown is not None:
            return self._shown
        entries: NDArray[Any] = self._block.entries
        if self._view is not None:
            entries = self._expanded(self._view, seat)
        elif self._bytes and self._copies:
            entries = entries.copy()
        if not self._bytes:
            entries = entries.astype(np.float32)
        return {"observation": entries, "action_mask": self._mask if acting else self._no_mask}

    @property
    def position(self) -> State:
        """A copy of the position: text, drawing, hands, scores."""
        return self._position.clone()

    def _expanded(self, view: View, seat: int) -> NDArray[np.uint8]:
        words = np.zeros(view.n_words, dtype=np.int64)
        view.write(self._block.words, self._log, seat, words)
        return view.expand(words)

    def state(self) -> NDArray[np.uint8]:
        """Returns everything, hidden cards included, in the view `state` of the seat to act."""
        return self._expanded(self._everything, self._seat_of[self.agent_selection])

    def render(self) -> str | NDArray[np.uint8] | None:
        """Draws the table with open hands, as the render mode says.

        Returns:
            Text for "ansi", (480, 640, 3) for "rgb_array", None for "human", which prints.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() draws nothing: the environment has no render_mode")
            return None
        return draw(self._position, self.render_mode)

    def close(self) -> None:
        """Has nothing to release: drawings hold no window."""

    # Copies.

    def __getstate__(self) -> dict[str, Any]:
        """Returns what a copy is made of: everything but the memory's address."""
        kept = dict(self.__dict__)
        for name in _OF_BLOCK:
            kept.pop(name, None)
        kept["_words"] = self._block.words.copy()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Makes a copy that shares nothing and goes on where the original stood."""
        words = kept.pop("_words")
        self.__dict__.update(kept)
        self._take_block(Block(self.options.game))
        self._block.words[:] = words
        if self._started and not self._position.is_over:
            self._turn_to(self._describe(ACTING))
