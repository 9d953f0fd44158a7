"""Inspection of all keys from their summaries, or of one key from its state."""

from itertools import pairwise
from typing import Any

import numpy as np

from driftlearn.evaluate.metrics import ratio
from driftlearn.inspection.importances import importance_table
from driftlearn.inspection.inspection import Inspection, KeysInspection, inspect
from driftlearn.ops.keyed.key_record import SPAN, KeyRecord
from driftlearn.ops.keyed.key_store import NOW, KeyStore, QuarantinedRow, Summary
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.model_weights import GLOBAL
from driftlearn.ops.keyed.shared_models import FROM
from driftlearn.ops.keyed.source_accuracy import COUNTS, SOURCES, SourceAccuracy
from driftlearn.utils.arguments import meant
from driftlearn.utils.table import Table

MAX_KEYS = 20  # maximum number of keys in a table
MIN_TESTED = SPAN  # minimum number of predictions for the accuracy of a key to count
MIN_RECENT = 2 * SPAN  # minimum number of predictions for its recent accuracy
PARTS = 4  # bins of sizes per power of two
BINS = 20  # bins of accuracies in the table
EXACT = 1_000  # bins of accuracies for the median and the lowest tenth
MAX_REASONS = 20
DECIMALS = 4  # decimals of shares
MAX_STRETCHES = 100


def inspect_keys(models: KeyedModels) -> KeysInspection:
    """Return an inspection of all keys.

    The inspection makes one pass over the summaries of keys, in bounded memory, without loading
    states.

    Parameters
    ----------
    models : KeyedModels
        The models.
    """
    store, sources, shared = models.store, models.source_accuracy, models.learner.shared
    summaries = _SummaryCounts(store)
    by_source, spans = sources.by_age.sum(axis=0), dict(zip(COUNTS, sources.spans.sum(axis=0)))
    n_global = int(spans["global_tested"])
    of_global = int(spans["global_right"]) / n_global if n_global else None
    n = max(int(by_source[:, 0].sum()), 1)
    reasons = store.reasons(MAX_REASONS)
    facts: dict[str, Any] = {
        "learner": str(models.learner.learner),
        "keys": summaries.n_keys,
        "counts": models.counts,
        "accuracy": {**models.record.accuracy(), GLOBAL: of_global},
        "accuracy of keys": summaries.accuracies(),
        "drifting": {"worse": store.n_keys("worse"), "better": store.n_keys("better"),
                     "within": NOW},
        "predictions": dict(zip(SOURCES, (by_source[:, 0] / n).tolist())),
        "bytes": {"all": summaries.n_bytes, "mean": summaries.n_bytes / max(summaries.n_keys, 1),
                  "largest": summaries.largest},
        "pool": shared.names,
    }  # fmt: skip
    model = shared.global_model
    is_fitted = model is not None and model.__sklearn_is_fitted__()
    tables = {
        "accuracy": _over_stream(sources),
        "worse": key_table(store.keys("worse", MAX_KEYS)),
        "better": key_table(store.keys("better", MAX_KEYS)),
        "worst": key_table(store.keys("worst", MAX_KEYS, least=MIN_RECENT)),
        "accuracies": summaries.accuracy_table(),
        "predictions": _by_source(by_source),
        "ages": _by_age(sources.by_age),
        "pool": _pool(shared.names, sources, store),
        "sizes": summaries.size_table(),
        "rows": summaries.row_table(),
        "importances": importance_table(model) if is_fitted else None,
        "quarantined": _rows(QuarantinedRow._fields, store.quarantined()),
        "reasons": _rows(("reason", "rows", "last at"), reasons),
        "expired": _expired(store.expired()),
    }
    return KeysInspection(str(models.learner.learner), facts, tables)


def inspect_key(models: KeyedModels, key: str) -> Inspection:
    """Return an inspection of one key.

    Parameters
    ----------
    models : KeyedModels
        The models.
    key : str
        The key.
    """
    state = models.state(key)
    if state is None:
        names = [each.key for each in models.store.keys("rows", 1000)]
        text = f"There is no key {key!r}{meant(key, names)}. Omit --key to see some of the keys."
        raise ValueError(text)
    record = state.record
    found = inspect(state.own)
    weights = dict(zip(state.weights.names, state.weights.weights))
    heaviest = sorted(weights, key=lambda name: -weights[name])
    tables = {
        **found.tables,
        "accuracy": _over_rows(record),
        "changes": _changes(record),
        "weights": Table({"source": heaviest, "weight": [weights[name] for name in heaviest]}),
    }
    facts = {
        **found.facts,
        "key": key, "rows": record.n_rows, "accuracy": record.accuracy(),
        "recent accuracy": record.recent_accuracy(), "changes": record.changes, "weights": weights,
    }  # fmt: skip
    sentences = [*_sentences(key, record, weights), *found.sentences]
    return Inspection(found.title, facts, tables, sentences)


