"""Joins: the words of a question, and the declared tables that they are about.

    FROM people AS p JOIN zips z ON p.zip = z.code LEFT JOIN income USING (decile)

A table is joined by the equality that the facts declare, and by nothing else: what one row can become is then public.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from discreet.errors import QuestionError
from discreet.facts.joins import join_of, joined, qualified
from discreet.facts.model import Companion, Facts, Joinable
from discreet.questions.algebra import Apply, Column, Expression, Join, Question
from discreet.questions.caps import is_per_unit
from discreet.questions.cursor import Cursor
from discreet.questions.grammar import Grammar
from discreet.questions.per_unit import unit_facts
from discreet.questions.places import Misfit, short
from discreet.questions.text import column_text, name_text
from discreet.questions.tokens import Token

__all__ = ["Joining", "Tables", "beside", "facts_seen", "fitted_joins", "join_called", "parse_joins", "tables_of"]

_OTHERS = ("CROSS", "FULL", "NATURAL", "RIGHT")
_SOME = 5
_DECLARED = '[join.zips] with source = "zips.csv" and key = { zip = "code" }, its columns below it'
_EXAMPLE = "FROM t JOIN zips ON t.zip = zips.code, a lookup and its key as the facts declare them"


# ---- words


@dataclass(frozen=True, slots=True)
class Joining:
    """One JOIN as it was written: ``on`` a condition, or ``using`` a column, or by mistake neither."""

    table: Token
    alias: Token | None
    outer: bool
    on: Expression | None
    using: Token | None


def parse_joins(grammar: Grammar) -> tuple[Joining, ...]:
    """The joins that come next."""
    cursor, found = grammar.cursor, list[Joining]()
    while True:
        token = cursor.token
        if token.key == "," or token.key in _OTHERS:
            said = "tables side by side" if token.key == "," else f"{token.key} joins"
            raise cursor.refused(token, f"{said} are not in the language", f"write JOIN or LEFT JOIN: {_EXAMPLE}")
        if token.key == "LEFT":
            cursor.take()
            cursor.take_if("OUTER")
            cursor.expect("JOIN")
        elif token.key == "INNER":
            cursor.take()
            cursor.expect("JOIN")
        elif not cursor.take_if("JOIN"):
            return tuple(found)
        found.append(_joining(grammar, cursor, outer=token.key == "LEFT"))


def _joining(grammar: Grammar, cursor: Cursor, *, outer: bool) -> Joining:
    if cursor.token.key == "(":
        raise cursor.refused(cursor.token, "subqueries are not joined", f"name a declared lookup: {_EXAMPLE}")
    table = cursor.name("a table")
    if cursor.token.key in ("(", "."):
        raise cursor.refused(table, f"{table} is not joined by a plain name", f"name a declared lookup: {_EXAMPLE}")
    alias = cursor.name("a name") if cursor.take_if("AS") or (cursor.is_name() and not is_per_unit(cursor)) else None
    if cursor.take_if("ON"):
        return Joining(table, alias, outer, grammar.whole(), None)
    if cursor.take_if("USING"):
        cursor.expect("(")
        column = cursor.name("a column")
        if cursor.token.key == ",":
            raise cursor.refused(cursor.token, "a join has one pair of columns", "write USING with the declared key alone")
        cursor.expect(")")
        return Joining(table, alias, outer, None, column)
    return Joining(table, alias, outer, None, None)  # refused with its declared key, once the facts are at hand


# ---- names


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a question: ``facts`` are the table's own, ``called`` says what each name before a dot stands for.

    There the empty text is the table itself, any other the declared name of a joined one.
    """

    facts: Facts
    joins: tuple[Join, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)

    @property
    def seen(self) -> Facts:
        """The facts with the columns of the joined tables."""
        return joined(self.facts, (join.table for join in self.joins))

    def find(self, written: Column) -> Column | None:
        """The column that is meant; None if there is none of that name. Raises Misfit if there are several."""
        of = None if written.table is None else self.called.get(written.table.casefold())
        ours = self.facts.column(written.name) if of in (None, "") else None
        found = [] if ours is None else [Column(ours.name)]
        for join in self.joins:
            if of not in (None, join.table):
                continue
            column = _of_lookup(join_of(self.facts, join.table), written.name)
            is_same = ours is not None and (join.column, join.match) == (ours.name, column)  # the key: both sides are equal
            if column is not None and not is_same:
                found.append(Column(qualified(join.table, column), join.table))
        if len(found) > 1:
            several = " or ".join(column_text(each if each.table else Column(each.name, self.facts.name)) for each in found)
            raise Misfit(written, f"column {short(written.name)} is in several tables", f"write {several}")
        return found[0] if found else None

    def lookup_of(self, name: str) -> Joinable | None:
        """A declared table that has a column of this name and is not joined yet."""
        others = (join for join in self.facts.joins if all(join.name != each.table for each in self.joins))
        return next((join for join in others if _of_lookup(join, name) is not None), None)

    def all_names(self) -> list[str]:
        """Every column as it may be written."""
        return [column_text(Column(column.name, _table_of(column.name, self.joins))) for column in self.seen.columns]


def _table_of(name: str, joins: Iterable[Join]) -> str | None:
    return next((join.table for join in joins if name.startswith(f"{join.table}.")), None)


