"""Budgets of registered tables: cells, groups, analysts, caps, expiry, freezing. Rules 11 to 17 by their counterexamples."""

import json
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from tests.ledger.made import ROWS, charged_by_hand, count_above, edit, facts_text, spent, sql, write_table

import discreet as dc
from discreet.curator import office, open_table
from discreet.facts import parse_facts
from discreet.ledger import admission, journal

pytestmark = pytest.mark.slow  # tables are registered for every test

URBAN, RURAL = (f"SELECT COUNT(*) AS n FROM t WHERE place = {value}" for value in (1, 2))


def registered(folder, **changes):
    file = write_table(folder, **changes)
    office.register(file)
    return file


@pytest.fixture
def t(tmp_path):
    curator = open_table(registered(tmp_path))
    yield curator
    curator.close()


def test_rural_and_urban_cost_epsilon_together_when_a_unit_is_in_one_of_them(t):
    t.ask(URBAN, epsilon="0.1")
    t.ask(RURAL, epsilon="0.1")
    assert spent(t) == Fraction(1, 10)
    t.ask("SELECT COUNT(*) AS n FROM t WHERE x > 5", epsilon="0.1")                  # any other question is about all
    t.ask("SELECT COUNT(*) FILTER (WHERE place = 2) AS n FROM t", epsilon="0.1")
    assert spent(t) == Fraction(3, 10)
    assert t.budget.cells == {"1": dc.Pure(epsilon="0.1"), "2": dc.Pure(epsilon="0.1")}
    assert office.verify(t.desk.place.parent).ok


def test_rural_and_urban_cost_twice_epsilon_when_a_unit_can_move(tmp_path):
    t = open_table(registered(tmp_path, neighbours="change_one", more="rows = 60"))
    t.ask(URBAN, epsilon="0.1")
    t.ask(RURAL, epsilon="0.1")
    assert spent(t) == Fraction(2, 10)
    t.ask("SELECT COUNT(*) AS n FROM t WHERE place = 1 AND place = 2", epsilon="0.05")      # of the cell of no row
    assert spent(t) == Fraction(2, 10)                                               # the two largest
    t.close()


def test_one_question_about_both_cells_costs_its_price_and_no_more_under_either_relation(tmp_path):
    both = "SELECT COUNT(*) AS n FROM t WHERE place IN (1, 2)"
    for number, relation in enumerate(["add_remove", "change_one"]):
        (folder := tmp_path / str(number)).mkdir()
        t = open_table(registered(folder, neighbours=relation, more="rows = 60" if relation == "change_one" else ""))
        assert t.quote(both, epsilon=1).after.spent == dc.Pure(epsilon=1)
        t.ask(both, epsilon=1)
        assert spent(t) == 1
        t.close()


def test_without_a_partition_every_question_is_about_the_whole_table(tmp_path):
    t = open_table(registered(tmp_path, budget="epsilon = 1"))
    t.ask(URBAN, epsilon="0.1")
    t.ask(RURAL, epsilon="0.1")
    assert spent(t) == Fraction(2, 10)
    t.close()


def moved(file, version, **more):
    """The file with the next version, its rows swapped between the cells."""
    (file.parent / "t.csv").write_text("x,place,name\n7,2,someone\n", encoding="utf-8")
    edit(file, f'version = "{version - 1}"', f'version = "{version}"')
    assert office.new_version(file, **more) == str(version)
    return open_table(file)


def test_urban_in_one_version_and_rural_in_the_next_cost_the_sum(tmp_path):
    file = registered(tmp_path)
    t = open_table(file)
    t.ask(URBAN, epsilon="0.1")
    t.close()
    t = moved(file, 2)
    assert (spent(t), t.budget.cells) == (Fraction(1, 10), {})
    t.ask(RURAL, epsilon="0.1")
    assert spent(t) == Fraction(2, 10)
    t.close()
    assert office.verify(file).ok


def test_a_new_version_brings_no_new_budget_and_no_old_answers(tmp_path):
    file = registered(tmp_path)
    t = open_table(file)
    t.ask(count_above(5), epsilon=1)
    t.close()
    t = moved(file, 2)
    with pytest.raises(dc.BudgetError):
        t.ask(count_above(5), epsilon="0.1")
    t.close()


