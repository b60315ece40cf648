"""What a drawing shows of a position beyond what `State` names, read from its words."""

from __future__ import annotations

from terz_env.cards import SUITS
from terz_env.games.terz import state as terz
from terz_env.games.tetka import state as tetka
from terz_env.state import State

Played = list[tuple[int, str]]
"""Cards in the order of play, each with the seat that played it."""

_LAST_LED, _LAST_REPLY, _HAS_LAST, _LAST_LEADER = 34, 39, 44, 45
_PACK = (1 << tetka.N_CARDS) - 1


def is_terz(state: State) -> bool:
    """Tells whether the game is Terz or one of its small relatives."""
    return state.game.family == "terz"


def _field(state: State, word: int, shift: int, mask: int) -> int:
    return int(state.words[word]) >> shift & mask


def n_tricks(state: State) -> int:
    """Returns the number of tricks of a deal."""
    if is_terz(state):
        return _field(state, terz.RULES, terz.ALL_TRICKS, 31)
    return _field(state, tetka.TABLE, tetka.N_TRICKS, 15)


def trick(state: State) -> int:
    """Returns the number of the trick in progress, from 1; the last one at the end of a deal."""
    if is_terz(state):
        done = _field(state, terz.TABLE, terz.TRICK, 31)
    else:
        done = _field(state, tetka.TABLE, tetka.TRICK, 15)
    return min(done + 1, n_tricks(state))


def leader(state: State) -> int:
    """Returns the seat that leads to the trick in progress, which took the trick before."""
    if is_terz(state):
        return _field(state, terz.TABLE, terz.LEADER, 1)
    return _field(state, tetka.TABLE, tetka.LEADER, 3)


def table(state: State) -> Played:
    """Returns the cards of the trick in progress."""
    names, first = state.game.deck.names, leader(state)
    if is_terz(state):
        if not _field(state, terz.TABLE, terz.HAS_LED, 1):
            return []
        return [(first, names[_field(state, terz.TABLE, terz.LED, 31)])]
    count = _field(state, tetka.TABLE, tetka.COUNT, 3)
    return [
        ((first + place) % 4, names[_field(state, tetka.TABLE, 6 * place, 63)])
        for place in range(count)
    ]


def last_trick(state: State) -> Played:
    """Returns the cards of the last completed trick; none where the position does not tell."""
    if is_terz(state):
        if not _field(state, terz.TABLE, _HAS_LAST, 1):
            return []
        names, first = state.game.deck.names, _field(state, terz.TABLE, _LAST_LEADER, 1)
        led, reply = (_field(state, terz.TABLE, at, 31) for at in (_LAST_LED, _LAST_REPLY))
        return [(first, names[led]), (1 - first, names[reply])]
    first, found = (state.dealer + 1) % 4, []
    for number in range(_field(state, tetka.TABLE, tetka.TRICK, 15)):
        cards = {seat: _card_of_trick(state, seat, number) for seat in range(4)}
        found = [((first + place) % 4, cards[(first + place) % 4]) for place in range(4)]
        suit = cards[first] // 13
        first = max(cards, key=lambda seat: cards[seat] if cards[seat] // 13 == suit else -1)
    return [(seat, state.game.deck.names[card]) for seat, card in found]


def _card_of_trick(state: State, seat: int, number: int) -> int:
    played = int(state.words[tetka.PLAYED + seat]) & _PACK
    return next(
        card
        for card in range(tetka.N_CARDS)
        if played >> card & 1
        and _field(state, tetka.TRICK_OF + card // 13, 4 * (card % 13), 15) == number
    )


def trump_card(state: State) -> str | None:
    """Returns the trump card of Terz, or the trump seven exchanged for it."""
    if not is_terz(state):
        return None
    return state.game.deck.names[_field(state, terz.TABLE, terz.TRUMP_CARD, 31)]


def talon_size(state: State) -> int:
    """Returns the number of cards in the talon, the trump card counted."""
    if not is_terz(state):
        return 0
    left = _field(state, terz.RULES, terz.TALON_TRICKS, 15)
    left -= _field(state, terz.TABLE, terz.TRICK, 31)
    return max(0, 2 * (left + _field(state, terz.TABLE, terz.BREAK_PENDING, 1)))


def photo(state: State) -> str | None:
    """Returns the photo of Tetka."""
    if is_terz(state):
        return None
    return state.game.deck.names[_field(state, tetka.TABLE, tetka.PHOTO, 63)]


def counting_trick(state: State) -> int | None:
    """Returns the number of Tetka's counting trick (Rule K4)."""
    if is_terz(state):
        return None
    rank = _field(state, tetka.TABLE, tetka.PHOTO, 63) % 13
    return 1 if rank == 12 else rank + 2


def known_cards(state: State, seat: int) -> set[str]:
    """Returns the cards in a seat's hand that everybody knows."""
    if not is_terz(state):
        return set()
    known = int(state.words[terz.KNOWN + seat]) & int(state.words[terz.HAND + seat])
    return set(state.game.deck.members(known))


def meld_points(state: State) -> list[int]:
    """Returns the points of the melds that each seat has recorded in this deal of Terz."""
    return [_field(state, terz.POINTS + seat, terz.MELD_POINTS, terz.WIDE) for seat in range(2)]


def recorded_melds(state: State, seat: int) -> list[tuple[str, ...]]:
    """Returns the melds of Terz that a seat has recorded, as cards; runs of a suit may merge."""
    scored = int(state.words[terz.SCORED + seat])
    melds: list[tuple[str, ...]] = []
    for place, rank in enumerate("JQKA"):
        if scored >> (terz.SCORED_FOURS + place) & 1:
            melds.append(tuple(rank + suit for suit in SUITS))
    run: list[str] = []
    for card, name in enumerate(state.game.deck.names):
        if scored >> card & 1:
            run.append(name)
        if run and (card % 8 == 7 or not scored >> (card + 1) & 1):
            melds.append(tuple(run))
            run = []
    if scored >> terz.SCORED_MARRIAGE & 1:
        suit = SUITS[_field(state, terz.TABLE, terz.TRUMP_CARD + 3, 3)]
        melds.append(("Q" + suit, "K" + suit))
    return melds


def contest(state: State) -> tuple[str, int, str, int]:
    """Returns what became of the last announcement of Terz (Rules T19, T21, T27).

    Returns:
        The outcome ("", "scored", "beaten" or "false"), the length of the run announced (0 for a
        four), the action that names the meld shown ("" if none) and the points recorded.
    """
    event = int(state.words[terz.EVENT]) if is_terz(state) else 0
    outcome = ("", "scored", "beaten", "false")[event >> terz.EVENT_OUTCOME & 3]
    shown = (event >> terz.EVENT_SHOWN & 127) - 1
    # The small games number their actions otherwise; their one meld is the marriage.
    names = dict(zip(state.game.engine_actions, state.game.actions, strict=True))
    length, points = event >> terz.EVENT_LENGTH & 15, event >> terz.EVENT_POINTS & 1023
    return outcome, length, names.get(shown, ""), points
