"""A stored table with columns added to it stage by stage, each computed from those before it.

What an expression needs twice becomes a column of its own. SQL text therefore grows with the question, not with 2 to the power
of its depth, and everything that may look like a value is written once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from discreet.engines.sql.dialect import Dialect, Tried
from discreet.engines.sql.layout import Layout
from discreet.engines.sql.sizes import fences
from discreet.engines.sql.terms import Term, Types, column, infix

__all__ = ["Sheet"]


@dataclass(frozen=True, slots=True)
class _Stage:
    """What one SELECT adds: computed columns, and tables joined beside the rows."""

    columns: dict[exp.Expr, str] = field(default_factory=dict)
    joins: list[tuple[exp.Expr, exp.Expr]] = field(default_factory=list)


class Sheet:
    """The SELECT under construction for one query."""

    def __init__(self, layout: Layout, dialect: Dialect) -> None:
        self.layout = layout
        self.dialect = dialect
        self._stages: list[_Stage] = []
        self._names = 0
        self._writing = dialect.generator()

    def named(self, term: Term) -> Term:
        """The same value, short enough to be written more than once."""
        return term if term.is_short else self._column(term, term.sql)

    def operand(self, term: Term) -> Term:
        """The same value, as the dialect takes what it may write more than once."""
        is_cast = isinstance(term.sql, exp.Cast) and isinstance(term.sql.this, exp.Column)
        return self.named(term) if self.dialect.repeats and not is_cast else term

    def tried(self, term: Term, of: Tried, to: Types) -> Term:
        """The value as another type, NULL where that is not possible."""
        x = self.operand(term)
        return replace(x, sql=self.dialect.tried(x.sql, of, to))

    def member(self, term: Term, values: str | list[exp.Expr]) -> Term:
        """The value if it is one of ``values`` (constants, or the name of a table that has them), else NULL."""
        short = self.named(term)
        stage = self._stage(short.stage)
        alias = f"v{self._new()}"
        found = column("value", alias)
        same = infix(exp.EQ, short.sql, found)
        stage.joins.append((_values(values, alias), same))
        return self._column(short, found)

    def placed(self, term: Term, values: Mapping[int, exp.Expr]) -> exp.Expr:
        """The place of the value among ``values``, each of which is there once; NULL if it is none of them."""
        short = self.named(term)
        stage = self._stage(short.stage)
        alias = f"v{self._new()}"
        stage.joins.append((_places(values, alias), infix(exp.EQ, short.sql, column("value", alias))))
        return self._column(short, column("place", alias)).sql

    def select(self, *outputs: exp.Expr, where: Sequence[Term] = ()) -> str:
        """A SELECT of ``outputs`` over all stages."""
        return f"SELECT {', '.join(map(self.text, outputs))} FROM {self.rows(where)}"

    def rows(self, where: Sequence[Term] = ()) -> str:
        """What comes after FROM: the rows on which all of ``where`` is true, each tested as soon as it can be.

        Stages are put together as text: there may be too many for recursion.
        """
        source = f"{self.layout.relation or self.layout.table} AS s"
        written = [{name: self.text(sql) for sql, name in stage.columns.items()} for stage in self._stages]
        fenced = fences(written, self.dialect.most_nodes)
        for place, stage in enumerate(self._stages):
            added = [f"{sql} AS {name}" for name, sql in written[place].items()]
            joins = [f" LEFT JOIN {self.text(table)} ON {self.text(on)}" for table, on in stage.joins]
            left = self._filter(where, place)
            source = f"(SELECT * FROM {source}{left}) AS s" if left and joins else f"{source}{left}"
            fence = self.dialect.fence if fenced[place] else ""
            source = f"(SELECT {', '.join(['s.*', *added])} FROM {source}{''.join(joins)}{fence}) AS s"
        return f"{source}{self._filter(where, len(self._stages))}"

    def _filter(self, where: Sequence[Term], stage: int) -> str:
        tests = [self.text(term.sql) for term in where if term.stage == stage]
        return f" WHERE {' AND '.join(tests)}" if tests else ""

    def text(self, sql: exp.Expr) -> str:
        """The text of a piece of SQL in the engine's dialect."""
        return self._writing.generate(sql, copy=False)

    def _column(self, term: Term, sql: exp.Expr) -> Term:
        columns = self._stage(term.stage).columns
        name = columns.get(sql) or f"t{self._new()}"
        columns[sql] = name
        return replace(term, sql=column(name), stage=term.stage + 1)

    def _stage(self, place: int) -> _Stage:
        while len(self._stages) <= place:
            self._stages.append(_Stage())
        return self._stages[place]

    def _new(self) -> int:
        self._names += 1
        return self._names


def _values(values: str | list[exp.Expr], alias: str) -> exp.Expr:
    if isinstance(values, str):
        return exp.alias_(exp.to_table(values), alias, table=True)
    names = exp.TableAlias(this=exp.to_identifier(alias), columns=[exp.to_identifier("value")])
    return exp.Values(expressions=[exp.Tuple(expressions=[value]) for value in values], alias=names)


def _places(values: Mapping[int, exp.Expr], alias: str) -> exp.Expr:
    columns = [exp.to_identifier("value"), exp.to_identifier("place")]
    pairs = [exp.Tuple(expressions=[value, exp.Literal.number(place)]) for place, value in values.items()]
    return exp.Values(expressions=pairs, alias=exp.TableAlias(this=exp.to_identifier(alias), columns=columns))