def test_a_version_without_old_units_has_a_budget_of_its_own_until_old_units_come_back(tmp_path):
    file = registered(tmp_path)
    t = open_table(file)
    t.ask(count_above(5), epsilon="0.7")
    t.close()
    with pytest.raises(dc.ParameterError, match="reason"):
        moved(file, 2, no_unit_in_both=True)
    assert office.new_version(file, reason="other people", no_unit_in_both=True) == "2"
    t = open_table(file)
    assert spent(t) == 0
    t.ask(count_above(5), epsilon="0.4")
    with pytest.raises(dc.BudgetError):
        t.ask(count_above(6), epsilon="0.7")
    t.close()
    t = moved(file, 3)                                                               # units of version 1 may be in it again
    assert spent(t) == Fraction(7, 10)
    with pytest.raises(dc.BudgetError):
        t.ask(count_above(7), epsilon="0.4")
    t.ask(count_above(7), epsilon="0.3")
    t.close()
    assert office.verify(file).ok


def test_a_question_reserved_before_a_new_version_is_not_run_on_its_rows(tmp_path, monkeypatch):
    """Charged to the cells of the old version, read from the new one: a unit could have been in another cell there."""
    file = registered(tmp_path)
    t = open_table(file)
    t.ask(URBAN, epsilon="0.1")
    monkeypatch.setattr(t.desk.engine, "check", lambda: None)                            # not every engine knows its files
    reserve = t.desk.ledger.reserve

    def overtaken(*words):
        found = reserve(*words)
        moved(file, 2).close()
        return found

    t.desk.ledger.reserve = overtaken
    with pytest.raises(dc.Fault):
        t.ask(RURAL, epsilon="0.1")
    assert sql(tmp_path, "SELECT state FROM charges ORDER BY number") == [("settled",), ("faulted",)]
    t.close()
    assert office.verify(file).ok


def test_rows_that_change_while_they_are_read_are_a_fault_and_nothing_is_kept(tmp_path, monkeypatch):
    file = registered(tmp_path)
    t = open_table(file)
    run = t.desk.ready().run

    def slow(wanted):
        found = run(wanted)
        (tmp_path / "t.csv").write_text("x,place,name\n1,1,new\n", encoding="utf-8")
        return found

    monkeypatch.setattr(t.desk.engine, "run", slow)
    monkeypatch.setattr(t.desk.ledger, "settle", lambda *words: pytest.fail("an answer was kept"))
    with pytest.raises(dc.EngineFault, match="changed"):
        t.ask(URBAN, epsilon="0.1")
    assert spent(t) == Fraction(1, 10)
    t.close()


def test_two_tables_about_the_same_people_share_one_cap(tmp_path):
    more = 'people = "households"'
    first = registered(tmp_path, more=more)
    second = registered(tmp_path, name="u", more=more)
    one, other = open_table(first), open_table(second)
    one.ask(URBAN, epsilon="0.4")
    other.ask(RURAL.replace(" t ", " u "), epsilon="0.4")                            # the same person, in another table
    assert spent(one) == spent(other) == Fraction(8, 10)
    with pytest.raises(dc.BudgetError):
        other.ask("SELECT COUNT(*) AS n FROM u", epsilon="0.3")
    edit(first, 'version = "1"', 'version = "2"')
    office.new_version(first, reason="other households", no_unit_in_both=True)
    again = open_table(first)
    assert spent(again) == Fraction(4, 10)                                           # it still bears what the other table cost
    again.ask(URBAN, epsilon="0.6")
    with pytest.raises(dc.BudgetError):
        again.ask(count_above(3), epsilon="0.01")
    for each in (one, other, again):
        each.close()
    assert office.verify(tmp_path).ok


@pytest.mark.parametrize(
    "change",
    [{"neighbours": "change_one"}, {"budget": "epsilon = 2"}, {"budget": "epsilon = 1\ndelta = 1e-6"}],
)
def test_a_group_has_one_relation_and_one_budget(tmp_path, change):
    registered(tmp_path, more='people = "p"')
    with pytest.raises(dc.FactsError, match="group"):
        office.register(write_table(tmp_path, name="u", **({"more": 'people = "p"'} | change)))
    assert len(office.entries(tmp_path)) == 1


def test_tables_of_one_folder_without_a_group_have_budgets_of_their_own(tmp_path):
    first, second = registered(tmp_path), registered(
        tmp_path, name="u", neighbours="change_one", more="rows = 60", rows=ROWS.replace("someone", "another")
    )
    one, other = open_table(first), open_table(second)
    one.ask(URBAN, epsilon=1)
    assert (spent(one), spent(other)) == (1, 0)
    one.close()
    other.close()


