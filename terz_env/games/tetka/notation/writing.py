"""Tetka: tells a position in fields (docs/notation.md)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from terz_env.cards import SUITS
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.tetka.notation.gone import marks_due
from terz_env.games.tetka.notation.reading import read_fields
from terz_env.games.tetka.state import (
    ALL_CARDS,
    COUNT,
    DEAL,
    DEALER,
    FORFEITED,
    HAND,
    LAST_TAKEN,
    LEADER,
    MARKS,
    N_SEATS,
    N_TRICKS,
    PHOTO,
    PLAYED,
    REVOKES,
    SCORE_BITS,
    SCORES,
    TABLE,
    TALLY,
    TRICK,
    TRICK_OF,
    TRICKS_TAKEN,
    VOIDS,
    State,
)
from terz_env.notation import Fields, join_sets, join_trick, members
from terz_env.ruleset import RuleSet

_NO_POSITION = "the words are no position that play can reach"


def write_fields(game: Game, rules: RuleSet, scope: str, words: State) -> dict[str, str]:
    """Returns the fields that tell a position.

    Raises:
        PositionError: The words are no position of this game, rule set and scope.
    """
    told = [int(word) for word in words]
    gone = _gone(told)
    error = PositionError(_NO_POSITION)
    for leader in range(N_SEATS) if gone[0] else [(_get(told, TABLE, DEALER, 3) + 1) % N_SEATS]:
        try:
            fields = _cards(game, told, gone, leader)
            for more in _gone_facts(game, rules, scope, told, fields, gone, leader):
                if (_read(game, rules, scope, fields | more) == words).all():
                    return fields | more
        except PositionError as refusal:
            error = refusal
    raise error


def _read(game: Game, rules: RuleSet, scope: str, fields: dict[str, str]) -> State:
    return read_fields(game, rules, scope, Fields(game.deck, N_SEATS, fields))


def _get(words: list[int], word: int, shift: int, mask: int) -> int:
    return words[word] >> shift & mask


def _seats(words: list[int], word: int, shift: int) -> list[int]:
    return [_get(words, word, shift + 4 * seat, 15) for seat in range(N_SEATS)]


def _played(words: list[int], seat: int, trick: int) -> list[int]:
    """Returns the cards that a seat has played to a trick, from 0; gone cards count as trick 0."""
    cards = members(words[PLAYED + seat] & ALL_CARDS)
    return [card for card in cards if words[TRICK_OF + card // 13] >> 4 * (card % 13) & 15 == trick]


def _gone(words: list[int]) -> list[list[int]]:
    """Returns the gone cards of each seat: those of the first trick, if it has too many."""
    first = [_played(words, seat, 0) for seat in range(N_SEATS)]
    return first if len(first[0]) > 1 else [[]] * N_SEATS


def _cards(game: Game, words: list[int], gone: list[list[int]], leader: int) -> dict[str, str]:
    """Returns the fields of the cards, if `leader` led to the first trick that is told."""
    deck, n_gone = game.deck, len(gone[0])
    dealer, photo = _get(words, TABLE, DEALER, 3), _get(words, TABLE, PHOTO, 63)
    trick, count = _get(words, TABLE, TRICK, 15), _get(words, TABLE, COUNT, 3)
    if photo >= len(deck.names):
        raise PositionError(_NO_POSITION)
    fields = {"dealer": str(dealer), "photo": deck.names[photo]}
    fields["trick"] = str(min(trick + 1, _get(words, TABLE, N_TRICKS, 15)))
    if n_gone == trick and count == 0:
        fields["leader"] = str(leader)
    fields["hands"] = join_sets(deck, words[HAND : HAND + N_SEATS])
    tricks = []
    for number in range(n_gone, trick):
        cards = _trick(words, number, leader, N_SEATS)
        tricks.append(join_trick(deck, leader, cards))
        leader = _winner(leader, cards)
    if count:
        fields["table"] = join_trick(deck, leader, _trick(words, trick, leader, count))
    if tricks:
        fields["tricks"] = "|".join(tricks)
    if n_gone:
        fields["gone"] = join_sets(deck, [sum(1 << card for card in cards) for cards in gone])
    if any(scores := [_get(words, SCORES, SCORE_BITS * s, 0x7FFF) for s in range(N_SEATS)]):
        fields["scores"] = ",".join(map(str, scores))
    if words[DEAL]:
        fields["deal"] = str(words[DEAL])
    if _get(words, TABLE, FORFEITED, 1):
        fields["forfeit"] = str((_get(words, TABLE, LEADER, 3) + count) % N_SEATS)
    return fields


def _trick(words: list[int], number: int, leader: int, count: int) -> list[int]:
    """Returns the first cards of a trick in the order of play."""
    cards = [_played(words, (leader + place) % N_SEATS, number) for place in range(count)]
    if any(len(played) != 1 for played in cards):
        raise PositionError(_NO_POSITION)
    return [played[0] for played in cards]


def _winner(leader: int, cards: list[int]) -> int:
    """Returns who takes a full trick (Rule K3)."""
    following = [card for card in cards if card // 13 == cards[0] // 13]
    return (leader + cards.index(max(following))) % N_SEATS


def _gone_facts(
    game: Game,
    rules: RuleSet,
    scope: str,
    words: list[int],
    fields: dict[str, str],
    gone: list[list[int]],
    leader: int,
) -> Iterator[dict[str, str]]:
    """Yields what the gone tricks may have given: what there is now, less what was told.

    Of a seat that took a told trick the last gone trick is forgotten; all that fit are tried.
    """
    n_gone = len(gone[0])
    if not n_gone:
        yield {}
        return
    due = marks_due(
        [card for cards in gone for card in cards], _get(words, TABLE, PHOTO, 63), n_gone
    )
    taken, latest = (_seats(words, TALLY, shift) for shift in (TRICKS_TAKEN, LAST_TAKEN))
    told = [0] * N_SEATS
    for trick in filter(None, fields.get("tricks", "").split("|")):
        told[_winner(int(trick[0]), [game.deck.number(c) for c in trick[2:].split(",")])] += 1
    taken = [now - more for now, more in zip(taken, told, strict=True)]
    takers = [seat for seat in range(N_SEATS) if told[seat] and taken[seat] > 0]
    fixed = [0 if told[seat] else latest[seat] for seat in range(N_SEATS)]
    free = [number for number in range(n_gone, 0, -1) if number not in fixed][: len(takers)]
    for order in itertools.permutations(free):
        tried = fixed.copy()
        for seat, number in zip(takers, order, strict=False):
            tried[seat] = number
        more = {"taken": _join(taken), "latest": _join(tried)}
        try:
            more |= _proved(words, _read(game, rules, scope, fields | more))
            if not _get(words, TABLE, FORFEITED, 1):
                more |= _marks(words, _read(game, rules, scope, fields | more), leader, due)
        except PositionError:
            continue
        yield more


def _proved(words: list[int], told: State) -> dict[str, str]:
    """Returns voids and revokes, but for those that follow from the told tricks."""
    fields = {}
    voids, revokes = [], []
    for seat in range(N_SEATS):
        played, known = words[PLAYED + seat], int(told[PLAYED + seat])
        suits = played >> VOIDS & ~(known >> VOIDS) & 15
        voids.append(",".join(SUITS[suit] for suit in members(suits)))
        revokes.append((played >> REVOKES & 15) - (known >> REVOKES & 15))
    if any(voids):
        fields["voids"] = "|".join(voids)
    if any(revokes):
        fields["revokes"] = _join(revokes)
    return fields


def _marks(words: list[int], told: State, leader: int, due: int) -> dict[str, str]:
    """Returns the marks of the gone tricks; `told` has given all `due` to the first leader."""
    now = _seats(words, TALLY, MARKS)
    assumed = _seats([int(word) for word in told], TALLY, MARKS)
    assumed[leader] -= due
    return {"marks": _join([mark - more for mark, more in zip(now, assumed, strict=True)])}


def _join(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))
