"""The positions of a recorded deal, one before every action and one at the end."""

from __future__ import annotations

from collections.abc import Sequence

from terz_env.envs.render.view import View
from terz_env.errors import RenderError
from terz_env.records import replay, state_at
from terz_env.records.writing import DealLog


def recorded_views(
    record: object,
    deal: int = 0,
    viewer: int | None = None,
    *,
    language: str = "en",
    names: Sequence[str] | None = None,
) -> list[View]:
    """Returns the views of a deal: number k shows the position after k of its actions.

    Args:
        record: A record `terz-record/1`; all of it is checked first.
        deal: The number of the deal, from 0 as in the messages of `terz replay`.
        viewer: The seat that looks; None shows every hand.
        language: "en" or "ru".
        names: One name a seat.

    Raises:
        RecordError: The record is damaged or breaks the rules.
        RenderError: There is no such deal; or as `View.of` raises it.
    """
    replay(record)
    assert isinstance(record, dict)
    deals = record["deals"]
    if deal not in range(len(deals)):
        there = "only deal 0" if len(deals) == 1 else f"deals 0 to {len(deals) - 1}"
        raise RenderError(f"there is no deal {deal}; the record has {there}")
    state = state_at(record, deal, 0)
    actions = deals[deal]["actions"]
    log = DealLog(state)
    last: list[tuple[int, str]] = []

    def look(last_action: tuple[int, str] | None = None) -> View:
        return View.of(
            state,
            viewer,
            language=language,
            names=names,
            last_trick=last,
            last_action=last_action,
            melds=[(meld["player"], meld["cards"]) for meld in log.melds],
        )

    views = [look()]
    while len(log.actions) < len(actions):
        before, played = state.table, len(log.actions)
        log.play(actions[played][1])
        if len(before) == state.game.n_seats - 1 and not state.table:
            seat, card = log.actions[played]
            last = [*before, (int(seat), str(card))]
        # The automatic break is an action of its own in the record (Rule T8).
        views += [look((int(seat), str(name))) for seat, name in log.actions[played:]]
    return views
