"""The ways to the games that the matrix measures: each plays lawful decisions at random."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env import terz_v0, tetka_v0
from terz_env.envs.vector import LearnerVectorEnv
from terz_env.players import Decisions, load_player
from terz_env.players.model_facts import ONNX_FILE
from terz_env.players.random import uniform_actions
from terz_env.players.shipped import models_folder
from terz_env.selfplay import SelfPlayBatch

Play = Callable[[], int]
"""Plays for a moment and tells how many decisions."""
FACES = {"terz": terz_v0, "tetka": tetka_v0}
SEED, STEPS, TURNS = 1, 16, 200
WIDE, NARROW = 1024, 256
"""Games that are stepped together, for learners of roll-outs and of replay buffers."""


@dataclass(frozen=True)
class PathRow:
    """One way from a library to the games.

    Attributes:
        name: What the table calls it.
        library: The name that the library is installed by; "" where none is needed.
        module: What has to be importable for the way to be gone.
        page: The page of `docs/` that tells of it.
        proof: The command that proves it.
        games: How many games are stepped together.
        prepare: Returns what plays a game.
    """

    name: str
    library: str
    module: str
    page: str
    proof: str
    games: int
    prepare: Callable[[str], Play]


def rng() -> np.random.Generator:
    """Return the chance that chooses among lawful actions."""
    return np.random.default_rng(SEED)


def turns(game: str, *, checked: bool) -> Play:
    """Play the PettingZoo environment, one seat after another."""
    table = FACES[game].env() if checked else FACES[game].raw_env()
    table.reset(seed=SEED)
    chance = rng()

    def play() -> int:
        played = 0
        while played < TURNS:
            seen, _, over, _, _ = table.last()
            if over:
                table.reset()
                continue
            assert seen is not None
            table.step(int(chance.choice(np.flatnonzero(seen["action_mask"]))))
            played += 1
        return played

    return play


def vector(game: str) -> Play:
    """Play Gymnasium's vector environment."""
    tables, chance = LearnerVectorEnv(game, WIDE), rng()
    masks = [tables.reset(seed=SEED)[0]["action_mask"]]

    def play() -> int:
        for _ in range(STEPS):
            masks[0] = tables.step(uniform_actions(masks[0], chance))[0]["action_mask"]
        return STEPS * WIDE

    return play


def self_play(game: str) -> Play:
    """Play the batch of all seats."""
    batch = SelfPlayBatch(game, WIDE, seed=SEED, observation="uint8")

    def play() -> int:
        for _ in range(STEPS):
            batch.step(batch.random_actions())
        return STEPS * WIDE

    return play


def sb3_tutorial(game: str) -> Play:
    """Play the PettingZoo environment as the tutorial of Stable-Baselines3 wraps it."""
    from training.throughput import TutorialEnv

    table, chance = TutorialEnv(FACES[game].env()), rng()
    table.reset(seed=SEED)

    def play() -> int:
        for _ in range(TURNS):
            action = int(chance.choice(np.flatnonzero(table.action_masks())))
            if table.step(action)[2]:
                table.reset()
        return TURNS

    return play


def sb3_native(game: str) -> Play:
    """Play the native vector for Stable-Baselines3."""
    from terz_env.adapters.sb3 import CardVecEnv

    tables, chance = CardVecEnv(game, WIDE, seed=SEED), rng()
    tables.reset()

    def play() -> int:
        for _ in range(STEPS):
            tables.step(uniform_actions(tables.env_method("action_masks").view(np.int8), chance))
        return STEPS * WIDE

    return play


def open_spiel(game: str) -> Play:
    """Play OpenSpiel's game; events of chance do not count."""
    import pyspiel

    import terz_env.adapters.openspiel  # noqa: F401  (registers the games)

    played_game, chance = pyspiel.load_game(f"python_{game}"), rng()

    def play() -> int:
        state, played = played_game.new_initial_state(), 0
        while not state.is_terminal():
            played += not state.is_chance_node()
            state.apply_action(int(chance.choice(state.legal_actions())))
        return played

    return play


def torchrl_wrapper(game: str) -> Play:
    """Play the PettingZoo environment in TorchRL's own wrapper."""
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper

    tables = PettingZooWrapper(env=FACES[game].env(), use_mask=True, seed=SEED)
    return lambda: int(tables.rollout(TURNS).numel())


def torchrl_native(game: str) -> Play:
    """Play the native environment for TorchRL, one seat of each game."""
    from terz_env.adapters.torchrl import CardEnv

    tables = CardEnv(game, WIDE, dtype="uint8", seed=SEED)
    return lambda: int(tables.rollout(STEPS, break_when_any_done=False).numel())


def torchrl_self_play(game: str) -> Play:
    """Play the native environment for TorchRL in which all seats learn."""
    from terz_env.adapters.torchrl import SelfPlayEnv

    tables = SelfPlayEnv(game, WIDE, dtype="uint8", seed=SEED)
    return lambda: int(tables.rollout(STEPS, break_when_any_done=False).numel())


def tianshou_wrapper(game: str) -> Play:
    """Play the PettingZoo environment in Tianshou's own wrapper."""
    from tianshou.env import PettingZooEnv

    table, chance = PettingZooEnv(FACES[game].env()), rng()
    seen: list[dict[str, Any]] = [table.reset(seed=SEED)[0]]

    def play() -> int:
        for _ in range(TURNS):
            seen[0], _, over, _, _ = table.step(int(chance.choice(np.flatnonzero(seen[0]["mask"]))))
            if over:
                seen[0] = table.reset()[0]
        return TURNS

    return play