def test_analysts_who_collude_get_no_more_than_the_cap_and_each_has_a_limit(tmp_path):
    t = open_table(registered(tmp_path, budget="epsilon = 1\nper_analyst = 0.4"))
    for number, who in enumerate(["alice", "bob"]):
        t.ask(count_above(number), epsilon="0.4", analyst=who)
        with pytest.raises(dc.BudgetError, match=who):
            t.ask(count_above(90 + number), epsilon="0.1", analyst=who)
    with pytest.raises(dc.BudgetError, match=r"0\.2 is left"):
        t.ask(count_above(50), epsilon="0.3", analyst="carol")
    assert t.ask(count_above(0), epsilon="0.4", analyst="carol").replayed            # what is known costs nobody anything
    assert set(t.budget.analysts) == {"alice", "bob"}
    t.close()


@pytest.mark.parametrize("wrong", ["\ud800", "two\nlines", "x" * 201, 7, "", " "])
def test_names_that_no_ledger_can_keep_are_refused_before_any_charge(t, wrong):
    for named in ({"analyst": wrong}, {"key": wrong}):
        with pytest.raises(dc.ParameterError, match="name"):
            t.ask(URBAN, epsilon="0.1", **named)
    assert spent(t) == 0


def test_a_key_makes_the_same_request_one_and_belongs_to_one_question_at_one_price(t):
    first = t.ask(URBAN, epsilon="0.1", key="monday", analyst="alice")
    assert t.ask(URBAN, epsilon="0.1", key="monday", analyst="alice").id == first.id
    for question, price in ((RURAL, "0.1"), (URBAN, "0.2")):
        with pytest.raises(dc.ParameterError, match="key"):
            t.ask(question, epsilon=price, key="monday", analyst="alice")
    assert spent(t) == Fraction(1, 10)


# ---- the cap is in the ledger


def test_editing_the_cap_in_the_file_changes_nothing(tmp_path):
    file = registered(tmp_path)
    edit(file, "epsilon = 1\n", "epsilon = 100\n")
    t = open_table(file)
    assert t.budget.cap == dc.Pure(epsilon=1)
    with pytest.raises(dc.BudgetError):
        t.ask(URBAN, epsilon=2)
    again = office.register(file)
    assert again.already
    assert any("ledger's cap applies" in each for each in again.warnings)
    assert again.budget.cap == dc.Pure(epsilon=1)
    edit(file, 'version = "1"', 'version = "2"')
    office.new_version(file)
    assert open_table(file).budget.cap == dc.Pure(epsilon=1)
    t.close()


def test_a_cap_is_raised_by_a_signed_entry_with_a_reason_and_never_lowered(tmp_path):
    file = registered(tmp_path)
    t = open_table(file)
    t.ask(URBAN, epsilon=1)
    for wrong, kind in ((1, dc.BudgetError), ("0.5", dc.BudgetError), ({"rho": 5}, dc.BudgetError), (0, dc.Refused)):
        with pytest.raises(kind):
            office.raise_budget(file, wrong, reason="why not")
    with pytest.raises(dc.ParameterError, match="reason"):
        office.raise_budget(file, 2, reason=" ")
    assert office.raise_budget(file, "4/3", reason="the board agreed").remaining == dc.Pure(epsilon="1/3")
    t.ask(count_above(1), epsilon="1/3")
    assert t.budget.remaining == dc.Pure(epsilon=0)
    (entry,) = [each for each in office.entries(file) if each.kind == "raise"]
    assert (entry.body["reason"], entry.signature is not None) == ("the board agreed", True)
    t.close()


@pytest.mark.parametrize("cap", ["0", "-1", "inf", "nan", '"0/5"'])
def test_a_cap_of_nothing_is_refused_with_the_facts(cap):
    with pytest.raises(dc.FactsError):
        parse_facts(facts_text(budget=f"epsilon = {cap}"), "t.toml")


def test_a_cap_can_be_spent_to_exactly_zero_in_thirds(t):
    for number in range(3):
        t.ask(count_above(number), epsilon="1/3")
    assert (t.budget.remaining, t.budget.affordable) == (dc.Pure(epsilon=0), 0)
    with pytest.raises(dc.BudgetError, match="epsilon 0 is left"):
        t.ask(count_above(9), epsilon="1e-12")


