"""Drives the engine and the slow reference with the same actions and compares every step."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from terz_env.games.terz.variant import TerzRules
from terz_env.records.writing import DealLog
from terz_env.state import State
from tests.reference.terz import TerzReference, TerzSmallReference, meld_values
from tests.reference.tetka import TetkaMicroReference, TetkaReference
from tests.sources import Source, Story, photo_of, talon_of

DEALS = int(os.environ.get("TERZ_PARITY_DEALS", "500"))
FORFEIT_SHARE = 0.01
FALSE_SHARE = 0.05
REVOKE_SHARE = 0.05
PRESET_SHARE = 0.2
SERIES_SHARE = 0.1
MELDS = tuple(meld_values())


def random_terz_rules(source: Source) -> dict[str, Any]:
    """Returns a preset, or a random value of every option."""
    if source.happens(PRESET_SHARE):
        mode = source.pick(TerzRules.CHOICES["illegal_actions"])
        preset = source.pick(tuple(TerzRules.PRESETS))
        return {**TerzRules.PRESETS[preset], "illegal_actions": mode}
    rules: dict[str, Any] = {
        name: source.pick(values) for name, values in TerzRules.CHOICES.items()
    }
    rules["target_settle"] = source.pick((501, 300, 510))
    rules["target_announce"] = min(source.pick((500, 501, 300)), rules["target_settle"])
    return rules


def tally_rules(state: State, tally: Counter[str]) -> None:
    """Counts a deal under every option that it is played with, its scope and its preset."""
    rules = state.rules.to_dict()
    tally.update([f"scope={state.scope}", *(f"{name}={value}" for name, value in rules.items())])
    free = {name: value for name, value in rules.items() if name != "illegal_actions"}
    for preset, options in state.rules.PRESETS.items():
        full = type(state.rules).from_mapping(options).to_dict()
        tally[preset] += int(free.items() <= full.items())


def choose_terz(state: State, mode: str, source: Source) -> str:
    """Returns an action: lawful, or now and then any at all where that is adjudicated."""
    if mode == "penalise" and source.happens(FALSE_SHARE):
        return source.pick(MELDS)
    if mode != "raise" and source.happens(FORFEIT_SHARE):
        return source.pick((*state.game.actions, "invalid"))
    return source.pick(state.legal_names())


def choose_tetka(state: State, mode: str, source: Source) -> str:
    """Returns a card: lawful, or now and then any held or any at all where that is adjudicated."""
    if mode == "penalise" and source.happens(REVOKE_SHARE):
        return source.pick(state.hand(state.seat_to_act))
    if mode != "raise" and source.happens(FORFEIT_SHARE):
        return source.pick((*state.game.actions, "invalid"))
    return source.pick(state.legal_names())


def compare_terz(state: State, slow: TerzReference, story: Story) -> None:
    """Compares everything that both know of the position."""
    assert state.deal_is_over == slow.deal_over, story
    assert state.raises == list(slow.raises), story
    for seat in range(2):
        known = state.game.deck.members(int(state.words[4 + seat]))
        assert set(known) == slow.known(seat), story
        assert set(state.hand(seat)) == slow.hands[seat], story
    if slow.deal_over:
        assert state.scores == list(slow.scores), story
        assert state.is_over == (slow.match_over or state.scope == "deal"), story
        assert state.winner == slow.winner, story
        if state.scope == "deal":
            lead = slow.scores[0] - slow.scores[1]
            assert state.returns() == [lead, -lead], story
        return
    assert state.seat_to_act == slow.to_act, story
    assert state.legal_names() == sorted(slow.legal(), key=state.game.actions.index), story


def compare_events(state: State, events: list[dict[str, Any]], story: Story) -> None:
    """Compares what the last announcement made public with the reference's event."""
    word = int(state.words[20])
    told = [event for event in events if event["type"] == "announcement"]
    if not told:
        assert word == 0, story
        return
    event = told[0]
    outcome = ("", "scored", "beaten", "false")[word >> 8 & 3]
    assert (outcome, word >> 7 & 1) == (event["outcome"], event["player"]), story
    assert (word >> 23 & 1023) == event["points"], story
    scorer = word >> 21 & 1 if word >> 22 & 1 else None
    assert scorer == event["scorer"], story
    if outcome == "beaten":
        assert (word >> 33 & 1 == 1) == (event["top"] is not None), story
        assert (word >> 34 & 1 == 1) == (event["trump"] is not None), story
        assert (word >> 10 & 15) == (event["length"] or 0), story


def compare_log(log: DealLog, slow: TerzReference | TetkaReference, story: Story) -> None:
    """Compares what a record tells of a deal that is over."""
    told = log.results()
    assert told.get("penalties", []) == slow.penalties, story
    if isinstance(slow, TetkaReference):
        assert (told["marks"], told["trick_counts"]) == (slow.marks, slow.trick_counts), story
        return
    melds = [{**meld, "cards": sorted(meld["cards"])} for meld in told["melds"]]
    assert melds == slow.melds, story
    assert told.get("card_points") == slow.card_points, story
    assert told.get("recorded_points") == slow.recorded_points, story


