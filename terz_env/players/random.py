"""The two random yardsticks: `random` and, in Terz, `random:announce`."""

import numpy as np
from numpy.typing import NDArray

from terz_env.games import get_game

RUNS = slice(32, 56)
FOURS = slice(56, 60)
MARRIAGE, SEVEN = 60, 61
FOUR_STRENGTHS = (4, 1, 2, 3)  # jacks, queens, kings, aces: J > A > K > Q (Rule T14)


def uniform_actions(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """A uniform legal action a row ``(N,)``."""
    draws = 1 - rng.random(masks.shape, dtype=np.float32)  # in (0, 1]: above every illegal 0
    actions: NDArray[np.int64] = (draws * masks).argmax(axis=1)
    return actions


class RandomPlayer:
    """Plays uniformly over the mask: cards, melds and the exchange alike."""

    name = "random"
    game: str | None = None

    def act(
        self,
        bits: NDArray[np.uint64],
        masks: NDArray[np.int8],
        seats: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return a uniform legal action a row (see `Player.act`)."""
        return uniform_actions(masks, rng)


class RandomAnnouncePlayer:
    """Announces the strongest meld first, then exchanges the seven, else plays uniformly."""

    name = "random:announce"
    game: str | None = "terz"

    def __init__(self) -> None:
        """Look up where the observation holds the hand and the trump suit."""
        layout = get_game("terz").layout
        self._hand = layout.field("hand").offset
        self._trump = layout.field("trump_suit").offset

    def act(
        self,
        bits: NDArray[np.uint64],
        masks: NDArray[np.int8],
        seats: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return the strongest announcement, the exchange or a uniform action (`Player.act`)."""
        strengths = self._strengths(bits) * masks
        best = strengths.argmax(axis=1)
        announced = strengths.max(axis=1) > 0
        return np.where(announced, best, uniform_actions(masks, rng))

    def _strengths(self, bits: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Order of all actions ``(N, A)`` by T14 and T16; 0 for cards and the break."""
        hands = _entries(bits, self._hand, 32).reshape(-1, 4, 8)
        trumps = _entries(bits, self._trump, 4)
        lengths = hands.copy()
        for rank in range(1, 8):
            lengths[:, :, rank] *= 1 + lengths[:, :, rank - 1]
        ranks = np.arange(8)
        runs = lengths * 100 + 2 * ranks + trumps[:, :, None]
        strengths = np.zeros((len(bits), 74), dtype=np.int64)
        strengths[:, RUNS] = runs[:, :, 2:].reshape(len(bits), 24)
        strengths[:, FOURS] = 1000 * np.array(FOUR_STRENGTHS)
        strengths[:, MARRIAGE] = 2
        strengths[:, SEVEN] = 1
        return strengths


def _entries(bits: NDArray[np.uint64], offset: int, size: int) -> NDArray[np.int64]:
    """Entries ``offset`` to ``offset + size`` of packed observations, as 0 and 1 ``(N, size)``."""
    entry = np.arange(offset, offset + size)
    shifts = (entry % 64).astype(np.uint64)
    return ((bits[:, entry // 64] >> shifts) & np.uint64(1)).astype(np.int64)
