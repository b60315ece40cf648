"""Options that several commands of `terz` share, and how they end where something is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from terz_env.errors import TerzEnvError

MAX_SEED = (1 << 63) - 1
GameOption = Annotated[str, typer.Option("--game", help="terz or tetka")]
ScopeOption = Annotated[str, typer.Option(help="deal, match (Terz) or rubber (Tetka)")]
RulesOption = Annotated[str, typer.Option(help="a preset or key=value, separated by commas")]
AnyRulesOption = Annotated[
    bool, typer.Option("--any-rules", help="trained policies may play by other rules than theirs")
]
SeedOption = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="picks the deals and chance")]


@contextmanager
def plain_errors() -> Iterator[None]:
    """Ends the command with one line and status 2 where the package refuses something."""
    try:
        yield
    except (TerzEnvError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        typer.echo(f"terz: {error}", err=True)
        raise typer.Exit(2) from None
