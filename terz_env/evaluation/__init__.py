"""Matches on duplicate deals, their statistics and tables."""
