"""Ledger entries in a few words: what happened to which table, and what it did to the budget."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.answers.losses import exactly
from discreet.plots.lettering import clean

__all__ = ["entry_in_words", "named"]

_SOURCE = {"closed": "has changed: closed", "opened": "is as it was: open", "adopted": "is known by its content from now on"}
_LETTERS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}


def entry_in_words(kind: str, body: Mapping[str, Any], found: str) -> tuple[str, str]:
    """One line that says what happened, and what it was about if that takes a second one. ``found`` is the entry's hash."""
    texts = ("table", "version", "was", "reason", "analyst")
    text = {name: clean(body[name]) for name in texts if isinstance(body.get(name), str)}
    who = f" by {text['analyst']}" if text.get("analyst") else ""
    match kind:
        case "charge":
            return f"{text['table']}{who}: {_price(body['price'])}{_spending(body)}", clean(body["question"])
        case "settle":
            withheld = "; not delivered, since who asked was frozen" if body.get("withheld") else ""
            return f"charge {body['charge']} answered: answer {found[:12]}{withheld}", ""
        case "resume":
            return f"charge {body['charge']} resumed after its process had ended or crashed, attempt {body['attempt']}", ""
        case "fault":
            froze = [*map(clean, body.get("frozen", ())), *(["all tables about the same people"] if body.get("tables") else [])]
            frozen = f"; froze {', '.join(froze)}" if froze else ""
            return f"charge {body['charge']} failed and stays; reference {body['reference']}{frozen}", ""
        case "register":
            return f"{text['table']}, version {text['version']}, cap {_amounts(body['cap'])}", ""
        case "raise":
            return f"cap {_amounts(body['was'])} → {_amounts(body['cap'])}{_by(body)}", text["reason"]
        case "lost":
            seen = f"which a witness of {body['entries']} entries had seen"
            return f"{clean(named(body['account']))}: {_amounts(body['amount'])} counts as spent, {seen}", clean(body["reason"])
        case "version":
            fresh = "; stated that none of its units was there before" if body.get("no_unit_in_both") else ""
            return f"{text['table']}: version {text['was']} → {text['version']}{fresh}", text.get("reason", "")
        case "source":
            return f"{text['table']}, version {text['version']}: source {clean(body['place'])} {_SOURCE[body['state']]}", ""
        case "freeze" | "unfreeze":
            return text["table"] + (f", analyst {text['analyst']}" if who else "") + _by(body), text["reason"]
        case "end":
            return f"{text['table']} was asked after its last day, {clean(body['expires'])}", ""
        case _:
            return account_act_in_words(kind, body)


def named(account: str) -> str:
    """A budget by the table, or the people, that it is of."""
    kind, _, name = account.partition(":")
    return name if kind == "table" else f"people {name}"


def account_act_in_words(kind: str, body: Mapping[str, Any]) -> tuple[str, str]:
    """What was done to an account, or to the whole ledger."""
    name, by = clean(str(body.get("name", ""))), _by(body)
    until = f", until {clean(body['expires'])}" if body.get("expires") else ""
    match kind:
        case "enrol":
            return f"{name}, {clean(body['role'])}{until}{by}", ""
        case "rotate":
            return f"{name}: a new token{until}; the one before has ended{by}", ""
        case "revoke":
            return f"{name}: the token has ended, for good{by}", ""
        case "lapse":
            return f"{name} came after the last day{until.replace(', until', ',')}", ""
        case "restored":
            return "the ledger was put back from a copy; all tables are frozen", clean(body["reason"])
        case "grant" | "ungrant":
            return f"{name}: {', '.join(map(clean, body['tables']))}{by}", ""
        case "limit":
            return f"{name}, {clean(body['table'])}: {_price(body['limit']) if 'limit' in body else 'none of their own'}{by}", ""
        case _:
            return ", ".join(body), ""


def _by(body: Mapping[str, Any]) -> str:
    """Whose act it was, if that was not at the data holder's own machine."""
    return f"; by {clean(body['by'])}" if isinstance(body.get("by"), str) else ""


def _price(price: Mapping[str, str]) -> str:
    """``ε 1, δ 1e-6``, in the order of people and not in that of the ledger, which sorts by name."""
    given = {letter: price[name] for name, letter in _LETTERS.items() if name in price}
    return ", ".join(f"{letter} {_number(text)}" for letter, text in given.items() if letter != "δ" or Fraction(text))


def _spending(body: Mapping[str, Any]) -> str:
    """``; spent 0.1 → 1.1 of 2.2``; every part by its letter where a budget has two."""
    budget = body.get("budget")
    if not isinstance(budget, Mapping):
        return ""
    parts = [budget[part] for part in ("before", "after", "cap")]
    if len(budget["cap"]) > 1:
        before, after, cap = map(_price, parts)
    else:
        before, after, cap = (_number(value) for part in parts for value in part.values())
    return f"; spent {before} → {after} of {cap}"


def _amounts(texts: list[str]) -> str:
    """A cap as the ledger keeps it: an amount, and a delta that is mostly 0."""
    first, *rest = texts
    return ", ".join([_number(first), *(f"δ {_number(text)}" for text in rest if Fraction(text))])


def _number(text: str) -> str:
    return exactly(Fraction(text), up=True)
