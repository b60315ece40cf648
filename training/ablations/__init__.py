"""Ablations of the learner: short runs, each with one thing changed, and the page about them."""
