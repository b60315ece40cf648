"""Closed forms of the advantages, the masked policy and its entropy."""

import math

import numpy as np
import pytest
import torch

from terz_env.selfplay import expand_bits
from training.networks import (
    PolicyValueNetwork,
    masked_entropy,
    masked_log_policy,
    sample_actions,
)
from training.ppo import clipped_objective, normalise
from training.returns import seat_advantages


def two_seat_deal(lambda_: float) -> np.ndarray:
    """Seat 0 decides at steps 0 and 2, seat 1 at step 1; the deal pays 3 and -3."""
    return seat_advantages(
        environments=np.array([0, 0, 0]),
        seats=np.array([0, 1, 0]),
        values=np.array([1.0, -0.5, 2.0], dtype=np.float32),
        results=np.array([[3.0, -3.0]], dtype=np.float32),
        lambda_=lambda_,
    )


def test_the_next_state_of_a_seat_is_its_own_next_decision() -> None:
    # One step: seat 0 from 1 to 2, then from 2 to the result 3; seat 1 from -0.5 to -3.
    np.testing.assert_allclose(two_seat_deal(0.0), [1.0, -2.5, 1.0])


def test_with_lambda_one_the_advantage_is_the_result_less_the_value() -> None:
    np.testing.assert_allclose(two_seat_deal(1.0), [2.0, -2.5, 1.0])


def test_lambda_weighs_the_later_surprises_geometrically() -> None:
    np.testing.assert_allclose(two_seat_deal(0.95), [1.0 + 0.95 * 1.0, -2.5, 1.0], rtol=1e-6)


def test_deals_in_one_batch_do_not_mix() -> None:
    advantages = seat_advantages(
        environments=np.array([0, 1, 1]),
        seats=np.array([0, 0, 0]),
        values=np.array([0.0, 0.0, 1.0], dtype=np.float32),
        results=np.array([[1.0, -1.0], [5.0, -5.0]], dtype=np.float32),
        lambda_=1.0,
    )
    np.testing.assert_allclose(advantages, [1.0, 5.0, 4.0])


def test_an_illegal_action_has_probability_zero_and_the_others_share_the_rest() -> None:
    masks = torch.tensor([[True, False, True, False]])
    policy = masked_log_policy(torch.tensor([[0.0, 50.0, 0.0, -50.0]]), masks).exp()
    assert policy.tolist() == [[0.5, 0.0, 0.5, 0.0]]


def test_the_entropy_of_a_uniform_policy_is_the_logarithm_of_the_legal_actions() -> None:
    masks = torch.tensor([[True] * 3 + [False] * 71])
    entropy = masked_entropy(masked_log_policy(torch.zeros(1, 74), masks))
    assert entropy.item() == pytest.approx(math.log(3), rel=1e-6)


def test_a_forced_move_has_no_entropy_and_no_gradient() -> None:
    logits = torch.zeros(1, 5, requires_grad=True)
    masks = torch.tensor([[False, True, False, False, False]])
    entropy = masked_entropy(masked_log_policy(logits, masks)).sum()
    entropy.backward()
    assert entropy.item() == 0.0
    assert logits.grad is not None
    assert logits.grad.abs().max().item() == 0.0


def test_the_entropy_has_no_gradient_at_illegal_actions() -> None:
    logits = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    masks = torch.tensor([[True, False, True]])
    masked_entropy(masked_log_policy(logits, masks)).sum().backward()
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()
    assert logits.grad[0, 1].item() == 0.0
    assert logits.grad[0, 0].item() != 0.0


def test_samples_follow_the_policy_and_never_leave_the_mask() -> None:
    masks = torch.tensor([[True, False, True, True]]).expand(40_000, 4)
    log_policy = masked_log_policy(torch.tensor([0.0, 9.0, 1.0, 2.0]).expand(40_000, 4), masks)
    actions = sample_actions(log_policy, torch.Generator().manual_seed(3))
    shares = torch.bincount(actions, minlength=4) / 40_000
    torch.testing.assert_close(shares, log_policy[0].exp(), atol=0.01, rtol=0)
    assert shares[1].item() == 0.0


def test_the_surrogate_stops_rewarding_a_ratio_beyond_the_clip() -> None:
    ratio = torch.tensor([1.5, 0.5, 1.5, 0.5])
    gains = [
        clipped_objective(ratio[index : index + 1], torch.tensor([sign]), 0.2).item()
        for index, sign in enumerate([1.0, 1.0, -1.0, -1.0])
    ]
    assert gains == pytest.approx([1.2, 0.5, -1.5, -0.8])


def test_normalised_advantages_have_mean_zero_and_deviation_one() -> None:
    normal = normalise(np.array([1.0, 2.0, 6.0], dtype=np.float32))
    assert normal.mean() == pytest.approx(0.0, abs=1e-6)
    assert normal.std() == pytest.approx(1.0, rel=1e-5)


def test_a_layer_on_bits_is_the_layer_on_zeros_and_ones_with_its_gradients() -> None:
    rng = np.random.default_rng(4)
    bits = rng.integers(0, 1 << 63, size=(50, 3), dtype=np.uint64)
    bits[:, 0] |= np.uint64(1 << 63)
    bits[:, 2] &= np.uint64((1 << 22) - 1)
    network = PolicyValueNetwork(150, 7, [16, 8])
    aim = torch.from_numpy(rng.normal(size=(50, 7)).astype(np.float32))
    found = []
    for logits, values in (
        network.look(bits),
        network(torch.from_numpy(expand_bits(bits, 150))),
    ):
        network.zero_grad()
        ((logits * aim).sum() + values.sum()).backward()
        gradients = [p.grad.clone() for p in network.parameters() if p.grad is not None]
        found.append([logits.detach(), values.detach(), *gradients])
    assert len(found[0]) == 2 + 8
    for mine, theirs in zip(*found, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-4, rtol=1e-4)
