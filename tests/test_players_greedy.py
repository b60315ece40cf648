"""The yardstick `greedy`: its statement, on hand-made deals and against a slow reference."""

from __future__ import annotations

import random

import numpy as np
import pytest

from terz_env.cards import FULL_DECK, SHORT_DECK
from terz_env.games import NAMES
from terz_env.kernel import COMPILED
from terz_env.players import decide, load_player
from terz_env.state import State
from tests.deals import terz_deal, tetka_deal
from tests.parity import random_terz_rules
from tests.reference.greedy import greedy as reference
from tests.sources import SeededSource

GREEDY = load_player("greedy")


def choice(state: State) -> str:
    return state.game.actions[decide(GREEDY, state, np.random.default_rng(0))]


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_as_the_slow_reference_in_every_position(name: str) -> None:
    chooser = random.Random(7)
    for seed in range(150 if COMPILED else 12):
        rules = random_terz_rules(SeededSource(seed)) if name == "terz" else None
        state = State.new(name, rules, seed=seed)
        while not state.deal_is_over:
            wanted = reference(state)
            assert choice(state) == wanted, f"seed {seed}: {state}"
            state.apply(wanted if chooser.random() < 0.5 else chooser.choice(state.legal_names()))


def test_in_terz_it_announces_the_strongest_meld_then_the_marriage_then_the_seven() -> None:
    state = terz_deal("7H QH KH 7S 8S 9S JC QC KC", "AH", other="7C 7D 8C 8D 9C 9D TC TD 8H")
    played = []
    while not played or played[-1] not in SHORT_DECK.names:
        played.append(choice(state))
        state.apply(played[-1])
    assert played[:5] == ["run:KC", "run:9S", "marriage", "seven", "run:AH"]


def test_in_terz_it_breaks_two_cards() -> None:
    state = State.new("terz", "break_deck=choose", seed=3)
    while "break:2" not in state.legal_names():
        state.apply(choice(state))
    assert choice(state) == "break:2"


def test_in_terz_it_leads_a_master_rather_than_points_or_trumps() -> None:
    assert choice(terz_deal("AS TS KC QC 9D 9H JD 7D TC", "8H")) == "AS"
    assert choice(terz_deal("TS KC QC 9D 9H JD 7D TC 8S", "8H")) == "7D"


def test_in_tetka_it_leads_a_low_card_and_spares_the_suit_of_the_queen() -> None:
    state = tetka_deal({0: "2S 3S KS AS 9C TC JC 9D TD JD 9H TH JH"}, "2H")
    assert choice(state) == "2S"


@pytest.mark.parametrize(
    ("spades", "photo", "wanted"),
    [
        ("4S TS JS QS AS", "TS", "TS"),
        ("4S TS JS QS AS", "2H", "QS"),
        ("4S TS JS AS", "2H", "JS"),
    ],
)
def test_in_tetka_it_ducks_with_the_photo_then_the_queen_then_the_highest(
    spades: str, photo: str, wanted: str
) -> None:
    clubs = "KS 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"
    left = " ".join(c for c in FULL_DECK.names[:13] if c != "KS" and c not in spades.split())
    state = tetka_deal({0: clubs, 1: spades, 2: left}, photo)
    state.apply("KS")
    assert choice(state) == wanted


@pytest.mark.parametrize(
    ("spades", "wanted"), [("8S QS KS AS", "AS"), ("8S QS", "8S"), ("QS AS", "AS")]
)
def test_in_tetka_the_last_to_play_takes_with_its_highest_cheap_card(
    spades: str, wanted: str
) -> None:
    state = tetka_deal({0: "2S", 1: "3S", 2: "4S", 3: spades}, "8S")
    for card in ("2S", "3S", "4S"):
        state.apply(card)
    assert choice(state) == wanted


def test_in_tetka_others_take_with_their_lowest_cheap_card() -> None:
    state = tetka_deal({0: "2S", 1: "8S TS QS AS"}, "8S")
    state.apply("2S")
    assert choice(state) == "TS"


def test_in_tetka_it_gives_away_photo_queens_and_cards_above_a_queen() -> None:
    clubs = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"
    for hand, photo, wanted in (
        ("QS QD 2H AS 3D 3H 4D 4H 5D 5H 6D 6H 7D", "2H", "2H"),
        ("QS QD 2H AS 3D 3H 4D 4H 5D 5H 6D 6H 7D", "3S", "QS"),
        ("KS 2H AH 3D 3H 4D 4H 5D 5H 6D 6H 7D 7H", "3S", "KS"),
    ):
        state = tetka_deal({0: clubs, 1: hand}, photo)
        state.apply("AC")
        assert choice(state) == wanted
