"""A person plays a game in the terminal, or over a pipe, against players."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from terz_env.cli.files import append_line, replace_file
from terz_env.cli.play_course import Course
from terz_env.cli.play_input import Command, Move, Unknown, read_action, read_entry
from terz_env.cli.play_news import News
from terz_env.cli.play_setup import ADVISER, check_record
from terz_env.cli.play_words import Phrases
from terz_env.envs.render import View, show
from terz_env.envs.render.ansi import WIDTH
from terz_env.envs.render.view import MAX_NAME
from terz_env.errors import RecordError
from terz_env.players import Player, PlayerError, decide, load_player

_PLACES = {1: ("opposite",), 3: ("left", "opposite", "right")}


def _printable(name: str) -> str:
    """Returns the name of a player without what could steer the terminal."""
    return "".join(sign for sign in name if sign.isprintable()).strip()


class Table:
    """A game between a person and players.

    The players decide from what their seats may see, and so does the drawing for the person.
    """

    def __init__(
        self,
        course: Course,
        opponents: list[Player],
        *,
        seat: int = 0,
        language: str = "en",
        record: Path | None = None,
        hints: bool = False,
    ) -> None:
        """Seats the players.

        Args:
            course: The game.
            opponents: A player for each other seat, the one on the person's left first.
            seat: The seat of the person.
            language: "en" or "ru".
            record: The file that takes the record of the finished game as a new line.
            hints: Whether to say before each decision what the player `heuristic` would do.

        Raises:
            PlayerError: There is no such seat.
            RecordError: The file cannot take a record, or a resumed game has none.
            RenderError: There is no such language.
        """
        n_seats = course.state.game.n_seats
        if seat not in range(n_seats):
            raise PlayerError(f"there is no seat {seat}; use 0 to {n_seats - 1}")
        if record is not None:
            if course.resumed:
                raise RecordError("a game that starts from a position has no record")
            check_record(record)
        self.course = course
        self.seat = seat
        self.say = Phrases(language)
        self.language = language
        self.record_file = record
        self.hints = hints
        self.adviser = load_player(ADVISER)
        self.players = {
            (seat + place) % n_seats: player for place, player in enumerate(opponents, start=1)
        }
        self.names = self._seat_names()
        self.news = News(seat, self.names, self.say)
        self.lines: list[str] = []
        self.past: list[Course] = []

    def _seat_names(self) -> list[str]:
        """Returns how each seat is called: where it sits, or in a game of two by its player."""
        names = [self.say("you")] * (len(self.players) + 1)
        for seat, place in zip(self.players, _PLACES[len(self.players)], strict=True):
            names[seat] = self.say(place)
        if len(self.players) == 1:
            (other, player), *_ = self.players.items()
            name = _printable(player.name)[:MAX_NAME]
            names[other] = names[other] if name in ("", self.say("you")) else name
        return names

    # The course of the game.

    def run(self) -> str:
        """Plays to the end and returns "", or why the game ends before: "quit", "input ends"."""
        self._welcome()
        self._let_others_play()
        while not self.course.state.is_over:
            left = self._decide()
            if left:
                self.leave(left)
                return left
            self._let_others_play()
        self._draw()
        self._tell(self.lines)
        self._write_record()
        return ""

    def _welcome(self) -> None:
        others = [_printable(player.name) for player in self.players.values()]
        if len(others) > 1:
            places = [self.names[seat] for seat in self.players]
            others = [f"{place} {name}" for place, name in zip(places, others, strict=True)]
        key = "resumed" if self.course.resumed else "welcome"
        self.lines.append(self.say(key, ", ".join(others), self.course.seed))
        self.lines.append(self.say("explained"))
        if self.course.state.scope != "deal":
            self._announce_deal()

    def _announce_deal(self) -> None:
        dealer = self.names[self.course.state.dealer]
        self.lines.append(self.say("deal", len(self.course.deals) + 1, dealer))

    def _let_others_play(self) -> None:
        """Plays the other seats, and deals again, until the person is to act or the game ends."""
        while self.course.state.seat_to_act != self.seat:
            state = self.course.state
            if state.deal_is_over:
                self.lines += self.news.of_deal(self.course)
                if state.is_over:
                    self.lines.append(self.news.of_game(self.course))
                    return
                self.course.next_deal()
                self._announce_deal()
                continue
            player = self.players[state.seat_to_act]
            action = decide(player, state, self.course.rng)
            self.lines += self.news.of_action(self.course, action)

    def _decide(self) -> str:
        """Asks until the person has acted or taken back; returns why it leaves, if it does."""
        self._draw()
        self._tell([*self.lines, self._hint()] if self.hints else self.lines)
        while True:
            legal = self.course.state.legal_names()
            line = self._ask(self.say("prompt", len(legal)))
            if line is None:
                return "input ends"
            entry = read_entry(line, legal, self.language)
            if isinstance(entry, Unknown):
                key = "no number" if entry.is_number else "not understood"
                self._tell([self.say(key, entry.text, len(legal))])
            elif isinstance(entry, Move):
                if self._play(entry):
                    return ""
            elif entry.name == "quit":
                return "quit"
            elif entry.name == "" or (entry.name == "undo" and self._undo()):
                return ""
            elif entry.name != "undo":
                self._tell(self._answer(entry))

    def _play(self, move: Move) -> bool:
        """Plays an action of the person; says why where it is illegal and returns False."""
        state = self.course.state
        reason = state.why_not(move.name)
        adjudicated = state.rules.to_dict()["illegal_actions"] != "raise"
        if reason is not None and not (move.insists and adjudicated):
            self._tell([self._refusal(move.name)])
            return False
        self.past.append(self.course.copy())
        self.lines = self.news.of_action(self.course, move.name)
        return True

    def _undo(self) -> bool:
        """Goes back to the decision before; says so where there is none and returns False."""
        if not self.past:
            self._tell([self.say("nothing back")])
            return False
        self.course = self.past.pop()
        self.lines = [self.say("back")]
        return True

    # Answers to commands.

    def _answer(self, command: Command) -> list[str]:
        """Returns the answer to a command that changes nothing."""
        if command.name == "help":
            return self.say("help").splitlines()
        if command.name == "hint":
            return [self._hint()]
        if command.name == "legal":
            return [self.say("legal"), *self._numbered()]
        if command.name == "last":
            return self._last_tricks()
        if command.name == "why":
            return [self._why(command.rest)]
        return [self._save(command.rest)]

    def _numbered(self) -> Iterable[str]:
        names = self.course.state.legal_names()
        return [f"{place:>4}  {self._named(name)}" for place, name in enumerate(names, start=1)]

    def _named(self, action: str) -> str:
        """Returns an action in words; one that the game does not have as it was typed."""
        known = action in self.course.state.game.actions or ":" not in action
        return self.say.words.action(action) if known else action

    def _hint(self) -> str:
        state = self.course.state
        action = decide(self.adviser, state, np.random.default_rng(0))
        return self.say("hint", self._named(state.game.actions[action]))

    def _last_tricks(self) -> list[str]:
        tricks = self.course.tricks_to_see()
        if not self.course.may_look_back():
            return [self.say("no looking")]
        return [self.news.trick(trick) for trick in tricks] or [self.say("no last")]

    def _why(self, text: str) -> str:
        if not text:
            return self.say("why what")
        name = read_action(text, self.language)
        return self.say("not understood", text[:WIDTH]) if name is None else self._refusal(name)

    def _refusal(self, name: str) -> str:
        reason = self.course.state.why_not(name)
        if reason is None:
            return self.say("is legal", self._named(name))
        return self.say("not legal", self._named(name), self.say.reason(reason))

    def _save(self, text: str) -> str:
        if not text:
            return self.say("save what")
        try:
            file = Path(text).expanduser()
            if file.exists():
                return self.say("exists", file)
        except (OSError, RuntimeError) as error:
            return self.say("not saved", error)
        return self._save_position(file)

    def _save_position(self, file: Path) -> str:
        try:
            replace_file(file, (self.course.state.to_text() + "\n").encode())
        except (OSError, ValueError) as error:
            return self.say("not saved", error)
        return self.say("saved", file)

    # The end.

    def leave(self, key: str) -> None:
        """Says good-bye, and saves the position beside the file that the record was meant for."""
        lines = [self.say(key)]
        if self.record_file is not None:
            file = self.record_file.with_name(self.record_file.name + ".position")
            lines += [self.say("no record"), self._save_position(file)]
        self._tell(lines)

    def _write_record(self) -> None:
        if self.record_file is None:
            return
        line = json.dumps(self.course.record(), separators=(",", ":"))
        try:
            append_line(self.record_file, line)
        except OSError as error:
            self._tell([self.say("not recorded", error)])
            sys.stdout.write(line + "\n")
            return
        self._tell([self.say("recorded", self.record_file)])

    # The terminal.

    def _draw(self) -> None:
        """Draws the table; a trick that may not be looked at any more is left out."""
        course = self.course
        last: Sequence[tuple[int, str]] | None = ()
        if course.may_look_back():
            # A resumed game knows only what its position tells.
            last = None if course.resumed else ()
            last = course.tricks[-1] if course.tricks else last
        melds = [(meld["player"], meld["cards"]) for meld in course.log.melds]
        view = View.of(
            course.state,
            self.seat,
            language=self.language,
            names=self.names,
            last_trick=last,
            melds=None if course.resumed else melds,
        )
        show(view)

    def _tell(self, lines: Iterable[str]) -> None:
        """Writes lines, those that are too long broken at the width of the drawing."""
        for line in lines:
            parts = [line]
            if len(line) > WIDTH:
                parts = textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
            sys.stdout.write("\n".join(parts) + "\n")
        sys.stdout.flush()

    def _ask(self, prompt: str) -> str | None:
        """Returns a line that the person types, None at the end of the input."""
        if sys.stdin is None:
            return None
        if sys.stdin.isatty():
            try:
                return input(prompt)
            except EOFError:
                sys.stdout.write("\n")
                return None
        sys.stdout.write(prompt.rstrip() + "\n")
        sys.stdout.flush()
        return sys.stdin.readline() or None
