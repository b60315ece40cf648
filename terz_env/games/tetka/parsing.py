"""Tetka: reads a position from its fields, by playing its tricks (docs/notation.md).

The cards of tricks that are not told are *gone*: who played them is known or assumed, in which
trick is not. What they gave (`taken`, `latest`, `marks`, `voids`, `revokes`) is told instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from terz_env import facts as fact
from terz_env.cards import SUITS
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.tetka.batch import restart_one, step_one
from terz_env.games.tetka.facts import read_facts
from terz_env.games.tetka.position import MAX_SCORE, check_photo, check_scores, pack_scores
from terz_env.games.tetka.state import (
    DEAL,
    FORFEITED,
    HAND,
    ILLEGAL,
    LAST_TAKEN,
    LEADER,
    MARKS,
    MICRO_PHOTO,
    N_SEATS,
    PENALISE,
    PLAYED,
    QUEENS,
    RAISE,
    REVOKES,
    SCORES,
    SUIT_CARDS,
    TABLE,
    TALLY,
    TRICK,
    TRICKS_TAKEN,
    VOIDS,
    State,
)
from terz_env.notation import MAX_DEAL, Fields, dealt_out, members, one_set
from terz_env.ruleset import RuleSet

FIELDS = (
    "dealer",
    "deal",
    "photo",
    "trick",
    "leader",
    "hands",
    "table",
    "tricks",
    "gone",
    "taken",
    "latest",
    "marks",
    "voids",
    "revokes",
    "scores",
    "forfeit",
)
_GONE_FIELDS = ("taken", "latest", "marks", "voids", "revokes")


@dataclass
class _Sketch:
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


def read_fields(game: Game, rules: RuleSet, scope: str, fields: Fields) -> State:
    """Returns the words of the position that the fields tell.

    Raises:
        PositionError: No play leads to such a position, or a field is wrong or unknown.
    """
    fields.check_names(game.name, FIELDS)
    sketch = _sketch(game, game.config_word(rules, scope), fields)
    start = _gone_words(game, sketch, fields)
    start[DEAL] = fields.number("deal", 0, 0, MAX_DEAL)
    scores = fields.numbers("scores", 0, MAX_SCORE + 7)
    words = _play(game, start, sketch, fields)
    facts = _facts(words)
    begun = [0] * N_SEATS if scores is None else scores
    if scores is not None and facts[fact.DEAL_IS_OVER]:
        begun = [score - facts[fact.MARKS + seat] for seat, score in enumerate(scores)]
    check_scores(scope, begun)
    if any(begun):
        start[SCORES] = pack_scores(begun)
        words = _play(game, start, sketch, fields)
    _check_trick(fields, _facts(words))
    return words


def _facts(words: State) -> list[int]:
    facts = np.empty(fact.N_FACTS, dtype=np.int64)
    read_facts(words, facts)
    return [int(value) for value in facts]


def _sketch(game: Game, config: int, fields: Fields) -> _Sketch:
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
    for _, cards in tricks:
        if len(cards) != N_SEATS:
            raise fields.refuse("tricks", f"{len(cards)} cards in a trick; {N_SEATS} are needed")
    table = fields.tricks("table")
    if len(table) > 1 or any(len(cards) == N_SEATS for _, cards in table):
        raise fields.refuse("table", "one trick that is not complete; the others are in tricks=")
    tricks += table
    told = [0] * N_SEATS
    for leader, cards in tricks:
        for place, card in enumerate(cards):
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
    return _Sketch(config, dealer, check_photo(game, photo), leader, hands, gone, tricks)


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


def _gone_words(game: Game, sketch: _Sketch, fields: Fields) -> State:
    """Returns the position after the gone tricks: every card of the told tricks is in hand."""
    words = np.zeros(game.n_words, dtype=np.int64)
    words[TABLE] = sketch.config
    hands = list(sketch.hands)
    for leader, cards in sketch.tricks:
        for place, card in enumerate(cards):
            hands[(leader + place) % N_SEATS] |= 1 << card
    if not any(hands):
        raise fields.refuse("hands", "nobody has a card left; the last trick belongs in tricks=")
    words[HAND : HAND + N_SEATS] = hands
    restart_one(words, sketch.dealer, sketch.photo)
    if sketch.gone_tricks == 0:
        for name in _GONE_FIELDS:
            if fields.has(name):
                raise fields.refuse(name, "it follows from tricks=, as no cards are gone")
        return words
    table = int(words[TABLE]) & ~(3 << LEADER)
    words[TABLE] = table | (sketch.leader << LEADER) | (sketch.gone_tricks << TRICK)
    words[TALLY] = _tally(sketch, fields)
    voids = _voids(sketch, fields, hands)
    revokes = _revokes(sketch, fields)
    for seat in range(N_SEATS):
        words[PLAYED + seat] = (
            sketch.gone[seat] | (voids[seat] << VOIDS) | (revokes[seat] << REVOKES)
        )
    return words


def _tally(sketch: _Sketch, fields: Fields) -> int:
    """Returns tricks, marks and last tricks of the gone tricks as a word (Rules K4, K5)."""
    n_gone, leader = sketch.gone_tricks, sketch.leader
    taken = fields.numbers("taken", 0, n_gone)
    if taken is None:
        taken = [n_gone if seat == leader else 0 for seat in range(N_SEATS)]
    if sum(taken) != n_gone:
        raise PositionError(f"taken: {sum(taken)} tricks taken; {n_gone} are gone")
    latest = fields.numbers("latest", 0, n_gone) or _latest(taken, leader, n_gone)
    _check_latest(taken, latest, leader, n_gone)
    due = marks_due([card for cards in sketch.gone for card in members(cards)], sketch.photo, n_gone)
    marks = fields.numbers("marks", 0, due)
    if marks is None:
        marks = [due if seat == leader else 0 for seat in range(N_SEATS)]
    if sum(marks) != due:
        raise PositionError(
            f"marks: {sum(marks)} given; the gone tricks held {due} (queens, photo, counting "
            "trick; Rule K4)"
        )
    word = 0
    for seat in range(N_SEATS):
        if marks[seat] and not taken[seat]:
            raise PositionError(f"marks: seat_{seat} has {marks[seat]}, but took no trick")
        word |= taken[seat] << (TRICKS_TAKEN + 4 * seat)
        word |= (marks[seat] << (MARKS + 4 * seat)) | (latest[seat] << (LAST_TAKEN + 4 * seat))
    return word


def marks_due(cards: Sequence[int], photo: int, n_tricks: int) -> int:
    """Returns the marks that the first tricks give, if these are their cards (Rule K4)."""
    counting = 1 if photo % 13 == 12 else photo % 13 + 2
    queens = sum(QUEENS >> card & 1 for card in cards)
    return queens + (photo in cards) + (counting <= n_tricks)


def _latest(taken: list[int], leader: int, n_gone: int) -> list[int]:
    """Returns last tricks as if each seat took its own in one go, the leader's at the end."""
    latest = [0] * N_SEATS
    for step in range(N_SEATS):
        seat = (leader + step) % N_SEATS
        if taken[seat]:
            latest[seat] = n_gone
            n_gone -= taken[seat]
    return latest


