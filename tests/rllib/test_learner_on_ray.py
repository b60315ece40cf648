"""The learner of this package, whose deals are played by actors of a Ray cluster."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CONFIG = Path(__file__).parents[2] / "configs" / "tetka" / "small.yaml"
TINY = (
    "workers=2",
    "decisions=2000",
    "network.hidden=[16]",
    "bootstrap.states=1000",
    "bootstrap.batch=500",
    "rollout.deals=32",
    "evaluation.times=0",
    "evaluation.final_opponents=[random]",
    "evaluation.final_deals=4",
)


def test_actors_on_a_cluster_play_the_deals_that_processes_play(tmp_path: Path) -> None:
    models = []
    for name, option in {"processes": (), "cluster": ("--ray", "local")}.items():
        output = tmp_path / name
        command = [sys.executable, "-m", "training", "train", str(CONFIG), "--output", str(output)]
        settings = [word for setting in TINY for word in ("--set", setting)]
        subprocess.run([*command, *settings, *option], check=True, timeout=300)
        models.append((output / "model.safetensors").read_bytes())
    assert models[0] == models[1]
