"""The kernels: roll-outs, finished deals, modes and scopes that random play seldom meets."""

from __future__ import annotations

import numpy as np
import pytest

from terz_env.cards import SHORT_DECK
from terz_env.errors import RuleSetError
from terz_env.games import get_game
from terz_env.games.terz import melds
from terz_env.games.terz.variant import TerzRules
from terz_env.kernel import entry_point, kernel
from terz_env.ruleset import SmallRules
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import Deal, State


def observed(state: State) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    words = np.zeros(state.game.layout.n_words, np.int64)
    state.game.kernels.observe_one(state.words, max(state.seat_to_act, 0), words)
    return words


@pytest.mark.parametrize(("game", "scope"), [("terz", "match"), ("tetka", "rubber")])
def test_a_roll_out_plays_the_rows_independently(game: str, scope: str) -> None:
    rules = "break_deck=choose" if game == "terz" else None

    def rolled(rows: int, first: int) -> bytes:
        batch = SelfPlayBatch(
            game, rows, rules=rules, scope=scope, first_environment=first, observation="none"
        )
        streams = np.arange(first, first + rows, dtype=np.uint64).reshape(rows, 1)
        config = batch.game.config_word(batch.rules, scope)
        batch.game.kernels.roll_out(batch.states, 120, streams, config, 0, first)
        return batch.states.tobytes()

    assert rolled(3, 0) == rolled(1, 0) + rolled(2, 1)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_the_entry_of_a_kernel_does_what_the_kernel_does(game: str) -> None:
    state, other = State.new(game, seed=1), State.new(game, seed=1)
    step_one = state.game.kernels.step_one
    quick = entry_point(step_one, state.words, 0)
    while not state.is_over:
        for action in (-1, 1000, state.legal_actions()[0]):
            assert quick(state.words, action) == step_one(other.words, action)
            assert state == other


@pytest.mark.parametrize("name", ["terz", "tetka", "terz_mini", "terz_micro", "tetka_micro"])
def test_a_finished_deal_refuses_every_action_and_can_still_be_seen(name: str) -> None:
    state = State.new(name)
    while not state.is_over:
        observed(state)
        state.apply(state.legal_actions()[0])
    before = state.to_bytes()
    assert state.game.kernels.step_one(state.words, 0) == -1
    observed(state)
    mask = np.ones(74 if state.game.family == "terz" else 52, np.int8)
    state.game.kernels.mask_one(state.words, mask)
    assert not mask.any()
    assert state.to_bytes() == before


@pytest.mark.parametrize(("name", "scope"), [("terz", "match"), ("tetka", "rubber")])
def test_a_match_or_rubber_is_settled_at_its_end(name: str, scope: str) -> None:
    state = State.new(name, scope=scope, seed=2)
    while not state.is_over:
        if state.deal_is_over:
            state.next_deal(seed=2)
        state.apply(state.legal_actions()[0])
    returns = state.returns()
    assert sum(returns) == 0
    if name == "terz":
        assert sorted(returns) == [-1, 1]
        assert returns[state.winner or 0] == 1
    else:
        total = sum(state.scores)
        assert returns == [total - 4 * score for score in state.scores]


@kernel
def _strongest_unscored(hand: int, scored: int) -> int:
    return melds.strongest_meld(hand, scored, 1, 0, 0)


@kernel
def _holds(hand: int, action: int) -> int:
    return melds.holds_meld(hand, action, 0)


@pytest.mark.rule("T19", "T20")
def test_what_has_scored_is_passed_over() -> None:
    hand = SHORT_DECK.card_set(["JS", "JC", "JD", "JH", "QS", "QC", "QD", "QH", "9S"])
    assert _strongest_unscored(hand, 0) & 127 == 56
    assert _strongest_unscored(hand, 1 << 32) & 127 == 57
    run = SHORT_DECK.card_set(["7C", "8C", "9C"])
    assert _strongest_unscored(run, run) == 0


@pytest.mark.rule("T27")
def test_a_meld_is_held_or_not() -> None:
    hand = SHORT_DECK.card_set(["JS", "JC", "JD", "JH", "QS", "KS", "7C", "8C", "9C"])
    assert [_holds(hand, action) for action in (56, 57, 60)] == [1, 0, 1]
    assert _holds(hand & ~SHORT_DECK.card_set(["KS"]), 60) == 0


@pytest.mark.rule("T21")
def test_the_top_of_a_beaten_four_becomes_public() -> None:
    fours = [["QS", "QC", "QD", "QH", "7S", "7C", "7D", "7H", "8S"]]
    fours.append(["KS", "KC", "KD", "KH", "9C", "9D", "9H", "8C", "8D"])
    left = [card for card in SHORT_DECK.names if card not in fours[0] + fours[1]]
    state = State.from_deal("terz", Deal(1, fours, trump_card=left[-1], talon=left[:-1]))
    state.apply("four:Q")
    assert state.scores == [0, 100]
    assert int(state.words[20]) >> 33 & 1


@pytest.mark.rule("T24")
@pytest.mark.parametrize("scores", [(450, 100), (100, 450)])
def test_either_seat_may_win_at_settlement(scores: tuple[int, int]) -> None:
    won = set()
    for seed in range(12):
        state = State.new("terz", "target_announce=501", scope="match", seed=seed)
        state.words[14:16] = scores
        while not state.deal_is_over:
            state.apply(state.legal_actions()[0])
        won.add(state.winner)
        if state.winner is None:
            assert max(state.scores) < 501
        else:
            assert state.scores[state.winner] >= 501
    assert scores.index(max(scores)) in won


def test_targets_are_whole_numbers_in_range() -> None:
    for value in (True, 1.5, 0, 60_001):
        with pytest.raises(RuleSetError, match="target_settle"):
            TerzRules(target_settle=value)  # type: ignore[arg-type]


def test_a_game_takes_its_own_rules_only() -> None:
    game = get_game("terz")
    with pytest.raises(RuleSetError, match="SmallRules"):
        game.rules(SmallRules())
    with pytest.raises(KeyError, match="hand, own_known"):
        game.layout.field("feet")


@pytest.mark.rule("T28")
def test_a_forfeit_leaves_the_opponent_150_points_and_his_melds() -> None:
    state = State.new("terz", "illegal_actions=forfeit", seed=1)
    offender = state.seat_to_act
    state.apply("invalid")
    assert state.returns()[offender] == -150
    assert sum(state.returns()) == 0


@pytest.mark.rule("T27")
def test_a_score_below_its_raise_is_seen_as_nothing() -> None:
    state = State.new("terz", "illegal_actions=penalise", scope="match", seed=1)
    plain = observed(state)
    state.words[16:18] = 200
    np.testing.assert_array_equal(observed(state), plain)


def test_fingerprints_tell_layouts_and_rules_apart_but_not_modes() -> None:
    assert get_game("terz").layout.fingerprint != get_game("tetka").layout.fingerprint
    assert TerzRules().fingerprint != TerzRules(follow="free").fingerprint
    assert TerzRules().fingerprint == TerzRules(illegal_actions="forfeit").fingerprint
