"""The PettingZoo environment with its order of calls checked, natively instead of by wrappers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.env_logger import EnvLogger

from terz_env.envs.aec import CardGameEnv, Observation
from terz_env.errors import IllegalActionError

_AFTER_RESET = frozenset(
    ("agents", "rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents")
)


class OrderedEnv(CardGameEnv):
    """Says what is wrong where a call comes too early, too late, or without an action.

    The exceptions are those of PettingZoo's own `OrderEnforcingWrapper`.
    """

    def __getattr__(self, name: str) -> Any:
        """Refuses what only `reset` makes; raises AttributeError."""
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def step(self, action: Any) -> None:
        """Plays an action (see `CardGameEnv.step`).

        Raises:
            AssertionError: There has been no reset yet.
            IllegalActionError: A live agent gives no action, none of integer type, or one that the
                rule set refuses; nothing has changed.
        """
        if not self._started:
            EnvLogger.error_step_before_reset()
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        if action is None and not self.terminations[self.agent_selection]:
            raise IllegalActionError(
                f"{self.agent_selection} is to act and gave None; legal: "
                f"{' '.join(self.position.legal_names())}"
            )
        super().step(action)

    def observe(self, agent: str) -> Observation:
        """Returns what a seat sees (see `CardGameEnv.observe`); raises AssertionError too early."""
        if not self._started:
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def state(self) -> NDArray[np.uint8]:
        """Returns everything (see `CardGameEnv.state`); raises AssertionError before reset."""
        if not self._started:
            EnvLogger.error_state_before_reset()
        return super().state()

    def render(self) -> Any:
        """Renders the position (see `CardGameEnv.render`); raises AssertionError before reset."""
        if not self._started:
            EnvLogger.error_render_before_reset()
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yields the agent to act until the end; raises AssertionError before reset."""
        if not self._started:
            EnvLogger.error_agent_iter_before_reset()
        agents: Iterable[str] = super().agent_iter(max_iter)
        return agents
