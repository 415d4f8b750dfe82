"""A place among the tokens of a question."""

from discreet.errors import QuestionError
from discreet.questions.hints import RESERVED, SYMBOLS, word_refusal
from discreet.questions.places import Source
from discreet.questions.tokens import Token, tokens

__all__ = ["Cursor"]


class Cursor:
    """Walks over the tokens of one question, once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._tokens = tokens(source)
        self._next = 0

    @property
    def token(self) -> Token:
        """The token that comes next."""
        return self._tokens[self._next]

    @property
    def after(self) -> Token:
        """The token behind it."""
        return self._tokens[min(self._next + 1, len(self._tokens) - 1)]

    def comes(self, *keys: str) -> bool:
        """Whether these words or symbols come next, one behind the other."""
        return tuple(token.key for token in self._tokens[self._next : self._next + len(keys)]) == keys

    def take(self) -> Token:
        """The next token, which is now behind us."""
        token = self.token
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def take_if(self, *keys: str) -> Token | None:
        """The next token if it is one of these words or symbols."""
        return self.take() if self.token.key in keys else None

    def expect(self, key: str) -> Token:
        """The next token, which must be this word or symbol."""
        if self.token.key != key:
            raise self.unexpected(key)
        return self.take()

    def name(self, what: str) -> Token:
        """The next token, which must be a name."""
        token = self.token
        if token.kind == "quoted" or (token.kind == "word" and token.key not in RESERVED):
            return self.take()
        if token.kind == "text":
            raise self.refused(token, f"expected {what}, found the text {token}", 'names are written plainly or as "name"')
        raise self.unexpected(what)

    def is_name(self) -> bool:
        """Whether a name comes next."""
        return self.token.kind == "quoted" or (self.token.kind == "word" and self.token.key not in RESERVED)

    def refused(self, token: Token, message: str, hint: str = "") -> QuestionError:
        """The error that says so, at this token."""
        return self.source.refused(token.at, message, hint)

    def unexpected(self, expected: str) -> QuestionError:
        """The error for a token that has no place here, with the nearest thing that works."""
        known = word_refusal(self.token.key) or SYMBOLS.get(self.token.key) or self._decimal_comma()
        if known is not None:
            return self.refused(self.token, *known)
        hint = f'a column of that name is written "{self.token.text}"' if self.token.key in RESERVED else f"write {expected} here"
        return self.refused(self.token, f"expected {expected}, found {self.token}", hint)

    def _decimal_comma(self) -> tuple[str, str] | None:
        """What to write for 1.000,50; None if no comma between two numbers is here."""
        before, after = self._tokens[max(self._next - 1, 0)], self.after
        if self.token.key != "," or before.kind != "number" or after.kind != "number":
            return None
        meant = f"{before.text.replace('.', '')}.{after.text}"
        return "a comma stands inside a number", f"write {meant}, with a point before the decimals and nothing between thousands"
