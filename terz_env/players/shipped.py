"""The policies that come with the package: ``models/<game>/<name>/``."""

from __future__ import annotations

from pathlib import Path

from terz_env.players.model_facts import GAMES, MODEL_FILE, ONNX_FILE
from terz_env.players.protocol import PlayerError

FOLDER = "models"
IN_CHECKPOINT = Path("learner_group", "learner", "rl_module", "learner")
"""Where a checkpoint of RLlib keeps the module that learns (`terz_env.adapters.rllib`)."""
RLLIB_FILE = "rllib_checkpoint.json"
SUFFIXES = (".safetensors", ".onnx", ".zip")
"""The endings of files that hold a policy."""


def models_folder() -> Path:
    """Return where the shipped policies lie: in the package, or beside it in the repository."""
    package = Path(__file__).parents[1]
    if (package.parent / "pyproject.toml").is_file():
        return package.parent / FOLDER
    return package / FOLDER


def shipped_models() -> dict[str, Path]:
    """Return the directories of the shipped policies by name, such as ``tetka/small``."""
    folder = models_folder()
    found = {
        f"{game}/{file.parent.name}": file.parent
        for game in GAMES
        for file in (folder / game).glob(f"*/{MODEL_FILE}")
    }
    return dict(sorted(found.items()))


def model_file(name: str | Path) -> Path | None:
    """Return the file of the trained policy that a name or path means, or None if it means none.

    A directory may be a checkpoint of RLlib.

    Raises:
        PlayerError: It is one, but not of a module that players can be made of.

    >>> model_file("heuristic") is None
    True
    """
    path = Path(name)
    if isinstance(name, str) and name.partition("/")[0] in GAMES and name in shipped_models():
        path = shipped_models()[name]
    if (path / RLLIB_FILE).is_file():
        path = _policy_in_checkpoint(path)
    if path.is_dir():
        only_onnx = (path / ONNX_FILE).is_file() and not (path / MODEL_FILE).is_file()
        return path / (ONNX_FILE if only_onnx else MODEL_FILE)
    return path if path.suffix in SUFFIXES else None


def _policy_in_checkpoint(folder: Path) -> Path:
    """Return the policy that learned, of a checkpoint of RLlib."""
    file = folder / IN_CHECKPOINT / MODEL_FILE
    if not file.is_file():
        raise PlayerError(
            f"{folder}: a checkpoint of RLlib without {IN_CHECKPOINT / MODEL_FILE}; learn with "
            "ppo_config of terz_env.adapters.rllib"
        )
    return file
