"""What play proves of the hidden cards of Terz, one test a constraint; positions are text."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from terz_env.cards import SHORT_DECK
from terz_env.errors import PositionError
from terz_env.games.terz.history import ENTRIES
from terz_env.kernel import COMPILED
from terz_env.search import terz_plan, terz_worlds
from terz_env.search.worlds import DealLog, Worlds
from terz_env.state import Deal, State
from tests.reference.terz import fours_in, runs_in, strength
from tests.search.playing import Played, Words, dealt

N_WORLDS = 150 if COMPILED else 40
CLUBS = {rank + "C" for rank in SHORT_DECK.ranks}
SPADES = {rank + "S" for rank in SHORT_DECK.ranks}


def start(leader: str, other: str, trump_card: str, rules: str | None = None) -> Played:
    """Deals to seat 0, who leads, and to seat 1; the talon holds the rest in ascending order."""
    hands = [leader.split(), other.split()]
    left = [name for name in SHORT_DECK.names if name not in [*hands[0], *hands[1], trump_card]]
    return Played(State.from_deal("terz", Deal(1, hands, trump_card=trump_card, talon=left), rules))


def apply(played: Played, actions: str) -> Played:
    for action in actions.split():
        played.apply(action)
    return played


def worlds(played: Played, seat: int) -> list[tuple[set[str], set[str], Words]]:
    """Returns worlds of a seat: the opponent's first hand, his hand now, and the words."""
    plan = np.zeros(terz_plan.PLAN_SIZE, np.int64)
    assert terz_worlds.prepare_worlds(played.state.words, seat, played.log, plan) > 0
    out = np.zeros((N_WORLDS, 22), np.int64)
    stream = np.zeros(1, np.uint64)
    assert terz_worlds.draw_worlds(played.state.words, seat, plan, stream, out) == N_WORLDS
    first = [dealt(played, world, seat)[1 - seat] for world in out]
    members = SHORT_DECK.members
    return [
        (set(members(int(hand))), set(members(int(world[1 - seat]))), world)
        for hand, world in zip(first, out, strict=True)
    ]


def first_hands(played: Played, seat: int) -> list[set[str]]:
    return [first for first, _, _ in worlds(played, seat)]


LEADER = "7C 9C TD KD 8D AD 7H 9H KH"
TRUMP = "8S"


@pytest.mark.rule("T10", "T12")
@pytest.mark.parametrize(
    ("rules", "reply", "absent", "possible"),
    [
        ("follow=strict", "8H", (CLUBS | SPADES) - {"JS"}, {"JS"}),
        ("follow=strict,trump_jack=not_forced", "8H", (CLUBS | SPADES) - {"JS"}, {"JS"}),
        ("follow=strict,trump_jack=none", "8H", CLUBS | SPADES, {"7D"}),
        ("follow=suit_or_trump", "8H", (CLUBS | SPADES) - {"JS"}, {"JS"}),
        ("follow=suit_or_trump,trump_jack=none", "8H", CLUBS | SPADES, {"7D"}),
        ("follow=free", "8H", set(), {"8C", "AC", "7S"}),
    ],
)
def test_a_card_of_another_suit_proves_two_voids_but_for_the_jack(
    rules: str, reply: str, absent: set[str], possible: set[str]
) -> None:
    played = start(LEADER, "7D 9D JD QD 8H TH JH QH AH", TRUMP, rules)
    hands = first_hands(apply(played, f"7C {reply}"), 0)
    assert not any(hand & absent for hand in hands)
    assert set().union(*hands) >= possible


@pytest.mark.rule("T10", "T12")
@pytest.mark.parametrize(
    ("rules", "reply", "void"),
    [
        ("follow=strict", "7S", True),
        ("follow=suit_or_trump", "7S", False),
        ("follow=free", "7S", False),
        ("follow=strict", "JS", False),
        ("follow=strict,trump_jack=not_forced", "JS", True),
        ("follow=strict,trump_jack=none", "JS", True),
        ("follow=suit_or_trump,trump_jack=not_forced", "JS", False),
    ],
)
def test_a_trump_proves_a_void_where_following_suit_comes_first(
    rules: str, reply: str, void: bool
) -> None:
    played = start(LEADER, "7S JS JD QD 8H TH JH QH AH", TRUMP, rules)
    hands = first_hands(apply(played, f"7C {reply}"), 0)
    assert any(hand & CLUBS for hand in hands) != void
    assert any(hand & {"KS", "AS"} for hand in hands)


