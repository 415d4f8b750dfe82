"""Names → what they stand for: declared columns in row expressions; keys, aliases and aggregates in released ones."""

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import assert_never

from discreet.facts.model import ByColumn, Category, Facts
from discreet.questions.algebra import (
    Aggregate,
    Apply,
    Bin,
    Case,
    Cast,
    Column,
    DatePart,
    DateTrunc,
    Expression,
    In,
    KeyOf,
    Like,
    Literal,
    Order,
    Output,
    Overall,
    Power,
    Question,
    Substring,
)
from discreet.questions.caps import counts_units
from discreet.questions.functions import ROWS_ALONE, unwanted_by
from discreet.questions.joins import Tables
from discreet.questions.naming import default_name, unlike
from discreet.questions.normal import normal_expression
from discreet.questions.places import Misfit, Places, short
from discreet.questions.statement import Item, Statement
from discreet.questions.text import column_text, name_text, to_text
from discreet.questions.types import Context, fitted
from discreet.questions.walk import every, parts, rebuilt

__all__ = ["Names", "afterwards", "as_key", "question_of", "row"]


@dataclass(frozen=True, slots=True)
class Names:
    """What names can stand for, and where expressions stand."""

    tables: Tables
    facts: Facts  # as the question sees them
    places: Places


def question_of(statement: Statement, names: Names) -> Question:
    """The question that the statement asks. Raises Misfit."""
    keys = _keys(statement, names)
    values = [_Released(names, keys).of(item.value) for item in statement.items]
    later = _Released(names, keys, _aliases(statement.items, values), values)
    having = replace(later, conditions=True)
    return Question(
        table=names.facts.name,
        outputs=_outputs(statement.items, values, keys),
        where=None if statement.where is None else row(statement.where, names),
        keys=keys,
        having=None if statement.having is None else having.of(statement.having),
        order=tuple(Order(later.ordered(one.by), one.descending) for one in statement.order),
        limit=statement.limit,
        caps=statement.caps,
        joins=names.tables.joins,
        bounds_share=statement.bounds_share,
    )


def afterwards(question: Question, names: Names, *, conditions: bool = False) -> "_Released":
    """What reads HAVING and ORDER BY of a question that is there already: by its keys, and by the names of its outputs."""
    outputs = {output.name: output.value for output in question.outputs}
    return _Released(names, question.keys, outputs, list(outputs.values()), conditions)


# ---- rows


def row(expression: Expression, names: Names) -> Expression:
    """The expression over the columns of a row."""
    match expression:
        case Column():
            new: Expression = _declared(expression, names)
        case Aggregate() | Overall():
            raise Misfit(
                expression, "an aggregate stands where a row's values do", "aggregates go in SELECT, HAVING and ORDER BY"
            )
        case Literal() | Apply() | In() | Like() | Case() | DatePart() | Bin() | KeyOf():
            new = rebuilt(expression, tuple(row(part, names) for part in parts(expression)))
        case DateTrunc() | Cast() | Substring() | Power():
            new = rebuilt(expression, tuple(row(part, names) for part in parts(expression)))
        case _:
            assert_never(expression)
    return names.places.moved(expression, new)


def _declared(expression: Column, names: Names) -> Column:
    column, name = names.tables.find(expression), expression.name
    if column is not None:
        return column
    if (known_as := _known_as(expression, names)) is not None:
        raise Misfit(expression, *known_as)
    written = names.tables.all_names()
    known = {one.casefold(): text for one, text in zip((column.name for column in names.facts.columns), written, strict=True)}
    near = [known[one] for one in get_close_matches(name.casefold(), known, n=3, cutoff=0.6)]
    some = ", ".join(written[:12]) + (", …" if len(written) > 12 else "")
    raise Misfit(
        expression, f"column {short(name)} is not declared", f"write {' or '.join(near)}" if near else f"there are: {some}"
    )


def _counted(unit: str) -> str:
    """What can be asked about single units."""
    name = name_text(unit)
    each = f"FROM (SELECT {name}, SUM(x) AS s FROM … GROUP BY {name})"
    return f"it can only be counted: COUNT(DISTINCT {name}); what each comes to is asked about as a table: {each}"


