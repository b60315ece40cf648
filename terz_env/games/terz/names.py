"""Terz: the names of what observation entries stand for."""

from __future__ import annotations

from terz_env.cards import SHORT_DECK
from terz_env.games.terz.actions import ACTIONS
from terz_env.games.terz.state import BREAK, FOUR, MARRIAGE, RUN

CARDS = SHORT_DECK.names
RANKS = tuple(SHORT_DECK.ranks)
MELDS = ACTIONS[RUN : MARRIAGE + 1]
BREAKS = ACTIONS[BREAK:]
SCORED_THINGS = (*CARDS, *ACTIONS[FOUR : MARRIAGE + 1])
CLASSES = (*(f"run of {length}" for length in range(3, 9)), "four")
