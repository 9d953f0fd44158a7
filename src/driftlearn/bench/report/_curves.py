"""The numbers behind the charts of the page: few enough to send, and none left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._style import automatic_width, curve
from driftlearn.evaluate import metrics
from driftlearn.evaluate._repeat import AnyResult, RepeatedResult, Results
from driftlearn.evaluate._result import Result
from driftlearn.utils.typing import Floats, Ints

#: A line of more points is wider than a screen has pixels for; one of fewer hides the drifts.
MOST_POINTS = 1000
LEAST_POINTS = 40
#: So many lines a page holds in full; with more lines, each gets fewer points.
FULL_CURVES = 16


class Curves(NamedTuple):
    """Lines over the stream.

    Attributes
    ----------
    rows : ndarray of int
        At which row each point stands: the last of the chunks it is the mean of.
    middle : dict of str to ndarray
        For each learner its line.
    off : dict of str to ndarray
        For each learner the standard deviation over the seeds, where there are several.
    chunks, width : int
        Of how many chunks a point is the mean, and of how many such means the line is smoothed.
    """

    rows: Ints
    middle: dict[str, Floats]
    off: dict[str, Floats]
    chunks: int
    width: int

    @property
    def note(self) -> str:
        """What a point stands for, for the caption."""
        many = self.chunks * self.width
        back = "the last " if self.width > 1 else ""
        return "" if many == 1 else f"Each point is the mean of {back}{many:,} chunks. "


def points(n_curves: int) -> int:
    """Return how many points a line may have so that a page of so many lines stays small.

    Examples
    --------
    >>> points(6), points(50), points(3000)
    (1000, 320, 40)
    """
    return int(np.clip(FULL_CURVES * MOST_POINTS // max(n_curves, 1), LEAST_POINTS, MOST_POINTS))


def block_means(values: Any, size: int) -> Floats:
    """Return the mean of every `size` values along the last axis; nan is left out.

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


def block_ends(n: int, size: int) -> Ints:
    """Return the position of the last value of each block."""
    return np.minimum(np.arange(0, n, size) + size, n) - 1


def runs(result: AnyResult) -> list[Result]:
    """Return the single results: those of the seeds, or the result itself."""
    return result.results if isinstance(result, RepeatedResult) else [result]


def repetitions(result: AnyResult) -> list[list[Result]]:
    """Return the runs in groups of those over the same rows: each group is one repetition.

    On a stream without randomness every seed has the same rows, and no test may take what it says
    for independent. Streams that tell what they are are the same if they say the same and their
    chunks hold the same classes; of others all learners must have answered alike.
    """
    groups: dict[tuple[Any, ...], list[Result]] = {}
    for run in runs(result):
        counts = [run.data[name]["confusion"] for name in run.names]
        told = run.settings.get("stream")
        told = None if told is None or " at 0x" in told else told
        alike = [counts[0].sum(axis=2)] if told else counts
        groups.setdefault((told, *(each.tobytes() for each in alike)), []).append(run)
    return list(groups.values())


def spread(result: AnyResult, row: Mapping[str, float]) -> tuple[float, str]:
    """Return the standard deviation of a summary's accuracy, and over what it is."""
    if len(repetitions(result)) > 1:
        return row["std"], "the seeds"
    return row.get("chunk_std", row["std"]), "the chunks"


def curves(
    result: AnyResult,
    of: Callable[[Result, str], Floats],
    most: int = MOST_POINTS,
    smooth: bool = False,
) -> Curves:
    """Return a line for each learner that has a value anywhere.

    Parameters
    ----------
    result : Result or RepeatedResult
        What is drawn.
    of : callable
        Gives the values of one `Result` and a learner, one a chunk.
    most : int
        The most points of a line.
    smooth : bool
        Whether to draw the mean of the last few points, so that many lines can be told apart.
    """
    rows = max((result.rows(name) for name in result.names), key=len)
    size = -(-len(rows) // most)
    width = automatic_width(-(-len(rows) // size)) if smooth else 1
    middle, off = {}, {}
    for name in result.names:
        seeds = [of(run, name) for run in runs(result)]
        values = np.full((len(seeds), len(rows)), np.nan)
        for line, found in zip(values, seeds):
            line[: len(found)] = found
        line, deviation = curve(block_means(values, size), width)
        if not np.isnan(line).all():
            middle[name] = line
            if len(seeds) > 1 and deviation is not None:
                off[name] = np.nan_to_num(deviation)
    return Curves(rows[block_ends(len(rows), size)], middle, off, size, width)


def score(metric: str) -> Callable[[Result, str], Floats]:
    """Return a function that gives a score of a result, for `curves`."""
    return lambda run, name: run.scores(name, metric)


def learning_time(run: Result, name: str) -> Floats:
    """Return for each chunk the microseconds it took to learn a row."""
    return 1e6 * _positive(metrics.ratio(run.data[name]["fit_seconds"], run.data[name]["trained"]))


def testing_time(run: Result, name: str) -> Floats:
    """Return for each chunk the microseconds it took to predict a row."""
    data = run.data[name]
    tested = data["confusion"].sum(axis=(1, 2))
    return 1e6 * _positive(metrics.ratio(data["predict_seconds"], tested))


def megabytes(run: Result, name: str) -> Floats:
    """Return after each chunk the size of the learner when it was last measured."""
    sizes = run.scores(name, "nbytes") / 1e6
    last = np.maximum.accumulate(np.where(np.isnan(sizes), 0, np.arange(len(sizes))))
    return sizes[last]


def _positive(values: Floats) -> Floats:
    return np.where(values > 0, values, np.nan)


def learners_of(result: AnyResult | Results) -> list[str]:
    """Return all learners of a result or of results by stream, in the order of appearance."""
    results = list(result.values()) if isinstance(result, Mapping) else [result]
    return list(dict.fromkeys(name for one in results for name in one.names))
