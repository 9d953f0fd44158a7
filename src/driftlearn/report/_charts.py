"""The interactive charts of the page, drawn by bokeh for a white page.

A canvas does not follow the colours of the page around it; the style sheet turns the charts' light
and dark round where a reader prefers dark pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn._needed import needed
from driftlearn._types import Floats, Ints
from driftlearn.report._curves import Curves
from driftlearn.report._style import DASHES, PALETTE, looks

INK = "#4a525c"
GRID = "#e4e7eb"
DRIFT = "#6b7480"


def frame(height: int, **options: Any) -> Any:
    """Return an empty chart as wide as its place, in the style of the page."""
    chart = needed("bokeh.plotting").figure(
        height=height,
        sizing_mode="stretch_width",
        tools="box_zoom,pan,reset,save",
        active_drag="box_zoom",
        toolbar_location="above",
        background_fill_alpha=0,
        border_fill_alpha=0,
        outline_line_color=None,
        **options,
    )
    chart.toolbar.autohide = True
    chart.toolbar.logo = None
    chart.grid.grid_line_color = GRID
    chart.xgrid.grid_line_color = None
    chart.axis.axis_line_color = INK
    chart.axis.major_tick_line_color = INK
    chart.axis.minor_tick_line_color = None
    chart.axis.major_label_text_color = INK
    chart.axis.axis_label_text_color = INK
    chart.axis.axis_label_text_font_style = "normal"
    chart.axis.major_label_text_font_size = "12px"
    chart.axis.axis_label_text_font_size = "12px"
    return chart


def over_time(
    curves: Curves,
    drifts: Sequence[float],
    everyone: Sequence[str],
    *,
    label: str,
    height: int = 260,
    band: bool = False,
    legend: bool = False,
    log: bool = False,
) -> Any:
    """Draw a line a learner over the rows of the stream.

    Parameters
    ----------
    curves : Curves
        The lines.
    drifts : sequence of float
        The rows at which to draw a vertical line.
    everyone : sequence of str
        All learners of the page, which decide on the colours. A line is tagged with its learner's
        position among them, by which the switches of the page find it, and a band as such.
    label : str
        What the lines show.
    height : int
        In pixels.
    band, legend, log : bool
        Whether to draw one standard deviation to both sides, a legend, a logarithmic axis.
    """
    from bokeh.models import ColumnDataSource, Line, NumeralTickFormatter, VArea

    chart = frame(
        height,
        x_range=_row_range(curves.rows),
        y_axis_type="log" if log else "linear",
        tags=["learners"],
    )
    source = ColumnDataSource({"row": curves.rows.astype(np.int32)})
    lines: list[Any] = []
    areas: list[Any] = []
    for name, middle in curves.middle.items():
        i = everyone.index(name)
        colour, dash = looks(everyone)[name]
        source.data[f"y{i}"] = middle.astype(np.float32)
        if band and name in curves.off:
            off = curves.off[name]
            source.data[f"low{i}"] = (middle - off).astype(np.float32)
            source.data[f"high{i}"] = (middle + off).astype(np.float32)
            area = VArea(x="row", y1=f"low{i}", y2=f"high{i}", fill_color=colour, fill_alpha=0.14)
            areas.append(_add(chart, source, area, name, i, "band"))
        line = Line(x="row", y=f"y{i}", line_color=colour, line_dash=dash, line_width=2)
        lines.append(_add(chart, source, line, name, i))
        if isolated(middle):
            _add(chart, source, _dot(f"y{i}", colour), name, i)
    marks = mark_drifts(chart, drifts)
    _hover(chart, lines, label)
    _axes(chart, label)
    chart.y_range.update(renderers=lines + areas, only_visible=True)
    if log:
        chart.yaxis.formatter = NumeralTickFormatter(format="0,0.[00]")
        chart.yaxis.ticker = [digit * 10.0**power for power in range(-2, 7) for digit in (1, 2, 5)]
    if legend:
        _legend(chart, lines, marks)
    return chart


def of_classes(recalls: Sequence[dict[str, Floats]], rows: Ints, drifts: Sequence[float]) -> Any:
    """Draw a line a class, at first for the first learner.

    The source holds the lines of all learners as ``l0c0``, ``l0c1``, ...; the page copies those of
    the learner that is chosen to ``c0``, ``c1``, ...
    """
    from bokeh.models import ColumnDataSource, Line, Range1d

    unit = Range1d(start=-0.03, end=1.03)
    chart = frame(320, x_range=_row_range(rows), y_range=unit, tags=["classes"])
    source = ColumnDataSource({"row": rows.astype(np.int32)})
    for i, learner in enumerate(recalls):
        for k, values in enumerate(learner.values()):
            source.data[f"l{i}c{k}"] = np.round(values, 4).astype(np.float32)
    lines: list[Any] = []
    for k, name in enumerate(recalls[0]):
        source.data[f"c{k}"] = source.data[f"l0c{k}"]
        colour, dash = PALETTE[k % len(PALETTE)], DASHES[k // len(PALETTE) % len(DASHES)]
        line = Line(x="row", y=f"c{k}", line_color=colour, line_dash=dash, line_width=2)
        lines.append(_add(chart, source, line, name, k))
        if any(isolated(learner[name]) for learner in recalls):
            _add(chart, source, _dot(f"c{k}", colour), name, k)
    marks = mark_drifts(chart, drifts)
    _hover(chart, lines, "recall")
    _axes(chart, "recall")
    _legend(chart, lines, marks)
    return chart


def mark_drifts(chart: Any, drifts: Sequence[float]) -> Any:
    """Draw a dashed vertical line at every drift, behind the curves; return them, or None."""
    from bokeh.models import ColumnDataSource, VSpan
    from bokeh.models.renderers import GlyphRenderer

    if not len(drifts):
        return None
    spans = GlyphRenderer(
        data_source=ColumnDataSource({"row": np.asarray(drifts, dtype=float)}),
        glyph=VSpan(x="row", line_color=DRIFT, line_dash="dashed", line_width=1),
        name="known drift",
        level="underlay",
    )
    chart.renderers.append(spans)
    return spans


def _add(chart: Any, source: Any, glyph: Any, name: str, *tags: int | str) -> Any:
    from bokeh.models.renderers import GlyphRenderer

    renderer = GlyphRenderer(data_source=source, glyph=glyph, name=name, tags=list(tags))
    chart.renderers.append(renderer)
    return renderer


def isolated(values: Floats) -> bool:
    """Say whether a value stands between gaps, where there is no line to draw.

    Examples
    --------
    >>> isolated(np.array([1.0, np.nan, 1.0, 1.0])), isolated(np.array([np.nan, 1.0, 1.0]))
    (True, False)
    """
    known = np.concatenate([[False], ~np.isnan(values), [False]])
    return bool((known[1:-1] & ~known[:-2] & ~known[2:]).any())


def _dot(column: str, colour: str) -> Any:
    from bokeh.models import Scatter

    return Scatter(x="row", y=column, size=4, line_color=None, fill_color=colour)


def _row_range(rows: Ints) -> Any:
    from bokeh.models import Range1d

    last = max(int(rows[-1]), 1)
    return Range1d(start=0, end=last, bounds=(0, last))


def _hover(chart: Any, lines: list[Any], label: str) -> None:
    from bokeh.models import HoverTool

    shown = [("", "$name"), ("row", "$snap_x{0,0}"), (label, "$snap_y{0,0.0000}")]
    chart.add_tools(HoverTool(renderers=lines, tooltips=shown))


def _axes(chart: Any, label: str) -> None:
    from bokeh.models import NumeralTickFormatter

    chart.xaxis.axis_label = "row of the stream"
    chart.xaxis.formatter = NumeralTickFormatter(format="0,0")
    chart.yaxis.axis_label = label


def _legend(chart: Any, lines: list[Any], marks: Any) -> None:
    """Put a legend to the right of the plot; a click on a name hides its line."""
    from bokeh.models.annotations import Legend, LegendItem

    entries = [LegendItem(label={"value": line.name}, renderers=[line]) for line in lines]
    if marks is not None:
        entries.append(LegendItem(label={"value": "known drift"}, renderers=[marks]))
    legend = Legend(
        items=entries,
        click_policy="hide",
        location="top_left",
        spacing=0,
        margin=8,
        glyph_width=26,
        glyph_height=16,
        background_fill_alpha=0,
        border_line_color=None,
        label_text_color=INK,
        label_text_font_size="12px",
        inactive_fill_color="#ffffff",
        inactive_fill_alpha=0.7,
    )
    chart.add_layout(legend, "right")
