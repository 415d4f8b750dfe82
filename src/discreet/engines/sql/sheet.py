"""A stored table with columns added to it stage by stage, each computed from those before it.

What an expression needs twice becomes a column of its own. SQL text therefore grows with the question, not with 2 to the power
of its depth, and everything that may look like a value is written once.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from discreet.engines.sql.dialect import Dialect, Hook, Tried
from discreet.engines.sql.layout import Layout
from discreet.engines.sql.sizes import fences
from discreet.engines.sql.terms import Term, Types, column, infix

__all__ = ["Sheet"]

_MANY = 24  # stages: far more than questions have that people ask
_NAME = re.compile(r'"(t[0-9]+)"')


@dataclass(frozen=True, slots=True)
class _Stage:
    """What one SELECT adds: computed columns, and tables joined beside the rows."""

    columns: dict[exp.Expr, str] = field(default_factory=dict)
    joins: list[tuple[exp.Expr, exp.Expr]] = field(default_factory=list)


class Sheet:
    """The SELECT under construction for one query."""

    def __init__(self, layout: Layout, dialect: Dialect) -> None:
        self.layout = layout
        self.dialect = dialect if layout.matches == 1 else dialect.for_joined
        self._stages: list[_Stage] = []
        self._names = 0
        self._said: set[str] = set()  # columns of ours that are named around the rows
        self._writing = dialect.generator()

    def named(self, term: Term) -> Term:
        """The same value, short enough to be written more than once."""
        return term if term.is_short else self._column(term, term.sql)

    def operand(self, term: Term, of: Hook) -> Term:
        """The same value, as a hook of the dialect takes what it may write more than once."""
        is_cast = isinstance(term.sql, exp.Cast) and isinstance(term.sql.this, exp.Column)
        return self.named(term) if of in self.dialect.repeats and not is_cast else term

    def tried(self, term: Term, of: Tried, to: Types) -> Term:
        """The value as another type, NULL where that is not possible."""
        x = self.operand(term, "tried")
        return replace(x, sql=self.dialect.tried(x.sql, of, to))

    def member(self, term: Term, values: str | list[exp.Expr]) -> Term:
        """The value if it is one of ``values`` (constants, or the name of a table that has them), else NULL."""
        short = self.named(term)
        stage = self._stage(short.stage)
        alias = f"v{self._new()}"
        found = column("value", alias)
        same = infix(exp.EQ, short.sql, found)
        stage.joins.append((_values(values, alias), same))
        return self._column(short, self.dialect.lettered(found) if term.kind == "text" else found)

    def placed(self, term: Term, values: Mapping[int, exp.Expr]) -> exp.Expr:
        """The place of the value among ``values``, each of which is there once; NULL if it is none of them."""
        short = self.named(term)
        stage = self._stage(short.stage)
        alias = f"v{self._new()}"
        stage.joins.append((_places(values, alias), infix(exp.EQ, short.sql, column("value", alias))))
        return self._column(short, column("place", alias)).sql

    def select(self, *outputs: exp.Expr, where: Sequence[Term] = ()) -> str:
        """A SELECT of ``outputs`` over all stages."""
        shown = ", ".join(map(self.text, outputs))
        return f"SELECT {shown} FROM {self.rows(where)}"

    def rows(self, where: Sequence[Term] = ()) -> str:
        """What comes after FROM: the rows on which all of ``where`` is true, each tested as soon as it can be.

        Stages are put together as text: there may be too many for recursion.
        """
        source = f"{self.layout.relation or self.layout.table} AS s"
        outside = self._said | {name for term in where for name in _names(self._written(term.sql))}
        written = [{name: self._written(sql) for sql, name in stage.columns.items()} for stage in self._stages]
        joined = [
            "".join(f" LEFT JOIN {self._written(table)} ON {self._written(on)}" for table, on in stage.joins)
            for stage in self._stages
        ]
        tests = [self._filter(where, place) for place in range(len(self._stages) + 1)]
        fenced = fences([{**each, "": test} for each, test in zip([*written, {}], tests, strict=True)], self.dialect.most_nodes)
        kept = self._kept([" ".join([*columns.values(), on]) for columns, on in zip(written, joined, strict=True)], outside)
        for place, joins in enumerate(joined):
            added = [f"{sql} AS {name}" for name, sql in written[place].items()]
            left = tests[place]
            source = f"(SELECT * FROM {source}{left}) AS s" if left and joins else f"{source}{left}"
            is_fenced = fenced[place] or (place == len(joined) - 1 and fenced[-1])
            fence = self.dialect.fence if is_fenced else ""
            source = f"(SELECT {', '.join([*kept[place], *added])} FROM {source}{joins}{fence}) AS s"
        return f"{source}{tests[-1]}"

    def _kept(self, texts: Sequence[str], outside: set[str]) -> list[list[str]]:
        """What each stage takes along from the one before it: everything, or, of very many stages, what is named later on.

        PostgreSQL's time to plan grows with the third power of stages that take everything along.
        """
        if self.dialect.most_nodes is None or len(texts) <= _MANY:
            return [["s.*"]] * len(texts)
        fields = [*self.layout.fields.values(), *([] if self.layout.unit is None else [self.layout.unit])]
        names = [name for each in fields for name in (each.name, each.narrow) if name is not None]
        stored = [f's."{name}"' for name in dict.fromkeys(names)]
        needed, found = set(outside), list[list[str]]()
        for stage, text in zip(reversed(self._stages), reversed(texts), strict=True):
            needed -= set(stage.columns.values())
            before = sorted(needed, key=lambda name: int(name[1:]))
            found.append([*stored, *(f's."{name}"' for name in before)])
            needed |= _names(text)
        return found[::-1]

    def _filter(self, where: Sequence[Term], stage: int) -> str:
        tests = [self._written(term.sql) for term in where if term.stage == stage]
        return f" WHERE {' AND '.join(tests)}" if tests else ""

    def text(self, sql: exp.Expr) -> str:
        """The text of a piece of SQL in the engine's dialect, for what stands around the rows: write it before them."""
        found = self._written(sql)
        self._said |= _names(found)
        return found

    def _written(self, sql: exp.Expr) -> str:
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


def _names(text: str) -> set[str]:
    """The columns of ours that a piece of SQL names; one in a constant is taken along for nothing."""
    return set(_NAME.findall(text))
