"""A native batched `EnvBase`: N learners' games in one step, the other players inside."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from tensordict import TensorDict, TensorDictBase

from terz_env.adapters.tables import refuse_fixed, refusing
from terz_env.adapters.torchrl.tables import TablesEnv
from terz_env.envs.rows import Observation
from terz_env.envs.seating import Opponents
from terz_env.envs.vector import LearnerVectorEnv

FIXED_OPTIONS = {
    "autoreset_mode": "TorchRL resets the games that have ended itself",
    "copy": "TorchRL keeps the observations of a whole roll-out",
}
ADVICE = (
    "choose under `action_mask`, as MaskedCategorical and QValueActor do, and to play at random "
    "give `env.rand_action` to a collector; or set illegal_actions='forfeit'"
)


class CardEnv(TablesEnv):
    """N games of Terz or Tetka for TorchRL, each seen from the seat that learns.

    A step takes the learner to its next decision, or to the end of the episode, and pays all that
    its seat has earned meanwhile. A tensordict holds `observation` (N, O) of 0 or 1, `action_mask`
    (N, A) bool, `action` (N,), `reward` (N, 1) float32, `done` and `terminated` (N, 1).

    At the end of an episode there is nothing to choose: the mask of that `next` is all true, so
    that a policy that is asked for it nevertheless gives numbers. `reset` with `_reset` (N,) or
    (N, 1) begins anew where it is true; roll-outs and collectors do that themselves.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1024,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        illegal_actions: str = "raise",
        dtype: str = "float32",
        seed: int | None = None,
        device: torch.device | str = "cpu",
        **options: Any,
    ) -> None:
        """Prepares the games; `reset` deals.

        Args:
            game: "terz" or "tetka".
            num_envs: The number of games N.
            opponents: Who sits in the other seats: names, files of models, players, a mapping of
                these to weights, drawn anew for each seat and episode, or a list of one for each
                seat from the learner's left neighbour on.
            seat: The learner's seat, "rotate" (the next one in every episode) or "random".
            illegal_actions: "raise" refuses an unmasked action; "forfeit" and "penalise" play on.
            dtype: Of the observations, "float32" or "uint8".
            seed: Picks the deals and the other players' chance, as `set_seed` does; None leaves
                both to chance.
            device: Where tensors go; the games are played by the processor.
            **options: See `terz_env.envs.vector.LearnerVectorEnv`.

        Raises:
            TypeError: There is no such option, or it is fixed here.
            ValueError: An option has a wrong value, or a player does not exist or play this game.
        """
        refuse_fixed(options, FIXED_OPTIONS)
        vector = LearnerVectorEnv(
            game,
            num_envs,
            opponents=opponents,
            seat=seat,
            illegal_actions=illegal_actions,
            dtype=dtype,
            autoreset_mode=AutoresetMode.DISABLED,
            **options,
        )
        shape, n_actions = vector.options.view.shape, vector.options.game.n_actions
        super().__init__(vector.num_envs, shape, n_actions, 1, dtype, seed, device)
        self.vector = vector
        self.options = vector.options

    def set_opponents(self, opponents: Opponents) -> None:
        """Lets other players sit down, in each game from its next episode on.

        Raises:
            PlayerError: There is no such player, or it plays another game.
        """
        self.vector.set_opponents(opponents)

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        """Begins an episode in every game, or where `_reset` says so."""
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        options = {}
        if chosen is not None:
            options["reset_mask"] = chosen.reshape(-1).cpu().numpy()
        seen, _infos = self.vector.reset(seed=self._next_seed, options=options)
        self._next_seed = None
        return TensorDict(self._seen(seen, self.vector.over), self.batch_size, self.device)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Plays the learners' actions, and the others' turns."""
        with refusing(ADVICE):
            seen, rewards, ends, _, _ = self.vector.step(tensordict.get("action").cpu().numpy())
        done = self._tensor(ends).unsqueeze(1)
        paid = {
            "reward": self._tensor(rewards.astype(np.float32)).unsqueeze(1),
            "done": done,
            "terminated": done.clone(),
        }
        return TensorDict({**self._seen(seen, ends), **paid}, self.batch_size, self.device)

    def _seen(self, seen: Observation, over: NDArray[np.bool_]) -> dict[str, torch.Tensor]:
        """Returns what the learners see, with every action where there is nothing to choose."""
        masks = seen["action_mask"].view(np.bool_) | over[:, None]
        return self._shown(seen["observation"], masks)
