"""Where questions in Python begin: ``people.where("Age >= 40").mean("Income").ask(epsilon=0.1)``."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from discreet.exact import Number

if TYPE_CHECKING:  # a table can be there long before a question is built
    from discreet.questions.builder import Asking, Rows
    from discreet.questions.measures import BinSpec, Measure

__all__ = ["Verbs"]


class Verbs(ABC):
    """The verbs that build a question about the rows of a table."""

    @property
    @abstractmethod
    def all_rows(self) -> "Rows":
        """Where questions in Python begin."""

    def join(self, lookup: str, *, outer: bool = False) -> "Rows":
        """The rows beside those of a lookup that the facts declare; with ``outer``, rows that meet none stay as well."""
        return self.all_rows.join(lookup, outer=outer)

    def where(self, condition: str) -> "Rows":
        """The rows that meet a condition in SQL."""
        return self.all_rows.where(condition)

    def group_by(self, *keys: "str | BinSpec") -> "Rows":
        """The rows in groups."""
        return self.all_rows.group_by(*keys)

    def select(self, **statistics: "Measure") -> "Asking":
        """Named statistics of all rows."""
        return self.all_rows.select(**statistics)

    def count(self, of: str | None = None) -> "Asking":
        """How many rows there are, or how many have a value of ``of``."""
        return self.all_rows.count(of)

    def sum(self, of: str, *, per_unit: tuple[Number, Number] | None = None) -> "Asking":
        """The sum of ``of``; with ``per_unit``, the total of each unit is brought between these two numbers."""
        return self.all_rows.sum(of, per_unit=per_unit)

    def mean(self, of: str) -> "Asking":
        """The mean of ``of``."""
        return self.all_rows.mean(of)

    def variance(self, of: str, *, sample: bool = True) -> "Asking":
        """The variance of ``of``."""
        return self.all_rows.variance(of, sample=sample)

    def stddev(self, of: str, *, sample: bool = True) -> "Asking":
        """The standard deviation of ``of``."""
        return self.all_rows.stddev(of, sample=sample)

    def median(self, of: str, *, interval: bool = False) -> "Asking":
        """The value of ``of`` with half of the rows below it."""
        return self.all_rows.median(of, interval=interval)

    def quantile(self, of: str, q: Number, *, interval: bool = False) -> "Asking":
        """The value of ``of`` with a share ``q`` of the rows below it."""
        return self.all_rows.quantile(of, q, interval=interval)

    def min(self, of: str, *, interval: bool = False) -> "Asking":
        """The value of ``of`` with a few rows below it: how few is public and told."""
        return self.all_rows.min(of, interval=interval)

    def max(self, of: str, *, interval: bool = False) -> "Asking":
        """The value of ``of`` with a few rows above it: how few is public and told."""
        return self.all_rows.max(of, interval=interval)
