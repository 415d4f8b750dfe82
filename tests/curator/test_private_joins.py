"""Two registered tables about the same people, joined by the unit: one charge to their group, both as they were registered."""

import os

import pandas as pd
import pytest

import discreet as dc
from discreet.curator import office, open_table
from discreet.curator.opening import curator_in_memory
from discreet.engines import open_engine
from discreet.errors import FactsError
from discreet.facts import read_facts
from discreet.facts.file import check_facts, read_folder
from discreet.ledger.registry import facts_digest

pytestmark = pytest.mark.slow  # two tables are registered for every test

PATIENTS = """\
[table]
name = "patients"
source = "patients.csv"
version = "1"
unit = { column = "id", max_rows = 1 }
neighbours = "add_remove"
people = "patients of the ward"
[budget]
epsilon = 10
[columns.sex]
type = "category"
values = [1, 2]
[join.visits]
facts = "visits.toml"
"""
VISITS = """\
[table]
name = "visits"
source = "visits.csv"
version = "1"
unit = { column = "patient", max_rows = 4 }
neighbours = "add_remove"
people = "patients of the ward"
[budget]
epsilon = 10
max_epsilon_per_question = 5
[columns.cost]
type = "integer"
lower = 0
upper = 100
[columns.ward]
type = "category"
values = ["a", "b"]
[join.patients]
facts = "patients.toml"
"""
SQL = "SELECT sex, COUNT(*) AS n, SUM(cost) AS s FROM patients JOIN visits ON patients.id = visits.patient GROUP BY sex"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "patients.toml").write_text(PATIENTS, encoding="utf-8")
    (tmp_path / "visits.toml").write_text(VISITS, encoding="utf-8")
    (tmp_path / "patients.csv").write_text("id,sex\n" + "".join(f"{n},{1 + n % 2}\n" for n in range(100)), encoding="utf-8")
    rows = "".join(f"{n},{n % 50},{'ab'[n % 2]}\n" for n in [*range(50)] * 2 + [7] * 90 + [500])
    (tmp_path / "visits.csv").write_text(f"patient,cost,ward\n{rows}", encoding="utf-8")
    return tmp_path


@pytest.fixture
def patients(folder):
    for name in ("patients.toml", "visits.toml"):
        office.register(folder / name)
    curator = open_table(folder / "patients.toml")
    yield curator
    curator.close()


def spent(curator):
    return curator.budget.spent


def test_a_join_of_both_is_one_charge_to_the_group(folder, patients):
    answer = patients.ask(SQL, epsilon=4)
    assert abs(answer.rows[0]["n"] - 50) < 60  # 25 people of two visits; scale 2, so that it is beyond once in 10^13
    visits = open_table(folder / "visits.toml")
    assert spent(patients) == spent(visits) == dc.Pure(epsilon=4)
    assert patients.ask(SQL, epsilon=1).replayed
    other = "SELECT sex, COUNT(*) AS n FROM visits JOIN patients ON patient = id GROUP BY sex"
    visits.ask(other, epsilon=1)
    assert spent(patients) == spent(visits) == dc.Pure(epsilon=5)
    visits.close()
    assert office.verify(folder).ok


def test_joined_rows_are_as_many_as_both_caps_allow(folder):
    facts = read_facts(folder / "patients.toml")
    plan_of = curator_in_memory(facts, open_engine(facts))
    with dc.testing.recorded() as calls:
        plan_of.ask("SELECT COUNT(*) AS n FROM patients JOIN visits ON id = patient", epsilon=1)
    assert int(calls[0].exact.ravel()[0]) == 49 * 2 + 4  # patient 7 has 92 visits; 500 is nobody
    assert calls[0].mechanism.sensitivity == 4
    with dc.testing.recorded() as calls:
        plan_of.ask("SELECT COUNT(*) AS n FROM patients LEFT JOIN visits ON id = patient", epsilon=1)
    assert int(calls[0].exact.ravel()[0]) == 49 * 2 + 4 + 50


def test_a_quote_says_how_many_rows_a_row_may_become(patients):
    assert any("a row may become 4 rows" in each for each in patients.quote(SQL, epsilon=1).warnings)


def test_a_price_above_what_the_other_table_allows_is_refused(patients):
    with pytest.raises(dc.BudgetError, match="costs epsilon 6"):
        patients.ask(SQL, epsilon=6)
    patients.ask("SELECT COUNT(*) AS n FROM patients", epsilon=6)


def test_the_other_table_must_be_registered(folder):
    office.register(folder / "patients.toml")
    curator = open_table(folder / "patients.toml")
    with pytest.raises(dc.AccessError, match="visits is not registered"):
        curator.ask(SQL, epsilon=1)
    office.register(folder / "visits.toml")
    assert curator.ask(SQL, epsilon=1).rows
    curator.close()


