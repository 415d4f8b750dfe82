"""Release files: which questions are asked at what price, and which tables are derived from the answers.

    [release]      title, description, table: the facts file of the questions that name no other
    [[question]]   name, sql, and a price: epsilon, epsilon with delta, rho, or within
    [[derived]]    name, sql over the released tables; free

Decimals are exact; a problem names file, line and key, as in facts files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from discreet.curator.certificates import digest
from discreet.curator.request import Ask
from discreet.errors import FactsError, ParameterError, QuestionError
from discreet.facts.file import examined, text_of
from discreet.facts.lines import KeyPath, key_text, line_of, lines_of
from discreet.facts.sections import Section
from discreet.facts.values import identifier, name, number, positive, said, text, truth, whole

__all__ = ["Derivation", "PricedQuestion", "Release", "read_release"]

_RELEASE = ("title", "description", "table")
_PRICE = ("epsilon", "delta", "rho", "within")
_ABOUT = ("name", "sql", "title", "description", "columns")
_QUESTION = (*_ABOUT, "table", *_PRICE, "confidence", "simultaneous", "assuming", "weights")
_HOW = "write epsilon = 0.1, or epsilon and delta, or rho = 0.01, or the ± you need: within = 500"

Numbers = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class PricedQuestion:
    """A question with what it may cost. ``columns`` says what its columns mean, for the data dictionary."""

    name: str
    sql: str
    table: Path
    epsilon: Fraction | None = None
    delta: Fraction | None = None
    rho: Fraction | None = None
    within: Fraction | Numbers | None = None
    confidence: Fraction = Fraction(19, 20)
    simultaneous: bool = False
    assuming: int | None = None
    weights: Numbers | None = None
    title: str = ""
    description: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def ask(self) -> Ask:
        """The request that it makes."""
        return Ask(
            self.sql, epsilon=self.epsilon, delta=self.delta, rho=self.rho, within=self.within, confidence=self.confidence,
            assuming=self.assuming, weights=self.weights, simultaneous=self.simultaneous,
        )  # fmt: skip

    @property
    def priced_by(self) -> str:
        """The key that its price is under."""
        return "within" if self.within is not None else "rho" if self.rho is not None else "epsilon"


@dataclass(frozen=True, slots=True)
class Derivation:
    """A table that is worked out from released ones. ``confidence`` is what its author says about the intervals in it."""

    name: str
    sql: str
    confidence: Fraction | None = None
    title: str = ""
    description: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Release:
    """All that a release file says. ``digest`` is the same for the same text."""

    file: Path
    digest: str
    title: str
    description: str
    questions: tuple[PricedQuestion, ...]
    derived: tuple[Derivation, ...]
    lines: Mapping[KeyPath, int]

    @property
    def tables(self) -> tuple[Path, ...]:
        """The facts files that are asked, each once."""
        return tuple(dict.fromkeys(question.table for question in self.questions))

    def wrong(self, path: KeyPath, error: ParameterError | QuestionError) -> FactsError:
        """An error about one key of the file; one in a text of several lines points at the line inside it."""
        line = line_of(dict(self.lines), path)
        inside = getattr(error, "line", None)
        if inside is not None and path and path[-1] == "sql":
            line += inside - 1 + self._starts_below(line)
        named = self._named(path)
        what = f"{named}: {error.message}" if named else error.message
        return FactsError(what, hint=error.hint, file=str(self.file), line=line, key=key_text(path))

    def _named(self, path: KeyPath) -> str:
        match path:
            case ("question", int(place), *_):
                return self.questions[place].name
            case ("derived", int(place), *_):
                return self.derived[place].name
        return ""

    def _starts_below(self, line: int) -> int:
        """1 if the text after the key on this line begins on the next, as after three quotes."""
        written = text_of(self.file, "a release file").splitlines()[line - 1].rstrip()
        return 1 if written.endswith(('"""', "'''")) else 0


def read_release(path: Path) -> Release:
    """The release in a file. Raises FactsError, and no other error."""
    written = text_of(path, "a release file")
    release, problems = examined(written, str(path), lambda root: _release(root, path, written))
    if problems:
        raise problems[0].to_error()
    assert release is not None
    return release


