"""A compact self-play learner (PPO) for both games: ``python -m training --help``."""
