"""One game in one block of memory, stepped by address: the fastest single step from Python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.game import Game

SEAT_BITS = 7
DEAL_OVER = 8
EPISODE_OVER = 16


class Block:
    """The memory that a game's kernels `step_at` and `describe_at` work on, and views of its parts.

    Attributes:
        words: (n_words,) int64, the state.
        bits: (W,) uint64, the observation described last, packed.
        mask: (A,) int8, its action mask: zeros unless the described seat is to act.
        entries: (O,) uint8, the observation expanded.
        address: Where the block lies; it is valid as long as the block lives.
    """

    def __init__(self, game: Game) -> None:
        """Reserves the memory."""
        n_words, width = game.n_words, game.layout.n_words
        mask_words = (game.kernels.N_ACTIONS + 7) // 8
        self._memory = np.zeros(n_words + width + mask_words + 8 * width, dtype=np.int64)
        self.words = self._memory[:n_words]
        self.bits: NDArray[np.uint64] = self._memory[n_words : n_words + width].view(np.uint64)
        tail = self._memory[n_words + width :]
        self.mask: NDArray[np.int8] = tail[:mask_words].view(np.int8)[: game.n_actions]
        expanded = tail[mask_words:].view(np.uint8)
        self.entries: NDArray[np.uint8] = expanded[: game.layout.n_entries]
        self.address = self._memory.ctypes.data
