"""Bodies of requests. What they mean is the curator's business: here is only their shape."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr, model_validator
from pydantic_core import PydanticCustomError

from discreet.curator.accounts import Account
from discreet.curator.request import Ask

__all__ = [
    "AddBody", "AskAllBody", "AskBody", "FactsBody", "FreezeBody", "GrantBody", "LimitBody", "QuoteBody", "RaiseBody",
    "RegisterBody", "RehearseBody", "RotateBody", "VersionBody",
]  # fmt: skip

Short = Annotated[StrictStr, Field(min_length=1, max_length=200)]
Numeral = Annotated[StrictStr, Field(min_length=1, max_length=100)] | StrictInt | StrictFloat
Reason = Annotated[StrictStr, Field(min_length=1, max_length=1000, description="Signed, and kept in the ledger.")]
Count = Annotated[StrictInt, Field(ge=1, le=2**53)]
_MOST_WORDS = 1000  # of a body, of a list or of a mapping in it
_EXAMPLE: dict[str, Any] = {"sql": "SELECT COUNT(*) AS n FROM people WHERE age >= 40", "epsilon": "0.1"}
_FACTS = """\
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"

[budget]
epsilon = 1

[columns.age]
type = "integer"
lower = 0
upper = 120
"""
_NEXT = _FACTS.replace('"people.csv"', '"people-2.csv"\nversion = "2"')


def _shown(*examples: dict[str, Any]) -> ConfigDict:
    """No word but those that are known, and examples for the document: each is sent by a test, and is answered."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": list(examples)})


