"""Tetka: reads the cards of a position from its fields and checks them (docs/notation.md)."""

from __future__ import annotations

from dataclasses import dataclass

from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.tetka.position import check_photo
from terz_env.games.tetka.state import (
    MICRO_PHOTO,
    N_SEATS,
)
from terz_env.notation import Fields, dealt_out, members, one_set


@dataclass(frozen=True)
class Cards:
    """The cards of a position: hands, gone cards, and the tricks that are told."""

    config: int
    dealer: int
    photo: int
    leader: int
    hands: list[int]
    gone: list[int]
    tricks: list[tuple[int, list[int]]]

    @property
    def gone_tricks(self) -> int:
        """The number of tricks that are not told."""
        return self.gone[0].bit_count()


def read_cards(game: Game, config: int, fields: Fields) -> Cards:
    """Reads the cards and checks that they are the pack, evenly dealt (Rules K1, K2)."""
    dealer = fields.number("dealer", 0, 0, N_SEATS - 1)
    micro = MICRO_PHOTO if game.hand_size == 2 else None
    photo = fields.card("photo") if fields.has("photo") else micro
    if photo is None:
        raise PositionError("the field photo is missing (Rule K2)")
    hands = fields.hands()
    for seat, hand in enumerate(hands):
        if hand.bit_count() > game.hand_size:
            raise PositionError(
                f"seat_{seat} holds {hand.bit_count()} cards; at most {game.hand_size}"
            )
    tricks = [*fields.tricks("tricks")]
    for _, trick in tricks:
        if len(trick) != N_SEATS:
            raise fields.refuse("tricks", f"{len(trick)} cards in a trick; {N_SEATS} are needed")
    table = fields.tricks("table")
    if len(table) > 1 or any(len(trick) == N_SEATS for _, trick in table):
        raise fields.refuse("table", "one trick that is not complete; the others are in tricks=")
    tricks += table
    told = [0] * N_SEATS
    for leader, trick in tricks:
        for place, card in enumerate(trick):
            told[(leader + place) % N_SEATS] |= 1 << card
    gone = _gone(game, fields, hands, told)
    everywhere = [members(cards) for cards in (*hands, *gone)]
    dealt = one_set(game.deck, game.name, game.cards, *everywhere, *(trick[1] for trick in tricks))
    if dealt != game.cards:
        lost = " ".join(game.deck.members(game.cards & ~dealt))
        raise PositionError(f"{lost}: in no hand, no trick and not gone")
    for seat in range(N_SEATS):
        size = (hands[seat] | told[seat] | gone[seat]).bit_count()
        if size != game.hand_size:
            raise PositionError(
                f"seat_{seat} was dealt {size} cards in all, not {game.hand_size} (hand, tricks "
                "and gone)"
            )
    number = gone[0].bit_count()
    if any(cards.bit_count() != number for cards in gone):
        raise fields.refuse("gone", "every seat has played as many cards as the others")
    if number == 1:
        raise PositionError("write the first trick in tricks=; only two or more can be gone")
    leader = tricks[0][0] if tricks else fields.number("leader", (dealer + 1) % 4, 0, N_SEATS - 1)
    return Cards(config, dealer, check_photo(game, photo), leader, hands, gone, tricks)


def _gone(game: Game, fields: Fields, hands: list[int], told: list[int]) -> list[int]:
    """Returns the gone cards of each seat; those that are not told go seat by seat, low first."""
    gone = fields.sets("gone")
    if gone is not None:
        return gone
    left = game.cards
    sizes = []
    for seat in range(N_SEATS):
        left &= ~(hands[seat] | told[seat])
        sizes.append(max(0, game.hand_size - (hands[seat] | told[seat]).bit_count()))
    return dealt_out(members(left), sizes)
