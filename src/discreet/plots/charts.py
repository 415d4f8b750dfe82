"""Charts to look at and to save. Altair and vl-convert are an extra, loaded only when a chart is wanted."""

from html import escape
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import ParameterError
from discreet.plots.figure import Figure
from discreet.plots.figure_spec import figure_spec
from discreet.plots.figure_text import TextFigure
from discreet.plots.spec import spec_of
from discreet.plots.style import Spec
from discreet.plots.text_chart import TextChart, text_chart
from discreet.plots.view import View, view_of

if TYPE_CHECKING:
    from discreet.answers.answer import Answer

__all__ = ["chart_of", "drawn", "save_chart", "save_figure", "save_view", "svg_of", "svg_of_figure"]


def chart_of(answer: "Answer") -> Any:
    """An Altair chart of the answer with its intervals; a TextChart where the plots extra is missing."""
    try:
        altair = import_module("altair")
    except ImportError:
        return text_chart(answer)
    return altair.Chart.from_dict(spec_of(view_of(answer)))


def save_chart(answer: "Answer", path: str | PathLike[str]) -> Path:
    """Write the chart to ``path``, as its ending says: .svg, .png or .txt. Nothing is fetched from anywhere."""
    return save_view(view_of(answer), path, text=text_chart(answer))


def save_view(view: View, path: str | PathLike[str], *, text: TextChart | None = None) -> Path:
    """The same for a view that is no answer's; ``text`` is what to draw in letters, if not the view."""
    return _save(spec_of(view), (text or TextChart(view)).draw(width=100, ascii_only=False), Path(path))


def drawn(figure: Figure) -> Any:
    """An Altair chart of the figure; a TextFigure where the plots extra is missing."""
    try:
        altair = import_module("altair")
    except ImportError:
        return TextFigure(figure)
    kind = altair.Chart if len(figure.plots) == 1 else altair.ConcatChart
    return kind.from_dict(figure_spec(figure), validate=False)  # a spec of our own, which takes seconds to validate


def save_figure(figure: Figure, path: str | PathLike[str]) -> Path:
    """Write a figure to ``path``, as its ending says: .svg, .png or .txt."""
    return _save(figure_spec(figure), TextFigure(figure).draw(width=100, ascii_only=False), Path(path))


def svg_of_figure(figure: Figure) -> str:
    """A figure as SVG text; refused where the plots extra is missing."""
    return _svg(figure_spec(figure))


def _svg(spec: Spec) -> str:
    """The picture with its words, for those who hear it."""
    found = str(_converter().vegalite_to_svg(spec, allowed_base_urls=[]))
    return found.replace("<svg ", f'<svg role="img" aria-label="{escape(str(spec["description"]), quote=True)}" ', 1)


def _save(spec: Spec, text: str, file: Path) -> Path:
    match file.suffix.casefold():
        case ".txt":
            file.write_text(text + "\n", encoding="utf-8")
        case ".svg":
            file.write_text(_svg(spec), encoding="utf-8")
        case ".png":
            file.write_bytes(_converter().vegalite_to_png(spec, scale=2, allowed_base_urls=[]))
        case ending:
            what = ending or "a file without an ending"
            raise ParameterError(f"a chart cannot be saved as {what}", hint="end the name in .svg, .png or .txt")
    return file


def svg_of(answer: "Answer", width: int | None = None) -> str | None:
    """The chart as SVG text, about ``width`` pixels wide; None where the plots extra is missing. Nothing is fetched."""
    try:
        converter = import_module("vl_convert")
    except ImportError:
        return None
    return str(converter.vegalite_to_svg(spec_of(view_of(answer), width), allowed_base_urls=[]))


def _converter() -> Any:
    try:
        return import_module("vl_convert")
    except ImportError:
        how = "pip install 'discreet[plots]', or save as .txt"
        raise ParameterError("saving a picture needs the plots extra", hint=how) from None