class Body(BaseModel):
    """What all bodies have in common: no word but those that are known, and no more words than can be meant.

    What is wrong is told word by word: a hundred thousand wrong ones would keep everybody waiting.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _few(cls, body: Any) -> Any:
        parts = (body, *body.values()) if isinstance(body, dict) else ()
        if any(isinstance(part, dict | list) and len(part) > _MOST_WORDS for part in parts):
            raise PydanticCustomError("too_many", "has more words than can be meant")
        return body


class QuoteBody(Body):
    """A question with a price, or with the ± that is wished for. Numbers that are to be exact are texts: "0.1", "1/3"."""

    model_config = _shown(_EXAMPLE, {"sql": _EXAMPLE["sql"], "within": {"n": "50"}})
    sql: Annotated[StrictStr, Field(max_length=65_536, description="The question.")]
    epsilon: Numeral | None = Field(None, description="The price of the whole question.")
    delta: Numeral | None = Field(None, description="Beside epsilon: Gaussian noise, or keys that nobody listed.")
    rho: Numeral | None = Field(None, description="The price on a budget that counts rho.")
    within: Numeral | dict[Short, Numeral] | None = Field(None, description="The ± wished for, of all numbers or by name.")
    confidence: Numeral = Field("0.95", description="How sure intervals are.")
    assuming: Count | None = Field(None, description="How many rows to expect in a group.")
    weights: dict[Short, Numeral] | None = Field(None, description="Shares of the price, by name.")
    bounds_share: Numeral | None = Field(None, description="The part of the price that finds bounds which nobody knows.")
    simultaneous: StrictBool = Field(False, description="Intervals that hold all at once.")
    value_intervals: StrictBool = Field(False, description="Buy intervals for the values of quantiles.")
    max_rows: Count | None = Field(None, description="How many rows of each unit are read.")
    max_groups: Count | None = Field(None, description="In how many groups each unit counts.")
    max_rows_per_group: Count | None = Field(None, description="How many rows of each unit count in one group.")
    anew: StrictBool = Field(False, description="Buy another answer, although one is stored.")

    def to_ask(self, analyst: Account, *, rehearse: bool = False) -> Ask:
        """The one request object."""
        words = self.model_dump(exclude={"sql"})
        return Ask(self.sql, **words, analyst=analyst, rehearse=rehearse)


class AskBody(QuoteBody):
    """The same, to be charged and answered."""


class AskAllBody(Body):
    """Several questions for one price: every statistic inside gets an equal share, unless weights say otherwise."""

    model_config = _shown({"questions": [_EXAMPLE["sql"], "SELECT AVG(age) AS m FROM people"], "epsilon": "0.2"})
    questions: Annotated[list[Annotated[StrictStr, Field(max_length=65_536)]], Field(min_length=1, max_length=100)]
    epsilon: Numeral | None = Field(None, description="The price of all questions together.")
    delta: Numeral | None = None
    rho: Numeral | None = None
    confidence: Numeral = "0.95"
    weights: dict[Short, Numeral] | None = None
    simultaneous: StrictBool = False


class RehearseBody(QuoteBody):
    """The same, to be answered on made-up rows."""


class FreezeBody(Body):
    """Why asking is stopped or goes on; of one analyst, or of everybody."""

    model_config = _shown({"reason": "an answer is looked into"}, {"reason": "an answer is looked into", "analyst": "alice"})
    reason: Reason
    analyst: Short | None = None


class RaiseBody(Body):
    """The whole new cap, not the difference, and why."""

    model_config = _shown({"epsilon": "3", "reason": "a second wave"})
    epsilon: Numeral | None = None
    delta: Numeral | None = None
    rho: Numeral | None = None
    reason: Reason

    def budget(self) -> dict[str, Any]:
        """As budgets are written."""
        return {name: value for name in ("epsilon", "delta", "rho") if (value := getattr(self, name)) is not None}


class AddBody(Body):
    """A new account; `expires` is the last day of its token. A holder may ask all tables."""

    model_config = _shown({"name": "alice", "tables": ["people"]}, {"name": "dora", "holder": True, "expires": "2100-01-01"})
    name: Short
    holder: StrictBool = False
    tables: Annotated[list[Short], Field(max_length=1000)] = []
    expires: Annotated[StrictStr, Field(max_length=20)] | None = None


class GrantBody(Body):
    """Tables that somebody may ask from now on, or may not."""

    model_config = _shown({"tables": ["people"]})
    tables: Annotated[list[Short], Field(min_length=1, max_length=1000)]


class LimitBody(Body):
    """What somebody may spend on a table; without a figure, the limit is taken away."""

    model_config = _shown({"table": "people", "epsilon": "1/2"}, {"table": "people"})
    table: Short
    epsilon: Numeral | None = None
    delta: Numeral | None = None
    rho: Numeral | None = None

    def budget(self) -> dict[str, Any] | None:
        """As budgets are written."""
        return {name: value for name in ("epsilon", "delta", "rho") if (value := getattr(self, name)) is not None} or None


class RotateBody(Body):
    """The last day of the new token: that of the old one unless another is given, or `none` for no last day."""

    model_config = _shown({"expires": "2100-01-01"}, {"expires": "none"}, {})
    expires: Annotated[StrictStr, Field(max_length=20)] | None = None


class FactsBody(Body):
    """A facts file, as text."""

    model_config = _shown({"facts": _FACTS})
    facts: Annotated[StrictStr, Field(max_length=100_000, description="TOML: see the pages on facts files.")]


class RegisterBody(FactsBody):
    """A facts file whose source was uploaded."""

    model_config = _shown({"facts": _FACTS})
    separate: StrictBool = Field(False, description="State, signed, that nobody in it is in a table with the same rows.")
    anyway: StrictBool = Field(False, description="Even if there is a column of which nothing can be read.")
    reason: Annotated[StrictStr, Field(max_length=1000)] = ""


class VersionBody(RegisterBody):
    """The facts of the next version, whose source was uploaded under a name of its own."""

    model_config = _shown({"facts": _NEXT, "reason": "rows of this year", "after": "1"})
    no_unit_in_both: StrictBool = Field(False, description="State, signed, that none of its units was there before.")
    after: Short | None = Field(None, description="The version that this one follows: refused if another stands by now.")
