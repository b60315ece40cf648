"""What a file of a trained policy says of itself: game, rules, layout and the order of suits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from terz_env.errors import TerzEnvError
from terz_env.games import get_game
from terz_env.players.protocol import PlayerError
from terz_env.ruleset import Option

MODEL_FILE = "model.safetensors"
ONNX_FILE = "model.onnx"
CARD_FILE = "card.md"
GAMES = ("terz", "tetka")
MODEL_FORMAT = "terz-policy/1"
FACTS_KEY = "terz_env"
"""One entry of a file's metadata: the order of several would not be fixed."""


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """What is needed to play a policy, beside its weights.

    Attributes:
        game: The game it was trained on.
        name: How tables call it.
        rules: The options of the rule set it was trained under.
        layout_fingerprint: That of the observations it was trained on.
        rules_fingerprint: That of its rule set.
        suits: Whether it is shown the suits in "canonical" order or "plain", as they are.
        reward_scale: What a deal's reward was multiplied by to train the value head.
    """

    game: str
    name: str
    rules: Mapping[str, Option]
    layout_fingerprint: str
    rules_fingerprint: str
    suits: str = "plain"
    reward_scale: float | None = None

    def to_json(self) -> str:
        """Return the text that a file carries under `FACTS_KEY`."""
        return json.dumps({"format": MODEL_FORMAT, **asdict(self)})

    @classmethod
    def read(cls, file: Path, text: str, game: str | None = None) -> ModelFacts:
        """Read what a file carries.

        Args:
            file: The file, for messages.
            text: What `to_json` wrote.
            game: The game that the policy has to play; None takes the policy's own.

        Raises:
            PlayerError: If the facts are damaged, of another format or game, or the policy was
                trained on another layout of the observation.
        """
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise PlayerError(f"{file}: no policy can be read: {error}") from error
        form = given.pop("format", None) if isinstance(given, dict) else None
        if form != MODEL_FORMAT:
            raise PlayerError(f"{file}: format {form!r}; {MODEL_FORMAT!r} is expected")
        missing = {"game", "name", "rules", "layout_fingerprint", "rules_fingerprint"} - set(given)
        if missing:
            raise PlayerError(f"{file}: the metadata lacks {', '.join(sorted(missing))}")
        if given["game"] not in GAMES or game not in (None, given["game"]):
            raise PlayerError(
                f"{file}: a policy of {given['game']}, not of {game or ' or '.join(GAMES)}"
            )
        record = get_game(given["game"])
        if given["layout_fingerprint"] != record.layout.fingerprint:
            raise PlayerError(
                f"{file}: trained on the observation layout {given['layout_fingerprint']}; here "
                f"{record.name} has {record.layout.fingerprint}: train again, or use the version "
                "that made it"
            )
        scale = given.get("reward_scale")
        if scale is not None and not (isinstance(scale, int | float) and scale > 0):
            raise PlayerError(f"{file}: reward_scale {scale!r}; a number above 0 is expected")
        try:
            if not isinstance(given["name"], str):
                raise TypeError(f"name={given['name']!r} is no text")
            facts = cls(**given)
            fingerprint = record.rules(dict(facts.rules)).fingerprint
        except (TerzEnvError, TypeError, ValueError) as error:
            raise PlayerError(f"{file}: the metadata is damaged: {error}") from error
        if facts.rules_fingerprint != fingerprint:
            raise PlayerError(
                f"{file}: its rule set has the fingerprint {facts.rules_fingerprint}; here the "
                f"same options have {fingerprint}: train again, or use the version that made it"
            )
        return facts
