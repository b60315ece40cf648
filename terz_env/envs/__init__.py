"""Faces of the games for learners."""
