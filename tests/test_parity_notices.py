"""The comparison with the reference fails where a rule is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_every_wrong_rule_is_noticed_and_the_right_ones_are_not() -> None:
    # A rule can only be replaced where it is not compiled.
    result = subprocess.run(
        [sys.executable, "-m", "tests.mutations"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