def tianshou_native(game: str) -> Play:
    """Play the native vector for Tianshou."""
    from terz_env.adapters.tianshou import CardVectorEnv

    tables, chance = CardVectorEnv(game, NARROW, seed=SEED), rng()
    seen = [tables.reset()[0]]

    def play() -> int:
        for _ in range(STEPS):
            masks: NDArray[np.int8] = seen[0].mask.astype(np.int8)
            seen[0], _, ends, _, _ = tables.step(uniform_actions(masks, chance))
            if ends.any():
                seen[0][ends] = tables.reset(np.flatnonzero(ends))[0]
        return STEPS * NARROW

    return play


def rllib(game: str) -> Play:
    """Play the multi-agent environment for RLlib."""
    adapter = import_module("terz_env.adapters.rllib")  # RLlib has an environment of its own
    table, chance = adapter.CardMultiAgentEnv({"game": game}), rng()
    seen = [table.reset(seed=SEED)[0]]

    def play() -> int:
        for _ in range(TURNS):
            ((agent, shown),) = seen[0].items()
            action = int(chance.choice(np.flatnonzero(shown["action_mask"])))
            seen[0], _, ends, _, _ = table.step({agent: action})
            if ends["__all__"]:
                seen[0] = table.reset()[0]
        return TURNS

    return play


def onnx(game: str) -> Play:
    """Let a shipped policy's ONNX graph choose."""
    player = load_player(models_folder() / game / "small" / ONNX_FILE)
    batch = SelfPlayBatch(game, NARROW, seed=SEED)
    decisions, chance = Decisions.of_batch(batch, np.arange(NARROW)), rng()

    def play() -> int:
        player.act(decisions, chance)
        return NARROW

    return play


ROWS = (
    PathRow(
        "PettingZoo, `raw_env()`",
        "pettingzoo",
        "pettingzoo",
        "guide.md",
        "pytest tests/envs/test_aec.py",
        1,
        lambda game: turns(game, checked=False),
    ),
    PathRow(
        "PettingZoo, `env()`",
        "pettingzoo",
        "pettingzoo",
        "guide.md",
        "pytest tests/envs/test_aec.py",
        1,
        lambda game: turns(game, checked=True),
    ),
    PathRow(
        "Gymnasium, `make_vec`",
        "gymnasium",
        "gymnasium",
        "guide.md",
        "pytest tests/envs/test_vector.py",
        WIDE,
        vector,
    ),
    PathRow(
        "`SelfPlayBatch`, all seats",
        "numba",
        "numba",
        "selfplay.md",
        "pytest tests/test_batch.py",
        WIDE,
        self_play,
    ),
    PathRow(
        "Stable-Baselines3, PettingZoo wrapper",
        "stable-baselines3",
        "stable_baselines3",
        "sb3.md",
        "pytest tests/training/test_throughput.py",
        1,
        sb3_tutorial,
    ),
    PathRow(
        "Stable-Baselines3, `CardVecEnv`",
        "stable-baselines3",
        "stable_baselines3",
        "sb3.md",
        "pytest tests/adapters/test_sb3_vector.py",
        WIDE,
        sb3_native,
    ),
    PathRow(
        "OpenSpiel",
        "open-spiel",
        "pyspiel",
        "openspiel.md",
        "pytest tests/adapters/test_openspiel_games.py",
        1,
        open_spiel,
    ),
    PathRow(
        "TorchRL, `PettingZooWrapper`",
        "torchrl",
        "torchrl",
        "torchrl.md",
        "pytest tests/adapters/test_torchrl_envs.py",
        1,
        torchrl_wrapper,
    ),
    PathRow(
        "TorchRL, `CardEnv`",
        "torchrl",
        "torchrl",
        "torchrl.md",
        "pytest tests/adapters/test_torchrl_envs.py",
        WIDE,
        torchrl_native,
    ),
    PathRow(
        "TorchRL, `SelfPlayEnv`, all seats",
        "torchrl",
        "torchrl",
        "torchrl.md",
        "pytest tests/adapters/test_torchrl_envs.py",
        WIDE,
        torchrl_self_play,
    ),
    PathRow(
        "Tianshou, `PettingZooEnv`",
        "tianshou",
        "tianshou",
        "tianshou.md",
        "pytest tests/adapters/test_tianshou_env.py",
        1,
        tianshou_wrapper,
    ),
    PathRow(
        "Tianshou, `CardVectorEnv`",
        "tianshou",
        "tianshou",
        "tianshou.md",
        "pytest tests/adapters/test_tianshou_env.py",
        NARROW,
        tianshou_native,
    ),
    PathRow(
        "RLlib, `CardMultiAgentEnv`",
        "ray",
        "ray.rllib",
        "rllib.md",
        "make test-rllib",
        1,
        rllib,
    ),
    PathRow(
        "ONNX, a shipped policy chooses",
        "onnxruntime",
        "onnxruntime",
        "models.md",
        "pytest tests/training/test_onnx.py",
        NARROW,
        onnx,
    ),
)
"""The rows of the matrix, in order."""
