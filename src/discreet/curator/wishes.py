"""Wishes: a ± in place of a price. What is stored is looked at first: what it tells well enough is free, and so is a wish that
was bought before, at the price that it became then. Else a price is worked out by counts that were released. Rule 29.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from discreet.answers.document import Document
from discreet.curator.desk import Desk
from discreet.curator.orders import Order, crossed
from discreet.curator.pace import public_numbers
from discreet.curator.replays import released_rows
from discreet.curator.request import Ask
from discreet.errors import Refused
from discreet.exact import shown
from discreet.ledger.entries.charges import Request, Wish
from discreet.planning.build import make_plan
from discreet.planning.plan import Plan
from discreet.planning.price import Price
from discreet.planning.purchase import bought_whole
from discreet.plots.numerals import grouped
from discreet.privacy.losses import Pure
from discreet.questions.algebra import Question
from discreet.views.expected import expected_errors
from discreet.views.rows import Shown, answer_table
from discreet.views.stored import view_of

__all__ = ["missed", "priced"]

_LARGE = 200_000  # numbers: an answer with more is not put together to see how wide its intervals are, since that is free
_LEAST = Fraction(1, 1000)  # an epsilon at which all that is stored serves
_MOST = 8  # prices at which it is looked at what is stored
_ROUNDING = 1 + Fraction(1, 10**9)
_ABOUT = {"released": "at least ", "rows_about": "about ", "rows_kept": "about ", "units": "about "}


def priced(desk: Desk, ask: Ask, asked: Question) -> tuple[Price, Wish | None]:
    """What is offered for a question, and what it was worked out for if it is a wish. Reads no row."""
    if ask.within is None:
        return ask.price(asked, desk.facts, None), None
    wish = _wish(ask, asked)
    looks = not (ask.anew or ask.rehearse)
    if wish is not None and looks and (found := _as_stored(desk, ask, asked, wish)) is not None:
        return found
    plan = make_plan(asked, desk.facts, Pure(epsilon=1))
    rows = released_rows(plan, desk.stock, ask.sure, desk.request(plan, ask.analyst))
    price = ask.price(asked, desk.facts, rows)
    if wish is None:  # it names no column of the answer, which the line above refuses
        return price, None
    found_for = expected_errors(make_plan(asked, desk.facts, price, ask.weights), ask.sure, ask.rows_assumed, rows)
    places = {output.name: place for place, output in enumerate(asked.outputs)}
    wanted = {place for place, _ in wish.within}
    sizes = [(places[each.name], each.basis, each.rows) for each in found_for if each.rows is not None]
    return price, replace(wish, rows=tuple(dict.fromkeys(each for each in sizes if each[0] in wanted)))


def _wish(ask: Ask, asked: Question) -> Wish | None:
    """The wish by places, which names of columns do not change; None if there is no such column."""
    places = {output.name: place for place, output in enumerate(asked.outputs)}
    wished = ask.wished(asked)
    if not wished.keys() <= places.keys():
        return None
    return Wish(tuple(sorted((places[name], most) for name, most in wished.items())), ask.sure, ask.rows_assumed)


# ---- what is stored


def _as_stored(desk: Desk, ask: Ask, asked: Question, wish: Wish) -> tuple[Price, Wish] | None:
    """A price at which all of it is stored, and what is stored meets the wish, or was bought for it; None if there is none."""
    plan = _planned(desk, ask, asked, _LEAST)
    if plan is None:
        return None
    request = desk.request(plan, ask.analyst, ask.key)
    alike = desk.stock.alike(request)
    before = _bought_before(alike, request, wish)
    if before is not None and before.key is not None and (before.key, before.analyst) == (request.key, request.analyst):
        return _again(before)
    if public_numbers(plan) > _LARGE:
        return None if before is None else _again(before)
    first = [] if before is None else [before.price]
    names = [name for *_, name in bought_whole(plan).names]
    charged = {each.price for each in alike.values()} | desk.stock.priced_at(request, names)
    for epsilon in _prices(first, charged):
        if _is_met(desk, ask, asked, epsilon, wish):
            return Pure(epsilon=epsilon), wish
    return None if before is None else _again(before)


def _again(before: Request) -> tuple[Price, Wish]:
    assert before.wish is not None
    return before.price, before.wish


def _bought_before(alike: dict[int, Request], request: Request, wish: Wish) -> Request | None:
    """What was charged for the same wish: under the same key, else by whoever asks, the last one; else the dearest."""
    same = {number: each for number, each in alike.items()
            if each.wish == wish and (each.weights, each.beside) == (request.weights, request.beside)}  # fmt: skip
    own = {number: each for number, each in same.items() if each.analyst == request.analyst}
    keyed = [number for number, each in own.items() if request.key is not None and each.key == request.key]
    if own:
        return own[max(keyed or own)]
    return max(same.values(), key=lambda each: _epsilon(each.price), default=None)


def _prices(first: list[Price], charged: set[Price]) -> list[Fraction]:
    """At which it is looked at what is stored: that of the same wish first, then the dearest, and one at which all serves."""
    dearest = sorted((_epsilon(each) for each in charged if isinstance(each, Pure)), reverse=True)
    return [] if not charged else [*dict.fromkeys([*map(_epsilon, first), *dearest[:_MOST], _LEAST])]


def _epsilon(price: Price) -> Fraction:
    return price.epsilon if isinstance(price, Pure) else Fraction(0)


def _is_met(desk: Desk, ask: Ask, asked: Question, epsilon: Fraction, wish: Wish) -> bool:
    """Whether all that is asked is stored for whoever pays so much, and no ± of it is above what is wished for."""
    plan = _planned(desk, ask, asked, epsilon)
    if plan is None:
        return False
    found = crossed(Order(desk, plan, ask.sure, analyst=ask.analyst), waits=False)
    if found.is_old or not found.purchase.is_free:
        return False
    view = view_of(found.purchase)
    columns = answer_table(view.plan, desk.stock.released(view, ()), ask.sure).columns
    return all(_tells(columns[place]) and not _wider(columns[place], most) for place, most in wish.within)


def _tells(column: Shown) -> bool:
    """Whether a wish can be held against it: it shows something, and an interval of values beside each number that was drawn.

    Groups of too few rows show nothing, at this ± or another: where others are told well enough, that is the answer.
    """
    is_shown = len(column.too_few) < len(column.values)
    return is_shown and column.rank_interval is None and (column.intervals is not None or not column.is_drawn)


def _planned(desk: Desk, ask: Ask, asked: Question, epsilon: Fraction) -> Plan | None:
    """The plan at a price; None where there is none, which is told when the wish is priced."""
    try:
        return make_plan(asked, desk.facts, Pure(epsilon=epsilon), ask.weights)
    except Refused:
        return None


# ---- what it came to


def missed(document: Document, wish: Wish | None) -> tuple[str, ...]:
    """That an answer is less sure than was wished for, and for how many rows its price was worked out."""
    if wish is None or wish.confidence != document.confidence:
        return ()
    columns = document.table.columns
    wide = [(place, most) for place, most in wish.within if _wider(columns[place], most)]
    is_grouped = any(column.kind == "key" for column in columns)
    sized = {place: (basis, rows) for place, basis, rows in wish.rows}
    found = []
    for place, most in wide:
        whose = f" of {columns[place].name}" if len(wish.within) > 1 else ""
        alone = ", of each interval by itself" if document.simultaneous else ""
        found.append(f"± {shown(most)}{whose} was asked for{alone}{_assumed(sized.get(place), is_grouped=is_grouped)}")
    return tuple(found)


def _assumed(size: tuple[str, int] | None, *, is_grouped: bool) -> str:
    if size is None:
        return ""
    basis, rows = size
    what = "unit" if basis == "units" else "row"
    said = f"{_ABOUT.get(basis, '')}{grouped(rows)} {what}{'' if rows == 1 else 's'}{' in each group' if is_grouped else ''}"
    return f"; {said} {'was' if rows == 1 else 'were'} assumed"


def _wider(column: Shown, most: Fraction) -> bool:
    """Whether one of its intervals is wider than wished for; those that end at a bound are as wide as they are."""
    return any(half > most * _ROUNDING for half in _halves(column))


def _halves(column: Shown) -> Iterator[float]:
    """Half of each interval that is shown."""
    for low, high in column.intervals or ():
        if isinstance(low, int | float) and isinstance(high, int | float):  # not where there are too few rows
            yield (float(high) - float(low)) / 2
