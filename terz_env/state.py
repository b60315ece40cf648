"""Positions as data: one deal, match or rubber of any game, played action by action."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Mapping, Sequence
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from terz_env.cards import SYMBOLS
from terz_env.errors import IllegalActionError, PositionError
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.games.terz.state import TALON_TRICKS
from terz_env.ruleset import RuleSet

Rules = RuleSet | str | Mapping[str, object] | None
MAX_SCORE = 1 << 14


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


class State:
    """A position of a game: the words of the kernels, with names.

    Equality, hash and bytes cover game, rules, scope and the whole position; the stack that `undo`
    takes back from is not part of it.
    """

    def __init__(self, game: Game, rules: RuleSet, scope: str, words: NDArray[np.int64]) -> None:
        """Wraps words; use `State.new`, `State.from_deal` or `State.from_bytes`."""
        self.game = game
        self.rules = rules
        self.scope = scope
        self.words = words
        self._past: list[NDArray[np.int64]] = []

    @classmethod
    def new(
        cls,
        game: str,
        rules: Rules = None,
        *,
        scope: str = "deal",
        seed: int = 0,
        environment: int = 0,
        deal: int = 0,
        dealer: int | None = None,
    ) -> State:
        """Deals a position that is a pure function of (seed, environment, deal).

        Raises:
            UnknownGameError, RuleSetError: the game, its rules or the scope do not exist.
        """
        state = cls._empty(game, rules, scope)
        lot = -1 if dealer is None else state._checked_dealer(dealer)
        state.game.kernels.start_one(state.words, state._config(), seed, environment, deal, lot)
        return state

    @classmethod
    def from_deal(
        cls,
        game: str,
        deal: Deal,
        rules: Rules = None,
        *,
        scope: str = "deal",
        start_scores: Sequence[int] | None = None,
        start_raises: Sequence[int] | None = None,
    ) -> State:
        """Starts a game with given cards and scores.

        Raises:
            PositionError: the cards or the scores cannot be (a card twice, ten in a hand, …).
        """
        state = cls._empty(game, rules, scope)
        state.game.kernels.start_one(state.words, state._config(), 0, 0, 0, 0)
        state._set_scores(start_scores, start_raises)
        state._lay_out(deal)
        return state

    @classmethod
    def _empty(cls, name: str, rules: Rules, scope: str) -> State:
        game = get_game(name)
        options = dict(rules) if isinstance(rules, Mapping) else rules
        words = np.zeros(game.n_words, dtype=np.int64)
        return cls(game, game.rules(options), game.check_scope(scope), words)

    def _config(self) -> int:
        return self.game.config_word(self.rules, self.scope)

    def _checked_dealer(self, dealer: int) -> int:
        if isinstance(dealer, bool) or not isinstance(dealer, int):
            raise PositionError(f"the dealer {dealer!r} is no seat number")
        if not 0 <= dealer < self.game.n_seats:
            raise PositionError(f"there is no seat {dealer} to deal; 0 to {self.game.n_seats - 1}")
        return dealer

    def _lay_out(self, deal: Deal) -> None:
        """Checks and writes the cards of a deal, and begins its play."""
        game, deck = self.game, self.game.deck
        dealer = self._checked_dealer(deal.dealer)
        if len(deal.hands) != game.n_seats:
            raise PositionError(f"{len(deal.hands)} hands; {game.name} has {game.n_seats}")
        for seat, hand in enumerate(deal.hands):
            if len(hand) != game.hand_size:
                raise PositionError(
                    f"seat_{seat} holds {len(hand)} cards; {game.hand_size} are dealt"
                )
        talon = [*deal.talon, deal.trump_card] if game.talon_size else []
        if len(talon) != game.talon_size:
            raise PositionError(
                f"{len(talon) - 1} cards in the talon; {game.talon_size - 1} and the trump card "
                "are needed"
            )
        dealt = deck.card_set([*itertools.chain.from_iterable(deal.hands), *map(str, talon)])
        if dealt != game.cards:
            extra = deck.members(dealt & ~game.cards)
            raise PositionError(f"{' '.join(extra)}: no cards of {game.name}")
        hands = [deck.card_set(hand) for hand in deal.hands]
        if game.family == "tetka":
            if deal.photo is None:
                raise PositionError("the photo is missing (Rule K2)")
            photo = deck.number(deal.photo)
            self.words[: game.n_seats] = hands
            game.kernels.restart_one(self.words, dealer, photo)
            return
        self.words[:2] = hands
        packed = [0, 0]
        for place, card in enumerate(talon):
            packed[place // 7] |= deck.number(str(card)) << 5 * (place % 7)
        self.words[8:10] = packed
        game.kernels.restart_one(self.words, dealer)

    def _set_scores(self, scores: Sequence[int] | None, raises: Sequence[int] | None) -> None:
        seats = self.game.n_seats
        given = {"start_scores": scores or [0] * seats, "start_raises": raises or [0] * seats}
        for name, values in given.items():
            if len(values) != seats or any(
                isinstance(value, bool) or not isinstance(value, int) for value in values
            ):
                raise PositionError(f"{name}={values!r}: {seats} whole numbers are needed")
            if any(abs(value) > MAX_SCORE for value in values):
                raise PositionError(f"{name}={values!r}: beyond ±{MAX_SCORE}")
        if self.game.family == "tetka":
            marks = given["start_scores"]
            most = 20 if self.scope == "rubber" else MAX_SCORE
            if any(not 0 <= value <= most for value in marks) or any(given["start_raises"]):
                raise PositionError(
                    f"start_scores={marks!r}: 0 to {most} marks, no raises (Rule K6)"
                )
            self.words[14] = sum(value << 15 * seat for seat, value in enumerate(marks))
            return
        if any(value < 0 for value in given["start_raises"]):
            raise PositionError("raises are not negative (Rule T27)")
        if self.scope == "deal" and any(given["start_raises"]):
            raise PositionError("a single deal has no raises (Rule T27)")
        if self.scope == "match":
            target = int(self.rules.to_dict()["target_settle"])
            totals = [score - raised for score, raised in zip(*given.values(), strict=True)]
            if max(totals) >= target and totals[0] != totals[1]:
                raise PositionError(
                    f"start_scores={given['start_scores']!r}: the match is over at {target} "
                    "(Rule T24)"
                )
        self.words[14:16] = given["start_scores"]
        self.words[16:18] = given["start_raises"]

    # What the rules say of the position.

    @property
    def seat_to_act(self) -> int:
        """The seat to act; -1 once the deal is over."""
        if self.deal_is_over:
            return -1
        table = int(self.words[self._table])
        if self.game.family == "tetka":
            return ((table >> 26) + (table >> 24)) & 3
        return ((table >> 6) ^ (table >> 5) ^ (table >> 21)) & 1

    @property
    def _table(self) -> int:
        return 12 if self.game.family == "tetka" else 10

    def _flag(self, tetka: int, terz: int) -> bool:
        shift = tetka if self.game.family == "tetka" else terz
        return bool(int(self.words[self._table]) >> shift & 1)

    @property
    def deal_is_over(self) -> bool:
        """Whether the deal is over."""
        return self._flag(52, 22)

    @property
    def is_over(self) -> bool:
        """Whether the deal (scope deal), match or rubber is over."""
        return self._flag(53, 23)

    @property
    def dealer(self) -> int:
        """The dealer of this deal."""
        table = int(self.words[self._table])
        return table >> 36 & 3 if self.game.family == "tetka" else table >> 13 & 1

    def legal_actions(self) -> list[int]:
        """Returns the lawful actions of the seat to act, ascending; none once the deal is over."""
        if self.deal_is_over:
            return []
        size = 74 if self.game.family == "terz" else 52
        mask = np.zeros(size, dtype=np.int8)
        self.game.kernels.mask_one(self.words, mask)
        return [action for action, number in enumerate(self.game.engine_actions) if mask[number]]

    def legal_names(self) -> list[str]:
        """Returns the names of the lawful actions."""
        return [self.game.actions[action] for action in self.legal_actions()]

    def apply(self, action: SupportsIndex | str) -> None:
        """Plays an action, by number or by name.

        Raises:
            IllegalActionError: the deal is over, the action is no integer and no name, or the rule
                set refuses it; the position is unchanged. Under `forfeit` and `penalise` an
                unlawful action is adjudicated instead (Rules T27, T28, K10, K11).
        """
        if self.deal_is_over:
            raise IllegalActionError(f"{action!r}: the deal is over")
        number = self._number(action)
        before = self.words.copy()
        engine = self.game.engine_actions[number] if number >= 0 else -1
        if self.game.kernels.step_one(self.words, engine) < 0:
            raise IllegalActionError(
                f"seat_{self.seat_to_act} may not play {self._say(action)}; "
                f"legal: {' '.join(self.legal_names())}"
            )
        self._past.append(before)

    def _number(self, action: SupportsIndex | str) -> int:
        if isinstance(action, str):
            return self.game.actions.index(action) if action in self.game.actions else -1
        try:
            if isinstance(action, (bool, np.bool_)):
                raise TypeError
            number = operator.index(action)
        except TypeError:
            raise IllegalActionError(
                f"{action!r} is no action: give a number from 0 to {self.game.n_actions - 1} "
                "or a name"
            ) from None
        return number if 0 <= number < self.game.n_actions else -1

    def _say(self, action: SupportsIndex | str) -> str:
        number = self._number(action)
        return self.game.actions[number] if number >= 0 else repr(action)

    def undo(self) -> None:
        """Takes back the last action or deal; raises PositionError when there is none."""
        if not self._past:
            raise PositionError("there is nothing to take back")
        self.words[:] = self._past.pop()

    def next_deal(self, deal: Deal | None = None, *, seed: int = 0, environment: int = 0) -> None:
        """Starts the next deal of a match or rubber, from given cards or from the stream.

        Raises:
            PositionError: the deal is not over, the episode is, or the dealer is another (Rules
                T25, K1).
        """
        if not self.deal_is_over or self.is_over:
            raise PositionError("there is no next deal now")
        dealer = self.next_dealer
        before = self.words.copy()
        if deal is None:
            self.game.kernels.deal_one(self.words, seed, environment, dealer)
        else:
            if deal.dealer != dealer:
                raise PositionError(f"seat_{deal.dealer} deals; it is seat_{dealer}'s deal")
            self._lay_out(deal)
        self._past.append(before)

    @property
    def next_dealer(self) -> int:
        """The dealer of the next deal (Rules T25, K1)."""
        if self.game.family == "tetka":
            return (self.dealer + 1) % 4
        return int(self.words[10]) >> 6 & 1

    # Points, marks and scores.

    @property
    def scores(self) -> list[int]:
        """The running scores; melds count at once, cards and marks at the end of a deal."""
        if self.game.family == "tetka":
            return [int(self.words[14]) >> 15 * seat & 0x7FFF for seat in range(4)]
        return [int(self.words[14]), int(self.words[15])]

    @property
    def raises(self) -> list[int]:
        """The raises of a Terz match (Rule T27)."""
        return [int(self.words[16]), int(self.words[17])] if self.game.family == "terz" else []

    @property
    def winner(self) -> int | None:
        """The winner of a Terz match, None before its end."""
        if self.game.family != "terz" or not int(self.words[10]) >> 27 & 1:
            return None
        return int(self.words[10]) >> 28 & 1

    @property
    def card_points(self) -> list[int]:
        """The card points of the tricks taken so far (Terz)."""
        return [int(self.words[12 + seat]) & 1023 for seat in range(2)]

    @property
    def marks(self) -> list[int]:
        """The marks given so far in this deal (Tetka)."""
        return [int(self.words[13]) >> 16 + 4 * seat & 15 for seat in range(4)]

    @property
    def trick_counts(self) -> list[int]:
        """The tricks taken so far in this deal (Tetka), as taken."""
        return [int(self.words[13]) >> 4 * seat & 15 for seat in range(4)]

    def returns(self) -> list[int]:
        """Returns what each seat receives; zeros before the end (Rules T23, T24, K7)."""
        if not self.is_over:
            return [0] * self.game.n_seats
        return [
            int(self.game.kernels.result_one(self.words, seat)) for seat in range(self.game.n_seats)
        ]

    def hand(self, seat: int) -> list[str]:
        """Returns the cards in a seat's hand."""
        return self.game.deck.members(int(self.words[seat]))

    # Identity, copies, bytes.

    def clone(self) -> State:
        """Returns a copy that shares nothing; `undo` starts afresh in it."""
        return State(self.game, self.rules, self.scope, self.words.copy())

    def to_bytes(self) -> bytes:
        """Returns the position as bytes, little-endian words."""
        return self.words.astype("<i8").tobytes()

    @classmethod
    def from_bytes(
        cls, game: str, data: bytes, rules: Rules = None, *, scope: str = "deal"
    ) -> State:
        """Reads what `to_bytes` wrote under the same game, rules and scope.

        Raises:
            PositionError: the bytes are no position of this game, rule set and scope.
        """
        state = cls._empty(game, rules, scope)
        if len(data) != 8 * state.game.n_words:
            raise PositionError(
                f"{len(data)} bytes; a position of {game} has {8 * state.game.n_words}"
            )
        state.words = np.frombuffer(data, dtype="<i8").astype(np.int64)
        state._check_words()
        return state

    def _check_words(self) -> None:
        """Refuses words that no play could reach in their sets of cards or their rules."""
        game, seats = self.game, self.game.n_seats
        config = self._config()
        mask = config | ((15 << 48) | (3 << 54) | (1 << 56))
        word = int(self.words[12]) & mask if game.family == "tetka" else int(self.words[18])
        if word != config:
            raise PositionError("the position belongs to another rule set or scope")
        pack = (1 << 52) - 1 if game.family == "tetka" else (1 << 32) - 1
        hands = [int(self.words[seat]) for seat in range(seats)]
        played = [int(self.words[seats + seat]) & pack for seat in range(seats)]
        union, total = 0, 0
        for cards in (*hands, *played):
            if cards & ~game.cards:
                raise PositionError("a hand holds cards that the game does not have")
            union |= cards
            total += cards.bit_count()
        if union.bit_count() != total:
            raise PositionError("a card is there twice")
        for seat, hand in enumerate(hands):
            if hand.bit_count() > game.hand_size:
                raise PositionError(
                    f"seat_{seat} holds {hand.bit_count()} cards; at most {game.hand_size}"
                )
        if game.family == "terz" and int(self.words[18]) >> TALON_TRICKS & 15 > 7:
            raise PositionError("the talon is too large")

    def __eq__(self, other: object) -> bool:
        """Tells whether game, rules, scope and position are the same."""
        if not isinstance(other, State):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        """Hashes what `==` compares."""
        return hash(self._key())

    def _key(self) -> tuple[str, RuleSet, str, bytes]:
        return (self.game.name, self.rules, self.scope, self.words.tobytes())

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles the game by name and the words as bytes."""
        return (_restore, (self.game.name, self.to_bytes(), self.rules, self.scope))

    def __str__(self) -> str:
        """Draws the position: hands with suit symbols, the table, the scores."""
        lines = [f"{self.game.name}, {self.scope}, dealer seat_{self.dealer}"]
        for seat in range(self.game.n_seats):
            cards = " ".join(card[0] + SYMBOLS[card[1]] for card in self.hand(seat))
            arrow = "→" if seat == self.seat_to_act else " "
            lines.append(f"{arrow} seat_{seat}: {cards}")
        lines.append(f"  scores {' '.join(map(str, self.scores))}")
        return "\n".join(lines)


def _restore(name: str, data: bytes, rules: RuleSet, scope: str) -> State:
    return State.from_bytes(name, data, rules, scope=scope)
