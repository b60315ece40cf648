"""Terz: tells a position in fields (docs/notation.md)."""

from __future__ import annotations

from terz_env import facts as fact
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.terz.actions import ACTIONS
from terz_env.games.terz.facts import read_facts
from terz_env.games.terz.notation.cards import (
    AUTO_BREAK,
)
from terz_env.games.terz.notation.reading import read_fields
from terz_env.games.terz.notation.tallies import BEATEN_CLASSES, FOURS, event_text
from terz_env.games.terz.position import (
    unpack_talon,
)
from terz_env.games.terz.state import (
    ALL_CARDS,
    ALL_TRICKS,
    ANNOUNCED,
    BEATEN,
    BREAK_PENDING,
    BREAK_SIZE,
    DEAL,
    DEALER,
    EVENT,
    FALSE_ANNOUNCED,
    FORFEITED,
    HAND,
    HAS_LAST,
    HAS_LED,
    KNOWN,
    LAST_LEADER,
    LAST_LED,
    LAST_REPLY,
    LEADER,
    N_SEATS,
    OFFENDER,
    PLAYED,
    RAISES,
    RULES,
    SCORED,
    SCORED_FOURS,
    SCORED_MARRIAGE,
    SCORES,
    TABLE,
    TALON_TRICKS,
    TRICK,
    TRUMP_CARD,
    State,
)
from terz_env.notation import (
    Fields,
    join_cards,
    join_sets,
    join_trick,
    members,
)
from terz_env.ruleset import RuleSet


def write_fields(game: Game, rules: RuleSet, scope: str, words: State) -> dict[str, str]:
    """Returns the fields that tell a position.

    Raises:
        PositionError: The words are no position of this game, rule set and scope.
    """
    told = [int(word) for word in words]
    if told[RULES] != game.config_word(rules, scope):
        raise PositionError("the position belongs to another rule set or scope")
    fields = _cards(game, told) | _tallies(game, told, fact.facts_of(read_facts, words))
    again = read_fields(game, rules, scope, Fields(game.deck, N_SEATS, fields))
    if (again != words).any():
        raise PositionError("the words are no position that play can reach")
    return fields


def _get(words: list[int], word: int, shift: int, mask: int) -> int:
    return words[word] >> shift & mask


def _cards(game: Game, words: list[int]) -> dict[str, str]:
    """Returns the fields of the cards."""
    deck, table = game.deck, words[TABLE]
    dealer, leader = _get(words, TABLE, DEALER, 1), _get(words, TABLE, LEADER, 1)
    done, n_tricks = _get(words, TABLE, TRICK, 31), _get(words, RULES, ALL_TRICKS, 31)
    pending = table >> BREAK_PENDING & 1
    drawn = 0 if pending else min(2 * done, 2 * _get(words, RULES, TALON_TRICKS, 15))
    *talon, _ = unpack_talon(words, game.talon_size)
    led = 1 << (table & 31) if table >> HAS_LED & 1 else 0
    fields = {"dealer": str(dealer), "trump": deck.names[table >> TRUMP_CARD & 31]}
    fields["trick"] = str(min(done + 1, n_tricks))
    if not led and leader == dealer:
        fields["leader"] = str(leader)
    fields["hands"] = join_sets(deck, words[HAND : HAND + N_SEATS])
    if led:
        fields["table"] = join_trick(deck, leader, [table & 31])
    if table >> HAS_LAST & 1:
        last = [table >> LAST_LED & 31, table >> LAST_REPLY & 31]
        fields["last"] = join_trick(deck, table >> LAST_LEADER & 1, last)
    if talon[drawn:]:
        fields["talon"] = join_cards(deck, talon[drawn:])
    unknown = _leading_zeros(talon[:drawn])
    if unknown < len(talon[:drawn]):
        fields["drawn"] = join_cards(deck, talon[unknown:drawn])
    size = table >> BREAK_SIZE & 15
    if pending or size not in (0, AUTO_BREAK):
        fields["break"] = "pending" if pending else str(size)
    if done:
        piles = [words[PLAYED + seat] & ALL_CARDS & ~led for seat in range(N_SEATS)]
        fields["played"] = join_sets(deck, piles)
    return fields


def _leading_zeros(drawn: list[int]) -> int:
    """Returns how many of the first cards drawn are not known: they stand as pairs of card 0."""
    if not any(drawn):
        return len(drawn)
    zeros = next(place for place, card in enumerate(drawn) if card)
    return zeros - zeros % 2


def _tallies(game: Game, words: list[int], facts: list[int]) -> dict[str, str]:
    """Returns the fields of what has been scored and announced."""
    deck, table = game.deck, words[TABLE]
    fields = {}
    scored, beaten = [], []
    for seat in range(N_SEATS):
        things, classes = words[SCORED + seat], words[PLAYED + seat] >> BEATEN
        names = deck.members(things & ALL_CARDS)
        names += [name for i, name in enumerate(FOURS) if things >> (SCORED_FOURS + i) & 1]
        names += ["marriage"] * (things >> SCORED_MARRIAGE & 1)
        scored.append(",".join(names))
        beaten.append(",".join(name for i, name in enumerate(BEATEN_CLASSES) if classes >> i & 1))
    if any(words[KNOWN : KNOWN + N_SEATS]):
        fields["known"] = join_sets(deck, words[KNOWN : KNOWN + N_SEATS])
    if any(scored):
        fields["scored"] = "|".join(scored)
    if any(beaten):
        fields["beaten"] = "|".join(beaten)
    if words[ANNOUNCED]:
        fields["announced"] = ",".join(ACTIONS[number] for number in members(words[ANNOUNCED]))
    if table >> FALSE_ANNOUNCED & 1:
        fields["false"] = "yes"
    if words[EVENT]:
        fields["event"] = event_text(ACTIONS, words[EVENT])
    melds = facts[fact.MELD_POINTS : fact.MELD_POINTS + N_SEATS]
    deductions = facts[fact.DEDUCTIONS : fact.DEDUCTIONS + N_SEATS]
    scores = words[SCORES : SCORES + N_SEATS]
    raises = words[RAISES : RAISES + N_SEATS]
    if _get(words, TABLE, TRICK, 31):
        fields["points"] = _join(facts[fact.CARD_POINTS : fact.CARD_POINTS + N_SEATS])
    for name, values in (("melds", melds), ("deductions", deductions), ("raises", raises)):
        if any(values):
            fields[name] = _join(values)
    if facts[fact.DEAL_IS_OVER] or any((*scores, *melds, *deductions)):
        fields["scores"] = _join(scores)
    if words[DEAL]:
        fields["deal"] = str(words[DEAL])
    if table >> FORFEITED & 1:
        fields["forfeit"] = str(table >> OFFENDER & 1)
    return fields


def _join(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))
