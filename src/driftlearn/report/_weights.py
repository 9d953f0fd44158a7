"""How much each member of an ensemble counted, and when."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn._types import Floats, Ints
from driftlearn.evaluate import WeightHistory
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.report._style import INK, mark_drifts, new_figure, saved, styled, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def weights(
    result: AnyResult, path: str | Path | None = None, *, learner: str | None = None
) -> Figure:
    """Draw how much each member of an ensemble counted, over the ensemble's life.

    Members stand in the order of their births, the oldest at the bottom; the darker, the more a
    member counted beside the heaviest of that step. Where an old concept returns, old rows darken
    again.

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
        weights_panel(figure, panel, result, name)
    panels.flat[-1].set_xlabel("step")
    return saved(figure, path)


def weights_panel(figure: Any, panel: Any, result: AnyResult, name: str) -> None:
    """Draw the member weights of one ensemble into axes of a figure."""
    steps, ids, shares = relative_weights(result.histories[name])
    extent = (steps[0] - 0.5, steps[-1] + 0.5, -0.5, len(ids) - 0.5)
    image = panel.imshow(
        shares, origin="lower", aspect="auto", extent=extent, cmap=_heat_colours(), vmin=0, vmax=1
    )
    panel.grid(False)
    panel.set_title(words(name))
    panel.set_ylabel("member, in order of birth")
    places = np.unique(np.linspace(0, len(ids) - 1, 6).round().astype(int))
    panel.set_yticks(places, [str(i) for i in ids[places]])
    mark_drifts(panel, drift_steps(result, name, steps), text=False)
    bar = figure.colorbar(image, ax=panel, pad=0.02, aspect=25)
    bar.set_label("weight / heaviest", color=INK)
    bar.outline.set_visible(False)


def relative_weights(history: WeightHistory) -> tuple[Ints, Ints, Floats]:
    """Return steps, members and weights as shares of the heaviest weight of their step."""
    heaviest = np.nanmax(np.where(np.isnan(history.weights), 0.0, history.weights), axis=0)
    heaviest = np.where(heaviest > 0, heaviest, 1.0)
    return history.steps, history.ids, np.clip(history.weights / heaviest, 0.0, 1.0)


def drift_steps(result: AnyResult, name: str, steps: Ints) -> list[float]:
    """Return at which of the ensemble's steps the drifts of the stream fell."""
    last = result.rows(name)[-1]
    return [drift / last * steps[-1] + 0.5 for drift in result.drifts if 0 < drift < last]


def heat_shades() -> Floats:
    """Return 256 shades from 0 (pale) to 1 (dark) for the weights from nothing to the heaviest.

    They grow with the square root, because a newcomer often outweighs everybody and would leave
    all others equally pale; and they do not begin at 0, so that a member without weight differs
    from an absent one.

    Examples
    --------
    >>> heat_shades()[[0, 255]]
    array([0.12, 1.  ])
    """
    return 0.12 + 0.88 * np.sqrt(np.linspace(0, 1, 256))


def _heat_colours() -> Any:
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["Blues"](heat_shades()))
