"""How the policies play: the counts add up, hand-made deals count right, the pages are written."""

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from terz_env.evaluation.matches import duplicate_match
from terz_env.games import get_game
from terz_env.players import load_player
from terz_env.state import Deal, State
from training.habits.cli import FILE, app
from training.habits.figures import Figure, GameHabits, Habits, HabitsError, Measured, compare
from training.habits.measuring import games_to_play, measure
from training.habits.pages import PAGES, Teller, by_sign, page
from training.habits.playing import Played, play
from training.habits.plots import PLOT_NAMES
from training.habits.tally import Ratio, Tally
from training.habits.terz_deals import TerzDeals
from training.habits.terz_melds import tally_melds
from training.habits.terz_play import tally_play
from training.habits.terz_results import tally_duel as tally_terz_duel
from training.habits.terz_results import tally_results as tally_terz
from training.habits.tetka_deals import TetkaDeals
from training.habits.tetka_leads import tally_leads
from training.habits.tetka_queens import tally_queens
from training.habits.tetka_results import marks_by_source
from training.habits.tetka_results import tally_duel as tally_tetka_duel
from training.habits.tetka_results import tally_results as tally_tetka

DEALS = 40
runner = CliRunner()


@pytest.fixture(scope="module")
def habits() -> Habits:
    """The rule player measured as if it were the policy."""
    told: list[tuple[str, int]] = []
    found = measure("heuristic", "heuristic", DEALS, 3, lambda *news: told.append(news))
    for game in ("terz", "tetka"):
        assert sum(size for name, size in told if name == game) == games_to_play(game, DEALS)
    return found


def mean(figure: Figure) -> float:
    assert figure.policy is not None
    return figure.policy.mean


def total(figures: dict[str, Figure], names: list[str]) -> float:
    return sum(mean(figures[name]) for name in names)


def test_a_player_does_not_differ_from_itself(habits: Habits) -> None:
    for game in (habits.terz, habits.tetka):
        for name, figure in game.figures.items():
            if figure.difference is not None:
                assert figure.difference.mean == figure.difference.half_width == 0, name
                assert figure.policy == figure.reference


def test_a_player_gains_nothing_from_itself(habits: Habits) -> None:
    terz, tetka = habits.terz.figures, habits.tetka.figures
    for name in ("points", "cards", "melds"):
        assert mean(terz[f"duel.{name}"]) == 0
    assert mean(terz["duel.last"]) == 0.5
    assert mean(tetka["duel.marks"]) == pytest.approx(7 / 4)
    assert mean(tetka["duel.tricks"]) == pytest.approx(13 / 4)


def test_every_deal_has_one_trump_jack_and_four_queens(habits: Habits) -> None:
    terz, tetka = habits.terz.figures, habits.tetka.figures
    jack = [f"jack.trick.{trick}" for trick in range(1, 17)]
    queens = [f"queen.trick.{trick}" for trick in range(1, 14)]
    assert total(terz, jack) == pytest.approx(1, abs=1e-5)
    assert total(tetka, queens) == pytest.approx(1, abs=1e-5)
    assert terz[jack[0]].policy.cases == DEALS  # type: ignore[union-attr]
    assert tetka[queens[0]].policy.cases == 4 * DEALS  # type: ignore[union-attr]
    ways = ["queen.led", "queen.followed", "queen.discarded"]
    assert total(tetka, ways) == pytest.approx(1, abs=1e-5)


def test_the_marks_of_a_deal_are_seven(habits: Habits) -> None:
    figures = habits.tetka.figures
    places = [f"marks.place.{place}" for place in range(1, 5)]
    sources = [f"duel.{source}" for source in ("queens", "photo", "counting", "most")]
    assert total(figures, places) == pytest.approx(7, abs=1e-5)
    assert 4 * total(figures, sources) == pytest.approx(7, abs=1e-5)
    assert mean(figures["duel.queens"]) == pytest.approx(1)


def test_the_points_of_melds_add_up(habits: Habits) -> None:
    figures = habits.terz.figures
    kinds = ("run_3", "run_4", "run_5", "four_jacks", "four_others", "marriage")
    by_kind = total(figures, [f"meld.{kind}.points" for kind in kinds])
    assert by_kind == pytest.approx(mean(figures["meld.points"]), abs=1e-5)
    assert 2 * by_kind == pytest.approx(mean(figures["split.melds"]), abs=1e-5)


def test_the_winner_gains_by_cards_and_melds_what_he_wins_by(habits: Habits) -> None:
    figures = habits.terz.figures
    gains = total(figures, ["split.by_cards", "split.by_melds"])
    drawn = 1 - figures["split.by_cards"].policy.cases / DEALS  # type: ignore[union-attr]
    assert gains * (1 - drawn) == pytest.approx(mean(figures["split.margin"]), abs=1e-4)


def play_out(state: State, *script: str) -> Played:
    """Play the named actions, then the first lawful card of every turn."""
    actions = []
    for name in script:
        actions.append(state.game.actions.index(name))
        state.apply(name)
    while not state.deal_is_over:
        actions.append(min(state.legal_actions()))
        state.apply(actions[-1])
    n = len(actions)
    return Played(
        np.zeros(n, dtype=np.int64),
        np.stack(state.past_words),
        np.array(actions),
        state.words[None].copy(),
    )


