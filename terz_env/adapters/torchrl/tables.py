"""What both environments of TorchRL share: specs, masks and seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torchrl.data import Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

DTYPES = {"float32": torch.float32, "uint8": torch.uint8}


class TablesEnv(EnvBase):
    """N games that are stepped together; a subclass plays them."""

    def __init__(
        self,
        num_envs: int,
        shape: tuple[int, ...],
        n_actions: int,
        n_rewards: int,
        dtype: str,
        seed: int | None,
        device: torch.device | str,
    ) -> None:
        """Declares what is seen, chosen and paid.

        Args:
            num_envs: The number of games N.
            shape: Of an observation.
            n_actions: The number of actions A.
            n_rewards: How many rewards a step pays in a game.
            dtype: Of the observations.
            seed: Picks the deals; None leaves them to chance.
            device: Where tensors go; the games are played by the processor.
        """
        super().__init__(device=torch.device(device), batch_size=torch.Size([num_envs]))
        self._next_seed = seed
        self.observation_spec = Composite(
            observation=Bounded(0, 1, (num_envs, *shape), self.device, DTYPES[dtype]),
            action_mask=Categorical(2, (num_envs, n_actions), self.device, torch.bool),
            shape=self.batch_size,
        )
        self.action_spec = Categorical(n_actions, (num_envs,), self.device)
        self.reward_spec = Unbounded((num_envs, n_rewards), self.device, torch.float32)

    def _set_seed(self, seed: int | None) -> None:
        """Seeds all games at the next reset: deal d of game i is a function of both."""
        self._next_seed = seed

    def _shown(self, entries: NDArray[Any], masks: NDArray[np.bool_]) -> dict[str, Tensor]:
        """Returns what is seen, and shows random policies the legal actions."""
        mask = self._tensor(masks)
        self.action_spec.update_mask(mask)
        return {"observation": self._tensor(entries), "action_mask": mask}

    def _tensor(self, values: NDArray[Any]) -> Tensor:
        return torch.from_numpy(values).to(self.device)
