"""Plays both games and counts: each player among its like, and the policy among the others."""

from collections.abc import Callable

from terz_env.evaluation.statistics import LEAST_UNITS
from terz_env.games import get_game
from terz_env.players import Player, check_plays, load_player
from training.habits.figures import FORMAT, GameHabits, Habits, HabitsError, compare
from training.habits.playing import Played, play
from training.habits.tally import Tally
from training.habits.terz_deals import TerzDeals
from training.habits.terz_melds import tally_melds
from training.habits.terz_play import tally_play
from training.habits.terz_results import tally_duel as tally_terz_duel
from training.habits.terz_results import tally_results as tally_terz_results
from training.habits.tetka_deals import TetkaDeals
from training.habits.tetka_leads import tally_leads
from training.habits.tetka_queens import tally_queens
from training.habits.tetka_results import tally_duel as tally_tetka_duel
from training.habits.tetka_results import tally_results as tally_tetka_results

REFERENCE = "heuristic"
Advance = Callable[[str, int], None]
"""Told the game and how many more deals have been played."""


def games_to_play(game: str, deals: int) -> int:
    """Return how many deals `measure` plays of a game."""
    return deals * (2 + get_game(game).n_seats)


def measure(terz: str, tetka: str, deals: int, seed: int, advance: Advance) -> Habits:
    """Play and count both games.

    Args:
        terz: The policy for Terz, as `load_player` names it.
        tetka: The policy for Tetka.
        deals: How many deals; each is played by the policy in all seats, by the other player in all
            seats, and with the policy in one seat, for every seat.
        seed: Picks the deals.
        advance: Told of the progress.

    Raises:
        HabitsError: If there are too few deals.
        PlayerError: If there is no such player, or it does not play the game by its default rules.
    """
    if deals < LEAST_UNITS:
        raise HabitsError(f"{deals} deals: an interval needs at least {LEAST_UNITS}")
    players = {"terz": load_player(terz), "tetka": load_player(tetka)}
    for game, player in players.items():
        check_plays(player, game, get_game(game).rules(None))
    return Habits(
        format=FORMAT,
        deals=deals,
        seed=seed,
        terz=_measure("terz", terz, players["terz"], deals, seed, advance),
        tetka=_measure("tetka", tetka, players["tetka"], deals, seed, advance),
    )


def _measure(
    game: str, name: str, policy: Player, deals: int, seed: int, advance: Advance
) -> GameHabits:
    other = load_player(REFERENCE)
    n_seats = get_game(game).n_seats

    def among(*seats: int) -> Played:
        """Play with the policy in these seats and the other player in the rest."""
        seating = [policy if seat in seats else other for seat in range(n_seats)]
        return play(seating, game, deals, seed, lambda size: advance(game, size))

    count_own, count_duel = _COUNTERS[game]
    own, reference = Tally(deals), Tally(deals)
    count_own(among(*range(n_seats)), own)
    count_own(among(), reference)
    count_duel([among(seat) for seat in range(n_seats)], own)
    return GameHabits(
        policy=name,
        reference=REFERENCE,
        rules=get_game(game).rules(None).to_dict(),
        figures=compare(own.ratios, reference.ratios),
    )


def _count_terz(played: Played, tally: Tally) -> None:
    deals = TerzDeals(played)
    tally_melds(deals, tally)
    tally_play(deals, tally)
    tally_terz_results(deals, tally)


def _count_tetka(played: Played, tally: Tally) -> None:
    deals = TetkaDeals(played)
    tally_leads(deals, tally)
    tally_queens(deals, tally)
    tally_tetka_results(deals, tally)


def _count_terz_duel(games: list[Played], tally: Tally) -> None:
    tally_terz_duel([TerzDeals(played) for played in games], tally)


def _count_tetka_duel(games: list[Played], tally: Tally) -> None:
    tally_tetka_duel([TetkaDeals(played) for played in games], tally)


_COUNTERS = {
    "terz": (_count_terz, _count_terz_duel),
    "tetka": (_count_tetka, _count_tetka_duel),
}
