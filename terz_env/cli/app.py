"""The commands of `terz`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import rich
import typer
from rich.table import Table

from terz_env.errors import TerzEnvError

app = typer.Typer(
    help="Two Russian card games, Terz and Tetka: records, counts, speed, and policies.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

MAX_SEED = (1 << 63) - 1
GameOption = Annotated[str, typer.Option("--game", help="terz or tetka")]
ScopeOption = Annotated[str, typer.Option(help="deal, match (Terz) or rubber (Tetka)")]
RulesOption = Annotated[str, typer.Option(help="a preset or key=value, separated by commas")]
AnyRulesOption = Annotated[
    bool, typer.Option("--any-rules", help="trained policies may play by other rules than theirs")
]
SeedOption = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="picks the deals and chance")]


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Ends the command with one line and status 2 where the package refuses something."""
    try:
        yield
    except (TerzEnvError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        typer.echo(f"terz: {error}", err=True)
        raise typer.Exit(2) from None


@app.command()
def record(
    game: GameOption,
    scope: ScopeOption = "deal",
    games: Annotated[int, typer.Option(min=0, help="number of games")] = 1,
    seed: SeedOption = 0,
    rules: RulesOption = "",
    legal: Annotated[bool, typer.Option("--legal", help="write the legal actions too")] = False,
    player: Annotated[list[str] | None, typer.Option(help="one for all seats, or one each")] = None,
    any_rules: AnyRulesOption = False,
) -> None:
    """Plays games and writes their records, one a line.

    Rubbers of one seed are a series: after every fourth the players draw their seats anew.
    """
    from terz_env.cli.playing import seat_players, seated
    from terz_env.games.tetka.series import seating
    from terz_env.records import record_game

    with _plain_errors():
        players = seat_players(game, player or [], rules or None, any_rules=any_rules)
        for number in range(games):
            series = (game, scope) == ("tetka", "rubber")
            drawn = seating(seed, number) if series else range(len(players))
            chooser = seated([players[place] for place in drawn], seed, number)
            line = record_game(game, rules or None, scope, seed, number, chooser, legal)
            typer.echo(json.dumps(line, separators=(",", ":")))


@app.command()
def replay(
    file: Annotated[str, typer.Argument(help="a file of records, or - for the standard input")],
) -> None:
    """Checks every step of every record; the exit status is 1 where one is bad."""
    from terz_env.cli.replaying import check_lines

    with _plain_errors():
        if file == "-":
            good, bad = check_lines(sys.stdin.buffer, "-", lambda text: typer.echo(text, err=True))
        else:
            with Path(file).open("rb") as lines:
                good, bad = check_lines(lines, file, lambda text: typer.echo(text, err=True))
    typer.echo(f"{good:,} records replayed" + (f", {bad:,} bad" if bad else ""))
    if bad:
        raise typer.Exit(1)


@app.command()
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

    with _plain_errors():
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


@app.command()
def models() -> None:
    """Lists the trained policies that come with the package; any command takes their names."""
    from terz_env.cli.models import HEADINGS, rows
    from terz_env.players.shipped import models_folder

    with _plain_errors():
        found = list(rows())
    if not found:
        typer.echo(f"no policies in {models_folder()}")
        return
    table = Table(*HEADINGS)
    for cells in found:
        table.add_row(*cells)
    rich.print(table)


@app.command()
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
    with _plain_errors():
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


@app.command()
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

    with _plain_errors():
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


@app.command()
def count(
    game: Annotated[str | None, typer.Option("--game", help="any of the five games")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=MAX_SEED, help="picks the deal")] = None,
    step: Annotated[int | None, typer.Option(min=0, help="random actions played first")] = None,
    depth: Annotated[int, typer.Option(min=0, max=200, help="actions to look ahead")] = 3,
    rules: RulesOption = "",
    position: Annotated[str | None, typer.Option(help="a position as text, with its rules")] = None,
) -> None:
    """Counts the lines of play from a position, and how many of them end the deal."""
    from terz_env.cli.counting import count_lines
    from terz_env.cli.counting import position as dealt
    from terz_env.state import State

    with _plain_errors():
        if position is None:
            if game is None:
                raise typer.BadParameter("give --game, or a position as text with --position")
            start = dealt(game, rules or None, seed or 0, step or 0)
        else:
            if game is not None or seed is not None or step is not None or rules:
                raise typer.BadParameter("--position takes no --game, --seed, --step or --rules")
            start = State.from_text(position)
        lines, ends = count_lines(start, depth)
    typer.echo(f"lines {lines}\nends {ends}")