def _known_as(written: Column, names: Names) -> tuple[str, str] | None:
    """What a name that is no column's is in the facts, and what to write then: the unit, a value, a column to be joined."""
    name, facts = written.name, names.tables.facts
    if written.table is not None and names.tables.called.get(written.table.casefold()) != "":
        return None
    if isinstance(facts.unit, ByColumn) and facts.unit.column.casefold() == name.casefold():
        return f"{short(name)} is the unit", _counted(facts.unit.column)
    missing = f"column {short(name)} is not declared"
    for column in names.facts.columns:
        values = [value for value in column.values if isinstance(value, str)] if isinstance(column, Category) else []
        if (value := next((one for one in values if one.casefold() == name.casefold()), None)) is not None:
            return missing, f"for the value of {short(column.name)} write {to_text(Literal(value))} in single quotes"
    if (lookup := names.tables.lookup_of(name)) is not None:
        ours, theirs = name_text(facts.name), name_text(lookup.name)
        on = f"{ours}.{name_text(lookup.column)} = {theirs}.{name_text(lookup.match)}"
        return missing, f"it is in {lookup.name}: write FROM {ours} JOIN {theirs} ON {on}"
    return None


# ---- keys


def _keys(statement: Statement, names: Names) -> tuple[Expression, ...]:
    values = [item.value for item in statement.items]
    found = [_key(_ordinal(one, values) or _aliased(one, statement.items, names), names) for one in statement.group]
    return tuple(dict.fromkeys(found))


def _key(expression: Expression, names: Names) -> Expression:
    if _aggregates(expression):
        raise Misfit(expression, "an aggregate cannot be a key", "GROUP BY columns, BIN(x, width) or date parts")
    key = row(expression, names)
    return names.places.moved(key, as_key(key))


def as_key(expression: Expression) -> Expression:
    """The normal form of a key; FLOOR(x) is the bin of width 1 that it is."""
    match normal_expression(expression):
        case Apply("floor", (of,)):
            return Bin(of, Fraction(1), Fraction(0))
        case key:
            return key


def _ordinal(expression: Expression, values: list[Expression]) -> Expression | None:
    """The output that a bare whole number stands for."""
    if not isinstance(expression, Literal) or not isinstance(expression.value, Fraction):
        return None
    place = expression.value
    if place.denominator != 1 or not 1 <= place <= len(values):
        raise Misfit(expression, f"there is no output {short(str(place))}", f"write a number from 1 to {len(values)}, or a name")
    return values[int(place) - 1]


def _aliased(expression: Expression, items: tuple[Item, ...], names: Names) -> Expression:
    """What a name in GROUP BY stands for: a declared column, or else the output of that name."""
    if not isinstance(expression, Column) or expression.table is not None:
        return expression
    found = _find(expression.name, {item.alias: item.value for item in items if item.alias is not None})
    column = None if found is None else names.tables.find(expression)
    if found is None or column is None:
        return expression if found is None else found
    if (isinstance(found, Column) and names.tables.find(found) == column) or _aggregates(found):
        return expression
    message = f"{short(expression.name)} is a declared column and the name of another output"
    raise Misfit(expression, message, "give the output another name")


def _find(name: str, known: dict[str, Expression]) -> Expression | None:
    """By exact spelling first, then in whatever case."""
    folded = {one.casefold(): value for one, value in known.items()}
    return known.get(name) or folded.get(name.casefold())


def _aggregates(expression: Expression) -> bool:
    return any(isinstance(one, Aggregate) for one in every(expression))


# ---- released values


_SIGNS = ("add", "subtract", "multiply", "divide", "remainder", "negate")
_FUNCTIONS = ("abs", "floor", "ceil", "round", "least", "greatest", "coalesce", "clamp")


