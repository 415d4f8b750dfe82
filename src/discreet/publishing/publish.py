"""``publish``: a whole release from one file: one quote, one charge for all questions or none, one folder, whole or not there.

Running it again costs nothing: answers that are settled are replayed, and what a crash left behind is resumed.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from discreet.answers.losses import loss_in_words
from discreet.curator.certificates import MANIFEST, digest
from discreet.curator.together import Batch, Delivered, Expected, Prepared, Worth
from discreet.errors import BudgetError
from discreet.publishing.derived import derived_from
from discreet.publishing.prepared import opened
from discreet.publishing.published import Published, QuotedQuestion, ReleaseQuote
from discreet.publishing.release_file import PricedQuestion, Release, read_release
from discreet.publishing.release_folder import check_place, write_folder
from discreet.publishing.release_page import ReleasePage, page_of
from discreet.publishing.sheets import Sheet, dictionary, sheet_of_answer

__all__ = ["Progress", "publish"]

Progress = Callable[[str, int, int], None]  # what is done now, how much of it is done, how much there is


def publish(
    path: str | Path, out: str | Path, *, dry_run: bool = False, progress: Progress | None = None
) -> Published | ReleaseQuote:
    """Ask every question of a release file and write the release to the folder ``out``; ``dry_run`` only quotes.

    All questions are charged together or not at all. Anything wrong in the file, in a derived table or with the folder is
    refused before that. ``progress`` is told what is done now, how much of it is done, and how much there is.
    """
    told = progress or _silent
    release = read_release(Path(path))
    with opened(release) as batch:
        identity = _identity(release, batch)
        if not dry_run:
            check_place(Path(out), identity)
        told("checking derived tables", 0, len(release.derived))
        specimens = [each.specimen() for each in batch.prepared]
        _content(release, batch, specimens, identity, _silent)  # if this fails, it costs nothing
        quote = _quote(release, batch)
        if dry_run:
            return quote
        try:
            answers = batch.ask(lambda each: _asking(release, batch.prepared.index(each), told))
        except BudgetError as error:
            raise _too_dear(quote) or error from None
        return _written(release, batch, answers, Path(out), identity, quote, told)


def _silent(_what: str, _done: int, _all: int) -> None:
    pass


def _asking(release: Release, place: int, told: Progress) -> None:
    told(f"asking {release.questions[place].name}", place, len(release.questions))


def _identity(release: Release, batch: Batch) -> str:
    """Of the file and of the versions that it asks: two releases are the same if this is."""
    versions = sorted((facts.name, facts.version) for facts in batch.facts)
    return digest({"release": release.digest, "versions": [list(each) for each in versions]})


def _quote(release: Release, batch: Batch) -> ReleaseQuote:
    pairs = list(zip(release.questions, batch.prepared, strict=True))
    questions = tuple(_quoted(asked, each, batch.expected(each)) for asked, each in pairs)
    warnings = tuple(f"{asked.name}: {text}" for asked, each in pairs for text in each.warnings)
    warnings += tuple(f"{name} is frozen: nothing is published until it is unfrozen" for name in batch.frozen)
    return ReleaseQuote(release.title, questions, tuple(each.name for each in release.derived), batch.budgets_after(), warnings)


def _quoted(asked: PricedQuestion, each: Prepared, then: Expected) -> QuotedQuestion:
    return QuotedQuestion(
        asked.name, each.facts.name, then.cost, then.is_free, then.columns, float(asked.confidence), each.cells, each.left_out,
        then.is_shared,
    )  # fmt: skip


def _too_dear(quote: ReleaseQuote) -> BudgetError | None:
    """What the ledger says about one question, said about the whole release. The ledger decides: others may be asking too."""
    for budget in quote.budgets:
        if not budget.is_enough:
            return BudgetError(
                f"the release takes {loss_in_words(budget.takes)} off the budget of {', '.join(budget.tables)}, of which "
                f"{loss_in_words(budget.before)} of {loss_in_words(budget.cap)} is spent",
                hint="lower the prices in the file, or leave questions out; nothing was charged",
            )
    return None


@dataclass(frozen=True, slots=True)
class _Content:
    """What will be in the folder."""

    files: dict[str, bytes]
    sheets: tuple[Sheet, ...]
    cost: tuple[Worth, ...]
    receipts: dict[str, dict[str, Any]]


def _content(release: Release, batch: Batch, answers: Sequence[Delivered], identity: str, told: Progress) -> _Content:
    """The whole folder, made of released values only, or of made-up ones before anything is charged."""
    told("writing tables", 0, 1)
    asked = [sheet_of_answer(*pair) for pair in zip(release.questions, answers, strict=True)]
    derived = derived_from(release, asked)
    receipts = {question.name: each.receipt for question, each in zip(release.questions, answers, strict=True)}
    cost = batch.worth(answers)
    told("drawing the page", 0, 1)
    page = ReleasePage(release.title, release.description, tuple(derived), tuple(asked), cost, batch.facts, receipts)
    files = {f"{sheet.name}.csv": sheet.to_csv() for sheet in [*asked, *derived]}
    files |= {f"receipts/{name}.json": _json(receipt) for name, receipt in receipts.items()}
    files |= {"data-dictionary.csv": dictionary([*asked, *derived]), "index.html": page_of(page)}
    content = {name: text.encode() for name, text in files.items()} | {"public.pem": batch.public_key}
    content[MANIFEST] = _json(batch.sign_release(_manifest(release, receipts, identity, content))).encode()
    return _Content(content, (*asked, *derived), cost, receipts)


def _written(
    release: Release, batch: Batch, answers: Sequence[Delivered], out: Path, identity: str, quote: ReleaseQuote, told: Progress
) -> Published:
    """The release in its folder."""
    made = _content(release, batch, answers, identity, told)
    is_new = write_folder(out, made.files, identity)
    return Published(
        release.title, out, tuple((sheet.name, sheet.rows) for sheet in made.sheets), made.cost, batch.budgets(),
        all(each.is_free for each in quote.questions), is_new, tuple(each.takes for each in quote.budgets),
        (*quote.warnings, *_named(made.receipts)),
    )  # fmt: skip


def _manifest(release: Release, receipts: dict[str, dict[str, Any]], identity: str, content: dict[str, bytes]) -> dict[str, Any]:
    answers = {name: {key: receipt.get(key) for key in ("answer", "table", "version")} for name, receipt in receipts.items()}
    hashes = {name: sha256(data).hexdigest() for name, data in sorted(content.items())}
    return {"title": release.title, "digest": identity, "answers": answers, "files": hashes}


def _named(receipts: dict[str, dict[str, Any]]) -> list[str]:
    """A replay comes with the receipt of whoever asked first."""
    return [f"the receipt of {name} names an analyst who asked it before: {receipt['analyst']}"
            for name, receipt in receipts.items() if receipt.get("analyst")]  # fmt: skip


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
