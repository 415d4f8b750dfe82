"""A report on a table as one page for a data protection officer: it fetches nothing, and is made to be printed."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from discreet.answers.bodies import read_budget, read_loss
from discreet.answers.losses import letters, loss_in_words
from discreet.plots.lettering import minute
from discreet.publishing.parts import meter, table_of_texts
from discreet.publishing.readings import many, text
from discreet.publishing.style import style

__all__ = ["report_page"]

_SHORT = 20  # letters that stay on one line
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_ROLLBACK = {
    "excluded": "By a witness that was kept elsewhere: nothing up to it is missing.",
    "not excluded": "That no older copy was put back is not shown: that takes a witness, kept elsewhere.",
}
Report = Mapping[str, Any]


def report_page(report: Report) -> str:
    """The whole page, out of a report as JSON."""
    name = report["table"]["name"]
    parts = [_top(report), _budget(report), _charges(report), _people(report), _acts(report), _state(report), _end()]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><meta name="referrer" content="no-referrer">'
        f'<meta name="color-scheme" content="light dark"><title>Report on {text(name)}</title><style>{style()}</style>'
    )
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n'
        f'<a class="skip" href="#main">Skip to the report</a><main id="main" class="release">\n{body}\n</main>\n</body></html>\n'
    )


def _top(report: Report) -> str:
    table, state = report["table"], read_budget(report["budget"])
    lines = [
        f"<strong>{text(loss_in_words(state.spent))}</strong> spent of {text(loss_in_words(state.cap))}",
        many(len(report["charges"]), "charge"),
        "the ledger is consistent" if report["ledger"]["ok"] else "<strong>the ledger is violated</strong>",
        *("<strong>asking is stopped</strong>" for stop in report["stops"][:1] if stop["analyst"] is None),
    ]
    summary = "".join(f"<li>{each}</li>" for each in lines)
    about = f'<p class="lede">{text(table["description"])}</p>' if table["description"] else ""
    return (
        f'<header class="title"><p class="small quiet">{text(minute(report["made"]))} · version {text(table["version"])}</p>'
        f'<h1>What was answered about {text(table["name"])}</h1>{about}<ul class="summary">{summary}</ul></header>'
    )


def _budget(report: Report) -> str:
    state, table = read_budget(report["budget"]), report["table"]
    rows = [(name, loss_in_words(each.spent), "" if each.limit is None else loss_in_words(each.limit))
            for name, each in state.analysts.items()]  # fmt: skip
    cap, spent, left = loss_in_words(state.cap), loss_in_words(state.spent), loss_in_words(state.remaining, up=False)
    what = f"{' · '.join(table['words']['about'])}."
    told = [f"{cap} may be spent in all, {spent} is spent, {left} is left.", *_shared(report), what, table["odds"]]
    words = "".join(f"<p>{text(each)}</p>" for each in told)
    who = _table("Who has spent what", ("analyst", "spent", "limit"), rows) if rows else ""
    return f'<section class="prose"><h2>The budget</h2>{words}{_meter(report)}{who}</section>'


def _shared(report: Report) -> list[str]:
    """Why the charges of this table need not add up to what is spent."""
    if not report["shared_with"]:
        return []
    others = ", ".join(report["shared_with"])
    return [f"It is shared with {others}: what was asked there is part of what is spent, and in other reports."]


def _meter(report: Report) -> str:
    """What is spent, as a bar: of the part that is scarcest."""
    state = read_budget(report["budget"])
    caps, spent = letters(state.cap), letters(state.spent)
    shares = {letter: spent.get(letter, Fraction(0)) / cap for letter, cap in caps.items() if cap}
    return meter(float(max(shares.values())), "spent", "left") if shares else ""


def _charges(report: Report) -> str:
    rows = [(str(each["number"]), minute(each["at"]), each["analyst"] or "anonymous", loss_in_words(read_loss(each["cost"])),
             each["question"], each["state"]) for each in report["charges"]]  # fmt: skip
    said = (
        "Every charge, in the order of the ledger. What was bought once is free afterwards, for everybody who may ask the table: "
        "views of these answers tell nothing more about anybody, and are not listed. A charge that failed stays."
    )
    heads = ("entry", "when", "analyst", "price", "question", "")
    listed = _table("Every charge", heads, rows) if rows else '<p class="quiet">Nothing was charged yet.</p>'
    return f'<section class="prose"><h2>What was answered</h2><p>{said}</p>{listed}</section>'


def _people(report: Report) -> str:
    rows = [(each["name"], each["role"], each["state"], each["expires"] or "") for each in report["accounts"]]
    if not rows:
        return ""
    listed = _table("Accounts", ("name", "role", "state", "expires"), rows)
    return f'<section class="prose"><h2>Who may ask</h2>{listed}</section>'


def _acts(report: Report) -> str:
    acts = report["acts"]
    rows = [(str(each["number"]), minute(each["at"]), each["kind"], each.get("by", ""), _of_whom(each)) for each in acts]
    heads = ("entry", "when", "act", "by", "of whom, and why")
    said = "<p>Each is a signed entry. Where nobody is named, it was done on the machine where the ledger is kept.</p>"
    return f'<section class="prose"><h2>Acts of the data holder</h2>{said}{_table("Acts", heads, rows)}</section>'


def _of_whom(act: Mapping[str, Any]) -> str:
    return " · ".join(filter(None, (act.get("name") or act.get("analyst"), act["reason"])))


def _state(report: Report) -> str:
    found, stops = report["ledger"], report["stops"]
    told = [f"The ledger has come to entry {found['entries']}; its head is {found['head']}."]
    if found["ok"]:
        told.append("Chain, signatures and every total were worked out anew, and agree.")
        told.append(_ROLLBACK[found["rollback"]])
    else:
        told += [f"Violated: {each}." for each in found["problems"]]
    told += [_stop(each) for each in stops]
    words = "".join(f"<p>{text(each)}</p>" for each in told)
    return f'<section class="prose"><h2>The state of the ledger</h2>{words}</section>'


def _stop(stop: Mapping[str, Any]) -> str:
    who = "nobody may ask" if stop["analyst"] is None else f"{stop['analyst']} may not ask"
    why = stop["reason"] or (f"fault {stop['reference']}" if stop["reference"] else "")
    since = f"Since {minute(stop['since'])} " if stop["since"] else ""
    return f"{since}{who} ({stop['state']}){': ' if why else ''}{why}."


def _end() -> str:
    return (
        '<footer class="end small quiet"><p>Whoever doubts this has it made again: <code>discreet report FILE</code>, '
        "<code>discreet ledger verify DIR --witness PATH</code>, <code>discreet ledger export DIR</code>.</p></footer>"
    )


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return table_of_texts(caption, heads, rows, short=_SHORT)
