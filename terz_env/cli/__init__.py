"""The `terz` command; its libraries are loaded when it runs."""

import sys

_LIBRARIES = ("typer", "click", "rich")


def main() -> None:
    """Runs the command; says which extra is missing where its libraries are not installed."""
    try:
        from terz_env.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in _LIBRARIES:
            raise
        sys.exit(f"terz: {error.name} is missing; pip install 'terz-env[cli]' (the extra cli)")
    app()
