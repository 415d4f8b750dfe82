"""For those who read by keyboard or by ear, what the theme leaves out: listings can be reached, headings say their level."""

from pathlib import Path

from sphinx.application import Sphinx

MENDED = {"<pre>": '<pre tabindex="0">', 'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"'}


def _mend(app: Sphinx, error: Exception | None) -> None:
    for page in Path(app.outdir).rglob("*.html") if error is None else ():
        text = page.read_text(encoding="utf-8")
        for left, mended in MENDED.items():
            text = text.replace(left, mended)
        page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", _mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
