"""Environments for the card games Terz and Tetka."""

__version__ = "0.1.0"