@dataclass(frozen=True, slots=True)
class _Released:
    """Reads expressions over keys, aggregates and constants; in HAVING and ORDER BY also over the names of outputs."""

    names: Names
    keys: tuple[Expression, ...]
    aliases: dict[str, Expression] = field(default_factory=dict)
    values: list[Expression] = field(default_factory=list)  # of the outputs, by their place
    conditions: bool = False

    def of(self, expression: Expression) -> Expression:
        """The expression over released values. Raises Misfit."""
        key = self._key(expression)
        new = self._computed(expression) if key is None else key
        return self.names.places.moved(expression, new)

    def ordered(self, by: Expression) -> Expression:
        """What an item of ORDER BY stands for, a bare number for the output at that place. Raises Misfit."""
        return _ordinal(by, self.values) or self.of(by)

    def _computed(self, expression: Expression) -> Expression:
        match expression:
            case Column(name):
                return self._output(expression, name)
            case Aggregate():
                counted = expression if self._is_of_lookup(expression.of) else counts_units(expression, self.names.facts)
                return rebuilt(counted, tuple(row(part, self.names) for part in parts(counted)))
            case Overall(of):
                return Overall(self.of(of))
            case Literal() | KeyOf():
                return expression
            case Bin() | DatePart() | DateTrunc() | Substring() | Power():
                raise self._no_key(expression)
            case Cast(of):
                return self._number(expression, self.of(of))
            case Apply() | In() | Like() | Case():
                if not self.conditions and self._is_of_rows(expression):
                    raise self._no_key(expression)
                if not self._is_allowed(expression):
                    raise Misfit(expression, "only arithmetic is done with released values here", _instead(expression))
                return rebuilt(expression, tuple(map(self._inside(expression).of, parts(expression))))
            case _:
                assert_never(expression)

    def _is_of_rows(self, expression: Expression) -> bool:
        """Whether it is worked out from a column that is no key, and from nothing that is released."""
        columns = [one for one in every(expression) if isinstance(one, Column) and _find(one.name, self.aliases) is None]
        declared = [self.names.tables.find(one) for one in columns]
        return not _aggregates(expression) and any(one is not None and one not in self.keys for one in declared)

    @staticmethod
    def _no_key(expression: Expression) -> Misfit:
        text = to_text(expression)
        hint = f"rows are never shown: write AVG({text}) or another aggregate; or, for groups, write GROUP BY {text}"
        return Misfit(expression, "this is neither a key nor inside an aggregate", hint)

    def _number(self, expression: Cast, of: Expression) -> Expression:
        """What is released is a number already, to be rounded or not."""
        new, kind = fitted(Cast(of, expression.to), Context(self.names.facts, self.keys))
        if kind != "number" or isinstance(new, Cast):
            raise Misfit(expression, "only numbers are cast after their release", "leave out the CAST")
        return new

    def _is_allowed(self, expression: Apply | In | Like | Case) -> bool:
        if isinstance(expression, Case):
            return unwanted_by(expression) is not None
        return self.conditions or (isinstance(expression, Apply) and expression.operation in (*_SIGNS, *_FUNCTIONS))

    def _inside(self, expression: Expression) -> "_Released":
        return replace(self, conditions=True) if isinstance(expression, Case) else self  # the equality in NULLIF

    def _key(self, expression: Expression) -> KeyOf | None:
        columns = [one for one in every(expression) if isinstance(one, Column)]
        if not columns or _aggregates(expression) or any(self.names.tables.find(one) is None for one in columns):
            return None
        key = as_key(row(expression, self.names))
        return KeyOf(self.keys.index(key)) if key in self.keys else None

    def _output(self, expression: Column, name: str) -> Expression:
        found = None if expression.table is not None else _find(name, self.aliases)
        if found is not None:
            return found
        declared = column_text(_declared(expression, self.names))
        raise Misfit(expression, f"column {short(declared)} is not a key", "aggregate it or put it in GROUP BY")

    def _is_of_lookup(self, of: Expression | None) -> bool:
        return isinstance(of, Column) and bool(of.table and self.names.tables.called.get(of.table.casefold()))


def _instead(expression: Expression) -> str:
    if isinstance(expression, Apply) and expression.operation in ROWS_ALONE:
        return f"work out each row's value inside the aggregate: AVG({expression.operation.upper()}(x))"
    return "conditions belong in WHERE, HAVING or FILTER (WHERE …)"


def _aliases(items: tuple[Item, ...], values: list[Expression]) -> dict[str, Expression]:
    return {item.alias: value for item, value in zip(items, values, strict=True) if item.alias is not None}


def _outputs(items: tuple[Item, ...], values: list[Expression], keys: tuple[Expression, ...]) -> tuple[Output, ...]:
    taken: list[str] = []
    for item in items:
        if item.alias is not None and unlike(item.alias, taken) != item.alias:
            raise Misfit(item.value, f"two outputs are called {short(item.alias)}", "give each output its own name")
        taken += [item.alias] if item.alias is not None else []
    found: list[Output] = []
    for item, value in zip(items, values, strict=True):
        name = item.alias
        if name is None:
            name = unlike(default_name(value, keys), taken)
            taken.append(name)
        found.append(Output(name, value))
    return tuple(found)
