"""The questions of a release, prepared: wrong ones are refused at their place in the file, before anything is spent."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from discreet.answers.answer import as_strings
from discreet.curator import Curator, open_table
from discreet.curator.together import Batch, Prepared, prepare
from discreet.errors import ParameterError, QuestionError
from discreet.publishing.release_file import PricedQuestion, Release

__all__ = ["opened"]


@contextmanager
def opened(release: Release) -> Iterator[Batch]:
    """All questions of a release, in their order. Raises FactsError at the place in the file that is wrong; reads no data."""
    _check_folder(release)
    curators: dict[Path, Curator] = {}
    try:
        for table in release.tables:
            curators[table] = open_table(table)
        prepared = [_prepared(release, place, curators[each.table]) for place, each in enumerate(release.questions)]
        _refuse_repeats(release, prepared)
        yield Batch(tuple(prepared))
    finally:
        for curator in curators.values():
            curator.close()


def _check_folder(release: Release) -> None:
    homes = [question.table.resolve().parent for question in release.questions]
    place = next((place for place, home in enumerate(homes) if home != homes[0]), None)
    if place is not None:
        wrong = ParameterError("the tables of a release lie in one folder: one ledger charges them all or none",
                               hint="put the facts files side by side, or write two releases")  # fmt: skip
        raise release.wrong(("question", place, "table"), wrong)


def _prepared(release: Release, place: int, curator: Curator) -> Prepared:
    question = release.questions[place]
    at = "sql"
    try:
        asked = question.ask.read(curator.facts)
        at = question.priced_by
        price = question.ask.price(asked, curator.facts, None)  # not by counts released before: a second run has the same price
        at = "weights" if question.weights else "sql"
        prepared = prepare(curator, question.ask, asked, price)
        at = question.priced_by
        _check_money(curator, prepared)
        at = "columns"
        _check_columns(question, [output.name for output in asked.outputs])
    except (ParameterError, QuestionError) as error:
        raise release.wrong(("question", place, at), error) from None
    return prepared


def _check_money(curator: Curator, prepared: Prepared) -> None:
    """Refuses a price that the budget of the table does not count."""
    try:
        _ = prepared.whole_cost
    except ParameterError:
        counts = ", ".join(as_strings(curator.budget.cap))
        raise QuestionError(f"the budget of {curator.facts.name} counts {counts}, not this kind of price",
                            hint=f"write a price in {counts}") from None  # fmt: skip


def _check_columns(question: PricedQuestion, names: Sequence[str]) -> None:
    """Refuses meanings of columns that are not there, and columns that the ends of an interval would overwrite."""
    for each in question.columns:
        if each not in names:
            raise QuestionError(f"there is no column {each!r}", hint=f"the columns are {', '.join(names)}")
    every = [name.casefold() for name in names]
    for name in every:
        if every.count(name) > 1 or any(name == f"{other}{end}" for other in every for end in ("_low", "_high")):
            raise QuestionError(f"a column called {name} would stand beside another one of that name", hint="name it with AS")


def _refuse_repeats(release: Release, prepared: Iterable[Prepared]) -> None:
    """One question has one price."""
    seen: dict[tuple[str, str], str] = {}
    for place, each in enumerate(prepared):
        key = each.facts.name, each.fingerprint
        if key in seen:
            error = QuestionError(f"{seen[key]} asks the same", hint="ask it once, and derive other forms of it for free")
            raise release.wrong(("question", place, "sql"), error)
        seen[key] = release.questions[place].name