def test_forty_decimals_are_charged_exactly(t):
    price = "0.1234567890123456789012345678901234567891"
    answer = t.ask(URBAN, epsilon=price)
    assert spent(t) == Fraction(price)
    assert answer.receipt["price"] == {"epsilon": price}


# ---- when asking ends


def at(monkeypatch, moment):
    for module in (admission, journal):
        monkeypatch.setattr(module, "now", lambda: moment.isoformat(timespec="microseconds"))


def test_expiry_ends_asking_and_a_clock_that_goes_backwards_opens_nothing_again(tmp_path, monkeypatch):
    end = datetime(2030, 6, 1, tzinfo=UTC)
    t = open_table(registered(tmp_path, budget="epsilon = 1\nexpires = 2030-06-01"))
    at(monkeypatch, end + timedelta(hours=23))
    t.ask(URBAN, epsilon="0.1")
    at(monkeypatch, end + timedelta(hours=24))
    with pytest.raises(dc.AccessError, match="2030-06-01"):
        t.ask(RURAL, epsilon="0.1")
    with pytest.raises(dc.AccessError):
        t.ask(URBAN, epsilon="0.1")
    office.freeze(tmp_path / "t.toml", reason="the day after")
    office.unfreeze(tmp_path / "t.toml", reason="the day after")
    at(monkeypatch, end - timedelta(days=900))
    with pytest.raises(dc.AccessError, match="2030-06-01"):
        t.ask(RURAL, epsilon="0.1")
    moments = [each.at for each in office.entries(tmp_path)]
    assert moments == sorted(moments)
    assert office.verify(tmp_path).ok
    t.close()


def test_a_clock_that_was_wrong_once_closes_no_table_for_good(tmp_path, monkeypatch):
    file = registered(tmp_path, budget="epsilon = 1\nexpires = 2027-12-31")
    t = open_table(file)
    at(monkeypatch, datetime(2036, 1, 1, tzinfo=UTC))
    office.raise_budget(file, 2, reason="by a machine whose clock was wrong")
    at(monkeypatch, datetime(2026, 12, 1, tzinfo=UTC))
    t.ask(URBAN, epsilon="0.1")
    assert [each.at[:4] for each in office.entries(file)][1:] == ["2036", "2026", "2026"]
    at(monkeypatch, datetime(2036, 1, 1, tzinfo=UTC))
    for _ in range(2):
        with pytest.raises(dc.AccessError, match="ended on 2027-12-31"):
            t.ask(RURAL, epsilon="0.1")
    at(monkeypatch, datetime(2026, 12, 1, tzinfo=UTC))
    with pytest.raises(dc.AccessError, match=r"the clock has gone back since; .* unfreeze"):       # never silently
        t.ask(RURAL, epsilon="0.1")
    assert [(stop.state, stop.since) for stop in office.stops(file)] == [("clock", "2027-12-31")]
    office.unfreeze(file, reason="the clock was wrong")
    assert office.stops(file) == []
    t.ask(RURAL, epsilon="0.1")
    assert [each.kind for each in office.entries(file)].count("end") == 1
    assert office.verify(file).ok
    t.close()


def test_the_end_of_a_budget_that_was_taken_out_of_the_ledger_is_named(tmp_path, monkeypatch):
    file = registered(tmp_path, budget="epsilon = 1\nexpires = 2027-12-31")
    t = open_table(file)
    at(monkeypatch, datetime(2036, 1, 1, tzinfo=UTC))
    with pytest.raises(dc.AccessError):
        t.ask(RURAL, epsilon="0.1")
    t.close()
    sql(tmp_path, "DELETE FROM ends")
    assert "the end of a budget was changed" in " ".join(office.verify(file).problems)


