"""Policies as ONNX graphs: the same actions as from their weights, and what is refused."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

from terz_env.adapters import torch_policy
from terz_env.games import get_game
from terz_env.players import Decisions, Player, PlayerError, check_plays, load_player
from terz_env.players.onnx_policy import OnnxPlayer
from terz_env.players.policy import PolicyPlayer
from terz_env.selfplay import SelfPlayBatch
from tests.models import facts_of, save_model, weights_of
from training.errors import TrainingError
from training.onnx_export import to_onnx

VARIANTS = [(game, suits) for game in ("terz", "tetka") for suits in ("canonical", "plain")]


def decisions_of(game: str, deals: int = 100, steps: int = 10) -> list[Decisions]:
    batch = SelfPlayBatch(game, deals, seed=8)
    found = []
    for _ in range(steps):
        found.append(Decisions.of_batch(batch, np.arange(deals)))
        batch.step(batch.random_actions())
    return found


def actions(player: Player, decisions: Decisions) -> list[int]:
    chosen: list[int] = player.act(decisions, np.random.default_rng(0)).tolist()
    return chosen


@pytest.mark.parametrize(("game", "suits"), VARIANTS)
def test_a_graph_chooses_as_the_weights_do_in_a_thousand_positions(
    game: str, suits: str, tmp_path: Path
) -> None:
    weights = load_player(save_model(tmp_path, game, suits=suits))
    file = tmp_path / "policy.onnx"
    file.write_bytes(to_onnx(facts_of(game, suits=suits), weights_of(game)))
    player = load_player(file)
    assert isinstance(player, OnnxPlayer)
    assert isinstance(weights, PolicyPlayer)
    assert (player.name, player.game, player.suits) == (weights.name, game, suits)
    assert player.rules == weights.rules
    different = 0
    for decisions in decisions_of(game):
        chosen = actions(player, decisions)
        assert chosen == actions(weights, decisions)
        different += len(set(chosen))
    assert different > 20


def test_the_file_of_one_policy_is_always_the_same() -> None:
    assert to_onnx(facts_of("tetka"), weights_of("tetka")) == to_onnx(
        facts_of("tetka"), weights_of("tetka")
    )


def test_a_directory_with_a_graph_alone_is_a_player(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(to_onnx(facts_of("terz"), weights_of("terz")))
    player = load_player(tmp_path)
    with pytest.raises(PlayerError, match="tiny was trained under follow=strict"):
        check_plays(player, "terz", get_game("terz").rules("follow=free"))
    free = load_player(tmp_path, any_rules=True)
    check_plays(free, "terz", get_game("terz").rules("follow=free"))


def test_a_player_of_a_graph_can_be_copied_and_pickled() -> None:
    player = OnnxPlayer(to_onnx(facts_of("tetka"), weights_of("tetka")), file=Path("p.onnx"))
    (decisions,) = decisions_of("tetka", steps=1)
    for twin in (copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        assert actions(twin, decisions) == actions(player, decisions)


def test_a_graph_that_is_not_what_torch_computes_is_never_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch_policy, "TOLERANCE", -1.0)
    with pytest.raises(TrainingError, match="gives a logits that differs from torch's by"):
        to_onnx(facts_of("tetka"), weights_of("tetka"))


def test_weights_without_a_value_head_are_refused() -> None:
    tensors = {key: value for key, value in weights_of("terz").items() if "value" not in key}
    with pytest.raises(
        TrainingError, match=r"tiny: no weights of policy and value: .*value\.weight"
    ):
        to_onnx(facts_of("terz"), tensors)


HEAD = '<ir_version: 9, opset_import: ["" : 17]> foreign '
MASKED = (
    "(float[batch, 400] observation, {mask}[batch, 52] action_mask) => (float[batch, 52] {out})"
)


def foreign(declared: str, body: str = "logits = Cast <to = 1> (action_mask)") -> bytes:
    """A graph from elsewhere, as text; it likes every legal action equally well."""
    sizes = {"400": get_game("tetka").layout.n_entries, "540": get_game("terz").layout.n_entries}
    for size, entries in sizes.items():
        declared = declared.replace(size, str(entries))
    data: bytes = onnx.parser.parse_model(HEAD + declared + " { " + body + " }").SerializeToString()
    return data


@pytest.mark.parametrize("mask", ["bool", "int8", "float"])
def test_a_graph_from_elsewhere_plays_the_game_whose_sizes_it_has(mask: str) -> None:
    out = "scores" if mask == "bool" else "logits"
    data = foreign(MASKED.format(mask=mask, out=out), f"{out} = Cast <to = 1> (action_mask)")
    player = OnnxPlayer(data, file=Path("elsewhere/foreign.onnx"))
    assert (player.name, player.game, player.suits) == ("foreign", "tetka", "plain")
    check_plays(player, "tetka", get_game("tetka").rules())
    (decisions,) = decisions_of("tetka", steps=1)
    assert actions(player, decisions) == decisions.masks.argmax(axis=1).tolist()


def test_a_graph_that_does_not_look_at_the_mask_plays_lawfully() -> None:
    body = """
        from = Constant <value = int64[1] {0}> ()
        to = Constant <value = int64[1] {74}> ()
        axis = Constant <value = int64[1] {1}> ()
        logits = Slice (observation, from, to, axis)
    """
    data = foreign("(float[batch, 540] observation) => (float[batch, 74] logits)", body)
    player = OnnxPlayer(data, file=Path("foreign.onnx"))
    (decisions,) = decisions_of("terz", steps=1)
    assert decisions.masks[np.arange(100), actions(player, decisions)].all()


REFUSED = (
    ("(float[batch, 7] observation, bool[batch, 52] action_mask) => (float[batch, 52] logits)",
     r"inputs observation \(batch, 7\), action_mask \(batch, 52\); an input observation \(batch, "),
    ("(float[batch, 400] seen, bool[batch, 52] action_mask) => (float[batch, 52] logits)",
     r"inputs seen \(batch, \d+\), .*; an input observation"),
    ("(float[batch, 400] observation, bool[batch, 53] action_mask) => (float[batch, 53] logits)",
     r"the input action_mask \(batch, 53\) of tensor\(bool\) does not fit; .*mask \(batch, 52\)"),
    ("(float[1, 400] observation, bool[1, 52] action_mask) => (float[1, 52] logits)",
     r"the input observation \(1, \d+\) of tensor\(float\) does not fit"),
    ("(float[b, 400] observation, bool[b, 52] action_mask, bool[b, 52] m) => (float[b, 52] logits)",
     r"the input m \(b, 52\) of tensor\(bool\) does not fit"),
    ("(float[b, 400] observation, uint16[b, 52] action_mask) => (float[b, 52] logits)",
     r"the input action_mask \(b, 52\) of tensor\(uint16\) does not fit"),
)  # fmt: skip


@pytest.mark.parametrize(("declared", "message"), REFUSED)
def test_a_graph_with_inputs_that_do_not_fit_is_refused(declared: str, message: str) -> None:
    with pytest.raises(PlayerError, match=r"odd\.onnx: " + message):
        OnnxPlayer(foreign(declared), file=Path("odd.onnx"))


def test_a_graph_with_an_output_that_does_not_fit_is_refused() -> None:
    body = "wide = Cast <to = 1> (action_mask) logits = Concat <axis = 1> (wide, wide)"
    declared = MASKED.format(mask="bool", out="logits").replace("52] logits", "104] logits")
    with pytest.raises(PlayerError, match=r"the output logits \(batch, 104\) does not fit; logits"):
        OnnxPlayer(foreign(declared, body), file=Path("odd.onnx"))


def test_a_graph_that_answers_for_another_number_of_positions_is_refused() -> None:
    body = """
        axis = Constant <value = int64[1] {0}> ()
        scores = Cast <to = 1> (action_mask)
        logits = ReduceSum (scores, axis)
    """
    player = OnnxPlayer(
        foreign(MASKED.format(mask="bool", out="logits"), body), file=Path("odd.onnx")
    )
    (decisions,) = decisions_of("tetka", steps=1)
    with pytest.raises(PlayerError, match=r"logits of shape \(1, 52\) for 100 observations"):
        actions(player, decisions)


def test_a_policy_of_the_other_game_is_refused() -> None:
    data = foreign(MASKED.format(mask="bool", out="logits"))
    for given in (data, to_onnx(facts_of("tetka"), weights_of("tetka"))):
        with pytest.raises(PlayerError, match="a policy of tetka, not of terz"):
            OnnxPlayer(given, file=Path("odd.onnx"), game="terz")


def test_a_file_that_is_no_graph_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "odd.onnx"
    with pytest.raises(PlayerError, match=r"odd\.onnx: no policy can be read: .*No such file"):
        load_player(file)
    file.write_bytes(b"\xff" * 40)
    with pytest.raises(PlayerError, match=r"odd\.onnx: onnxruntime cannot read it: "):
        load_player(file)


def test_without_onnxruntime_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "policy.onnx"
    file.write_bytes(foreign(MASKED.format(mask="bool", out="logits")))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(PlayerError, match=r"needs onnxruntime: pip install 'terz-env\[onnx\]'"):
        load_player(file)
