"""The card of a model: what it is, what it learned from, what it cost, how strong it is."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from terz_env.evaluation.evaluating import Evaluation
from terz_env.evaluation.evaluation_files import card_text
from terz_env.players.model_facts import ModelFacts
from training.config import TrainingConfig, overrides_between
from training.pages import template


@dataclass(frozen=True)
class Cost:
    """What a run took.

    Attributes:
        states: Decisions of the bootstrap.
        decisions: Decisions that the algorithm learned from.
        seconds: The clock's, without the evaluations.
    """

    states: int
    decisions: int
    seconds: float

    @classmethod
    def of_curve(cls, rows: Sequence[Mapping[str, str]]) -> "Cost":
        """Return what the rows of a learning curve add up to.

        The seconds of a row count from the beginning of its phase, or from where the run was taken
        up again.
        """
        seconds, before = 0.0, 0.0
        for row in rows:
            now = float(row["seconds"])
            seconds += now - before if now >= before else now
            before = now
        last = rows[-1]
        return cls(int(last["states"]), int(last["decisions"]), seconds)


def card(
    name: str,
    facts: ModelFacts,
    config: TrainingConfig,
    run: Mapping[str, Any],
    cost: Cost,
    evaluations: Sequence[Evaluation],
) -> str:
    """Return the text of ``card.md``.

    Args:
        name: What `load_player` finds the model by.
        facts: Of the model.
        config: Of its run.
        run: All of ``run.yaml``.
        cost: What the run took.
        evaluations: Tables of its strength.
    """
    return template("card.md.j2").render(
        name=name,
        facts=facts,
        rules=", ".join(f"{option}={value}" for option, value in facts.rules.items()),
        config=config,
        commands=commands(name, config, run),
        widths="-".join(map(str, config.network.hidden)),
        run=run,
        cost=cost,
        strengths=[card_text(evaluation) for evaluation in evaluations],
    )


def commands(name: str, config: TrainingConfig, run: Mapping[str, Any]) -> list[str]:
    """Return the commands that make the run again, one for each configuration that it followed.

    A part that was stopped before its budget was spent has the number of decisions beside it.

    Args:
        name: What `load_player` finds the model by.
        config: The last configuration.
        run: All of ``run.yaml``, as `read_run_file` checks it.
    """
    earlier = run.get("earlier") or []
    parts = [*(TrainingConfig.model_validate(part["config"]) for part in earlier), config]
    words = ["python", "-m", "training", "train", f"models/{name}/run.yaml"]
    lines = [shlex.join(words + _as_options(overrides_between(config, parts[0])))]
    words = ["python", "-m", "training", "resume", f"runs/{config.game}/{config.name}"]
    for known, before, after in zip(earlier, parts, parts[1:], strict=False):
        changed = overrides_between(before, after)
        if changed:
            if known["decisions"] < before.decisions:
                lines[-1] += f"  # stopped after {known['decisions']:,} decisions"
            lines.append(shlex.join(words + _as_options(changed)))
    return lines


def _as_options(overrides: Sequence[str]) -> list[str]:
    return [word for override in overrides for word in ("--set", override)]