def test_a_frozen_table_and_a_frozen_analyst_are_refused_until_they_are_let_go(tmp_path):
    file = registered(tmp_path)
    t = open_table(file)
    office.freeze(file, reason="a doubt")
    with pytest.raises(dc.AccessError, match=r"^t is frozen since \d{4}-\d\d-\d\d \d\d:\d\d UTC: a doubt; the data holder"):
        t.ask(URBAN, epsilon="0.1")
    office.unfreeze(file, reason="no doubt")
    office.freeze(file, reason="she has left", analyst="alice")
    t.ask(URBAN, epsilon="0.1", analyst="bob")
    with pytest.raises(dc.AccessError, match=r"^alice is frozen since .* and may not ask t now: she has left; the data"):
        t.ask(URBAN, epsilon="0.1", analyst="alice")
    office.unfreeze(file, reason="no doubt", analyst="alice")
    assert t.ask(URBAN, epsilon="0.1", analyst="alice").replayed
    for act in (office.freeze, office.unfreeze):
        with pytest.raises(dc.ParameterError, match="reason"):
            act(file, reason="")
    assert charged_by_hand_of_cells(tmp_path) == 1
    t.close()


def charged_by_hand_of_cells(folder):
    return len([each for each in office.entries(folder) if each.kind == "charge"])


# ---- facts and source after registration


@pytest.mark.parametrize(
    ("old", "new"),
    [("upper = 100", "upper = 1000"), ("values = [1, 2]", "values = [1, 2, 3]"), ('partition = "place"', ""), ("null = 0\n", "")],
)
def test_facts_that_were_edited_are_refused_until_there_is_a_new_version(tmp_path, old, new):
    file = registered(tmp_path)
    edit(file, old, new)
    with pytest.raises(dc.FactsError, match="have changed"):
        open_table(file)
    edit(file, 'version = "1"', 'version = "2"')
    with pytest.raises(dc.FactsError, match="version"):
        open_table(file)
    office.new_version(file)
    open_table(file).close()


@pytest.mark.parametrize(
    ("old", "new"),
    [('neighbours = "add_remove"', 'neighbours = "change_one"'), ('unit = "row"', 'unit = "row"\npeople = "others"')],
)
def test_unit_neighbours_and_people_are_fixed_for_the_ledgers_life(tmp_path, old, new):
    file = registered(tmp_path)
    edit(file, old, new)
    edit(file, 'version = "1"', 'version = "2"')
    with pytest.raises(dc.FactsError, match="fixed"):
        office.new_version(file)


def registered_by_name(folder, caps):
    file = write_table(folder, budget="epsilon = 10")
    edit(file, 'unit = "row"', f'unit = {{ column = "name"{caps} }}')
    office.register(file)
    return file


def test_a_new_version_may_change_the_caps_of_a_unit_and_questions_are_priced_by_them(tmp_path):
    file = registered_by_name(tmp_path, "")
    edit(file, '{ column = "name" }', '{ column = "name", max_rows = 2, max_groups = 1 }')
    with pytest.raises(dc.FactsError, match="write a new version"):
        open_table(file)
    edit(file, 'version = "1"', 'version = "2"')
    office.new_version(file)
    t = open_table(file)
    twice = t.quote(URBAN, epsilon="0.1").columns[0].plus_minus
    t.close()
    edit(file, "max_rows = 2", "max_rows = 20")
    edit(file, 'version = "2"', 'version = "3"')
    office.new_version(file)
    t = open_table(file)
    assert t.quote(URBAN, epsilon="0.1").columns[0].plus_minus == pytest.approx(10 * twice, rel=0.05)
    t.close()
    assert office.verify(tmp_path).ok


@pytest.mark.parametrize("unit", ['"row"', '{ column = "place", max_rows = 2 }'])
def test_whose_rows_are_one_unit_does_not_change_with_a_version(tmp_path, unit):
    file = registered_by_name(tmp_path, ", max_rows = 2")
    edit(file, 'unit = { column = "name", max_rows = 2 }', f"unit = {unit}")
    edit(file, 'version = "1"', 'version = "2"')
    with pytest.raises(dc.FactsError, match="unit is fixed"):
        office.new_version(file)


def test_a_source_that_changed_is_closed_with_a_hint_until_it_is_a_new_version(tmp_path):
    file = registered(tmp_path)
    t = open_table(file)
    t.ask(URBAN, epsilon="0.1")
    (tmp_path / "t.csv").write_text("x,place,name\n1,1,new\n", encoding="utf-8")
    with pytest.raises(dc.AccessError, match="discreet version new"):
        t.ask(RURAL, epsilon="0.1")
    with pytest.raises(dc.AccessError, match="discreet version new"):
        open_table(file).ask(RURAL, epsilon="0.1")
    assert spent(t) == Fraction(1, 10)
    t.close()
    edit(file, 'version = "1"', 'version = "2"')
    office.new_version(file, reason="new rows")
    t = open_table(file)
    t.ask(RURAL, epsilon="0.1")
    assert spent(t) == Fraction(2, 10)
    t.close()