def value(tally: Tally, name: str) -> float:
    ratio = tally.ratios[name]
    return float(ratio.totals.sum() / ratio.counts.sum())


def cases(tally: Tally, name: str) -> float:
    return float(tally.ratios[name].counts.sum())


def terz_deal() -> State:
    """The forehand holds a run of three, the dealer one of four; clubs are trumps."""
    deal = Deal(
        dealer=0,
        hands=(
            ["7H", "8H", "9H", "TH", "JS", "7S", "8D", "KD", "9C"],
            ["QS", "KS", "AS", "JD", "9S", "7D", "QH", "AH", "JC"],
        ),
        talon=["TS", "8S", "7C", "8C", "TC", "KC", "AC", "9D", "TD", "QD", "AD", "JH", "KH"],
        trump_card="QC",
    )
    return State.from_deal("terz", deal)


def test_a_beaten_announcement_is_told_with_what_it_cost() -> None:
    deals, tally = TerzDeals(play_out(terz_deal(), "run:AS", "AH")), Tally(1)
    tally_melds(deals, tally)
    assert tally.ratios["meld.run_3.at_once.beatable"].totals == 1  # a later run is never named
    assert cases(tally, "meld.run_3.at_once.safe") == 0
    assert value(tally, "meld.run_3.beaten") == value(tally, "meld.beaten") == 1
    assert value(tally, "meld.first.beaten") == value(tally, "meld.beaten.paid") == 1
    assert value(tally, "meld.again.said") == 0
    assert value(tally, "meld.beaten.cost") == 50
    assert value(tally, "meld.run_4.points") == 25  # of one of two players
    assert value(tally, "meld.run_3.points") == 0


def test_a_meld_that_nobody_names_is_kept_turn_by_turn() -> None:
    deals, tally = TerzDeals(play_out(terz_deal(), "7D", "8D")), Tally(1)
    tally_melds(deals, tally)
    assert value(tally, "meld.run_4.ever") == value(tally, "meld.run_3.ever") == 0
    assert value(tally, "meld.run_4.a_turn.talon") == 0
    assert value(tally, "meld.points") == 0
    assert cases(tally, "meld.beaten") == 0


def test_the_first_lead_and_the_last_trick_of_a_deal_are_told() -> None:
    deals, tally = TerzDeals(play_out(terz_deal(), "AH", "7H")), Tally(1)
    tally_play(deals, tally)
    tally_terz(deals, tally)
    assert deals.tricks.led[0, 0] == State.new("terz").game.actions.index("AH")
    assert deals.tricks.leader[0, 0] == deals.tricks.winner[0, 0] == deals.forehand[0] == 1
    assert deals.results.sum() == 150
    assert value(tally, "split.no_melds") == 1
    assert sum(value(tally, f"jack.trick.{trick}") for trick in range(1, 17)) == 1


def tetka_deal() -> State:
    """Every seat holds one suit; seat 0 leads and takes everything."""
    ranks = "23456789TJQKA"
    hands = tuple([rank + suit for rank in ranks] for suit in "SCDH")
    return State.from_deal("tetka", Deal(dealer=3, hands=hands, photo="5H"))


def test_who_takes_all_tricks_takes_all_marks() -> None:
    deals, tally = TetkaDeals(play_out(tetka_deal())), Tally(1)
    tally_leads(deals, tally)
    tally_queens(deals, tally)
    tally_tetka(deals, tally)
    found = {name: marks[0].tolist() for name, marks in marks_by_source(deals).items()}
    assert found == {
        "queens": [4, 0, 0, 0],
        "photo": [1, 0, 0, 0],
        "counting": [1, 0, 0, 0],
        "most": [1, 0, 0, 0],
    }
    assert deals.counting.tolist() == [5]
    assert value(tally, "queen.discarded") == 3 / 4
    assert value(tally, "queen.led") == value(tally, "queen.own") == 1 / 4
    assert value(tally, "photo.discarded") == 1
    assert value(tally, "lead.rank.at") == 6  # the fifth lead of 2, 3, 4 …
    assert value(tally, "counting.leader_takes") == 1
    assert value(tally, "most.tricks") == 13
    assert value(tally, "marks.place.1") == 7
    assert cases(tally, "duck.place.2") == 0


@pytest.mark.parametrize(("game", "figure"), [("terz", "duel.points"), ("tetka", "duel.marks")])
def test_the_gain_is_that_of_a_duplicate_match(game: str, figure: str) -> None:
    policy, other = load_player(f"{game}/small"), load_player("heuristic")
    n_seats, tally = get_game(game).n_seats, Tally(DEALS)
    games = [
        play([policy if seat == own else other for seat in range(n_seats)], game, DEALS, 4, int)
        for own in range(n_seats)
    ]
    if game == "terz":
        tally_terz_duel([TerzDeals(played) for played in games], tally)
    else:
        tally_tetka_duel([TetkaDeals(played) for played in games], tally)
    expected = duplicate_match(policy, other, game, DEALS, 4)
    assert value(tally, figure) == pytest.approx(expected.mean, abs=1e-4)
    found = compare(tally.ratios, {})[figure].policy
    assert found is not None
    assert found.half_width == pytest.approx(expected.half_width, abs=1e-4)


