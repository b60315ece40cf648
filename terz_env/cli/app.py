"""The commands of `terz`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import rich
import typer
from rich.table import Table

from terz_env.cli.evaluation_commands import arena, evaluate, models, regret
from terz_env.cli.options import (
    MAX_SEED,
    AnyRulesOption,
    GameOption,
    RulesOption,
    ScopeOption,
    SeedOption,
    plain_errors,
)

app = typer.Typer(
    help="Two Russian card games, Terz and Tetka: records, counts, speed, and policies.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


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

    with plain_errors():
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

    with plain_errors():
        if file == "-":
            good, bad = check_lines(sys.stdin.buffer, "-", lambda text: typer.echo(text, err=True))
        else:
            with Path(file).open("rb") as lines:
                good, bad = check_lines(lines, file, lambda text: typer.echo(text, err=True))
    typer.echo(f"{good:,} records replayed" + (f", {bad:,} bad" if bad else ""))
    if bad:
        raise typer.Exit(1)


for command in (evaluate, models, arena, regret):
    app.command()(command)


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

    with plain_errors():
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

    with plain_errors():
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

    with plain_errors():
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

    with plain_errors():
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

    with plain_errors():
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

    with plain_errors():
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
