"""Players of whole batches: the protocol, and `load_player` for names and directories."""

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from terz_env.players.policy import MODEL_FILE, PlayerError, PolicyPlayer
from terz_env.players.random import RandomAnnouncePlayer, RandomPlayer


class Player(Protocol):
    """Chooses an action for each row of a batch, from the view of the seat to act.

    Attributes:
        name: How tables call the player.
        game: The game it plays, or None if it plays any.
    """

    @property
    def name(self) -> str:
        """How tables call the player."""

    @property
    def game(self) -> str | None:
        """The game it plays, or None if it plays any."""

    def act(
        self,
        bits: NDArray[np.uint64],
        masks: NDArray[np.int8],
        seats: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return a legal action a row.

        Args:
            bits: ``(N, W)`` packed observations of the seats to act.
            masks: ``(N, A)`` their legal actions, at least one a row.
            seats: ``(N,)`` the seats to act.
            rng: The only source of chance.
        """


def load_player(name: str | Path) -> Player:
    """Return the player of that name, or the policy saved in that directory.

    Args:
        name: ``random``, ``random:announce``, or a directory with ``model.safetensors``.

    Raises:
        PlayerError: If there is no such player or the directory does not hold a usable policy.
    """
    if name == RandomPlayer.name:
        return RandomPlayer()
    if name == RandomAnnouncePlayer.name:
        return RandomAnnouncePlayer()
    if Path(name).is_dir() or Path(name).name == MODEL_FILE:
        return PolicyPlayer.load(Path(name))
    raise PlayerError(
        f"no player is called {str(name)!r}: write {RandomPlayer.name}, "
        f"{RandomAnnouncePlayer.name} or a directory that holds {MODEL_FILE}"
    )
