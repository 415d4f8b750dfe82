"""What is asked of a table, in one piece: the question, a price or a wish, how it is to be read, and who asks.

Every interface makes one of these out of what people wrote; ``ask`` and ``quote`` take no other form. Nothing here looks at data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict, Unpack

from discreet.curator.names import Asker
from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive, exact_whole
from discreet.facts.model import Facts
from discreet.mechanisms.accuracy import read_confidence
from discreet.planning.price import Price, read_price
from discreet.questions.algebra import Caps, KeyOf, Question
from discreet.questions.caps import NO_CAPS, with_caps
from discreet.questions.check import checked
from discreet.questions.ranked import with_intervals
from discreet.questions.sql import read_sql
from discreet.questions.unbounded import with_share
from discreet.remedies import Remedy
from discreet.views.counts_behind import Counts
from discreet.views.expected import price_within

__all__ = ["Ask", "Asked", "Weights", "Wish", "Words", "WordsForAll"]

Wish = Number | Mapping[str, Number]
Weights = Mapping[str, Number]


class Words(TypedDict, total=False):
    """All that may be said beside a question.

    The price: ``epsilon``, with a ``delta`` perhaps, or ``rho``; or a wish, ``within`` = 500 for all numbers or by name, with the
    number of rows it is made for, ``assuming`` = 1000. ``weights`` shares the price unevenly, ``bounds_share`` is the part of it
    that finds bounds for columns which have none.

    How intervals are made: ``confidence``; ``simultaneous`` ones hold all at once; ``value_intervals`` buys intervals for the
    values of quantiles, which else have intervals of ranks only.

    ``max_rows``, ``max_groups`` and ``max_rows_per_group`` say how much of each unit is read, before the facts do. An ``analyst``
    is charged beside the table and has a limit of their own; an account needs a grant for every table that is read as well. With
    the same ``key`` the same request is one. ``anew`` buys another answer although one is stored. ``rehearse`` answers on made-up
    rows: free, and about nobody.
    """

    epsilon: Number | None
    delta: Number | None
    rho: Number | None
    within: Wish | None
    confidence: Number
    assuming: int | None
    weights: Weights | None
    bounds_share: Number | None
    simultaneous: bool
    value_intervals: bool
    max_rows: int | None
    max_groups: int | None
    max_rows_per_group: int | None
    analyst: Asker
    key: str | None
    anew: bool
    rehearse: bool


class WordsForAll(TypedDict, total=False):
    """All that may be said beside several questions for one price. The words mean what they mean beside one."""

    epsilon: Number | None
    delta: Number | None
    rho: Number | None
    confidence: Number
    weights: Weights | None
    analyst: Asker
    simultaneous: bool


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, as it was written. ``Words`` says what each word means."""

    question: str | Question
    epsilon: Number | None = None
    delta: Number | None = None
    rho: Number | None = None
    within: Wish | None = None
    confidence: Number = "0.95"
    assuming: int | None = None
    weights: Weights | None = None
    bounds_share: Number | None = None
    simultaneous: bool = False
    value_intervals: bool = False
    max_rows: int | None = None
    max_groups: int | None = None
    max_rows_per_group: int | None = None
    analyst: Asker = None
    key: str | None = None
    anew: bool = False
    rehearse: bool = False

    @classmethod
    def of(cls, question: "Asked", **words: Unpack[Words]) -> "Ask":
        """A request out of a question and words beside it; a whole request stands for itself."""
        if not isinstance(question, Ask):
            return cls(question, **words)
        if words:
            raise ParameterError("a whole request takes no more words", hint="write them into the request")
        return question

    @property
    def sure(self) -> Fraction:
        """The confidence, exactly."""
        return read_confidence(self.confidence)

    @property
    def rows_assumed(self) -> int | None:
        """The size of a group that the asker supposes."""
        return None if self.assuming is None else exact_whole(self.assuming, "assuming", at_least=1)

    @property
    def offer(self) -> Price:
        """The price that was written; refused if there is none, or half of one."""
        return read_price(epsilon=self.epsilon, delta=self.delta, rho=self.rho)

    def read(self, facts: Facts) -> Question:
        """The question that is asked of a table with these facts."""
        share = None if self.bounds_share is None else exact_positive(self.bounds_share, "bounds_share")
        caps = Caps(self.max_rows, self.max_groups, self.max_rows_per_group)
        if isinstance(self.question, Question):
            asked = checked(with_share(self.question, share), facts)
        else:
            asked = read_sql(self.question, facts, bounds_share=share)
        asked = with_intervals(asked) if self.value_intervals else asked
        return checked(with_caps(asked, caps), facts) if self.value_intervals or caps != NO_CAPS else asked

    def price(self, question: Question, facts: Facts, released: Counts | None) -> Price:
        """What the asker offers. A wish is turned into a price without looking at data (rule 29)."""
        if self.within is None:
            return self.offer
        exact = self.wished(question)
        return price_within(question, facts, exact, self.sure, self.rows_assumed, weights=self.weights, released=released)

    def wished(self, question: Question) -> dict[str, Fraction]:
        """The ± that is wished for, exactly, by the names of columns; refused beside a price."""
        if self.within is None:
            return {}
        if self.epsilon is not None or self.delta is not None or self.rho is not None:
            how = Remedy("write {epsilon=0.1}, or {within=500}")
            raise ParameterError("a question has a price or a wish, not both", hint=how)
        numbers = [output.name for output in question.outputs if not isinstance(output.value, KeyOf)]
        wishes = self.within if isinstance(self.within, Mapping) else dict.fromkeys(numbers, self.within)
        return {name: exact_positive(value, "within") for name, value in wishes.items()}


Asked = str | Question | Ask
