"""Earlier selves of the learner as its opponents."""

from __future__ import annotations

from collections.abc import Mapping

from stable_baselines3.common.callbacks import BaseCallback

from terz_env.adapters.sb3.player import Sb3Player
from terz_env.adapters.tables import with_snapshots
from terz_env.envs.seating import Opponent


class SnapshotOpponents(BaseCallback):
    """Seats copies of the learner among its opponents, and takes a new one every N decisions.

    An episode keeps the players that it began with. A snapshot draws its actions from its policy.
    """

    def __init__(
        self,
        every: int,
        *,
        keep: int = 4,
        share: float = 0.5,
        others: Mapping[Opponent, float] | None = None,
    ) -> None:
        """Takes the first snapshot after `every` decisions.

        Args:
            every: Decisions of all environments between two snapshots.
            keep: How many are kept; the oldest goes first.
            share: The chance that a seat is a snapshot's, all of them together.
            others: The players of the other seats with their weights; None for "random".

        Raises:
            ValueError: A number makes no sense.
        """
        super().__init__()
        if every < 1 or keep < 1 or not 0 < share <= 1:
            raise ValueError(
                f"every={every!r}, keep={keep!r}, share={share!r}: give whole numbers from 1 on "
                "and a share above 0 up to 1"
            )
        self._every, self._keep, self._share = every, keep, share
        self._others: dict[Opponent, float] = {"random": 1.0} if others is None else {**others}
        self._kept: list[Sb3Player] = []
        self._due = every

    def _on_training_start(self) -> None:
        self._due = self.num_timesteps + self._every

    def _on_step(self) -> bool:
        """Goes on with the training."""
        return True

    def _on_rollout_start(self) -> None:
        """Takes a snapshot if it is time; raises TypeError where it cannot be seated."""
        if self.num_timesteps < self._due:
            return
        self._due = self.num_timesteps + self._every
        if not self.training_env.has_attr("set_opponents"):
            raise TypeError(
                "the environments have no set_opponents; learn on CardVecEnv, or on the "
                "environments of this package that Gymnasium makes"
            )
        name = f"snapshot@{self.num_timesteps}"
        player = Sb3Player.of(self.model, name=name, sample=True)
        self._kept = [*self._kept, player][-self._keep :]
        seats = with_snapshots(self._others, self._kept, self._share)
        self.training_env.env_method("set_opponents", seats)