@pytest.mark.rule("T7", "T10")
def test_a_void_holds_as_of_its_moment_and_later_draws_may_fill_it() -> None:
    played = start(LEADER, "7D 9D JD QD 8H TH JH QH AH", TRUMP)
    found = worlds(apply(played, "7C 8H"), 0)
    assert not any(first & CLUBS for first, _, _ in found)
    assert any(now & CLUBS for _, now, _ in found)


@pytest.mark.rule("T7", "T11")
def test_from_trick_eight_on_the_other_hand_is_known() -> None:
    played = start(LEADER, "7D 9D JD QD 8H TH JH QH AH", TRUMP)
    while int(played.state.words[10]) >> 8 & 31 < 9:
        played.apply(played.state.legal_actions()[0])
    for seat in range(2):
        found = worlds(played, seat)
        assert all(now == set(played.state.hand(1 - seat)) for _, now, _ in found)


@pytest.mark.rule("T13")
def test_who_exchanges_the_seven_held_it_and_holds_the_trump_card() -> None:
    played = start("7S 9C TD KD 8D AD 7H 9H KH", "7D 9D JD QD 8H TH JH QH AH", TRUMP)
    for first, now, world in worlds(apply(played, "seven"), 1):
        assert "7S" in first
        assert "8S" in now
        assert int(world[9]) >> 30 & 31 == SHORT_DECK.number("7S")


@pytest.mark.rule("T15", "T21")
def test_a_shown_run_is_held_and_not_longer() -> None:
    played = start("8C 9C TC KD 8D AD 7H 9H KH", "7D 9D JD QD 8H TH JH QH AH", TRUMP)
    for first, now, _ in worlds(apply(played, "run:TC"), 1):
        assert {"8C", "9C", "TC"} <= first
        assert not first & {"7C", "JC"}
        assert now == first


@pytest.mark.rule("T22")
def test_a_marriage_shows_king_and_queen_of_trumps() -> None:
    played = start("KS QS TC KD 8D AD 7H 9H KH", "7D 9D JD QD 8H TH JH QH AH", TRUMP)
    assert all({"KS", "QS"} <= hand for hand in first_hands(apply(played, "marriage"), 1))


def strongest_of(hand: set[str]) -> tuple[int, int, int]:
    return max([strength(meld, "S") for meld in runs_in(hand) + fours_in(hand)], default=(0, 0, 0))


@pytest.mark.rule("T16", "T19", "T21")
def test_the_opponent_of_an_unbeaten_announcement_held_no_stronger_meld() -> None:
    played = start("8C 9C TC KD 8D AD 7H 9H KH", "7D 9D JD QD 8S TH JH KS AH", "7S")
    mine = strength(runs_in(["8C", "9C", "TC"])[0], "S")
    before = [strongest_of(hand) > mine for hand in first_hands(played, 0)]
    assert any(before)
    after = [strongest_of(hand) > mine for hand in first_hands(apply(played, "run:TC"), 0)]
    assert not any(after)


@pytest.mark.rule("T19", "T21")
def test_a_beaten_announcement_shows_the_strongest_meld_that_scores() -> None:
    played = start("8C 9C TC KD 8D AD 7H 9H KH", "TD JD QD 8S TH JH QH KS AS", "7S")
    apply(played, "run:TC")
    for hand in first_hands(played, 0):
        assert {"TD", "JD", "QD"} <= hand
        assert "9D" not in hand
        assert strongest_of(hand) == strength(runs_in(["TD", "JD", "QD"])[0], "S")


BLOCKED = ("9C TC JC QC 8D AD 7H 9H KH", "7D 9D TD JD 8S TH QH KS AS", "7S")


@pytest.mark.rule("T19", "T20", "T21")
def test_a_scored_meld_blocks_or_not_by_the_option() -> None:
    held = apply(start(*BLOCKED, "blocking=held"), "run:QC 8D run:JD")
    assert int(held.state.words[20]) >> 8 & 3 == 2  # beaten, and nobody records
    assert all({"9C", "TC", "JC", "QC"} <= hand for hand in first_hands(held, 1))
    unscored = apply(start(*BLOCKED, "blocking=unscored"), "run:QC 8D run:JD")
    assert int(unscored.state.words[20]) >> 8 & 3 == 1
    for hand in first_hands(unscored, 1):
        others = [meld for meld in runs_in(hand) + fours_in(hand) if meld.name != "run:QC"]
        mine = strength(runs_in(["9D", "TD", "JD"])[0], "S")
        assert not any(strength(meld, "S") > mine for meld in others)


