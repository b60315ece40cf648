"""Why an action is not lawful, as data and as an English sentence."""

from __future__ import annotations

from dataclasses import dataclass

SUIT_NAMES = {"S": "spades", "C": "clubs", "D": "diamonds", "H": "hearts"}

SENTENCES = {
    "over": "the deal is over",
    "unknown": "there is no such action",
    "pending": "it has to break the deck first",
    "no_break": "the deck is broken once, after trick 1, by the loser of that trick",
    "not_held": "it does not hold that card",
    "must_follow": "{suit} were led and it holds {cards}",
    "must_beat": "{led} was led and it can beat it with {cards}",
    "must_trump": "{suit} were led, it holds none, and it holds the trumps {cards}",
    "suit_or_trump": "{suit} were led and it holds {cards} of that suit and of trumps",
    "no_run": "no whole run of its hand ends with that card",
    "no_four": "it does not hold all four of them",
    "no_marriage": "it does not hold king and queen of trumps",
    "late": "runs and fours are announced with nine cards in hand, in tricks 1 to 8",
    "run_scored": "every card of that run has been in a scored run",
    "run_shares": "the run shares a card with a scored one",
    "four_scored": "that four has scored",
    "marriage_scored": "the marriage has scored",
    "twice": "it has announced that in this turn",
    "no_seven": "it does not hold the trump seven",
    "small_talon": "the talon holds {talon} cards and the exchange needs {needed}",
}
"""What is wrong, by the key of the reason; "it" is the seat to act."""


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why an action is not lawful.

    Attributes:
        key: What is wrong, one of `SENTENCES`.
        rule: The number of the rule, "" where none is needed.
        led: The card that was led; "" where the reason is another.
        cards: The cards that the rule speaks of, all of them in the hand of the seat to act.
        talon: The number of cards in the talon, the trump card counted.
        needed: The number of cards that the exchange of the seven needs there.
    """

    key: str
    rule: str
    led: str = ""
    cards: tuple[str, ...] = ()
    talon: int = 0
    needed: int = 0

    def __str__(self) -> str:
        """Returns the sentence with the number of the rule."""
        sentence = SENTENCES[self.key].format(
            suit=SUIT_NAMES[self.led[1]] if self.led else "",
            led=self.led,
            cards=" ".join(self.cards),
            talon=self.talon,
            needed=self.needed,
        )
        return f"{sentence} (Rule {self.rule})" if self.rule else sentence
