"""The policies that come with the package: ``models/<game>/<name>/``."""

from __future__ import annotations

from pathlib import Path

from terz_env.players.model_facts import GAMES, MODEL_FILE

FOLDER = "models"


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
