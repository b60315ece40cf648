"""The commands of `terz` that let players meet and judge them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import rich
import typer
from rich.table import Table

from terz_env.cli.options import (
    AnyRulesOption,
    GameOption,
    RulesOption,
    ScopeOption,
    SeedOption,
    plain_errors,
)


def evaluate(
    player: Annotated[str, typer.Argument(help="a player's name, or the file of a policy")],
    game: Annotated[str | None, typer.Option("--game", help="terz or tetka")] = None,
    yardsticks: Annotated[
        str, typer.Option(help="quick, full, or names separated by commas")
    ] = "quick",
    against: Annotated[
        list[str] | None, typer.Option(help="one yardstick instead; may be repeated")
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=2, help="duplicate deals a yardstick; else by its cost")
    ] = None,
    regret_deals: Annotated[
        int | None,
        typer.Option(min=0, help="deals of which the regret is measured; 0 for none"),
    ] = None,
    seed: SeedOption = 0,
    rules: Annotated[
        str | None, typer.Option(help="a preset or key=value; else those of its training")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="the results as data")] = None,
    report: Annotated[Path | None, typer.Option(help="a folder for the report")] = None,
    card: Annotated[
        bool, typer.Option("--card", help="print Markdown for the card of a model")
    ] = False,
    processes: Annotated[int, typer.Option(min=1, help="processes that share the deals")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="go on where a report ended")] = False,
    any_rules: AnyRulesOption = False,
) -> None:
    """Plays a player against the yardsticks of its game, and measures its regret."""
    from terz_env.cli.evaluating import run
    from terz_env.evaluation.evaluating import plans
    from terz_env.evaluation.yardsticks import select

    with plain_errors():
        planned = plans(
            player,
            game=game,
            yardsticks=against or yardsticks,
            deals=deals,
            seed=seed,
            rules=rules,
            any_rules=any_rules,
        )
        usual = 0 if against else select(planned[0].game, yardsticks).regret_deals
        try:
            run(
                planned,
                regret_deals=usual if regret_deals is None else regret_deals,
                json_file=json_file,
                report=report,
                card=card,
                processes=processes,
                resume=resume,
                console=rich.get_console(),
            )
        except KeyboardInterrupt:
            hint = "go on with --resume" if report is not None else "nothing kept: give --report"
            typer.echo(f"terz: interrupted; {hint}", err=True)
            raise typer.Exit(130) from None


def models() -> None:
    """Lists the trained policies that come with the package; any command takes their names."""
    from terz_env.cli.models import HEADINGS, rows
    from terz_env.players.shipped import models_folder

    with plain_errors():
        found = list(rows())
    if not found:
        typer.echo(f"no policies in {models_folder()}")
        return
    table = Table(*HEADINGS)
    for cells in found:
        table.add_row(*cells)
    rich.print(table)


def arena(
    game: Annotated[str | None, typer.Option("--game", help="terz or tetka")] = None,
    players: Annotated[
        list[str] | None, typer.Option("--players", help="the first player; the others follow it")
    ] = None,
    others: Annotated[list[str] | None, typer.Argument(help="the other players")] = None,
    deals: Annotated[int, typer.Option(help="deals, matches or rubbers a pairing")] = 2000,
    seed: SeedOption = 0,
    scope: ScopeOption = "deal",
    rules: RulesOption = "",
    form: Annotated[list[str] | None, typer.Option(help="1v3, 2v2 or 3v1; may be repeated")] = None,
    sprt: Annotated[str | None, typer.Option(help="LOW:HIGH, ends a pairing early")] = None,
    control: Annotated[bool, typer.Option("--control", help="add the control variate")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="results, deal by deal")] = None,
    report: Annotated[Path | None, typer.Option(help="a folder for the report")] = None,
    processes: Annotated[int, typer.Option(min=1, help="processes that share the chunks")] = 1,
    ray: Annotated[str | None, typer.Option(help="address of a Ray cluster instead")] = None,
    chunk: Annotated[int | None, typer.Option(help="deals that are kept together")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on where a run ended")] = False,
    read: Annotated[Path | None, typer.Option(help="results of an earlier run instead")] = None,
    any_rules: AnyRulesOption = False,
) -> None:
    """Lets players meet on duplicate deals: terz arena --game terz --players random greedy."""
    from terz_env.cli.arena import play, show
    from terz_env.evaluation.plan import CHUNK, Plan
    from terz_env.evaluation.results import read_results
    from terz_env.evaluation.sequential import Sprt

    console = rich.get_console()
    named = [*(players or []), *(others or [])]
    with plain_errors():
        if read is not None:
            if game is not None or named:
                raise typer.BadParameter("--read takes no --game and no players")
            results = read_results(read)
        elif game is None:
            raise typer.BadParameter("give --game and --players, or --read")
        else:
            plan = Plan.make(
                game,
                named,
                deals,
                seed,
                scope=scope,
                rules=rules or None,
                forms=form or (),
                chunk=CHUNK if chunk is None else chunk,
                any_rules=any_rules,
            )
            try:
                results = play(
                    plan,
                    sprt=None if sprt is None else Sprt.parse(sprt),
                    json_file=json_file,
                    report=report,
                    processes=processes,
                    ray=ray,
                    resume=resume,
                    console=console,
                )
            except KeyboardInterrupt:
                kept = json_file is not None or report is not None
                hint = "go on with --resume" if kept else "nothing kept: give --json or --report"
                typer.echo(f"terz: interrupted; {hint}", err=True)
                raise typer.Exit(130) from None
        show(
            results,
            control=control,
            report=report,
            journal=read is None and json_file is None,
            console=console,
        )


def regret(
    game: GameOption,
    player: Annotated[str, typer.Option(help="whose decisions are judged")],
    against: Annotated[str | None, typer.Option(help="who plays the others; else itself")] = None,
    deals: Annotated[int, typer.Option(help="number of deals")] = 1000,
    seed: SeedOption = 0,
    rules: RulesOption = "",
    processes: Annotated[int, typer.Option(min=1, help="processes that share the deals")] = 1,
    any_rules: AnyRulesOption = False,
) -> None:
    """Measures what a player gives away against exact play at the end of the deal."""
    from terz_env.cli.arena import print_table
    from terz_env.evaluation.regret import regret as measure
    from terz_env.evaluation.tables import regret_table

    with plain_errors():
        found = measure(
            game,
            player,
            deals,
            seed,
            opponent=against,
            rules=rules or None,
            processes=processes,
            any_rules=any_rules,
        )
        print_table(regret_table(player, found, game), rich.get_console())
