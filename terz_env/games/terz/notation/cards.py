"""Terz: reads the cards of a position from its fields and checks them (docs/notation.md)."""

from __future__ import annotations

from dataclasses import dataclass

from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.terz.notation.completing import reply_wins
from terz_env.games.terz.state import ALL_TRICKS, N_SEATS, TALON_TRICKS
from terz_env.notation import Fields, dealt_out, members, one_set

AUTO_BREAK = 2
BREAK_SIZES = 12


@dataclass(frozen=True)
class Cards:
    """Where the cards of a position lie, and what follows from it."""

    trump: int
    hands: list[int]
    played: list[int]
    """The cards that each seat has played in complete tricks."""
    talon: list[int]
    """The face-down cards in the order of drawing, those already drawn first."""
    table: tuple[int, int] | None
    """The card led and the seat that led it."""
    trick: int
    """The number of the trick, from 1; one more than there are once the last is played."""
    leader: int
    pending: bool
    last: tuple[int, int, int] | None
    """Seat that led to the last trick, its card, and the reply."""

    @property
    def trump_suit(self) -> int:
        """The trump suit."""
        return self.trump >> 3

    @property
    def seat(self) -> int:
        """The seat to act, or that acted last where the deal is over."""
        return self.leader ^ (self.table is not None) ^ self.pending


def read_cards(game: Game, config: int, dealer: int, fields: Fields) -> Cards:
    """Reads and checks the cards, and finds trick and leader."""
    trump = fields.card("trump")
    if trump is None:
        raise PositionError("the field trump is missing: the trump card (Rule T4)")
    hands = fields.hands()
    for seat, hand in enumerate(hands):
        if hand.bit_count() > game.hand_size:
            raise PositionError(
                f"seat_{seat} holds {hand.bit_count()} cards; at most {game.hand_size}"
            )
    face_down = fields.cards("talon")
    pending = fields.words("break") == ["pending"]
    trick = _trick(game, config, fields, hands, len(face_down), pending)
    table = _table(fields)
    _check_sizes(game, config, hands, trick, table, pending)
    lies = trick <= _talon_tricks(config) or pending
    played = _played(game, fields, hands, face_down, trump, table, trick, lies)
    led = [table[0]] if table else []
    up = [trump] if lies else []
    parts = [members(cards) for cards in (*hands, *played)]
    one_set(game.deck, game.name, game.cards, *parts, face_down, led, up)
    if not game.cards >> trump & 1:
        raise PositionError(f"{game.deck.names[trump]}: no card of {game.name}")
    drawn = _drawn(game, config, fields, trick, pending)
    held = hands[0] | hands[1] | played[0] | played[1] | sum(1 << card for card in led)
    _check_drawn(game, fields, held | (1 << trump if trump & 7 == 0 else 0))
    leader = _leader(fields, dealer, trick, table)
    last = _last(fields, played, trump >> 3, leader)
    return Cards(trump, hands, played, [*drawn, *face_down], table, trick, leader, pending, last)


def _talon_tricks(config: int) -> int:
    return config >> TALON_TRICKS & 15


def _all_tricks(config: int) -> int:
    return config >> ALL_TRICKS & 31


def _trick(
    game: Game, config: int, fields: Fields, hands: list[int], face_down: int, pending: bool
) -> int:
    """Returns the number of the trick: by the talon, then by the hands (Rule T7)."""
    full = game.talon_size - 1
    if pending:
        if game.talon_size != 14 or face_down != full:
            raise fields.refuse("break", f"{face_down} face-down cards; it waits with {full}")
        trick = 2
    elif face_down:
        if face_down > full or face_down % 2 == 0:
            raise PositionError(
                f"{face_down} face-down cards in the talon; {full} at first, two less after every "
                "trick, besides the trump card (Rules T4, T7)"
            )
        trick = (full - face_down) // 2 + 1
    else:
        trick = _all_tricks(config) + 1 - max(hand.bit_count() for hand in hands)
    told = fields.number("trick", min(trick, _all_tricks(config)), 1, _all_tricks(config))
    if told != min(trick, _all_tricks(config)):
        raise fields.refuse(
            "trick",
            f"{face_down} face-down cards and hands of "
            f"{' and '.join(str(hand.bit_count()) for hand in hands)} belong to trick {trick}",
        )
    return trick


