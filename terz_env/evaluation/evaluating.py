"""One player against the yardsticks: results, regret, and what they hold for (`terz-evaluation/1`).

Every yardstick is an arena of two: in Terz each deal is played with both seatings, in Tetka with
the player in each seat against three copies of the yardstick.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from terz_env.evaluation.matches import MatchError
from terz_env.evaluation.plan import ArenaError, Plan
from terz_env.evaluation.regret import Regret
from terz_env.evaluation.report import HEADINGS, Row
from terz_env.evaluation.results import Results
from terz_env.evaluation.running import run
from terz_env.evaluation.statistics import Estimate, estimate
from terz_env.evaluation.tables import TextTable, regret_table
from terz_env.evaluation.yardsticks import Selection, is_search, select
from terz_env.games import get_game
from terz_env.players import Player, check_plays, load_player
from terz_env.players.model_facts import GAMES
from terz_env.ruleset import Option
from terz_env.state import Rules

FORMAT = "terz-evaluation/1"
FORMS = {"terz": (), "tetka": ("1v3",)}
CHUNKS, LARGEST_CHUNK = 10, 500
ALL_MARKS, OTHERS = 7, 3
"""The marks of a deal of Tetka (Rule K7), and the seats of the yardstick."""


@dataclass(frozen=True)
class Score:
    """A player against one yardstick.

    Attributes:
        row: The result a deal: points in Terz, the player's own marks in Tetka.
        milliseconds: Processor time of one decision of the player.
        forfeits: How many answers of the player were none.
    """

    row: Row
    milliseconds: float
    forfeits: int


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What a player came to.

    Attributes:
        player: Its name, file or directory.
        game: ``terz`` or ``tetka``.
        rules: Every option of the rule set that was played.
        digest: SHA-256 of the file of a trained policy, "" for other players.
        seed: Picks the deals and the players' chance.
        scores: Against each yardstick.
        regret: What it gives away against exact play at the end of a deal; empty if not measured.
        notes: Whatever else should be kept, such as the command, the machine and the versions.
    """

    player: str
    game: str
    rules: Mapping[str, Option]
    digest: str
    seed: int
    scores: tuple[Score, ...]
    regret: tuple[Regret, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)

    def tables(self) -> Iterator[TextTable]:
        """Yield the table of the yardsticks, and that of the regret if it was measured."""
        rows = [
            (*score.row.cells()[1:], f"{score.milliseconds:.3f}", f"{score.forfeits:,}")
            for score in self.scores
        ]
        note = "Each deal is played in both seatings; the deal is the unit."
        if self.game == "tetka":
            note = (
                "One seat against three, in every seat; 1.75 marks are a fair share, fewer are "
                "better. The deal is the unit."
            )
        headings = (*HEADINGS[1:], "ms a decision", "forfeits")
        yield TextTable(f"{self.player} against the yardsticks", headings, rows, note)
        if self.regret:
            yield regret_table(self.player, self.regret, self.game)

    def to_json(self) -> str:
        """Return the text of a file for `read_evaluation`."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n"


def read_evaluation(file: Path) -> Evaluation:
    """Read what `Evaluation.to_json` wrote.

    Raises:
        ArenaError: If the file is damaged or of another version.
        OSError: If it cannot be read.
    """
    try:
        data = json.loads(file.read_bytes())
        form = data.pop("format", None) if isinstance(data, dict) else None
        if form != FORMAT:
            raise ArenaError(f"{file}: format {form!r}; {FORMAT!r} is expected: evaluate again")
        data["scores"] = tuple(map(_score, data["scores"]))
        data["regret"] = tuple(map(_regret, data["regret"]))
        evaluation = Evaluation(**data)
        get_game(evaluation.game).rules(dict(evaluation.rules))
        list(evaluation.tables())
    except ArenaError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ArenaError(f"{file}: damaged evaluation: {error}") from error
    return evaluation


def _score(data: dict[str, Any]) -> Score:
    row = data["row"]
    return Score(**{**data, "row": Row(**{**row, "result": Estimate(**row["result"])})})


def _regret(data: dict[str, Any]) -> Regret:
    estimates = {key: Estimate(**data[key]) for key in ("a_deal", "a_decision", "blunders")}
    return Regret(**{**data, **estimates})


def plans(
    name: str,
    *,
    game: str | None = None,
    yardsticks: str | Sequence[str] = (),
    deals: int | None = None,
    seed: int = 0,
    rules: Rules = None,
    any_rules: bool = False,
) -> list[Plan]:
    """Return an arena of two for every yardstick.

    Args:
        name: The player's name, file or directory.
        game: Which game, where the player plays several.
        yardsticks: The name of a selection, names with commas between them, or a list of names.
        deals: Deals against each yardstick; None for those of the selection.
        seed: Picks the deals and the players' chance.
        rules: Options of the rule set; None for those the player was trained under, if any.
        any_rules: Let trained policies play by other rules than theirs.

    Raises:
        PlayerError: If a player cannot be loaded, or plays another game or by other rules.
        MatchError: If it is not clear which game to play.
        ArenaError: If there is nobody to play against, or a number cannot be.
    """
    player = load_player(name)
    played = game or player.game
    if played not in GAMES:
        given = f"not {played!r}" if played else f"{player.name} plays both"
        raise MatchError(f"matches are played in {' or '.join(GAMES)}, {given}: name the game")
    check_plays(player, played)
    selection = _selection(played, yardsticks)
    others = [other for other in selection.names[played] if other != name]
    if not others:
        raise ArenaError(f"{name} has nobody to play against; name other yardsticks")
    options = _trained_rules(player) if rules is None else rules
    found = []
    for other in others:
        usual = selection.search_deals if is_search(other) or is_search(name) else selection.deals
        count = usual if deals is None else deals
        found.append(
            Plan.make(
                played,
                [name, other],
                count,
                seed,
                rules=options,
                forms=FORMS[played],
                chunk=max(1, min(LARGEST_CHUNK, count // CHUNKS)),
                any_rules=any_rules,
            )
        )
    return found


def _trained_rules(player: Player) -> Rules:
    """Return the options a policy was trained under, None for other players."""
    options: Mapping[str, Option] | None = getattr(player, "rules", None)
    if options is None:
        return None
    return {name: value for name, value in options.items() if name != "illegal_actions"}


def _selection(game: str, yardsticks: str | Sequence[str]) -> Selection:
    if isinstance(yardsticks, str):
        return select(game, yardsticks)
    return select(game, ",".join(yardsticks)) if yardsticks else select(game)


def evaluate(
    planned: Sequence[Plan],
    *,
    play: Callable[[Plan], Results] = run,
    regret: Sequence[Regret] = (),
    notes: Mapping[str, str] | None = None,
) -> Evaluation:
    """Play a player against its yardsticks.

    Args:
        planned: What `plans` returned.
        play: Plays one of them.
        regret: Is kept with the results.
        notes: Likewise.
    """
    first = planned[0]
    name = first.players[0]
    return Evaluation(
        player=name,
        game=first.game,
        rules=first.rules,
        digest=first.digests.get(name, ""),
        seed=first.seed,
        scores=tuple(score_of(play(plan)) for plan in planned),
        regret=tuple(regret),
        notes=dict(notes or {}),
    )


def score_of(results: Results) -> Score:
    """Return what the first player of an arena of two came to."""
    plan = results.plan
    pairing = plan.pairings[0]
    units = results.units(pairing)
    if get_game(plan.game).n_seats > 2:  # an advantage of x leaves (7 - 3x) / 4 to the one
        units = (ALL_MARKS - OTHERS * units) / (OTHERS + 1)
    decisions, seconds = results.times[pairing[0]]
    return Score(
        Row(plan.game, *pairing, estimate(units)),
        1000 * seconds / decisions if decisions else 0.0,
        sum(forfeit.player == pairing[0] for forfeit in results.forfeits[pairing]),
    )
