"""What `terz play` says, in English and in Russian."""

from __future__ import annotations

from terz_env.envs.render.words import LANGUAGES, Words
from terz_env.explaining import SUIT_NAMES, Reason

_SUITS = (SUIT_NAMES, {"S": "пик", "C": "треф", "D": "бубён", "H": "червей"})

_PHRASES: dict[str, tuple[str, str]] = {
    "you": ("you", "вы"),
    "left": ("left", "слева"),
    "opposite": ("opposite", "напротив"),
    "right": ("right", "справа"),
    "welcome": ("You play against {0}. Seed {1}.", "Против вас: {0}. Номер раздачи (seed): {1}."),
    "resumed": (
        "You play on from a position, against {0}.",
        "Вы доигрываете позицию, против вас: {0}.",
    ),
    "explained": (
        "? explains the commands; Enter shows the table again.",
        "? объясняет команды; Enter рисует стол заново.",
    ),
    "prompt": ("your move, by name or by number 1-{0}: ", "ваш ход, имя или номер 1-{0}: "),
    "drew": ("you take into your hand: {0}", "вам пришло: {0}"),
    "taken": ("trick {0}: {1}; taken by {2}", "взятка {0}: {1}; берёт {2}"),
    "points": ("points {0}", "очки {0}"),
    "marks": ("marks {0}", "марки {0}"),
    "top rank": ("its top rank is {0}", "старшее достоинство: {0}"),
    "in trumps": ("in trumps", "козырная"),
    "in plain": ("not in trumps", "не козырная"),
    "for card": ("in exchange for {0}", "взамен {0}"),
    "deal": ("deal {0}; dealer: {1}", "сдача {0}; сдаёт {1}"),
    "deal over": ("the deal is over", "сдача окончена"),
    "terz deal": (
        "{0}: cards {1}, melds {2}, score {3}",
        "{0}: карты {1}, комбинации {2}, счёт {3}",
    ),
    "terz recorded": (
        "{0}: cards {1}, recorded {2}; melds {3}; score {4}",
        "{0}: карты {1}, записано {2}; комбинации {3}; счёт {4}",
    ),
    "tetka deal": ("{0}: marks {1}, tricks {2}, score {3}", "{0}: марки {1}, взятки {2}, счёт {3}"),
    "forfeit": ("{0}: forfeit", "{0}: проигрыш за нарушение"),
    "revoke": ("{0}: revoke", "{0}: ренонс"),
    "false_announcement": ("{0}: false announcement, -{1}", "{0}: ложное объявление, -{1}"),
    "result": ("result: {0}", "итог: {0}"),
    "winner": ("{0}: the match is won", "партию взял: {0}"),
    "hint": ("the player heuristic would play {0}", "игрок heuristic сыграл бы {0}"),
    "legal": ("you may play:", "можно сыграть:"),
    "not legal": ("not {0}: {1}", "нельзя {0}: {1}"),
    "is legal": ("you may play {0}", "{0} можно сыграть"),
    "nothing back": ("there is nothing to take back", "возвращать нечего"),
    "back": ("taken back", "ход возвращён"),
    "no number": (
        "there is no number {0}; the list has 1 to {1}",
        "номера {0} нет; есть от 1 до {1}",
    ),
    "not understood": (
        "{0!r} is no card, action or command; ? explains them",
        "{0!r} — не карта, не действие и не команда; ? объясняет их",
    ),
    "no last": ("no trick to look at", "нет взятки, которую можно посмотреть"),
    "no looking": (
        "tricks may be looked at only while the talon holds four cards (Rule T26)",
        "взятки можно смотреть, пока в талоне есть четыре карты (правило T26)",
    ),
    "why what": ("write a card or an action after it: why 9H", "укажите карту: почему 9Ч"),
    "save what": (
        "write a file after it: save game.txt; it will tell all hands",
        "укажите файл: сохранить game.txt; в нём видны все карты",
    ),
    "exists": ("there is {0} already; name another file", "{0} уже есть; назовите другой файл"),
    "saved": (
        "the position is in {0}, all hands in it; terz play --position {0} plays on",
        "позиция, со всеми картами, записана в {0}; продолжить: terz play --position {0}",
    ),
    "not saved": ("nothing could be saved: {0}", "сохранить не удалось: {0}"),
    "recorded": ("the record is in {0}", "запись игры в {0}"),
    "not recorded": (
        "the record could not be written ({0}); here it is:",
        "запись игры не сохранилась ({0}); вот она:",
    ),
    "no record": (
        "the game is not finished, so there is no record of it",
        "игра не окончена, поэтому записи нет",
    ),
    "quit": ("Good-bye.", "До свидания."),
    "input ends": ("The input has ended.", "Ввод закончился."),
    "interrupted": ("Interrupted.", "Прервано."),
    "help": (
        """\
A card: 10S, TS, S10 or with a suit sign; small letters do as well. So does the
number of an action in the list of what is legal. All else: run JH, four Q,
marriage, seven, break 3.
  legal       what you may play, with numbers
  why 9H      why that may not be played
  hint        what the player heuristic would play
  last        the tricks that the rules let you look at
  undo        back to your decision before
  save FILE   the position as text, to play on with --position
  quit        ends; an unfinished game has no record
An exclamation mark, 9H!, plays what is illegal where the rules punish it.""",
        """\
Карта: 10П, ТП (туз пик), ДЧ, 10S или со знаком масти; буквы В Д К Т и П Т Б Ч,
можно строчные. Годится и номер действия в списке разрешённых. Прочее: ряд ВЧ,
четыре Д, марьяж, семёрка, сломать 3.
  можно           что разрешено, с номерами
  почему 9Ч       почему этого нельзя
  подсказка       что сыграл бы игрок heuristic
  взятка          взятки, которые правила позволяют посмотреть
  назад           к вашему прошлому решению
  сохранить ФАЙЛ  позиция текстом, чтобы доиграть с --position
  выход           конец; у неоконченной игры записи нет
Восклицательный знак, 9Ч!, играет и запрещённое, если по правилам за это штраф.""",
    ),
}

