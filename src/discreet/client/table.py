"""A table behind a service, with the verbs of one that is here."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

from discreet.answers.answer import Answer, BudgetState
from discreet.answers.bodies import read_answer, read_budget, read_quote
from discreet.answers.quote import Quote
from discreet.client.addresses import read_address, read_token
from discreet.client.wire import Reply, Wire, path_of
from discreet.errors import AccessError, MissingError, ParameterError, TokenError
from discreet.exact import exact, shown
from discreet.questions.verbs import Verbs

if TYPE_CHECKING:
    from discreet.questions.algebra import Question
    from discreet.questions.builder import Rows

__all__ = ["FarTable", "WORDS", "connect"]

_NUMBERS = frozenset({"epsilon", "delta", "rho", "within", "confidence", "weights", "bounds_share"})
WORDS = _NUMBERS | {"assuming", "simultaneous", "value_intervals", "max_rows", "max_groups", "max_rows_per_group", "anew"}
_TOGETHER = frozenset({"epsilon", "delta", "rho", "confidence", "weights", "simultaneous"})
_PENDING = 202
_LONGEST_KEY = 200


def connect(
    address: str, *, token: str | None = None, timeout: float = 60.0, told: Callable[[str], None] | None = None
) -> "FarTable":
    """The table at ``https://host/TABLE``, with the verbs of a table that is here: ``ask``, ``quote``, ``where``, ``budget``.

    The token is ``token``, or what DISCREET_TOKEN holds. Plain http reaches this machine only. ``timeout`` is how many seconds a
    response may take; a question that takes longer is waited for, and ``told`` how it stands; else stderr is.
    """
    place, name = read_address(address)
    wire = Wire(place, read_token(token), timeout=timeout)
    try:
        return FarTable(wire, name, told)
    except BaseException:
        wire.close()
        raise


class FarTable(Verbs):
    """A table behind a service. Whoever has the token is who asks."""

    def __init__(self, wire: Wire, name: str, told: Callable[[str], None] | None = None) -> None:
        from discreet.answers.table_json import read_table

        self._wire, self._told = wire, told or _Progress()
        try:
            body = wire.get(path_of("tables", name))
        except MissingError:
            raise _unknown(wire, name) from None
        self.facts = read_table(body, f"{wire.place}/{name}")

    @property
    def name(self) -> str:
        """As questions call it."""
        return self.facts.name

    @cached_property
    def analyst(self) -> str:
        """Whose token it is."""
        return str(self._wire.get(path_of("me"))["name"])

    @property
    def budget(self) -> BudgetState:
        """What may be spent, is spent and is left now; for whoever has the token."""
        return read_budget(self._wire.get(self._path("budget")))

    def stopped_for(self, analyst: str | None = None) -> AccessError | None:  # noqa: ARG002 - as a table here is asked
        """Why you would be refused now, whatever you ask; None if you would not be."""
        body = self._wire.get(self._path("budget"))
        return None if body["state"] == "open" else AccessError(body["reason"], reference=body.get("reference", ""))

    @property
    def all_rows(self) -> "Rows":
        """Where questions in Python begin."""
        from discreet.questions.builder import Rows

        return Rows(self.facts, asker=self)

    def quote(self, question: "str | Question", **words: Any) -> Quote:
        """What ``question`` would cost and how good its answer would be. Free."""
        self._check_asker(words)
        words.pop("key", None)
        return read_quote(self._wire.post(self._path("quote"), _body(question, words)))

    def ask(self, question: "str | Question", **words: Any) -> Answer:
        """Answer ``question`` with noise worth the price. Sent again where the connection was cut, and charged once.

        With a ``key`` of yours the same request is one also if this process ends and another asks.
        """
        self._check_asker(words)
        key, rehearse = _key(words.pop("key", None)), words.pop("rehearse", False)
        body = _body(question, words)
        if rehearse:
            return read_answer(self._wire.post(self._path("rehearse"), body))
        reply = self._wire.send("POST", self._path("ask"), body, key=key)
        return read_answer(self._waited(reply))

    def ask_all(self, questions: "Sequence[str | Question]", **words: Any) -> list[Answer]:
        """Several questions for one price, charged together or not at all."""
        self._check_asker(words)
        body = {"questions": [_text(each) for each in questions]} | _written(words, _TOGETHER)
        return [read_answer(each) for each in self._wire.post(self._path("ask_all"), body)["answers"]]

    def history(self, most: int = 50, *, before: str | None = None) -> list[dict[str, Any]]:
        """What you were answered about any table, newest first; from the answer ``before`` back, for the next page."""
        page = urlencode({"most": int(most)} | ({} if before is None else {"before": before}))
        with _theirs(before):
            found: list[dict[str, Any]] = self._wire.get(f"{path_of('answers')}?{page}")["answers"]
        return found

    def answer(self, id: str) -> Answer:  # noqa: A002 - as the answer calls it
        """One of these, as it was shown; free."""
        with _theirs(id):
            return read_answer(self._waited(self._wire.send("GET", path_of("answers", id))))

    def _waited(self, reply: Reply) -> Mapping[str, Any]:
        """What is there, at once or when it is: how long that takes is public and told."""
        began, at = monotonic(), ""
        while reply.status == _PENDING:
            at = at or path_of("answers", str(reply.body["id"]))
            self._told(f"{self.name}: {reply.body['state']}, {monotonic() - began:.0f} s")
            sleep(reply.after)
            reply = self._wire.send("GET", at)
        if at:
            self._told("")
        found: Mapping[str, Any] = reply.body
        return found

    def _check_asker(self, words: dict[str, Any]) -> None:
        """Takes the name out that a table here is told: the token says who asks, and a name beside it says the same."""
        if (name := words.pop("analyst", None)) is not None and name != self.analyst:
            hint = f"leave it out: the token is that of {self.analyst}"
            raise ParameterError("behind a service the token says who asks", hint=hint)

    def _path(self, verb: str) -> str:
        return path_of("tables", self.name, verb)

    def close(self) -> None:
        """Let go of the connections."""
        self._wire.close()

    def __enter__(self) -> Self:
        """``with dc.connect("https://…") as t``: closed at the end, whatever happens."""
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        from discreet.answers.words import table_in_words

        return table_in_words(self.facts, self.budget)

    def _repr_html_(self) -> str:
        from discreet.answers.pages import table_as_html

        return table_as_html(self.facts, self.budget)


def _key(given: object) -> str:
    """By which a request is known again: a new one, unless one was given."""
    if given is None:
        from uuid import uuid4

        return uuid4().hex
    found = str(given)
    if not 0 < len(found) <= _LONGEST_KEY or not all("!" <= letter <= "~" for letter in found):
        hint = f"write up to {_LONGEST_KEY} letters, digits and signs of ASCII, such as key='counts-of-monday'"
        raise ParameterError("this key cannot be sent", hint=hint)
    return found


@contextmanager
def _theirs(answer: str | None) -> Iterator[None]:
    """Inside, what is missing is an answer."""
    try:
        yield
    except MissingError:
        raise MissingError(f"there is no answer {answer!r} of yours", hint="your history lists those that there are") from None


def _body(question: "str | Question", words: Mapping[str, Any]) -> dict[str, Any]:
    return {"sql": _text(question)} | _written(words, WORDS)


def _text(question: "str | Question") -> str:
    if isinstance(question, str):
        return question
    from discreet.questions.text import to_text

    return to_text(question)


def _written(words: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Words beside a question as JSON; numbers that are to be exact are texts."""
    if unknown := set(words) - known:
        raise TypeError(f"ask() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    return {name: _number(value, name) if name in _NUMBERS else value for name, value in words.items() if value is not None}


def _number(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _number(each, name) for key, each in value.items()}
    return value if isinstance(value, str) else shown(exact(value, name))


def _unknown(wire: Wire, name: str) -> MissingError | TokenError:
    """A name that leads nowhere, and those that do."""
    tables = wire.get(path_of("me"))["tables"]
    known = f"write one of yours: {', '.join(tables)}" if tables else "no table is granted to you: ask the data holder"
    return MissingError(f"there is no table {name!r} for you at {wire.place}", hint=known)


class _Progress:
    """How long something takes, on stderr: one line of a terminal that is written over; in a notebook or a log, one line."""

    def __init__(self) -> None:
        self._is_said = False

    def __call__(self, text: str) -> None:
        if sys.stderr is None:
            return
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{text}")
        elif text and not self._is_said:
            sys.stderr.write(f"{text}\n")
        self._is_said = bool(text)
        sys.stderr.flush()
