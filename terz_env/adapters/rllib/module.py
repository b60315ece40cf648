"""The network of a seat: RLlib's default one for PPO, which gives illegal actions no chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
from ray.rllib.algorithms.ppo.ppo_catalog import PPOCatalog
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from terz_env.adapters.rllib.policy import FACTS, check_network, write_policy
from terz_env.adapters.rllib.settings import ACTION_MASK, OBSERVATIONS, Settings

FORBIDDEN_LOGIT = -1e9
"""Its probability is exactly 0, and differences of two of them are still numbers: with -inf the
divergence from an older policy would not be one."""

Batch = dict[str, Any]


class SeenCatalog(PPOCatalog):
    """Builds networks that read the entries alone; the mask is no input."""

    def __init__(
        self, observation_space: gymnasium.Space[Any], *arguments: Any, **named: Any
    ) -> None:
        """Takes the space of the entries out of the seat's space.

        Raises:
            ValueError: There is none, or no mask.
        """
        parts = getattr(observation_space, "spaces", {})
        if set(parts) != {OBSERVATIONS, ACTION_MASK}:
            raise ValueError(
                f"CardModule on {observation_space}: a Dict of {OBSERVATIONS} and {ACTION_MASK} is "
                "needed, as CardMultiAgentEnv has it"
            )
        super().__init__(parts[OBSERVATIONS], *arguments, **named)


class CardModule(DefaultPPOTorchRLModule):
    """Policy and values of a seat; make it by `module_spec`.

    A checkpoint of it holds ``model.safetensors`` besides, which `terz_env.load_player` plays
    without Ray.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Builds the networks (see `RLModule`)."""
        named["catalog_class"] = named.get("catalog_class") or SeenCatalog
        super().__init__(*arguments, **named)

    def setup(self) -> None:
        """Builds the networks.

        Raises:
            PlayerError: No player could be made of them.
        """
        check_network(self.model_config)
        if self.catalog is None:
            raise self._catalog_ctor_error
        super().setup()

    def _forward(self, batch: Batch, **named: Any) -> Batch:
        """Returns masked logits, for exploring and for playing."""
        return _masked(super()._forward(_entries(batch), **named), batch)

    def _forward_train(self, batch: Batch, **named: Any) -> Batch:
        """Returns masked logits, and the last hidden layer for the values."""
        return _masked(super()._forward_train(_entries(batch), **named), batch)

    def compute_values(self, batch: Batch, embeddings: Any = None) -> Any:
        """Returns the expected rewards (N,)."""
        return super().compute_values(_entries(batch), embeddings)

    def save_to_path(
        self,
        path: str | Path | None = None,
        *,
        state: Mapping[str, Any] | None = None,
        filesystem: Any = None,
        use_msgpack: bool = False,
    ) -> str:
        """Writes the checkpoint of the module, and beside it the policy as a player's file."""
        kept = state or self.get_state()
        folder: str = super().save_to_path(
            path, state=kept, filesystem=filesystem, use_msgpack=use_msgpack
        )
        write_policy(self, kept, path or folder, filesystem)
        return folder


def _entries(batch: Batch) -> Batch:
    """Returns a batch that shows the network the entries alone; the one given stays as it is."""
    return {**batch, Columns.OBS: batch[Columns.OBS][OBSERVATIONS].float()}


def _masked(outputs: Batch, batch: Batch) -> Batch:
    """Replaces the logits of illegal actions."""
    logits, mask = outputs[Columns.ACTION_DIST_INPUTS], batch[Columns.OBS][ACTION_MASK]
    outputs[Columns.ACTION_DIST_INPUTS] = logits.masked_fill(mask == 0, FORBIDDEN_LOGIT)
    return outputs


def module_spec(
    env_config: Mapping[str, Any], hidden: Sequence[int] = (256, 256), **model_config: Any
) -> RLModuleSpec:
    """Returns how RLlib builds the network of a seat.

    Args:
        env_config: What is played (see `Settings.of`).
        hidden: The widths of the hidden layers, shared by policy and values.
        **model_config: More of RLlib's `DefaultModelConfig`.

    Raises:
        PlayerError: No player could be made of the network.
    """
    settings = Settings.of(env_config)
    known = {"fcnet_hiddens": list(hidden), "fcnet_activation": "relu", **model_config}
    shares = bool(known.get("vf_share_layers", True))
    facts = settings.facts("rllib", has_values=shares).to_json()
    config = {**vars(DefaultModelConfig()), **known, FACTS: facts}
    check_network(config)
    return RLModuleSpec(
        module_class=CardModule,
        observation_space=settings.observation_space(),
        action_space=settings.action_space(),
        model_config=config,
    )
