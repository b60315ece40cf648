"""Terz: two players, 32 cards (docs/rules_en.md)."""
