"""Figures of results and inspections, for files and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.bench.report import _matplotlib as mpl
from driftlearn.bench.report._curves import (
    Curves,
    averaged,
    curves,
    longest_rows,
    scale_of,
    score,
)
from driftlearn.bench.report._lifelines import MOST_NAMED, Lives, lane_names, lives, stretches
from driftlearn.bench.report._style import (
    FAINT,
    INK,
    MOST_COLORS,
    PALETTE,
    Concepts,
    concepts,
    line_styles,
)
from driftlearn.ensemble.history import WeightHistory
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.inspection.explanation import Explanation
from driftlearn.inspection.importance_record import ImportanceRecord
from driftlearn.inspection.inspection import TITLES, Inspection
from driftlearn.utils.arguments import Ints, Self, meant
from driftlearn.utils.optional import needed

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

MOST_PANELS = 12  # maximum number of classes in a figure of recalls
MOST_BARS = 12
MOST_LINES = 6  # columns in a figure of importances over time
MOST_EXPLAINED = 6  # rows in a figure of contributions
COLUMNS = 120  # maximum number of line widths along the lifeline of a member
ROWS = "row of the stream"


@mpl.styled
def accuracy(
    result: AnyResult,
    path: str | Path | None = None,
    *,
    metric: str = "accuracy",
    smooth: int | None = None,
    learners: Sequence[str] | None = None,
    ax: Any = None,
) -> Figure:
    """Draw a score over the stream, with one line per learner and marks at known drifts.

    Parameters
    ----------
    result : Result or RepeatedResult
        The result to draw. With several seeds, the mean and a band of one standard deviation.
    path : str or Path, optional
        Where to save the figure.
    metric : str
        Name of the score; see `Result.scores`.
    smooth : int, optional
        Number of chunks in the moving average; 1 disables averaging. By default, a number at which
        the lines are legible. The label of the vertical axis states the number.
    learners : sequence of str, optional
        The learners; by default all.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = _axes(ax, 3.8)
    found = curves(result, score(metric), None, True if smooth is None else smooth, learners)
    if ax is None:
        axes.set_title(_title(result))
    _draw_over_rows(axes, result, found, metric.replace("_", " "), ax is not None)
    return mpl.save(figure, path)


def _axes(ax: Any, height: float) -> tuple[Any, Any]:
    """Return the given axes and their figure, or create them."""
    if ax is not None:
        return ax.figure, ax
    figure, (axes,) = mpl.new_figure(8, height)
    return figure, axes


def _title(result: AnyResult) -> str:
    """Return the title of a figure: the stream, and when its rows are predicted."""
    descriptions = {"prequential": "each chunk predicted before it is learned"}
    protocol = result.settings.get("protocol", "")
    return mpl.plain_text(f"{result.stream}, {descriptions.get(protocol, protocol)}".rstrip(", "))


def _averaged_label(label: str, found: Curves) -> str:
    return label if found.width == 1 else f"{label} (mean of {found.width} chunks)"


def _draw_over_rows(
    axes: Any, result: AnyResult, found: Curves, label: str, guest: bool = False, **options: Any
) -> None:
    """Draw curves over rows, with drifts and line labels.

    Axes passed by the caller get a legend, since they may have no space for labels beside them.
    """
    styles = line_styles(result.names)
    mpl.draw_curves(axes, found, styles, **options)
    axes.set_ylim(*_limits(result, found), auto=False)
    if label == "members":
        axes.set_ylim(bottom=0)
    mpl.mark_drifts(axes, result.drifts)
    mpl.row_axis(axes, found.rows[-1])
    axes.set(xlabel=ROWS, ylabel=_averaged_label(label, found))
    if guest:
        axes.legend(frameon=True)  # the frame keeps the legend readable where it covers lines
    else:
        mpl.name_lines(axes, found, styles)


def _limits(result: AnyResult, found: Curves) -> tuple[float, float]:
    """Return the limits of a vertical axis, at which lines of trivial baselines may end."""
    names = scale_of(result, found) or found.middle
    low = min(np.nanmin(found.middle[name] - found.off.get(name, 0.0)) for name in names)
    high = max(np.nanmax(found.middle[name] + found.off.get(name, 0.0)) for name in names)
    margin = 0.05 * (high - low) or 0.05
    return float(low - margin), float(high + margin)


