"""Tetka and its small relative as `Game` records (M3)."""

from __future__ import annotations

from terz_env.cards import FULL_DECK
from terz_env.game import Game
from terz_env.games.tetka import batch
from terz_env.games.tetka.counting import count_lines
from terz_env.games.tetka.explaining import why_not
from terz_env.games.tetka.facts import read_facts
from terz_env.games.tetka.notation import read_fields, write_fields
from terz_env.games.tetka.observation import LAYOUT
from terz_env.games.tetka.position import lay_out, set_scores
from terz_env.games.tetka.state import ALL_CARDS, MICRO_CARDS, N_SEATS, N_WORDS
from terz_env.games.tetka.variant import TetkaRules, table_word
from terz_env.games.tetka.views import views
from terz_env.ruleset import RuleSet, SmallRules


def _config(rules: RuleSet, scope: str) -> int:
    return table_word(rules, scope, 13)


def _micro_config(rules: RuleSet, scope: str) -> int:
    return table_word(rules, scope, 2)


TETKA = Game(
    name="tetka",
    family="tetka",
    n_seats=N_SEATS,
    n_words=N_WORDS,
    actions=FULL_DECK.names,
    engine_actions=tuple(range(52)),
    scopes=("deal", "rubber"),
    deck=FULL_DECK,
    cards=ALL_CARDS,
    hand_size=13,
    talon_size=0,
    layout=LAYOUT,
    views=views(52),
    log_size=0,
    rules_type=TetkaRules,
    config_word=_config,
    kernels=batch,
    read_facts=read_facts,
    why_not=why_not,
    count_lines=count_lines,
    lay_out=lay_out,
    set_scores=set_scores,
    read_fields=read_fields,
    write_fields=write_fields,
    reward_scale=1.0,
)

_MICRO_NUMBERS = tuple(card for card in range(52) if MICRO_CARDS >> card & 1)

TETKA_MICRO = Game(
    name="tetka_micro",
    family="tetka",
    n_seats=N_SEATS,
    n_words=N_WORDS,
    actions=tuple(FULL_DECK.names[card] for card in _MICRO_NUMBERS),
    engine_actions=_MICRO_NUMBERS,
    scopes=("deal",),
    deck=FULL_DECK,
    cards=MICRO_CARDS,
    hand_size=2,
    talon_size=0,
    layout=LAYOUT,
    views=views(len(_MICRO_NUMBERS)),
    log_size=0,
    rules_type=SmallRules,
    config_word=_micro_config,
    kernels=batch,
    read_facts=read_facts,
    why_not=why_not,
    count_lines=count_lines,
    lay_out=lay_out,
    set_scores=set_scores,
    read_fields=read_fields,
    write_fields=write_fields,
    reward_scale=1.0,
)
