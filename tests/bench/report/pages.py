"""Results for pages, and the visible content of a page."""

import re

import numpy as np

from driftlearn.evaluate import Result, prequential, repeat
from tests.evaluate.fakes import Ensemble, Recorder, Rows

LEARNERS = {
    "good": Ensemble(0.95), "bad": Ensemble(0.6, size=3), "plain": Recorder(), "fair": Ensemble(0.8)
}  # fmt: skip


def one(learners=LEARNERS, n_rows=1400, **options):
    return prequential(learners, Rows(n_rows, drifts=[500, 900]), chunk_size=20, **options)


class Drawn(Rows):
    """Stream whose representation includes its seed."""

    def __repr__(self):
        return f"Drawn({self.random_state})"


def repeated(n_seeds=2, n_rows=240, learners=LEARNERS, classes=(0, 1), drawn=True):
    def make_stream(seed):
        stream = Drawn(n_rows, drifts=[100], classes=classes)
        stream.random_state = seed if drawn else 0
        return stream

    return repeat(prequential, learners, make_stream, seeds=range(n_seeds), chunk_size=20)


def grid(n_streams=5, n_seeds=2, learners=LEARNERS):
    return {f"stream {i}": repeated(n_seeds, 200 + 20 * i, learners) for i in range(n_streams)}


def made(scores, classes=2, rows_a_chunk=20, drifts=()):
    """Return a result with these accuracies, one column of chunks per learner; nan is untested."""
    data = {}
    for name, values in scores.items():
        values = np.asarray(values, dtype=float)
        n = len(values)
        right = np.round(np.nan_to_num(values) * rows_a_chunk).astype(int)
        confusion = np.zeros((n, classes, classes), dtype=int)
        confusion[:, 0, 0] = right
        confusion[:, 0, 1] = np.where(np.isnan(values), 0, rows_a_chunk - right)
        starts = rows_a_chunk * np.arange(n)
        data[name] = {
            "confusion": confusion, "start": starts, "stop": starts + rows_a_chunk,
            "trained": np.full(n, rows_a_chunk), "log_loss": np.full(n, np.nan),
            "fit_seconds": np.full(n, 0.001), "predict_seconds": np.full(n, 0.0005),
            "members": np.full(n, np.nan), "nbytes": np.full(n, np.nan),
        }  # fmt: skip
    return Result(
        names=list(scores), classes=np.arange(classes), stream="made", drifts=list(drifts), seed=0,
        settings={"protocol": "prequential"}, params={name: {} for name in scores}, versions={},
        data=data,
    )  # fmt: skip


def visible(html):
    """Return the page without its scripts and style."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.S)


def cells(html, caption):
    """Return the rows of the table with this caption as lists of text."""
    table = re.search(rf"<table[^>]*><caption[^>]*>{re.escape(caption)}<.*?</table>", html, re.S)
    rows = re.findall(r"<tr>(.*?)</tr>", table.group(), re.S)
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd]\b.*?</t[hd]>", row, re.S)]
        for row in rows
    ]
