"""SQL → Question: exactly one SELECT over the one table, in a language that is closed and total.

Whatever the grammar has no place for is refused with its place in the text and the nearest thing that works. The reader is
our own, because the limits are promises: 64 KiB, 100 deep, 10 000 parts, whatever the stack that we are called on.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from discreet.facts.model import Facts
from discreet.questions.algebra import Expression, Question
from discreet.questions.check import checked_condition, checked_key, fitted_question
from discreet.questions.cursor import Cursor
from discreet.questions.grammar import Grammar
from discreet.questions.normal import normal_expression
from discreet.questions.places import Misfit, Places, Source
from discreet.questions.resolve import Names, as_key, question_of, row
from discreet.questions.statement import Statement, parse_statement
from discreet.questions.types import Within, fitted
from discreet.questions.words import name_text

__all__ = ["read_condition", "read_key", "read_sql", "read_value"]


def read_sql(text: str, facts: Facts) -> Question:
    """The question that the text asks, checked against the facts and in its one form. Raises QuestionError."""
    with _reading(text) as grammar:
        statement = parse_statement(grammar)
        _check_names(statement, grammar, facts)
        return fitted_question(question_of(statement, _names(grammar, facts)), facts, grammar.places)


def read_condition(text: str, facts: Facts) -> Expression:
    """A condition on rows, such as ``Age >= 40``. Raises QuestionError."""
    with _reading(text) as grammar:
        return normal_expression(checked_condition(_row(grammar, facts), facts, grammar.places))


def read_key(text: str, facts: Facts) -> Expression:
    """A key, such as ``Race`` or ``BIN(Age, 10)``. The name of a column need not be quoted. Raises QuestionError."""
    with _reading(_quoted(text, facts)) as grammar:
        found = _row(grammar, facts)
        return checked_key(grammar.places.moved(found, as_key(found)), facts, grammar.places)


def read_value(text: str, facts: Facts) -> Expression:
    """A value of a row, such as ``Age`` or ``Income / 1000``. The name of a column need not be quoted. Raises QuestionError."""
    with _reading(_quoted(text, facts)) as grammar:
        return normal_expression(fitted(_row(grammar, facts), Within(facts, (), grammar.places))[0])


@contextmanager
def _reading(text: str) -> Iterator[Grammar]:
    source, places = Source(text), Places()
    try:
        yield Grammar(Cursor(source), places)
    except Misfit as wrong:
        raise source.refused(places.of(wrong.expression) or 0, wrong.message, wrong.hint) from None


def _quoted(text: str, facts: Facts) -> str:
    return name_text(text) if any(column.name == text for column in facts.columns) else text


def _names(grammar: Grammar, facts: Facts) -> Names:
    return Names(facts, grammar.places, frozenset(grammar.numbers))


def _row(grammar: Grammar, facts: Facts) -> Expression:
    """The one row expression that the text is."""
    found = grammar.whole()
    if grammar.cursor.token.kind != "end":
        raise grammar.cursor.unexpected("the end")
    _check_qualifiers(grammar, {facts.name})
    return row(found, _names(grammar, facts))


def _check_names(statement: Statement, grammar: Grammar, facts: Facts) -> None:
    table, alias = statement.table, statement.alias
    if table.text.casefold() != facts.name.casefold():
        raise grammar.cursor.refused(table, f"there is no table {table} here", f"write FROM {name_text(facts.name)}")
    _check_qualifiers(grammar, {facts.name if alias is None else alias.text})


def _check_qualifiers(grammar: Grammar, known: set[str]) -> None:
    for qualifier in grammar.qualifiers:
        if qualifier.text.casefold() not in {name.casefold() for name in known}:
            hint = f"write {name_text(next(iter(known)))} or leave it out"
            raise grammar.cursor.refused(qualifier, f"there is no table {qualifier} here", hint)
