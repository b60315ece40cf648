"""The worth of a score before a deal, by dynamic programming over the results of deals."""

from pathlib import Path

import numpy as np
import pytest

from terz_env.selfplay import SelfPlayBatch
from training.equity import EDGE, STEP, EquityTable, match_values, points_of, random_scores
from training.plot import plot_equity


def test_the_winner_of_every_deal_wins_the_match() -> None:
    """The dealer takes 100 a deal and deals on: from any score he is first at 501."""
    values = match_values(np.array([[100, 0, 1]]))
    assert values.shape == (2, EDGE, EDGE)
    assert (values[0] == 1).all()
    assert (values[1] == -1).all()


def test_who_needs_one_deal_and_wins_half_of_them_has_the_worth_of_the_coin() -> None:
    """Each deal is worth 510 to one of the two, whoever deals: the score does not matter."""
    values = match_values(np.array([[510, 0, 1], [0, 510, 0]]))
    np.testing.assert_allclose(values, 0, atol=1e-6)


def test_two_deals_behind_with_even_deals_wins_one_match_in_four() -> None:
    """Each deal is worth 250 to one of the two; at 260:10 the one needs one deal, the other two."""
    values = match_values(np.array([[250, 0, 1], [0, 250, 0]]))
    ahead, behind = 260 // STEP, 10 // STEP
    assert values[0, ahead, behind] == pytest.approx(2 * 0.75 - 1, abs=1e-5)
    assert values[1, ahead, behind] == pytest.approx(2 * 0.75 - 1, abs=1e-5)


def test_the_table_changes_sign_with_the_seats() -> None:
    rng = np.random.default_rng(3)
    own = rng.integers(0, 25, size=200) * 10
    deals = np.column_stack([own, 250 - own, rng.integers(2, size=200)])
    values = match_values(deals)
    np.testing.assert_allclose(values[0], -values[1].T, atol=1e-6)
    assert (np.diff(values[0], axis=0) >= -1e-3).mean() > 0.97, "more points are worth more"
    assert (np.abs(values) <= 1).all()


def test_a_batch_begins_at_scores_of_the_table_and_is_paid_by_it() -> None:
    rng = np.random.default_rng(1)
    deals = np.column_stack(
        [rng.integers(0, 20, 300) * 10, rng.integers(0, 20, 300) * 10, [1] * 300]
    )
    table = EquityTable.of_deals(deals, rng)
    batch = SelfPlayBatch("terz", 200, seed=5, scope="match")
    random_scores(batch, table, rng)
    scores = {tuple(row) for row in table.starts[:, 1:]}
    from terz_env.games.terz.state import SCORES

    assert {tuple(row) for row in batch.states[:, SCORES : SCORES + 2]} <= scores
    rows = np.arange(200)
    paid = table.settle(batch, rows)
    np.testing.assert_allclose(paid.sum(axis=1), 0, atol=1e-6)
    assert np.abs(paid).max() <= table.scale * (1 + 1e-6)


def test_the_table_is_drawn(tmp_path: Path) -> None:
    plot_equity(tmp_path / "equity.png", match_values(np.array([[150, 0, 1], [0, 150, 0]])))
    assert (tmp_path / "equity.png").read_bytes().startswith(b"\x89PNG")


def test_points_are_told_from_the_dealers_view() -> None:
    batch = SelfPlayBatch("terz", 2, seed=1, scope="match")
    from terz_env.games.terz.state import DEALER, SCORES, TABLE

    batch.states[:, SCORES] = 120
    batch.states[:, SCORES + 1] = 90
    following = (batch.states[:, TABLE] >> DEALER) & 1
    told = points_of(np.array([0, 1]), batch.states)
    assert told[:, :2].tolist() == [[120, 90], [90, 120]]
    assert told[:, 2].tolist() == (following == np.array([0, 1])).astype(int).tolist()
