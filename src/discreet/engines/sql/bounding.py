"""Units with many rows, as SQL: the rows and groups of each that stay, by the rules of ``choice``, and what is added up of them.

Rows are numbered by windows where rows have to be chosen. Where every unit is brought into a public range instead, one GROUP BY
unit and cell is enough. Which groups stay, ``groups`` says; of many, where an engine has lists of the least, these are packed
integers: order, cell and values, high bits first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from discreet.engines.rules.choice import columns_read
from discreet.engines.rules.values import MISSING, SAFE, nearest
from discreet.engines.sql.dialect import Dialect, raw
from discreet.engines.sql.expressions import Expressions
from discreet.engines.sql.gridded import moved
from discreet.engines.sql.groups import Choice
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.mixing import added
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import (
    WIDEST,
    Term,
    as_text,
    as_whole,
    between,
    cases,
    column,
    infix,
    is_one_of,
    real_literal,
    text,
    truth_as_whole,
    typed_null,
    whole_literal,
)
from discreet.engines.sql.writer import (
    apart,
    as_count,
    binned,
    filtered,
    halves_of,
    has_null,
    in_ranges,
    key_term,
    total_of,
)
from discreet.engines.wanted import Bound, ByStep, ByValue, CountsWanted, CutWanted, Key, Measure, UnitsWanted, Wanted
from discreet.facts.model import Facts
from discreet.questions.algebra import Column

__all__ = ["Bounded", "to_bounded_counts", "to_bounded_sql", "to_cut_counts", "to_kept", "to_unit_counts", "unit_term",
           "unit_text"]  # fmt: skip

_ORDER_BITS = 16
_PACKED = 62  # bits of a BIGINT that are used
_SMALL_CAP = 1 << 29
_NO, _YES = (f"CAST({bit} AS BIGINT)" for bit in (0, 1))


@dataclass(frozen=True, slots=True)
class _Column:
    """A column that a SELECT adds."""

    name: str
    sql: str


def to_bounded_sql(wanted: Wanted, facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """The SELECT for ``wanted``, whose units are bounded: a row cell, h0, l0, h1, l1, ... for every cell that has rows."""
    bounded = Bounded(wanted, facts, layout, dialect)
    inner = bounded.clamped(wanted) if _is_clamped(wanted) else bounded.chosen(wanted)
    parts = [halves_of(exp.column(f"m{place}"), place, dialect) for place in range(len(wanted.measures))]
    outputs = ", ".join(["cell", *(bounded.sheet.text(each) for part in parts for each in part)])
    return f"SELECT {outputs} FROM ({inner}) AS g"


def _is_clamped(wanted: Wanted) -> bool:
    """Whether every unit is brought into a range instead of losing rows: no cap of rows is left then, and all measures have one.

    Beside a cap of rows, units are counted among the rows that stay: else one could count in more cells than it has rows.
    """
    assert wanted.unit is not None
    is_capped = wanted.unit.rows is not None or wanted.unit.rows_per_group is not None
    return not is_capped and all(each.within is not None for each in wanted.measures)


def to_bounded_counts(wanted: CountsWanted, facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """The SELECT for ``wanted``, whose units are bounded: a row cell, b, n for every cell and bin that has rows."""
    bounded = Bounded(wanted, facts, layout, dialect)
    return bounded.binned(wanted)


def to_unit_counts(wanted: UnitsWanted, facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """The SELECT for ``wanted``: a row b, n for every number of rows or cells that units have."""
    return Bounded(wanted.all_rows, facts, layout, dialect).sizes("DISTINCT w_cell" if wanted.keys else "*")


def to_cut_counts(wanted: CutWanted, facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """The SELECT for ``wanted``: a row cell, b, n for every cell that has units which are cut (b is 1) or are not (0)."""
    return Bounded(wanted.all_rows, facts, layout, dialect).cut(wanted.caps, wanted.inner)


def to_kept(read: Sequence[str], bound: Bound, facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """What comes after FROM to have the rows that stay of each unit, for a question that reads the columns ``read``."""
    wanted = Wanted(None, (), tuple(Measure(0, Column(name)) for name in read), bound)
    return Bounded(wanted, facts, layout, dialect).kept()


class Bounded:
    """One query about bounded units, under construction."""

    def __init__(self, wanted: Wanted | CountsWanted, facts: Facts, layout: Layout, dialect: Dialect) -> None:
        assert wanted.unit is not None
        assert layout.unit is not None
        self.sheet = Sheet(layout, dialect)
        self.write = Expressions(facts, self.sheet)
        self._bound: Bound = wanted.unit
        self._cells = wanted.cells
        self._where = self.write.conditions(wanted.where)
        self._cell = self._cell_of(wanted.keys, facts)
        unit = unit_term(layout.unit, dialect)
        self._unit = self.sheet.text(unit)
        self._choice = Choice(layout.unit.stored, self._bound.key, self._cells, self.sheet)
        read = columns_read(wanted)
        terms = [self.write.term(Column(each.name)) for each in facts.columns if each.name in read]
        self._order = [f"{self.sheet.text(self.sheet.named(term).sql)} NULLS FIRST" for term in terms]

    # ---- the kinds of query

    def chosen(self, wanted: Wanted) -> str:
        """Sums over the rows that stay."""
        totals = [self._total(measure, wanted) for measure in wanted.measures]
        found = ", ".join(f"{self.sheet.text(total)} AS m{place}" for place, total in enumerate(totals))
        return f"SELECT w_cell AS cell, {found} FROM {self.kept()} GROUP BY w_cell"

    def binned(self, wanted: CountsWanted) -> str:
        """Counts of the rows that stay."""
        after = [each.sql for each in self.write.conditions(wanted.filter)]
        b = binned(wanted, self.write, self.sheet).sql
        after.append(exp.Paren(this=in_ranges(b, wanted.bins)))
        conditions = " AND ".join(map(self.sheet.text, after))
        found = f"w_cell AS cell, {self.sheet.text(b)} AS b, COUNT(*) AS n"
        return f"SELECT {found} FROM {self.kept()} WHERE {conditions} GROUP BY 1, 2"

    def sizes(self, what: str) -> str:
        """How many units have how many of ``what``."""
        units = f"(SELECT COUNT({what}) AS b FROM {self._present()} GROUP BY w_u) AS u"  # one row per unit
        return f"SELECT b, COUNT(*) AS n FROM {units} GROUP BY b"

    def cut(self, caps: Bound, inner: int) -> str:
        """How many units have too much; ``inner`` cells are the groups of one."""
        sizes = (("COUNT(*)", caps.groups), ("MAX(c)", caps.rows_per_group), ("SUM(c)", caps.rows))
        tests = " OR ".join(f"{size} > {most}" for size, most in sizes if most is not None)
        pairs = f"(SELECT w_u, w_cell, COUNT(*) AS c FROM {self._present()} GROUP BY w_u, w_cell) AS s"  # unit and group
        cell = self.sheet.text(self.sheet.dialect.quotient(raw("w_cell"), raw(f"{inner}")))
        pairs = f"(SELECT w_u, {cell} AS cell, c FROM {pairs}) AS s"
        units = f"(SELECT cell, CASE WHEN {tests} THEN {_YES} ELSE {_NO} END AS b FROM {pairs} GROUP BY w_u, cell) AS u"
        return f"SELECT cell, b, COUNT(*) AS n FROM {units} GROUP BY cell, b"

    def clamped(self, wanted: Wanted) -> str:
        """Sums over units, each brought into a public range."""
        aggregates: list[_Column] = []
        values: list[_Column] = []
        for place, measure in enumerate(wanted.measures):
            parts, value = self._value(place, measure)
            aggregates += parts
            values.append(_Column(f"m{place}", value))
        found = ", ".join(["w_u", "w_cell", *(f"{each.sql} AS {each.name}" for each in aggregates)])
        groups, rows = self._bound.groups, self._present()
        if groups is not None and self._choice.has_sets:
            rows, groups = self._choice.in_sets(rows, groups), None
        pairs = f"(SELECT {found} FROM {rows} GROUP BY w_u, w_cell) AS s"  # one row per unit and cell
        pairs = f"(SELECT w_u, w_cell, {', '.join(f'{each.sql} AS {each.name}' for each in values)} FROM {pairs}) AS s"
        spreads = [measure.spread for measure in wanted.measures]
        if groups is not None and not self._choice.is_of_few:
            ordered = self._choice.ordered(pairs)
            if (packed := self._packed(ordered, spreads, groups)) is not None:
                return packed
            pairs = self._choice.numbered(ordered, "ROW_NUMBER()", groups)
        elif groups is not None:
            pairs = self._choice.thinned_pairs(pairs, groups)
        return f"SELECT w_cell AS cell, {self._sums(values, spreads)} FROM {pairs} GROUP BY w_cell"

    def _sums(self, values: Sequence[_Column], spreads: Sequence[int]) -> str:
        return ", ".join(f"{self._summed(each.name, most)} AS {each.name}" for each, most in zip(values, spreads, strict=True))

    def _summed(self, value: str, most: int) -> str:
        return self.sheet.text(self.sheet.dialect.summed(raw(value), most=most))

    # ---- rows

    def _present(self) -> str:
        """The rows that meet WHERE and have a unit and a cell."""
        added = f"{self._unit} AS w_u, {self.sheet.text(self._cell)} AS w_cell"
        rows = f"(SELECT s.*, {added} FROM {self.sheet.rows(self._where)}) AS s"
        return f"(SELECT * FROM {rows} WHERE w_u IS NOT NULL AND w_cell IS NOT NULL) AS s"

    def kept(self) -> str:
        """The rows that stay."""
        bound, choice, rows = self._bound, self._choice, self._present()
        order = f" ORDER BY {', '.join(self._order)}" if self._order else self.sheet.dialect.no_order
        if bound.groups is None:
            rows = choice.hashed(rows)
        elif choice.has_sets:
            rows = choice.in_sets(rows, bound.groups)
        elif choice.is_of_few:
            rows = choice.thinned_rows(rows, bound.groups)
        else:
            rows = choice.numbered(choice.ordered(choice.hashed(rows)), "DENSE_RANK()", bound.groups)
        for number, (most, within) in enumerate([(bound.rows_per_group, "w_u, w_cell"), (bound.rows, "w_u")]):
            if most is None:
                continue
            p, n = f"w_p{number}", f"w_n{number}"
            place, size = f"ROW_NUMBER() OVER (PARTITION BY {within}{order})", f"COUNT(*) OVER (PARTITION BY {within})"
            wide = most * self.sheet.layout.matches > _SMALL_CAP  # of a unit with 2^33 rows p * most is 2^64
            rows = added(rows, f"{self.sheet.dialect.wide(place) if wide else place} AS {p}", f"{size} AS {n}")
            offset = f"(w_hash % {n})"
            numbers = f"(({p} * {most}) + {offset})", f"((({p} - 1) * {most}) + {offset})"
            after, before = (self.sheet.text(self.sheet.dialect.quotient(raw(each), raw(n), wide=wide)) for each in numbers)
            test = f"{after} > {before}"
            rows = f"(SELECT * FROM {rows} WHERE {n} <= {most} OR {test}) AS s"
        return rows

    # ---- cells

    def _cell_of(self, keys: Sequence[Key], facts: Facts) -> exp.Expr:
        """The number of the cell, NULL for rows in none; where a test tells them, WHERE leaves them out, which is faster."""
        cell = as_whole(Term(whole_literal(0), "number", low=0.0, high=0.0, whole=True)).sql
        for number, key in enumerate(keys):
            term, first = key_term(key, self.write, self.sheet, facts)
            value, inside = (term.sql, []) if has_null(key) else apart(term)
            self._where = [*self._where, *inside]
            place = self._place(key, replace(term, sql=value), first)
            cell = infix(exp.Add, infix(exp.Mul, cell, whole_literal(key.cells)), place) if number else place
        return cell

    def _place(self, key: Key, term: Term, first: int) -> exp.Expr:
        """The number of the key's cell as BIGINT: all cells together are far fewer than 2^62."""
        if isinstance(key, ByStep):
            steps = moved(term, first).sql
            return exp.Coalesce(this=steps, expressions=[whole_literal(key.steps)]) if key.null else steps
        assert term.kind != "truth" or key.values == (False, True), "a truth value is its own place"
        place = truth_as_whole(term, self.sheet.dialect) if term.kind == "truth" else self._place_of_value(key, term)
        return exp.Coalesce(this=place.sql, expressions=[whole_literal(len(key.values))]) if key.other else place.sql

    def _place_of_value(self, key: ByValue, term: Term) -> Term:
        some = Term(typed_null("BIGINT"), "number", term.stage, 0.0, float(len(key.values)), whole=True)
        if term.kind != "number":
            words = [value for value in key.values if isinstance(value, str)]
            return as_whole(replace(some, sql=self.sheet.placed(term, dict(enumerate(map(text, words)))))) if words else some
        numbers = [nearest(value) for value in key.values if not isinstance(value, str)]
        is_run = max(map(abs, numbers)) <= SAFE and numbers == [numbers[0] + place for place in range(len(numbers))]
        if term.whole and is_run and numbers[0] <= term.low <= term.high <= numbers[-1]:  # else a place would be another key's
            return moved(term, int(numbers[0]))
        first = {number: place for place, number in reversed(list(enumerate(numbers)))}  # of equal numbers the first has the cell
        places = self.sheet.placed(term, {place: self._constant(number, term) for number, place in first.items()})
        return as_whole(replace(some, sql=places))

    def _constant(self, number: float, term: Term) -> exp.Expr:
        return whole_literal(int(number)) if term.whole else real_literal(number, self.sheet.dialect)

    # ---- measures

    def _total(self, measure: Measure, wanted: Wanted) -> exp.Expr:
        if measure.within is None:
            return total_of(as_count(measure, wanted.measures), self.write, self.sheet)
        assert measure.within == (0, 1), "of rows that stay only units are counted"
        return filtered(exp.Count(this=exp.Distinct(expressions=[exp.column("w_u")])), measure, self.write)

    def _value(self, place: int, measure: Measure) -> tuple[list[_Column], str]:
        """What is added up of a unit in a cell, and what it then counts for: a BIGINT from 0 to the measure's spread."""
        assert measure.within is not None
        low, high = measure.within
        if measure.spread > WIDEST:
            raise ValueError("nothing says that what a unit counts for has 64 bits")
        summed = total_of(replace(measure, within=None), self.write, self.sheet, of_unit=True)
        total = _Column(f"a{place}", self.sheet.text(summed))
        if measure.power == 0:
            return [total], f"LEAST({total.name}, {high})"
        assert measure.grid is not None
        parts, shifted, has_zero = [total], total.name, low <= 0 <= high
        if measure.grid.low or not has_zero:  # up to 2^63 rows, each at most 2^51 away from 0: far from what HUGEINT holds
            rows = total_of(replace(measure, within=None, power=0), self.write, self.sheet)
            parts.append(_Column(f"b{place}", self.sheet.text(rows)))
        if measure.grid.low:
            shifted = f"({total.name} + b{place} * {self.sheet.dialect.wide(str(measure.grid.low))})"
        if measure.grid.low >= 0 and has_zero:  # no sum is below 0 then, and what does not fit is above ``high``
            return parts, f"{self.sheet.dialect.at_most(shifted, high)} - ({low})"
        if not has_zero:  # a unit without a value adds 0 all the same
            shifted = f"CASE WHEN b{place} > 0 THEN LEAST(GREATEST({shifted}, {low}), {high}) ELSE 0 END"
        else:
            shifted = f"LEAST(GREATEST({shifted}, {low}), {high})"
        return parts, f"CAST({shifted} - ({min(low, 0)}) AS BIGINT)"

    def _packed(self, pairs: str, spreads: Sequence[int], groups: int) -> str | None:
        """Of each unit the pairs that come first, in as few integers as their values fit into; None if no list has them."""
        cell_bits = (self._cells - 1).bit_length()
        head = _ORDER_BITS + cell_bits
        packs: list[list[tuple[int, int]]] = []  # of each, the measures with their bits
        for place, spread in enumerate(spreads):
            bits = max(1, spread.bit_length())
            if packs and head + bits + sum(each for _, each in packs[-1]) <= _PACKED:
                packs[-1].append((place, bits))
            else:
                packs.append([(place, bits)])
        lists, outputs = [], []
        for number, pack in enumerate(packs):
            wide = head + sum(bits for _, bits in pack) > _PACKED
            order = self.sheet.dialect.wide("w_order") if wide else "CAST(w_order AS BIGINT)"
            packed = f"({order} << {cell_bits}) | w_cell"
            for place, bits in pack:
                packed = f"(({packed}) << {bits}) | m{place}"
            firsts = self.sheet.dialect.firsts(packed, groups, wide=wide, alone=len(packs) == 1)
            if firsts is None:
                return None
            lists.append(f"{firsts} AS p{number}")
            shift = 0
            for place, bits in reversed(pack):
                value = f"(p{number} >> {shift}) & {(1 << bits) - 1}"
                outputs.append((place, f"{self._summed(value, (1 << bits) - 1)} AS m{place}"))
                shift += bits
            if number == 0:
                cell = f"CAST((p0 >> {shift}) & {(1 << cell_bits) - 1} AS BIGINT) AS cell"
        sums = ", ".join(sql for _, sql in sorted(outputs))
        return f"SELECT {cell}, {sums} FROM (SELECT {', '.join(lists)} FROM {pairs} GROUP BY w_u) AS s GROUP BY 1"


# ---- the unit


def unit_term(field: Field, dialect: Dialect) -> exp.Expr:
    """What tells units apart, NULL where it is missing."""
    stored = column(field.name)
    match field.stored:
        case "text":
            return cases((exp.Not(this=is_one_of(stored, map(text, MISSING))), stored))
        case "real":
            known = infix(exp.LTE, stored, real_literal(float("inf"), dialect))  # NaN is above
            return cases((known, infix(exp.Add, stored, real_literal(0.0, dialect))))  # one zero
        case _:
            return stored


def unit_text(field: Field, dialect: Dialect) -> exp.Expr:
    """What tells units apart as the same text whatever it is stored as: whole numbers are their digits."""
    unit = unit_term(field, dialect)
    if field.stored == "text":
        return unit
    written = as_text(unit)
    if field.stored != "real":
        return written
    is_whole = infix(exp.And, between(unit, whole_literal(-SAFE), whole_literal(SAFE)), infix(exp.EQ, unit, dialect.floor(unit)))
    return cases((is_whole, as_text(dialect.tried(unit, "number", "BIGINT"))), otherwise=written)
