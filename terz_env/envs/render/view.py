"""What one onlooker sees of a position: the one source of every drawing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terz_env.cards import SUITS
from terz_env.envs.render import facts
from terz_env.envs.render.words import Words
from terz_env.errors import RenderError
from terz_env.state import State

Probabilities = Mapping[str, float] | Sequence[float] | NDArray[np.floating]
MAX_NAME = 10
_ORDERS = {"S": "SHCD", "H": "HSDC", "C": "CDSH", "D": "DSHC"}
"""Suits in a hand by the suit that stands first: black and red in turn."""


@dataclass(frozen=True)
class Seat:
    """A seat as the onlooker sees it; None in `cards` is the back of a card."""

    number: int
    name: str
    cards: tuple[str | None, ...]
    deals: bool
    acts: bool
    score: int
    tallies: tuple[tuple[str, int], ...]
    melds: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class View:
    """A position as one seat sees it, or everything (`viewer` None), with names and a language.

    `legal` and `probabilities` are empty where the onlooker is not the seat to act. `talon_size`
    counts the trump card. `winner` is the seat that won a match of Terz.
    """

    words: Words
    game: str
    family: str
    scope: str
    viewer: int | None
    seats: tuple[Seat, ...]
    trick: int
    n_tricks: int
    leader: int
    table: tuple[tuple[int, str], ...]
    last_trick: tuple[tuple[int, str], ...]
    trump_card: str | None
    talon_size: int
    photo: str | None
    counting_trick: int | None
    legal: tuple[str, ...]
    probabilities: Mapping[str, float]
    is_over: bool
    winner: int | None
    caption: str

    @classmethod
    def of(
        cls,
        state: State,
        viewer: int | None = None,
        *,
        language: str = "en",
        names: Sequence[str] | None = None,
        probabilities: Probabilities | None = None,
        last_trick: Sequence[tuple[int, str]] | None = None,
        last_action: tuple[int, str] | None = None,
        melds: Sequence[tuple[int, Sequence[str]]] | None = None,
    ) -> View:
        """Gathers what a seat may see of a position.

        Args:
            state: The position.
            viewer: The seat that looks; None shows every hand.
            language: "en" or "ru".
            names: One name a seat; they are cut to ten characters.
            probabilities: A policy over the actions of the seat to act, by the name of the action
                or one number for each of the A actions.
            last_trick: The last trick as (seat, card), where it is known; else the position tells.
            last_action: The seat and the name of the action that led here, for the caption.
            melds: The melds recorded in this deal as (seat, cards), where they are known; else the
                position tells, which joins the runs of a suit that grew.

        Raises:
            RenderError: There is no such seat or language, or names or probabilities do not fit.
        """
        words = Words(language)
        game = state.game
        if viewer is not None and (isinstance(viewer, bool) or viewer not in range(game.n_seats)):
            raise RenderError(f"there is no seat {viewer!r} to look from; 0 to {game.n_seats - 1}")
        titles = _titles(state, words, names)
        weights = _weights(state, probabilities)
        sees_choice = viewer in (None, state.seat_to_act)
        trump = state.trump_card
        return cls(
            words=words,
            game=game.name,
            family=game.family,
            scope=state.scope,
            viewer=viewer,
            seats=tuple(
                _seat(state, seat, viewer, titles[seat], melds) for seat in range(game.n_seats)
            ),
            trick=state.trick,
            n_tricks=facts.n_tricks(state),
            leader=state.leader,
            table=tuple(state.table),
            last_trick=tuple(state.last_trick if last_trick is None else last_trick),
            trump_card=trump,
            talon_size=state.talon_size,
            photo=state.photo,
            counting_trick=state.counting_trick,
            legal=tuple(state.legal_names()) if sees_choice else (),
            probabilities=weights if sees_choice else {},
            is_over=state.deal_is_over,
            winner=state.winner,
            caption=_caption(state, viewer, words, titles, last_action),
        )

    @property
    def acting(self) -> Seat | None:
        """The seat to act; None once the deal is over."""
        return next((seat for seat in self.seats if seat.acts), None)

    @property
    def title(self) -> str:
        """The game and its scope."""
        return f"{self.words(self.game)}, {self.words(f'scope {self.scope}')}"

    @property
    def status(self) -> str:
        """Whose turn it is, or that the deal or the match is over."""
        if self.winner is not None:
            return self.words("winner", self.seats[self.winner].name)
        acting = self.acting
        return self.words("turn", acting.name) if acting else self.words("deal over")

    @property
    def announcements(self) -> tuple[str, ...]:
        """The legal actions that are no cards."""
        return tuple(name for name in self.legal if not is_card(name))


def is_card(action: str) -> bool:
    """Tells whether an action is the play of a card."""
    return len(action) == 2 and action[1] in SUITS


def _titles(state: State, words: Words, names: Sequence[str] | None) -> list[str]:
    """Returns a short printable name a seat."""
    seats = state.game.n_seats
    if names is None:
        return [words("seat", seat) for seat in range(seats)]
    if isinstance(names, str) or len(names) != seats:
        raise RenderError(f"names={names!r}: one name a seat is needed, {seats} of them")
    titles = []
    for seat, name in enumerate(names):
        title = "".join(sign for sign in str(name) if sign.isprintable()).strip()
        title = title or words("seat", seat)
        titles.append(title if len(title) <= MAX_NAME else title[: MAX_NAME - 1] + "…")
    return titles


def _weights(state: State, probabilities: Probabilities | None) -> dict[str, float]:
    """Returns the probabilities of the legal actions by name."""
    if probabilities is None:
        return {}
    names = state.game.actions
    if isinstance(probabilities, Mapping):
        unknown = [name for name in probabilities if name not in names]
        if unknown:
            raise RenderError(f"{unknown[0]!r} is no action of {state.game.name}")
        pairs = {name: float(value) for name, value in probabilities.items()}
    else:
        if len(probabilities) != len(names):
            raise RenderError(
                f"{len(probabilities)} probabilities; {state.game.name} has {len(names)} actions"
            )
        pairs = dict(zip(names, map(float, probabilities), strict=True))
    wrong = [(name, p) for name, p in pairs.items() if not (math.isfinite(p) and 0 <= p <= 1.001)]
    if wrong:
        raise RenderError(f"the probability of {wrong[0][0]} is {wrong[0][1]}, not within 0 and 1")
    return {name: pairs[name] for name in state.legal_names() if name in pairs}


def _seat(
    state: State,
    seat: int,
    viewer: int | None,
    name: str,
    melds: Sequence[tuple[int, Sequence[str]]] | None,
) -> Seat:
    shown: list[tuple[str, ...]] = []
    tallies: tuple[tuple[str, int], ...]
    if state.game.family == "terz":
        shown = facts.recorded_melds(state, seat)
        if melds is not None:
            shown = [tuple(cards) for owner, cards in melds if owner == seat]
        tallies = (
            ("cards", state.card_points[seat]),
            ("melds", state.meld_points[seat]),
        )
    else:
        tallies = (("marks", state.marks[seat]), ("tricks", state.trick_counts[seat]))
    return Seat(
        number=seat,
        name=name,
        cards=_cards(state, seat, viewer),
        deals=seat == state.dealer,
        acts=seat == state.seat_to_act,
        score=state.scores[seat],
        tallies=tallies,
        melds=tuple(shown),
    )


def _cards(state: State, seat: int, viewer: int | None) -> tuple[str | None, ...]:
    """Returns the hand in order of suits, trumps first; backs stand after what is known."""
    trump = state.trump_card
    suits = _ORDERS[trump[1] if trump else "S"]
    hand = sorted(state.hand(seat), key=lambda card: suits.index(card[1]))
    if viewer in (None, seat):
        return tuple(hand)
    known = state.known_cards(seat)
    shown = [card for card in hand if card in known]
    return (*shown, *[None] * (len(hand) - len(shown)))


def _caption(
    state: State,
    viewer: int | None,
    words: Words,
    titles: Sequence[str],
    last_action: tuple[int, str] | None,
) -> str:
    """Says what was played last, as much of it as is public (Rule T21)."""
    if last_action is None:
        return ""
    seat, action = last_action
    if seat not in range(state.game.n_seats):
        raise RenderError(f"there is no seat {seat!r} that could have played {action}")
    if action not in (*state.game.actions, "invalid"):
        raise RenderError(f"{action!r} is no action of {state.game.name}")
    outcome, length, shown, points = facts.contest(state)
    said = words.action(action)
    if outcome == "beaten" and viewer not in (None, seat):
        said = words("run of", length) if length else words("four of")
    parts = [f"{titles[seat]}: {said}"]
    if outcome == "beaten":
        parts.append(words("beaten", words.action(shown)))
    if outcome == "false":
        parts.append(words("false"))
        points = -points
    if points:
        parts.append(f"{points:+d}")
    return ", ".join(parts)
