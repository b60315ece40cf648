"""Tetka: reads a position from its fields, by playing its tricks (docs/notation.md)."""

from __future__ import annotations

from terz_env import facts as fact
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.tetka.batch import step_one
from terz_env.games.tetka.facts import read_facts
from terz_env.games.tetka.notation.cards import Cards, read_cards
from terz_env.games.tetka.notation.gone import gone_words
from terz_env.games.tetka.position import MAX_SCORE, check_scores, pack_scores
from terz_env.games.tetka.state import (
    DEAL,
    FORFEITED,
    ILLEGAL,
    N_SEATS,
    RAISE,
    SCORES,
    TABLE,
    State,
)
from terz_env.notation import MAX_DEAL, Fields
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


def read_fields(game: Game, rules: RuleSet, scope: str, fields: Fields) -> State:
    """Returns the words of the position that the fields tell.

    Raises:
        PositionError: No play leads to such a position, or a field is wrong or unknown.
    """
    fields.check_names(game.name, FIELDS)
    cards = read_cards(game, game.config_word(rules, scope), fields)
    start = gone_words(game, cards, fields)
    start[DEAL] = fields.number("deal", 0, 0, MAX_DEAL)
    scores = fields.numbers("scores", 0, MAX_SCORE + 7)
    words = _play(game, start, cards, fields)
    facts = fact.facts_of(read_facts, words)
    begun = [0] * N_SEATS if scores is None else scores
    if scores is not None and facts[fact.DEAL_IS_OVER]:
        begun = [score - facts[fact.MARKS + seat] for seat, score in enumerate(scores)]
    check_scores(scope, begun)
    if any(begun):
        start[SCORES] = pack_scores(begun)
        words = _play(game, start, cards, fields)
    _check_trick(fields, fact.facts_of(read_facts, words))
    return words


def _play(game: Game, start: State, cards: Cards, fields: Fields) -> State:
    """Plays the told tricks, and the forfeit if there is one."""
    words = start.copy()
    for number, (leader, trick) in enumerate(cards.tricks, cards.gone_tricks + 1):
        turn = fact.facts_of(read_facts, words)[fact.SEAT_TO_ACT]
        if turn != leader:
            raise PositionError(f"trick {number}: seat_{turn} leads, not seat_{leader}")
        for place, card in enumerate(trick):
            if step_one(words, card) < 0 or int(words[TABLE]) >> FORFEITED & 1:
                raise PositionError(
                    f"trick {number}: seat_{(leader + place) % N_SEATS} may not play "
                    f"{game.deck.names[card]}, as it holds the suit led (Rule K3)"
                )
    if fields.has("forfeit"):
        seat = fields.number("forfeit", 0, 0, N_SEATS - 1)
        turn = fact.facts_of(read_facts, words)[fact.SEAT_TO_ACT]
        if int(start[TABLE]) >> ILLEGAL & 3 == RAISE or turn != seat:
            raise fields.refuse("forfeit", "only the seat to act forfeits, and not under raise")
        step_one(words, -1)
    return words


def _check_trick(fields: Fields, facts: list[int]) -> None:
    """Refuses a trick number or a leader that the cards contradict."""
    for name, found in (("trick", facts[fact.TRICK]), ("leader", facts[fact.LEADER])):
        if fields.number(name, found, 0, 13) != found:
            raise fields.refuse(name, f"by the cards it is {found}")