@mpl.styled
def overview(
    result: AnyResult,
    path: str | Path | None = None,
    *,
    learners: Sequence[str] | None = None,
    title: str | None = None,
) -> Figure:
    """Draw accuracy over the stream, and below it the member weights of ensembles.

    Above the curves are the names of the concepts.

    Parameters
    ----------
    result, path
        As in `accuracy`.
    learners : sequence of str, optional
        The learners; by default all. Member weights are drawn for the first two ensembles.
    title : str, optional
        The title; by default it names the stream.

    Returns
    -------
    matplotlib.figure.Figure
    """
    voting = [name for name, history in result.histories.items() if _votes(history)]
    names = [name for name in voting if learners is None or name in learners][:2]
    figure, _ = mpl.new_figure(9, 7.2, 0)
    upper, lower = figure.subfigures(2, 1)
    axes = upper.subplots()
    axes.set_title(_title(result) if title is None else mpl.plain_text(title))
    found = curves(result, score("accuracy"), None, True, learners)
    _draw_over_rows(axes, result, found, "accuracy")
    _name_spans(axes, concepts(result))
    for name, panel in zip(names, lower.subplots(1, len(names), squeeze=False).flat):
        _draw_weights(panel, result, name)
        panel.set_xlabel(ROWS)
    return mpl.save(figure, path)


def _votes(history: WeightHistory) -> bool:
    """Return whether an ensemble had more than one member at a time."""
    return bool(np.bincount(history.step).max(initial=0) > 1)


def _name_spans(axes: Any, known: Concepts) -> None:
    """Write the name of each concept above its rows, if there are few spans."""
    if len(known.spans) > MOST_COLORS:
        return
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.08 * (high - low))
    for span in known.spans:
        axes.annotate(
            mpl.plain_text(known.names[span.concept]), ((span.begin + span.end) / 2, 1),
            xycoords=("data", "axes fraction"), ha="center", va="top",
            xytext=(0, -1), textcoords="offset points", color=known.color(span.concept),
        )  # fmt: skip


@mpl.styled
def recall(
    result: AnyResult, path: str | Path | None = None, *, smooth: int | None = None
) -> Figure:
    """Draw class recalls over the stream, with one panel per class and one line per learner.

    Lines are interrupted where the class does not occur. With more than twelve classes, only the
    most frequent classes are drawn.

    Parameters
    ----------
    result, path, smooth
        As in `accuracy`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    chosen = frequent_classes(result, MOST_PANELS)
    columns = min(len(chosen), 3)
    height = 1.2 + 1.8 * -(-len(chosen) // columns)
    figure, panels = mpl.new_figure(8, height, len(chosen), columns)
    rows = longest_rows(result)
    styles = line_styles(result.names)
    for panel, k in zip(panels, chosen):
        values = {name: np.atleast_2d(result.recalls(name)[..., k]) for name in result.names}
        found = averaged(rows, values, smooth=True if smooth is None else smooth)
        mpl.draw_curves(panel, found, styles, band=False)
        panel.set_title(f"class {mpl.plain_text(result.classes[k])}")
        panel.set_ylim(-0.03, 1.03)
        mpl.mark_drifts(panel, result.drifts, text=False)
        mpl.row_axis(panel, rows[-1])
    figure.supxlabel(ROWS, color=INK, fontsize=10)
    figure.supylabel(_averaged_label("recall", found), color=INK, fontsize=10)
    mpl.legend_above(figure, styles)
    return mpl.save(figure, path)


@mpl.styled
def size(result: AnyResult, path: str | Path | None = None, *, ax: Any = None) -> Figure:
    """Draw the number of members of each ensemble over the stream.

    Parameters
    ----------
    result, path, ax
        As in `accuracy`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = _axes(ax, 2.8)
    found = curves(result, score("members"), None)
    guest, steps = ax is not None, {"band": False, "drawstyle": "steps-post"}
    _draw_over_rows(axes, result, found, "members", guest, **steps)
    return mpl.save(figure, path)


