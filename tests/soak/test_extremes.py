"""The law over extreme public constants at length: each question on one table, none of which faults."""

import time
from collections import Counter
from functools import cache
from random import Random

import pytest
from tests.laws import test_extremes as law

from discreet.curator.results import answer_from
from discreet.exact import exact
from discreet.mechanisms.accuracy import read_confidence
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.planning.purchase import bought_whole
from discreet.privacy.losses import Pure
from discreet.questions.algebra import Caps
from discreet.questions.caps import with_caps
from discreet.questions.check import checked
from discreet.questions.sql import read_sql
from discreet.releasing.stages import released_from

pytestmark = pytest.mark.soak
PARTS, QUESTIONS, SAID_EVERY = 10, 10_000, 2_000  # a hundred thousand together; parts can be run side by side
ASKED_EVERY, COMPARED_EVERY, LONG_EVERY = 20, 5, 500  # through a curator; on both engines; of thousands of terms


def answered(asked, facts, engine, budget):
    """Plan, engine, noise and answer, without a ledger: what a curator does between the charge and the delivery."""
    said = asked.options
    share = said.get("bounds_share")
    question = read_sql(asked.sql, facts, bounds_share=None if share is None else exact(share))
    caps = Caps(*(said.get(name) for name in ("max_rows", "max_groups", "max_rows_per_group")))
    question = question if caps == Caps() else checked(with_caps(question, caps), facts)
    sure = read_confidence(said.get("confidence", "0.95"))
    price = read_price(epsilon=said["epsilon"], delta=said.get("delta"))
    plan = make_plan(question, facts, price, said.get("weights"))
    released = released_from(plan, engine) if plan.vectors else ()
    return answer_from(bought_whole(plan), released, sure, said.get("simultaneous", False),
                       id="soak", cost=Pure(epsilon=1), budget=budget, replayed=False, receipt=None)  # fmt: skip


@cache
def budget_of(unit, relation, table):
    return law.worlds.curator_for(unit, relation, table).budget


def reason(refusal: str) -> str:
    """The kind of a refusal: its words without what was asked."""
    words = refusal.split(";", maxsplit=1)[0].split(" (line", maxsplit=1)[0]
    return " ".join(word for word in words.split() if word.isalpha() and word.islower())[:60]


def outcome(asked, table, number):
    """As in the law, mostly by a shorter way."""
    where = asked.unit, asked.relation, table
    engine = law.worlds.engine_for(*where)
    engine.compares = table != "many" and number % COMPARED_EVERY == 0
    if number % ASKED_EVERY == 0 or asked.met["way", "rho"] or asked.met["way", "within"] or asked.beside:
        return law.outcome(asked, table)
    facts, budget = law.worlds.facts_for(*where), budget_of(*where)
    return law.outcome(asked, table, lambda _: answered(asked, facts, engine, budget))


@pytest.mark.parametrize("part", [f"part_{number}" for number in range(PARTS)])
def test_a_hundred_thousand_extreme_questions_and_no_fault(part):
    first = int(part.removeprefix("part_")) * QUESTIONS
    met, refused, slowest, started = Counter(), Counter(), (0.0, ""), time.monotonic()
    print()
    for number in range(first, first + QUESTIONS):
        seed = f"soak {number}"
        asked, tables = law.asked_on(seed, most_terms=2_000 if number % LONG_EVERY == 0 else 60)
        table = Random(f"{seed} table").choice(tables)
        before = time.monotonic()
        found = outcome(asked, table, number)
        slowest = max(slowest, (time.monotonic() - before, f"{asked} on {table}"[:300]))
        met["answered" if found == "answered" else "refused"] += 1
        if found != "answered":
            refused[reason(found)] += 1
        if (number + 1) % SAID_EVERY == 0:
            print(f"  {met.total():,} questions, {met['answered']:,} answered, {time.monotonic() - started:.0f} s", flush=True)
    for words, times in refused.most_common(25):
        print(f"  refused {times:,} times: {words}")
    print(f"  slowest: {slowest[0]:.2f} s: {slowest[1]}")
    assert met["answered"] >= 0.5 * QUESTIONS
