"""Generated questions through the whole flow: DuckDB and the reference engine agree integer for integer."""

import csv
from collections import Counter
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tests.laws import questions_at_random as at_random
from tests.laws.engines_of_laws import Shared

from discreet.curator import curator_in_memory
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import CountsWanted
from discreet.facts.model import Source
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions import algebra
from discreet.questions.sql import read_sql
from discreet.statistics.ranks import Ranks
from discreet.views.rows import cells_shown

COLUMNS = ["x", "y", "k", "c", "s", "b", "name", "d"]
NODES = {"Column", "Literal", "Apply", "In", "Like", "Case", "DatePart", "Bin", "DateTrunc", "Cast", "Substring", "Power"}
NODES |= {"Aggregate", "KeyOf", "Output", "Order", "Question"}


def as_text(value):
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def nodes(part):
    """The names of all kinds of nodes in a question."""
    if isinstance(part, tuple):
        for each in part:
            yield from nodes(each)
    elif is_dataclass(part):
        yield type(part).__name__
        for each in fields(part):
            yield from nodes(getattr(part, each.name))


@pytest.mark.slow
def test_duckdb_and_the_reference_agree_on_generated_questions_which_meet_every_node(tmp_path):
    met, excluded = Counter(), Counter()
    files = iter(range(10**6))

    @settings(max_examples=250, suppress_health_check=list(HealthCheck))
    @given(rows=at_random.TABLES, sql=at_random.questions())
    def agree(rows, sql):
        path = tmp_path / f"{next(files)}.csv"
        texts = [{name: as_text(row[name]) for name in COLUMNS} for row in rows]
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(texts)
        facts = replace(at_random.facts_for("add_remove", len(rows)), located=Source("csv", str(path)))
        question = read_sql(sql, facts)
        met.update(nodes(question))
        plan = make_plan(question, facts, read_price(epsilon=1))
        engine = Shared(facts, facts.located)
        reference = Reference(facts, texts)
        for ranks in (each for each in plan.vectors if isinstance(each, Ranks)):
            for coarse, bins in ((0, None), (3, None), (0, ((0, 5), (9, 400_000)))):
                wanted = CountsWanted(plan.wanted.where, plan.wanted.keys, ranks.of, ranks.grid, ranks.filter, coarse, bins)
                these, those = engine.counts(wanted).take(), reference.counts(wanted).take()
                assert all(np.array_equal(getattr(these, name), getattr(those, name)) for name in ("cell", "bin", "rows"))
        if not plan.wanted.measures:
            engine.close()
            return
        one, other = engine.run(plan.wanted).take(), reference.run(plan.wanted).take()
        engine.close()
        assert np.array_equal(one.high, other.high)
        assert np.array_equal(one.low, other.low)
        hidden = np.setdiff1d(np.arange(plan.wanted.cells), cells_shown(plan))
        excluded.update(["some" if len(hidden) else "none"])
        assert not one.high[:, hidden].any(), "a group that WHERE excludes has rows"
        assert not one.low[:, hidden].any(), "a group that WHERE excludes has rows"

    agree()
    assert excluded["some"] >= 1
    assert set(met) >= NODES, f"never met: {NODES - set(met)}"
    assert {name for name in algebra.__all__ if name in NODES} == NODES


def test_a_question_about_many_cells_uses_arrays_and_one_about_few_does_not():
    facts = at_random.facts_for("add_remove", 5)
    few = make_plan(read_sql("SELECT c, AVG(x) AS m FROM t GROUP BY c", facts), facts, read_price(epsilon=1))
    bins = read_sql("SELECT BIN(x, 0.01) AS bins, AVG(y) AS m FROM t GROUP BY bins", facts)
    many = make_plan(bins, facts, read_price(epsilon=1))
    assert few.vectors[0].are_few
    assert not many.vectors[0].are_few
    assert many.wanted.cells == 1551
    rows = [{"x": 1.0, "y": 50.0}] * 5
    answer = curator_in_memory(facts, Reference(facts, rows)).ask(many.question, epsilon=1)
    assert len(answer.rows) == 1551
