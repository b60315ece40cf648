"""Writes docs/observations.md from the layouts: `python -m terz_env.observations_doc FILE`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from terz_env.games import NAMES, get_game
from terz_env.observation import VIEWS, Field, View
from terz_env.suits import N_ORDERS

INTRODUCTION = """\
# Observations

This file is written by `python -m terz_env.observations_doc docs/observations.md`; a test compares
the two. Rule numbers are those of [rules_en.md](rules_en.md).

A view is one way to look at a position. Every game has four of them, for any seat at any time,
whether or not it is to act, and after the end too.

| view | what it holds | for |
|---|---|---|
| `observation` | what a good player keeps in mind; the order of old tricks is dropped | networks |
| `table` | what a player may look at without remembering anything (Rules T26, K9) | memory tests |
| `history` | everything the seat has witnessed in this deal, in order | sequence models |
| `state` | the observation and everything that the seat does not see | critics, solvers |

"Own" is the seat that looks; other seats are named relative to it. All entries are 0 or 1.
`observation`, `table` and `history` say nothing that the seat cannot know: of a beaten announcement
of the opponent they hold the class and what else became public, never the name (Rule T21).

## Reading a view

    import terz_env
    from terz_env.state import State
    from terz_env.views import begin_log, look, play

    state = State.new("terz", seed=7)
    log = begin_log(state)
    play(state, log, state.legal_actions()[0])
    seen = look(state, 0, "history", log)
    print(terz_env.describe(seen, view="history"))

`describe` tells a vector in words: bytes or floats, or the dictionary of an environment. `log` is
what Terz's views `table` and `history` read beside the position; Tetka needs none. With
`view = get_view(game, name)` a view is written by the kernel `view.write(state, log, seat, words)`;
`kernels.begin_log_one`, `note_one` and `step_logged_one` keep the log.

## Bits, bytes, floats

Kernels write bits: entry e is bit e % 64 of the 64-bit word e // 64, and every row of a sequence
begins a new word. Expanded, an entry is a byte or a float, 0 or 1. Bits are eight times smaller
than bytes and 32 times smaller than floats: store bits, expand a minibatch where it is consumed
(`view.expand`, `expand_bits`).

A field of a *choice* has at most one entry set; *set* any number; a *level* of n steps has its n
lowest entries set (a thermometer); a *number* is binary, the lowest bit first. Thermometers round
down and stop at their ends. `Layout.decode` and `Layout.encode` turn entries into facts and back.

The fingerprint of a view is a hash of its fields' names, sizes and order, and of the length of a
sequence. A model keeps it and refuses another one.

## Histories

A row is an event. Two positions have equal histories exactly if the seat cannot tell them apart, so
a history is the information state of the deal. Earlier deals of a match or rubber are in it by the
scores and raises they left. A history that goes on only grows: earlier rows stay. Tetka: the start,
the photo, 52 cards, the end, {tetka} rows. Terz has {terz} rows, which no legal deal exceeds: the
start, the trump card, 32 cards, seven own draws, the break, the exchange, and the announcements: a
hand of nine holds at most three runs and fours, so sixteen turns give 48, the exchange adds three,
each seat has one marriage, and under `penalise` a turn has at most one false announcement, which
makes 32. Rows beyond the last event are empty.

## Canonical suits

Only the trump suit, or the photo's, differs from the others; the rest may be renamed.
`terz_env.suits` numbers the {orders} orders of the suits. `relabelled(state, order)` renames the
suits of a position, and each view, mask and action follows. In canonical order the trump suit comes
first in Terz, the photo's suit in Tetka, and the others by what the seat sees of them, its own
cards counting most. The order is computed from the bits of the `observation` alone. Positions that
differ only in the names of suits have the same canonical observation, since suits that tie are
alike in every entry of it; in the other views tied suits may still differ.

    from terz_env.views import action_from_canonical, canonical_order, relabelled

    order = canonical_order(state, seat=1)
    seen = look(relabelled(state, order), 1)
    action = action_from_canonical("terz", 0, order)

`SelfPlayBatch(…, suits="canonical")` shows observations and masks in canonical form and takes
actions in it; `orders` says how each row was renamed. Terz has one rule that names the suits: among
equal melds that beat an announcement the first of S, C, D, H is shown (Rule T19).
"""


def observations_doc() -> str:
    """Returns the text of docs/observations.md."""
    text = INTRODUCTION
    for name, value in (
        ("tetka", get_game("tetka").views["history"].steps),
        ("terz", get_game("terz").views["history"].steps),
        ("orders", N_ORDERS),
    ):
        text = text.replace(f"{{{name}}}", str(value))
    return text + "\n" + "\n".join(_games()) + "\n"


def _games() -> Iterator[str]:
    yield from ("## Sizes", "", "| game | view | shape | entries | words | fingerprint |")
    yield "|---|---|---|--:|--:|---|"
    for name in NAMES:
        for view in VIEWS:
            shown = get_game(name).views[view]
            shape = " × ".join(map(str, shown.shape))
            yield (
                f"| {name} | {view} | {shape} | {shown.n_entries:,} | {shown.n_words} "
                f"| `{shown.fingerprint}` |"
            )
    for name in ("terz", "tetka"):
        for view in VIEWS:
            yield from _view(name, get_game(name).views[view])


def _view(game: str, view: View) -> Iterator[str]:
    rows = f", {view.steps} rows of" if view.steps else ","
    yield from ("", f"## {game}: `{view.name}`{rows} {view.layout.n_entries} entries", "")
    yield from ("| entries | field | size | reading | |", "|---|---|--:|---|---|")
    for field in view.layout.fields:
        last = field.offset + field.size - 1
        places = f"{field.offset}–{last}" if field.size > 1 else f"{last}"
        yield f"| {places} | `{field.name}` | {field.size} | {_reading(field)} | {field.meaning} |"


def _reading(field: Field) -> str:
    reading = field.reading
    text = {"one": "choice"}.get(reading.kind, reading.kind)
    if reading.unit > 1:
        text += f" of {reading.unit}s"
    if reading.signed:
        text += ", signed"
    if reading.parts:
        text += f", {len(reading.parts)} parts of {field.size // len(reading.parts)}"
    return text


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(observations_doc(), encoding="utf-8")
