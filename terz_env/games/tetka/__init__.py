"""Tetka: four players, 52 cards (docs/rules_en.md)."""
