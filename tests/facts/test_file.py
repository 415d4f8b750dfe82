"""Reading facts files: the model that comes out, exact numbers, samples, folders, and texts that are no facts at all."""

import pickle
import random
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts.documents import SOUND, spoilt

from discreet.errors import FactsError, ParameterError, Refused
from discreet.facts import check_facts, parse_facts, read_facts, read_folder
from discreet.facts.locations import parse_source
from discreet.facts.model import (
    Boolean,
    Budget,
    Category,
    CsvFormat,
    Date,
    EachRow,
    Facts,
    Integer,
    Number,
    Source,
    Text,
    Timestamp,
)
from discreet.lessons.samples import NAMES, write_sample
from discreet.privacy import Approximate, Concentrated, Pure


def test_every_key_arrives_in_the_model():
    folder = Path("some/folder").absolute()
    assert parse_facts(SOUND, "some/folder/x.toml") == Facts(
        name="ce_book",
        source="data/ce_book.csv",
        located=Source("csv", str(folder / "data" / "ce_book.csv")),
        unit=EachRow(),
        neighbours="change_one",
        version="2017Q1",
        rows=994,
        null_keys=True,
        people="consumers",
        description="consumer units",
        csv=CsvFormat(delimiter=";", quote="'", header=True, encoding="latin-1"),
        budget=Budget(
            cap=Approximate(epsilon="2.2", delta="1e-6"),
            accounting="concentrated",
            partition="UrbanRural",
            per_analyst=Approximate(epsilon="1.1", delta="0.0000005"),
            max_epsilon_per_question=Fraction(1, 2),
            expires=date(2030, 12, 31),
        ),
        columns=(
            Category("UrbanRural", (1, 2), ("Urban", "Rural"), other=True, description="where"),
            Number("Income", Fraction(0), Fraction(2_000_001, 2), Fraction(1, 10), decimal=",", thousands="."),
            Integer("Kids", -1, 10, drop=True),
            Category("Marital Status", ("married", "single")),
            Boolean("Owns", null=False, true=("Y", "ja", 1), false=("N", 2)),
            Date("Born", date(1900, 1, 1), date(2017, 12, 31), format="%d.%m.%Y"),
            Timestamp("Seen", datetime(2017, 1, 1), datetime(2017, 12, 31, 23, 59, 59, 500_000),  # noqa: DTZ001
                      format="%d.%m.%Y %H:%M", zone="Europe/Berlin"),
            Text("Name", 40),
        ),
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0.1", "1/10"),
        ("1e-3", "1/1000"),
        ("1_0.0_1", "1001/100"),
        ('"1/3"', "1/3"),
        ("0.1000000000000000055511151231257827", "1000000000000000055511151231257827/10000000000000000000000000000000000"),
        ("3", "3"),
        ("0x10", "16"),
    ],
)
def test_a_number_is_what_was_written_and_no_float_in_between(written, meant):
    alone = ('per_analyst = { epsilon = 1.1, delta = "1/2000000" }\n', "")
    facts = parse_facts(spoilt(alone, ("epsilon = 2.2", f"epsilon = {written}")), "x.toml")
    assert facts.budget.cap == Approximate(epsilon=meant, delta="1e-6")


@pytest.mark.parametrize(
    ("budget", "cap", "accounting"),
    [
        ("epsilon = 1", Pure(epsilon=1), "basic"),
        ("epsilon = 1\ndelta = 0", Pure(epsilon=1), "basic"),
        ("epsilon = 1\ndelta = 1e-6", Approximate(epsilon=1, delta="1e-6"), "basic"),
        ("rho = 0.5", Concentrated(rho="0.5"), "concentrated"),
    ],
)
def test_a_cap_is_a_loss(budget, cap, accounting):
    text = SOUND[: SOUND.index("[budget]")] + "[budget]\n" + budget + "\n" + SOUND[SOUND.index("[columns") :]
    facts = parse_facts(text, "x.toml")
    assert facts.budget == Budget(cap, accounting)


