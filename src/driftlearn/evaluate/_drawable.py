"""Tables, text, HTML and figures of results, and comparisons with baselines."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from driftlearn.dummy.baselines import MajorityClassifier, NoChangeClassifier
from driftlearn.evaluate import metrics
from driftlearn.utils.arguments import Floats, choose
from driftlearn.utils.hooks import hook
from driftlearn.utils.safe_text import printable
from driftlearn.utils.sparkline import sparklines
from driftlearn.utils.table import Table

if TYPE_CHECKING:
    from driftlearn.bench.report._figures import ResultDisplay

#: Default columns of a summary table.
COLUMNS = (
    "accuracy", "std", "chunk_std", "balanced_accuracy", "kappa", "kappa_temporal", "g_mean", "auc",
    "log_loss", "recovery", "recovery_new", "recovery_returned", "anytime_accuracy", "forgetting",
    "backward_transfer", "forward_transfer", "seconds", "rows/s", "members", "MB",
)  # fmt: skip
BEST_IS_LEAST = {"log_loss", "brier", "ece", "forgetting", "seconds", "ram_hours"}
NEITHER = {"std", "chunk_std", "members", "MB"}  # metrics without a best value
COSTS = {"seconds", "rows/s", "ram_hours"}  # trivial baselines always cost least
BASELINES: dict[str, type[Any]] = {"no-change": NoChangeClassifier, "majority": MajorityClassifier}


class Drawable:
    """Base class of results, with tables, text, HTML and figures.

    `driftlearn.bench.report` is imported when the first figure is drawn.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # checked where it is used

    def recalls(self: Any, learner: str) -> Floats:
        """Return the recalls of all classes; see `per_class`."""
        return self.per_class(learner, "recall")

    def table(
        self: Any, window: int = metrics.RECOVERY_ROWS, columns: Sequence[str] | None = None
    ) -> Table:
        """Return the `summary` of each learner; the best value of each metric is marked.

        Parameters
        ----------
        window : int
            Number of rows after a drift that count for the recovery.
        columns : sequence of str, optional
            Keys of the summary; by default, a selection.
        """
        rows = {name: self.summary(name, window) for name in self.names}
        known = rows[self.names[0]]
        for key in columns or ():
            choose("column", key, known)
        wanted = columns or [key for key in COLUMNS if key in known]
        found = {key: np.array([row[key] for row in rows.values()]) for key in wanted}
        found = {key: values for key, values in found.items() if not np.isnan(values).all()}
        marked = {}
        if len(rows) > 1:
            trivial = np.isin([*rows], trivial_baselines(self))
            for key in found.keys() - NEITHER:
                values = np.where(trivial & (key in COSTS), np.nan, found[key])
                if not np.isnan(values).all():
                    best = np.nanmin if key in BEST_IS_LEAST else np.nanmax
                    marked[key] = np.flatnonzero(values == best(values))
        return Table({"learner": list(rows), **found}, marked)

    def to_frame(self: Any) -> Any:
        """Return `records` as a pandas data frame."""
        return self.records().to_frame()

    def __repr__(self: Any) -> str:
        return "\n".join([printable(self.title), self.table().text(), *not_beating(self)])

    def _repr_html_(self: Any) -> str:
        """Return HTML for notebooks: the summary, and small curves of the accuracy over time."""
        curves = [metrics.mean(np.atleast_2d(self.scores(n)), axis=0) for n in self.names]
        table = self.table().html({"accuracy over time": sparklines(curves)})
        notes = "".join(f"<p>{escape(printable(each))}</p>" for each in not_beating(self))
        return f"<p><strong>{escape(printable(self.title))}</strong></p>{table}{notes}"

    def plot(
        self: Any,
        kind: str = "accuracy",
        *,
        path: str | Path | None = None,
        ax: Any = None,
        **options: Any,
    ) -> ResultDisplay:
        """Draw a figure with matplotlib; notebooks display it.

        Parameters
        ----------
        kind : {"accuracy", "recall", "weights", "size", "overview"}
            Figure to draw; see `driftlearn.bench.report`.
        path : str or Path, optional
            File in which to save the figure; its suffix determines the format.
        ax : matplotlib.axes.Axes, optional
            Axes for "accuracy" or "size", instead of a new figure.
        **options
            Passed to the drawing function.

        Returns
        -------
        ResultDisplay
            Display with `figure_`, `ax_` and `lines_`, as in scikit-learn.
        """
        shown: ResultDisplay = hook("result_display")(self, kind, **options).plot(ax)
        if path is not None:
            shown.save(path)
        return shown

    def report(self: Any, path: str | Path, **options: Any) -> Path:
        """Write a self-contained HTML page; see `driftlearn.bench.report.page`."""
        return hook("result_page")(self, path, **options)


def trivial_baselines(result: Any) -> list[str]:
    """Return the learners that ignore the features: no change and majority."""
    kinds = {kind.__name__ for kind in BASELINES.values()}
    return [name for name in result.names if result.params[name].get("class") in kinds]


def not_beating(result: Any, stream: str | None = None) -> list[str]:
    """Return a sentence for each baseline that at least one learner does not beat.

    Parameters
    ----------
    result : Result or RepeatedResult
        The evaluation. Repeating the label of the previous row is a baseline for every result whose
        test rows are rows of the stream, even if it was computed without baselines.
    stream : str, optional
        Name of the stream; the default is that of the result.

    Returns
    -------
    list of str
        The sentences, including accuracies.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> from driftlearn.evaluate import prequential
    >>> from driftlearn.streams import from_arrays
    >>> days = from_arrays(np.arange(60.0)[:, None] % 7, np.arange(60) // 20)
    >>> result = prequential({"bayes": GaussianNBClassifier()}, days, chunk_size=1)
    >>> not_beating(result, "days")[0]
    'On the stream days, bayes (0.322) does not beat the label of the previous row (0.966).'
    """
    trivial = trivial_baselines(result)
    others = [name for name in result.names if name not in trivial]
    means = {name: result.summary(name)["accuracy"] for name in result.names}
    sentences = []
    for baseline in trivial:
        losers = {name: means[name] for name in others if means[name] <= means[baseline]}
        sentences += _sentence(stream or result.stream, losers, baseline, means[baseline])
    losers, before = {}, np.nan
    for name in others:
        accuracy, gain = (result.total(name, key) for key in ("accuracy", "kappa_temporal"))
        repeated = float(np.mean(metrics.ratio(accuracy - gain, 1 - gain)))
        if np.mean(accuracy) <= repeated:
            losers[name], before = float(np.mean(accuracy)), repeated
    if not any(np.isclose(np.mean(result.total(name)), before, atol=1e-3) for name in trivial):
        what = "the label of the previous row"
        sentences += _sentence(stream or result.stream, losers, what, before)
    return sentences


def _sentence(stream: str, losers: dict[str, float], baseline: str, accuracy: float) -> list[str]:
    if not losers:
        return []
    *first, last = (f"{name} ({value:.3f})" for name, value in losers.items())
    subject = f"{', '.join(first)} and {last} do" if first else f"{last} does"
    return [f"On the stream {stream}, {subject} not beat {baseline} ({accuracy:.3f})."]
