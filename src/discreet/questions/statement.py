"""Tokens → one SELECT, clause by clause. Names are not looked up yet."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from discreet.questions.algebra import Aggregate, Caps, Column, Expression
from discreet.questions.caps import is_per_unit, parse_caps
from discreet.questions.cursor import Cursor
from discreet.questions.grammar import Grammar
from discreet.questions.joins import Joining, parse_joins
from discreet.questions.tokens import Token
from discreet.questions.unbounded import is_bounds_share, parse_bounds_share
from discreet.questions.walk import every

__all__ = ["Item", "MOST_IN_LIST", "Sorting", "Statement", "parse_sorting", "parse_statement"]

MOST_IN_LIST = 200  # outputs, keys or ORDER BY

_MOST_IN_NAME = 128

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Item:
    """One column of the answer, and what it is to be called."""

    value: Expression
    alias: str | None


@dataclass(frozen=True, slots=True)
class Sorting:
    """One item of ORDER BY."""

    by: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """One SELECT as it was written; of a subquery, ``inner`` in place of the table that is then only its name."""

    items: tuple[Item, ...]
    table: Token
    alias: Token | None
    joins: tuple[Joining, ...]
    where: Expression | None
    group: tuple[Expression, ...]
    having: Expression | None
    order: tuple[Sorting, ...]
    limit: int | None
    caps: Caps
    bounds_share: Fraction | None = None
    inner: "Statement | None" = None
    qualifiers: tuple[Token, ...] = ()  # of a subquery: the t of t.x in it


def parse_statement(grammar: Grammar) -> Statement:
    """The one SELECT that the text is, with the subquery that it may be about."""
    named = _with(grammar)
    statement = _statement(grammar, named)
    _end(grammar.cursor)
    return statement


def _with(grammar: Grammar) -> tuple[Token, Statement] | None:
    """WITH name AS (SELECT …)."""
    cursor = grammar.cursor
    if not cursor.take_if("WITH"):
        return None
    name = cursor.name("a name")
    cursor.expect("AS")
    inner = _subquery(grammar)
    if cursor.token.key == ",":
        raise cursor.refused(cursor.token, "a second subquery follows", "write one, with all the values that you need")
    return name, inner


def _subquery(grammar: Grammar) -> Statement:
    cursor, around = grammar.cursor, grammar.qualifiers
    cursor.expect("(")
    grammar.qualifiers = []
    inner = replace(_statement(grammar, None, is_inside=True), qualifiers=tuple(grammar.qualifiers))
    grammar.qualifiers = around
    cursor.expect(")")
    return inner


def _statement(grammar: Grammar, named: tuple[Token, Statement] | None, *, is_inside: bool = False) -> Statement:
    cursor = grammar.cursor
    _select(cursor)
    items = _several(grammar, _item)
    inner, table, alias = _from(grammar, named, is_inside=is_inside)
    joins = parse_joins(grammar)
    where = grammar.whole() if cursor.take_if("WHERE") else None
    group = _group(grammar, items)
    having = grammar.whole() if cursor.take_if("HAVING") else None
    order = _order(grammar)
    limit = _limit(cursor)
    caps = parse_caps(cursor)
    bounds_share = parse_bounds_share(cursor)
    return Statement(items, table, alias, joins, where, group, having, order, limit, caps, bounds_share, inner)


def _select(cursor: Cursor) -> None:
    token = cursor.token
    if token.kind == "end":
        raise cursor.refused(token, "the question is empty", "write SELECT COUNT(*) FROM the table")
    if token.key == "WITH":
        raise cursor.unexpected("SELECT")  # a second one
    if token.key != "SELECT":
        raise cursor.refused(token, f"only SELECT is in the language, not {token}", "write SELECT … FROM the table")
    cursor.take()
    if cursor.token.key in ("ALL", "DISTINCT") or (cursor.token.key == "TOP" and cursor.after.kind == "number"):
        raise cursor.unexpected("an expression")


def _several(grammar: Grammar, one: Callable[[Grammar], T]) -> tuple[T, ...]:
    found = [one(grammar)]
    while (comma := grammar.cursor.take_if(",")) is not None:
        if len(found) == MOST_IN_LIST:
            raise grammar.cursor.refused(comma, f"the list has more than {MOST_IN_LIST} items", "ask several questions")
        found.append(one(grammar))
    return tuple(found)


def _item(grammar: Grammar) -> Item:
    cursor = grammar.cursor
    value = grammar.whole()
    if not (cursor.take_if("AS") or cursor.is_name()):
        return Item(value, None)
    token = cursor.name("a name")
    if not token.text.isprintable() or not 0 < len(token.text) <= _MOST_IN_NAME:
        raise cursor.refused(token, "this name cannot be printed", f"write 1 to {_MOST_IN_NAME} printable characters")
    return Item(value, token.text)


def _from(
    grammar: Grammar, named: tuple[Token, Statement] | None, *, is_inside: bool
) -> tuple[Statement | None, Token, Token | None]:
    """The subquery if there is one, the name of the table or the place of the subquery, and the name that it gets."""
    cursor = grammar.cursor
    cursor.expect("FROM")
    if cursor.token.key == "(" and (is_inside or named is not None):
        raise cursor.refused(cursor.token, "a subquery inside another is not in the language", "write FROM the table itself")
    place = cursor.token
    if place.key == "(":
        return _subquery(grammar), place, _alias(cursor)
    table = cursor.name("a table")
    if named is not None and table.text.casefold() != named[0].text.casefold():
        raise cursor.refused(table, f"there is no table {table} behind WITH", f"write FROM {named[0]}")
    if cursor.token.key == "(":
        raise cursor.refused(table, f"{table} is a function, not a table", "write FROM the table itself")
    if cursor.token.key == ".":
        raise cursor.refused(table, "the table has no schema", "write its name alone")
    if named is not None:
        return named[1], table, _alias(cursor) or table
    return None, table, _alias(cursor)


def _alias(cursor: Cursor) -> Token | None:
    return cursor.name("a name") if cursor.take_if("AS") or (cursor.is_name() and not _is_clause(cursor)) else None


def _is_clause(cursor: Cursor) -> bool:
    return is_per_unit(cursor) or is_bounds_share(cursor)


def _group(grammar: Grammar, items: tuple[Item, ...]) -> tuple[Expression, ...]:
    cursor = grammar.cursor
    if not cursor.take_if("GROUP"):
        return ()
    cursor.expect("BY")
    if cursor.take_if("ALL"):  # every output that reads a column and is no statistic
        return tuple(item.value for item in items if _is_plain(item.value))
    return _several(grammar, _key)


def _is_plain(value: Expression) -> bool:
    inside = list(every(value))
    return any(isinstance(one, Column) for one in inside) and not any(isinstance(one, Aggregate) for one in inside)


def _key(grammar: Grammar) -> Expression:
    if grammar.cursor.token.key in ("CUBE", "GROUPING", "ROLLUP") and grammar.cursor.after.key in ("(", "SETS"):
        raise grammar.cursor.unexpected("a key")
    return grammar.whole()


def _order(grammar: Grammar) -> tuple[Sorting, ...]:
    cursor = grammar.cursor
    if not cursor.take_if("ORDER"):
        return ()
    cursor.expect("BY")
    return _several(grammar, parse_sorting)


def parse_sorting(grammar: Grammar) -> Sorting:
    """One item of ORDER BY."""
    by = grammar.whole()
    direction = grammar.cursor.take_if("ASC", "DESC")
    if grammar.cursor.take_if("NULLS") and not grammar.cursor.take_if("FIRST", "LAST"):
        raise grammar.cursor.unexpected("FIRST or LAST")
    return Sorting(by, direction is not None and direction.key == "DESC")


def _limit(cursor: Cursor) -> int | None:
    if not cursor.take_if("LIMIT"):
        return None
    token = cursor.take()
    if token.kind != "number" or not token.text.isdecimal() or not 0 < len(token.text) <= 18 or int(token.text) < 1:
        raise cursor.refused(token, f"expected how many rows to show, found {token}", "write LIMIT 10")
    return int(token.text)


def _end(cursor: Cursor) -> None:
    closed = cursor.take_if(";")
    token = cursor.token
    if token.kind == "end":
        return
    if closed or token.key == "SELECT":
        raise cursor.refused(token, "a second statement follows", "ask one question at a time")
    if token.key in ("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT") or is_per_unit(cursor):
        hint = "the order is WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, PER UNIT, BOUNDS SHARE"
        raise cursor.refused(token, f"{'PER UNIT' if is_per_unit(cursor) else token.key} comes too late", hint)
    raise cursor.unexpected("a comma, an operator, the next clause or the end")
