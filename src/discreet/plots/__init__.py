"""Charts of answers and figures of laws, in a notebook, in a file or in letters.

A leaf: it knows the shape of an answer and of a figure, and nothing behind them.
"""

from discreet.plots.charts import chart_of, save_chart, svg_of
from discreet.plots.text_chart import TextChart, text_chart

__all__ = ["TextChart", "chart_of", "save_chart", "svg_of", "text_chart"]
