"""Slow, obvious references of both games: strings, lists, sets and dictionaries only.

They are written from the rules alone and share no code with the engine, so that a misreading in
one of the two shows up as a difference.
"""
