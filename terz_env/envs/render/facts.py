"""What a drawing shows of a position beyond what `State` names, read from its words."""

from __future__ import annotations

from terz_env.cards import SUITS
from terz_env.games.terz import state as terz
from terz_env.games.tetka import state as tetka
from terz_env.state import State


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
