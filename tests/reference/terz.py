"""Slow, obvious reference of Terz (Rules T1-T29) and of its small games (Rules M1, M2).

Cards are strings such as ``"TS"``; actions are the strings of the records. Nothing here is fast
and nothing is shared with the engine. Every public event is a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Event = dict[str, Any]
Rules = dict[str, str | int]

SUITS = "SCDH"
RANKS = "789TJQKA"  # the natural order, which runs use in trumps too (Rule T15)
PLAIN_ORDER = "789JQKTA"  # low to high in a trick (Rule T2)
TRUMP_ORDER = "78QKTA9J"  # low to high in a trick (Rule T2)
PLAIN_POINTS = {"A": 11, "T": 10, "K": 3, "Q": 2, "J": 1, "9": 0, "8": 0, "7": 0}  # Rule T3
TRUMP_POINTS = {"J": 20, "9": 13, "A": 11, "T": 10, "K": 3, "Q": 2, "8": 0, "7": 0}  # Rule T3
LAST_TRICK_POINTS = 10  # Rule T3

FOUR_RANKS = "QKAJ"  # weakest to strongest (Rule T14)
FOUR_POINTS = {"J": 200, "A": 100, "K": 100, "Q": 100}  # Rule T14
RUN_POINTS = {3: 20, 4: 50, 5: 100, 6: 100, 7: 100, 8: 100}  # Rule T14
MARRIAGE_POINTS = 20  # Rule T22
LAST_ANNOUNCING_TRICK = 8  # Rule T18
LARGEST_BREAK = 12  # Rule T8
AUTOMATIC_BREAK = 2  # Rule T8
FORFEIT_POINTS = 150  # Rule T28

DEFAULT_RULES: Rules = {
    "follow": "strict",
    "trump_jack": "discretion",
    "seven_min_talon": 2,
    "growth": "new_card",
    "blocking": "held",
    "rounding": "nearest_half_down",
    "target_announce": 500,
    "target_settle": 501,
    "break_deck": "auto",
    "illegal_actions": "raise",
}


@dataclass(frozen=True)
class Meld:
    """A run, a four or the marriage, with the name under which it is announced."""

    name: str
    kind: str
    cards: frozenset[str]
    points: int
    length: int | None = None  # runs only
    top: str | None = None  # the highest rank of a run, the rank of a four
    suit: str | None = None  # runs only


# --------------------------------------------------------------------------- cards and tricks


def trick_rank(card: str, trump: str) -> int:
    """Return the place of a card among the cards of its own suit (Rule T2)."""
    order = TRUMP_ORDER if card[1] == trump else PLAIN_ORDER
    return order.index(card[0])


def card_points(card: str, trump: str) -> int:
    """Return what a card counts in a trick (Rule T3)."""
    return TRUMP_POINTS[card[0]] if card[1] == trump else PLAIN_POINTS[card[0]]


def reply_wins(lead: str, reply: str, trump: str) -> bool:
    """Return whether the second card of a trick takes it (Rule T6)."""
    if reply[1] == lead[1]:
        return trick_rank(reply, trump) > trick_rank(lead, trump)
    return reply[1] == trump


def talon_phase_replies(hand: Iterable[str], lead: str, trump: str, follow: str) -> set[str]:
    """Return the replies that Rule T10 allows, the trump jack without its privilege."""
    cards = set(hand)
    of_suit = {card for card in cards if card[1] == lead[1]}
    trumps = {card for card in cards if card[1] == trump}
    if follow == "free":
        return cards
    if follow == "suit_or_trump":
        return (of_suit | trumps) or cards
    return of_suit or trumps or cards


def closed_phase_replies(hand: Iterable[str], lead: str, trump: str) -> set[str]:
    """Return the replies that Rule T11 allows, the trump jack without its privilege."""
    cards = set(hand)
    of_suit = {card for card in cards if card[1] == lead[1]}
    higher = {card for card in of_suit if trick_rank(card, trump) > trick_rank(lead, trump)}
    trumps = {card for card in cards if card[1] == trump}
    return higher or of_suit or trumps or cards


def draw_order(face_down: Sequence[str], count: int) -> list[str]:
    """Return the face-down cards as they are drawn after a break of `count` (Rule T8)."""
    moved = list(face_down[:count])
    rest = list(face_down[count:])
    pile = rest + moved  # top to bottom; the cards moved keep their order
    return list(reversed(pile))  # drawn from the bottom


# --------------------------------------------------------------------------- melds


def runs_in(hand: Iterable[str]) -> list[Meld]:
    """Return the maximal runs of a hand, suits in the order S, C, D, H (Rule T15)."""
    cards = set(hand)
    runs = []
    for suit in SUITS:
        length = 0
        for place, rank in enumerate(RANKS):
            if rank + suit not in cards:
                length = 0
                continue
            length += 1
            ends_here = place == len(RANKS) - 1 or RANKS[place + 1] + suit not in cards
            if ends_here and length >= 3:
                run = frozenset(r + suit for r in RANKS[place - length + 1 : place + 1])
                name = f"run:{rank}{suit}"
                runs.append(Meld(name, "run", run, RUN_POINTS[length], length, rank, suit))
    return runs


def fours_in(hand: Iterable[str]) -> list[Meld]:
    """Return the fours of a hand (Rule T14)."""
    cards = set(hand)
    fours = []
    for rank in FOUR_RANKS:
        four = frozenset(rank + suit for suit in SUITS)
        if four <= cards:
            fours.append(Meld(f"four:{rank}", "four", four, FOUR_POINTS[rank], top=rank))
    return fours


def marriage_in(hand: Iterable[str], trump: str) -> list[Meld]:
    """Return the marriage if the hand holds it, as a list of one or none (Rule T22)."""
    pair = frozenset({"K" + trump, "Q" + trump})
    if pair <= set(hand):
        return [Meld("marriage", "marriage", pair, MARRIAGE_POINTS)]
    return []


def strength(meld: Meld, trump: str) -> tuple[int, int, int]:
    """Return a key that compares runs and fours (Rules T14, T16): the greater is the stronger."""
    if meld.kind == "four":
        assert meld.top is not None
        return (100, FOUR_RANKS.index(meld.top), 0)  # any four beats any run
    assert meld.length is not None
    assert meld.top is not None
    return (meld.length, RANKS.index(meld.top), int(meld.suit == trump))


def strongest(melds: Iterable[Meld], trump: str) -> Meld | None:
    """Return the strongest meld, among equals the first in the order given (Rule T19)."""
    best: Meld | None = None
    for meld in melds:
        if best is None or strength(meld, trump) > strength(best, trump):
            best = meld
    return best


def meld_values() -> dict[str, int]:
    """Return what each announceable name is worth when it is false (Rule T27)."""
    values = {f"run:{rank}{suit}": RUN_POINTS[3] for suit in SUITS for rank in RANKS[2:]}
    values.update({f"four:{rank}": FOUR_POINTS[rank] for rank in FOUR_RANKS})
    values["marriage"] = MARRIAGE_POINTS
    return values


# --------------------------------------------------------------------------- scoring


def rounded(points: int, rounding: str) -> int:
    """Return the card points that are recorded (Rule T23)."""
    tens, ones = divmod(points, 10)
    if rounding == "nearest_half_down":
        return 10 * tens if ones <= 5 else 10 * tens + 10
    if rounding == "floor":
        return 10 * tens
    if rounding == "only_fives":
        return points - 5 if ones == 5 else points
    return points


def start_score_error(
    rules: Rules,
    scope: str,
    start_scores: Sequence[int],
    start_raises: Sequence[int] = (0, 0),
) -> bool:
    """Return whether the start scores are refused (Rule T24).

    Scores are taken less the raises. In scope ``deal`` there are no targets and nothing to refuse.
    """
    if scope == "deal":
        return False
    target = int((DEFAULT_RULES | rules)["target_settle"])
    totals = [score - up for score, up in zip(start_scores, start_raises, strict=True)]
    return max(totals) >= target and totals[0] != totals[1]


# --------------------------------------------------------------------------- the game


class TerzReference:
    """One deal of Terz at a time, and the match around it."""

    ranks = RANKS
    suits = SUITS
    hand_size = 9
    has_break = True
    has_seven = True
    has_runs_and_fours = True

    def __init__(
        self,
        rules: Rules,
        scope: str,
        dealer: int,
        hands: Sequence[Iterable[str]],
        trump_card: str,
        talon: Sequence[str],
        start_scores: Sequence[int] = (0, 0),
        start_raises: Sequence[int] = (0, 0),
    ) -> None:
        """Start the first deal.

        Args:
            rules: The options that differ from the defaults, or all of them.
            scope: ``"deal"`` or ``"match"``.
            dealer: The player who dealt.
            hands: The cards of each player.
            trump_card: The card turned up.
            talon: The face-down cards, top to bottom, before the break.
            start_scores: Totals before the first deal.
            start_raises: What has been added to each player's targets (Rule T27).

        Raises:
            ValueError: If an option is unknown or the start scores are refused (Rule T24).
        """
        unknown = set(rules) - set(DEFAULT_RULES)
        if unknown:
            raise ValueError(f"unknown options: {sorted(unknown)}")
        self.rules: Rules = DEFAULT_RULES | rules
        self.scope = scope
        if start_score_error(self.rules, scope, start_scores, start_raises):
            raise ValueError(f"start scores {tuple(start_scores)} are refused (Rule T24)")
        self.scores = list(start_scores)
        self.raises = list(start_raises)
        self.match_over = False
        self.winner: int | None = None
        self._deal(dealer, hands, trump_card, talon)

    def _deal(
        self, dealer: int, hands: Sequence[Iterable[str]], trump_card: str, talon: Sequence[str]
    ) -> None:
        """Lay out a deal: the dealer's opponent leads (Rules T4, T5)."""
        self.dealer = dealer
        self.hands = [set(hand) for hand in hands]
        self.trump_card: str | None = trump_card
        self.trump = trump_card[1]
        self.face_down = list(talon)  # in the order of drawing once the deck is broken
        pack = {rank + suit for rank in self.ranks for suit in self.suits}
        dealt = [*self.hands[0], *self.hands[1], *talon, trump_card]
        if sorted(dealt) != sorted(pack) or any(len(h) != self.hand_size for h in self.hands):
            raise ValueError("the deal is not a whole pack, dealt in full hands (Rules T1, T4)")

        self.trick_number = 1
        self.lead: str | None = None
        self.leader = 1 - dealer
        self.to_act: int | None = self.leader
        self.break_pending = False
        self.deal_over = False
        self.next_dealer: int | None = None  # known once the deal is played out
        self.card_points: list[int] | None = None
        self.recorded_points: list[int] | None = None
        self.melds: list[dict[str, Any]] = []
        self.penalties: list[dict[str, Any]] = []

        self._step = 0  # index of the next action in the record
        self._scores_before = list(self.scores)
        self._deductions = [0, 0]
        self._taken: list[list[str]] = [[], []]
        self._announced: list[set[str]] = [set(), set()]  # names of the present turn
        self._false_this_turn = [False, False]
        self._scored_fours: list[set[str]] = [set(), set()]
        self._scored_run_cards: list[set[str]] = [set(), set()]
        self._marriage_scored = False
        self._shown: list[set[str]] = [set(), set()]

    def next_deal(self, hands: Sequence[Iterable[str]], trump_card: str, talon: list[str]) -> None:
        """Start the next deal of a match: the winner of the last trick deals (Rule T25).

        Raises:
            ValueError: If no further deal is due.
        """
        if self.scope != "match" or self.match_over or self.next_dealer is None:
            raise ValueError("no further deal is due")
        self._deal(self.next_dealer, hands, trump_card, talon)

    # ----------------------------------------------------------------------- what is lawful

    def legal(self) -> list[str]:
        """Return the lawful actions of the player to act, none when the deal is over."""
        if self.to_act is None:
            return []
        if self.break_pending:
            return [f"break:{count}" for count in range(1, LARGEST_BREAK + 1)]
        player = self.to_act
        cards = self._legal_cards(player)
        actions = [r + suit for suit in self.suits for r in self.ranks if r + suit in cards]
        actions += [
            meld.name for meld in self._held_melds(player) if self._may_announce(player, meld)
        ]
        if self._may_exchange(player):
            actions.append("seven")
        return actions

    def _legal_cards(self, player: int) -> set[str]:
        """Return the cards that may be played, the trump jack's privilege applied (Rules T9-T12).

        Without the jack in hand the privilege changes nothing.
        """
        hand = self.hands[player]
        jack = "J" + self.trump
        privilege = self.rules["trump_jack"]
        if privilege == "none" or jack not in hand:
            return self._replies(hand)
        others = hand - {jack}
        if not others:
            return {jack}
        lawful = self._replies(others)
        if privilege == "discretion" or jack in self._replies(hand):
            lawful.add(jack)
        return lawful

    def _replies(self, hand: set[str]) -> set[str]:
        """Return the cards that may be played without any privilege (Rules T9, T10, T11)."""
        if self.lead is None:
            return set(hand)
        if self.talon_count > 0:
            return talon_phase_replies(hand, self.lead, self.trump, str(self.rules["follow"]))
        return closed_phase_replies(hand, self.lead, self.trump)

    @property
    def talon_count(self) -> int:
        """The cards of the talon, the trump card counted; none in the closed phase (Rule T7)."""
        return len(self.face_down) + (self.trump_card is not None)

    def _may_exchange(self, player: int) -> bool:
        """Return whether the trump seven may be exchanged now (Rule T13)."""
        return (
            self.has_seven
            and "7" + self.trump in self.hands[player]
            and self.talon_count >= int(self.rules["seven_min_talon"])
        )

    def _held_melds(self, player: int) -> list[Meld]:
        """Return all melds in a hand, whether or not they may be announced."""
        hand = self.hands[player]
        melds: list[Meld] = []
        if self.has_runs_and_fours:
            melds += runs_in(hand) + fours_in(hand)
        return melds + marriage_in(hand, self.trump)

    def _may_announce(self, player: int, meld: Meld) -> bool:
        """Return whether a held meld may be announced now (Rules T18, T20, T22)."""
        if meld.name in self._announced[player] or not self._can_score(player, meld):
            return False
        return meld.kind == "marriage" or self.trick_number <= LAST_ANNOUNCING_TRICK

    def _can_score(self, player: int, meld: Meld) -> bool:
        """Return whether a meld has not scored yet (Rules T20, T22)."""
        if meld.kind == "marriage":
            return not self._marriage_scored
        if meld.kind == "four":
            return meld.name not in self._scored_fours[player]
        used = self._scored_run_cards[player]
        if self.rules["growth"] == "none":
            return not meld.cards & used
        return bool(meld.cards - used)

    # ----------------------------------------------------------------------- acting

    def apply(self, action: str) -> list[Event]:
        """Carry out an action of the player to act and return the public events.

        Raises:
            ValueError: If the deal is over, or the action is unlawful and the rules say ``raise``.
                Nothing has changed then.
        """
        if self.to_act is None:
            raise ValueError(f"{action!r}: the deal is over")
        player = self.to_act
        if action not in self.legal():
            return self._adjudicate(player, action)
        if action.startswith("break:"):
            events = self._break(player, int(action.removeprefix("break:")))
        elif action == "seven":
            events = self._exchange(player)
        elif action in meld_values():
            events = self._announce(player, action)
        else:
            events = self._play(player, action)
        self._step += 1
        return events

    def _play(self, player: int, card: str) -> list[Event]:
        """Play a card; the player's turn ends with it."""
        self.hands[player].remove(card)
        self._announced[player] = set()
        self._false_this_turn[player] = False
        events: list[Event] = [{"type": "play", "player": player, "card": card}]
        if self.lead is None:
            self.lead = card
            self.to_act = 1 - player
            return events
        return events + self._take_trick(card)

    def _take_trick(self, reply: str) -> list[Event]:
        """Give the trick to its winner and go on (Rules T5, T6, T7, T8)."""
        assert self.lead is not None
        loser, winner = self.leader, 1 - self.leader
        if not reply_wins(self.lead, reply, self.trump):
            loser, winner = winner, loser
        self._taken[winner] += [self.lead, reply]
        events: list[Event] = [{"type": "trick", "winner": winner, "number": self.trick_number}]
        self.lead = None
        self.leader = winner
        if self.has_break and self.trick_number == 1:
            return events + self._ask_for_break(loser)
        return events + self._go_on()

    def _ask_for_break(self, loser: int) -> list[Event]:
        """Let the loser of trick 1 break the deck, or do it in his place (Rule T8)."""
        if self.rules["break_deck"] == "choose":
            self.break_pending = True
            self.to_act = loser
            return []
        self._step += 1  # the automatic break stands in the record as an action
        return self._break(loser, AUTOMATIC_BREAK)

    def _break(self, player: int, count: int) -> list[Event]:
        """Break the deck (Rule T8); then the drawing that waited for it takes place."""
        self.break_pending = False
        self.face_down = draw_order(self.face_down, count)
        return [{"type": "break", "player": player, "count": count}, *self._go_on()]

    def _go_on(self) -> list[Event]:
        """Draw after a trick and let its winner lead, or end the deal (Rules T5, T7)."""
        if self.talon_count > 0:
            self._draw(self.leader)
            self._draw(1 - self.leader)
        if not self.hands[0] and not self.hands[1]:
            return self._score_deal()
        self.trick_number += 1
        self.to_act = self.leader
        return []

    def _draw(self, player: int) -> None:
        """Draw a card, the trump card last (Rule T7); all see who gets the trump card."""
        if self.face_down:
            self.hands[player].add(self.face_down.pop(0))
            return
        assert self.trump_card is not None
        self.hands[player].add(self.trump_card)
        self._shown[player].add(self.trump_card)
        self.trump_card = None

    def _exchange(self, player: int) -> list[Event]:
        """Exchange the trump seven for the trump card (Rule T13)."""
        gained = self.trump_card
        assert gained is not None
        self.hands[player].remove("7" + self.trump)
        self.hands[player].add(gained)
        self._shown[player].add(gained)
        self.trump_card = "7" + self.trump
        return [{"type": "exchange", "player": player, "card": gained}]

    # ----------------------------------------------------------------------- announcing

    def _announce(self, player: int, name: str) -> list[Event]:
        """Announce a held meld, contest it and record it (Rules T18, T19, T22)."""
        meld = next(meld for meld in self._held_melds(player) if meld.name == name)
        self._announced[player].add(name)
        opponent = 1 - player
        beating = self._beating_melds(opponent, meld)
        if not beating:
            event = self._scored_event(player, meld)
            return [event, *self._record(player, meld)]
        scoring = strongest([m for m in beating if self._can_score(opponent, m)], self.trump)
        shown = scoring or strongest(beating, self.trump)
        assert shown is not None
        self._shown[opponent] |= shown.cards
        event = self._beaten_event(player, meld, shown, recorded=scoring is not None)
        if scoring is None:
            return [event]
        return [event, *self._record(opponent, scoring)]

    def _beating_melds(self, opponent: int, meld: Meld) -> list[Meld]:
        """Return the opponent's melds in hand that beat an announced one (Rules T16, T19, T22)."""
        if meld.kind == "marriage":
            return []
        hand = self.hands[opponent]
        against = runs_in(hand) + fours_in(hand)
        if self.rules["blocking"] == "unscored":
            against = [other for other in against if self._can_score(opponent, other)]
        mine = strength(meld, self.trump)
        return [other for other in against if strength(other, self.trump) > mine]

    def _record(self, player: int, meld: Meld) -> list[Event]:
        """Record a meld, which is shown, and end the match if it wins it (Rules T20, T21, T24)."""
        if meld.kind == "marriage":
            self._marriage_scored = True
        elif meld.kind == "four":
            self._scored_fours[player].add(meld.name)
        else:
            self._scored_run_cards[player] |= meld.cards
        self._shown[player] |= meld.cards
        self.melds.append(
            {
                "player": player,
                "name": meld.name,
                "cards": sorted(meld.cards),
                "points": meld.points,
            }
        )
        self.scores[player] += meld.points
        target = int(self.rules["target_announce"])
        if self.scope == "match" and self._total(player) >= target:
            return self._end(winner=player)
        return []

    def _scored_event(self, player: int, meld: Meld) -> Event:
        """Return what is public of an announcement that stands: everything (Rule T21)."""
        return {
            "type": "announcement",
            "player": player,
            "outcome": "scored",
            "kind": meld.kind,
            "length": meld.length,
            "top": meld.top,
            "trump": meld.suit == self.trump if meld.kind == "run" else None,
            "scorer": player,
            "points": meld.points,
            "shown_by": player,
            "shown": sorted(meld.cards),
        }

    def _beaten_event(self, player: int, meld: Meld, shown: Meld, *, recorded: bool) -> Event:
        """Return what is public of a beaten announcement and of the beating meld (Rule T21)."""
        same_class = meld.kind == shown.kind and meld.length == shown.length
        same_top = same_class and meld.top == shown.top
        return {
            "type": "announcement",
            "player": player,
            "outcome": "beaten",
            "kind": meld.kind,
            "length": meld.length,
            "top": meld.top if same_class else None,
            "trump": meld.suit == self.trump if meld.kind == "run" and same_top else None,
            "scorer": 1 - player if recorded else None,
            "points": shown.points if recorded else 0,
            "shown_by": 1 - player,
            "shown": sorted(shown.cards),
        }

    # ----------------------------------------------------------------------- unlawful actions

    def _adjudicate(self, player: int, action: str) -> list[Event]:
        """Treat an unlawful action as the rules say (Rules T27, T28)."""
        mode = self.rules["illegal_actions"]
        if mode == "raise":
            lawful = " ".join(self.legal())
            raise ValueError(f"player {player} may not do {action!r}; legal: {lawful}")
        is_first = not self._false_this_turn[player]
        if mode == "penalise" and is_first and self._is_false_announcement(player, action):
            events = self._announce_falsely(player, action)
        else:
            events = self._forfeit(player)
        self._step += 1
        return events

    def _is_false_announcement(self, player: int, action: str) -> bool:
        """Return whether an action names a meld that is not in the hand (Rule T27)."""
        if self.break_pending or action not in self._announceable_names():
            return False
        return action not in {meld.name for meld in self._held_melds(player)}

    def _announceable_names(self) -> set[str]:
        """Return the names of all melds of this game."""
        return set(meld_values()) if self.has_runs_and_fours else {"marriage"}

    def _announce_falsely(self, player: int, name: str) -> list[Event]:
        """Penalise a false announcement; the turn goes on (Rule T27)."""
        self._announced[player].add(name)
        self._false_this_turn[player] = True
        value = meld_values()[name]
        if self.scope == "match":
            self.raises[player] += value
        else:
            self._deductions[player] += value
            self.scores[player] -= value
        kind, _, what = name.partition(":")
        event: Event = {
            "type": "announcement",
            "player": player,
            "outcome": "false",
            "kind": kind,
            "length": None,
            "top": what[0] if what else None,
            "trump": what[1] == self.trump if kind == "run" else None,
            "scorer": None,
            "points": value,
            "shown_by": None,
            "shown": [],
        }
        return [event, self._penalty(player, "false_announcement", value)]

    def _forfeit(self, player: int) -> list[Event]:
        """End the deal, and the match if there is one, against the offender (Rule T28)."""
        opponent = 1 - player
        if self.scope == "match":
            return [self._penalty(player, "forfeit", 0), *self._end(winner=opponent)]
        start, off = self._scores_before, self._deductions
        melds = sum(meld["points"] for meld in self.melds if meld["player"] == opponent)
        self.scores[player] = start[player] - off[player]
        self.scores[opponent] = start[opponent] + melds + FORFEIT_POINTS - off[opponent]
        return [self._penalty(player, "forfeit", FORFEIT_POINTS), *self._end(winner=None)]

    def _penalty(self, player: int, kind: str, points: int) -> Event:
        """Note a penalty as the record has it and return its event."""
        self.penalties.append(
            {"player": player, "step": self._step, "kind": kind, "points": points}
        )
        return {"type": "penalty", "player": player, "kind": kind, "points": points}

    # ----------------------------------------------------------------------- the end

    def _score_deal(self) -> list[Event]:
        """Record the card points of a deal that was played out (Rules T3, T23, T24, T25)."""
        points = [sum(card_points(card, self.trump) for card in pile) for pile in self._taken]
        points[self.leader] += LAST_TRICK_POINTS
        self.card_points = points
        self.recorded_points = [rounded(p, str(self.rules["rounding"])) for p in points]
        for player in (0, 1):
            self.scores[player] += self.recorded_points[player]
        self.next_dealer = self.leader
        return self._end(winner=self._settled_winner())

    def _settled_winner(self) -> int | None:
        """Return who wins the match at the end of a deal, if anybody does (Rule T24)."""
        totals = [self._total(0), self._total(1)]
        if self.scope != "match" or max(totals) < int(self.rules["target_settle"]):
            return None
        if totals[0] == totals[1]:
            return None  # another deal is played
        return 0 if totals[0] > totals[1] else 1

    def _total(self, player: int) -> int:
        """Return the score that is compared with the targets (Rules T24, T27)."""
        return self.scores[player] - self.raises[player]

    def _end(self, winner: int | None) -> list[Event]:
        """End the deal, and the match where it has a winner."""
        self.to_act = None
        self.deal_over = True
        self.winner = winner
        self.match_over = winner is not None
        return [{"type": "deal_end"}]

    # ----------------------------------------------------------------------- what is public

    def known(self, player: int) -> set[str]:
        """Return the cards in a hand that everybody knows to be there (Rules T7, T13, T21, T22)."""
        return self._shown[player] & self.hands[player]


class TerzSmallReference(TerzReference):
    """The small games of Terz (Rules M1, M2): the size of the talon tells which."""

    suits = "SH"
    hand_size = 2
    has_break = False
    has_seven = False
    has_runs_and_fours = False

    def __init__(self, dealer: int, hands: Sequence[Iterable[str]], talon: Sequence[str]) -> None:
        """Start a deal.

        Args:
            dealer: The player who dealt.
            hands: Two cards for each player.
            talon: The talon in the order of drawing; the trump card comes last. Four cards make
                Terz-mini (Rule M1), two make Terz-micro (Rule M2).
        """
        self.ranks = "JQKA" if len(talon) == 4 else "QKA"
        super().__init__({"rounding": "none"}, "deal", dealer, hands, talon[-1], talon[:-1])
