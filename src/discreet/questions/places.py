"""Where each expression stands in the text it was read from."""

from dataclasses import dataclass

from discreet.errors import QuestionError
from discreet.questions.algebra import Expression

__all__ = ["Misfit", "Places", "Source", "short"]


def short(text: str, most: int = 40) -> str:
    """``text``, cut to what a message can carry."""
    return text if len(text) <= most else f"{text[:most]}…"


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a question."""

    text: str

    def refused(self, position: int | None, message: str, hint: str = "") -> QuestionError:
        """The error that says so, with its place."""
        if position is None:
            return QuestionError(message, hint=hint)
        before = self.text[:position]
        line, column = before.count("\n") + 1, position - before.rfind("\n")
        return QuestionError(message, hint=hint, position=position, line=line, column=column)


class Misfit(Exception):
    """An expression that does not fit where it stands. Readers turn it into a QuestionError with the expression's place."""

    def __init__(self, expression: Expression | None, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.expression, self.message, self.hint = expression, message, hint


class Places:
    """The place of each expression, known by identity: equal expressions may stand in many places."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Expression, int]] = {}  # holding the expression keeps its id from being used again
        self.called: dict[str, str] = {}  # what the text calls things that have other names in expressions

    def as_called(self, text: str) -> str:
        """A message in the names of the text."""
        for name, called in self.called.items():
            text = text.replace(name, called).replace(short(name), called)
        return text

    def mark(self, expression: Expression, position: int) -> None:
        """Remember a place, unless one is known."""
        self._known.setdefault(id(expression), (expression, position))

    def of(self, expression: Expression | None) -> int | None:
        """The place, if it was marked."""
        found = self._known.get(id(expression))
        return None if found is None else found[1]

    def moved(self, old: Expression, new: Expression) -> Expression:
        """``new``, which from now on stands where ``old`` stood."""
        if (position := self.of(old)) is not None:
            self.mark(new, position)
        return new
