"""The rule player `heuristic`: its maxims on hand-made deals."""

from __future__ import annotations

import numpy as np
import pytest

from terz_env.players import decide, load_player
from terz_env.state import State
from tests.deals import terz_deal, tetka_deal

HEURISTIC = load_player("heuristic")


def choice(state: State) -> str:
    return state.game.actions[decide(HEURISTIC, state, np.random.default_rng(0))]


def test_in_terz_it_announces_before_it_plays() -> None:
    assert choice(terz_deal("7S 8S 9S QH KH 7H 7C 8D JD", "AH")) == "run:9S"


def test_in_terz_it_holds_together_what_may_become_a_run_or_a_four() -> None:
    assert choice(terz_deal("9S TS QC KC AD 7D JD JH 8H", "7H")) in ("AD", "7D", "JD")
    assert choice(terz_deal("JS JC JD 7S AS 7C AC 7D TH", "8H")) in ("7S", "AS", "7C", "AC", "7D")


def test_in_terz_it_spends_a_small_trump_before_the_jack_or_the_nine() -> None:
    state = terz_deal("JH 9H 8H 7C 8C TC JC AC 7D", "7H", other="TS 8S", dealer=0)
    state.apply("TS")
    assert choice(state) == "8H"


def test_in_terz_it_does_not_lead_points_that_can_be_beaten() -> None:
    assert choice(terz_deal("TS TC TD 7S 8C 7D KH JH QS", "7H")) in ("7S", "8C", "7D")


def test_in_terz_it_holds_its_trumps_back_once_the_other_has_none() -> None:
    held = 0
    for seed in range(30):
        state = State.new("terz", seed=seed)
        trump = state.game.deck.names[int(state.words[10]) >> 14 & 31][1]
        while not state.deal_is_over:
            seat, action = state.seat_to_act, choice(state)
            hands = [state.hand(player) for player in (seat, 1 - seat)]
            trumps = [any(card[1] == trump for card in hand) for hand in hands]
            leading = not int(state.words[10]) >> 5 & 1
            closed = int(state.words[10]) >> 8 & 31 >= 7 and action in state.hand(seat)
            plain = [card for card in hands[0] if card[1] != trump]
            sure = all(card[1] not in {other[1] for other in hands[1]} for card in plain)
            if closed and leading and plain and sure and trumps == [True, False]:
                held += 1
                assert action in plain
            state.apply(action)
    assert held > 0


@pytest.mark.parametrize(
    ("photo", "second", "wanted"),
    [("5H", "5S", "KS"), ("AD", "5S", "2S"), ("5H", "QS", "2S")],
)
def test_in_tetka_the_last_to_play_takes_a_cheap_trick_and_ducks_a_dear_one(
    photo: str, second: str, wanted: str
) -> None:
    own = "KS 2S 6H 3H 4H 7H 8H 9H TH 2D 3D 4D 5D"
    state = tetka_deal({0: "3S", 1: second, 2: "4S", 3: own}, photo)
    for card in ("3S", second, "4S"):
        state.apply(card)
    assert choice(state) == wanted


@pytest.mark.parametrize(
    ("hand", "wanted"),
    [
        ("QS 2H 3H 4H 5H 6H 2D 3D 4D 5D 6D 7D 8D", "QS"),
        ("KS 2H 3H 4H 5H 6H 2D 3D 4D 5D 6D 7D 8D", "KS"),
        ("TH 2H 3H 4H 5H 6H 2D 3D 4D 5D 6D 7D 8D", "TH"),
    ],
)
def test_in_tetka_it_gives_away_queens_the_photo_and_the_guards_of_a_queen(
    hand: str, wanted: str
) -> None:
    state = tetka_deal({0: "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC", 1: hand}, "TH")
    state.apply("AC")
    assert choice(state) == wanted


def test_in_tetka_it_leads_no_queen_and_nothing_above_a_queen_still_out() -> None:
    state = tetka_deal({0: "QS AH KH 9D 2S 3S 4S 5S 4C 6C 8C TC 7H"}, "AC")
    assert choice(state) not in ("QS", "AH", "KH")
