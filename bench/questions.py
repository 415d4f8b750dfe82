"""Questions, beside DuckDB without privacy and OpenDP on Polars

`SELECT g, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY g`, over a Parquet file with a category `g` of 50 values and a real number
`x`. discreet is asked through `dc.open` and `ask`, from the text of the question to the answer with its intervals; every time
at a new price, since an answer that was paid for is repeated without reading the table. Beside it, in the same process and in
turn, DuckDB is asked the same of the same file with its own settings, and as many threads: that is what the question costs
without privacy. discreet reads through DuckDB too, and has it add up whole numbers, exactly, where DuckDB alone adds
floating-point numbers. OpenDP's Polars context is asked the same in an environment of its own.

Files are in the system's cache. *Best* is the shortest of several runs after one that warms up, the figure least disturbed by
the rest of the machine: ratios and targets go by it. *Processor* is the time of all threads together, which is disturbed less.
"""

import tempfile
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
from _questions_tables import GROUPS, QUESTION, make_table, without_privacy
from _record import Row, Times, clocked, in_fresh_processes, in_peer, record, target

import discreet as dc
from discreet.answers.answer import Answer
from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.sql.writer import to_sql
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.views.rows import answer_table

ROWS, FEW_ROWS = 20_000_000, 5_000
REPEATS, MANY_REPEATS, PROCESSES = 40, 200, 5

MANY = f"{ROWS:,} rows"
FEW = f"{FEW_ROWS:,} rows, and quotes"
STEPS = "Where the time of a question goes"
MEMORY = f"Most memory, {ROWS:,} rows"

QUESTIONS = {
    "count and sum of 50 groups": QUESTION,
    "mean": "SELECT AVG(x) AS m FROM t",
    "count": "SELECT COUNT(*) AS n FROM t",
    "variance of 50 groups": "SELECT g, VAR_SAMP(x) AS v FROM t GROUP BY g",
}

Measured = dict[str, Times]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        many, few = (registered(Path(folder) / name, name, rows) for name, rows in (("many", ROWS), ("few", FEW_ROWS)))
        wall, busy = measured_many(many)
        peer = in_peer("opendp", "_questions_opendp.py", str(many.with_suffix(".parquet")))
        memory = {who: measured_memory(who, many) for who in ("discreet", "DuckDB")}
        answers, quotes = measured_few(few, dc.open)
        (Path(folder) / "in process").mkdir()
        in_process = make_table(Path(folder) / "in process", "few", FEW_ROWS)
        fast_answers, fast_quotes = measured_few(in_process, dc.testing.open_unregistered)
        steps = {MANY: measured_steps(many, 9), f"{FEW_ROWS:,} rows": measured_steps(few, MANY_REPEATS)}
    for name in ("OpenDP", "Polars"):
        if peer is not None:
            wall[name], busy[name] = Times(**peer["wall"][name]), Times(**peer["processor"][name])
    record(
        "questions",
        {
            "Targets": targets(wall, memory, fast_answers, fast_quotes),
            MANY: [speed(name, wall, busy) for name in ("discreet", "DuckDB", "OpenDP", "Polars")],
            FEW: [{"question": name, "budget": where, **spread("answer, ms", answered[name]),
                   **spread("at a new price, ms", answered[f"{name}, new prices"]), **spread("quote, ms", quoted[name])}
                  for name in QUESTIONS
                  for where, answered, quoted in (("in the process", fast_answers, fast_quotes), ("on disk", answers, quotes))],
            STEPS: [{"step": step, **{f"{name}, ms": taken[step].best * 1e3 for name, taken in steps.items()}}
                    for step in steps[MANY]],
            MEMORY: [{"who": who, "before, MB": each[0] and each[0].best, "most, MB": each[1] and each[1].best,
                      "most, MB, median": each[1] and each[1].median,
                      "to open and answer, MB": each[1] and each[1].best - each[0].best} for who, each in memory.items()],
        },
        notes={
            MANY: f"Best and median of {REPEATS} by discreet and DuckDB"
                  + (f", of {peer['repeats']} by OpenDP, and by Polars {peer['polars']} alone, without privacy." if peer else
                     "; OpenDP was not installed."),
            FEW: f"Best and median of {MANY_REPEATS}, warm. *Answer* is about other rows each time, by a condition on `x`, and "
                 "at one price, whose table of noise exists by then. At a new price that table is built first. A quote reads no "
                 "data. A budget on disk takes two durable commits more; the targets are for one in the process.",
            STEPS: f"Of `{QUESTION}`, each step alone and warm, best of several.",
            MEMORY: f"Best and median of {PROCESSES} new processes that answer once; *before* is what they take with everything "
                    "imported and no table open.",
        },
        packages=("discreet", "duckdb", "numpy", "sqlglot"),
        peers={"opendp": peer["version"] if peer else "not installed"},
    )


def registered(folder: Path, name: str, rows: int) -> Path:
    """A table with a ledger of its own; the path of its facts."""
    folder.mkdir()
    facts = make_table(folder, name, rows)
    dc.register(facts)
    return facts


