"""The errors that terz_env raises: each says what was given, why not, and what would do."""


class TerzEnvError(Exception):
    """Base of every error of this package."""


class IllegalActionError(TerzEnvError, ValueError):
    """An action that the rules do not allow to the seat to act; the state is unchanged."""


class RuleSetError(TerzEnvError, ValueError):
    """A rule set with an unknown, wrong or contradictory option."""


class PositionError(TerzEnvError, ValueError):
    """A deal or position that cannot be: a card twice, a hand too large, a wrong field."""


class ObservationError(TerzEnvError, ValueError):
    """A vector that is no observation, a view that does not exist, or a log that does not fit."""


class SeedError(TerzEnvError, ValueError):
    """A seed, or the number of an environment, that no stream of random numbers can have."""


class SearchLimitError(TerzEnvError, RuntimeError):
    """A search that used up its nodes or its time before it knew the value."""


class UnknownGameError(TerzEnvError, KeyError):
    """A game name that this package does not know."""

    def __str__(self) -> str:
        """Returns the message without the quotes that KeyError adds."""
        return str(self.args[0])


class RenderError(TerzEnvError, ValueError):
    """A drawing that cannot be made: an unknown language, a wrong seat, a missing library."""


class RecordError(TerzEnvError, ValueError):
    """A game record that is damaged or breaks the rules.

    Attributes:
        deal: The number of the deal in the record, from 0; None outside the deals.
        step: The number of the action in the deal, from 0; None outside the actions.
    """

    def __init__(self, message: str, deal: int | None = None, step: int | None = None) -> None:
        """Puts the place before the message."""
        place = "" if deal is None else f"deal {deal}: "
        if deal is not None and step is not None:
            place = f"deal {deal}, step {step}: "
        super().__init__(place + message)
        self.deal = deal
        self.step = step
