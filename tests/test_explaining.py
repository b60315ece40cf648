"""Why an action is not lawful: the reason names the rule, and it is right."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from terz_env.errors import IllegalActionError
from terz_env.explaining import SENTENCES, Reason
from terz_env.games import get_game
from terz_env.kernel import COMPILED
from terz_env.state import Deal, State
from tests.deals import tetka_deal

GAMES = 120 if COMPILED else 10
"""In Terz 120 games show 17 reasons, the rarest nine times; 10 games show 16 of them."""
TRUMP_ORDER, PLAIN_ORDER = "78QKTA9J", "789JQKTA"
NO_MELDS = "7C 9C QC AC 8D TD KD 8H TH"


def positions(game: str, games: int) -> Iterator[State]:
    """Yields the positions of random play under random rules."""
    chooser = random.Random(game)
    choices = get_game(game).rules_type.CHOICES
    for seed in range(games):
        rules = {name: chooser.choice(values) for name, values in choices.items()}
        state = State.new(game, rules, seed=seed)
        while not state.deal_is_over:
            yield state
            lawful = state.legal_names()
            cards = [name for name in lawful if len(name) == 2]
            # Melds are held back at times, so that they are still in hand when it is too late.
            state.apply(chooser.choice(cards if cards and chooser.random() < 0.7 else lawful))


def dealt(hand: str, trump_card: str, other: str = NO_MELDS, rules: str = "") -> State:
    """Deals to seat 0, which leads, and to seat 1; the rest lies in the talon."""
    hands = [hand.split(), other.split()]
    taken = {*hands[0], *hands[1], trump_card}
    talon = [card for card in get_game("terz").deck.names if card not in taken]
    deal = Deal(1, hands, trump_card=trump_card, talon=talon)
    return State.from_deal("terz", deal, rules or None)


def key(state: State, action: str) -> str:
    """The key and the rule of a reason."""
    reason = state.why_not(action)
    assert reason is not None
    return f"{reason.key} {reason.rule}"


def runs(hand: list[str]) -> dict[str, set[str]]:
    """The maximal runs of a hand by their top card, found one card after the other."""
    found = {}
    for suit in "SCDH":
        row: list[str] = []
        for rank in "789TJQKA-":
            if rank + suit in hand:
                row.append(rank + suit)
                continue
            if len(row) >= 3:
                found[row[-1]] = set(row)
            row = []
    return found


def is_right(state: State, action: str, reason: Reason) -> bool:
    """Tells, from hands and table alone, whether a reason is right."""
    hand = state.hand(state.seat_to_act)
    if reason.key == "unknown":
        return action not in state.game.actions
    if reason.key == "not_held":
        return len(action) == 2 and action not in hand
    if reason.key.startswith(("must", "suit")):
        return is_duty(state, hand, action, reason)
    if state.game.family == "tetka":
        return False
    assert state.trump_card is not None
    trump, top = state.trump_card[1], action.partition(":")[2]
    both = {"Q" + trump, "K" + trump} <= set(hand)
    four = action.startswith("four") and all(top + suit in hand for suit in "SCDH")
    run = action.startswith("run") and top in runs(hand)
    seven = action == "seven" and "7" + trump in hand
    told = {
        "pending": state.break_is_pending,
        "no_break": action.startswith("break") and not state.break_is_pending,
        "no_run": action.startswith("run") and not run,
        "no_four": action.startswith("four") and not four,
        "no_marriage": action == "marriage" and not both,
        "late": (run or four) and state.trick > 8,
        "run_scored": run and state.trick <= 8,
        "run_shares": run and state.trick <= 8 and state.rules.to_dict().get("growth") == "none",
        "four_scored": four and state.trick <= 8,
        "marriage_scored": both and action == "marriage",
        "twice": run or four or (both and action == "marriage"),
        "no_seven": action == "seven" and not seven,
        "small_talon": seven and reason.talon == state.talon_size < reason.needed,
    }
    return told[reason.key]


def is_duty(state: State, hand: list[str], card: str, reason: Reason) -> bool:
    """Tells whether the duty of a reason binds: its suits, its cards, its rule."""
    led = state.table[0][1]
    held = {name for name in hand if name[1] == led[1]}
    if card not in hand or reason.led != led:
        return False
    if state.game.family == "tetka":
        duty = card[1] != led[1] and set(reason.cards) == held != set()
        return duty and (reason.key, reason.rule) == ("must_follow", "K3")
    assert state.trump_card is not None
    trump = state.trump_card[1]
    trumps = {name for name in hand if name[1] == trump}
    closed = state.talon_size == 0
    if reason.rule != ("T11" if closed else "T10"):
        return False
    if reason.key == "must_follow":
        return card[1] != led[1] and set(reason.cards) == held != set()
    if reason.key == "must_trump":
        return not held and card not in trumps and set(reason.cards) == trumps != set()
    if reason.key == "suit_or_trump":
        return card not in held | trumps and set(reason.cards) == held | trumps
    order = TRUMP_ORDER if led[1] == trump else PLAIN_ORDER
    higher = {name for name in held if order.index(name[0]) > order.index(led[0])}
    return closed and card in held - higher and set(reason.cards) == higher != set()


@pytest.mark.rule("T8", "T10", "T11", "T12", "T13", "T15", "T18", "T28", "K3", "K11")
@pytest.mark.parametrize("game", ["terz", "tetka", "terz_mini", "terz_micro", "tetka_micro"])
def test_there_is_a_reason_where_an_action_is_illegal_and_the_reason_is_right(game: str) -> None:
    seen: Counter[str] = Counter()
    for state in positions(game, GAMES):
        lawful = state.legal_names()
        for action in (*state.game.actions, "2S" if game == "terz" else "run:JH", "nonsense"):
            reason = state.why_not(action)
            assert (reason is None) == (action in lawful), (state.to_text(), action)
            if reason is not None:
                assert is_right(state, action, reason), (state.to_text(), action, reason)
                seen[reason.key] += 1
    usual = {"terz": 15, "terz_mini": 4, "terz_micro": 4}.get(game, 3)
    assert len(seen) >= usual, seen


@pytest.mark.rule("T20", "T22")
def test_a_meld_that_has_scored_says_so() -> None:
    state = dealt("7S 8S 9S JS JC JD JH QH KH", "9H")
    for action in ("run:9S", "four:J", "marriage"):
        state.apply(action)
    assert key(state, "run:9S") == "run_scored T20"
    assert key(state, "four:J") == "four_scored T20"
    assert key(state, "marriage") == "marriage_scored T22"


@pytest.mark.rule("T20", "T13")
def test_a_grown_run_that_shares_a_card_with_a_scored_one_does_not_score_without_growth() -> None:
    hand, other = "7S 8S 9S TS AC AD AH KC QD", "7C 9C QC JC 8D TD KD 8H TH"
    for growth, said in (("none", "run_shares T20"), ("new_card", "")):
        state = dealt(hand, "JS", other, f"growth={growth}")
        state.apply("run:TS")
        state.apply("seven")
        assert (key(state, "run:JS") if said else state.why_not("run:JS") or "") == said


@pytest.mark.rule("T18")
def test_a_beaten_announcement_may_not_be_made_twice_in_a_turn() -> None:
    beating = "7C 8C 9C TC JC 8D TD KD 8H"
    state = dealt("7S 8S 9S AS QS JD JH QH AH", "9H", beating)
    state.apply("run:9S")
    assert state.meld_points[0] == 0
    assert key(state, "run:9S") == "twice T18"


@pytest.mark.rule("T8")
def test_while_the_break_is_pending_nothing_else_is_legal() -> None:
    state = dealt("7S 8S 9S JS JC JD JH QH KH", "9H", rules="break_deck=choose")
    state.apply("7S")
    state.apply(state.legal_names()[0])
    assert state.break_is_pending
    assert key(state, "7S") == key(state, "marriage") == key(state, "seven") == "pending T8"
    assert key(state, "break:13") == "unknown T28"
    state.apply("break:3")
    assert key(state, "break:3") == "no_break T8"


@pytest.mark.rule("T10")
def test_the_letter_of_the_first_source_asks_for_the_suit_or_a_trump() -> None:
    hand, other = "7S 8C 9C QC KC AC 7D 8D 9D", "9S JS KS TC JC TD QD 8H TH"
    state = dealt(hand, "9H", other, "follow=suit_or_trump")
    state.apply("7S")
    reason = state.why_not("TD")
    assert reason == Reason(
        key="suit_or_trump", rule="T10", led="7S", cards=("9S", "JS", "KS", "8H", "TH")
    )


@pytest.mark.rule("K3")
def test_an_illegal_action_is_refused_in_a_sentence_with_the_rule() -> None:
    state = tetka_deal({0: "AS", 1: "7S TS 9H"}, "5H")
    state.apply("AS")
    wanted = (
        r"^seat_1 may not play 9H: spades were led and it holds .*7S TS.* \(Rule K3\); "
        r"legal: .*7S TS"
    )
    with pytest.raises(IllegalActionError, match=wanted):
        state.apply("9H")


def test_after_the_end_of_a_deal_nothing_is_lawful() -> None:
    state = State.new("tetka_micro")
    while not state.deal_is_over:
        state.apply(state.legal_actions()[0])
    assert state.why_not("AS") == Reason(key="over", rule="")
    with pytest.raises(IllegalActionError, match=f"^AS: {SENTENCES['over']}$"):
        state.apply("AS")
