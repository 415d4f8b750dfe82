"""Whoever holds the data reads why a source cannot be read; whoever asks about it never does."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.interfaces.people import CANARY, FACTS

PARQUET = FACTS.replace("people.csv", "people.parquet")
DATABASE = FACTS.replace("people.csv", "people.duckdb#people")


@pytest.fixture
def broken(folder):
    """Files that are not what their names say, with a name of somebody in them."""
    (folder / "people.toml").write_text(PARQUET, encoding="utf-8")
    (folder / "people.parquet").write_bytes(b"no such thing " * 20)
    (folder / "base.toml").write_text(DATABASE, encoding="utf-8")
    (folder / "people.duckdb").write_bytes(b"no such thing " * 1000)
    return folder


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("register", "people.toml"), "magic bytes"),
        (("register", "base.toml"), "not a valid DuckDB"),
        (("check", "people.toml"), "magic bytes"),
        (("check", "base.toml"), "not a valid DuckDB"),
        (("init", "people.parquet", "--out", "new.toml"), "magic bytes"),
    ],
)
def test_the_data_holder_reads_the_engines_own_reason_and_no_number_of_a_log_that_is_not_there(discreet, broken, words, reason):
    for more in ((), ("--json",)):
        shown = discreet(*words, *more)
        text = " ".join((shown.out + shown.err).split())
        assert shown.code in (2, 4)
        assert reason.casefold() in text.casefold()
        assert "reference" not in text
    assert not (broken / ".discreet").exists()


def test_a_pattern_with_too_many_files_is_refused_with_its_limit(discreet, folder, monkeypatch):
    monkeypatch.setattr("discreet.engines.patterns.MOST_FILES", 3)
    (folder / "people.toml").write_text(FACTS.replace("people.csv", "**/*.csv"), encoding="utf-8")
    assert discreet("check", "people.toml").code == 0
    for number in range(4):
        (folder / f"{number}.csv").write_text("Age,Sex,Note\n", encoding="utf-8")
    for command in ("check", "register"):
        shown = discreet(command, "people.toml")
        assert shown.code in (2, 4)
        assert "more than 3 files" in " ".join((shown.out + shown.err).split())


def test_a_pattern_that_would_walk_over_everything_ends(discreet, folder, monkeypatch):
    monkeypatch.setattr("discreet.engines.patterns.MOST_PLACES", 100)
    (folder / "people.toml").write_text(FACTS.replace('"people.csv"', '"/**/*.csv"'), encoding="utf-8")
    shown = discreet("check", "people.toml")
    assert shown.code == 2
    assert "more than 100 files and folders" in " ".join(shown.out.split())


def test_whoever_asks_never_reads_it(people, folder, monkeypatch):
    """Also where the engine itself quotes a row."""
    import discreet.engines.duckdb.engine as engine

    def failing(*words):
        raise ValueError(f"could not convert {CANARY}")

    monkeypatch.setattr(engine, "from_csv", failing)
    for more, code in ((), 4), (("--json",), 5):  # whoever met a fault is frozen
        shown = people("ask", "people.toml", "SELECT COUNT(*) AS n FROM people", "--epsilon", "0.1", *more)
        assert shown.code == code
        assert "reference" in shown.err
        assert "convert" not in shown.out + shown.err
        assert CANARY not in shown.out + shown.err
    assert "convert" not in (folder / ".discreet" / "faults.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("separate", [False, True])
def test_the_same_rows_under_another_name_need_a_word(people, folder, separate):
    (folder / "again.toml").write_text(FACTS.replace('name = "people"', 'name = "again"'), encoding="utf-8")
    words = ("--separate", "--reason", "a class") if separate else ()
    shown = people("register", "again.toml", *words)
    assert shown.code == (0 if separate else 2)
    assert separate or "--separate" in shown.err


# ---- nothing printed moves a cursor or turns a text around


HOSTILE = "\x1b[31mred\x1b[0m\u202egnp\x07\x9b2J"


def harmless(text):
    return all(letter.isprintable() or letter in "\n\t" for letter in text)


@pytest.mark.parametrize("as_json", [False, True])
def test_names_paths_labels_and_echoed_sql_cannot_steer_a_terminal(people, folder, as_json):
    more = ("--json",) if as_json else ()
    odd = folder / f"{HOSTILE}.toml"
    odd.write_text(FACTS.replace("people.csv", "gone.csv"), encoding="utf-8")
    strange = folder / "strange.toml"
    strange.write_text(FACTS.replace("Note]", json.dumps(HOSTILE) + "]"), encoding="utf-8")
    labelled = folder / "labelled.toml"
    labelled.write_text(FACTS.replace('"female"', json.dumps(HOSTILE)).replace('"people"', '"other"'), encoding="utf-8")
    sql = f"SELECT COUNT(*) AS n FROM people WHERE Note = '{HOSTILE}' AND"
    lines = [
        ("check", odd.name), ("register", odd.name), ("check", "strange.toml"), ("register", "strange.toml"),
        ("check", "labelled.toml"), ("register", "labelled.toml", "--separate", "--reason", HOSTILE),
        ("ledger", "show", "people.toml"),
        ("ask", "people.toml", sql, "--epsilon", "0.1"), ("quote", "people.toml", sql, "--epsilon", "0.1"),
        ("init", f"{HOSTILE}.csv"), ("freeze", "people.toml", "--reason", HOSTILE), ("ledger", "export", "people.toml"),
        ("unfreeze", "people.toml", "--reason", "x", "--analyst", HOSTILE), ("version", "new", odd.name),
        ("ask", "people.toml", "SELECT COUNT(*) AS n FROM people", "--epsilon", HOSTILE),
        ("receipt", "show", "people.toml", HOSTILE),
        ("audit", odd.name), (HOSTILE,),
    ]  # fmt: skip
    for words in lines:
        shown = people(*words, *more)
        assert harmless(shown.out + shown.err), (words, shown)


def test_a_very_long_path_is_a_wrong_path_and_accuses_nobody(discreet, folder):
    long = "x" * 300
    (folder / "people.toml").write_text(FACTS.replace("people.csv", f"{long}.csv"), encoding="utf-8")
    for command in ("check", "register"):
        shown = discreet(command, "people.toml")
        assert shown.code == 2
        assert "no such file" in shown.out + shown.err
    for command in ("check", "register"):
        shown = discreet(command, f"{long}.toml")
        assert (shown.code, "ledger" in shown.err) == (2, False)
    deep = folder
    while len(str(deep)) < 4050:
        deep = deep / ("d" * min(200, 4052 - len(str(deep))))
    shown = discreet("register", str(deep / "people.toml"))
    assert (shown.code, "backup" in shown.err) == (2, False)


def test_a_facts_file_in_a_folder_whose_name_leaves_no_room_for_a_ledger_is_told_so(discreet, folder, monkeypatch):
    deep = folder
    while (room := 4096 - 40 - len(str(deep))) > 1:
        monkeypatch.chdir(deep)
        deep = deep / ("d" * min(200, room - 1))
        Path(deep.name).mkdir()
    monkeypatch.chdir(deep)
    Path("people.toml").write_text(FACTS, encoding="utf-8")
    Path("people.csv").write_text("Age,Sex,Note\n1,1,x\n", encoding="utf-8")
    shown = discreet("register", "people.toml")
    assert shown.code == 4
    assert "backup" not in shown.err
    assert "too long" in shown.err


def test_a_path_that_is_too_long_for_the_ledger_leaves_nothing_behind(discreet, folder):
    deep = folder
    while len(str(deep)) < 600:
        deep = deep / ("d" * 100)
    deep.mkdir(parents=True)
    for name in ("people.toml", "people.csv"):
        (deep / name).write_bytes((folder / name).read_bytes())
    shown = discreet("register", str(deep / "people.toml"))
    assert shown.code == 4
    assert "too long" in shown.err
    assert {each.name for each in deep.iterdir()} == {"people.toml", "people.csv"}


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="missing part: users")
def test_a_ledger_that_one_may_not_open_accuses_nobody(discreet, folder):
    with TemporaryDirectory() as place:
        home = Path(place)
        home.chmod(0o755)
        for name in ("people.toml", "people.csv"):
            (home / name).write_bytes((folder / name).read_bytes())
        file = str(home / "people.toml")
        words = ("ask", file, "SELECT COUNT(*) AS n FROM people", "--epsilon", "0.1")
        assert discreet("register", file).code == 0
        assert discreet(*words).code == 0                                  # and everything is loaded
        (home / ".discreet").chmod(0)
        before = os.geteuid()
        try:
            if before == 0:
                os.seteuid(65534)
            for line in (words, ("register", file), ("ledger", "verify", file)):
                shown = discreet(*line)
                assert (shown.code, "readable and writable" in shown.err) == (4, True), shown
        finally:
            os.seteuid(before)
            (home / ".discreet").chmod(0o700)


def test_a_dotted_key_of_very_many_parts_is_refused_at_once(discreet, folder):
    for text in ("a" + ".a" * 50_000 + " = 1\n", "[" + "a" + ".a" * 50_000 + "]\n", "x = { " + "a" + ".a" * 50_000 + " = 1 }\n"):
        (folder / "people.toml").write_text(FACTS + text, encoding="utf-8")
        shown = discreet("check", "people.toml")
        assert shown.code == 2
        assert "parts" in shown.out


@pytest.mark.parametrize("option", ["--max-rows", "--max-groups", "--max-rows-per-group", "--assuming"])
def test_digits_of_other_scripts_are_not_read_as_caps(people, option):
    shown = people("quote", "people.toml", "SELECT COUNT(*) AS n FROM people", "--epsilon", "0.1", option, "٣")
    assert shown.code == 2
    assert option in shown.err


@pytest.mark.parametrize("letter", ["x", "\u20ac"])  # the second has three bytes, and a cut goes through it
@pytest.mark.parametrize("size", [70_000, 528_928])
def test_a_question_that_is_too_long_is_told_the_limit_and_no_size_that_it_does_not_have(people, folder, letter, size):
    (folder / "q.sql").write_text("--" + letter * (size // len(letter.encode())), encoding="utf-8")
    shown = people("quote", "people.toml", "--file", "q.sql", "--epsilon", "1")
    assert shown.code == 2
    assert "the question has more than 65,536 bytes" in shown.err


def test_check_refuses_a_view_of_a_duckdb_file_as_register_does(discreet, folder):
    with duckdb.connect(str(folder / "people.duckdb")) as made:
        made.execute("CREATE TABLE rows AS SELECT 1 AS Age, 1 AS Sex, 'x' AS Note")
        made.execute("CREATE VIEW seen AS SELECT * FROM rows")
    facts = (folder / "people.toml").read_text(encoding="utf-8")
    (folder / "people.toml").write_text(facts.replace("people.csv", "people.duckdb#seen"), encoding="utf-8")
    checked, registered = discreet("check", "people.toml"), discreet("register", "people.toml")
    assert (checked.code, registered.code) == (2, 2)
    assert "the source has no table called 'seen'" in checked.out
    assert "the source has no table called 'seen'" in registered.err
    (folder / "people.toml").write_text(facts.replace("people.csv", "people.duckdb#rows"), encoding="utf-8")
    assert discreet("check", "people.toml").code == 0


def test_check_refuses_moments_in_milliseconds_as_register_does(discreet, folder):
    moments = pa.array([0], pa.timestamp("ms"))
    pq.write_table(pa.table({"Age": [1], "Sex": [1], "Note": ["x"], "At": moments}), folder / "people.parquet")
    facts = (folder / "people.toml").read_text(encoding="utf-8").replace("people.csv", "people.parquet")
    (folder / "people.toml").write_text(facts + '\n[columns.At]\ntype = "timestamp"\n', encoding="utf-8")
    assert "milliseconds" in discreet("register", "people.toml").err
    assert "milliseconds" in discreet("check", "people.toml").out
