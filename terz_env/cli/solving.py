"""Finds positions for `terz solve` and solves them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from terz_env.errors import PositionError, RecordError
from terz_env.records import read_record, state_at
from terz_env.search.solving import Limit, solve
from terz_env.state import State


def position(record: Path | None, text: str | None, deal: int, step: int) -> State:
    """Returns the position of a record after `step` actions of a deal, or the one given as text.

    Raises:
        PositionError: Not exactly one of record and text is given, or the text is no position.
        RecordError: The record is damaged or has no such deal or step.
    """
    if (record is None) == (text is None):
        raise PositionError("give either a record or a position")
    if text is not None:
        return State.from_text(text)
    assert record is not None
    with record.open("rb") as lines:
        for line in lines:
            if line.strip():
                return state_at(read_record(line), deal, step)
    raise RecordError(f"{record} holds no record")


def solved(state: State, model: str, limit: Limit) -> dict[str, Any]:
    """Returns the answer of `terz solve` as data."""
    solution = solve(state, model=model, limit=limit)
    values = {name: int(value) for name, value in solution.values.items()}
    return {"to_act": solution.to_act, "unit": solution.unit, "values": values}
