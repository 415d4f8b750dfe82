"""CSV files as they come: every line that is not empty is one row, and what stands in it is read in one way."""

import codecs
import dataclasses
import gzip
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from discreet.engines import open_engine
from discreet.engines.duckdb import lines, loading
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import ByValue, Grid, Measure, Wanted
from discreet.errors import EngineFault, FactsError
from discreet.facts.model import Category, CsvFormat, Integer, Text
from discreet.facts.vocabulary import ENCODINGS
from discreet.questions.algebra import Column

A, B, C = Text("a"), Text("b"), Text("c")


def rows_of_text(text, form=None, columns=("a", "b", "c")):
    """What our own reader makes of a text, as rows for the reference engine."""
    ends = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    found = lines.rows_of([line for line in ends if line], form or CsvFormat(), columns)
    return [dict(zip(columns, row, strict=True)) for row in found]


def values(rows, name):
    """A question that tells every value of a column apart, and how often it is there."""
    seen = tuple({row[name]: None for row in rows if row[name] not in (None, "", "?")}) or ("nothing",)
    return Wanted(None, (ByValue(Column(name), seen),), (Measure(0),))


def check(file, rows, declared, same):
    engine = open_engine(declared, file)
    total = Wanted(None, (), (Measure(0), *(Measure(0, Column(column.name)) for column in declared.columns)))
    same(engine, Reference(declared, rows), total, *(values(rows, column.name) for column in declared.columns))
    engine.close()