@pytest.mark.parametrize(
    ("written", "located"),
    [
        ("/data/x.CSV", Source("csv", "/data/x.CSV")),
        ("x.parquet", Source("parquet", "{folder}/x.parquet")),
        ("years/*/part-?.parquet", Source("parquet", "{folder}/years/*/part-?.parquet", glob=True)),
        ("x.duckdb#main.people", Source("duckdb", "{folder}/x.duckdb", "main.people")),
        ("postgresql://reader@host:5432/db?sslmode=require#schema.t", Source(
            "postgresql", "postgresql://reader@host:5432/db?sslmode=require", "schema.t")),
        ("spark:catalog.schema.t", Source("spark", "spark", "catalog.schema.t")),
    ],
)  # fmt: skip
def test_a_source_is_seen_from_the_folder_of_the_facts(written, located):
    text = SOUND.replace("data/ce_book.csv", written).replace('partition = "UrbanRural"\n', "")
    text = text if located.kind == "csv" else text[: text.index("[csv]")] + text[text.index("[budget]") :]
    facts = parse_facts(text, str(Path("facts", "x.toml")))
    place = located.place.replace("{folder}", str(Path("facts").absolute()))
    assert (facts.source, facts.located) == (written, Source(located.kind, place, located.table, located.glob))


def test_a_folder_with_brackets_is_not_part_of_the_pattern(tmp_path):
    file = tmp_path / "data[1]" / "x.toml"
    located = parse_facts(SOUND.replace("ce_book.csv", "*.csv"), str(file)).located
    assert located is not None
    (file.parent / "data").mkdir(parents=True)
    (file.parent / "data" / "a.csv").touch()
    assert list(Path("/").glob(located.place.lstrip("/"))) == [file.parent / "data" / "a.csv"]


@pytest.mark.parametrize("source", [
    "postgresql://me:secret@host/db#schema.t", "postgresql://host/db?password=secret#t", "postgresql://:secret@host/db#t",
    "postgresql://me:?secret@host/db#t", "postgresql://me:/secret@host/db#t", "postgresql://me:#secret@host/db#t",
    "postgresql://host/db?pass%77ord=secret#t", "postgresql://host/db?sslpassword=secret#t", "POSTGRESQL://me:secret@host/db#t",
    "postgres://me:secret@one,two:5432/db#t", "postgresql:host=here password=secret#t",
    "postgresql://me:12/secret@host/db#t", "postgresql://me%3Asecret@host/db#t", "postgresql://me:secret%40host/db#t",
    "postgresql:///?dbname=postgresql%3A//me%3Asecret@host/db#t", "postgresql:///?dbname=keyword%20%3D%20secret#t",
    "postgresql://host/db?user=me:secret#t", "postgresql://host/db?host=me:secret@host#t",
])  # fmt: skip
def test_a_password_does_not_belong_in_public_facts_and_is_not_repeated(source):
    [problem] = [one for one in check_facts(SOUND.replace("data/ce_book.csv", source), "x.toml") if one.key == "table.source"]
    assert "password" in problem.message
    assert "~/.pgpass" in problem.hint
    assert "secret" not in str(problem.to_error())


@pytest.mark.parametrize("source", [
    "postgresql://host/db?oauth_client_secret=secret#t", "postgresql://host/db?user=me&scram_client_key=secret#t",
    "postgresql://host/db?scram%5Fserver_key=secret#t", "postgresql://host/db?a_key_of_a_later_version=secret#t",
    "postgresql://host/db?secret#t", "postgresql://host/db?sslkeylogfile=secret#t",
    " postgresql://me:secret@host/db#t", "postgresql://me:secret@host/db#t ", "host=here password=secret",
    "//me:secret@host/x.db",
])  # fmt: skip
def test_whatever_else_may_be_a_secret_is_refused_and_not_repeated(source):
    [problem] = [one for one in check_facts(SOUND.replace("data/ce_book.csv", source), "x.toml") if one.key == "table.source"]
    assert "secret" not in str(problem.to_error()).replace("hold no secret, and", "")


def test_every_other_parameter_of_libpq_may_stand_in_an_address(part):
    part("psycopg")
    from psycopg import pq

    known = {each.keyword.decode() for each in pq.Conninfo.get_defaults()}
    secret = {"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"}
    secret |= {"sslkeylogfile", "replication"}  # which nobody needs who asks questions
    for name in known - secret:
        assert parse_source(f"postgresql:///?{name}=x#t", Path()).table == "t"
    for name in known & secret:
        with pytest.raises(ParameterError):
            parse_source(f"postgresql:///?{name}=x#t", Path())


