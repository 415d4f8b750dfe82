"""The demo's story: E1 to E6 of the texts, asked of two registered tables until exactly nothing is left.

Book: E1 0.1 + 1, E2 0.1 + 1, so a cap of 2.2. Slides: E3 0.1 + 1, E4 0.1 for four statistics, E5 0.1 for two cells in parallel,
E6 0.1 for six groups, so a cap of 1.4. Everything is asked through the curator, as any question is.
"""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from math import sqrt
from pathlib import Path

from discreet.answers.answer import Answer
from discreet.cli.demo.steps import Asked, Chart, Checked, Derived, Example, Opened, Refusal, Replay, Rung, Step, Worth
from discreet.cli.demo.truth import counts_by, printed_release, rural, statistics
from discreet.curator import Curator, office, open_table
from discreet.errors import BudgetError
from discreet.exact import exact
from discreet.lessons.samples import Sample, sample, write_sample
from discreet.plots.charts import save_chart
from discreet.plots.numerals import grouped

__all__ = ["LADDER", "tell"]

LADDER = ("0.01", "0.1", "1", "10")
_PRICES = ("0.1", "1")
_LITTLE = "0.001"


@dataclass(frozen=True, slots=True)
class _Table:
    """A registered table, and the rows that nobody else sees."""

    curator: Curator
    made: Sample

    @property
    def name(self) -> str:
        return self.made.name

    def example(self, what: str, sql: str, epsilon: str, *truth: Mapping[str, float], printed: str = "") -> Example:
        """A question, quoted and then asked."""
        return Example(what, self.curator.quote(sql, epsilon=epsilon), self.curator.ask(sql, epsilon=epsilon), truth, printed)

    def refused(self, sql: str, epsilon: str) -> Refusal:
        """A question that the budget does not cover."""
        try:
            self.curator.ask(sql, epsilon=epsilon)
        except BudgetError as error:
            return Refusal(self.name, sql, epsilon, error.message, error.hint, self.curator.budget)
        raise AssertionError(f"{self.name} has more budget than the demo spends")


def tell(folder: Path) -> Iterator[Step]:
    """The story, one step after the other, in ``folder``, where everything stays that it writes."""
    book, slides = (_opened(name, folder) for name in ("ce_book", "ce_slides"))
    with closing(book.curator), closing(slides.curator):
        yield Opened(tuple((table.curator.facts, table.curator.budget) for table in (book, slides)))
        yield from _book(book)
        races = yield from _slides(slides)
    yield _checked(folder, races)
    yield _chart(folder, races)


def _opened(name: str, folder: Path) -> _Table:
    _, facts = write_sample(name, folder)
    office.register(facts)
    return _Table(open_table(facts), sample(name))


def _book(book: _Table) -> Iterator[Step]:
    count, mean = rural(book.made), statistics(book.made, "Income")[0]
    rows = len(book.made.rows)
    e1, e2 = "SELECT COUNT(*) AS n FROM ce_book WHERE UrbanRural = 2", "SELECT AVG(Income) AS m FROM ce_book"
    yield Asked("E1", "How many units are rural?", (e1,), tuple(
        book.example("", e1, price, {"n": count}, printed=printed_release(count, 1 / exact(price), whole=True))
        for price in _PRICES
    ))  # fmt: skip
    yield Asked("E2", "What is the mean income?", (e2,), tuple(
        book.example("", e2, price, {"m": mean},
                     printed=printed_release(mean, Fraction(1_000_000, rows) / exact(price), whole=False))
        for price in _PRICES
    ))  # fmt: skip
    yield Worth(tuple(
        Rung(price, *(book.curator.quote(sql, epsilon=price, anew=True).columns[0].plus_minus for sql in (e1, e2)))
        for price in LADDER
    ))  # fmt: skip
    again = "select  count( * )  as n  from CE_BOOK  where 2 = urbanrural"
    yield Replay(again, book.curator.ask(again, epsilon="1"))
    yield book.refused("SELECT COUNT(*) AS n FROM ce_book WHERE Race = 2", _LITTLE)


def _slides(slides: _Table) -> Generator[Step, None, Answer]:
    """Ends with the answer to E6."""
    made, count = slides.made, rural(slides.made)
    e3 = "SELECT COUNT(*) AS n FROM ce_slides WHERE UrbanRural = 2"
    third = Asked("E3", "The same in a table whose size is private", (e3,), tuple(
        slides.example("", e3, price, {"n": count}, printed=printed_release(count, 1 / exact(price), whole=True))
        for price in _PRICES
    ))  # fmt: skip
    yield third
    income, spent = statistics(made, "Income"), statistics(made, "Expenditure")
    e4 = ("SELECT AVG(Income) AS income, VARIANCE(Income) / 1000000 AS variance_in_millions, "
          "AVG(Expenditure) AS spent, VARIANCE(Expenditure) / 1000000 AS its_variance FROM ce_slides")  # fmt: skip
    truth = {"income": income[0], "variance_in_millions": income[1] / 1e6, "spent": spent[0], "its_variance": spent[1] / 1e6}
    fourth = Asked("E4", "Four statistics for one price", (e4,), (slides.example("", e4, "0.1", truth),))
    yield fourth
    yield _fifth(slides)
    races = counts_by(made, "Race")
    e6 = "SELECT Race, COUNT(*) AS n FROM ce_slides GROUP BY Race"
    sixth = Asked("E6", "A table of six groups", (e6,), (slides.example("", e6, "0.1", *({"n": n} for n in races.values())),))
    yield sixth
    yield _derived(third.examples[-1].answer, fourth.examples[0].answer, sixth.examples[0].answer)
    yield slides.refused("SELECT COUNT(*) AS n FROM ce_slides WHERE KidsCount > 2", _LITTLE)
    return sixth.examples[0].answer


def _fifth(slides: _Table) -> Asked:
    questions = tuple(f"SELECT AVG(Income) AS m FROM ce_slides WHERE UrbanRural = {place}" for place in (2, 1))
    means = {place: statistics(slides.made, "Income", place=place)[0] for place in (2, 1)}
    examples = tuple(
        slides.example(what, sql, "0.1", {"m": means[place]})
        for what, place, sql in zip(("rural", "urban"), means, questions, strict=True)
    )
    return Asked("E5", "Mean income, rural and urban", questions, examples)


def _derived(count: Answer, four: Answer, races: Answer) -> Derived:
    """Numbers that follow from what was released."""
    total = sum(row["n"] for row in races.rows)
    spread = 1000 * sqrt(max(0.0, four.rows[0]["variance_in_millions"]))
    whole = races.consistent()
    return Derived((
        ("all units: the six counts together", grouped(total)),
        ("share of rural units: E3 over that sum", f"{100 * count.rows[0]['n'] / total:.1f} %" if total > 0 else "–"),
        ("spread of incomes: the root of E4's variance", grouped(round(spread))),
        ("six counts, none below 0, with the same sum", ", ".join(grouped(row["n"]) for row in whole.rows)),
    ))  # fmt: skip


def _checked(folder: Path, answer: Answer) -> Checked:
    receipt = dict(answer.receipt or {})
    file = folder / "receipt.json"
    file.write_text(json.dumps(receipt, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    key = (folder / ".discreet" / "public.pem").read_bytes()
    return Checked(office.verify(folder), receipt, file, office.verify_receipt(json.loads(file.read_text(encoding="utf-8")), key))


def _chart(folder: Path, answer: Answer) -> Chart:
    """A picture where that can be made, else letters."""
    ending = "svg" if find_spec("vl_convert") else "txt"
    return Chart(answer, save_chart(answer, folder / f"races.{ending}"))
