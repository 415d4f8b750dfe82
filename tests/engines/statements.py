"""Engines without a server: each writes the statements of its dialect, has them checked, and answers as the reference does."""

import re
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

from tests.engines import total
from tests.engines.rules_postgres import POSTGRES as POSTGRES_RULES
from tests.engines.rules_spark import SPARK as SPARK_RULES
from tests.engines.sql_values import Value

from discreet.engines.postgres.beside import Beside
from discreet.engines.postgres.beside import with_settled as settled_in_postgres
from discreet.engines.postgres.catalogue import Table
from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.postgres.stored import Described, layout_of
from discreet.engines.reference.engine import Reference
from discreet.engines.spark.beside import beside_companion, sent_lookups
from discreet.engines.spark.beside import with_settled as settled_in_spark
from discreet.engines.spark.dialect import SPARK
from discreet.engines.spark.engine import Spark
from discreet.engines.spark.stored import selected
from discreet.engines.sql.asking import Asking
from discreet.engines.sql.layout import Layout
from discreet.facts.model import Companion, Source

RULES = {"postgres": POSTGRES_RULES, "spark": SPARK_RULES}
KINDS = {
    "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "float4": "FLOAT", "float8": "DOUBLE", "bool": "BOOLEAN",
    "date": "DATE", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMP", "uuid": "UUID", "numeric": "NUMERIC",
    "tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INTEGER", "bigint": "BIGINT", "float": "FLOAT", "double": "DOUBLE",
    "boolean": "BOOLEAN", "timestamp_ntz": "TIMESTAMP",
}  # fmt: skip
PLACE = Source("postgresql", "postgresql://nowhere", "s.t")


class Record:
    """What could fail, of all statements of one dialect; ``also`` is asked about each of them, and what it gives for columns."""

    def __init__(self, dialect, also=None):
        self.rules, self.also, self.seen, self.problems = RULES[dialect], also, [], []

    @property
    def statements(self):
        return len(self.seen)

    def look_at(self, sql, tables):
        """Check one statement."""
        self.seen.append(sql)
        try:
            columns = total.check(sql, tables, self.rules)
        except total.NotTotal as error:
            self.problems.append((str(error), sql))
            return
        if self.also is not None and (problem := self.also(sql, {name: value.kind for name, value in columns.items()})):
            self.problems.append((problem, sql))


class _Enough(Exception):
    """The statement is written."""


class Written:
    """An engine whose statements are checked, and never run. ``stored`` says what columns are held as, all others are texts."""

    def __init__(self, record, facts, rows, lookups=None, stored=None):
        self._record, self._tables, self._reference = record, {}, Reference(facts, rows, lookups or {})
        self._columns(facts, "t", stored or {})
        for join in facts.joins:
            if isinstance(join, Companion):
                self._columns(join.facts, join.name, {})
        make = self._in_postgres if record.rules.name == "postgres" else self._in_spark
        self._asking = Asking(facts, *make(facts, _framed(facts, lookups or {}), stored or {}), self._fetched)

    def _columns(self, facts, name, stored):
        unit = [facts.unit.column] if hasattr(facts.unit, "column") else []
        names = list(dict.fromkeys([*(column.name for column in facts.columns), *unit]))
        kinds = [(each, stored.get(each, "text" if self._record.rules.name == "postgres" else "string")) for each in names]
        self._tables[name] = {each: self._every(kind) for each, kind in kinds}
        self._tables[f"{name} kinds"] = kinds

    def _every(self, kind):
        rules = self._record.rules
        if digits := re.fullmatch(r"(?:decimal|numeric)\((\d+),(\d+)\)", kind):
            most = 10 ** (int(digits[1]) - int(digits[2]))
            whole = "DECIMAL" if rules.name == "spark" else "NUMERIC"
            return Value(whole, -most, most, near=10.0 ** -int(digits[2]))
        return rules.every(KINDS.get(kind, "VARCHAR"))

    def _in_postgres(self, facts, given, stored):
        def described(name):
            return tuple(_described(*each) for each in self._tables[f"{name} kinds"])

        joins = [_placed(join) if isinstance(join, Companion) else join for join in facts.joins]
        facts = replace(facts, joins=tuple(joins))
        beside = Beside(facts, PLACE, given)
        theirs = [Table(f"s.{join.name}", described(join.name), 0) for join in joins if isinstance(join, Companion)]
        return settled_in_postgres(facts, layout_of(facts, "s.t", described("t"))), beside.stored(theirs), POSTGRES

    def _in_spark(self, facts, given, stored):
        session = SimpleNamespace(createDataFrame=self._sent)
        engine = SimpleNamespace(_prefix="prefix", _session=session)
        companions = {join.name: join for join in facts.joins if isinstance(join, Companion)}

        def layout(about, name):
            rows, fields, unit = selected(about, self._tables[f"{name} kinds"], name)
            self._tables[name] = {f"p{place}": each for place, each in enumerate(self._tables[name].values())}
            return settled_in_spark(about, Layout(name, fields, Spark._members(engine, about), unit, relation=rows))

        beside = sent_lookups(session, facts, {name: each for name, each in given.items() if name not in companions}, "prefix")
        beside |= {name: beside_companion(join, layout(join.facts, name)) for name, join in companions.items()}
        return layout(facts, "t"), beside, SPARK

    def _sent(self, rows, schema):
        """A view of constants, with what they lie between."""
        columns = {}
        for place, (name, kind) in enumerate(each.split(" ") for each in schema.split(", ")):
            numbers = [row[place] for row in rows if isinstance(row[place], int | float) and not isinstance(row[place], bool)]
            columns[name] = self._every(kind.lower())
            if numbers:
                columns[name] = Value(columns[name].kind, min(numbers), max(numbers))
        return SimpleNamespace(createOrReplaceTempView=lambda name: self._tables.update({name: columns}))

    def _fetched(self, sql):
        self._record.look_at(sql, self._tables)
        raise _Enough

    # ---- an engine

    def at_once(self):
        return nullcontext(self)

    def check(self):
        pass

    def close(self):
        pass

    def run(self, wanted):
        return self._asked("run", "sums", wanted)

    def counts(self, wanted):
        return self._asked("counts", "counts", wanted)

    def keys(self, wanted):
        return self._asked("keys", "candidates", wanted)

    def _asked(self, method, written, wanted):
        try:
            getattr(self._asking, written)(wanted)
        except _Enough:
            return getattr(self._reference, method)(wanted)
        raise AssertionError("nothing was written")


def _placed(join):
    """Another confidential table, in the same database."""
    return replace(join, facts=replace(join.facts, located=replace(PLACE, table=f"s.{join.name}")))


def _described(name, kind):
    digits = re.fullmatch(r"numeric\((\d+),(\d+)\)", kind)
    return Described(name, "numeric" if digits else kind, digits=(int(digits[1]), int(digits[2])) if digits else None)


def _framed(facts, lookups):
    import pandas as pd

    found = {}
    for join in facts.joins:
        names = list(dict.fromkeys([join.match, *(column.name for column in join.columns)]))
        rows = [[row.get(name) for name in names] for row in lookups[join.name]]
        found[join.name] = pd.DataFrame(rows, columns=names, dtype=object)
    return found