@pytest.mark.parametrize("source", [
    "postgresql://me@host:5432/db#s.t", "postgresql:///?service=clinic#public.visits", "postgresql://host:5432/db?user=a@b#t",
    "postgresql://[::1]:5432/db?user=a@b#t", "postgresql://one:1,two:2/db#public.passwords",
])  # fmt: skip
def test_an_address_without_a_password_is_read(source):
    text = SOUND.replace("data/ce_book.csv", source)
    assert [one for one in check_facts(text, "x.toml") if one.key == "table.source"] == []


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    for name in NAMES:
        write_sample(name, folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_the_facts_of_every_sample_are_read(name, samples):
    facts = read_facts(samples / f"{name}.toml")
    assert facts.name == name
    assert facts.located == Source("csv", str(samples / f"{name}.csv"))
    assert (facts.rows is None) == (facts.neighbours == "add_remove")
    header = (samples / f"{name}.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert {column.name for column in facts.columns} <= set(header)


def test_a_folder_of_samples_is_a_dict_of_tables(samples):
    (samples / ".hidden.toml").write_text("no facts", encoding="utf-8")
    tables = read_folder(samples)
    assert list(tables) == sorted(NAMES)
    assert {name: facts.name for name, facts in tables.items()} == {name: name for name in NAMES}


def written(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def test_two_tables_of_one_name_are_refused(tmp_path):
    with pytest.raises(FactsError, match=r"a\.toml has a table 'CE_book' too") as caught:
        read_folder(written(tmp_path, a=SOUND, b=SOUND.replace('"ce_book"', '"CE_book"')))
    assert (caught.value.file, caught.value.line, caught.value.key) == (str(tmp_path / "b.toml"), 2, "table.name")


@pytest.mark.parametrize(
    ("old", "new", "key", "line"),
    [
        ('neighbours = "change_one"\nrows = 994', 'neighbours = "add_remove"', "table.neighbours", 6),
        ('"row"\nneighbours = "change_one"\nrows', '{ column = "h" }\nneighbours = "change_one"\nunits', "table.unit", 5),
        ("epsilon = 2.2", "epsilon = 2.3", "budget", 17),
    ],
)
def test_tables_about_the_same_people_have_one_cap_unit_and_relation(tmp_path, old, new, key, line):
    other = SOUND.replace('"ce_book"', '"ce_more"')
    assert set(read_folder(written(tmp_path, a=SOUND, b=other))) == {"ce_book", "ce_more"}
    assert old in other
    with pytest.raises(FactsError, match="about the same people") as caught:
        read_folder(written(tmp_path, b=other.replace(old, new)))
    assert (caught.value.line, caught.value.key) == (line, key)
    elsewhere = other.replace(old, new).replace('"consumers"', '"others"')
    assert len(read_folder(written(tmp_path, b=elsewhere))) == 2


def test_the_first_problem_is_raised_with_file_line_key_and_fix(tmp_path):
    written(tmp_path, ce_book=spoilt(("upper = 1_000_000.5", "upper = -5")))
    file = tmp_path / "ce_book.toml"
    with pytest.raises(FactsError) as caught:
        read_facts(file)
    error = caught.value
    assert (error.file, error.line, error.key, error.code) == (str(file), 36, "columns.Income.upper", "facts")
    assert str(error) == (
        f"{file} line 36, columns.Income.upper: upper is -5, not above lower, which is 0; write an upper above 0"
    )
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line) == (str(error), error.line)


def test_an_error_without_a_place_is_a_plain_sentence():
    assert str(FactsError("no unit", hint="write one")) == "no unit; write one"
    assert str(FactsError("no unit", key="table.unit")) == "table.unit: no unit"
    assert isinstance(FactsError("no unit"), Refused)


@pytest.mark.parametrize(
    ("change", "line", "key", "hint"),
    [
        (('"2017Q1"', "2017Q1"), 4, "table.version", "text in double quotes"),
        (('"2017Q1"', "Q1"), 4, "table.version", "text in double quotes"),
        (('"2017Q1"', '"2017Q1'), 4, "table.version", "close the quotes"),
        (("rows = 994", "rows = 994\nrows = 995"), 8, "table.rows", "twice; keep one"),
        (("[columns.Kids]", "[columns.Income]"), 41, "columns.Income", "the same table is written twice"),
        (("rows = 994", "rows 994"), 7, "table", "key = value"),
        (("rows = 994", f"rows = {'9' * 5000}"), 7, "table.rows", "fewer digits"),
        (("rows = 994", f"rows = {'[' * 5000}"), 1, "", "flat"),
        (("1900-01-01", "1900-02-30"), 62, "columns.Born.lower", "a day that exists"),
        (('"text"\nmax_length = 40', '"text'), 74, "columns.Name.type", "close the quotes"),
        (("max_length = 40\n", "max_length = [40"), 75, "columns.Name.max_length", "close the brackets"),
    ],
)
def test_what_is_not_toml_is_refused_with_its_line(change, line, key, hint):
    [problem] = check_facts(spoilt(change), "x.toml")
    assert (problem.line, problem.key) == (line, key)
    assert hint in problem.hint


def test_byte_order_marks_and_windows_line_ends_are_read(tmp_path):
    file = tmp_path / "x.toml"
    file.write_bytes(b"\xef\xbb\xbf" + SOUND.replace("\n", "\r\n").encode())
    assert read_facts(file).name == "ce_book"
    file.write_bytes(b"\xef\xbb\xbf" + spoilt(("rows = 994", "rows = 0")).replace("\n", "\r\n").encode())
    with pytest.raises(FactsError, match=r"line 7, table\.rows"):
        read_facts(file)


def test_files_and_folders_that_cannot_be_read_are_facts_errors(tmp_path):
    (tmp_path / "x.toml").write_bytes(b"[table]\nname = '\xff'\n")
    with pytest.raises(FactsError, match=r"x\.toml line 2: the file is not UTF-8; save it as UTF-8"):
        read_facts(tmp_path / "x.toml")
    with pytest.raises(FactsError, match="no such file"):
        read_facts(tmp_path / "y.toml")
    with pytest.raises(FactsError, match="cannot be read"):
        read_facts(tmp_path)
    with pytest.raises(FactsError, match="cannot be read: not a path"):
        read_facts("a\0b.toml")
    with pytest.raises(FactsError, match="no such folder"):
        read_folder(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FactsError, match="no facts file"):
        read_folder(tmp_path / "empty")


def refuses_or_reads(text: str) -> bool:
    """Whether the text is sound; if it is not, each problem has its place and its fix."""
    problems = check_facts(text, "x.toml")
    if problems:
        with pytest.raises(FactsError) as caught:
            parse_facts(text, "x.toml")
        assert str(caught.value) == str(problems[0].to_error())
        assert all(1 <= problem.line <= text.count("\n") + 1 and problem.message and problem.hint for problem in problems)
    else:
        parse_facts(text, "x.toml")
    return not problems


PIECES = [
    "", "0", "-1", "1e999", "nan", "inf", "true", "[]", "[[]]", "{}", '""', "'?'", '"drop"', "1979-05-27", "07:32:00", "\x00",
    "é", "1979-05-27T07:32:00Z", "[1, 'a', {}]", "{ a = [{ b = 1 }] }",
    "0x" + "f" * 5000, "9" * 400, "\n", "=", "]", '"', "#", ".",
]  # fmt: skip


@pytest.mark.slow
def test_hundreds_of_malformed_files_raise_a_facts_error_and_nothing_else():
    chance = random.Random(7)
    lines = SOUND.split("\n")
    sound = 0
    for _ in range(300):
        changed = list(lines)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(changed))
            key, mark, _ = changed[place].partition(" = ")
            match chance.randrange(4):
                case 0:
                    del changed[place]
                case 1:
                    changed[place] = f"{key}{mark}{chance.choice(PIECES)}"
                case 2:
                    cut = chance.randrange(len(changed[place]) + 1)
                    changed[place] = changed[place][:cut] + chance.choice(PIECES) + changed[place][cut + 1 :]
                case 3:
                    changed.insert(chance.randrange(len(changed)), changed[place])
        sound += refuses_or_reads("\n".join(changed))
    assert sound < 100  # most mutations break something


@given(st.text(max_size=60) | st.text(alphabet='[]{}=".\n#table columns1', max_size=60))
def test_any_text_is_refused_or_read(text):
    assert not refuses_or_reads(text)


@pytest.mark.slow
@given(
    st.recursive(
        st.sampled_from(['"row"', "1", "-1", "0.5", "nan", "true", '"x"', "1979-05-27", "1979-05-27T00:00:00", '"drop"']),
        lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(inner, max_size=3).map(lambda items: "{" + ", ".join(f"k{i} = {item}" for i, item in enumerate(items)) + "}"),
        max_leaves=4,
    ),
    st.integers(min_value=0),
)
def test_any_value_may_stand_anywhere_without_an_accident(value, place):
    lines = SOUND.replace('[\n  "married",\n  "single",\n]', "[]").split("\n")
    entries = [i for i, line in enumerate(lines) if " = " in line]
    place = entries[place % len(entries)]
    lines[place] = f"{lines[place].partition(' = ')[0]} = {value}"
    refuses_or_reads("\n".join(lines))