def test_freezing_the_other_table_stops_the_join_and_nothing_else(folder, patients):
    patients.ask(SQL, epsilon=1)
    office.freeze(folder / "visits.toml", reason="look first")
    for sql, who in ((SQL, "bob"), (SQL.replace("cost", "2 * cost"), None)):
        with pytest.raises(dc.AccessError, match="visits is frozen"):
            patients.ask(sql, epsilon=1, analyst=who)
    assert patients.ask(SQL, epsilon=1).replayed                              # one's history stays readable
    assert patients.ask("SELECT COUNT(*) AS n FROM patients", epsilon=1).rows


def test_a_file_of_the_other_table_that_changed_closes_that_table_and_costs_nothing(folder, patients):
    (folder / "visits.csv").write_text("patient,cost,ward\n1,1,a\n", encoding="utf-8")
    with pytest.raises(dc.AccessError, match="the source of visits has changed"):
        patients.ask(SQL, epsilon=1)
    assert [entry.body["table"] for entry in office.entries(folder) if entry.kind == "source"] == ["visits"]
    assert spent(patients) == dc.Pure(epsilon=0)


def test_a_file_of_the_other_table_that_is_gone_is_a_fault_that_costs_nothing(folder, patients):
    (folder / "visits.csv").unlink()
    with pytest.raises(dc.SourceFault, match="the source of visits is gone") as caught:
        patients.ask(SQL, epsilon=1)
    assert caught.value.reference in (folder / ".discreet" / "faults.log").read_text(encoding="utf-8")
    assert spent(patients) == dc.Pure(epsilon=0)


def test_a_file_of_the_other_table_that_was_touched_is_the_same(folder, patients):
    os.utime(folder / "visits.csv", ns=(1, 1))
    assert patients.ask(SQL, epsilon=1).rows


def test_a_new_version_of_the_other_table_is_a_new_version_of_this_one(folder, patients):
    patients.ask(SQL, epsilon=1)
    (folder / "visits.csv").write_text("patient,cost,ward\n1,1,a\n", encoding="utf-8")
    (folder / "visits.toml").write_text(VISITS.replace('version = "1"', 'version = "2"'), encoding="utf-8")
    office.new_version(folder / "visits.toml", reason="another month")
    with pytest.raises(dc.AccessError, match="visits is at version 2"):
        patients.ask(SQL.replace("cost", "2 * cost"), epsilon=1)
    with pytest.raises(dc.FactsError, match="the facts of visits have changed since patients was registered") as refused:
        open_table(folder / "patients.toml")
    assert "discreet version new patients.toml" in refused.value.hint
    (folder / "patients.toml").write_text(PATIENTS.replace('version = "1"', 'version = "2"'), encoding="utf-8")
    office.new_version(folder / "patients.toml", reason="another month of visits")
    after = open_table(folder / "patients.toml")
    assert not after.ask(SQL, epsilon=1).replayed
    assert spent(after) == dc.Pure(epsilon=2)
    after.close()


def test_facts_that_changed_beside_the_same_other_table_are_those_of_this_one(folder, patients):
    patients.close()
    (folder / "patients.toml").write_text(PATIENTS.replace("values = [1, 2]", "values = [1, 2, 3]"), encoding="utf-8")
    with pytest.raises(dc.FactsError, match="the facts of patients have changed since they were registered"):
        open_table(folder / "patients.toml")


def test_another_unit_of_the_other_table_than_the_registered_one_is_refused(folder):
    office.register(folder / "visits.toml")
    (folder / "visits.toml").write_text(VISITS.replace("max_rows = 4", "max_rows = 400"), encoding="utf-8")
    office.register(folder / "patients.toml")
    curator = open_table(folder / "patients.toml")
    with pytest.raises(dc.FactsError, match="the unit of visits"):
        curator.ask(SQL, epsilon=1)
    curator.close()


def test_caps_of_the_other_table_that_came_with_a_new_version_count(folder, patients):
    narrow = patients.quote(SQL, epsilon=1).columns[0].plus_minus
    patients.close()
    later = VISITS.replace("max_rows = 4", "max_rows = 40").replace('version = "1"', 'version = "2"')
    (folder / "visits.toml").write_text(later, encoding="utf-8")
    office.new_version(folder / "visits.toml")
    (folder / "patients.toml").write_text(PATIENTS.replace('version = "1"', 'version = "2"'), encoding="utf-8")
    office.new_version(folder / "patients.toml")
    after = open_table(folder / "patients.toml")
    assert after.ask(SQL, epsilon=1).rows
    assert after.quote(SQL, epsilon=1).columns[0].plus_minus == pytest.approx(10 * narrow, rel=0.1)
    after.close()


def test_a_crash_is_resumed_with_the_tables_that_were_charged(folder, patients):
    patients.ask(SQL, epsilon=1)
    (charge,) = [entry for entry in office.export(folder) if entry["kind"] == "charge"]
    assert charge["body"]["beside"] == [["visits", "1"]]


@pytest.mark.slow
def test_a_rehearsal_and_an_audit_make_up_both_tables(folder, patients):
    assert patients.ask(SQL, epsilon=1, rehearse=True).rehearsed
    for sql in (SQL, SQL.replace("JOIN", "LEFT JOIN"), SQL.replace("SUM(cost)", "AVG(cost)")):
        assert dc.audit.question(folder / "patients.toml", sql, epsilon=1, pairs=20).verdict == "no violation found"


