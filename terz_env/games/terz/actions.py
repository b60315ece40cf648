"""Terz: the names of the actions, in the order of their numbers."""

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
