"""How Sphinx makes the site out of this folder: `make docs`. Nothing is fetched, neither while building nor by a reader."""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))                         # making/ is ours, and no package

project = "discreet"
author = "the discreet authors"
project_copyright = "the discreet authors, Apache-2.0"
release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "making.generated", "making.anchors", "making.beside", "making.formulas",
              "making.mentions", "making.numbers", "making.reachable"]
exclude_patterns = ["making", "soak"]
nitpicky = True
smartquotes = False                                   # SQL and messages are shown as they are written

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_dmath_allow_space = False                        # "$ discreet ask" is a command, no formula
myst_heading_anchors = 4

html_theme = "furo"
html_title = "discreet"
html_static_path = ["making/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_math_renderer = "mathml"
html_last_updated_fmt = None                          # the same pages give the same site, whenever it is built
html_show_search_summary = False                      # summaries are fetched, which a page opened from a file may not do
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b5a7a", "color-brand-content": "#0b5a7a", "color-code-background": "#f3f5f7",
    },
    "dark_css_variables": {"color-brand-primary": "#7cc4e0", "color-brand-content": "#7cc4e0"},
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
