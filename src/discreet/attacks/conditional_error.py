"""Conditional error: a question that fails only if one person is in the table needs no answer."""

from contextlib import ExitStack, closing
from functools import partial
from math import isfinite
from typing import Any

from discreet.attacks.draws import toss
from discreet.attacks.guessing import guesses, together
from discreet.attacks.outcome import Line, Outcome, most_right
from discreet.attacks.worlds import World, world
from discreet.errors import Refused
from discreet.facts.make import integer, text

__all__ = ["conditional_error"]

_EPSILON = "0.1"
_TRAPS = {
    "1/0": "SELECT SUM(CASE WHEN name = 'Alice' THEN 1/0 ELSE 0 END) AS s FROM t",
    "CAST": "SELECT SUM(CASE WHEN name = 'Alice' THEN CAST(diagnosis AS INTEGER) ELSE 0 END) AS s FROM t",
    "overflow": "SELECT SUM(CASE WHEN name = 'Alice' THEN salary * 9223372036854775807 ELSE 0 END) AS s FROM t",
    "divisor": "SELECT SUM(1 / (salary - 4321)) AS s FROM t",
}


def conditional_error(trials: int = 30) -> Outcome:
    """Is Alice in the table? An error, an infinity or a NULL says so as well as a number would."""
    with ExitStack() as stack:
        worlds = [stack.enter_context(_world(present)) for present in (False, True)]
        bare = [Line("unprotected", trap, guesses(trials, partial(_bare, worlds, sql))) for trap, sql in _TRAPS.items()]
        ours = [Line("discreet", trap, guesses(trials, partial(_ours, worlds, sql))) for trap, sql in _TRAPS.items()]
        quoted = _quoted(worlds[1])
        told = _told(worlds)
    return Outcome(
        name="conditional_error",
        title="Conditional error: a question that fails because of one person",
        attacker="Asks questions that go wrong on one person's row only, and looks whether they go wrong.",
        success="guesses of the presence that are right",
        unprotected=together(bare),
        discreet=together(ours),
        chance=0.5,
        most=most_right(float(_EPSILON)),
        lines=(*bare, *ours),
        notes=(f"the database's own error quotes the row: {quoted}", told),
        lesson="An error is an answer, and so is its text. What can go wrong is decided before a row is read, from types and "
               "bounds alone; a value that goes wrong in a row is NULL there, and nothing else happens.",
        source="Haeberlen, Pierce and Narayan 2011",
    )  # fmt: skip


def _world(present: bool) -> Any:
    rows = [(f"person {who}", 20_000 + 13 * who, "asthma") for who in range(60)] + [("Alice", 4321, "leukaemia")] * present
    return world({"name": text(), "salary": integer(0, 100_000), "diagnosis": text()}, rows, budget=1)


def _bare(worlds: list[World], sql: str, secret: int) -> bool:
    """Present, if the database fails or its number is none."""
    where = worlds[secret]
    try:
        value = where.number(sql)
    except where.errors:
        return True
    return value is None or not isfinite(value)


def _ours(worlds: list[World], sql: str, secret: int) -> bool:
    """Refused in both worlds or in neither: what is left is the number."""
    try:
        (answer,) = worlds[secret].answers(sql, epsilon=_EPSILON)
    except Refused:
        return toss()
    return answer.value is None or not isfinite(answer.value) or answer.value > 0


def _quoted(where: World) -> str:
    try:
        return str(where.number(_TRAPS["CAST"]))
    except where.errors as error:
        return str(error).splitlines()[0].partition(" when casting")[0]


def _told(worlds: list[World]) -> str:
    """What discreet does with each trap; it must be the same with and without the person."""
    told = []
    for trap, sql in _TRAPS.items():
        ways = {_ending(where, sql) for where in worlds}
        told.append(f"{trap}: {' or '.join(sorted(ways))}")
    return f"discreet, with the person and without: {'; '.join(told)}"


def _ending(where: World, sql: str) -> str:
    with closing(where.curator()) as curator:
        try:
            curator.ask(sql, epsilon=_EPSILON)
        except Refused:
            return "refused before a row is read"
        return "answered"
