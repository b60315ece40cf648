"""Draws a position as plain text with suit symbols, at most 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterable

from terz_env.cards import SUITS, SYMBOLS
from terz_env.position import Position


def card_symbol(card: str) -> str:
    """Returns a card as rank and suit symbol."""
    return card[0] + SYMBOLS[card[1]]


def draw(position: Position) -> str:
    """Returns the drawing of a position, every hand open."""
    lines = [_title(position), _turn(position)]
    lines += [_hand(position, seat) for seat in range(position.game.n_seats)]
    lines.append(_row("table", [f"seat_{s} {card_symbol(card)}" for s, card in position.table]))
    if position.game.family == "terz":
        lines += _terz(position)
    else:
        lines += _tetka(position)
    lines.append(_numbers("scores", position.scores))
    return "\n".join(lines)


def _title(position: Position) -> str:
    return (
        f"{position.game.name}, {position.scope}, trick {position.trick}, "
        f"dealer seat_{position.dealer}"
    )


def _turn(position: Position) -> str:
    if position.is_over:
        winner = "" if position.winner is None else f", seat_{position.winner} has won"
        return f"the {position.scope} is over{winner}"
    if position.deal_is_over:
        return f"the deal is over, seat_{position.next_dealer} deals next"
    task = "breaks the deck" if position.break_is_pending else "is to act"
    return f"seat_{position.seat_to_act} {task}, seat_{position.leader} leads"


def _hand(position: Position, seat: int) -> str:
    """Returns a hand by suits, trumps first, high cards first in the natural order."""
    trump = (position.trump_card or "")[1:]
    cards = position.hand(seat)
    suits = sorted(SUITS, key=lambda suit: suit != trump)
    parts = []
    for suit in suits:
        ranks = "".join(card[0] for card in reversed(cards) if card[1] == suit)
        parts += [f"{SYMBOLS[suit]} {ranks}"] if ranks else []
    arrow = "→" if seat == position.seat_to_act else " "
    return f"{arrow} seat_{seat}  {'  '.join(parts)}".rstrip()


def _row(name: str, parts: Iterable[str]) -> str:
    return f"  {name:<9}{'  '.join(parts) or '–'}"


def _numbers(name: str, numbers: Iterable[int]) -> str:
    return _row(name, map(str, numbers))


def _terz(position: Position) -> list[str]:
    """Returns trump card, talon and points."""
    where = f"in the talon of {position.talon_size}" if position.talon_size else "drawn"
    lines = [
        _row("trump", [f"{card_symbol(position.trump_card or '')}, {where}"]),
        _numbers("points", position.card_points),
        _numbers("melds", position.meld_points),
    ]
    for name, values in (("deducted", position.deductions), ("raises", position.raises)):
        lines += [_numbers(name, values)] if any(values) else []
    return lines


def _tetka(position: Position) -> list[str]:
    """Returns photo, counting trick, marks and tricks."""
    photo = card_symbol(position.photo or "")
    return [
        _row("photo", [f"{photo}, trick {position.counting_trick} counts"]),
        _numbers("marks", position.marks),
        _numbers("tricks", position.trick_counts),
    ]
