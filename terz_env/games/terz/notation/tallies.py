"""Terz: reads what has been scored and announced, and checks it (docs/notation.md)."""

from __future__ import annotations

from terz_env.errors import PositionError
from terz_env.games.terz.announcing import LEAST_RUN_VALUE, MARRIAGE_VALUE
from terz_env.games.terz.notation.cards import Cards
from terz_env.games.terz.notation.completing import holds, write_event
from terz_env.games.terz.state import (
    ANNOUNCED,
    BEATEN,
    CARD_POINTS,
    DEDUCTIONS,
    EVENT_OUTCOME,
    EVENT_SCORED,
    EVENT_SHOWN,
    FALSE_ANNOUNCED,
    FOUR,
    KNOWN,
    MARRIAGE,
    MELD_POINTS,
    N_SEATS,
    OUTCOME_BEATEN,
    OUTCOME_FALSE,
    OUTCOME_SCORED,
    PLAYED,
    POINTS,
    RUN,
    SCORED,
    SCORED_FOURS,
    SCORED_MARRIAGE,
    TABLE,
    State,
)
from terz_env.games.terz.tricks import CARD_VALUES, LAST_TRICK_POINTS
from terz_env.notation import Fields, members

BEATEN_CLASSES = ("3", "4", "5", "6", "7", "8", "four")
FOURS = ("four:J", "four:Q", "four:K", "four:A")
OUTCOMES = {"scored": OUTCOME_SCORED, "beaten": OUTCOME_BEATEN, "false": OUTCOME_FALSE}
MOST_RUN_VALUE = 100
_MOST_FALSE = 200