def test_a_figure_is_a_ratio_over_all_deals() -> None:
    policy = {"x": Ratio(np.array([1.0, 3] * 20), np.array([1.0, 2] * 20))}
    reference = {"x": Ratio(np.array([1.0, 2] * 20), np.array([1.0, 2] * 20))}
    figure = compare(policy, reference)["x"]
    assert mean(figure) == pytest.approx(4 / 3)
    assert figure.difference is not None
    assert figure.difference.mean == pytest.approx(1 / 3)


def test_too_few_cases_are_not_told() -> None:
    few = {"x": Ratio(np.ones(5), np.ones(5))}
    assert compare(few, few)["x"] == Figure(policy=None)


def test_words_of_comparison_need_an_interval_without_zero() -> None:
    words = ("more", "less", "same")
    assert by_sign(Measured(mean=2, half_width=1, cases=9), 0, *words) == "more"
    assert by_sign(Measured(mean=-2, half_width=1, cases=9), 0, *words) == "less"
    assert by_sign(Measured(mean=2, half_width=3, cases=9), 0, *words) == "same"
    assert by_sign(None, 0, *words) == "same"


def test_figures_are_written_as_their_language_writes_them() -> None:
    found = {
        "wide": Measured(mean=0.5, half_width=0.02, cases=99),
        "narrow": Measured(mean=0.5, half_width=0.002, cases=99),
        "sure": Measured(mean=1, half_width=0, cases=99),
        "below": Measured(mean=-1.25, half_width=0.5, cases=99),
    }
    figures = {name: Figure(policy=one) for name, one in found.items()} | {
        "none": Figure(policy=None)
    }
    game = GameHabits(policy="a", reference="b", rules={}, figures=figures)
    english, russian = Teller(game, "en"), Teller(game, "ru")
    assert english.own("wide") == "50% ± 2"
    assert english.own("sure") == "100%"
    assert english.own("none") == "–"
    assert russian.own("narrow") == "50,0 % ± 0,2"
    assert russian.own("below", "points") == "−1,25 ± 0,50"
    assert english.apart("sure", "wide", "more", "less", "same") == "more"
    assert english.apart("wide", "narrow", "more", "less", "same") == "same"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_says_who_played_what_and_how(habits: Habits, name: str) -> None:
    text = page(name, habits, "benchmarks/habits", "python -m something")
    assert "python -m something" in text
    assert str(DEALS) in text
    assert "heuristic" in text
    assert "nan" not in text
    assert "None" not in text
    for plot in PLOT_NAMES:
        assert f"benchmarks/habits/{plot}.{PAGES[name]}.png" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in rows} == {4}


def test_both_pages_tell_the_same_figures(habits: Habits) -> None:
    english, russian = (page(name, habits, "x", "y") for name in sorted(PAGES))
    cells = [
        re.findall(r"[−\d.]+(?=%? ±)", text.replace(",", ".").replace(" %", "%"))
        for text in (english, russian)
    ]
    assert cells[0] == cells[1]
    assert len(cells[0]) > 100


def test_the_command_plays_once_and_tells_again(tmp_path: Path) -> None:
    folders = ["--output", str(tmp_path / "figures"), "--pages", str(tmp_path / "pages")]
    played = runner.invoke(app, ["heuristic", "heuristic", "--deals", "4", "--seed", "5", *folders])
    assert played.exit_code == 0, played.output
    before = {path.name: path.read_text("utf-8") for path in (tmp_path / "pages").iterdir()}
    assert before.keys() == PAGES.keys()
    assert "--deals 4 --seed 5" in before["what_was_learned.md"]
    for path in (tmp_path / "pages").iterdir():
        path.unlink()
    again = runner.invoke(app, ["--read", *folders])
    assert again.exit_code == 0, again.output
    assert before == {path.name: path.read_text("utf-8") for path in (tmp_path / "pages").iterdir()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give MODEL_TERZ and MODEL_TETKA, or --read"),
        (["heuristic", "heuristic", "--read"], "or --read and neither"),
        (["nobody", "heuristic"], "no player is called 'nobody'"),
        (["tetka/small", "heuristic"], "plays tetka, not terz"),
        (["heuristic", "heuristic", "--deals", "1"], "an interval needs at least 2"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = runner.invoke(app, [*arguments, "--output", str(tmp_path), "--pages", str(tmp_path)])
    assert result.exit_code == 2
    assert message in result.output
    assert not list(tmp_path.iterdir())


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HabitsError, match="no figures can be read"):
        Habits.read(tmp_path / FILE)
    (tmp_path / FILE).write_text('{"format": "terz-habits/1"}', encoding="utf-8")
    with pytest.raises(HabitsError, match="measure again"):
        Habits.read(tmp_path / FILE)
