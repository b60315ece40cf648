"""Writes what is played as a record `terz-record/1`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from terz_env.cards import SUITS
from terz_env.errors import RecordError
from terz_env.games.terz import state as terz
from terz_env.games.tetka import state as tetka
from terz_env.games.tetka.series import first_dealer, first_of_seating
from terz_env.state import Rules, State

FORMAT = "terz-record/1"
GAMES = ("terz", "tetka")
AUTO_BREAK = "break:2"
INVALID = "invalid"
REVOKE_TRICKS = 3
FORFEIT_MARKS = 7
FORFEIT_POINTS = 150

Record = dict[str, Any]
Choose = Callable[[State], int | str]


class DealLog:
    """What a record tells of one deal, gathered while it is played."""

    def __init__(self, state: State) -> None:
        """Begins with a state whose deal has just been dealt."""
        self.state = state
        self.actions: list[list[int | str]] = []
        self.legal: list[list[str]] = []
        self.melds: list[Record] = []
        self.penalties: list[Record] = []
        self.recorded_points: list[int] | None = None

    def play(self, action: int | str) -> None:
        """Plays an action and notes it, with the automatic break that follows it."""
        state = self.state
        seat, legal, scores = state.seat_to_act, state.legal_names(), state.scores
        table = int(state.words[terz.TABLE])
        state.apply(action)
        name = self._name(action)
        self.actions.append([seat, name])
        self.legal.append(legal)
        if state.game.family == "terz":
            self._note_event(seat)
            self._note_break(table)
            if int(state.words[terz.TABLE]) >> terz.PLAYED_OUT & 1:
                pairs = zip(state.scores, scores, strict=True)
                self.recorded_points = [after - before for after, before in pairs]
        elif int(state.words[tetka.TABLE]) >> tetka.FORFEITED & 1:
            self._penalise(seat, "forfeit", FORFEIT_MARKS)
        elif name not in legal:
            self._penalise(seat, "revoke", REVOKE_TRICKS)

    def _name(self, action: int | str) -> str:
        names = self.state.game.actions
        if isinstance(action, str):
            return action if action in names else INVALID
        number = int(action)
        return names[number] if 0 <= number < len(names) else INVALID

    def _note_event(self, seat: int) -> None:
        """Notes the meld that has scored, a false announcement or a forfeit."""
        state = self.state
        event = int(state.words[terz.EVENT])
        points = event >> terz.EVENT_POINTS & 1023
        if event >> terz.EVENT_SCORED & 2:
            scorer = event >> terz.EVENT_SCORED & 1
            shown = (event >> terz.EVENT_SHOWN & 127) - 1
            name = state.game.actions[shown]
            cards = self._meld_cards(scorer, name)
            meld = {"player": scorer, "name": name, "cards": cards, "points": points}
            self.melds.append(meld)
        if event >> terz.EVENT_OUTCOME & 3 == terz.OUTCOME_FALSE:
            self._penalise(seat, "false_announcement", points)
        if int(state.words[terz.TABLE]) >> terz.FORFEITED & 1:
            self._penalise(seat, "forfeit", 0 if state.scope == "match" else FORFEIT_POINTS)

    def _meld_cards(self, seat: int, name: str) -> list[str]:
        kind, _, top = name.partition(":")
        if kind == "marriage":
            trump = SUITS[int(self.state.words[terz.TABLE]) >> (terz.TRUMP_CARD + 3) & 3]
            return ["Q" + trump, "K" + trump]
        if kind == "four":
            return [top + suit for suit in SUITS]
        hand, ranks = set(self.state.hand(seat)), self.state.game.deck.ranks
        cards: list[str] = []
        for rank in reversed(ranks[: ranks.index(top[0]) + 1]):
            if rank + top[1] not in hand:
                break
            cards.insert(0, rank + top[1])
        return cards

    def _note_break(self, before: int) -> None:
        """Notes the break that the engine makes for the loser of trick 1 (Rule T8)."""
        table = int(self.state.words[terz.TABLE])
        if table >> terz.BREAK_SIZE & 15 and not (
            before >> terz.BREAK_SIZE & 15 or before >> terz.BREAK_PENDING & 1
        ):
            self.actions.append([1 - (table >> terz.LEADER & 1), AUTO_BREAK])
            self.legal.append([AUTO_BREAK])

    def _penalise(self, seat: int, kind: str, points: int) -> None:
        step = len(self.actions) - 1
        self.penalties.append({"player": seat, "step": step, "kind": kind, "points": points})

    def results(self) -> Record:
        """Returns the fields of the deal that follow from its actions."""
        state = self.state
        fields: Record = {}
        if state.game.family == "terz":
            fields["melds"] = self.melds
            if self.recorded_points is not None:
                fields["card_points"] = state.card_points
                fields["recorded_points"] = self.recorded_points
        if self.penalties:
            fields["penalties"] = self.penalties
        if state.game.family == "tetka":
            fields["marks"] = state.marks
            fields["trick_counts"] = state.trick_counts
        return fields


def record_game(
    game: str,
    rules: Rules,
    scope: str,
    seed: int,
    environment: int,
    choose: Choose,
    with_legal: bool = False,
) -> Record:
    """Plays a deal, match or rubber to its end and returns its record.

    Args:
        game: `terz` or `tetka`.
        rules: The rule set, as `State.new` takes it.
        scope: `deal`, `match` or `rubber`.
        seed: Seed of the deals.
        environment: Number of the game among those of the seed; rubbers of one seed are a series,
            each dealt first by the left neighbour of the one before (Rule K8).
        choose: Returns the action of the seat to act, by number or by name.
        with_legal: Whether to write the legal actions of every step.

    Raises:
        RecordError: The game has no records.
        RuleSetError, IllegalActionError: As `State` raises them.
    """
    if game not in GAMES:
        raise RecordError(f"there are no records of {game!r}; the games are {', '.join(GAMES)}")
    state = State.new(game, rules, scope=scope, seed=seed, environment=environment)
    if scope == "rubber":
        drawn = first_of_seating(environment)
        lot = State.new(game, rules, scope=scope, seed=seed, environment=drawn).dealer
        dealer = first_dealer(lot, environment)
        state = State.new(
            game, rules, scope=scope, seed=seed, environment=environment, dealer=dealer
        )
    deals = [_record_deal(state, choose, with_legal)]
    while not state.is_over:
        state.next_deal(seed=seed, environment=environment)
        deals.append(_record_deal(state, choose, with_legal))
    return finished(state, seed, deals)


def cards_of(state: State) -> Record:
    """Returns the fields of a deal that tell what has just been dealt."""
    record: Record = {"dealer": state.dealer}
    record["hands"] = [state.hand(seat) for seat in range(state.game.n_seats)]
    names = state.game.deck.names
    if state.game.family == "terz":
        words = [int(word) for word in state.words[terz.TALON : terz.TALON + 2]]
        talon = [names[words[place // 7] >> 5 * (place % 7) & 31] for place in range(14)]
        record["trump_card"] = talon.pop()
        record["talon"] = talon
    else:
        record["photo"] = names[int(state.words[tetka.TABLE]) >> tetka.PHOTO & 63]
    return record


def _record_deal(state: State, choose: Choose, with_legal: bool) -> Record:
    record = cards_of(state)
    log = DealLog(state)
    while not state.deal_is_over:
        log.play(choose(state))
    record["actions"] = log.actions
    if with_legal:
        record["legal"] = log.legal
    return record | log.results()


def finished(state: State, seed: int | None, deals: list[Record]) -> Record:
    """Returns the record of a game from its last position and its deals."""
    return {
        "format": FORMAT,
        "game": state.game.name,
        "scope": state.scope,
        "rules": state.rules.to_dict(),
        "seed": seed,
        "deals": deals,
        **outcome(state),
    }


def outcome(state: State) -> Record:
    """Returns the fields of a record that follow from its last position."""
    scores = state.scores
    fields: Record = {"scores": scores}
    if state.scope == "match":
        fields["winner"] = state.winner
    if state.game.family == "tetka":
        fields["settlement"] = [sum(scores) - 4 * score for score in scores]
    return fields
