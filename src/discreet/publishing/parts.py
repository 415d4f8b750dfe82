"""Pieces of pages that are read and printed: a table of texts, and a bar that shows a share."""

from collections.abc import Sequence

from discreet.publishing.readings import text

__all__ = ["meter", "table_of_texts"]


def table_of_texts(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, short: int) -> str:
    """A table whose first column names its rows; up to ``short`` letters stay on one line."""
    head = "".join(f'<th scope="col">{text(each)}</th>' for each in heads)
    body = "".join(f'<tr><th scope="row">{text(first)}</th>{"".join(_cell(each, short) for each in rest)}</tr>'
                   for first, *rest in rows)  # fmt: skip
    return (
        f'<div class="table" role="region" tabindex="0" aria-label="{text(caption)}"><table class="data">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(said: str, short: int) -> str:
    return f'<td class="once">{text(said)}</td>' if len(said) <= short else f"<td>{text(said)}</td>"


def meter(share: float, now: str, whole: str) -> str:
    """A bar of which a share is filled, and what the two parts are: texts of ours, as HTML."""
    return (
        '<div class="meter"><svg viewBox="0 0 1000 18" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="all" width="1000" height="18"/><rect class="now" width="{min(1000.0, 1000 * share):.1f}" height="18"/>'
        f'</svg><ul><li><i class="now"></i>{now}</li><li><i></i>{whole}</li></ul></div>'
    )
