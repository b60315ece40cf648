"""Tells a person what has happened at the table, as much of it as the seat may know (Rule T21)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terz_env.cli.play_course import Course, Trick
from terz_env.cli.play_words import Phrases
from terz_env.envs.render import View
from terz_env.envs.render.view import is_card
from terz_env.games.terz import state as terz
from terz_env.state import State


class News:
    """Puts into words what the players do, as one seat sees it."""

    def __init__(self, seat: int, names: Sequence[str], say: Phrases) -> None:
        """Takes the seat of the person, a name a seat and the language."""
        self.seat = seat
        self.names = names
        self.say = say

    def of_action(self, course: Course, action: int | str) -> list[str]:
        """Plays an action and returns what there is to tell about it."""
        state, before = course.state, course.state.clone()
        done = len(course.tricks)
        lines = []
        for seat, name in course.play(action):
            if seat != self.seat or not is_card(name):
                lines.append(self._action(before, state, seat, name))
        lines += [self._trick(before, state, trick) for trick in course.tricks[done:]]
        drawn = [c for c in state.hand(self.seat) if c not in before.hand(self.seat)]
        if drawn:
            lines.append(self.say("drew", self.say.cards(drawn)))
        return lines

    def _action(self, before: State, state: State, seat: int, name: str) -> str:
        view = View.of(
            state,
            self.seat,
            language=self.say.words.language,
            names=self.names,
            last_action=(seat, name),
        )
        parts = [view.caption]
        if name == "seven":
            assert before.trump_card is not None
            parts.append(self.say("for card", self.say.words.card(before.trump_card)))
        if state.game.family == "terz" and seat != self.seat:
            parts += self._beaten(state, name)
        return ", ".join(parts)

    def _beaten(self, state: State, name: str) -> Iterator[str]:
        """Yields what a comparison has told about an announcement that was beaten (Rule T21)."""
        event = int(state.words[terz.EVENT])
        if event >> terz.EVENT_TOP & 1:
            top = name.partition(":")[2]
            yield self.say("top rank", self.say.words.rank(top))
            if event >> terz.EVENT_TRUMP & 1:
                trump = state.trump_card
                assert trump is not None
                yield self.say("in trumps" if top[1] == trump[1] else "in plain")

    def _trick(self, before: State, state: State, trick: Trick) -> str:
        cards = self.trick(trick)
        parts = [self.say("taken", before.trick, cards, self.names[state.leader])]
        counted = "points" if state.game.family == "terz" else "marks"
        old = before.card_points or before.marks
        new = state.card_points or state.marks
        gained = sum(new) - sum(old)
        if gained:
            parts.append(f"{self.say(counted, f'{gained:+d}')}")
        return ", ".join(parts)

    def trick(self, trick: Trick) -> str:
        """Returns the cards of a trick, each with who played it."""
        return ", ".join(f"{self.names[seat]} {self.say.words.card(card)}" for seat, card in trick)

    def of_deal(self, course: Course) -> list[str]:
        """Returns the result of a deal that is over (Rules T23, K4)."""
        state, log, say = course.state, course.log, self.say
        lines = [say("deal over")]
        for penalty in log.penalties:
            name = self.names[penalty["player"]]
            lines.append(say(penalty["kind"], name, penalty["points"]))
        for seat, name in enumerate(self.names):
            score = state.scores[seat]
            if state.game.family == "tetka":
                counts = state.marks[seat], state.trick_counts[seat]
                lines.append(say("tetka deal", name, *counts, score))
                continue
            points, melds = state.card_points[seat], state.meld_points[seat]
            if log.recorded_points is None:
                lines.append(say("terz deal", name, points, melds, score))
            else:
                recorded = log.recorded_points[seat]
                lines.append(say("terz recorded", name, points, recorded, melds, score))
        return lines

    def of_game(self, course: Course) -> str:
        """Returns the result of the game (Rules T24, K7)."""
        winner = course.state.winner
        if winner is not None:
            return self.say("winner", self.names[winner])
        pairs = zip(self.names, course.state.returns(), strict=True)
        return self.say("result", ", ".join(f"{name} {value:+d}" for name, value in pairs))
