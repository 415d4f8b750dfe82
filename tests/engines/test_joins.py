"""Joins in both engines: which keys are the same, from every kind of source, and lookups that are refused."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import duckdb
import pandas as pd
import polars as pl
import pytest

from discreet.engines import open_engine, with_lookup_values
from discreet.engines.reference.engine import Reference
from discreet.engines.rules.lookups import joined_rows
from discreet.engines.wanted import Bound, ByValue, Grid, KeysWanted, Measure, Wanted
from discreet.errors import EngineFault, FactsError
from discreet.facts.model import (
    Boolean,
    ByColumn,
    Category,
    Companion,
    CsvFormat,
    Date,
    Integer,
    Lookup,
    Number,
    Source,
    Text,
    Timestamp,
)
from discreet.questions.algebra import Column, Join

N = Integer("n", 0, 9)
GRID = Grid(Fraction(1), 0, 9)


def asked(outer=False, table="l", column="k", match="k"):
    """How many rows there are and what they add up to, by a column of the lookup and without."""
    joins, n = (Join(table, column, match, outer),), Column("l.n", "l")
    by = ByValue(n, tuple(Fraction(value) for value in range(10)), other=True)
    return [Wanted(None, keys, (Measure(0), Measure(1, n, GRID)), joins=joins) for keys in ((), (by,))]


def totals(engine, wanted):
    found = engine.run(wanted).take()
    return found.whole().tolist()


# what is stored in the table, what in the lookup, and how often they meet
KEYS = [
    (Text("k"), ["a", "A", "a ", " a", "é", "e\u0301", "ß", "ss", "", "?", None, "x" * 300], ["a", "é", "ss", None, "?", ""], 3),
    (Text("k", 3), ["abcdef", "abc", "ab"], ["abc", "abcdef"], 2),
    (Integer("k", 0, 100), [1, "1.0", " 1 ", "1e0", 1.5, "x", 100, 1000, -7], [1, 100, 1000, 0], 7),
    (Number("k"), [0.0, -0.0, 0.1, "0.1", "1e-1", float("nan"), float("inf"), 1e308], ["-0", 0.1], 5),
    (Integer("k"), [2**53, 2**53 + 1, 2**60], [2**53], 2),
    (Category("k", (1, 2)), [1, "2", 3, None], [1, 2, 3, 4], 2),
    (Category("k", ("a", "b"), other=True), ["a", "b", "c", "A"], ["a", "c"], 1),
    (Boolean("k"), ["yes", "1", "TRUE", "no", "x", None], [True], 3),
    (Date("k"), ["2020-02-29", " 2020-02-29 ", "2020-02-30", date(2020, 2, 29)], ["2020-02-29"], 3),
    (Timestamp("k"), ["2020-01-01", "2020-01-01 00:00", "2020-01-01 00:00:01"], ["2020-01-01"], 2),
]


@pytest.mark.parametrize(("column", "ours", "theirs", "meet"), KEYS)
def test_keys_are_the_same_if_their_values_are_once_they_are_read(facts, column, ours, theirs, meet):
    declared = facts(column, Integer("m"), joins=(Lookup("l", "", "k", "k", (N,)),))
    rows = [{"k": value, "m": 1} for value in ours]
    lookup = [{"k": value, "n": place} for place, value in enumerate(theirs)]
    reference = Reference(declared, rows, {"l": lookup})
    engine = open_engine(declared, pd.DataFrame(rows, dtype=object), {"l": pd.DataFrame(lookup, dtype=object)})
    for outer in (False, True):
        for wanted in asked(outer):
            assert totals(engine, wanted) == totals(reference, wanted)
    assert totals(engine, asked()[0])[0] == [meet]
    assert totals(engine, asked(outer=True)[0])[0] == [len(ours)]
    engine.close()


def test_a_row_becomes_every_combination_of_the_rows_that_it_meets(facts):
    joins = (Lookup("l", "", "k", "k", (N,), 3), Lookup("o", "", "m", "k", (N,), 2))
    declared = facts(Text("k"), Integer("m"), joins=joins)
    rows = [{"k": "a", "m": 1}, {"k": "a", "m": 2}, {"k": "b", "m": 1}, {"k": "c", "m": 3}, {}]
    lookups = {"l": [{"k": "a", "n": n} for n in (1, 2, 2)] + [{"k": "b", "n": 4}], "o": [{"k": 1, "n": 5}, {"k": "1", "n": 6}]}
    reference = Reference(declared, rows, lookups)
    engine = open_engine(declared, pd.DataFrame(rows), {name: pd.DataFrame(some, dtype=object) for name, some in lookups.items()})
    for one in (False, True):
        for other in (False, True):
            both = (Join("l", "k", "k", one), Join("o", "m", "k", other))
            wanted = Wanted(None, (), (Measure(0), Measure(1, Column("l.n", "l"), GRID), Measure(1, Column("o.n", "o"), GRID)),
                            joins=both)  # fmt: skip
            assert totals(engine, wanted) == totals(reference, wanted)
            expected = {(False, False): 6 + 2, (True, False): 6 + 2, (False, True): 6 + 3 + 2, (True, True): 6 + 3 + 2 + 1 + 1}
            assert totals(engine, wanted)[0] == [expected[one, other]]
    assert len(joined_rows({"k": "a", "m": 1.0}, None, both, declared, reference._lookups)) == 6
    engine.close()


def test_keys_that_no_list_names_are_those_of_joined_rows(facts):
    declared = facts(Text("k"), joins=(Lookup("l", "", "k", "k", (Text("town"),)),))
    rows, lookup = [{"k": "a"}] * 3 + [{"k": "b"}, {"k": "c"}], [{"k": "a", "town": "x"}, {"k": "b", "town": "x"}]
    wanted = KeysWanted(None, Column("l.town", "l"), 1, joins=(Join("l", "k", "k"),))
    engine = open_engine(declared, pd.DataFrame(rows), {"l": pd.DataFrame(lookup)})
    for found in (engine.keys(wanted).take(), Reference(declared, rows, {"l": lookup}).keys(wanted).take()):
        assert (found.values, found.units.tolist()) == (("x",), [4])
    engine.close()


# ---- sources


def stored(kind, rows, path):
    frame = pd.DataFrame(rows)
    match kind:
        case "pandas":
            return frame
        case "polars":
            return pl.from_pandas(frame)
        case "csv":
            frame.to_csv(path / "l.csv", index=False)
            return Source("csv", str(path / "l.csv"))
        case "parquet":
            duckdb.sql("SELECT * FROM frame").write_parquet(str(path / "l.parquet"))
            return Source("parquet", str(path / "l.parquet"))


@pytest.mark.parametrize("kind", ["pandas", "polars", "csv", "parquet"])
@pytest.mark.parametrize("base", ["pandas", "csv", "parquet"])
def test_lookups_and_tables_are_joined_from_every_kind_of_source(facts, tmp_path, kind, base):
    many = Category("c", tuple(range(0, 40, 2)))  # kept in a table of its own
    declared = facts(Integer("k", 0, 50), many, joins=(Lookup("l", "", "k", "code", (N, many), 2),))
    rows = [{"k": place % 13, "c": place % 40} for place in range(200)]
    lookup = [{"code": place % 9, "n": place % 7, "c": place * 3 % 40} for place in range(18)]
    (tmp_path / "base").mkdir()
    engine = open_engine(declared, stored(base, rows, tmp_path / "base"), {"l": stored(kind, lookup, tmp_path)})
    reference = Reference(declared, rows, {"l": lookup})
    keys = tuple(ByValue(Column(name), tuple(Fraction(value) for value in many.values), other=True) for name in ("c", "l.c"))
    for outer in (False, True):
        joins = (Join("l", "k", "code", outer),)
        alone = Wanted(None, (), (Measure(0),))
        for wanted in [*asked(outer, match="code"), Wanted(None, keys, (Measure(0),), joins=joins), alone]:
            assert totals(engine, wanted) == totals(reference, wanted)
    engine.close()


def test_a_lookup_has_a_format_of_its_own(facts, tmp_path):
    (tmp_path / "l.txt").write_text("'a';3\n'b';4\n", encoding="latin-1")
    form = CsvFormat(";", "'", header=False, encoding="latin-1", names=("k", "n"))
    located = Source("csv", str(tmp_path / "l.txt"))
    declared = facts(Text("k"), joins=(Lookup("l", "l.txt", "k", "k", (N,), csv=form, located=located),))
    engine = open_engine(declared, pd.DataFrame({"k": ["a", "b", "b"]}))
    assert totals(engine, asked()[0]) == [[3], [11]]
    engine.close()


def test_an_empty_lookup_meets_nothing(facts, tmp_path):
    (tmp_path / "l.csv").write_text("k,n\n", encoding="utf-8")
    located = Source("csv", str(tmp_path / "l.csv"))
    declared = facts(Text("k"), joins=(Lookup("l", "l.csv", "k", "k", (N,), located=located),))
    engine = open_engine(declared, pd.DataFrame({"k": ["a", "b", "b"]}))
    assert [totals(engine, asked(outer)[0])[0] for outer in (False, True)] == [[0], [3]]
    engine.close()


# ---- refusals: lookups are public, so that messages may show them

REFUSED = [
    ("k,n\na,1\nb,2\na,3\n", 1, "2 rows with k = 'a', and max_matches is 1"),
    ("k,n\n" + "a,1\n" * 4, 3, "4 rows with k = 'a', and max_matches is 3"),
    ("code,n\na,1\n", 1, "the lookup l: the source has no column called 'k'"),
    ("k,m\na,1\n", 1, "the lookup l: the source has no column called 'n'"),
    ("K,n\na,1\n", 1, "the source spells it 'K'"),
    ("k,n,k\na,1,b\n", 1, "2 columns called 'k'"),
    (None, 1, "there is no such file"),
]


@pytest.mark.parametrize(("text", "most", "message"), REFUSED)
def test_a_lookup_that_is_not_as_declared_is_refused_when_it_is_opened(facts, tmp_path, text, most, message):
    if text is not None:
        (tmp_path / "l.csv").write_text(text, encoding="utf-8")
    located = Source("csv", str(tmp_path / "l.csv"))
    declared = facts(Text("k"), joins=(Lookup("l", "l.csv", "k", "k", (N,), most, located=located),))
    with pytest.raises(FactsError) as refused:
        open_engine(declared, pd.DataFrame({"k": ["a"]}))
    assert message in str(refused.value)
    assert (refused.value.key or "").startswith("join.l")


def test_a_lookup_that_is_no_parquet_file_is_refused(facts, tmp_path):
    (tmp_path / "l.parquet").write_text("k,n\na,1\n", encoding="utf-8")
    located = Source("parquet", str(tmp_path / "l.parquet"))
    declared = facts(Text("k"), joins=(Lookup("l", "l.parquet", "k", "k", (N,), located=located),))
    with pytest.raises(FactsError, match="the file cannot be read"):
        open_engine(declared, pd.DataFrame({"k": ["a"]}))


def test_keys_that_are_the_same_once_read_count_together(facts):
    rows = [{"k": 1, "n": 1}, {"k": "1.0", "n": 2}]
    declared = facts(Integer("k", 0, 5), joins=(Lookup("l", "", "k", "k", (N,)),))
    with pytest.raises(FactsError, match="2 rows with k = 1"):
        Reference(declared, [], {"l": rows})
    with pytest.raises(FactsError, match="2 rows with k = 1"):
        open_engine(declared, pd.DataFrame({"k": [1]}), {"l": pd.DataFrame(rows, dtype=object)})


def test_lookups_without_rows_to_read_are_refused(facts):
    declared = facts(Text("k"), joins=(Lookup("l", "", "k", "k", (N,)),))
    with pytest.raises(FactsError, match="its rows are missing"):
        Reference(declared, [])
    with pytest.raises(FactsError, match="its rows are missing"):
        open_engine(declared, pd.DataFrame({"k": ["a"]}))


def test_an_engine_finds_out_that_the_file_of_a_lookup_is_another(facts, tmp_path):
    file = tmp_path / "l.csv"
    file.write_text("k,n\na,1\n", encoding="utf-8")
    declared = facts(Text("k"), joins=(Lookup("l", "l.csv", "k", "k", (N,), located=Source("csv", str(file))),))
    engine = open_engine(declared, pd.DataFrame({"k": ["a"]}))
    engine.check()
    file.write_text("k,n\nab,1\n", encoding="utf-8")
    with pytest.raises(EngineFault):
        engine.check()
    engine.close()


# ---- values that lookups have


@pytest.mark.parametrize("kind", ["dicts", "pandas", "polars", "csv", "parquet"])
def test_values_that_are_left_out_are_those_of_the_lookup(facts, tmp_path, kind):
    rows = [{"k": place, "name": name, "zip": code, "n": n, "gaps": gap} for place, (name, code, n, gap) in enumerate([
        ("x", "02", 3, 1.0), ("O'Hara", "01", -7, None), (None, "01", 3, 2.0), ("?", "2", 0, None), ("", "x y", 0, 1.0),
    ])]  # fmt: skip
    columns = tuple(Category(name, (), other=name == "n") for name in ("name", "zip", "n", "gaps"))
    declared = facts(Integer("k", 0, 9), joins=(Lookup("l", "", "k", "k", columns),))
    given = {"l": rows if kind == "dicts" else stored(kind, rows, tmp_path)}
    name, code, n, gaps = with_lookup_values(declared, given).joins[0].columns
    assert (name.values, code.values) == (("O'Hara", "x"), ("01", "02", "2", "x y"))
    assert (n.values, n.other, gaps.values) == ((-7, 0, 3), True, (1, 2))
    with pytest.raises(FactsError, match="the lookup l: the source has no column called 'none'"):
        with_lookup_values(replace(declared, joins=(replace(declared.joins[0], columns=(Category("none", ()),)),)), given)


def test_values_of_a_lookup_that_has_none_or_too_many_are_refused(facts, monkeypatch):
    declared = facts(Integer("k", 0, 9), joins=(Lookup("l", "", "k", "k", (Category("c", ()),)),))
    monkeypatch.setattr("discreet.engines.duckdb.lookup_values.MOST_VALUES", 3)
    for values, said in [([None], "no value for 'c'"), (range(4), "more than 3"), ([1, 2.5], "not whole")]:
        rows = pd.DataFrame({"k": range(len(values)), "c": values})
        with pytest.raises(FactsError, match=said):
            with_lookup_values(declared, {"l": rows})
    plain = facts(Integer("k", 0, 9), joins=(Lookup("l", "", "k", "k", (N,)),))
    assert with_lookup_values(plain, {}) is plain


# ---- two confidential tables


def test_each_side_is_bounded_before_two_confidential_tables_meet(facts):
    theirs = facts(Integer("n", 0, 9), unit=ByColumn("whom", max_rows=2), name="u")
    x = Integer("x", 0, 20)
    declared = facts(x, unit=ByColumn("who"), joins=(Companion("u", "u.toml", "who", "whom", theirs),))
    rows = [{"who": "a", "x": place} for place in range(9)] + [{"who": "b", "x": 1}, {"who": None, "x": 1}, {"who": "c", "x": 1}]
    visits = [{"whom": "a", "n": place} for place in range(9)]
    visits += [{"whom": "b", "n": 3}, {"whom": "", "n": 3}, {"whom": "d", "n": 1}]
    reference = Reference(declared, rows, {"u": visits})
    engine = open_engine(declared, pd.DataFrame(rows), {"u": pd.DataFrame(visits)})
    both = Measure(0), Measure(0, Column("x"), distinct=True), Measure(0, Column("u.n", "u"), distinct=True)
    for outer, bound, expected in [
        (False, Bound(3), (9 * 2 + 1, 9, 3)),  # two of nine visits; with that of b three values
        (False, Bound(3, rows=4), (2 * 2 + 1, 3, 3)),  # and two of nine rows, since four joined rows are two times two
        (True, Bound(3, rows=4), (2 * 2 + 2, 3, 3)),  # c has no visit
    ]:
        wanted = Wanted(None, (), both, bound, joins=(Join("u", "who", "whom", outer),))
        assert totals(engine, wanted) == totals(reference, wanted)
        count, values, numbers = (each[0] for each in totals(engine, wanted))
        assert count == expected[0]
        assert values <= expected[1]
        assert numbers <= expected[2]
    engine.close()


def test_the_other_table_is_settled_before_any_of_its_rows_is_left_out(facts, tmp_path):
    theirs = facts(Text("home", 20, per_unit=True), Integer("n", 0, 9), unit=ByColumn("whom", max_rows=1), name="u")
    declared = facts(Integer("x", 0, 20), unit=ByColumn("who"), joins=(Companion("u", "u.toml", "who", "whom", theirs),))
    rows = [{"who": who, "x": 1} for who in "aab"]
    visits = [{"whom": "a", "home": home, "n": n} for n, home in enumerate([None, "own", "let", "own"])] + [{"whom": "b", "n": 3}]
    by = ByValue(Column("u.home", "u"), ("let", "own"), other=True)
    wanted = Wanted(None, (by,), (Measure(0),), Bound(3), joins=(Join("u", "who", "whom", False),))
    assert totals(Reference(declared, rows, {"u": visits}), wanted) == [[2, 0, 1]]  # the least of a's homes, and none of b
    for beside in (visits, *(stored(kind, visits, tmp_path) for kind in ("pandas", "csv", "parquet"))):
        engine = open_engine(declared, rows, {"u": beside})
        assert totals(engine, wanted) == [[2, 0, 1]]
        engine.close()