TEXTS = {
    "plain": "a,b,c\n1,2,3\n4,5,6\n",
    "no end": "a,b,c\n1,2,3\n4,5,6",
    "byte order mark": "\ufeffa,b,c\n1,2,3\n",
    "CR": "a,b,c\r1,2,3\r4,5,6\r",
    "CR LF": "a,b,c\r\n1,2,3\r\n4,5,6\r\n",
    "mixed ends": "a,b,c\r\n1,2,3\n4,5,6\r7,8,9\n\r\n",
    "quoted header": '"a","b","c"\n1,2,3\n',
    "header with spaces and quotes": ' "a" , "b" ,"c"\n1,2,3\n',
    "other order, other columns": "z,c,b,a\n0,3,2,1\n",
    "short row": "a,b,c\n1,2\n4,5,6\n1\n",
    "long row": "a,b,c\n1,2,3,4,5\n4,5,6\n",
    "short and long": "a,b,c\n1,2\n3,4,5,6\n",
    "empty lines": "\n\na,b,c\n\n1,2,3\n\n\n4,5,6\n\n",
    "only a header": "a,b,c\n",
    "only a header without end": "a,b,c",
    "quotes": 'a,b,c\n"1","2,2","3""3"\n"",,""""\n',
    "quoted line end": 'a,b,c\n1,"x\ny",3\n4,5,6\n',
    "open quote": 'a,b,c\n1,"x,3\n4,5,6\n7,8,9\n',
    "open quote at the end": 'a,b,c\n1,2,3\n4,5,"6\n',
    "text after a quote": 'a,b,c\n1,"x"y,3\n"a"b"c",5,6\n',
    "quote inside": 'a,b,c\n1,x"y,3\n4,x"y",6"\n',
    "spaces around quotes": 'a,b,c\n1, "x,y",3\n4,"x,y" ,6\n  "1"  ,2,3\n',
    "spaces": "a,b,c\n 1 , 2,3 \n   \n",
    "NUL and control characters": "a,b,c\n1,x\x00y,3\x0b\n4,\x0c,\x1c\u2028\u0085\n",
    "backslashes": 'a,b,c\n1,"x\\"y,3"\n4,\\,6\n',
    "comment": "a,b,c\n#1,2,3\n--,2,3\n",
    "unicode": "a,b,c\né,👨‍👩‍👧,\u202e\n",
    "missing words": "a,b,c\nNULL,?,NA\nnull,nan,\n",
    "commas only": "a,b,c\n,,\n,,,,,\n",
    "the header again": "a,b,c\na,b,c\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_is_read_line_by_line(name, tmp_path, facts, same):
    file = tmp_path / "rows.csv"
    file.write_text(TEXTS[name], encoding="utf-8", newline="")
    check(file, rows_of_text(TEXTS[name]), facts(A, B, C), same)


@pytest.mark.parametrize("name", TEXTS)
def test_a_packed_file_is_read_as_it_would_be_unpacked(name, tmp_path, facts, same):
    half = len(TEXTS[name]) // 2
    for parts in ([TEXTS[name]], [TEXTS[name][:half], TEXTS[name][half:]]):  # gzip lets packed files be put one after the other
        file = tmp_path / "rows.csv.gz"
        file.write_bytes(b"".join(gzip.compress(part.encode()) for part in parts))
        check(file, rows_of_text(TEXTS[name]), facts(A, B, C), same)


def test_a_packed_file_that_breaks_off_is_a_fault_and_tells_nothing(tmp_path, facts):
    file = tmp_path / "rows.csv.gz"
    file.write_bytes(gzip.compress(b"a,b,c\n" + b"1,secret,3\n" * 40_000)[:-20])
    engine = open_engine(facts(A, B, C), file)
    with pytest.raises(EngineFault) as caught:
        engine.run(Wanted(None, (), (Measure(0),)))
    assert "secret" not in str(caught.value)


def test_every_encoding_that_facts_may_name_is_one():
    for encoding in ENCODINGS:
        assert codecs.lookup(encoding).decode(b"a,b", "replace")


def test_a_ragged_row_is_one_row_with_missing_fields_null_and_extra_fields_ignored():
    assert rows_of_text("a,b,c\n1\n1,2,3,4\n") == [{"a": "1", "b": None, "c": None}, {"a": "1", "b": "2", "c": "3"}]


def test_a_stray_quote_stays_in_its_field():
    assert rows_of_text('a,b,c\n1,"x,3\n4,"x"y,6\n') == [{"a": "1", "b": '"x', "c": "3"}, {"a": "4", "b": '"x"y', "c": "6"}]
    assert rows_of_text('a,b,c\n1,"x,3","5""6"\n') == [{"a": "1", "b": "x,3", "c": '5"6'}]


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(body=st.lists(st.text(st.sampled_from('xy",\n\r ;\x00é\ufeff'), max_size=12), max_size=6))
@example(body=['x,"y\n"x",y\r'])
@example(body=['"x"', '"\r"'])
def test_any_text_is_read_as_our_own_reader_does(body, tmp_path, facts, same):
    text = "a,b,c\n" + "\n".join(body)
    file = tmp_path / "rows.csv"
    file.write_text(text, encoding="utf-8", newline="")
    check(file, rows_of_text(text), facts(A, B, C), same)


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(
    fields=st.lists(
        st.lists(st.sampled_from(["x", "", '"x"', '"x,y"', '"x""y"', "x y", "é", '""', "?"]), min_size=3, max_size=3), max_size=8
    ),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_orderly_files_take_the_fast_way(fields, end, tmp_path, facts, same, monkeypatch):
    monkeypatch.setattr(loading, "_load_by_lines", lambda *_: pytest.fail("read line by line"))
    text = end.join(["a,b,c", *(",".join(row) for row in fields), ""])
    file = tmp_path / "rows.csv"
    file.write_text(text, encoding="utf-8", newline="")
    check(file, rows_of_text(text), facts(A, B, C), same)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (CsvFormat(delimiter=";"), "a;b;c\n1;'2;2';3,3\n"),
        (CsvFormat(delimiter="\t", quote="'"), "a\tb\tc\n1\t'2\t2'\t\"3\n"),
        (CsvFormat(delimiter=" "), 'a b c\n1 "2 2" 3\n 1 2\n'),
        (CsvFormat(delimiter="|", quote=""), 'a|b|c\n1|"2|3"\n'),
        (CsvFormat(delimiter="^", quote="]"), "a^b^c\n1^]2^]]2]^3\n"),
        (CsvFormat(header=False, names=("c", "b", "a")), "1,2,3\n4,5\n"),
        (CsvFormat(header=False, names=("c", "b", "a")), "\ufeff1,2,3\n4,5,6\n"),
        (CsvFormat(encoding="latin-1"), "a,b,c\n1,é,3\n"),
        (CsvFormat(encoding="utf-16"), "a,b,c\n1,é,3\n4,5\n"),
        (CsvFormat(encoding="windows-1252"), "a,b,c\n1,“10 €”,3\n"),
        (CsvFormat(encoding="shift_jis"), "a,b,c\n1,表示,3\n"),  # a letter whose second byte is a backslash
    ],
    ids=repr,
)
def test_the_format_is_the_declared_one(form, text, tmp_path, facts, same):
    file = tmp_path / "rows.csv"
    file.write_text(text, encoding=form.encoding, newline="")
    check(file, rows_of_text(text, form), facts(A, B, C, csv=form), same)