class _SummaryCounts:
    """Counts from one pass over the summaries of all keys."""

    def __init__(self, store: KeyStore):
        self.n_keys = self.n_bytes = self.largest = 0
        self._sizes = np.zeros(64 * PARTS, dtype=np.int64)
        self._rows = np.zeros(64, dtype=np.int64)
        self._right = np.zeros(EXACT + 1, dtype=np.int64)
        for block in store.blocks():
            self._count(block)

    def _count(self, block: np.ndarray) -> None:
        rows, tested, right, *_, size = block.T
        self.n_keys += len(rows)
        self.n_bytes += int(size.sum())
        self.largest = max(self.largest, int(size.max()))
        bins = (PARTS * np.log2(np.maximum(size, 1))).astype(int)
        self._sizes += np.bincount(bins, minlength=len(self._sizes))
        self._rows += np.bincount(np.frexp(rows)[1], minlength=len(self._rows))
        some = tested >= MIN_TESTED
        # The added 1e-9 keeps shares such as 0.29, computed as 289.99... thousandths, in their bin.
        share = np.floor(right[some] / tested[some] * EXACT + 1e-9).astype(int)
        self._right += np.bincount(share, minlength=len(self._right))

    def accuracies(self) -> dict[str, Any]:
        """Return the median and the 10 % quantile of the accuracy of keys, to three decimals."""
        up_to = self._right.cumsum()
        n = int(up_to[-1])
        at = {name: int(np.searchsorted(up_to, part * n)) / EXACT
              for name, part in (("median", 0.5), ("worst tenth", 0.1))}  # fmt: skip
        return {"keys": n, "least": MIN_TESTED, **(at if n else dict.fromkeys(at))}

    def accuracy_table(self) -> Table:
        """Return the number of keys by accuracy."""
        counts = self._right[:-1].reshape(BINS, -1).sum(axis=1)
        counts[-1] += self._right[-1]
        edges = np.arange(BINS + 1) / BINS
        return Table({"from": edges[:-1], "to": edges[1:], "keys": counts})

    def size_table(self) -> Table:
        """Return the number of keys by state size."""
        found = _trimmed(self._sizes)
        edges = np.ceil(2.0 ** (np.arange(found.start, found.stop + 1) / PARTS)).astype(int)
        return Table({"from": edges[:-1], "to": edges[1:] - 1, "keys": self._sizes[found]})

    def row_table(self) -> Table:
        """Return the number of keys by number of rows."""
        found = _trimmed(self._rows)
        return Table({**_powers(found), "keys": self._rows[found]})


def _trimmed(counts: np.ndarray) -> slice:
    """Return the bins without the empty bins at both ends."""
    found = np.flatnonzero(counts)
    return slice(int(found[0]), int(found[-1]) + 1) if len(found) else slice(0, 0)


def _powers(bins: slice) -> dict[str, np.ndarray]:
    """Return the limits of bins whose widths are powers of two; the first bin is for 0."""
    edges = 2 ** np.arange(bins.start, bins.stop + 1) // 2
    return {"from": edges[:-1], "to": edges[1:] - 1}


def _rows(names: Any, rows: Any) -> Table:
    """Return a table from tuples."""
    return Table({name: [row[j] for row in rows] for j, name in enumerate(names)})


def _over_stream(sources: SourceAccuracy) -> Table | None:
    """Return the accuracy in each span of the stream."""
    if not len(sources.spans):
        return None
    counts = dict(zip(COUNTS, sources.spans.T))
    return Table({
        "first row": np.arange(len(sources.spans)) * sources.span,
        "tested": counts["tested"],
        "accuracy": ratio(counts["right"], counts["tested"]),
        "global": ratio(counts["global_right"], counts["global_tested"]),
        "new keys": counts["begun"],
    })  # fmt: skip