@mpl.styled
def weights(
    result: AnyResult, path: str | Path | None = None, *, learner: str | None = None
) -> Figure:
    """Draw the voting weights of the members of an ensemble over its lifetime.

    Each line is a member, in the color of the concept in which it was created. The line width is
    the weight of the member relative to the largest weight at this step. When a concept returns,
    the lines of its members widen again.

    Parameters
    ----------
    result, path
        As in `accuracy`; with several seeds, only the first is drawn.
    learner : str, optional
        The ensemble; by default all ensembles that record a weight history.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = list(result.histories) if learner is None else [learner]
    absent = [name for name in names if name not in result.histories]
    if absent or not names:
        raise ValueError(
            f"{', '.join(absent or result.names)} did not record a history of member weights. "
            f"Learners with a history: {', '.join(result.histories) or 'none'}."
        )
    figure, panels = mpl.new_figure(8, 0.6 + 3.0 * len(names), len(names), share=False)
    for name, panel in zip(names, panels):
        _draw_weights(panel, result, name)
    panels[-1].set_xlabel(ROWS)
    return mpl.save(figure, path)


@mpl.styled
def draw_history(history: WeightHistory, path: str | Path | None = None) -> Figure:
    """Draw the voting weights of the members of an ensemble; see `weights`.

    Parameters
    ----------
    history : WeightHistory
        The weights.
    path : str or Path, optional
        Where to save the figure; its suffix determines the format.
    """
    if not len(history.steps):
        raise ValueError("The history has no steps yet: train the ensemble first.")
    figure, (panel,) = mpl.new_figure(8, 3.6, 1)
    found = lives(history, int(history.steps[-1]), COLUMNS)
    _draw_lives(panel, found, history, Concepts([], []))
    if found.together == 1 and len(found.lives) == found.n_lanes <= MOST_NAMED:
        panel.set_yticks([life.lane + 0.5 for life in found.lives],
                         [f"member {life.first}" for life in found.lives])  # fmt: skip
    panel.xaxis.get_major_locator().set_params(integer=True)
    panel.set_title("Members: wide lines vote, hairlines do not")
    panel.set_xlabel("step")
    return mpl.save(figure, path)


def _draw_lives(panel: Any, found: Lives, history: WeightHistory, known: Concepts) -> list[str]:
    """Draw the lifelines of members; return the names of the lanes, if members have names."""
    for k, life in enumerate(found.lives):
        # Without concepts, neighbors differ in color.
        place = known.at(found.rows(life)[0]) if known.names else k % MOST_COLORS
        color = known.color(place) if known.names else PALETTE[place or 0]
        for begin, end, share in stretches(life):
            left, right = found.edges[[begin, end]]
            panel.barh(life.lane + 0.5, right - left, share, left=left, color=color, linewidth=0)
    panel.set_ylim(found.n_lanes, 0)
    mpl.row_axis(panel, found.edges[-1], ticks=4)
    names = lane_names(found, history)
    panel.set_yticks(np.arange(len(names)) + 0.5, [*map(mpl.plain_text, names)])
    panel.grid(False)
    return names


def _draw_weights(panel: Any, result: AnyResult, name: str) -> None:
    known, history = concepts(result), result.histories[name]
    found = lives(history, int(result.rows(name)[-1]), COLUMNS)
    names = _draw_lives(panel, found, history, known)
    panel.set_title(f"Members of {mpl.plain_text(name)}: wide lines vote, hairlines do not")
    mpl.mark_drifts(panel, result.drifts, text=False)
    if 1 < len(known.names) <= MOST_COLORS:
        Patch = needed("matplotlib.patches").Patch
        handles = [Patch(color=known.color(k), label=mpl.plain_text(text))
                   for k, text in enumerate(known.names)]  # fmt: skip
        place: dict[str, Any] = {"loc": "lower left"}
        if names:  # all lanes are in use
            place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
        panel.legend(handles=handles, title="trained on", **place)


@mpl.styled
def draw_inspection(inspection: Inspection, path: str | Path | None = None) -> Figure:
    """Draw accuracy, changed features, importances, their history, and calibration.

    Parameters
    ----------
    inspection : Inspection
        What to draw.
    path : str or Path, optional
        Where to save the figure; its suffix determines the format.
    """
    draws = {"accuracy": _draw_lines, "features": _draw_bars, "importances": _draw_bars,
             "importance history": _draw_history, "calibration": _draw_calibration}  # fmt: skip
    there = [name for name in draws if len(inspection.tables.get(name, ()))]
    figure, panels = mpl.new_figure(7.0, 2.6 * max(len(there), 1), max(len(there), 1), share=False)
    for name, panel in zip(there, panels):
        draws[name](panel, inspection, name)
        panel.set_title(TITLES[name])
    return mpl.save(figure, path)


def _draw_lines(panel: Any, inspection: Inspection, name: str) -> None:
    table = inspection.tables[name]
    for column, color in zip(("accuracy", "no change", "majority"), PALETTE):
        if column in table.columns:
            label = "model" if column == "accuracy" else column
            panel.plot(table["first row"], table[column], color=color, label=label)
    drifts = inspection.drift_rows
    mpl.mark_drifts(panel, drifts, text=False)
    panel.set_xlabel("row")
    panel.legend(ncols=3, loc="lower right", bbox_to_anchor=(1.0, 0.97))


def _draw_bars(panel: Any, inspection: Inspection, name: str) -> None:
    table = inspection.tables[name][:MOST_BARS]
    value = "importance" if name == "importances" else "effect"
    names = [mpl.plain_text(feature) for feature in table["feature"]]
    panel.barh(range(len(table)), table[value], tick_label=names, color=PALETTE[0])
    panel.invert_yaxis()
    panel.set_xlabel(value if name == "importances" else "total variation")


def _draw_history(panel: Any, inspection: Inspection, name: str) -> None:
    assert inspection.measured is not None
    _draw_record(panel, inspection.measured)


def _draw_record(panel: Any, record: ImportanceRecord) -> None:
    for (feature, line), color in zip(record.lines(MOST_LINES).items(), PALETTE):
        panel.plot(record.after, line, color=color, label=mpl.plain_text(feature))
    panel.set(xlabel="row", ylabel="importance", ylim=(0.0, None))
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


@mpl.styled
def draw_importances(record: ImportanceRecord, path: str | Path | None = None) -> Figure:
    """Draw importances over time.

    Parameters
    ----------
    record : ImportanceRecord
        What to draw.
    path : str or Path, optional
        Where to save the figure; its suffix determines the format.
    """
    figure, (panel,) = mpl.new_figure(7.0, 2.8, 1)
    _draw_record(panel, record)
    return mpl.save(figure, path)


@mpl.styled
def draw_explanation(explanation: Explanation, path: str | Path | None = None) -> Figure:
    """Draw the contributions of columns to the predictions of the first rows.

    Parameters
    ----------
    explanation : Explanation
        What to draw; of more than 6 rows, the first ones.
    path : str or Path, optional
        Where to save the figure; its suffix determines the format.
    """
    bars = explanation.bars(MOST_BARS)[:MOST_EXPLAINED]
    height = sum(1.1 + 0.26 * len(each.labels) for each in bars)
    figure, panels = mpl.new_figure(7.0, height, len(bars), share=False)
    for panel, each in zip(panels, bars):
        color = [PALETTE[0] if value >= 0 else PALETTE[1] for value in each.values]
        names = [mpl.plain_text(label) for label in each.labels]
        panel.barh(range(len(names)), each.values, tick_label=names, color=color)
        panel.axvline(0.0, color=FAINT, linewidth=0.8)
        panel.invert_yaxis()
        panel.set_title(mpl.plain_text(each.title))
        panel.set_xlabel(f"contribution to the {explanation.output}")
    return mpl.save(figure, path)


def _draw_calibration(panel: Any, inspection: Inspection, name: str) -> None:
    table = inspection.tables[name]
    panel.plot([0, 1], [0, 1], color=FAINT, linestyle="dashed")
    panel.plot(table["mean confidence"], table["share right"], "o-", color=PALETTE[0])
    panel.set(xlabel="mean confidence", ylabel="share right")


KINDS: dict[str, Callable[..., Figure]] = {
    "accuracy": accuracy, "recall": recall, "weights": weights, "size": size, "overview": overview
}  # fmt: skip


def draw(
    result: AnyResult, path: str | Path | None = None, kind: str = "accuracy", **options: Any
) -> Figure:
    """Draw a result: ``"accuracy"``, ``"recall"``, ``"weights"``, ``"size"`` or ``"overview"``."""
    if kind not in KINDS:
        near = meant(kind, KINDS)
        near = f". To save the figure, use path={str(kind)!r}" if Path(kind).suffix else near
        raise ValueError(
            f"unknown figure {str(kind)!r}{near}. Known figures are {', '.join(KINDS)}."
        )
    return KINDS[kind](result, path, **options)


def frequent_classes(result: AnyResult, most: int) -> Ints:
    """Return the positions of the most frequent classes, in label order."""
    count = result.confusion(result.names[0]).sum(axis=1)
    return np.sort(np.argsort(-count, kind="stable")[:most])


class FigureDisplay:
    """Figure with a notebook representation.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
        The figure.
    """

    _own = True  # whether this object created the figure

    def __init__(self, figure: Figure):
        self.figure_ = figure

    def save(self, path: str | Path) -> None:
        """Save the figure atomically; the suffix of the path determines the format."""
        mpl.styled(mpl.save)(self.figure_, path)

    def _repr_png_(self) -> tuple[bytes, dict[str, float]] | None:
        """Return the PNG for notebooks, or None for a figure created by the user."""
        if not self._own:
            return None
        content = BytesIO()
        dpi = 2 * self.figure_.dpi  # sharp on high-density screens
        self.figure_.savefig(content, format="png", dpi=dpi)
        width, height = self.figure_.get_size_inches() * self.figure_.dpi
        return content.getvalue(), {"width": float(width), "height": float(height)}


class ResultDisplay(FigureDisplay):
    """Figure of a result, similar to the displays of scikit-learn.

    Notebooks render the figure; `matplotlib.pyplot` is neither required nor imported.

    Parameters
    ----------
    result : Result or RepeatedResult
        The result to draw.
    kind : {"accuracy", "recall", "weights", "size", "overview"}
        The figure.
    **options
        Options of the function of this name in `driftlearn.bench.report`.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
        The figure.
    ax_ : matplotlib.axes.Axes
        The first axes of the figure.
    lines_ : list of matplotlib.lines.Line2D
        The curves of `ax_`, one per learner, labeled with the learner name.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> from driftlearn.evaluate import prequential
    >>> from driftlearn.streams import SEA
    >>> result = prequential({"bayes": GaussianNBClassifier()}, SEA(n_rows=500), 100)
    >>> display = result.plot()
    >>> display.lines_[0].set_linewidth(3)
    >>> display.ax_.set_title("mine").get_text()
    'mine'
    """

    def __init__(self, result: AnyResult, kind: str = "accuracy", **options: Any):
        self.result = result
        self.kind = kind
        self.options = options

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw the figure.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; by default a new figure.
        **style
            Properties of all curves, for example ``linewidth=3``.

        Returns
        -------
        ResultDisplay
            This display.
        """
        if ax is not None and "ax" not in signature(KINDS.get(self.kind, accuracy)).parameters:
            raise ValueError(
                f"figure {self.kind!r} has several panels, so it does not support 'ax'"
            )
        options = self.options if ax is None else {**self.options, "ax": ax}
        before = [] if ax is None else [*ax.lines]
        self.figure_ = draw(self.result, kind=self.kind, **options)
        self.ax_ = self.figure_.axes[0] if ax is None else ax
        self.lines_: list[Line2D] = [
            line
            for line in self.ax_.lines
            if line not in before and not str(line.get_label()).startswith("_child")
        ]
        self._own = ax is None
        if self._own:  # move the title to where `ax_.set_title` would replace it
            title = self.ax_.get_title(loc="left")
            self.ax_.set_title("", loc="left")
            self.ax_.set_title(title)
        for line in self.lines_:
            line.set(**style)
        return self