def test_bytes_that_do_not_decode_are_a_character_like_any_other(tmp_path, facts, same):
    file = tmp_path / "rows.csv"
    file.write_bytes(b"a,b,c\n1,\xff\xfe,3\n4,caf\xe9,6\n")
    check(file, [{"a": "1", "b": "\ufffd\ufffd", "c": "3"}, {"a": "4", "b": "caf\ufffd", "c": "6"}], facts(A, B, C), same)


def test_a_line_may_be_long(tmp_path, facts, same):
    file = tmp_path / "rows.csv"
    file.write_text("a,b,c\n1," + "x" * 3_000_000 + ",3\n4,5,6\n", encoding="utf-8")
    check(file, [{"a": "1", "b": "x" * 300, "c": "3"}, {"a": "4", "b": "5", "c": "6"}], facts(A, B, C), same)


def test_several_files_are_one_table(tmp_path, facts, same):
    for name, text in (("1.csv", "a,b,c\n1,2,3\n"), ("2.csv", "c,b,a,z\n3,2,1,0\n4\n"), ("[3].csv", "a,b,c\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    rows = [{"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "2", "c": "3"}, {"a": None, "b": None, "c": "4"}]
    check(f"{tmp_path}/*.csv", rows, facts(A, B, C), same)


def test_a_name_with_brackets_is_not_a_pattern(tmp_path, facts, same):
    folder = tmp_path / "x[1]"
    for place, text in ((folder, "a,b,c\n1,2,3\n"), (tmp_path / "x1", "a,b,c\n9,9,9\n")):
        place.mkdir()
        (place / "rows.csv").write_text(text, encoding="utf-8")
    declared = facts(A, B, C)
    source = dataclasses.replace(_source(folder / "rows.csv"), glob=False)
    check(source, [{"a": "1", "b": "2", "c": "3"}], declared, same)


def _source(file):
    from discreet.facts.model import Source

    return Source("csv", str(file))


def test_many_rows_line_by_line(tmp_path, facts, same):
    file = tmp_path / "rows.csv"
    text = "g,n\n" + "".join(f"{n % 3},{n}\n" for n in range(55_000)) + "1\n"
    file.write_text(text, encoding="utf-8")
    declared = facts(Category("g", (0, 1)), Integer("n", 0, 55_000))
    wanted = Wanted(
        None,
        (ByValue(Column("g"), (Fraction(0), Fraction(1))),),
        (Measure(0), Measure(1, Column("n"), Grid(Fraction(1), 0, 55_000))),
    )
    check_rows = [{"g": str(n % 3), "n": str(n)} for n in range(55_000)] + [{"g": "1"}]
    engine = open_engine(declared, file)
    same(engine, Reference(declared, check_rows), wanted)
    engine.close()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "no column called 'c'"),
        ("", "no column called 'a'"),
        ("a,b,c,c\n1,2,3,4\n", "2 columns called 'c'"),
        ("A,b, c\n1,2,3\n", "the source spells it 'A'"),
    ],
)
def test_a_header_that_lacks_a_declared_column_is_refused(text, says, tmp_path, facts):
    file = tmp_path / "rows.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FactsError, match=says):
        open_engine(facts(A, B, C), file)


def test_a_file_that_is_not_there_is_a_fault(tmp_path, facts):
    for place in (tmp_path / "none.csv", tmp_path / "*.csv"):
        with pytest.raises(EngineFault):
            open_engine(facts(A), place)