def tally_events(events: list[dict[str, Any]], tally: Counter[str]) -> None:
    """Counts the events of a step, announcements by what became of them."""
    for event in events:
        kind = event["type"]
        if kind == "announcement":
            scored = (
                ""
                if event["scorer"] is None
                else ", scored by {}".format(
                    "the announcer" if event["scorer"] == event["player"] else "the opponent"
                )
            )
            tally[f"{event['kind']} {event['outcome']}{scored}"] += 1
        tally[event["kind"] if kind == "penalty" else kind] += 1


def play_terz(source: Source, tally: Counter[str]) -> None:
    """Plays one random deal or match of Terz under random rules through both."""
    rules = random_terz_rules(source)
    scope = "match" if source.happens(SERIES_SHARE) else "deal"
    state = source.start("terz", rules, scope)
    talon, hands = talon_of(state), [state.hand(seat) for seat in range(2)]
    slow = TerzReference(rules, scope, state.dealer, hands, talon[13], talon[:13])
    story, log = Story(state, source.seed), DealLog(state)
    tally_rules(state, tally)
    while True:
        compare_terz(state, slow, story)
        if state.deal_is_over:
            compare_log(log, slow, story)
        if state.is_over:
            if slow.winner is not None:
                forfeited = any(penalty["kind"] == "forfeit" for penalty in slow.penalties)
                early = "match forfeited" if forfeited else "match won in mid-deal"
                tally["match won at settlement" if slow.card_points else early] += 1
            return
        if state.deal_is_over:
            source.next_deal(state)
            talon, hands = talon_of(state), [state.hand(seat) for seat in range(2)]
            slow.next_deal(hands, talon[13], talon[:13])
            assert (state.dealer, state.seat_to_act) == (slow.dealer, slow.to_act), story
            story.begin_deal(state)
            log = DealLog(state)
            tally_rules(state, tally)
            continue
        action = choose_terz(state, str(rules["illegal_actions"]), source)
        log.play(action)
        story.deals[-1]["actions"] = log.actions
        events = slow.apply(action)
        compare_events(state, events, story)
        tally_events(events, tally)


def compare_tetka(state: State, slow: TetkaReference, story: Story) -> None:
    """Compares everything that both know of the position."""
    assert state.deal_is_over == slow.deal_over, story
    assert state.marks == list(slow.marks), story
    assert state.trick_counts == list(slow.trick_counts), story
    for seat in range(4):
        voids = {"SCDH"[suit] for suit in range(4) if int(state.words[4 + seat]) >> 52 + suit & 1}
        assert voids == slow.public_voids(seat), story
        assert set(state.hand(seat)) == slow.hands[seat], story
    if state.deal_is_over:
        assert state.scores == list(slow.scores), story
        assert state.is_over == (slow.rubber_over or state.scope == "deal"), story
        return
    assert state.seat_to_act == slow.to_act, story
    assert state.legal_names() == sorted(slow.legal(), key=state.game.actions.index), story


def play_tetka(source: Source, tally: Counter[str]) -> None:
    """Plays one random deal or rubber of Tetka under a random mode through both."""
    mode = source.pick(("raise", "forfeit", "penalise"))
    scope = "rubber" if source.happens(SERIES_SHARE) else "deal"
    rules = {"illegal_actions": mode}
    state = source.start("tetka", rules, scope)
    hands = [state.hand(seat) for seat in range(4)]
    slow = TetkaReference(rules, scope, state.dealer, hands, photo_of(state))
    story, log = Story(state, source.seed), DealLog(state)
    tally_rules(state, tally)
    while True:
        compare_tetka(state, slow, story)
        if state.deal_is_over:
            compare_log(log, slow, story)
            tally.update(penalty["kind"] for penalty in slow.penalties)
        if state.is_over:
            assert state.returns() == slow.settlement, story
            tally["rubbers ended"] += int(scope == "rubber")
            return
        if state.deal_is_over:
            source.next_deal(state)
            slow.next_deal([state.hand(seat) for seat in range(4)], photo_of(state))
            assert state.dealer == slow.dealer, story
            story.begin_deal(state)
            log = DealLog(state)
            tally_rules(state, tally)
            continue
        action = choose_tetka(state, mode, source)
        log.play(action)
        story.deals[-1]["actions"] = log.actions
        slow.apply(action)


def play_terz_small(name: str, source: Source) -> None:
    """Plays one random deal of Terz-mini or Terz-micro through both."""
    state = source.start(name, {}, "deal")
    talon = talon_of(state)[: state.game.talon_size]
    slow = TerzSmallReference(state.dealer, [state.hand(0), state.hand(1)], talon)
    story = Story(state, source.seed)
    while not state.is_over:
        compare_terz(state, slow, story)
        action = source.pick(state.legal_names())
        story.deals[-1]["actions"].append([state.seat_to_act, action])
        state.apply(action)
        slow.apply(action)
    compare_terz(state, slow, story)


def play_tetka_micro(source: Source) -> None:
    """Plays one random deal of Tetka-micro through both."""
    state = source.start("tetka_micro", {}, "deal")
    slow = TetkaMicroReference(state.dealer, [state.hand(seat) for seat in range(4)])
    story = Story(state, source.seed)
    while not state.is_over:
        compare_tetka(state, slow, story)
        action = source.pick(state.legal_names())
        story.deals[-1]["actions"].append([state.seat_to_act, action])
        state.apply(action)
        slow.apply(action)
    compare_tetka(state, slow, story)
    assert state.returns() == slow.settlement, story
