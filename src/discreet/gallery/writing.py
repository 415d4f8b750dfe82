"""All pictures of the gallery in a folder, each with its numbers and its words."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from discreet.errors import ParameterError
from discreet.gallery.catalogue import PAGES, Page
from discreet.gallery.slider_html import slider_html
from discreet.gallery.slider_pages import SLIDER_PAGES
from discreet.gallery.sliders import worked_out
from discreet.plots.charts import save_figure
from discreet.plots.figure import Figure

__all__ = ["numbers_of", "write_figures"]

_COLUMNS = ("plot", "series", "x", "y", "low", "high")


def write_figures(folder: str | Path, pages: tuple[Page, ...] = PAGES, *, form: str = "svg") -> Iterator[Path]:
    """Draw every figure into ``folder``, one by one: the picture, ``.csv`` with its numbers and ``.alt.txt`` with its words.

    A page that has sliders gets them as one more file, ``NN_sliders.html``.
    """
    if form not in ("svg", "png", "txt"):
        raise ParameterError(f"a figure cannot be written as {form}", hint="write svg, png or txt")
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for page in pages:
            for name, figure in page.drawn().items():
                (place / f"{name}.csv").write_text(numbers_of(figure), encoding="utf-8", newline="")
                (place / f"{name}.alt.txt").write_text(f"{figure.alt}\n", encoding="utf-8")
                yield save_figure(figure, place / f"{name}.{form}")
            for sliders in SLIDER_PAGES:
                if sliders.number == page.number:
                    (place / f"{sliders.name}.html").write_text(slider_html(worked_out(sliders)), encoding="utf-8", newline="\n")
                    yield place / f"{sliders.name}.html"
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ParameterError(f"cannot write to {place}: {why}", hint="choose a folder that you may write to") from None


def numbers_of(figure: Figure) -> str:
    """Every number that a figure draws, as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in figure.table():
        writer.writerow({name: f"{value:.9g}" if isinstance(value, float) else value for name, value in row.items()})
    return text.getvalue()
