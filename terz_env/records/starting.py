"""Takes from a record what its game started with, so that it can be played anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from terz_env.records.replaying import replay
from terz_env.state import Deal


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a recorded game started with.

    Attributes:
        game: The name of the game.
        rules: The options of its rule set.
        scope: "deal", "match" or "rubber".
        start_scores: The scores, or None for zeros.
        start_raises: The raises of a Terz match, or None for zeros.
        deals: The cards of each deal.
    """

    game: str
    rules: dict[str, Any]
    scope: str
    start_scores: tuple[int, ...] | None
    start_raises: tuple[int, ...] | None
    deals: tuple[Deal, ...]


def start_of(record: Any) -> Start:
    """Returns what a record started with, after checking every step of it.

    Raises:
        RecordError: The record is damaged, or the rules say something else.
    """
    replay(record)
    deals = tuple(
        Deal(
            deal["dealer"],
            deal["hands"],
            trump_card=deal.get("trump_card"),
            talon=deal.get("talon", ()),
            photo=deal.get("photo"),
        )
        for deal in record["deals"]
    )
    scores, raises = record.get("start_scores"), record.get("start_raises")
    return Start(
        game=record["game"],
        rules=record["rules"],
        scope=record["scope"],
        start_scores=None if scores is None else tuple(scores),
        start_raises=None if raises is None else tuple(raises),
        deals=deals,
    )
