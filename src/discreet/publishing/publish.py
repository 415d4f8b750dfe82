"""``publish``: a whole release from one file: one quote, one charge for all questions or none, one folder, whole or not there.

Running it again costs nothing: answers that are settled are replayed, and what a crash left behind is resumed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from discreet.answers.losses import loss_in_words
from discreet.curator.advice import warnings_for
from discreet.curator.certificates import MANIFEST
from discreet.errors import BudgetError
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.signatures import signed
from discreet.ledger.foresight import Worth, foreseen, worth
from discreet.ledger.registry import is_frozen, known
from discreet.publishing.batch import Answered, Batch, Progress, opened
from discreet.publishing.derived import derived_from
from discreet.publishing.published import Published, QuotedQuestion, ReleaseQuote
from discreet.publishing.release_file import Release, read_release
from discreet.publishing.release_folder import check_place, write_folder
from discreet.publishing.release_page import ReleasePage, page_of
from discreet.publishing.sheets import Sheet, dictionary, sheet_of_answer

__all__ = ["publish"]


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
        digest = _digest(release, batch)
        if not dry_run:
            check_place(Path(out), digest)
        told("checking derived tables", 0, len(release.derived))
        _content(release, batch, [each.specimen() for each in batch.planned], digest, _silent)  # if this fails, it costs nothing
        quote = _quote(release, batch)
        if dry_run:
            return quote
        try:
            answers = batch.ask(told)
        except BudgetError as error:
            raise _too_dear(quote) or error from None
        return _written(release, batch, answers, Path(out), digest, quote, told)


def _silent(_what: str, _done: int, _all: int) -> None:
    pass


def _digest(release: Release, batch: Batch) -> str:
    """Of the file and of the versions that it asks: two releases are the same if this is."""
    versions = sorted({(each.table, each.plan.facts.version) for each in batch.planned})
    return sha256(canonical({"release": release.digest, "versions": [list(each) for each in versions]}).encode()).hexdigest()


def _quote(release: Release, batch: Batch) -> ReleaseQuote:
    questions, charged = [], []
    for each in batch.planned:
        is_free, asked = each.is_free, each.question
        charged += [] if is_free else [each.request]
        questions.append(
            QuotedQuestion(asked.name, each.table, each.cost, is_free, each.expected(), float(asked.confidence),
                           each.plan.wanted.cells)
        )  # fmt: skip
    budgets = foreseen(batch.ledger, charged, [each.table for each in batch.planned])
    warnings = tuple(f"{each.question.name}: {text}" for each in batch.planned for text in warnings_for(each.plan))
    derived = tuple(each.name for each in release.derived)
    frozen = [facts.name for facts in batch.facts if known(batch.ledger, facts.name) and is_frozen(batch.ledger, facts.name)]
    warnings += tuple(f"{name} is frozen: nothing is published until it is unfrozen" for name in frozen)
    return ReleaseQuote(release.title, tuple(questions), derived, tuple(budgets), warnings)


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


def _content(release: Release, batch: Batch, answers: Sequence[Answered], digest: str, told: Progress) -> _Content:
    """The whole folder, made of released values only, or of made-up ones before anything is charged."""
    told("writing tables", 0, 1)
    asked = [sheet_of_answer(each.planned, each.answer) for each in answers]
    derived = derived_from(release, asked)
    receipts = {each.planned.question.name: each.receipt for each in answers}
    charges = {(each.planned.table, charge): request for each in answers for charge, request in each.charges.items()}
    cost = worth(batch.ledger, list(charges.values()))
    told("drawing the page", 0, 1)
    page = ReleasePage(release.title, release.description, tuple(derived), tuple(asked), tuple(cost), batch.facts, receipts)
    files = {f"{sheet.name}.csv": sheet.to_csv() for sheet in [*asked, *derived]}
    files |= {f"receipts/{name}.json": _json(receipt) for name, receipt in receipts.items()}
    files |= {"data-dictionary.csv": dictionary([*asked, *derived]), "index.html": page_of(page)}
    content = {name: text.encode() for name, text in files.items()} | {"public.pem": batch.ledger.key.public_pem()}
    content[MANIFEST] = _json(signed("release", _manifest(release, receipts, digest, content), batch.ledger.key)).encode()
    return _Content(content, (*asked, *derived), tuple(cost), receipts)


def _written(
    release: Release, batch: Batch, answers: Sequence[Answered], out: Path, digest: str, quote: ReleaseQuote, told: Progress
) -> Published:
    """The release in its folder."""
    made = _content(release, batch, answers, digest, told)
    is_new = write_folder(out, made.files, digest)
    budgets = foreseen(batch.ledger, [], [each.table for each in batch.planned])
    return Published(
        release.title, out, tuple((sheet.name, sheet.rows) for sheet in made.sheets), made.cost, tuple(budgets),
        all(each.is_free for each in quote.questions), is_new, (*quote.warnings, *_named(made.receipts)),
    )  # fmt: skip


def _manifest(release: Release, receipts: dict[str, dict[str, Any]], digest: str, content: dict[str, bytes]) -> dict[str, Any]:
    answers = {name: {key: receipt.get(key) for key in ("answer", "table", "version")} for name, receipt in receipts.items()}
    hashes = {name: sha256(data).hexdigest() for name, data in sorted(content.items())}
    return {"title": release.title, "digest": digest, "answers": answers, "files": hashes}


def _named(receipts: dict[str, dict[str, Any]]) -> list[str]:
    """A replay comes with the receipt of whoever asked first."""
    return [f"the receipt of {name} names an analyst who asked it before: {receipt['analyst']}"
            for name, receipt in receipts.items() if receipt.get("analyst")]  # fmt: skip


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