@pytest.mark.rule("T19", "T21")
def test_a_beaten_announcement_was_of_its_class_and_weaker() -> None:
    played = start("8C 9C TC KD 8D AD 7H 9H KH", "TD JD QD 8H TH JH QH KS AS", "7S")
    apply(played, "run:TC")
    shown = strength(runs_in(["TD", "JD", "QD"])[0], "S")
    names = set()
    for first, _, world in worlds(played, 1):
        runs = [run for run in runs_in(first) if run.length == 3 and strength(run, "S") < shown]
        assert runs
        assert all(run.top == "T" for run in runs if run.name == "run:TC")
        names.add(int(world[11]))
        assert int(world[20]) & 127 == int(world[11]).bit_length() - 1
    assert len(names) > 1  # only that its top is the ten is public, not its suit


@pytest.mark.rule("T16", "T21")
def test_a_run_that_a_trump_run_of_equal_top_has_beaten_was_plain() -> None:
    played = start("8H 9H TH KC AC 7C JC KD QH", "8S 9S TS 8C QC 7H AS AD JH", "7S")
    apply(played, "run:TH")
    for hand in first_hands(played, 1):
        tens = [run for run in runs_in(hand) if (run.length, run.top) == (3, "T")]
        assert any(run.suit != "S" for run in tens)


@pytest.mark.rule("T18", "T21")
def test_two_beaten_announcements_of_a_turn_were_two_melds() -> None:
    played = start("7C 8C 9C 7H 8H 9H KD QD AC", "TD JD KS QS AS 8S 9S TS JH", "7S")
    apply(played, "run:9C run:9H")
    for first, _, world in worlds(played, 1):
        assert len([run for run in runs_in(first) if run.length == 3]) >= 2
        assert int(world[11]).bit_count() == 2


@pytest.mark.rule("T14", "T21")
def test_a_beaten_four_is_known_by_its_rank() -> None:
    played = start("QS QC QD QH 7C 8C 9D 7H 8H", "KS KC KD KH 7D 8D 9C 9H JS", "9S")
    apply(played, "four:Q")
    assert all({"QS", "QC", "QD", "QH"} <= hand for hand in first_hands(played, 1))


@pytest.mark.rule("T27")
@pytest.mark.parametrize(
    ("name", "cards"), [("four:K", "KS KC KD KH"), ("marriage", "KS QS"), ("run:TC", "8C 9C TC")]
)
def test_a_false_announcement_was_not_held(name: str, cards: str) -> None:
    played = start(
        "7C 8C JD KD 8D AD 7H 9H KH", "TD JS QD 8S TH JH QH AC AS", "7S", "illegal_actions=penalise"
    )
    apply(played, name)
    for hand in first_hands(played, 1):
        assert name not in {meld.name for meld in runs_in(hand)}
        if not name.startswith("run"):
            assert not set(cards.split()) <= hand


RARE = ("7C 8C 9C TC JC 7D 8D 9D TD", "7S 8S 9S TS JS QS KS AC 7H", "AS")


@pytest.mark.slow
@pytest.mark.rule("T18", "T21")
def test_where_tries_fail_the_worlds_are_listed_one_by_one() -> None:
    played = apply(start(*RARE), "run:JC run:TD")
    plan = np.zeros(terz_plan.PLAN_SIZE, np.int64)
    assert terz_worlds.prepare_worlds(played.state.words, 1, played.log, plan) == 497_420
    out = np.zeros((400, 22), np.int64)
    stream = np.zeros(1, np.uint64)
    assert terz_worlds.draw_worlds(played.state.words, 1, plan, stream, out) == len(out)
    hands = set()
    for five, four in itertools.permutations("CDH", 2):
        for low, high in itertools.product(range(4), range(5)):
            cards = {rank + five for rank in SHORT_DECK.ranks[low : low + 5]}
            cards |= {rank + four for rank in SHORT_DECK.ranks[high : high + 4]}
            if not cards & {"AC", "7H"}:
                hands.add(SHORT_DECK.card_set(cards))
    assert plan[terz_plan.N_CACHED] == len(hands)
    assert set(out[:, 0].tolist()) <= hands


@pytest.mark.slow
def test_a_log_that_no_deal_explains_is_refused() -> None:
    state = start(*RARE).state
    log = DealLog(state)
    log.apply(state, "run:JC")
    log.words[ENTRIES] += 3 << 13  # a run of eight; seat 1 holds a card of each suit
    with pytest.raises(PositionError, match="was found"):
        Worlds(state, 1, log).draw()
