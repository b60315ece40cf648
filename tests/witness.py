"""What a seat has witnessed of a deal, told by the slow reference; and other worlds to compare."""

from __future__ import annotations

import random
from typing import Any

from terz_env.errors import IllegalActionError
from terz_env.games.terz.variant import TerzRules
from terz_env.state import Deal, State
from terz_env.views import Log, begin_log, play
from tests.parity import photo_of, talon_of
from tests.reference.terz import TerzReference, TerzSmallReference
from tests.reference.tetka import TetkaMicroReference, TetkaReference

ILLEGAL_SHARE = 0.04


class Played:
    """A deal played by the engine with its log and by the slow reference beside it."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.log: Log = begin_log(state)
        self.game = state.game
        self.dealer = state.dealer
        self.hands = [state.hand(seat) for seat in range(self.game.n_seats)]
        self.talon = talon_of(state)[: self.game.talon_size] if self.game.talon_size else []
        self.photo = photo_of(state) if self.game.family == "tetka" else None
        self.slow: Any = self._reference()
        self.actions: list[str] = []
        self.told: list[list[Any]] = [
            [state.dealer, sorted(hand), self.talon[-1:], self.photo] for hand in self.hands
        ]

    def _reference(self) -> Any:
        state, rules = self.state, dict(self.state.rules.to_dict())
        if self.game.name == "terz":
            talon = self.talon
            return TerzReference(
                rules, state.scope, state.dealer, self.hands, talon[13], talon[:13]
            )
        if self.game.family == "terz":
            return TerzSmallReference(state.dealer, self.hands, self.talon)
        if self.game.name == "tetka":
            return TetkaReference(rules, state.scope, state.dealer, self.hands, self.photo)
        return TetkaMicroReference(state.dealer, self.hands)

    def play(self, action: str) -> None:
        """Plays an action in both and tells each seat what it witnesses."""
        actor = self.state.seat_to_act
        play(self.state, self.log, action)
        events = self.slow.apply(action)
        self.actions.append(action)
        for seat in range(self.game.n_seats):
            mine = seat == actor and any(event["type"] == "announcement" for event in events)
            seen = [event for event in events if self._is_public(event)]
            self.told[seat].append((seen, action if mine else None, self.state.hand(seat)))

    def _is_public(self, event: dict[str, Any]) -> bool:
        """A revoke becomes public at the end of the deal (Rule K10)."""
        return event.get("kind") != "revoke" or bool(self.slow.deal_over)

    def witness(self, seat: int) -> str:
        """Returns everything that a seat has witnessed, as text to compare."""
        end: Any = None
        if self.game.family == "tetka" and self.slow.deal_over:
            end = [int(self.state.words[4 + other]) >> 56 & 15 for other in range(4)]
        return repr([self.told[seat], end])


def random_rules(name: str, chooser: random.Random) -> dict[str, Any]:
    """Returns random options of a game; the small games have none."""
    if name == "tetka":
        return {"illegal_actions": chooser.choice(["raise", "forfeit", "penalise"])}
    if name != "terz":
        return {}
    return {option: chooser.choice(values) for option, values in TerzRules.CHOICES.items()}


def choose(state: State, chooser: random.Random) -> str:
    """Returns a random action, announcements often, now and then what is not lawful."""
    legal = state.legal_names()
    mode = state.rules.to_dict().get("illegal_actions", "raise")
    if mode != "raise" and chooser.random() < ILLEGAL_SHARE:
        return chooser.choice([*state.hand(state.seat_to_act), *state.game.actions])
    names = [name for name in legal if ":" in name or name in {"marriage", "seven"}]
    return chooser.choice(names if names and chooser.random() < 0.7 else legal)


def random_deal(name: str, seed: int, most: int) -> Played:
    """Plays at most so many random actions of a random deal."""
    chooser = random.Random(seed)
    played = Played(State.new(name, random_rules(name, chooser), seed=seed))
    for _ in range(chooser.randrange(most)):
        if played.state.deal_is_over:
            break
        played.play(choose(played.state, chooser))
    return played


def other_world(played: Played, seat: int, chooser: random.Random) -> Played | None:
    """Plays the same actions with two cards swapped that the seat has not seen; None if it can't.

    The engine and the reference refuse what the other cards do not allow.
    """
    hands = [list(hand) for hand in played.hands]
    talon = list(played.talon)
    piles = [*(hand for other, hand in enumerate(hands) if other != seat), talon[:-1]]
    places = [
        (pile, place)
        for pile, cards in enumerate(piles)
        for place, card in enumerate(cards)
        if card not in played.actions and card not in played.state.hand(seat)
    ]
    if len(places) < 2:
        return None
    (first, here), (second, there) = chooser.sample(places, 2)
    piles[first][here], piles[second][there] = piles[second][there], piles[first][here]
    deal = Deal(
        played.dealer,
        hands,
        trump_card=talon[-1] if talon else None,
        talon=piles[-1],
        photo=played.photo,
    )
    rules = None if played.game.name != played.game.family else played.state.rules
    world = Played(State.from_deal(played.game.name, deal, rules))
    try:
        for action in played.actions:
            world.play(action)
    except IllegalActionError:
        return None
    return world