def _table(fields: Fields) -> tuple[int, int] | None:
    """Returns the card led and the seat that led it."""
    tricks = fields.tricks("table")
    if not tricks:
        return None
    if len(tricks) > 1 or len(tricks[0][1]) > 1:
        raise fields.refuse("table", "one card lies on the table at most")
    return tricks[0][1][0], tricks[0][0]


def _check_sizes(
    game: Game,
    config: int,
    hands: list[int],
    trick: int,
    table: tuple[int, int] | None,
    pending: bool,
) -> None:
    """Refuses hands that are unequal or do not fit the trick (Rule T7)."""
    size = min(game.hand_size, _all_tricks(config) + 1 - trick)
    for seat, hand in enumerate(hands):
        due = size - (pending or (table is not None and table[1] == seat))
        if hand.bit_count() != due:
            raise PositionError(
                f"seat_{seat} holds {hand.bit_count()} cards; in trick {trick} {due} are due"
            )
    if pending and table is not None:
        raise PositionError("table: no card lies there while the break is pending (Rule T8)")


def _played(
    game: Game,
    fields: Fields,
    hands: list[int],
    face_down: list[int],
    trump: int,
    table: tuple[int, int] | None,
    trick: int,
    lies: bool,
) -> list[int]:
    """Returns the cards of complete tricks by seat; by default the lower half is seat 0's."""
    sets = fields.sets("played")
    if sets is None:
        left = game.cards & ~(hands[0] | hands[1])
        for card in [*face_down, *([trump] if lies else []), *([table[0]] if table else [])]:
            left &= ~(1 << card)
        sets = dealt_out(members(left), [trick - 1] * N_SEATS)
    for seat, cards in enumerate(sets):
        if cards.bit_count() != trick - 1:
            raise PositionError(
                f"played: seat_{seat} has played {cards.bit_count()} cards in the complete tricks; "
                f"in trick {trick} it must be {trick - 1}"
            )
    return sets


def _drawn(game: Game, config: int, fields: Fields, trick: int, pending: bool) -> list[int]:
    """Returns the face-down cards already drawn; zeros for the first ones, which may be unknown."""
    tricks = 0 if pending else min(trick - 1, _talon_tricks(config))
    number = min(2 * tricks, game.talon_size - 1)
    drawn = fields.cards("drawn")
    left_out = number - len(drawn)
    if drawn and (left_out < 0 or left_out % 2):
        raise fields.refuse(
            "drawn",
            f"{len(drawn)} cards; {number} have been drawn, and the first may be left out in pairs",
        )
    return [0] * left_out + drawn


def _check_drawn(game: Game, fields: Fields, seen: int) -> None:
    """Refuses drawn cards that are twice or were never in a hand; the trump seven may be back."""
    drawn = game.deck.card_set(fields.words("drawn"))
    if drawn & ~seen:
        lost = " ".join(game.deck.members(drawn & ~seen))
        raise fields.refuse("drawn", f"{lost}: in no hand and not played")


def _leader(fields: Fields, dealer: int, trick: int, table: tuple[int, int] | None) -> int:
    """Returns the leader: the dealer's opponent by default and in trick 1 (Rule T5)."""
    leader = table[1] if table else fields.number("leader", 1 - dealer, 0, 1)
    if fields.number("leader", leader, 0, 1) != leader:
        raise fields.refuse("leader", f"the card on the table was led by seat_{leader}")
    if trick == 1 and leader == dealer:
        raise PositionError(f"seat_{leader} deals and may not lead to trick 1 (Rule T5)")
    return leader


def _last(fields: Fields, played: list[int], trump: int, leads: int) -> tuple[int, int, int] | None:
    """Returns the last complete trick, which the leader took (Rule T26)."""
    if not fields.has("last"):
        return None
    tricks = fields.tricks("last")
    if len(tricks) != 1 or len(tricks[0][1]) != N_SEATS:
        raise fields.refuse("last", "the last trick has two cards")
    leader, (led, reply) = tricks[0]
    if not (played[leader] >> led & 1 and played[1 - leader] >> reply & 1):
        raise fields.refuse("last", "these cards have not been played so")
    winner = 1 - leader if reply_wins(led, reply, trump) else leader
    if winner != leads:
        raise fields.refuse("last", f"seat_{winner} took it, but seat_{leads} leads")
    return leader, led, reply
