"""The network of a seat: illegal actions have no chance in any pass, and no number breaks."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from terz_env.adapters.rllib import CardModule, module_spec, player_of
from terz_env.adapters.rllib.settings import ACTION_MASK, OBSERVATIONS
from terz_env.players import Decisions, PlayerError
from terz_env.selfplay import SelfPlayBatch

PASSES = ("forward_exploration", "forward_inference", "forward_train")
ROWS = 200


def module_of(game: str, **settings: Any) -> CardModule:
    torch.manual_seed(3)
    module: CardModule = module_spec({"game": game}, hidden=(16, 12), **settings).build()
    return module


def table(game: str) -> SelfPlayBatch:
    """A batch in the middle of its deals."""
    batch = SelfPlayBatch(game, ROWS, seed=7, observation="float32")
    for _ in range(5):
        batch.step(batch.random_actions())
    return batch


def shown(batch: SelfPlayBatch, dtype: str = "float32") -> dict[str, Any]:
    """What RLlib hands to a module."""
    entries = torch.from_numpy(batch.observations.astype(dtype))
    masks = torch.from_numpy(batch.masks.astype(dtype))
    return {Columns.OBS: {OBSERVATIONS: entries, ACTION_MASK: masks}}


@pytest.mark.parametrize("way", PASSES)
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_illegal_actions_have_probability_zero(game: str, way: str) -> None:
    module, batch = module_of(game), table(game)
    illegal = torch.from_numpy(batch.masks == 0)
    with torch.no_grad():  # logits that would drown any mask that is too weak
        module.pi.net.mlp[-1].bias += 1000 * illegal.float().mean(dim=0)
    logits = getattr(module, way)(shown(batch))[Columns.ACTION_DIST_INPUTS]
    kinds = {
        "forward_exploration": module.get_exploration_action_dist_cls(),
        "forward_inference": module.get_inference_action_dist_cls(),
        "forward_train": module.get_train_action_dist_cls(),
    }
    chances = kinds[way].from_logits(logits)
    probabilities = chances._dist.probs
    assert (probabilities[illegal] == 0).all()
    assert torch.allclose(probabilities.sum(dim=1), torch.ones(ROWS))
    for _ in range(20):
        assert batch.masks[np.arange(ROWS), chances.sample().numpy()].all()
    best = chances.to_deterministic().sample().numpy()
    assert batch.masks[np.arange(ROWS), best].all()


def test_entropy_and_divergence_are_numbers() -> None:
    batch = table("terz")
    old, new = module_of("terz"), module_of("terz")
    with torch.no_grad():
        new.pi.net.mlp[-1].weight *= -50
    outputs = [module.forward_train(shown(batch)) for module in (old, new)]
    kind = old.get_train_action_dist_cls()
    before, after = (kind.from_logits(output[Columns.ACTION_DIST_INPUTS]) for output in outputs)
    for number in (before.entropy(), after.entropy(), before.kl(after)):
        assert torch.isfinite(number).all()
        assert (number >= -1e-5).all()
    after.entropy().sum().backward()
    assert all(torch.isfinite(part.grad).all() for part in new.pi.parameters())


def test_a_pass_leaves_its_batch_alone_and_reads_bytes_too() -> None:
    module, batch = module_of("tetka"), table("tetka")
    given = shown(batch)
    first = module.forward_inference(given)[Columns.ACTION_DIST_INPUTS]
    assert set(given[Columns.OBS]) == {OBSERVATIONS, ACTION_MASK}
    assert torch.equal(module.forward_inference(given)[Columns.ACTION_DIST_INPUTS], first)
    as_bytes = module.forward_inference(shown(batch, "uint8"))[Columns.ACTION_DIST_INPUTS]
    assert torch.equal(as_bytes, first)


@pytest.mark.parametrize("shares", [True, False])
def test_values_are_the_same_with_and_without_the_hidden_layer(shares: bool) -> None:
    module, given = module_of("terz", vf_share_layers=shares), shown(table("terz"))
    outputs = module.forward_train(given)
    values = module.compute_values(given)
    assert values.shape == (ROWS,)
    assert torch.equal(module.compute_values(given, outputs[Columns.EMBEDDINGS]), values)


@pytest.mark.parametrize("shares", [True, False])
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_the_player_of_a_module_chooses_as_the_module_does(game: str, shares: bool) -> None:
    module, batch = module_of(game, vf_share_layers=shares), table(game)
    player = player_of(module, name="mine")
    assert (player.name, player.game, player.has_values) == ("mine", game, shares)
    logits = module.forward_inference(shown(batch))[Columns.ACTION_DIST_INPUTS].numpy()
    decisions, legal = Decisions.of_batch(batch, np.arange(ROWS)), batch.masks == 1
    assert np.array_equal(player.act(decisions, np.random.default_rng(0)), logits.argmax(axis=1))
    assert np.allclose(player.logits(batch.bits)[legal], logits[legal], atol=1e-5)


def test_a_player_tells_results_in_points_and_marks() -> None:
    for game, scale in (("terz", 0.02), ("tetka", 0.5)):
        torch.manual_seed(3)
        module = module_spec({"game": game, "reward_scale": scale}, hidden=(8,)).build()
        batch = table(game)
        values = module.compute_values(shown(batch)).detach().numpy() / scale
        expected = values if game == "terz" else (7 - values) / 4
        assert np.allclose(player_of(module).results(batch.bits), expected, atol=1e-4)


# What is refused.


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fcnet_activation": "tanh"}, "fcnet_activation='tanh': players are made of plain layers"),
        ({"use_lstm": True}, "use_lstm=True"),
        ({"head_fcnet_hiddens": [8]}, r"head_fcnet_hiddens=\[8\]"),
    ],
)
def test_networks_that_no_player_can_be_made_of_are_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(PlayerError, match=message):
        module_of("terz", **settings)


def test_policies_that_would_see_another_view_are_refused() -> None:
    with pytest.raises(PlayerError, match="view='table' in env_config"):
        module_spec({"game": "terz", "view": "table"})


def test_a_module_that_does_not_say_what_it_plays_is_refused() -> None:
    spec = module_spec({"game": "terz"})
    with pytest.raises(PlayerError, match="make it by module_spec"):
        CardModule(
            observation_space=spec.observation_space,
            action_space=spec.action_space,
            inference_only=False,
            model_config={},
        )


def test_spaces_without_a_mask_are_refused() -> None:
    spec = module_spec({"game": "terz"})
    spec.observation_space = gymnasium.spaces.Box(0, 1, (3,))
    with pytest.raises(ValueError, match="a Dict of observations and action_mask is needed"):
        spec.build()


def test_other_modules_are_no_players() -> None:
    spec = RLModuleSpec(
        module_class=DefaultPPOTorchRLModule,
        observation_space=gymnasium.spaces.Box(0, 1, (3,)),
        action_space=gymnasium.spaces.Discrete(2),
        model_config=module_spec({"game": "terz"}).model_config | {"terz_env": None},
    )
    del spec.model_config["terz_env"]
    with pytest.raises(PlayerError, match="DefaultPPOTorchRLModule is no CardModule"):
        player_of(spec.build())
