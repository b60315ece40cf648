"""Earlier selves of the learner as its opponents."""

from __future__ import annotations

from collections.abc import Mapping

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback

from terz_env.adapters.sb3.player import Sb3Player
from terz_env.adapters.sb3.vector import CardVecEnv
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
        self._others = dict(others or {"random": 1.0})
        self._kept: list[Sb3Player] = []
        self._due = every

    def _on_training_start(self) -> None:
        self._due = self.num_timesteps + self._every

    def _on_step(self) -> bool:
        """Goes on with the training."""
        return True

    def _on_rollout_start(self) -> None:
        """Takes a snapshot if it is time."""
        if self.num_timesteps < self._due:
            return
        self._due = self.num_timesteps + self._every
        env = self.training_env.unwrapped
        if not isinstance(env, CardVecEnv):
            raise TypeError(f"SnapshotOpponents need a CardVecEnv, not a {type(env).__name__}")
        options = env.options
        name = f"snapshot@{self.num_timesteps}"
        rules = options.rules.to_dict()
        copy = copy_of(self.model.policy)
        player = Sb3Player(copy, options.game.name, name=name, rules=rules, sample=True)
        self._kept = [*self._kept, player][-self._keep :]
        total = sum(self._others.values())
        seats: dict[Opponent, float] = {
            other: (1 - self._share) * weight / total for other, weight in self._others.items()
        }
        seats |= dict.fromkeys(self._kept, self._share / len(self._kept))
        env.env_method("set_opponents", seats)


def copy_of(policy: object) -> MaskableActorCriticPolicy:
    """Returns a copy of a policy on the CPU, without what its optimiser has gathered.

    Raises:
        TypeError: It is no policy of MaskablePPO.
    """
    if not isinstance(policy, MaskableActorCriticPolicy):
        raise TypeError(
            f"a {type(policy).__name__} chooses without masks; learn with MaskablePPO of sb3-contrib"
        )
    copy = type(policy)(**policy._get_constructor_parameters())  # noqa: SLF001
    copy.load_state_dict(policy.state_dict())
    return copy.to("cpu")
