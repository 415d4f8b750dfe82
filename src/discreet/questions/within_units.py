"""A subquery that gives one row for each unit: from its words to the values, and the question around it in their names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from discreet.facts.model import Boolean, ByColumn, Category, Facts, Integer
from discreet.facts.model import Column as AnyColumn
from discreet.questions.algebra import Aggregate, Column, Expression, Literal, PerUnit
from discreet.questions.naming import default_name, unlike
from discreet.questions.normal import normal_expression
from discreet.questions.per_unit import value_name
from discreet.questions.places import Misfit, Places, short
from discreet.questions.resolve import Names, row
from discreet.questions.statement import Item, Sorting, Statement
from discreet.questions.text import column_text, name_text
from discreet.questions.types import Context, fitted
from discreet.questions.walk import every, parts, rebuilt

__all__ = ["around", "unit_rows"]


@dataclass(frozen=True, slots=True)
class Inside:
    """A subquery: the table that it makes, and what each of its outputs is there, by its name in whatever case."""

    per_unit: PerUnit
    outputs: dict[str, Expression]

    @property
    def called(self) -> dict[str, str]:
        """What values of units are called around it, by the names that they have in expressions; the longest first."""
        names = {value_name(value) for value in self.per_unit.values}
        found = {column_text(each): name_text(name) for name, each in self.outputs.items()
                 if isinstance(each, Column) and each.name in names}  # fmt: skip
        return {name: found[name] for name in sorted(found, key=len, reverse=True)}


# ---- inside


def unit_rows(statement: Statement, names: Names) -> Inside:
    """The table that a subquery makes, and what its outputs are in it. Raises Misfit."""
    facts = names.tables.facts
    unit = _unit(statement, facts)
    _check_clauses(statement, unit)
    named = _keys(statement, names, unit)
    keys, moving = (tuple(name for name in named if is_constant == _is_constant(name, facts)) for is_constant in (True, False))
    found: dict[str, Expression] = {}
    for item in statement.items:
        name = _output_name(item)
        if name.casefold() in found:
            raise Misfit(item.value, f"two outputs are called {short(name)}", "give each output its own name")
        found[name.casefold()] = item.value if _is_unit(item.value, unit, names) else _Values(names, named).of(item.value)
    values = [_value_of(one, names) for each in statement.items for one in every(each.value) if isinstance(one, Aggregate)]
    where = None if statement.where is None else row(statement.where, names)
    return Inside(PerUnit(unit, tuple(dict.fromkeys(values)), keys, where, names.tables.joins, moving), found)


def _unit(statement: Statement, facts: Facts) -> str:
    if not isinstance(facts.unit, ByColumn):
        raise Misfit(statement.items[0].value, "each row is a unit of its own here, with one value of everything",
                     f"write FROM {name_text(facts.name)} itself")  # fmt: skip
    return facts.unit.column


def _check_clauses(statement: Statement, unit: str) -> None:
    first = statement.items[0].value
    if statement.having is not None:
        raise Misfit(statement.having, "HAVING stands inside the subquery", "write the condition as WHERE outside of it")
    if statement.order or statement.limit is not None:
        raise Misfit(first, "ORDER BY and LIMIT stand inside the subquery", "write them behind it, or leave them out")
    if statement.bounds_share is not None or any(getattr(statement.caps, cap) for cap in ("rows", "groups", "rows_per_group")):
        raise Misfit(first, "PER UNIT and BOUNDS SHARE stand inside the subquery", "leave out PER UNIT: no row is left out here")
    if not statement.group:
        raise Misfit(first, "a subquery gives one row for each unit, and this one does not", f"write GROUP BY {name_text(unit)}")


def _keys(statement: Statement, names: Names, unit: str) -> tuple[str, ...]:
    """The columns beside the unit that the subquery is grouped by."""
    values = [item.value for item in statement.items]
    named = {item.alias.casefold(): item.value for item in statement.items if item.alias is not None}
    group = [_meant(one, values, named) for one in statement.group]
    if not any(_is_unit(one, unit, names) for one in group):
        raise Misfit(group[0], "a subquery gives one row for each unit, and this one does not",
                     f"write GROUP BY {name_text(unit)}, and behind it the other keys")  # fmt: skip
    return tuple(dict.fromkeys(_key(one, names) for one in group if not _is_unit(one, unit, names)))


def _meant(expression: Expression, values: list[Expression], named: dict[str, Expression]) -> Expression:
    match expression:
        case Literal(value) if str(value).isdecimal() and 1 <= int(str(value)) <= len(values):
            return values[int(str(value)) - 1]
        case Column(name, None):
            return named.get(name.casefold(), expression)
        case _:
            return expression


def _is_unit(expression: Expression, unit: str, names: Names) -> bool:
    """Whether this is the column that tells units apart, by its name: it is never read as a declared column."""
    if not isinstance(expression, Column) or expression.name.casefold() != unit.casefold():
        return False
    return expression.table is None or names.tables.called.get(expression.table.casefold()) == ""


def _key(expression: Expression, names: Names) -> str:
    found = row(expression, names) if isinstance(expression, Column) else None
    column = names.tables.facts.column(found.name) if isinstance(found, Column) and found.table is None else None
    if column is None:
        raise Misfit(expression, "beside the unit a subquery is grouped by columns of the table", "name a column by itself")
    if not column.per_unit and not _has_cells(column):
        raise Misfit(expression, f"the values of {short(column.name)} are not public, and may differ between the rows of a unit",
                     "declare its values or its bounds; or leave it out here, where WHERE and FILTER may test it")  # fmt: skip
    return column.name


def _has_cells(column: AnyColumn) -> bool:
    """Whether it is public which values there are: a unit that has too many of them keeps some, by a rule about all of them."""
    return isinstance(column, Category | Boolean) or (isinstance(column, Integer) and None not in (column.lower, column.upper))


def _is_constant(name: str, facts: Facts) -> bool:
    column = facts.column(name)
    return column is not None and column.per_unit


def _output_name(item: Item) -> str:
    if item.alias is None and not isinstance(item.value, Column):
        raise Misfit(item.value, "this value has no name for the question around it", "write AS s behind it")
    return item.alias or default_name(item.value, ())


@dataclass(frozen=True, slots=True)
class _Values:
    """Outputs of a subquery over the columns of the table that it makes."""

    names: Names
    keys: tuple[str, ...]

    def of(self, expression: Expression) -> Expression:
        match expression:
            case Aggregate():
                new: Expression = Column(value_name(_value_of(expression, self.names)))
            case Column():
                new = self._key(expression)
            case _:
                new = rebuilt(expression, tuple(map(self.of, parts(expression))))
        return self.names.places.moved(expression, new)

    def _key(self, expression: Column) -> Expression:
        found = row(expression, self.names)
        if not isinstance(found, Column) or found.name not in self.keys:
            raise Misfit(expression, f"column {short(expression.name)} is not a key of the subquery",
                         "aggregate it, or put it in GROUP BY behind the unit")  # fmt: skip
        return found


def _value_of(expression: Aggregate, names: Names) -> Aggregate:
    """A value as it is named: checked for its kinds of values, and in its one form."""
    found = rebuilt(expression, tuple(row(part, names) for part in parts(expression)))
    names.places.moved(expression, found)
    value = normal_expression(fitted(found, Context(names.facts, (), names.places))[0])
    assert isinstance(value, Aggregate)
    names.places.moved(expression, value)
    return value


# ---- around it


def around(statement: Statement, inside: Inside, places: Places) -> Statement:
    """The statement around a subquery, over the columns of the table that that makes. Raises Misfit."""
    read = _Renamed(inside, places)
    called = frozenset(item.alias.casefold() for item in statement.items if item.alias is not None)
    later = replace(read, own=called)
    return replace(
        statement,
        items=tuple(Item(read.of(item.value), name) for item, name in _named(statement.items)),
        where=None if statement.where is None else read.of(statement.where),
        group=tuple(replace(read, fallback=called).of(one) for one in statement.group),
        having=None if statement.having is None else later.of(statement.having),
        order=tuple(Sorting(later.of(one.by), one.descending) for one in statement.order),
    )


def _named(items: Sequence[Item]) -> Iterable[tuple[Item, str]]:
    """Every output with its name, which is by what it is called inside where nobody says another."""
    taken = [item.alias for item in items if item.alias is not None]
    for item in items:
        name = item.alias or unlike(default_name(item.value, ()), taken)
        taken.append(name)
        yield item, name


@dataclass(frozen=True, slots=True)
class _Renamed:
    """Names around a subquery as columns of the table that it makes; ``own`` names of outputs come first, ``fallback`` last."""

    inside: Inside
    places: Places
    own: frozenset[str] = frozenset()
    fallback: frozenset[str] = frozenset()

    def of(self, expression: Expression) -> Expression:
        if isinstance(expression, Column):
            new = self._column(expression)
        else:
            inner = replace(self, own=frozenset(), fallback=frozenset()) if isinstance(expression, Aggregate) else self
            new = rebuilt(expression, tuple(map(inner.of, parts(expression))))
        return self.places.moved(expression, new)

    def _column(self, written: Column) -> Expression:
        name = written.name.casefold()
        found = self.inside.outputs.get(name)
        if written.table is None and (name in self.own or (found is None and name in self.fallback)):
            return written
        if found is None:
            known = ", ".join(map(name_text, self.inside.outputs))
            raise Misfit(written, f"the subquery has no column {short(written.name)}", f"there are: {known}")
        if isinstance(found, Column) and found.name.casefold() == self.inside.per_unit.unit.casefold():
            if self.inside.per_unit.moving:
                said, hint = "may have several rows of the subquery", "count units in a question about the table itself"
            else:
                said, hint = "each row of the subquery is one", "write COUNT(*)"
            raise Misfit(written, f"{short(written.name)} is the unit, and {said}", hint)
        return Column(found.name) if isinstance(found, Column) else found  # its own place is here
