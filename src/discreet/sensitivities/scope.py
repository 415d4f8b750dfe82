"""How one unit reaches the rows behind a statistic: the relation, the caps, and whether the number of rows is public."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from discreet.errors import ParameterError
from discreet.exact import exact_whole
from discreet.privacy.events import Neighbours

__all__ = ["Neighbours", "Norm", "Scope"]

Norm = Literal["l1", "l2_squared"]
_RELATIONS = get_args(Neighbours)


@dataclass(frozen=True, slots=True)
class Scope:
    """The public facts and the shape of the question that a sensitivity rests on; never the data held.

    ``rows`` is the public number of rows of a table whose unit is the row, ``units`` the public number of units.
    ``filtered`` is true when any row may be left out: WHERE, FILTER, JOIN, a cap, or a NULL that is dropped.
    ``rows_per_unit`` is the most rows that one unit keeps in all, None if nothing limits them; ``groups_per_unit`` is the most
    groups that it is in.
    """

    neighbours: Neighbours
    rows: int | None = None
    units: int | None = None
    filtered: bool = False
    grouped: bool = False
    rows_per_unit: int | None = 1
    groups_per_unit: int = 1

    def __post_init__(self) -> None:
        if self.neighbours not in _RELATIONS:
            raise ParameterError(
                f"neighbours is {self.neighbours!r}, not a relation between tables",
                hint="write neighbours='add_remove' (a unit comes or goes) or neighbours='change_one' (a unit is replaced)",
            )
        for name in ("filtered", "grouped"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(f"{name} is {getattr(self, name)!r}, neither True nor False", hint=f"write {name}=True")
        for name in ("rows", "units", "rows_per_unit", "groups_per_unit"):
            if getattr(self, name) is not None or name == "groups_per_unit":
                object.__setattr__(self, name, exact_whole(getattr(self, name), name, at_least=1))
        if self.groups_per_unit > 1 and not self.grouped:
            raise ParameterError(
                f"groups_per_unit is {self.groups_per_unit} but the statistic is not grouped",
                hint="write grouped=True, or leave groups_per_unit out",
            )
        if self.rows_per_unit is not None and self.groups_per_unit > self.rows_per_unit:
            raise ParameterError(
                f"a unit with at most {self.rows_per_unit} row(s) cannot be in {self.groups_per_unit} groups",
                hint="write rows_per_unit=…, the most rows that one unit keeps in all; None if nothing limits them",
            )

    @property
    def row_cap(self) -> Fraction:
        """``rows_per_unit`` as a Fraction; refused if nothing limits the rows of a unit."""
        if self.rows_per_unit is None:
            raise ParameterError(
                "nothing limits how many rows of one unit enter this statistic",
                hint="write rows_per_unit=…, or clamp one number per unit and release sensitivity('vector', …)",
            )
        return Fraction(self.rows_per_unit)

    @property
    def known_rows(self) -> int | None:
        """The number of rows behind the statistic where neighbouring tables agree on it and it is public, else None."""
        return None if self.why_rows_are_private else self.rows

    @property
    def known_units(self) -> int | None:
        """The number of units behind the statistic where neighbouring tables agree on it and it is public, else None."""
        return self.units if self.neighbours == "change_one" and not self.filtered and not self.grouped else None

    @property
    def why_rows_are_private(self) -> str:
        """The first reason why the number of rows behind the statistic may not be used; empty if there is none."""
        if self.neighbours == "add_remove":
            return "under add_remove the size of a table is private"
        if self.filtered:
            return "how many rows are left after filtering is private"
        if self.grouped:
            return "how many rows a group holds is private"
        if self.rows_per_unit != 1:
            return "a unit may have any number of rows" + (f" up to {self.rows_per_unit}" if self.rows_per_unit else "")
        if self.rows is None:
            return "no public number of rows was given"
        return ""
