"""SQL → Question: exactly one SELECT over the one table and its lookups, in a language that is closed and total.

Whatever the grammar has no place for is refused with its place in the text and the nearest thing that works. The reader is
our own, because the limits are promises: 64 KiB, 100 deep, 10 000 parts, whatever the stack that we are called on.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from discreet.errors import QuestionError
from discreet.facts.model import Facts
from discreet.questions.algebra import Expression, Join, Order, Question
from discreet.questions.check import checked_condition, checked_key, fitted_per_unit, fitted_question
from discreet.questions.cursor import Cursor
from discreet.questions.grammar import Grammar
from discreet.questions.joins import Tables, tables_of
from discreet.questions.normal import normal_expression
from discreet.questions.per_unit import unit_facts
from discreet.questions.places import Misfit, Places, Source
from discreet.questions.resolve import Names, afterwards, as_key, question_of, row
from discreet.questions.statement import Statement, parse_sorting, parse_statement
from discreet.questions.text import name_text
from discreet.questions.types import Context, fitted
from discreet.questions.unbounded import with_share
from discreet.questions.within_units import around, unit_rows
from discreet.remedies import reworded

__all__ = ["read_condition", "read_having", "read_key", "read_order", "read_sql", "read_value"]


def read_sql(text: str, facts: Facts, *, bounds_share: Fraction | None = None) -> Question:
    """The question that the text asks, checked against the facts and in its one form. Raises QuestionError.

    ``bounds_share`` is said in place of what the text says.
    """
    with _reading(_text(text, "a question", "'SELECT COUNT(*) FROM t'")) as grammar:
        statement = parse_statement(grammar)
        if statement.inner is None:
            asked = question_of(statement, _names(grammar, _tables(statement, grammar, facts)))
        else:
            asked = _around(statement, statement.inner, grammar, facts)
        return fitted_question(with_share(asked, bounds_share), facts, grammar.places)


def _around(statement: Statement, inner: Statement, grammar: Grammar, facts: Facts) -> Question:
    """The question that is asked of a subquery."""
    if statement.joins:
        raise grammar.cursor.refused(statement.joins[0].table, "a subquery is joined with nothing", "write the JOIN inside of it")
    alias = [] if statement.alias is None else [statement.alias.text]
    _check_qualifiers(grammar, alias)
    grammar.qualifiers = list(inner.qualifiers)
    inside = unit_rows(inner, _names(grammar, _tables(inner, grammar, facts)))
    per_unit = fitted_per_unit(inside.per_unit, facts, grammar.places)
    grammar.places.called = inside.called
    tables = Tables(unit_facts(per_unit, facts), (), {name.casefold(): "" for name in alias})
    asked = question_of(around(statement, inside, grammar.places), _names(grammar, tables))
    return replace(asked, per_unit=per_unit)


def read_condition(text: str, facts: Facts, joins: tuple[Join, ...] = ()) -> Expression:
    """A condition on rows, such as ``Age >= 40``. Raises QuestionError."""
    with _reading(_text(text, "a condition", "'Age >= 40'")) as grammar:
        found, seen = _row(grammar, facts, joins)
        return normal_expression(checked_condition(found, seen, grammar.places))


def read_key(text: str, facts: Facts, joins: tuple[Join, ...] = ()) -> Expression:
    """A key, such as ``Race`` or ``BIN(Age, 10)``. The name of a column need not be quoted. Raises QuestionError."""
    with _reading(_quoted(_text(text, "a key", "'Race' or dc.bin('Age', 10)"), facts)) as grammar:
        found, seen = _row(grammar, facts, joins)
        return checked_key(grammar.places.moved(found, as_key(found)), seen, grammar.places)


def read_value(text: str, facts: Facts, joins: tuple[Join, ...] = ()) -> Expression:
    """A value of a row, such as ``Age`` or ``Income / 1000``. The name of a column need not be quoted. Raises QuestionError."""
    with _reading(_quoted(_text(text, "a number", "'Age' or 'Income / 1000'"), facts)) as grammar:
        found, seen = _row(grammar, facts, joins)
        return normal_expression(fitted(found, Context(seen, (), grammar.places))[0])


def read_having(text: str, question: Question, facts: Facts) -> Expression:
    """A condition on the released values of ``question``, such as ``n > 100``. Raises QuestionError."""
    with _reading(_text(text, "a condition", "'n > 100'")) as grammar:
        found = grammar.whole()
        _check_end(grammar)
        return afterwards(question, _names_in(grammar, facts, question.joins), conditions=True).of(found)


def read_order(text: str, question: Question, facts: Facts) -> Order:
    """A released value of ``question`` to sort by, such as ``n DESC``, or the name of an output. Raises QuestionError."""
    named = any(output.name == text for output in question.outputs)
    with _reading(name_text(text) if named else _text(text, "an order", "'n DESC'")) as grammar:
        found = parse_sorting(grammar)
        _check_end(grammar)
        by = afterwards(question, _names_in(grammar, facts, question.joins)).ordered(found.by)
        return Order(by, found.descending)


@contextmanager
def _reading(text: str) -> Iterator[Grammar]:
    source, places = Source(text), Places()
    try:
        yield Grammar(Cursor(source), places)
    except Misfit as wrong:
        hint = reworded(wrong.hint, places.as_called)
        raise source.refused(places.of(wrong.expression) or 0, places.as_called(wrong.message), hint) from None


def _text(given: object, what: str, example: str) -> str:
    """SQL must be text: functions and series of Python would have to read rows."""
    if not isinstance(given, str):
        raise QuestionError(f"{what} is text in SQL, not a {type(given).__name__}", hint=f"write {example}")
    return given


def _quoted(text: str, facts: Facts) -> str:
    return name_text(text) if any(column.name == text for column in facts.columns) else text


def _names(grammar: Grammar, tables: Tables) -> Names:
    return Names(tables, tables.seen, grammar.places)


def _row(grammar: Grammar, facts: Facts, joins: tuple[Join, ...]) -> tuple[Expression, Facts]:
    """The one row expression that the text is, and the facts that it is about."""
    found = grammar.whole()
    _check_end(grammar)
    names = _names_in(grammar, facts, joins)
    return row(found, names), names.facts


def _names_in(grammar: Grammar, facts: Facts, joins: tuple[Join, ...]) -> Names:
    called = {facts.name.casefold(): "", **{join.table.casefold(): join.table for join in joins}}
    _check_qualifiers(grammar, [facts.name, *(join.table for join in joins)])
    return _names(grammar, Tables(facts, joins, called))


def _check_end(grammar: Grammar) -> None:
    if grammar.cursor.token.kind != "end":
        raise grammar.cursor.unexpected("the end")


def _tables(statement: Statement, grammar: Grammar, facts: Facts) -> Tables:
    table, alias = statement.table, statement.alias
    if table.text.casefold() != facts.name.casefold():
        raise grammar.cursor.refused(table, f"there is no table {table} here", f"write FROM {name_text(facts.name)}")
    tables = tables_of(grammar, facts, alias, statement.joins)
    joined = [(joining.alias or joining.table).text for joining in statement.joins]
    _check_qualifiers(grammar, [facts.name if alias is None else alias.text, *joined])
    return tables


def _check_qualifiers(grammar: Grammar, known: Sequence[str]) -> None:
    for qualifier in grammar.qualifiers:
        if qualifier.text.casefold() not in {name.casefold() for name in known}:
            hint = f"write {' or '.join(map(name_text, known))}, or leave it out" if known else "leave it out"
            raise grammar.cursor.refused(qualifier, f"there is no table {qualifier} here", hint)
