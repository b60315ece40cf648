"""The journal of an arena: every chunk on disk as soon as it is played."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import BinaryIO

from terz_env.evaluation.plan import ArenaError, Plan, Task
from terz_env.evaluation.playing import Played

FORMAT = "terz-arena-journal/1"

Chunks = dict[tuple[tuple[str, str], int], Played]
"""What has been played, by pairing and number of the chunk."""


class Journal:
    """Appends chunks to a file, one a line, and forces each to the disk."""

    def __init__(self, path: Path, plan: Plan, *, resume: bool = False) -> None:
        """Begin a journal, or go on with one.

        Args:
            path: The file.
            plan: What is played; a journal of another plan is refused.
            resume: Go on where the file ends. A line that was cut off is dropped.

        Raises:
            ArenaError: If the file exists and is not to be resumed, or belongs to another plan.
            OSError: If the file cannot be written.
        """
        self.chunks: Chunks = {}
        head = json.dumps({"format": FORMAT, "plan": plan.to_dict()}) + "\n"
        if path.exists() and path.stat().st_size:
            if not resume:
                raise ArenaError(f"{path} holds an interrupted run: give --resume, or remove it")
            self._file: BinaryIO = path.open("r+b")
            try:
                self._read(path, plan)
            except BaseException:
                self._file.close()
                raise
        else:
            self._file = path.open("wb")
        if self._file.tell() == 0:
            self._write(head)

    def _read(self, path: Path, plan: Plan) -> None:
        """Take over what the file holds, and cut off an unfinished last line."""
        whole = 0
        for number, line in enumerate(self._file):
            if not line.endswith(b"\n"):
                break
            try:
                data = json.loads(line)
                if number == 0:
                    _check_head(path, data, plan)
                else:
                    key = (data["pairing"][0], data["pairing"][1]), data["chunk"]
                    self.chunks[key] = Played.from_dict(data)
            except (ValueError, KeyError, TypeError, IndexError) as error:
                if isinstance(error, ArenaError):
                    raise
                raise ArenaError(f"{path}:{number + 1}: no line of a journal: {error}") from error
            whole += len(line)
        self._file.seek(whole)
        self._file.truncate()

    def add(self, task: Task, played: Played) -> None:
        """Write a chunk; when this returns it is on the disk."""
        self.chunks[task.pairing, task.chunk] = played
        line = {"pairing": task.pairing, "chunk": task.chunk, **played.to_dict()}
        self._write(json.dumps(line) + "\n")

    def _write(self, line: str) -> None:
        self._file.write(line.encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _check_head(path: Path, head: dict[str, object], plan: Plan) -> None:
    if head.get("format") != FORMAT:
        raise ArenaError(f"{path}: format {head.get('format')!r}; {FORMAT!r} is expected")
    wanted = json.loads(json.dumps(plan.to_dict()))
    given = head["plan"]
    if not isinstance(given, dict):
        raise ArenaError(f"{path}: the journal names no plan")
    different = [key for key in wanted if given.get(key) != wanted[key]]
    if different:
        key = different[0]
        raise ArenaError(
            f"{path} belongs to another run: {key} is {given.get(key)!r} there and "
            f"{wanted[key]!r} here; give the same, or remove the file"
        )
