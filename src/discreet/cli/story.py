"""What the demo tells, computed afresh: the same releases as the texts, then as a curator makes them.

Exact answers appear here because the tables are made up; no release of a real table comes with one.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from discreet.exact import exact
from discreet.lessons import auction
from discreet.lessons.r import R
from discreet.lessons.samples import Sample, sample
from discreet.mechanisms import Exponential, Laplace
from discreet.sensitivities import sensitivity

__all__ = ["Answer", "Auction", "Example", "Price", "Release", "Singled", "Story", "Worth", "tell"]

_CONFIDENCE = 0.95
_EPSILONS = ("0.1", "1")
_LADDER = ("0.01", "0.1", "1", "10")
_SUSPECT = "Karrie Trusslove"


@dataclass(frozen=True, slots=True)
class Example:
    """A question from the texts, its exact answer on the sample, and how far one row can move it."""

    table: str
    question: str
    truth: Fraction
    sensitivity: Fraction
    whole: bool


@dataclass(frozen=True, slots=True)
class Release:
    """One noisy answer: a count is an int, a mean a float."""

    table: str
    question: str
    truth: float
    epsilon: str
    scale: float
    answer: float


@dataclass(frozen=True, slots=True)
class Answer:
    """A release with its interval: [low, high] holds the exact answer with probability 0.95 or more."""

    release: Release
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Worth:
    """What ε buys: the ± at 95 % of the count and of the mean."""

    epsilon: str
    count_plus_minus: float
    mean_plus_minus: float


@dataclass(frozen=True, slots=True)
class Singled:
    """A question aimed at one person, and what its answer is worth to whoever asked.

    ``if_one`` and ``if_zero`` are further draws for the two answers that the asker wants to tell apart; ``belief`` is
    the most that an even guess can rise to, whatever the answer was.
    """

    person: str
    answer: Answer
    if_one: tuple[int, ...]
    if_zero: tuple[int, ...]
    belief: float


@dataclass(frozen=True, slots=True)
class Price:
    """A price, what it would earn, both in cents, and the probability of its being chosen at each ε."""

    price: int
    revenue: int
    probabilities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Auction:
    """The house chooses a price by the exponential mechanism. ``chosen`` is one choice for each ε, in cents."""

    bids: tuple[int, ...]
    sensitivity: int
    epsilons: tuple[str, ...]
    prices: tuple[Price, ...]
    chosen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """All that the demo shows."""

    printed: tuple[Release, ...]
    exact: tuple[Answer, ...]
    worth: tuple[Worth, ...]
    singled: Singled
    auction: Auction

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dicts and lists, for JSON."""
        return asdict(self)


def tell() -> Story:
    """Compute the whole story; the printed releases are the same every time, all others differ."""
    found = _examples()
    book_count, book_mean, _ = found
    return Story(
        printed=tuple(_replayed(example, epsilon) for example in found for epsilon in _EPSILONS),
        exact=tuple(_answered(example, epsilon) for example in found for epsilon in _EPSILONS),
        worth=tuple(Worth(epsilon, _plus_minus(book_count, epsilon), _plus_minus(book_mean, epsilon)) for epsilon in _LADDER),
        singled=_singled("0.1"),
        auction=_auction(("1", "10")),
    )


def _examples() -> tuple[Example, Example, Example]:
    """The texts' three questions on the made-up tables that have their totals."""
    book, slides = sample("ce_book"), sample("ce_slides")
    rows = len(book.rows)
    income = Fraction(sum(int(value) for value in book.column("Income")), rows)
    one = sensitivity("count", neighbours="change_one")
    spread = sensitivity("mean", neighbours="change_one", lower=0, upper=1_000_000, rows=rows)
    return (
        Example("chapter", "rural units", _rural(book), one, whole=True),
        Example("chapter", "mean income", income, spread, whole=False),
        Example("slides", "rural units", _rural(slides), sensitivity("count", neighbours="add_remove"), whole=True),
    )


def _replayed(example: Example, epsilon: str) -> Release:
    """The release that R prints after ``set.seed(123)``: for reading along, never for publishing."""
    scale = float(example.sensitivity / exact(epsilon))
    drawn = float(R(123).rlaplace(1, float(example.truth), scale)[0])
    answer = round(drawn) if example.whole else drawn
    return Release(example.table, example.question, _number(example), epsilon, scale, answer)


def _answered(example: Example, epsilon: str) -> Answer:
    """The release that a curator makes: exact noise, and the interval that goes with it."""
    mechanism = Laplace(epsilon=epsilon, sensitivity=example.sensitivity)
    truth = _number(example)
    drawn = mechanism.release(truth)
    answer = int(drawn) if example.whole else float(drawn)
    low, high = mechanism.interval(_CONFIDENCE)
    release = Release(example.table, example.question, truth, epsilon, float(mechanism.scale), answer)
    return Answer(release, answer + low, answer + high)


def _plus_minus(example: Example, epsilon: str) -> float:
    return Laplace(epsilon=epsilon, sensitivity=example.sensitivity).interval(_CONFIDENCE)[1]


def _singled(epsilon: str) -> Singled:
    people = sample("adult")
    rows = zip(people.column("Name"), people.column("Target"), strict=True)
    truth = sum(row == (_SUSPECT, "<=50K") for row in rows)
    one = sensitivity("count", neighbours="add_remove")
    asked = Example("adult", f"{_SUSPECT}, Target <=50K", Fraction(truth), one, whole=True)
    mechanism = Laplace(epsilon=epsilon, sensitivity=one)
    return Singled(
        _SUSPECT,
        _answered(asked, epsilon),
        if_one=tuple(int(mechanism.release(1)) for _ in range(10)),
        if_zero=tuple(int(mechanism.release(0)) for _ in range(10)),
        belief=1 / (1 + math.exp(-exact(epsilon))),
    )


def _auction(epsilons: tuple[str, ...]) -> Auction:
    scores = [auction.revenue(price) for price in auction.PRICES]
    widest = auction.score_sensitivity()
    mechanisms = [Exponential(epsilon=epsilon, sensitivity=widest) for epsilon in epsilons]
    chances: Iterable[tuple[float, ...]] = zip(*(mechanism.pmf(scores) for mechanism in mechanisms), strict=True)
    return Auction(
        auction.BIDS,
        widest,
        epsilons,
        prices=tuple(Price(*row) for row in zip(auction.PRICES, scores, chances, strict=True)),
        chosen=tuple(auction.PRICES[mechanism.select(scores)] for mechanism in mechanisms),
    )


def _rural(table: Sample) -> Fraction:
    return Fraction(sum(value == 2 for value in table.column("UrbanRural")))


def _number(example: Example) -> int | float:
    return int(example.truth) if example.whole else float(example.truth)