# ---- what is measured, in seconds


def measured_many(facts: Path) -> tuple[Measured, Measured]:
    """One question about many rows, by the clock and by processors."""
    curator, sql = dc.open(facts), without_privacy(facts)
    with duckdb.connect() as connection:
        acts = {"discreet": asked(curator, QUESTION), "DuckDB": lambda: connection.execute(sql).fetchnumpy()}
        found = clocked(acts, repeats=REPEATS)
    curator.close()
    return found


def asked(curator: Any, question: str) -> Callable[[], Answer]:
    """The question at a higher price each time."""
    prices = count(1)
    return lambda: curator.ask(question, epsilon=1 + Fraction(next(prices), 10_000))


def others_asked(curator: Any, question: str) -> Callable[[], Answer]:
    """The question about other rows each time, at one price."""
    bounds = count(1)
    return lambda: curator.ask(question.replace("FROM t", f"FROM t WHERE x > {next(bounds) / 1000}"), epsilon=1)


def measured_few(facts: Path, opened: Callable[[Path], Any]) -> tuple[Measured, Measured]:
    """Questions about few rows, and their quotes, each in turn."""
    answers, quotes = {}, {}
    for name, question in QUESTIONS.items():
        curators = [opened(facts) for _ in range(3)]
        acts = {"others": others_asked(curators[0], question), "prices": asked(curators[1], question),
                "quote": partial(curators[2].quote, question, epsilon=1)}
        found = clocked(acts, repeats=MANY_REPEATS)[0]
        answers[name], answers[f"{name}, new prices"], quotes[name] = found.values()
        for curator in curators:
            curator.close()
    return answers, quotes


def measured_steps(facts: Path, repeats: int) -> Measured:
    """The steps of an answer, each with the results of those before."""
    curator = dc.open(facts)
    curator.open()
    engine, known = curator.desk.engine, curator.facts
    asked = read_sql(QUESTION, known)
    plan = make_plan(asked, known, read_price(epsilon=1))
    sql = to_sql(plan.wanted, known, engine._layout, DUCKDB)
    released = release(plan, engine.run(plan.wanted))
    few = engine.run(plan.wanted).take()
    acts: dict[str, Callable[[], object]] = {
        "text to question": lambda: read_sql(QUESTION, known),
        "question to plan": lambda: make_plan(asked, known, read_price(epsilon=1)),
        "plan to DuckDB's SQL": lambda: to_sql(plan.wanted, known, engine._layout, DUCKDB),
        "DuckDB's sums": lambda: engine._connection.cursor().execute(sql).fetchnumpy(),
        "noise": lambda: release(plan, type("Again", (), {"take": lambda _: few})()),
        "released numbers to values and intervals": lambda: answer_table(plan, released, 0.95),
    }
    found = clocked(acts, repeats=repeats)[0]
    curator.close()
    return found


def measured_memory(who: str, facts: Path) -> tuple[Times | None, Times | None]:
    """Megabytes before and at most."""
    processes = in_fresh_processes("_questions_memory.py", PROCESSES, who, str(facts))
    if any(process["most"] is None for process in processes):
        return None, None
    return Times.of([process["before"] for process in processes]), Times.of([process["most"] for process in processes])


# ---- how it is told


def targets(wall: Measured, memory: dict[str, Any], answers: Measured, quotes: Measured) -> list[Row]:
    most = [memory[who][1] for who in ("discreet", "DuckDB")]
    first = next(iter(QUESTIONS))
    return [
        target(f"{MANY}, {GROUPS} groups, beside DuckDB", ratio(wall["discreet"], wall["DuckDB"]), at_most=1.5, unit="×"),
        target(f"{MANY}, {GROUPS} groups, OpenDP's time over ours", ratio(wall.get("OpenDP"), wall["discreet"]), at_least=10,
               unit="×"),
        target(f"a question on {FEW_ROWS:,} rows, warm", milliseconds(answers[first]), at_most=10, unit="ms"),
        target("a quote", milliseconds(quotes[first]), at_most=3, unit="ms"),
        target(f"{MANY}, most memory, beside DuckDB", ratio(*most), at_most=1.2, unit="×"),
    ]


def speed(name: str, wall: Measured, busy: Measured) -> Row:
    ours = ratio(wall.get(name), wall["discreet"])
    return {"who": name, **spread("ms", wall.get(name)), "processor, ms": busy[name].best * 1e3 if name in busy else None,
            "÷ discreet": ours and ours.best,
            "÷ discreet, processor": busy[name].best / busy["discreet"].best if name in busy else None}


def spread(name: str, taken: Times | None) -> Row:
    return {f"{name}, best": taken and taken.best * 1e3, f"{name}, median": taken and taken.median * 1e3}


def milliseconds(taken: Times) -> Times:
    return Times(taken.best * 1e3, taken.median * 1e3)


def ratio(one: Times | None, other: Times | None) -> Times | None:
    """How many times the other one is."""
    return one and other and Times(one.best / other.best, one.median / other.median)


if __name__ == "__main__":
    main()
