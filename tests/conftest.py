"""What every test gets."""

import pytest


@pytest.fixture(autouse=True)
def own_console(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the console be made anew: a process keeps the width of the first test that prints."""
    monkeypatch.setattr("rich._console", None)