def test_a_source_that_is_gone_is_named_and_written_down_once_for_the_data_holder(tmp_path):
    file, log = registered(tmp_path), tmp_path / ".discreet" / "faults.log"
    t = open_table(file)
    (tmp_path / "t.csv").unlink()
    with pytest.raises(dc.SourceFault, match="the source of t is gone") as caught:
        t.ask(URBAN, epsilon="0.1")
    (line,) = [json.loads(each) for each in log.read_text(encoding="utf-8").splitlines()]
    assert (line["reference"], line["table"], line["cause"]) == (caught.value.reference, "t", "FileNotFoundError")
    assert spent(t) == 0
    t.close()


def test_a_source_that_changes_while_it_is_read_is_written_down_once_with_its_charge(tmp_path, monkeypatch):
    file, log = registered(tmp_path), tmp_path / ".discreet" / "faults.log"
    t = open_table(file)
    checks = []

    def edited(_self, *_):
        checks.append(None)
        if len(checks) == 2:
            (tmp_path / "t.csv").write_text("x,place,name\n1,1,new\n", encoding="utf-8")
        return check(_self)

    check = type(t.desk).checked
    monkeypatch.setattr(type(t.desk), "checked", edited)
    with pytest.raises(dc.SourceFault, match="the source of t"):
        t.ask(URBAN, epsilon="0.1")
    (line,) = [json.loads(each) for each in log.read_text(encoding="utf-8").splitlines()]
    assert line["charge"] > 0
    t.close()


def test_a_declared_size_that_is_not_that_of_the_rows_is_refused(tmp_path):
    file = write_table(tmp_path, neighbours="change_one", more="rows = 59")
    with pytest.raises(dc.FactsError, match="rows"):
        office.register(file)
    assert not (tmp_path / ".discreet").exists()


def test_without_cells_charges_add_up(tmp_path):
    t = open_table(registered(tmp_path, budget="epsilon = 1"))
    t.ask(count_above(1), epsilon="0.1")
    t.ask_all([count_above(2), count_above(3), count_above(2)], epsilon="0.3")
    assert charged_by_hand(tmp_path) == spent(t) == Fraction(4, 10)
    t.close()


# ---- whoever gives no name


def test_whoever_gives_no_name_has_the_limit_of_one_analyst(tmp_path):
    """As a new user found it: without a name nothing limited, and what was left was shown nowhere."""
    file = registered(tmp_path, budget="epsilon = 1\nper_analyst = 0.3")
    t = open_table(file)
    first = t.ask(count_above(1), epsilon="0.2")
    assert first.to_dict()["budget"]["analyst"] == {
        "name": "anonymous", "limit": {"epsilon": "0.3"}, "spent": {"epsilon": "0.2"}, "remaining": {"epsilon": "0.1"}
    }  # fmt: skip
    assert "0.8 left, 0.1 of it for anonymous" in repr(first)
    with pytest.raises(dc.BudgetError, match=r"costs epsilon 0\.2 and epsilon 0\.1 is left for anonymous"):
        t.ask(count_above(2), epsilon="0.2")
    quoted = {who: t.quote(count_above(2), epsilon="0.2", analyst=who) for who in (None, "alice")}
    assert {who: quote.affordable for who, quote in quoted.items()} == {None: False, "alice": True}
    assert quoted["alice"].after.asker.remaining == dc.Pure(epsilon="0.1")                  # another name starts afresh
    second = t.ask(count_above(2), epsilon="0.2", analyst="alice")
    assert ("analysts" in second.to_dict()["budget"], "anonymous" in json.dumps(second.to_dict())) == (False, False)
    spent_by = {name: each.spent for name, each in t.budget.analysts.items()}               # for the data holder
    assert spent_by == {"anonymous": dc.Pure(epsilon="0.2"), "alice": dc.Pure(epsilon="0.2")}
    assert t.budget_for("alice").asker == t.budget.analysts["alice"]
    t.close()
    t = moved(file, 2)
    with pytest.raises(dc.BudgetError, match="is left for anonymous"):
        t.ask(count_above(2), epsilon="0.2")
    t.close()
    assert office.verify(file).ok
