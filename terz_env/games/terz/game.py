"""Terz and its small relatives as `Game` records (M1, M2)."""

from __future__ import annotations

from terz_env.cards import SHORT_DECK
from terz_env.game import Game
from terz_env.games.terz import batch
from terz_env.games.terz.actions import ACTIONS
from terz_env.games.terz.counting import count_lines
from terz_env.games.terz.explaining import why_not
from terz_env.games.terz.facts import read_facts
from terz_env.games.terz.history import LOG_SIZE
from terz_env.games.terz.notation import read_fields, write_fields
from terz_env.games.terz.observation import LAYOUT
from terz_env.games.terz.position import lay_out, set_scores
from terz_env.games.terz.state import ALL_CARDS, MICRO_CARDS, MINI_CARDS, N_SEATS, N_WORDS
from terz_env.games.terz.variant import TerzRules, rules_word
from terz_env.games.terz.views import views
from terz_env.ruleset import RuleSet, SmallRules

_MARRIAGE = ACTIONS.index("marriage")


def _config(rules: RuleSet, scope: str) -> int:
    return rules_word(rules, scope, 7, 16)


def _mini_config(rules: RuleSet, scope: str) -> int:
    return rules_word(rules, scope, 2, 4)


def _micro_config(rules: RuleSet, scope: str) -> int:
    return rules_word(rules, scope, 1, 3)


TERZ = Game(
    name="terz",
    family="terz",
    n_seats=N_SEATS,
    n_words=N_WORDS,
    actions=ACTIONS,
    engine_actions=tuple(range(len(ACTIONS))),
    scopes=("deal", "match"),
    deck=SHORT_DECK,
    cards=ALL_CARDS,
    hand_size=9,
    talon_size=14,
    layout=LAYOUT,
    views=views(32, 14),
    log_size=LOG_SIZE,
    rules_type=TerzRules,
    config_word=_config,
    kernels=batch,
    read_facts=read_facts,
    why_not=why_not,
    count_lines=count_lines,
    lay_out=lay_out,
    set_scores=set_scores,
    read_fields=read_fields,
    write_fields=write_fields,
    reward_scale=0.01,
)


def _small(name: str, cards: int, talon_size: int) -> Game:
    numbers = [*(card for card in range(32) if cards >> card & 1), _MARRIAGE]
    return Game(
        name=name,
        family="terz",
        n_seats=N_SEATS,
        n_words=N_WORDS,
        actions=tuple(ACTIONS[number] for number in numbers),
        engine_actions=tuple(numbers),
        scopes=("deal",),
        deck=SHORT_DECK,
        cards=cards,
        hand_size=2,
        talon_size=talon_size,
        layout=LAYOUT,
        views=views(len(numbers) - 1, talon_size),
        log_size=LOG_SIZE,
        rules_type=SmallRules,
        config_word=_mini_config if talon_size == 4 else _micro_config,
        kernels=batch,
        read_facts=read_facts,
        why_not=why_not,
        count_lines=count_lines,
        lay_out=lay_out,
        set_scores=set_scores,
        read_fields=read_fields,
        write_fields=write_fields,
        reward_scale=0.01,
    )


TERZ_MINI = _small("terz_mini", MINI_CARDS, 4)
TERZ_MICRO = _small("terz_micro", MICRO_CARDS, 2)
