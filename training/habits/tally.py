"""Events of many deals, counted under names, with the deal as the unit of every interval."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Ratio:
    """A sum over a count, both by deal.

    Attributes:
        totals: ``(D,)`` what the events of each deal add up to.
        counts: ``(D,)`` by how much that is divided.
    """

    totals: NDArray[np.float64]
    counts: NDArray[np.float64]


class Tally:
    """Ratios of D deals, each under its name."""

    def __init__(self, deals: int) -> None:
        """Begin with nothing."""
        self.deals = deals
        self.ratios: dict[str, Ratio] = {}

    def mean(
        self,
        name: str,
        values: ArrayLike,
        where: ArrayLike = True,
        deals: Numbers | None = None,
    ) -> None:
        """Note the mean of the values of some events; of truths it is their share.

        Args:
            name: Of the figure.
            values: One an event, of any shape.
            where: Which events count, broadcast to the values.
            deals: The deal of each event; None where the first axis of the values is the deal.
        """
        units, chosen = self._chosen(values, where, deals)
        counts = np.bincount(units, minlength=self.deals).astype(np.float64)
        self.ratios[name] = Ratio(self._totals(units, chosen), counts)

    def rate(
        self,
        name: str,
        values: ArrayLike,
        where: ArrayLike = True,
        deals: Numbers | None = None,
        *,
        per: float = 1,
    ) -> None:
        """Note the sum of the values of some events for every deal, divided by `per`."""
        units, chosen = self._chosen(values, where, deals)
        self.ratios[name] = Ratio(
            self._totals(units, chosen), np.full(self.deals, per, dtype=np.float64)
        )

    def _totals(self, units: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(units, weights=values, minlength=self.deals).astype(np.float64)

    def _chosen(
        self, values: ArrayLike, where: ArrayLike, deals: Numbers | None
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the deals and the values of the events that count."""
        given: NDArray[Any] = np.asarray(values, dtype=np.float64)
        counted = np.broadcast_to(np.asarray(where, dtype=np.bool_), given.shape)
        if deals is None:
            deals = np.arange(self.deals).reshape(-1, *[1] * (given.ndim - 1))
        return np.broadcast_to(deals, given.shape)[counted].astype(np.intp), given[counted]