# ---- facts


def test_two_tables_may_name_each_other(folder):
    tables = read_folder(folder)
    assert [(each.joins[0].column, each.joins[0].match) for each in tables.values()] == [("id", "patient"), ("patient", "id")]
    changed = VISITS.replace("upper = 100", "upper = 101")
    before = facts_digest(tables["patients"])
    (folder / "visits.toml").write_text(changed, encoding="utf-8")
    assert facts_digest(read_facts(folder / "patients.toml")) != before


WRONG = [
    ("patients", 'facts = "visits.toml"', 'facts = "visit.toml"', "cannot be read", "path"),
    ("patients", 'facts = "visits.toml"', 'facts = "visits.csv"', "cannot be read", "path"),
    ("patients", 'facts = "visits.toml"', "facts = 3", "not a text", "quotes"),
    ("patients", 'facts = "visits.toml"', 'facts = "visits.toml"\nkey = "id"', "key is not known", "write"),
    ("patients", "[join.visits]", "[join.stays]", "is called visits", "write [join.visits]"),
    ("patients", 'unit = { column = "id", max_rows = 1 }', 'unit = "row"', "every row is one", "column"),
    ("patients", 'people = "patients of the ward"\n', "", "not about the same people", "people"),
    ("visits", 'people = "patients of the ward"', 'people = "others"', "not about the same people", "people"),
    ("visits", "add_remove", "change_one", "other neighbours", "same neighbours"),
    ("visits", ", max_rows = 4", "", "no column with max_rows", "max_rows = 10"),
    ("visits", 'unit = { column = "patient", max_rows = 4 }', 'unit = "row"', "no column with max_rows", "max_rows"),
    ("visits", "lower = 0", "lower = 200", "is not sound", "discreet check visits.toml"),
    ("visits", "[table]", "[table", "cannot be read", "path"),
]


@pytest.mark.parametrize(("which", "old", "new", "message", "hint"), WRONG)
def test_tables_that_do_not_go_together_are_refused_with_what_to_write(folder, which, old, new, message, hint):
    text = {"patients": PATIENTS, "visits": VISITS}[which]
    assert old in text
    (folder / f"{which}.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    file = folder / "patients.toml"
    problems = check_facts(file.read_text(encoding="utf-8"), str(file))
    assert any(message in problem.message and hint in problem.hint for problem in problems), problems
    with pytest.raises(FactsError):
        office.register(file)


@pytest.mark.slow
@pytest.mark.parametrize("sql", [
    "SELECT COUNT(*) FROM patients JOIN visits ON patients.sex = visits.cost",
    "SELECT COUNT(*) FROM patients JOIN visits ON TRUE",
    "SELECT COUNT(*) FROM patients JOIN visits USING (id)",
    "SELECT COUNT(*) FROM patients JOIN visits ON patients.id = visits.id",
    "SELECT COUNT(*) FROM patients, visits",
    "SELECT COUNT(*) FROM patients JOIN wards ON id = patient",
])  # fmt: skip
def test_two_tables_are_joined_by_the_unit_and_by_nothing_else(patients, sql):
    with pytest.raises(dc.QuestionError):
        patients.quote(sql, epsilon=1)


# ---- what is the same unit


@pytest.mark.slow
@pytest.mark.parametrize("ours", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("theirs", ["csv", "parquet", "duckdb", "text"])
def test_units_are_the_same_whatever_they_are_stored_as(folder, ours, theirs):
    import duckdb

    people = pd.read_csv(folder / "patients.csv")
    visits = pd.read_csv(folder / "visits.csv").astype({"patient": "float64" if theirs == "parquet" else "int64"})
    if theirs == "text":
        visits = visits.astype({"patient": str})
    for name, frame, kind in (("patients", people, ours), ("visits", visits, theirs)):  # noqa: B007 - DuckDB finds it by name
        if kind in ("parquet", "text"):
            duckdb.sql("SELECT * FROM frame").write_parquet(str(folder / f"{name}.parquet"))
            source = f"{name}.parquet"
        elif kind == "duckdb":
            with duckdb.connect(str(folder / f"{name}.duckdb")) as connection:
                connection.execute(f"CREATE TABLE {name} AS SELECT * FROM frame")
                connection.execute("CREATE VIEW data AS SELECT 1 AS x")  # whatever else is in the file
            source = f"{name}.duckdb#{name}"
        else:
            source = f"{name}.csv"
        text = {"patients": PATIENTS, "visits": VISITS}[name]
        (folder / f"{name}.toml").write_text(text.replace(f"{name}.csv", source), encoding="utf-8")
    facts = read_facts(folder / "patients.toml")
    curator = curator_in_memory(facts, open_engine(facts, people if ours == "frame" else None))
    with dc.testing.recorded() as calls:
        curator.ask("SELECT COUNT(*) AS n FROM patients JOIN visits ON id = patient", epsilon=1)
    assert int(calls[0].exact.ravel()[0]) == 49 * 2 + 4
    curator.close()