def _check_latest(taken: list[int], latest: list[int], leader: int, n_gone: int) -> None:
    """Refuses numbers of last tricks that no sequence of winners gives."""
    if latest[leader] != n_gone:
        raise PositionError(
            f"latest: the leader seat_{leader} took trick {n_gone}, not {latest[leader]}"
        )
    takers = [seat for seat in range(N_SEATS) if taken[seat]]
    for seat in range(N_SEATS):
        if (seat in takers) != (latest[seat] > 0):
            raise PositionError(
                f"latest: seat_{seat} took {taken[seat]} tricks, the last was {latest[seat]}"
            )
        before = [taken[other] for other in takers if latest[other] <= latest[seat]]
        twins = [other for other in takers if other != seat and latest[other] == latest[seat]]
        if seat in takers and (twins or sum(before) > latest[seat]):
            raise PositionError(
                f"latest: trick {latest[seat]} cannot be the last of seat_{seat} with "
                f"taken={','.join(map(str, taken))}"
            )


def _voids(sketch: _Sketch, fields: Fields, hands: list[int]) -> list[int]:
    """Returns the suits, as sets of four, that each seat has proved not to hold (Rule K3)."""
    voids = []
    for seat, names in enumerate(fields.groups("voids") or [[]] * N_SEATS):
        suits = 0
        for name in names:
            if name not in tuple(SUITS):
                raise fields.refuse("voids", f"{name!r} is no suit of {SUITS}")
            suit = SUITS.index(name)
            if suits >> suit & 1 or hands[seat] & SUIT_CARDS << 13 * suit:
                raise fields.refuse("voids", f"seat_{seat}, {name}: twice, or such a card is held")
            suits |= 1 << suit
        voids.append(suits)
    if any(voids) and sketch.config >> ILLEGAL & 3 == PENALISE:
        raise fields.refuse("voids", "under penalise a discard proves no void (Rule K10)")
    return voids


def _revokes(sketch: _Sketch, fields: Fields) -> list[int]:
    """Returns the revokes of each seat in the gone tricks (Rule K10)."""
    revokes = fields.numbers("revokes", 0, sketch.gone_tricks) or [0] * N_SEATS
    if any(revokes) and sketch.config >> ILLEGAL & 3 != PENALISE:
        raise fields.refuse("revokes", "there are none without penalise (Rule K10)")
    return revokes


def _play(game: Game, start: State, sketch: _Sketch, fields: Fields) -> State:
    """Plays the told tricks, and the forfeit if there is one."""
    words = start.copy()
    for number, (leader, cards) in enumerate(sketch.tricks, sketch.gone_tricks + 1):
        turn = _facts(words)[fact.SEAT_TO_ACT]
        if turn != leader:
            raise PositionError(f"trick {number}: seat_{turn} leads, not seat_{leader}")
        for place, card in enumerate(cards):
            if step_one(words, card) < 0 or int(words[TABLE]) >> FORFEITED & 1:
                raise PositionError(
                    f"trick {number}: seat_{(leader + place) % N_SEATS} may not play "
                    f"{game.deck.names[card]}, as it holds the suit led (Rule K3)"
                )
    if fields.has("forfeit"):
        seat = fields.number("forfeit", 0, 0, N_SEATS - 1)
        if start[TABLE] >> ILLEGAL & 3 == RAISE or _facts(words)[fact.SEAT_TO_ACT] != seat:
            raise fields.refuse("forfeit", "only the seat to act forfeits, and not under raise")
        step_one(words, -1)
    return words


def _check_trick(fields: Fields, facts: list[int]) -> None:
    """Refuses a trick number or a leader that the cards contradict."""
    for name, found in (("trick", facts[fact.TRICK]), ("leader", facts[fact.LEADER])):
        if fields.number(name, found, 0, 13) != found:
            raise fields.refuse(name, f"by the cards it is {found}")
