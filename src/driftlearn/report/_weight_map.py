"""The interactive map of member weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn._types import Floats
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.report._charts import INK, frame, mark_drifts
from driftlearn.report._curves import block_means
from driftlearn.report._weights import drift_steps, heat_shades, relative_weights

MOST_CELLS = 120_000  # of all pictures of a page: as many bytes, before they are packed
MOST_SIDE = 400  # cells of a side: a chart is 340 pixels high
SHADES = 64  # more cannot be told apart, and fewer pack better


def weight_map(result: AnyResult, names: Sequence[str], most_cells: int) -> Any:
    """Draw the weights of the members of some ensembles, at first those of the first.

    Each ensemble is a picture, tagged with its position and what the axes of the chart must show
    for it: first and last step, places of members and their names, steps of the drifts.

    Parameters
    ----------
    result : Result or RepeatedResult
        Of several seeds the first is drawn.
    names : sequence of str
        The learners.
    most_cells : int
        The most cells of a picture.
    """
    from bokeh.models import ColumnDataSource, FixedTicker, Image, LinearColorMapper
    from bokeh.models.annotations import ColorBar
    from bokeh.models.renderers import GlyphRenderer
    from bokeh.palettes import Blues256

    shades = heat_shades()[np.linspace(0, 255, SHADES).round().astype(int)]
    palette = [Blues256[255 - round(255 * shade)] for shade in shades.tolist()]
    mapper = LinearColorMapper(
        palette=palette, low=1, high=SHADES, low_color="rgba(255, 255, 255, 0)"
    )
    chart = frame(340, x_range=(0, 1), y_range=(0, 1), tags=["weights"])
    for i, name in enumerate(names):
        steps, ids, shares = relative_weights(result.histories[name])
        cells, members, width = thinned(shares, most_cells)
        codes = np.where(np.isnan(cells), 0, 1 + np.round((SHADES - 1) * np.nan_to_num(cells)))
        first, step = float(steps[0]) - 0.5, (float(steps[-1]) + 1 - float(steps[0])) / len(steps)
        places = np.unique(np.linspace(0, len(ids) - 1, 6).round().astype(int)).tolist()
        # The last block may be a short one; the picture is as wide as if it were not.
        source = ColumnDataSource(
            {
                "image": [codes.astype(np.uint8)],
                "x": [first],
                "y": [-0.5],
                "dw": [step * width * cells.shape[1]],
                "dh": [members * cells.shape[0]],
            }
        )
        glyph = Image(image="image", x="x", y="y", dw="dw", dh="dh", color_mapper=mapper)
        drifts = drift_steps(result, name, steps)
        labels = [str(number) for number in ids[places].tolist()]
        ends = [first, first + step * len(steps)]
        tags = [i, ends, len(ids) - 0.5, places, labels, drifts]
        chart.renderers.append(
            GlyphRenderer(data_source=source, glyph=glyph, name=name, tags=tags, visible=not i)
        )
    _, ends, top, places, labels, drifts = chart.renderers[0].tags
    chart.x_range.update(start=ends[0], end=ends[1])
    chart.y_range.update(start=-0.5, end=top)
    chart.yaxis.ticker = places
    chart.yaxis.major_label_overrides = dict(zip(places, labels))
    if result.drifts:
        mark_drifts(chart, drifts or [ends[0] - 1])
    chart.grid.grid_line_color = None
    chart.yaxis.axis_label = "member, in order of birth"
    chart.xaxis.axis_label = "step"
    bar = ColorBar(
        color_mapper=mapper,
        ticker=FixedTicker(ticks=[1, SHADES]),
        major_label_overrides={1: "0", SHADES: "1"},
        width=10,
        background_fill_alpha=0,
        major_label_text_color=INK,
        major_tick_line_color=None,
        bar_line_color=None,
    )
    chart.add_layout(bar, "right")
    return chart


def thinned(cells: Floats, most: int) -> tuple[Floats, int, int]:
    """Return the means of blocks of cells, and how many members and steps make a block.

    Examples
    --------
    >>> cells, members, steps = thinned(np.ones((90, 1000)), 10_000)
    >>> cells.shape, members, steps
    ((90, 100), 1, 10)
    """
    side = min(MOST_SIDE, max(int(most**0.5), 8))
    members = -(-cells.shape[0] // side)
    steps = -(-cells.shape[1] // side)
    return block_means(block_means(cells.T, members).T, steps), members, steps