@app.command()
def draw(
    file: Annotated[Path, typer.Argument(help="a file of records")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="a .gif, .svg, .png or .txt file")
    ] = None,
    line: Annotated[int, typer.Option(min=1, help="the record's line in the file, from 1")] = 1,
    deal: Annotated[int, typer.Option(min=0, help="the deal of the record, from 0")] = 0,
    step: Annotated[int | None, typer.Option(min=0, help="one picture, after N actions")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="who looks; else all is open")] = None,
    lang: Annotated[str, typer.Option(help="en or ru")] = "en",
    name: Annotated[list[str] | None, typer.Option(help="the name of a seat, one each")] = None,
    size: Annotated[str, typer.Option(help="pixels of a .gif or .png")] = "640x480",
    seconds: Annotated[float, typer.Option(min=0.02, max=600, help="time of a picture")] = 1.0,
) -> None:
    """Draws a deal of a record: an animation, one picture, or text where no file is named."""
    from terz_env.cli.drawing import choose_step, parse_size, read_views
    from terz_env.cli.drawing import draw as write
    from terz_env.envs.render import show

    with _plain_errors():
        pixels = parse_size(size)
        views = read_views(file, line, deal, seat, lang, name or None)
        if output is None:
            show(choose_step(views, step or 0))
            return
        pictures = write(views, output, step, pixels, seconds)
    typer.echo(f"{output}: {pictures} picture{'' if pictures == 1 else 's'}")


@app.command()
def play(
    game: Annotated[str | None, typer.Option("--game", help="terz or tetka")] = None,
    opponent: Annotated[
        list[str] | None, typer.Option(help="one for all other seats, or one each, the left first")
    ] = None,
    scope: Annotated[str | None, typer.Option(help="deal, match (Terz) or rubber (Tetka)")] = None,
    rules: RulesOption = "",
    seat: Annotated[int, typer.Option(min=0, help="your seat")] = 0,
    seed: Annotated[
        int | None, typer.Option(min=0, max=MAX_SEED, help="picks the deals; else chance does")
    ] = None,
    lang: Annotated[str, typer.Option(help="en or ru")] = "en",
    record: Annotated[
        Path | None, typer.Option(help="a file that gets the record of the finished game")
    ] = None,
    position: Annotated[
        Path | None, typer.Option(help="plays on from a file that `save` has written")
    ] = None,
    hints: Annotated[bool, typer.Option("--hints", help="advice before each decision")] = False,
    any_rules: AnyRulesOption = False,
) -> None:
    """Lets you play against players, in the terminal or over a pipe.

    The exit status is 0 where the game ends or you quit, 1 where the input ends before, 130 after
    Ctrl-C.
    """
    from terz_env.cli.play import Table
    from terz_env.cli.play_course import Course
    from terz_env.cli.play_setup import (
        check_game,
        draw_seed,
        forgive_odd_letters,
        load_opponents,
        read_position,
    )
    from terz_env.state import State

    with _plain_errors():
        number = draw_seed() if seed is None else seed
        if position is not None:
            if game is not None or scope is not None or rules:
                raise typer.BadParameter("--position takes no --game, --scope or --rules")
            state = read_position(position)
        elif game is None:
            raise typer.BadParameter("give --game, or a saved position with --position")
        else:
            state = State.new(check_game(game), rules or None, scope=scope or "deal", seed=number)
        table = Table(
            Course(state, number, resumed=position is not None),
            load_opponents(state, opponent or [], any_rules=any_rules),
            seat=seat,
            language=lang,
            record=record,
            hints=hints,
        )
        forgive_odd_letters()
        try:
            left = table.run()
        except KeyboardInterrupt:
            typer.echo()
            table.leave("interrupted")
            raise typer.Exit(130) from None
    if left == "input ends":
        raise typer.Exit(1)


