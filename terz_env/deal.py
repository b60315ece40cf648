"""One deal as text: who dealt, the hands, and the talon with the trump card, or the photo."""

from __future__ import annotations

from collections.abc import Sequence

from terz_env.errors import PositionError


class Deal:
    """The cards of one deal as text: dealer, hands, and trump card with talon, or the photo."""

    def __init__(
        self,
        dealer: int,
        hands: Sequence[Sequence[str]],
        *,
        trump_card: str | None = None,
        talon: Sequence[str] = (),
        photo: str | None = None,
    ) -> None:
        """Keeps the cards; they are checked when a game is started with them."""
        self.dealer = dealer
        self.hands = [list(hand) for hand in hands]
        self.trump_card = trump_card
        self.talon = list(talon)
        self.photo = photo


def check_dealer(dealer: object, n_seats: int) -> int:
    """Returns the dealer's seat; raises PositionError when there is no such seat."""
    if isinstance(dealer, bool) or not isinstance(dealer, int):
        raise PositionError(f"the dealer {dealer!r} is no seat number")
    if not 0 <= dealer < n_seats:
        raise PositionError(f"there is no seat {dealer} to deal; 0 to {n_seats - 1}")
    return dealer


def check_hands(hands: Sequence[Sequence[str]], n_seats: int, hand_size: int) -> None:
    """Refuses a deal with a wrong number of hands or of cards in a hand."""
    if len(hands) != n_seats:
        raise PositionError(f"{len(hands)} hands; there are {n_seats} seats")
    for seat, hand in enumerate(hands):
        if len(hand) != hand_size:
            raise PositionError(f"seat_{seat} holds {len(hand)} cards; {hand_size} are dealt")


def check_numbers(name: str, values: Sequence[object], n_seats: int, most: int) -> list[int]:
    """Returns a whole number a seat, none beyond ±most; raises PositionError otherwise."""
    whole = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    if len(values) != n_seats or len(whole) != n_seats:
        raise PositionError(f"{name}={values!r}: {n_seats} whole numbers are needed")
    if any(abs(value) > most for value in whole):
        raise PositionError(f"{name}={values!r}: beyond ±{most}")
    return whole
