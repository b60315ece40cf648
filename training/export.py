"""Turns a run into the directory of a model: weights, ONNX graph, run file and card."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from safetensors.numpy import save

from terz_env.evaluation.evaluating import Evaluation, read_evaluation
from terz_env.players.model_facts import CARD_FILE, FACTS_KEY, MODEL_FILE, ONNX_FILE, ModelFacts
from terz_env.players.policy import read_policy
from terz_env.players.solver import SOLVER
from training.card import Cost, card
from training.config import NAME
from training.curve import CURVE_FILE, read_curve
from training.errors import TrainingError
from training.files import write_atomically
from training.model import RUN_FILE, read_run_file
from training.onnx_export import to_onnx

MODELS = Path("models")
MOST_BYTES = 5_000_000
"""The size of a file that may be shipped."""


def export(
    run: Path,
    output: Path | None = None,
    *,
    name: str | None = None,
    evaluations: Sequence[Path] = (),
) -> list[Path]:
    """Write the directory of a model; return its files.

    The weights come last, so that a directory without them is one that was not finished.

    Args:
        run: The directory of a run that has ended.
        output: The directory of the model; None for ``models/<game>/<name>``, to be shipped.
        name: What it is called; None for the name of `output`, or of the run.
        evaluations: Files that ``terz evaluate MODEL --json`` wrote, for the card.

    Raises:
        TrainingError: If the run has not ended, an evaluation is of another model, the graph does
            not compute what torch does, or a file is too large to be shipped.
        PlayerError: If the model of the run is damaged.
        ArenaError: If an evaluation is damaged.
        FileError: If a file cannot be written.
    """
    written, config = read_run_file(run)
    if not (run / MODEL_FILE).is_file():
        raise TrainingError(
            f"{run} holds no {MODEL_FILE}; let the run end: python -m training resume {run}"
        )
    facts, tensors = read_policy(run)
    given = name or (output.name if output is not None else facts.name)
    if not NAME.fullmatch(given):
        raise TrainingError(f"{given!r} is no name of a model; use letters, digits, . _ -")
    facts = ModelFacts(**{**vars(facts), "name": given})
    folder = output or MODELS / facts.game / given
    weights = save(tensors, metadata={FACTS_KEY: facts.to_json()})
    known = {_digest(weights), _digest((run / MODEL_FILE).read_bytes())}
    read = [_evaluation(file, facts, known) for file in evaluations]
    rows = read_curve(run)
    if not rows:
        raise TrainingError(f"{run} holds no rows of a {CURVE_FILE}, which the card's costs need")
    text = card(f"{facts.game}/{given}", facts, config, written, Cost.of_curve(rows), read)
    files = {
        RUN_FILE: (run / RUN_FILE).read_bytes(),
        ONNX_FILE: to_onnx(facts, tensors),
        CARD_FILE: text.encode(),
        MODEL_FILE: weights,
    }
    for file, data in files.items():
        if output is None and len(data) > MOST_BYTES:
            raise TrainingError(
                f"{file} of {given} has {len(data):,} bytes; at most {MOST_BYTES:,} are shipped: "
                "name another place with --output"
            )
    for file, data in files.items():
        _write(folder / file, data)
    return [folder / file for file in files]


def _evaluation(file: Path, facts: ModelFacts, known: set[str]) -> Evaluation:
    """Return an evaluation of the model, before or after its export, under the model's name."""
    try:
        evaluation = read_evaluation(file)
    except OSError as error:
        raise TrainingError(f"{file} cannot be read: {error.strerror}") from error
    if evaluation.game != facts.game or evaluation.digest not in known:
        raise TrainingError(
            f"{file} is an evaluation of {evaluation.player} ({evaluation.game}), which are other "
            "weights; evaluate the run or the model"
        )
    solver = SOLVER if evaluation.player.endswith(SOLVER) else ""
    return replace(evaluation, player=f"{facts.game}/{facts.name}{solver}")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write(path: Path, data: bytes) -> None:
    write_atomically(path, lambda file: file.write_bytes(data))
