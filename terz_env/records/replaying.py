"""Replays records and checks every step; deals and steps are counted from 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from terz_env.errors import RecordError, RuleSetError, TerzEnvError
from terz_env.games import get_game
from terz_env.records.fields import (
    as_list,
    as_mapping,
    as_text,
    as_texts,
    check_keys,
    compare,
    is_int,
    same,
    show,
)
from terz_env.records.writing import FORMAT, GAMES, INVALID, DealLog, Record, outcome
from terz_env.state import Deal, State

_TOP_KEYS = ("format", "game", "scope", "rules", "seed", "start_scores", "start_raises", "deals")
_END_KEYS = ("scores", "winner", "settlement")
_CARD_KEYS = {
    "terz": ("dealer", "hands", "trump_card", "talon"),
    "tetka": ("dealer", "hands", "photo"),
}
_RESULT_KEYS = {"terz": ("card_points", "recorded_points"), "tetka": ("marks", "trick_counts")}


def replay(record: object) -> int:
    """Replays a record, checks everything it says, and returns the number of its actions.

    Raises:
        RecordError: The record is damaged, or the rules say something else; it names the deal and
            the step, what was found and what the rules say.
    """
    fields, deals = _opened(record)
    n_actions = 0
    state: State | None = None
    for number, entry in enumerate(deals):
        try:
            deal = _checked_deal(entry, str(fields["game"]))
            state = _begin(fields, state, _cards(deal, str(fields["game"])))
            n_actions += _replay_deal(state, deal, number)
        except (TerzEnvError, ValueError) as error:
            if isinstance(error, RecordError) and error.deal is not None:
                raise
            raise RecordError(str(error), number) from None
    assert state is not None
    if not state.is_over:
        raise RecordError(f"the record ends, but the {state.scope} goes on", len(deals) - 1)
    for name in _END_KEYS:
        compare(fields, outcome(state), name)
    return n_actions


def _opened(record: object) -> tuple[dict[str, Any], list[Any]]:
    """Returns the fields of a record and its deals, once all but the deals is known to be sound."""
    fields = as_mapping(record, "the record")
    if fields.get("format") != FORMAT:
        raise RecordError(f"format {show(fields.get('format'))}; {FORMAT!r} is expected")
    game = fields.get("game")
    if game not in GAMES:
        raise RecordError(f"game {show(game)}; use {' or '.join(GAMES)}")
    needed = ("scope", "rules", "seed", "deals")
    check_keys(fields, (*_TOP_KEYS, *_END_KEYS), needed, "the record")
    seed = fields["seed"]
    if seed is not None and not is_int(seed):
        raise RecordError(f"seed {show(seed)}; a whole number or null is expected")
    _check_options(fields)
    deals = as_list(fields["deals"], "deals")
    if not deals:
        raise RecordError("there are no deals")
    return fields, deals


def state_at(record: object, deal: int, step: int) -> State:
    """Returns the position of a record after `step` actions of a deal, both counted from 0.

    The automatic break (Rule T8) stands in a record as an action; the engine makes it together with
    the card before it.

    Raises:
        RecordError: There is no such deal or step, or what leads there is damaged.
    """
    fields, deals = _opened(record)
    if not 0 <= deal < len(deals):
        raise RecordError(f"there is no deal {deal}; the record has {len(deals)}")
    state: State | None = None
    for number, entry in enumerate(deals[: deal + 1]):
        try:
            cards = _checked_deal(entry, str(fields["game"]))
            state = _begin(fields, state, _cards(cards, str(fields["game"])))
            if number < deal:
                _replay_deal(state, cards, number)
        except (TerzEnvError, ValueError) as error:
            if isinstance(error, RecordError) and error.deal is not None:
                raise
            raise RecordError(str(error), number) from None
    assert state is not None
    actions = as_list(deals[deal]["actions"], "actions")
    if not 0 <= step <= len(actions):
        raise RecordError(f"there is no step {step}; the deal has {len(actions)} actions", deal)
    log = DealLog(state)
    for place, entry in enumerate(actions[:step]):
        try:
            if place == len(log.actions):
                log.play(_checked_action(state, entry))
            if not same(entry, log.actions[place]):
                raise RecordError(f"found {show(entry)}; the rules say {log.actions[place]}")
        except TerzEnvError as error:
            raise RecordError(str(error), deal, place) from None
    return state


def _check_options(fields: Mapping[str, Any]) -> None:
    """Refuses a scope or a rule set that the game does not have."""
    rules = as_mapping(fields["rules"], "rules")
    for name, value in rules.items():
        as_text(name, "rules")
        if not is_int(value):
            as_text(value, f"rules: {name}")
    game = get_game(fields["game"])
    try:
        game.check_scope(as_text(fields["scope"], "scope"))
        game.rules(rules)
    except RuleSetError as error:
        raise RecordError(str(error)) from None


def _begin(fields: Mapping[str, Any], state: State | None, deal: Deal) -> State:
    """Returns the state at the start of a deal."""
    if state is not None:
        if state.is_over:
            raise RecordError(f"the {state.scope} was over before this deal")
        state.next_deal(deal)
        return state
    starts = {}
    for name in ("start_scores", "start_raises"):
        values = as_list(fields.get(name, [0] * len(deal.hands)), name)
        if len(values) != len(deal.hands) or not all(is_int(value) for value in values):
            raise RecordError(f"{name} {show(values)}; a whole number a seat is expected")
        starts[name] = values
    game, rules = fields["game"], fields["rules"]
    return State.from_deal(game, deal, rules, scope=fields["scope"], **starts)


def _checked_deal(entry: object, game: str) -> dict[str, Any]:
    """Returns a deal that has the fields of its game and no others."""
    deal = as_mapping(entry, "the deal")
    needed = (*_CARD_KEYS[game], "actions")
    results = (*(("melds",) if game == "terz" else ()), *_RESULT_KEYS[game], "penalties")
    check_keys(deal, (*needed, "legal", *results), needed, "the deal")
    return deal


def _cards(deal: Mapping[str, Any], game: str) -> Deal:
    """Returns the cards of a deal; `State` checks that they are possible."""
    dealer = deal["dealer"]
    if not is_int(dealer):
        raise RecordError(f"dealer {show(dealer)}; a seat is expected")
    hands = [as_texts(hand, "a hand") for hand in as_list(deal["hands"], "hands")]
    if game == "tetka":
        return Deal(dealer, hands, photo=as_text(deal["photo"], "photo"))
    talon = as_texts(deal["talon"], "talon")
    return Deal(dealer, hands, trump_card=as_text(deal["trump_card"], "trump_card"), talon=talon)


def _replay_deal(state: State, deal: Mapping[str, Any], number: int) -> int:
    """Plays the actions of a deal and checks them and its results."""
    actions = as_list(deal["actions"], "actions")
    legal = as_list(deal["legal"], "legal") if "legal" in deal else None
    if legal is not None and len(legal) != len(actions):
        raise RecordError(f"{len(legal)} lists of legal actions for {len(actions)} actions", number)
    log = DealLog(state)
    for step, entry in enumerate(actions):
        try:
            if step == len(log.actions):
                log.play(_checked_action(state, entry))
            if not same(entry, log.actions[step]):
                raise RecordError(f"found {show(entry)}; the rules say {log.actions[step]}")
            if legal is not None:
                found = as_texts(legal[step], "legal")
                if sorted(found) != sorted(log.legal[step]):
                    wanted = " ".join(log.legal[step])
                    raise RecordError(
                        f"legal: found {show(' '.join(found))}; the rules say {wanted}"
                    )
        except TerzEnvError as error:
            raise RecordError(str(error), number, step) from None
    if len(log.actions) > len(actions):
        raise RecordError(f"{log.actions[-1]} is missing", number, len(actions))
    if not state.deal_is_over:
        message = f"the actions end; it is seat_{state.seat_to_act}'s turn"
        raise RecordError(message, number, len(actions))
    results = log.results()
    if state.game.name == "terz":
        _compare_melds(as_list(deal.get("melds"), "melds"), log.melds, number)
    if deal.get("penalties") != [] or log.penalties:
        compare(deal, results, "penalties", number)
    for name in _RESULT_KEYS[state.game.name]:
        compare(deal, results, name, number)
    return len(actions)


def _checked_action(state: State, entry: object) -> str:
    """Returns the name of an action whose player is the seat to act."""
    if not isinstance(entry, list) or len(entry) != 2:
        raise RecordError(f"found {show(entry)}; [player, action] is expected")
    if state.deal_is_over:
        raise RecordError(f"found {show(entry)}; the deal is over")
    player, name = entry
    if not is_int(player) or player != state.seat_to_act:
        raise RecordError(f"found player {show(player)}; it is seat_{state.seat_to_act}'s turn")
    if not isinstance(name, str) or (name != INVALID and name not in state.game.actions):
        raise RecordError(f"found {show(name)}; no action of {state.game.name} is called that")
    return name


def _compare_melds(found: list[Any], wanted: list[Record], number: int) -> None:
    """Compares melds one by one; the order of the cards within a meld means nothing."""
    for place, meld in enumerate(wanted):
        given = found[place] if place < len(found) else None
        cards = given.get("cards") if isinstance(given, dict) else None
        if isinstance(cards, list) and sorted(map(show, cards)) == sorted(map(show, meld["cards"])):
            given = {**found[place], "cards": meld["cards"]}
        if not same(given, meld):
            message = f"melds: found {show(given)} as number {place}; the rules say {meld}"
            raise RecordError(message, number)
    if len(found) > len(wanted):
        extra = show(found[len(wanted)])
        raise RecordError(f"melds: found {extra}; the rules say {len(wanted)} scored", number)