def _release(root: Section, path: Path, written: str) -> Release | None:
    root.only(("release", "question", "derived"), "a release file")
    head = root.section("release", needed='write a table [release] with title = "…" and table = "facts.toml"')
    head = head or Section({}, ("release",), root.found)
    head.only(_RELEASE, "[release]")
    title = head.read("title", name, needed='write title = "…": it heads the page')
    usual = head.read("table", text)
    questions = [_question(each, path, usual) for each in _repeated(root, "question")]
    derived = [_derivation(each) for each in _repeated(root, "derived")]
    if not questions and not root.found:
        root.wrong("question", "there is no question", 'write [[question]] with name, sql and a price')
    _check_names(root)
    if root.found:
        return None
    return Release(
        path,
        digest({"release": written}),
        title or "",
        head.read("description", text) or "",
        tuple(each for each in questions if each is not None),
        tuple(each for each in derived if each is not None),
        lines_of(written.removeprefix("\ufeff").replace("\r\n", "\n")),
    )


def _repeated(root: Section, key: str) -> list[Section]:
    """The items of a repeated table."""
    written = root.entries.get(key, [])
    if not isinstance(written, list) or not all(isinstance(item, Mapping) for item in written):
        root.wrong(key, f"{key} is {said(written)}, not a repeated table", f"write [[{key}]], with two brackets, above each one")
        return []
    return [Section(item, (key, place), root.found) for place, item in enumerate(written)]


def _question(section: Section, path: Path, usual: str | None) -> PricedQuestion | None:
    section.only(_QUESTION, "[[question]]")
    called = section.read("name", identifier, needed='write a plain name, such as name = "speed": its files are called so')
    sql = section.read("sql", text, needed='write the question: sql = "SELECT …"')
    table = section.read("table", text) or usual
    if not table and "table" not in section.entries:
        section.wrong("table", "no table is named", 'write table = "facts.toml" here, or once under [release]')
    confidence = section.read("confidence", _confidence)
    rest = {
        "simultaneous": section.read("simultaneous", truth) or False,
        "assuming": section.read("assuming", whole(at_least=1)),
        "weights": _numbers(section, "weights"),
    }
    prices = _price(section)
    about = _about(section)
    if called is None or sql is None or not table:
        return None
    found = {"confidence": confidence} if confidence is not None else {}
    return PricedQuestion(called, sql, path.parent / table, **prices, **rest, **found, **about)  # type: ignore[arg-type]


def _derivation(section: Section) -> Derivation | None:
    section.only((*_ABOUT, "confidence"), "[[derived]]")
    called = section.read("name", identifier, needed='write a plain name, such as name = "coverage": its file is called so')
    sql = section.read("sql", text, needed='write sql = "SELECT …" over the released tables')
    confidence, about = section.read("confidence", _confidence), _about(section)
    return None if called is None or sql is None else Derivation(called, sql, confidence, **about)  # type: ignore[arg-type]


def _about(section: Section) -> dict[str, object]:
    meanings = section.section("columns")
    found = {key: meanings.read(key, text) or "" for key in meanings.entries} if meanings else {}
    return {
        "title": section.read("title", name) or "", "description": section.read("description", text) or "", "columns": found
    }  # fmt: skip


def _price(section: Section) -> dict[str, object]:
    """The price or the wish, checked as far as that needs no question."""
    written = [key for key in _PRICE if key in section.entries]
    if not written or written == ["delta"]:
        section.wrong("epsilon", "the question has no price", _HOW)
        return {}
    if "within" in written:
        if len(written) > 1:
            section.wrong(written[0], "a question has a price or a wish, not both", _HOW)
        wishes = section.entries["within"]
        if wishes == {}:
            section.wrong("within", "within wishes for nothing", _HOW)
        return {"within": _numbers(section, "within") if isinstance(wishes, Mapping) else section.read("within", positive)}
    found = {key: section.read(key, number) for key in written}
    if None in found.values():
        return {}
    try:
        _ = Ask("", **found).offer  # type: ignore[arg-type]
    except ParameterError as error:
        section.wrong(written[0], error.message, error.hint)
    return dict(found)


def _numbers(section: Section, key: str) -> Numbers | None:
    """Positive numbers by column."""
    inner = section.section(key)
    if inner is None:
        return None
    found = {each: inner.read(each, positive) for each in inner.entries}
    return {each: value for each, value in found.items() if value is not None}


def _confidence(value: object, key: str) -> Fraction:
    return Ask("", confidence=number(value, key)).sure


def _check_names(root: Section) -> None:
    """Names are those of files and of tables in SQL, where capitals may not count."""
    seen: dict[str, str] = {}
    for key in ("question", "derived"):
        for each in _repeated(root, key) if isinstance(root.entries.get(key), list) else ():
            called = each.entries.get("name")
            if not isinstance(called, str):
                continue
            if called.casefold() in seen:
                each.wrong("name", f"{called} is the name of another {seen[called.casefold()]}", "write another name")
            seen[called.casefold()] = "table" if key == "derived" else "question"
