"""The `terz` command; its libraries are loaded when it runs."""

import sys

_LIBRARIES = {"typer": "cli", "click": "cli", "rich": "cli"}
_LIBRARIES |= {"scipy": "arena", "matplotlib": "arena", "jinja2": "arena"}


def main() -> None:
    """Runs the command; says which extra is missing where its libraries are not installed."""
    try:
        from terz_env.cli.app import app

        app()
    except ModuleNotFoundError as error:
        extra = _LIBRARIES.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        sys.exit(
            f"terz: {error.name} is missing; pip install 'terz-env[{extra}]' (the extra {extra})"
        )
