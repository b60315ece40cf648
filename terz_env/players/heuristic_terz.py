"""tmp"""
from terz_env.players.greedy_terz import greedy_actions as heuristic_actions
from terz_env.players.greedy_terz import greedy_action as heuristic_action