_REASONS: dict[str, tuple[str, str]] = {
    "over": ("the deal is over", "сдача окончена"),
    "unknown": ("there is no such action in this game", "такого действия в этой игре нет"),
    "pending": ("you have to break the deck first", "сначала надо сломать колоду"),
    "no_break": (
        "the deck is broken once, after trick 1, by its loser",
        "колоду ломает один раз, после первой взятки, тот, кто её отдал",
    ),
    "not_held": ("you do not hold it", "этой карты у вас нет"),
    "must_follow": (
        "{suit} were led and you hold {cards}: follow suit",
        "ход с {suit}, у вас есть {cards}: надо отвечать в масть",
    ),
    "must_beat": (
        "{led} was led and you can beat it with {cards}",
        "ход {led}, и вы можете его перебить: {cards}",
    ),
    "must_trump": (
        "{suit} were led and you hold none: play a trump, {cards}",
        "ход с {suit}, их у вас нет: надо бить козырем, {cards}",
    ),
    "suit_or_trump": (
        "{suit} were led: play one of them or a trump, {cards}",
        "ход с {suit}: надо отвечать в масть или козырем, {cards}",
    ),
    "no_run": (
        "no whole run of your hand ends with that card",
        "у вас нет целого ряда с такой старшей картой",
    ),
    "no_four": ("you do not hold all four", "у вас нет всех четырёх"),
    "no_marriage": (
        "you do not hold king and queen of trumps",
        "у вас нет козырных короля и дамы",
    ),
    "late": (
        "runs and fours are announced in tricks 1 to 8",
        "ряды и четвёрки объявляют во взятках с 1-й по 8-ю",
    ),
    "run_scored": (
        "every card of that run has been in a scored run",
        "все карты этого ряда уже были в записанном ряде",
    ),
    "run_shares": (
        "the run shares a card with a scored one",
        "в ряде есть карта из записанного ряда",
    ),
    "four_scored": ("that four has scored", "эта четвёрка уже записана"),
    "marriage_scored": ("the marriage has scored", "марьяж уже записан"),
    "twice": ("you have announced it in this turn", "в этот ход вы это уже объявили"),
    "no_seven": ("you do not hold the trump seven", "козырной семёрки у вас нет"),
    "small_talon": (
        "the talon holds {talon} cards, {needed} are needed",
        "карт в талоне: {talon}, а надо {needed}",
    ),
}


class Phrases:
    """The phrases of one language."""

    def __init__(self, language: str) -> None:
        """Chooses "en" or "ru"; raises RenderError for any other language."""
        self.words = Words(language)
        self._place = LANGUAGES.index(language)

    def __call__(self, key: str, *values: object) -> str:
        """Returns a phrase with its values filled in."""
        return _PHRASES[key][self._place].format(*values)

    def cards(self, cards: tuple[str, ...] | list[str]) -> str:
        """Returns cards as ranks and suit signs."""
        return " ".join(self.words.card(card) for card in cards)

    def reason(self, reason: Reason) -> str:
        """Returns why an action is not lawful, with the number of the rule."""
        text = _REASONS[reason.key][self._place].format(
            suit=_SUITS[self._place][reason.led[1]] if reason.led else "",
            led=self.words.card(reason.led) if reason.led else "",
            cards=self.cards(reason.cards),
            talon=reason.talon,
            needed=reason.needed,
        )
        rule = ("Rule", "правило")[self._place]
        return f"{text} ({rule} {reason.rule})" if reason.rule else text
