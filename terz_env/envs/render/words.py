"""The words of the drawings, in English and in Russian."""

from __future__ import annotations

from terz_env.cards import SYMBOLS
from terz_env.errors import RenderError

LANGUAGES = ("en", "ru")

_WORDS: dict[str, tuple[str, str]] = {
    "terz": ("Terz", "Терц"),
    "terz_mini": ("Terz-mini", "Терц-мини"),
    "terz_micro": ("Terz-micro", "Терц-микро"),
    "tetka": ("Tetka", "Тётка"),
    "tetka_micro": ("Tetka-micro", "Тётка-микро"),
    "scope deal": ("deal", "сдача"),
    "scope match": ("match", "партия"),
    "scope rubber": ("rubber", "роббер"),
    "seat": ("seat_{}", "место {}"),
    "dealer": ("deals", "сдаёт"),
    "dealer letter": ("D", "С"),
    "turn": ("to play: {}", "ходит: {}"),
    "deal over": ("the deal is over", "сдача окончена"),
    "winner": ("{} wins the match", "партию взял: {}"),
    "trick of": ("trick {} of {}", "взятка {} из {}"),
    "trump": ("trump", "козырь"),
    "talon": ("talon", "талон"),
    "photo": ("photo", "фотография"),
    "counting trick": ("counting trick", "счётная взятка"),
    "table": ("table", "на столе"),
    "last trick": ("last trick", "прошлая взятка"),
    "taken by": ("taken by {}", "берёт: {}"),
    "legal": ("legal", "можно"),
    "announcements": ("announcements", "объявления"),
    "policy": ("policy", "стратегия"),
    "melds": ("melds", "комбинации"),
    "score": ("score", "счёт"),
    "marks": ("marks", "марок"),
    "tricks": ("tricks", "взяток"),
    "cards": ("cards", "карты"),
    "run": ("run to {}", "ряд до {}"),
    "run of": ("run of {}", "ряд, карт: {}"),
    "four of": ("four of a kind", "четвёрка"),
    "four J": ("four jacks", "четыре валета"),
    "four Q": ("four queens", "четыре дамы"),
    "four K": ("four kings", "четыре короля"),
    "four A": ("four aces", "четыре туза"),
    "marriage": ("marriage", "марьяж"),
    "seven": ("exchange the seven", "обмен семёрки"),
    "break": ("break {}", "сломать {}"),
    "invalid": ("illegal action", "неверное действие"),
    "scored": ("+{}", "+{}"),
    "beaten": ("beaten by {}", "бита: {}"),
    "false": ("false", "ложное"),
}
_RANKS = ({"T": "10"}, {"T": "10", "J": "В", "Q": "Д", "K": "К", "A": "Т"})


class Words:
    """The words of one language."""

    def __init__(self, language: str) -> None:
        """Chooses "en" or "ru"; raises RenderError for any other language."""
        if language not in LANGUAGES:
            known = " or ".join(LANGUAGES)
            raise RenderError(f"no language {language!r}; use {known}")
        self.language = language
        self._place = LANGUAGES.index(language)

    def __call__(self, key: str, *values: object) -> str:
        """Returns a word or phrase with its values filled in."""
        return _WORDS[key][self._place].format(*values)

    def rank(self, card: str) -> str:
        """Returns the rank of a card as it stands on the card."""
        return _RANKS[self._place].get(card[0], card[0])

    def card(self, card: str) -> str:
        """Returns a card as rank and suit symbol.

        >>> Words("ru").card("QS")
        'Д♠'
        """
        return self.rank(card) + SYMBOLS[card[1]]

    def action(self, name: str) -> str:
        """Returns an action in words."""
        kind, _, detail = name.partition(":")
        if kind == "run":
            return self("run", self.card(detail))
        if kind == "four":
            return self(f"four {detail}")
        if kind in ("marriage", "seven", "invalid"):
            return self(kind)
        return self("break", detail) if kind == "break" else self.card(name)
