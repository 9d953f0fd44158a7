"""Curves of learners over a stream, averaged and thinned for drawing."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from driftlearn.evaluate import metrics
from driftlearn.evaluate._drawable import trivial_baselines
from driftlearn.evaluate._repeat import AnyResult, RepeatedResult, Results
from driftlearn.evaluate._result import Result
from driftlearn.utils.arguments import Floats, Ints

#: Points per curve: with more, it is wider than a screen has pixels; with fewer, drifts are hidden.
MOST_POINTS = 1000
LEAST_POINTS = 40
#: A page has at most this many curves of `MOST_POINTS`; if it has more curves, each has fewer
#: points.
FULL_CURVES = 16
#: With about this many independent values, several noisy curves remain distinguishable in one
#: chart.
LEGIBLE = 60
#: Function that returns the values of a learner, one per chunk.
ChunkValues = Callable[[Result, str], Floats]


class Curves(NamedTuple):
    """Curves over the stream, one per learner.

    Attributes
    ----------
    rows : ndarray of int
        Row number of each point: the last row of the chunks averaged in the point.
    middle : dict of str to ndarray
        Curve of each learner.
    off : dict of str to ndarray
        Standard deviation over seeds of each learner; empty with a single seed.
    chunks, width : int
        Number of chunks averaged in a point, and number of points in the moving average.
    """

    rows: Ints
    middle: dict[str, Floats]
    off: dict[str, Floats]
    chunks: int = 1
    width: int = 1

    @property
    def note(self) -> str:
        """Caption that explains what a point represents."""
        many = self.chunks * self.width
        back = "the last " if self.width > 1 else ""
        return "" if many == 1 else f"Each point is the mean of {back}{many:,} chunks. "


def points(n_curves: int) -> int:
    """Return the number of points per curve that limits the size of a page with `n_curves` curves.

    Examples
    --------
    >>> points(6), points(50), points(3000)
    (1000, 320, 40)
    """
    return int(np.clip(FULL_CURVES * MOST_POINTS // max(n_curves, 1), LEAST_POINTS, MOST_POINTS))


def block_means(values: Any, size: int) -> Floats:
    """Return the means of blocks of `size` values along the last axis, ignoring nan.

    Examples
    --------
    >>> block_means([1.0, 3.0, np.nan, 5.0, 7.0], 2)
    array([2., 5., 7.])
    """
    values = np.asarray(values, dtype=float)
    starts = np.arange(0, values.shape[-1], size)
    known = ~np.isnan(values)
    total = np.add.reduceat(np.where(known, values, 0.0), starts, axis=-1)
    return metrics.ratio(total, np.add.reduceat(known.astype(int), starts, axis=-1))


def moving_average(values: Any, width: int) -> Floats:
    """Return the mean of each value and the ``width - 1`` values before it, ignoring nan.

    The average covers past values only, so a curve does not fall before the drift that causes it.

    Examples
    --------
    >>> moving_average([1.0, np.nan, 3.0, 5.0], 2)
    array([1., 1., 3., 4.])
    """
    values = np.asarray(values, dtype=float)
    pad = np.full((*values.shape[:-1], width - 1), np.nan)
    padded = np.concatenate([pad, values], axis=-1)
    return metrics.mean(np.lib.stride_tricks.sliding_window_view(padded, width, axis=-1))


def learners_of(result: AnyResult | Results) -> list[str]:
    """Return all learners of one or several results, in order of appearance."""
    return list(dict.fromkeys(name for one in results_of(result) for name in one.names))


def results_of(result: AnyResult | Results) -> list[AnyResult]:
    """Return one or several results as a list."""
    return list(result.values()) if isinstance(result, Mapping) else [result]


def runs(result: AnyResult) -> list[Result]:
    """Return one result per seed."""
    return result.results if isinstance(result, RepeatedResult) else [result]


def longest_rows(result: AnyResult) -> Ints:
    """Return the last row of each chunk, for the learner with the most chunks."""
    return max((result.rows(name) for name in result.names), key=len)


def repetitions(result: AnyResult) -> list[list[Result]]:
    """Group runs into independent repetitions; runs over the same rows form one repetition.

    On a deterministic stream, all seeds have the same rows, so a significance test must not treat
    them as independent. Two runs have the same rows if their streams have equal representations and
    their chunks have equal class counts. If the representation is unknown or contains a memory
    address, the confusion matrices of all learners must be equal instead.
    """
    groups: dict[tuple[Any, ...], list[Result]] = {}
    for run in runs(result):
        counts = [run.data[name]["confusion"] for name in run.names]
        stream = run.settings.get("stream")
        stream = None if stream is None or " at 0x" in stream else stream
        alike = [counts[0].sum(axis=2)] if stream else counts
        groups.setdefault((stream, *(each.tobytes() for each in alike)), []).append(run)
    return list(groups.values())


def accuracy_deviation(result: AnyResult, row: Mapping[str, float]) -> tuple[float, str]:
    """Return the standard deviation of the accuracy, and whether it is over seeds or chunks."""
    if len(repetitions(result)) > 1:
        return row["std"], "the seeds"
    return row.get("chunk_std", row["std"]), "the chunks"


def curves(
    result: AnyResult,
    of: ChunkValues,
    most: int | None = MOST_POINTS,
    smooth: bool | int = False,
    names: Sequence[str] | None = None,
) -> Curves:
    """Return one curve per learner, except for learners without values.

    Parameters
    ----------
    result : Result or RepeatedResult
        The result.
    of : callable
        Function of a `Result` and a learner that returns one value per chunk.
    most : int or None
        Maximum number of points; None keeps every chunk.
    smooth : bool or int
        Width of the moving average; True selects a width at which several curves are
        distinguishable.
    names : sequence of str, optional
        The learners; by default all.
    """
    rows = longest_rows(result)
    values = {}
    for name in result.names if names is None else names:
        values[name] = np.full((len(runs(result)), len(rows)), np.nan)
        for line, run in zip(values[name], runs(result)):
            found = of(run, name)
            line[: len(found)] = found
    return averaged(rows, values, most, smooth)


def averaged(
    rows: Ints, values: Mapping[str, Any], most: int | None = None, smooth: bool | int = False
) -> Curves:
    """Return the curves of values per seed and chunk; `most` and `smooth` are as in `curves`."""
    size = 1 if most is None else -(-len(rows) // most)
    ends = np.minimum(np.arange(0, len(rows), size) + size, len(rows)) - 1
    width = max(round(len(ends) / LEGIBLE) if smooth is True else int(smooth), 1)
    middle, off = {}, {}
    for name, each in values.items():
        lines = moving_average(block_means(each, size), width)
        line = metrics.mean(lines, axis=0)
        if not np.isnan(line).all():
            middle[name] = line
            if len(lines) > 1:
                off[name] = np.nan_to_num(metrics.std(lines, axis=0))
    return Curves(rows[ends], middle, off, size, width)


def scale_of(result: AnyResult, found: Curves) -> list[str] | None:
    """Return the lines that determine a vertical axis: all but those of trivial baselines."""
    trivial = trivial_baselines(result)
    return [name for name in found.middle if name not in trivial] or None


def score(metric: str) -> ChunkValues:
    """Return a function for `curves` that returns a score of a result."""
    return lambda run, name: run.scores(name, metric)


def training_time(run: Result, name: str) -> Floats:
    """Return the training time of each chunk, in microseconds per row."""
    return _microseconds(run.data[name]["fit_seconds"], run.data[name]["trained"])


def prediction_time(run: Result, name: str) -> Floats:
    """Return the prediction time of each chunk, in microseconds per row."""
    tested = run.data[name]["confusion"].sum(axis=(1, 2))
    return _microseconds(run.data[name]["predict_seconds"], tested)


def _microseconds(seconds: Any, rows: Any) -> Floats:
    found = metrics.ratio(seconds, rows)
    return 1e6 * np.where(found > 0, found, np.nan)


def megabytes(run: Result, name: str) -> Floats:
    """Return the last measured size of the learner after each chunk, in megabytes."""
    sizes = run.scores(name, "nbytes") / 1e6
    last = np.maximum.accumulate(np.where(np.isnan(sizes), 0, np.arange(len(sizes))))
    return sizes[last]
