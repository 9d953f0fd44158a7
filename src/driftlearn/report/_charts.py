"""The interactive charts of the HTML page, drawn by bokeh."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftlearn.report._figures import MOST_PANELS, frequent_classes, sized
from driftlearn.report._style import automatic_width, curve, looks, needs
from driftlearn.report._weights import drift_steps, heat_shades, relative_weights

#: Grey that can be read on white and on black, since a canvas does not follow the page's colours.
GREY = "#7d8590"
GRID = "rgba(125, 133, 144, 0.25)"
MOST_POINTS = 1000
MOST_CELLS = 400


class Section(NamedTuple):
    """A part of the page: a heading, a remark, and charts by their titles."""

    heading: str
    note: str
    charts: dict[str, Any]


def sections(result: Any) -> list[Section]:
    """Return the parts of the page that have charts; those with nothing to show are left out."""
    try:
        from bokeh.models import Range1d
    except ImportError as error:
        raise needs("bokeh") from error
    names, last = result.names, int(result.rows(result.names[0])[-1])
    width = automatic_width(len(result.rows(names[0])))
    mean = "" if width == 1 else f"Each point is the mean of the last {width} chunks. "
    drifts = "Dashed lines mark known drifts. " if result.drifts else ""
    shared = Range1d(start=0, end=last, bounds=(0, last))
    accuracy = {name: curve(result.scores(name), width)[0] for name in names}
    recalls, shown = {}, frequent_classes(result, MOST_PANELS)
    for k in shown:
        scores = {name: curve(result.recalls(name)[..., k], width)[0] for name in names}
        recalls[f"class {result.classes[k]}"] = _lines(
            result, scores, shared, height=220, legend=False, unit=True
        )
    some = "" if len(shown) == len(result.classes) else " The most frequent classes are shown."
    members = {name: curve(result.scores(name, "members"))[0] for name in sized(result)}
    found = [
        Section(
            "Accuracy",
            f"{mean}{drifts}Click a name to hide its line.",
            {"": _lines(result, accuracy, shared)},
        ),
        Section("Recall", f"A gap in a line: the class did not occur.{some}", recalls),
        Section(
            "Member weights",
            "The darker, the more a member counts beside the heaviest of that step. Where an old "
            "concept returns, the rows of old members darken again.",
            {name: _heat_map(result, name) for name in result.histories},
        ),
        Section(
            "Ensemble size",
            "Members of each ensemble.",
            {"": _lines(result, members, shared, height=260)} if members else {},
        ),
    ]
    return [section for section in found if section.charts]


def _figure(height: int, **options: Any) -> Any:
    from bokeh.plotting import figure

    chart = figure(
        height=height,
        sizing_mode="stretch_width",
        tools="pan,box_zoom,reset,save",
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
    chart.axis.axis_line_color = GREY
    chart.axis.major_tick_line_color = GREY
    chart.axis.minor_tick_line_color = None
    chart.axis.major_label_text_color = GREY
    chart.axis.axis_label_text_color = GREY
    chart.axis.axis_label_text_font_style = "normal"
    chart.axis.major_label_text_font_size = "12px"
    chart.axis.axis_label_text_font_size = "12px"
    return chart


def _lines(
    result: Any,
    scores: dict[str, np.ndarray],
    x_range: Any,
    height: int = 340,
    legend: bool = True,
    unit: bool = False,
) -> Any:
    """Draw a line a learner, and a vertical one a drift."""
    from bokeh.models import ColumnDataSource, HoverTool, NumeralTickFormatter
    from bokeh.models.annotations import Legend, LegendItem

    chart = _figure(height, x_range=x_range, **({"y_range": (-0.03, 1.03)} if unit else {}))
    items, lines = [], []
    for name, values in scores.items():
        colour, dash = looks(result.names)[name]
        step = -(-len(values) // MOST_POINTS)
        rows, values = result.rows(name)[::-1][::step][::-1], values[::-1][::step][::-1]
        source = ColumnDataSource({"row": rows.astype(float), "value": np.round(values, 5)})
        line = chart.line(
            "row", "value", source=source, color=colour, line_dash=dash, line_width=2, name=name
        )
        items.append(LegendItem(label=name, renderers=[line]))
        lines.append(line)
    _mark_drifts(chart, result.drifts)
    chart.add_tools(
        HoverTool(
            renderers=lines,
            tooltips=[("", "$name"), ("row", "@row{0,0}"), ("", "@value{0.0000}")],
        )
    )
    chart.xaxis.axis_label = "row of the stream"
    chart.xaxis.formatter = NumeralTickFormatter(format="0,0")
    if legend:
        chart.add_layout(
            Legend(
                items=items,
                click_policy="hide",
                orientation="horizontal",
                ncols=4,
                location=(0, 0),
                spacing=14,
                glyph_width=22,
                background_fill_alpha=0,
                border_line_color=None,
                label_text_color=GREY,
                label_text_font_size="13px",
                inactive_fill_color=GREY,
                inactive_fill_alpha=0.35,
                margin=0,
            ),
            "above",
        )
    return chart


def _heat_map(result: Any, name: str) -> Any:
    """Draw the weights of an ensemble's members, thinned to what a screen can show."""
    from bokeh.models import LinearColorMapper
    from bokeh.models.annotations import ColorBar
    from bokeh.palettes import Blues256

    steps, ids, shares = relative_weights(result.histories[name])
    row, column = (-(-n // MOST_CELLS) for n in shares.shape)
    cells = shares[::row, ::column].astype(np.float32)
    first, last = float(steps[0]) - 0.5, float(steps[-1]) + 0.5
    chart = _figure(320, x_range=(first, last), y_range=(-0.5, len(ids) - 0.5))
    chart.background_fill_color, chart.background_fill_alpha = "#ffffff", 1
    palette = [Blues256[255 - round(255 * shade)] for shade in heat_shades().tolist()]
    mapper = LinearColorMapper(palette=palette, low=0, high=1, nan_color="rgba(0, 0, 0, 0)")
    chart.image([cells], x=first, y=-0.5, dw=last - first, dh=len(ids), color_mapper=mapper)
    chart.grid.grid_line_color = None
    _mark_drifts(chart, drift_steps(result, name, steps))
    places = np.unique(np.linspace(0, len(ids) - 1, 6).round().astype(int)).tolist()
    chart.yaxis.ticker = places
    chart.yaxis.major_label_overrides = {place: str(ids[place]) for place in places}
    chart.yaxis.axis_label = "member, in order of birth"
    chart.xaxis.axis_label = "step"
    bar = ColorBar(
        color_mapper=mapper,
        width=10,
        background_fill_alpha=0,
        major_label_text_color=GREY,
        major_tick_line_color=None,
        bar_line_color=None,
    )
    chart.add_layout(bar, "right")
    return chart


def _mark_drifts(chart: Any, drifts: list) -> None:
    from bokeh.models.annotations import Span

    for drift in drifts:
        chart.add_layout(
            Span(
                location=float(drift),
                dimension="height",
                line_color=GREY,
                line_dash="dashed",
                line_width=1,
                level="underlay",
            )
        )
