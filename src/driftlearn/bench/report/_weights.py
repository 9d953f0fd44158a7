"""How much each member of an ensemble counted, and when."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.bench.report._concepts import MOST_COLOURS, concepts
from driftlearn.bench.report._lifelines import LEVELS, lives
from driftlearn.bench.report._style import mark_drifts, new_figure, saved, styled, words
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.utils.optional import needed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


COLUMNS = 120  # widths of a life


@styled
def weights(
    result: AnyResult, path: str | Path | None = None, *, learner: str | None = None
) -> Figure:
    """Draw how much each member of an ensemble counted, over the ensemble's life.

    A line is a member, in the colour of the concept in which it was born and as wide as its weight
    beside the heaviest of that step. Where an old concept returns, old lines widen again.

    Parameters
    ----------
    result, path
        As in `accuracy`; of several seeds the first is drawn.
    learner : str, optional
        Which ensemble; all that keep a history.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = list(result.histories) if learner is None else [learner]
    absent = [name for name in names if name not in result.histories]
    if absent or not names:
        raise ValueError(f"{absent or result.names} kept no history of member weights")
    figure, panels = new_figure(8, 0.6 + 3.0 * len(names), len(names), share=False)
    for name, panel in zip(names, panels.flat):
        weights_panel(panel, result, name)
    panels.flat[-1].set_xlabel("row of the stream")
    return saved(figure, path)


def weights_panel(panel: Any, result: AnyResult, name: str) -> None:
    """Draw the lives of the members of one ensemble into axes of a figure."""
    known = concepts(result)
    found = lives(result.histories[name], int(result.rows(name)[-1]), COLUMNS)
    begins, wide, middles, thick, colours = [], [], [], [], []
    for life in found.lives:
        there = np.flatnonzero(~np.isnan(life.shares))
        begins += found.edges[there].tolist()
        wide += np.diff(found.edges)[there].tolist()
        thick += (0.9 * np.maximum(life.shares[there], 1 / LEVELS)).tolist()
        middles += [life.lane + 0.5] * len(there)
        colours += [known.colour(known.at(float(found.edges[there[0]])))] * len(there)
    panel.barh(middles, wide, thick, left=begins, color=colours, linewidth=0)
    panel.set_ylim(found.n_lanes, 0)
    panel.set_xlim(0, found.edges[-1])
    panel.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    panel.xaxis.get_major_locator().set_params(nbins=4)
    panel.set_yticks([])
    panel.grid(False)
    panel.set_title(f"members of {words(name)}")
    mark_drifts(panel, result.drifts, text=False)
    shown = [(known.names[k], known.colour(k)) for k in range(len(known.names))]
    if 1 < len(shown) <= MOST_COLOURS:
        Patch = needed("matplotlib.patches").Patch
        handles = [Patch(color=colour, label=words(text)) for text, colour in shown]
        panel.legend(handles=handles, title="born in concept", loc="lower left")
