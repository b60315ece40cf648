"""Terz: lays out deals and sets start scores, refusing what cannot be (T4, T24, T27)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from terz_env.deal import Deal, check_dealer, check_hands, check_numbers
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.terz.batch import restart_one
from terz_env.games.terz.state import HAND, N_SEATS, RAISES, SCORES, TALON, State
from terz_env.ruleset import RuleSet

MAX_SCORE = 1 << 14
_TALON_WORD = 7


def lay_out(game: Game, words: State, deal: Deal) -> None:
    """Checks and writes the cards of a deal, and begins its play."""
    dealer = check_dealer(deal.dealer, N_SEATS)
    check_hands(deal.hands, N_SEATS, game.hand_size)
    if len(deal.talon) != game.talon_size - 1:
        raise PositionError(
            f"{len(deal.talon)} cards in the talon; {game.talon_size - 1} and the trump card are "
            "needed (Rule T4)"
        )
    talon = [game.deck.number(card) for card in (*deal.talon, deal.trump_card)]
    names = [game.deck.names[card] for card in talon]
    dealt = game.deck.card_set([*itertools.chain.from_iterable(deal.hands), *names])
    if dealt != game.cards:
        extra = game.deck.members(dealt & ~game.cards)
        raise PositionError(f"{' '.join(extra)}: no cards of {game.name}")
    words[HAND : HAND + N_SEATS] = [game.deck.card_set(hand) for hand in deal.hands]
    words[TALON : TALON + 2] = pack_talon(talon)
    restart_one(words, dealer)


def pack_talon(cards: Sequence[int]) -> list[int]:
    """Returns the order of drawing, the trump card last, as two words."""
    packed = [0, 0]
    for place, card in enumerate(cards):
        packed[place // _TALON_WORD] |= card << 5 * (place % _TALON_WORD)
    return packed


def unpack_talon(words: Sequence[int], size: int) -> list[int]:
    """Returns the order of drawing, the cards already drawn first and the trump card last."""
    packed = [int(words[TALON]), int(words[TALON + 1])]
    return [packed[place // _TALON_WORD] >> 5 * (place % _TALON_WORD) & 31 for place in range(size)]


def set_scores(
    game: Game,
    rules: RuleSet,
    scope: str,
    words: State,
    scores: Sequence[int],
    raises: Sequence[int],
) -> None:
    """Checks and writes the scores and raises that a game starts with."""
    given = check_numbers("start_scores", scores, N_SEATS, MAX_SCORE)
    raised = check_numbers("start_raises", raises, N_SEATS, MAX_SCORE)
    check_raises(scope, raised)
    if scope == "match":
        check_totals(rules, [score - more for score, more in zip(given, raised, strict=True)])
    words[SCORES : SCORES + N_SEATS] = given
    words[RAISES : RAISES + N_SEATS] = raised


def check_raises(scope: str, raises: Sequence[int]) -> None:
    """Refuses raises that cannot be (Rule T27)."""
    if any(value < 0 for value in raises):
        raise PositionError(f"raises {list(raises)}: they are not negative (Rule T27)")
    if scope == "deal" and any(raises):
        raise PositionError(f"raises {list(raises)}: a single deal has none (Rule T27)")


def check_totals(rules: RuleSet, totals: Sequence[int]) -> None:
    """Refuses totals, less the raises, with which a match would be over (Rule T24)."""
    target = int(rules.to_dict()["target_settle"])
    if max(totals) >= target and totals[0] != totals[1]:
        raise PositionError(
            f"totals {totals[0]} and {totals[1]} before the deal: the match is over at {target} "
            "(Rule T24)"
        )