def _of_lookup(join: Joinable | None, name: str) -> str | None:
    names = [] if join is None else [column.name for column in join.columns]
    if name in names:
        return name
    folded = [one for one in names if one.casefold() == name.casefold()]
    return folded[0] if len(folded) == 1 else None


def tables_of(grammar: Grammar, facts: Facts, alias: Token | None, joinings: Iterable[Joining]) -> Tables:
    """The tables that a statement names, every join found to be by its declared key. Raises QuestionError."""
    called = {(facts.name if alias is None else alias.text).casefold(): ""}
    joins: list[Join] = []
    for joining in joinings:
        join = _declared(grammar.cursor, joining, facts)
        name = joining.alias or joining.table
        if name.text.casefold() in called or any(each.table == join.name for each in joins):
            raise grammar.cursor.refused(name, f"{name} is joined already", "join every lookup once, under a name of its own")
        called[name.text.casefold()] = join.name
        _check_key(grammar, joining, join, called)
        joins.append(Join(join.name, join.column, join.match, joining.outer))
    return Tables(facts, tuple(joins), called)


def _declared(cursor: Cursor, joining: Joining, facts: Facts) -> Joinable:
    table = joining.table
    if (join := join_of(facts, table.text)) is not None:
        return join
    if table.text.casefold() == facts.name.casefold():
        raise cursor.refused(table, "a table is not joined with itself", "pairs of its rows are about two units at once")
    raise cursor.refused(table, f"there is no lookup {table} in the facts", _known(facts))


def _known(facts: Facts) -> str:
    said = [f"JOIN {name_text(join.name)} ON {name_text(facts.name)}.{name_text(join.column)} = "
            f"{name_text(join.name)}.{name_text(join.match)}" for join in facts.joins]  # fmt: skip
    return f"write {', or '.join(said[:_SOME])}" if said else f"the data holder declares public tables in the facts: {_DECLARED}"


def _check_key(grammar: Grammar, joining: Joining, join: Joinable, called: Mapping[str, str]) -> None:
    """Refuses every other condition than the declared equality."""
    cursor = grammar.cursor
    ours = name_text(next(name for name, of in called.items() if not of))
    theirs = name_text((joining.alias or joining.table).text)
    hint = f"write ON {ours}.{name_text(join.column)} = {theirs}.{name_text(join.match)}, the key in the facts"
    what = f"{join.name} is joined by its declared key only"
    if joining.using is None and joining.on is None:
        raise cursor.refused(joining.table, f"how {join.name} is joined is missing", hint)
    if joining.using is not None:
        name = joining.using.text.casefold()
        if not name == join.column.casefold() == join.match.casefold():
            raise cursor.refused(joining.using, what, hint)
        return
    match joining.on:
        case Apply("equal", (Column() as one, Column() as other)):
            for qualifier in (one.table, other.table):
                if qualifier is not None and qualifier.casefold() not in called:
                    raise cursor.refused(joining.table, f"there is no table {short(qualifier)} here", hint)
            if _is_pair(one, other, join, called) or _is_pair(other, one, join, called):
                return
        case _:
            pass
    raise cursor.refused(joining.table, what, hint)


def _is_pair(one: Column, other: Column, join: Joinable, called: Mapping[str, str]) -> bool:
    """Whether ``one`` is the key in the table and ``other`` that in the lookup."""
    if one.table is None and other.table is None and join.column.casefold() == join.match.casefold():
        return False  # zip = zip may mean anything
    mine = one.table is None or called.get(one.table.casefold()) == ""
    its = other.table is None or called.get(other.table.casefold()) == join.name
    same = (one.name.casefold(), other.name.casefold()) == (join.column.casefold(), join.match.casefold())
    return mine and its and same


# ---- questions


def join_called(name: object, facts: Facts, *, outer: bool = False) -> Join:
    """The declared join of this name. Raises QuestionError."""
    found = join_of(facts, name) if isinstance(name, str) else None
    if found is None:
        said = short(name) if isinstance(name, str) else f"a {type(name).__name__}"
        raise QuestionError(f"there is no lookup {said} in the facts", hint=_known(facts))
    return Join(found.name, found.column, found.match, outer)


def fitted_joins(joins: tuple[Join, ...], facts: Facts) -> tuple[Join, ...]:
    """The joins in one order, each found to be declared. Raises Misfit."""
    order = {join.name: place for place, join in enumerate(facts.joins)}
    for join in joins:
        found = join_of(facts, join.table)
        if found is None or found.name != join.table:
            raise Misfit(None, f"there is no lookup {short(join.table)} in the facts", _known(facts))
        if (found.column, found.match) != (join.column, join.match):
            hint = f"join on {found.column} = {found.match}"
            raise Misfit(None, f"{join.table} is joined by its declared key only", hint)
    if len({join.table for join in joins}) < len(joins):
        raise Misfit(None, "the same lookup is joined twice", "join every lookup once")
    return tuple(sorted(joins, key=lambda join: order[join.table]))


def facts_seen(question: Question, facts: Facts) -> Facts:
    """The facts as the question sees them."""
    if question.per_unit is not None:
        return unit_facts(question.per_unit, facts)
    return joined(facts, (join.table for join in question.joins))


def beside(question: Question, facts: Facts) -> tuple[tuple[str, str], ...]:
    """The other confidential tables that the question reads, and their versions."""
    found = [join_of(facts, join.table) for join in question.joins]
    return tuple((each.name, each.facts.version) for each in found if isinstance(each, Companion))
