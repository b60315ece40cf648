"""tmp"""
from terz_env.players.greedy_tetka import greedy_actions as heuristic_actions
from terz_env.players.greedy_tetka import greedy_action as heuristic_action