def key_table(found: list[Summary]) -> Table:
    """Return a table of keys: recent accuracy, earlier accuracy and latest drift."""
    counts = np.array([each[3:7] for each in found], dtype=float).reshape(-1, 4).T
    tested, right, recent, recent_right = counts
    return Table({
        "key": [each.key for each in found],
        "rows": [each.rows for each in found],
        "before": ratio(right - recent_right, tested - recent),
        "recent": ratio(recent_right, recent),
        "changes": [each.changes for each in found],
        "rows since": [None if each.changed is None else each.rows - each.changed
                       for each in found],
        "bytes": [each.size for each in found],
    })  # fmt: skip


def _by_source(counts: np.ndarray) -> Table | None:
    """Return the number of rows and the accuracy by prediction source."""
    n, right = counts.T
    if not n.sum():
        return None
    accuracy = ratio(right, n)
    accuracy[-1] = np.nan  # without a prediction, there is no accuracy
    shares = [round(share, DECIMALS) for share in (n / n.sum()).tolist()]
    return Table({"source": SOURCES, "rows": n, "share": shares, "right": accuracy})


def _by_age(counts: np.ndarray) -> Table | None:
    """Return the fraction of predictions from each source, by the training rows of the key."""
    found = _trimmed(counts[..., 0].sum(axis=1))
    if found.stop == 0:
        return None
    bins = slice(0, found.stop)
    rows, right = counts[bins, :, 0], counts[bins, :, 1]
    n = rows.sum(axis=1)
    shares = np.round(rows / np.maximum(n, 1)[:, None], DECIMALS)
    return Table({
        **_powers(bins),
        "rows": n,
        **dict(zip(SOURCES, shares.T)),
        "right": ratio(right.sum(axis=1), n - rows[:, -1]),
    })  # fmt: skip


def _pool(names: list[str], sources: SourceAccuracy, store: KeyStore) -> Table:
    """Return the accuracy of pool models for other keys, and the accuracy of their own keys."""
    keys = [name.removeprefix(FROM) for name in names]
    found = [store.summary(key) for key in keys]
    counts = np.array([sources.by_pool_model.get(name, (0, 0)) for name in names]).reshape(-1, 2)
    recent = [(0, 0) if each is None else (each.recent_right, each.recent_tested) for each in found]
    return Table({
        "key": keys,
        "predictions": counts[:, 0],
        "right": ratio(counts[:, 1], counts[:, 0]),
        "its rows": [None if each is None else each.rows for each in found],
        "its recent accuracy": ratio(*np.array(recent).reshape(-1, 2).T),
    })  # fmt: skip


def _expired(counts: dict[int, int]) -> Table:
    """Return the number of expired keys by the stream segment of their last row."""
    step = -(-len(counts) // MAX_STRETCHES) or 1
    begins, n = [*counts], [*counts.values()]
    return Table({"last row from": begins[::step],
                  "keys": [sum(n[i : i + step]) for i in range(0, len(n), step)]})  # fmt: skip


def _over_rows(record: KeyRecord) -> Table:
    """Return the accuracy in each span of the rows of a key."""
    tested = record.tested_in
    return Table({
        "first row": np.arange(len(tested)) * record.span,
        "tested": tested,
        "accuracy": ratio(record.right_in, tested),
        "own": ratio(record.own_in, tested),
    })  # fmt: skip


def _changes(record: KeyRecord) -> Table:
    """Return the detected changes, with the error rates of the key's own model before and after."""
    begins = np.arange(len(record.tested_in)) * record.span
    middles = (begins + np.minimum(begins + record.span, record.n_rows)) / 2
    edges = [0, *record.changes, record.n_rows]
    between = [(middles > first) & (middles <= last) for first, last in pairwise(edges)]
    own, tested = (
        [np.array(counts, dtype=int)[some].sum() for some in between]
        for counts in (record.own_in, record.tested_in)
    )
    errors = 1.0 - ratio(own, tested)
    return Table({"after": record.changes, "before": errors[:-1], "since": errors[1:]})


def _sentences(key: str, record: KeyRecord, weights: dict[str, float]) -> list[str]:
    """Return the main findings about a key."""
    shares = ", ".join(f"{name} {share:.4f}" for name, share in record.accuracy().items()
                       if share is not None)  # fmt: skip
    found = [f"Accuracy on {record.n_rows:,} rows of {key}: {shares or 'not known'}."]
    if record.n_changes:
        rows = ", ".join(f"{row:,}" for row in record.changes)
        found.append(f"{record.n_changes:,} changes in the error rate of its own model, the latest "
                     f"after row {rows}.")  # fmt: skip
    if weights:
        text = ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items())
        found.append(f"Voting weights: {text}.")
    return found
