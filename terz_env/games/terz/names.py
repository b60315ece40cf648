"""Terz: the names of actions and of what observation entries stand for."""

from __future__ import annotations

from terz_env.cards import SHORT_DECK, SUITS

ACTIONS = (
    *SHORT_DECK.names,
    *(f"run:{rank}{suit}" for suit in SUITS for rank in "9TJQKA"),
    *(f"four:{rank}" for rank in "JQKA"),
    "marriage",
    "seven",
    *(f"break:{size}" for size in range(1, 13)),
)
CARDS = SHORT_DECK.names
RANKS = tuple(SHORT_DECK.ranks)
FOURS = ACTIONS[56:60]
MELDS = ACTIONS[32:61]
BREAKS = ACTIONS[62:]
SCORED_THINGS = (*CARDS, *FOURS, "marriage")
CLASSES = (*(f"run of {length}" for length in range(3, 9)), "four")