@app.command()
def solve(
    record: Annotated[Path | None, typer.Option(help="a file; its first record is taken")] = None,
    deal: Annotated[int, typer.Option(min=0, help="a deal of the record, from 0")] = 0,
    step: Annotated[int, typer.Option(min=0, help="actions of the deal played first")] = 0,
    position: Annotated[str | None, typer.Option(help="a position as text instead")] = None,
    model: Annotated[str, typer.Option(help="Tetka: paranoid or teams")] = "paranoid",
    nodes: Annotated[int | None, typer.Option(help="give up after so many positions")] = None,
    seconds: Annotated[float | None, typer.Option(help="give up after so long")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Solves a position, all cards known: the exact value of every legal action."""
    from terz_env.cli.solving import position as find
    from terz_env.cli.solving import solved
    from terz_env.search.solving import Limit

    with _plain_errors():
        limit = Limit(nodes=nodes, seconds=seconds)
        answer = solved(find(record, position, deal, step), model, limit)
    if as_json:
        typer.echo(json.dumps(answer))
        return
    table = Table("action", answer["unit"], title=f"seat_{answer['to_act']} to act")
    for name, value in answer["values"].items():
        table.add_row(name, f"{value}")
    rich.print(table)


@app.command()
def bench(
    game: Annotated[str, typer.Option("--game", help="terz, tetka or both")] = "both",
    batch: Annotated[int, typer.Option(min=1, help="deals in a batch")] = 1024,
    repeats: Annotated[int, typer.Option(min=1, help="measurements a row")] = 7,
    solvers: Annotated[bool, typer.Option(help="measure solvers and searches too")] = True,
    json_file: Annotated[Path | None, typer.Option("--json", help="write the rows here")] = None,
) -> None:
    """Measures actions a second and core, in the kernel and from outside, solvers and searches.

    Other libraries of card games are measured too, where they are installed.
    """
    from terz_env.cli.bench import machine, measure, versions
    from terz_env.cli.bench_peers import COMPARED, measure_peers
    from terz_env.cli.search_bench import measure as measure_searches
    from terz_env.cli.solver_bench import measure as measure_solvers

    with _plain_errors():
        games = ("tetka", "terz") if game == "both" else (game,)
        rows = [row for name in games for row in measure(name, batch, repeats)]
        used = versions()
        table = Table("game", "row", "batch", "M/s", "spread", title=machine())
        for row in rows:
            speed, spread = f"{row.per_second / 1e6:.1f}", f"{row.spread:.0%}"
            table.add_row(row.game, row.name, f"{row.batch:,}", speed, spread)
        rich.print(table)
        measured = games if solvers else ()
        latencies = [row for name in measured for row in measure_solvers(name)]
        latencies += [row for name in measured for row in measure_searches(name)]
        table = Table("solver or search", "positions", "median ms", "90 %", "99 %")
        for solver in latencies:
            times = (solver.median_ms, solver.p90_ms, solver.p99_ms)
            table.add_row(solver.name, f"{solver.positions:,}", *(f"{ms:.2f}" for ms in times))
        if solvers:
            rich.print(table)
        peers = list(measure_peers(rows, repeats))
        table = Table("library", "game", "M/s", "ours", *COMPARED, title="times as fast")
        for peer in peers:
            ratios = (f"{peer.ratios[name]:,.1f}" for name in COMPARED)
            speed = f"{peer.row.per_second / 1e6:.4f}"
            table.add_row(peer.row.name, peer.row.game, speed, peer.ours, *ratios)
        if peers:
            rich.print(table)
        typer.echo(", ".join(f"{name} {version}" for name, version in used.items()))
        if json_file is not None:
            facts = {"machine": machine(), "versions": used, "rows": [vars(row) for row in rows]}
            facts["latencies"] = [vars(row) for row in latencies]
            facts["peers"] = [{**vars(peer), "row": vars(peer.row)} for peer in peers]
            json_file.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


@app.command("compile")
def compile_kernels(
    game: Annotated[str, typer.Option("--game", help="terz, tetka or both")] = "both",
) -> None:
    """Compiles everything ahead, so that later nothing waits for it; a second run is quick."""
    from rich.progress import Progress

    from terz_env import compilation
    from terz_env.cli.compiling import parts
    from terz_env.kernel import COMPILED, cache_directory

    with _plain_errors():
        chosen = list(parts(game))
        if not COMPILED:
            typer.echo("nothing is compiled: NUMBA_DISABLE_JIT is set; unset it")
            raise typer.Exit(2)
        with Progress(transient=True) as progress:
            bar = progress.add_task("", total=len(chosen))
            for part in chosen:
                label = f"{part.game} {part.name}"

                def tell(kernel: str, label: str = label) -> None:
                    progress.update(bar, description=f"{label}: {kernel.rpartition('.')[2]}")

                progress.update(bar, description=label)
                with compilation.listening(tell):
                    part.use(part.game)
                progress.advance(bar)
    directory = cache_directory()
    typer.echo(f"{len(compilation.compiled)} kernels compiled; the others were in the cache")
    typer.echo(f"cache: {directory or 'none, nothing is kept'}")
