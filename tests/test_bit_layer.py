"""A linear layer on bits gives what the product with zeros and ones gives."""

import numpy as np
import pytest
from numpy.typing import NDArray

from terz_env.bit_layer import bit_gradient, bit_sums

ENTRIES = 130
"""Three words, the last one nearly empty."""


def some_bits(rows: int) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Packed bits and the same as floats; the first row is empty, the second full."""
    dense = np.random.default_rng(1).random((rows, ENTRIES)) < 0.2
    dense[:1], dense[1:2] = False, True
    padded = np.zeros((rows, 192), dtype=np.uint8)
    padded[:, :ENTRIES] = dense
    packed = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return packed, dense.astype(np.float32)


@pytest.mark.parametrize("rows", [1, 2, 7, 300])
def test_sums_are_those_of_the_dense_product(rows: int) -> None:
    rng = np.random.default_rng(2)
    bits, dense = some_bits(rows)
    table = rng.normal(size=(ENTRIES, 5)).astype(np.float32)
    bias = rng.normal(size=5).astype(np.float32)
    np.testing.assert_allclose(bit_sums(bits, table, bias), dense @ table + bias, atol=1e-4)


@pytest.mark.parametrize("rows", [1, 2, 7, 300])
def test_the_gradient_is_that_of_the_dense_product(rows: int) -> None:
    bits, dense = some_bits(rows)
    gradients = np.random.default_rng(3).normal(size=(rows, 5)).astype(np.float32)
    found = bit_gradient(bits, gradients, ENTRIES)
    np.testing.assert_allclose(found, dense.T @ gradients, atol=1e-4)


def test_a_table_may_have_more_rows_than_there_are_bits() -> None:
    bits, dense = some_bits(9)
    table = np.random.default_rng(2).normal(size=(1000, 5)).astype(np.float32)
    sums = bit_sums(bits, table, table[0])
    np.testing.assert_allclose(sums, dense @ table[:ENTRIES] + table[0], atol=1e-4)
    found = bit_gradient(bits, sums, 1000)
    np.testing.assert_allclose(found[:ENTRIES], dense.T @ sums, atol=1e-4)
    assert not found[ENTRIES:].any()


def test_no_rows_are_no_work() -> None:
    bits, _ = some_bits(0)
    assert bit_sums(bits, np.ones((ENTRIES, 3), np.float32), np.ones(3, np.float32)).shape == (0, 3)
    assert not bit_gradient(bits, np.ones((0, 3), np.float32), ENTRIES).any()
