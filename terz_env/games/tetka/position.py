"""Tetka: lays out deals and sets start scores, refusing what cannot be (K1, K2, K6)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from terz_env.deal import Deal, check_dealer, check_hands, check_numbers
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.tetka.batch import restart_one
from terz_env.games.tetka.rules import RUBBER_TARGET
from terz_env.games.tetka.state import (
    ALL_CARDS,
    HAND,
    MICRO_PHOTO,
    N_SEATS,
    SCORE_BITS,
    SCORES,
    State,
)
from terz_env.ruleset import RuleSet

MAX_SCORE = 1 << 14


def lay_out(game: Game, words: State, deal: Deal) -> None:
    """Checks and writes the cards of a deal, and begins its play."""
    dealer = check_dealer(deal.dealer, N_SEATS)
    check_hands(deal.hands, N_SEATS, game.hand_size)
    dealt = game.deck.card_set(itertools.chain.from_iterable(deal.hands))
    if dealt != game.cards:
        extra = game.deck.members(dealt & ~game.cards)
        raise PositionError(f"{' '.join(extra)}: no cards of {game.name}")
    if deal.photo is None:
        raise PositionError("the photo is missing (Rule K2)")
    photo = check_photo(game, game.deck.number(deal.photo))
    words[HAND : HAND + N_SEATS] = [game.deck.card_set(hand) for hand in deal.hands]
    restart_one(words, dealer, photo)


def check_photo(game: Game, photo: int) -> int:
    """Returns the photo; a small game has but one (Rules K2, M3)."""
    if game.cards != ALL_CARDS and photo != MICRO_PHOTO:
        given, fixed = game.deck.names[photo], game.deck.names[MICRO_PHOTO]
        raise PositionError(f"the photo {given}: in {game.name} it is {fixed} (Rule M3)")
    return photo


def check_scores(scope: str, scores: Sequence[int]) -> None:
    """Refuses marks that no deal can begin with (Rule K6)."""
    most = RUBBER_TARGET - 1 if scope == "rubber" else MAX_SCORE
    if any(not 0 <= score <= most for score in scores):
        raise PositionError(f"scores {list(scores)}: a deal begins with 0 to {most} (Rule K6)")


def set_scores(
    game: Game,
    rules: RuleSet,
    scope: str,
    words: State,
    scores: Sequence[int],
    raises: Sequence[int],
) -> None:
    """Checks and writes the marks that a game starts with; there are no raises."""
    check_scores(scope, check_numbers("start_scores", scores, N_SEATS, MAX_SCORE))
    if any(check_numbers("start_raises", raises, N_SEATS, MAX_SCORE)):
        raise PositionError(f"start_raises={raises!r}: there are no raises in {game.name}")
    words[SCORES] = pack_scores(scores)


def pack_scores(scores: Sequence[int]) -> int:
    """Returns the running scores as a word."""
    return sum(score << SCORE_BITS * seat for seat, score in enumerate(scores))