class Tallies:
    """Reads the fields of one position into words whose hands are already written."""

    def __init__(
        self, actions: tuple[str, ...], cards: Cards, fields: Fields, words: State
    ) -> None:
        """Keeps what the fields are checked against; `actions` are the engine's."""
        self.actions = actions
        self.cards = cards
        self.fields = fields
        self.words = words
        self.own = [cards.hands[seat] | cards.played[seat] for seat in range(N_SEATS)]
        if cards.table:
            self.own[cards.table[1]] |= 1 << cards.table[0]

    def read(self, full: bool, penalise: bool, match: bool, over: bool) -> None:
        """Reads everything but scores and raises.

        Args:
            full: Whether the game has runs, fours and contests.
            penalise: Whether false announcements are charged (Rule T27).
            match: Whether they are charged as raises.
            over: Whether the deal has been played out.
        """
        self._read_known()
        self._read_scored(full)
        self._read_beaten(full)
        self._read_announced(full, penalise, over)
        self._read_points(penalise and not match)
        self._read_event()

    def _read_known(self) -> None:
        for seat, known in enumerate(self.fields.sets("known") or [0] * N_SEATS):
            if known & ~self.cards.hands[seat]:
                raise self.fields.refuse("known", f"seat_{seat} does not hold all of these cards")
            self.words[KNOWN + seat] = known

    def _read_scored(self, full: bool) -> None:
        """Reads the cards of scored runs, the scored fours and the marriage (Rules T20, T22)."""
        seven = 1 << 8 * self.cards.trump_suit
        for seat, names in enumerate(self.fields.groups("scored") or [[]] * N_SEATS):
            deck, word = self.fields.deck, 0
            runs = deck.card_set([name for name in names if name not in (*FOURS, "marriage")])
            needed = runs & ~seven
            for place, name in enumerate(FOURS):
                if name in names:
                    word |= 1 << (SCORED_FOURS + place)
                    needed |= 0x10101010 << place
            if "marriage" in names:
                word |= 1 << SCORED_MARRIAGE
                needed |= 0b01100000 << 8 * self.cards.trump_suit
            if len(set(names)) != len(names):
                raise self.fields.refuse("scored", "something is there twice")
            if needed & ~self.own[seat] or (word | runs and not full and names != ["marriage"]):
                raise self.fields.refuse("scored", f"seat_{seat} has never held such melds")
            if 0 < runs.bit_count() < 3:
                raise self.fields.refuse("scored", "a run has three cards or more (Rule T15)")
            self.words[SCORED + seat] = word | runs

    def _read_beaten(self, full: bool) -> None:
        for seat, names in enumerate(self.fields.groups("beaten") or [[]] * N_SEATS):
            if len(set(names)) != len(names) or not set(names) <= set(
                BEATEN_CLASSES if full else ()
            ):
                raise self.fields.refuse(
                    "beaten", f"each of {', '.join(BEATEN_CLASSES)} once, in the full game"
                )
            for name in names:
                self.words[PLAYED + seat] |= 1 << (BEATEN + BEATEN_CLASSES.index(name))

    def _meld(self, name: str, text: str, full: bool = True) -> int:
        if text not in self.actions[RUN : MARRIAGE + 1] or (not full and text != "marriage"):
            raise self.fields.refuse(name, f"{text[:20]!r} is no meld")
        return self.actions.index(text)

    def _read_announced(self, full: bool, penalise: bool, over: bool) -> None:
        """Reads what the seat to act has announced in this turn (Rules T18, T27)."""
        names = self.fields.words("announced")
        numbers = {self._meld("announced", text, full) for text in names}
        if len(numbers) != len(names):
            raise self.fields.refuse("announced", "a meld is there twice")
        if numbers and (over or self.cards.pending):
            raise self.fields.refuse("announced", "nobody is in the middle of a turn")
        self.words[ANNOUNCED] = sum(1 << number for number in numbers)
        if self.fields.yes("false"):
            if not penalise or not numbers:
                raise self.fields.refuse("false", "only under penalise, after an announcement")
            self.words[TABLE] |= 1 << FALSE_ANNOUNCED

    def _read_points(self, charged: bool) -> None:
        """Reads card points, points of melds and deductions (Rules T3, T14, T23, T27)."""
        points = self.fields.numbers("points", 0, 150) or self._own_points()
        if sum(points) != sum(self._own_points()):
            raise PositionError(
                f"points: {sum(points)} card points; the tricks taken hold "
                f"{sum(self._own_points())} (Rule T3)"
            )
        melds = self.fields.numbers("melds", 0, 10_000) or self._least_melds()
        deductions = self.fields.numbers("deductions", 0, 10_000) or [0] * N_SEATS
        for seat in range(N_SEATS):
            self._check_melds(seat, melds[seat])
            turns = self.own[seat].bit_count() - self.cards.hands[seat].bit_count() + 1
            most = _MOST_FALSE * turns if charged else 0
            if deductions[seat] % 20 or deductions[seat] > most:
                raise self.fields.refuse(
                    "deductions", "multiples of twenty, in a single deal under penalise (Rule T27)"
                )
            self.words[POINTS + seat] = (
                (points[seat] << CARD_POINTS)
                | (melds[seat] << MELD_POINTS)
                | (deductions[seat] << DEDUCTIONS)
            )

    def _own_points(self) -> list[int]:
        """Returns the card points if each seat had taken its own cards."""
        points = [
            sum(
                int(CARD_VALUES[int(card >> 3 == self.cards.trump_suit), card & 7]) for card in pile
            )
            for pile in map(members, self.cards.played)
        ]
        if not any(self.cards.hands) and self.cards.table is None:
            points[self.cards.leader] += LAST_TRICK_POINTS
        return points

    def _least_melds(self) -> list[int]:
        """Returns the least points of what each seat has scored."""
        return [
            self._fixed_melds(seat) + LEAST_RUN_VALUE * (self._run_cards(seat) > 0)
            for seat in (0, 1)
        ]

    def _run_cards(self, seat: int) -> int:
        return (int(self.words[SCORED + seat]) & 0xFFFFFFFF).bit_count()

    def _fixed_melds(self, seat: int) -> int:
        """Returns the points of the scored fours and the marriage (Rules T14, T22)."""
        scored = int(self.words[SCORED + seat])
        fours = [200, 100, 100, 100]
        value = sum(fours[place] for place in range(4) if scored >> SCORED_FOURS + place & 1)
        return value + MARRIAGE_VALUE * (scored >> SCORED_MARRIAGE & 1)

    def _check_melds(self, seat: int, melds: int) -> None:
        """Refuses points of melds that the scored things cannot give; a run brings a new card."""
        runs, number = melds - self._fixed_melds(seat), self._run_cards(seat)
        least, most = LEAST_RUN_VALUE * (number > 0), MOST_RUN_VALUE * number
        if runs % 10 or runs == 30 or not least <= runs <= most:
            raise PositionError(
                f"melds: seat_{seat} has {melds} points; what it has scored gives "
                f"{self._fixed_melds(seat) + least} to {self._fixed_melds(seat) + most} in tens"
            )

    def _read_event(self) -> None:
        """Reads what the last announcement made public: `meld/outcome[/beating meld[/scored]]`."""
        if not self.fields.has("event"):
            return
        name, *rest = self.fields.values["event"].split("/")
        action, seat = self._meld("event", name), self.cards.seat
        outcome = OUTCOMES.get(rest[0], 0) if rest else 0
        beaten = outcome == OUTCOME_BEATEN
        if not outcome or not (1 + beaten) <= len(rest) <= (1 + 2 * beaten):
            raise self.fields.refuse("event", "write meld/scored, meld/false or meld/beaten/meld")
        if not int(self.words[ANNOUNCED]) >> action & 1:
            raise self.fields.refuse("event", f"{name} is not among the announced")
        if bool(holds(self.words, seat, action)) == (outcome == OUTCOME_FALSE):
            raise self.fields.refuse("event", f"{name} cannot be {rest[0]} with this hand")
        if outcome == OUTCOME_FALSE and not int(self.words[TABLE]) >> FALSE_ANNOUNCED & 1:
            raise self.fields.refuse("event", "a false announcement needs false=yes")
        shown, scored = 0, outcome == OUTCOME_SCORED
        if beaten:
            shown, scored = self._meld("event", rest[1]), rest[2:] == ["scored"]
            if rest[2:] not in ([], ["scored"]) or MARRIAGE in (action, shown):
                raise self.fields.refuse("event", "write meld/beaten/meld or …/scored, no marriage")
            if not holds(self.words, 1 - seat, shown):
                raise self.fields.refuse("event", f"seat_{1 - seat} does not hold {rest[1]}")
        if scored and not self._is_scored(
            1 - seat if beaten else seat, shown if beaten else action
        ):
            raise self.fields.refuse("event", "the meld is not among the scored")
        write_event(self.words, action, outcome, shown, int(scored))

    def _is_scored(self, seat: int, action: int) -> bool:
        """Tells whether a meld is noted as scored: a run by its top card."""
        if action < FOUR:
            suit, place = divmod(action - RUN, 6)
            return bool(int(self.words[SCORED + seat]) >> 8 * suit + place + 2 & 1)
        return bool(int(self.words[SCORED + seat]) >> SCORED_FOURS + action - FOUR & 1)


def event_text(actions: tuple[str, ...], event: int) -> str:
    """Returns the field `event` of a position whose word is not empty."""
    action, outcome = event & 127, event >> EVENT_OUTCOME & 3
    names = [name for name, number in OUTCOMES.items() if number == outcome]
    shown = (event >> EVENT_SHOWN & 127) - 1
    if not names or not max(action, shown) < len(actions):
        raise PositionError("the words tell of an announcement that cannot be")
    parts = [actions[action], names[0]]
    if outcome == OUTCOME_BEATEN:
        parts += [actions[shown], *(["scored"] if event >> EVENT_SCORED & 2 else [])]
    return "/".join(parts)
