"""What OpenSpiel's observers show: our views, as a tensor of named pieces and as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from terz_env.adapters.openspiel.wording import Wording
from terz_env.errors import ObservationError
from terz_env.game import Game
from terz_env.observation import View

PLAYER = "player"
"""The piece that tells which seat looks; all other pieces count seats from it."""


def shown_view(game: Game, kind: Any) -> View | None:
    """Returns the view that an observation type stands for, None where there is none.

    What one player sees is `observation`, with perfect recall `history`; what all see together is
    `state`. The public part alone has no view.
    """
    if kind is None:
        return game.views["observation"]
    if not kind.public_info:
        return None
    if kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER:
        return game.views["history" if kind.perfect_recall else "observation"]
    if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS and not kind.perfect_recall:
        return game.views["state"]
    return None


class Observer:
    """An observer by OpenSpiel's convention: `set_from` fills `tensor`, `string_from` is text.

    While the cards are being dealt nobody sees anything.

    Attributes:
        tensor: ``(O,)`` float32: the player, then the entries of the view.
        dict: The same memory by pieces: ``player`` ``(P,)`` and each field of the view, or, of a
            sequence, ``history`` ``(T, F)``.
    """

    def __init__(self, game: Game, view: View, params: object = None) -> None:
        """Takes the view.

        Raises:
            ObservationError: There are parameters; none is known.
        """
        if params:
            raise ObservationError(f"parameters {params!r}: an observation of {game.name} has none")
        self._view, self._wording = view, Wording(view)
        self._n_seats = game.n_seats
        self.tensor: NDArray[np.float32] = np.zeros(game.n_seats + view.n_entries, np.float32)
        self._entries = self.tensor[game.n_seats :]
        self.dict = {PLAYER: self.tensor[: game.n_seats]}
        if view.steps:
            self.dict[view.name] = self._entries.reshape(view.shape)
        else:
            for field in view.layout.fields:
                self.dict[field.name] = self._entries[field.offset : field.offset + field.size]

    def set_from(self, state: Any, player: int) -> None:
        """Writes what a player sees into `tensor`."""
        self.tensor.fill(0)
        self.dict[PLAYER][player] = 1
        if state.play.position is not None:
            words = state.play.see(self._view, player)
            self._entries[:] = self._view.expand(words).ravel()

    def string_from(self, state: Any, player: int) -> str:
        """Returns what a player sees as text."""
        if state.play.position is None:
            return f"p{player} | dealing"
        return f"p{player} | {self._wording.say(state.play.see(self._view, player))}"
