"""What is known of all keys, or of one: summaries where they suffice, states of few keys."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from driftlearn.inspection.importances import importance_table
from driftlearn.inspection.inspection import Inspection, inspect
from driftlearn.inspection.keys_inspection import KeysInspection
from driftlearn.ops.keyed.heard import KINDS, NOBODY, Heard
from driftlearn.ops.keyed.key_cache import LATELY
from driftlearn.ops.keyed.key_record import SPAN, KeyRecord
from driftlearn.ops.keyed.key_store import NOW, KeyStore, Summary
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.population import BORROWED, Population
from driftlearn.ops.keyed.voices import GLOBAL
from driftlearn.utils.arguments import meant
from driftlearn.utils.table import Table

SHOWN = 20  # keys of a table
LEAST = SPAN  # answers from which on a key's share of right ones is told
LEAST_LATELY = 2 * SPAN  # and of the newest ones
PARTS = 4  # bins of sizes to a doubling
BINS = 20  # of accuracies that are shown
EXACT = 1_000  # of those that are counted
MOST_REASONS = 20
DECIMALS = 4  # of shares
MOST_STRETCHES = 100


def inspect_keys(models: KeyedModels) -> KeysInspection:
    """Return what all keys came to.

    It takes a pass over the summaries of keys, in bounded memory, and loads no state.

    Parameters
    ----------
    models : KeyedModels
        The models, or those that a state folder has.
    """
    store, heard, counts = models.store, models.heard, models.counts
    pass_ = _Pass(store)
    said = heard.spans.sum(axis=0).tolist()
    answered = dict(zip(KINDS, heard.by_age.sum(axis=0).tolist()))
    population = models.learner.population
    facts: dict[str, Any] = {
        "learner": str(models.learner.learner),
        "keys": pass_.n_keys,
        "counts": {"quarantined" if name == "aside" else name: n for name, n in counts.items()},
        "accuracy": {**models.record.accuracy(), GLOBAL: said[4] / said[3] if said[3] else None},
        "accuracy of keys": pass_.accuracies(),
        "drifting": {"keys": pass_.n_drifting, "worse": pass_.n_worse, "within": NOW},
        "predictions": _shares({name: n for name, (n, _) in answered.items()}),
        "bytes": {"all": pass_.n_bytes, "mean": pass_.n_bytes / max(pass_.n_keys, 1),
                  "largest": pass_.largest},
        "pool": population.names,
    }  # fmt: skip
    tables = {
        "accuracy": _over_stream(heard),
        "drifting": _keys(store.keys("drifting", SHOWN)),
        "worst": _keys(store.keys("worst", SHOWN, least=LEAST_LATELY)),
        "accuracies": pass_.accuracy_table(),
        "predictions": _answers(answered),
        "ages": _ages(heard),
        "pool": _shelf(population, heard, store),
        "sizes": pass_.size_table(),
        "rows": pass_.row_table(),
        "importances": _importances(population),
        **_aside(store),
        "expired": _expired(store.expired()),
    }
    return KeysInspection(str(models.learner.learner), facts, tables)


def inspect_key(models: KeyedModels, key: str) -> Inspection:
    """Return what one key came to.

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
        raise ValueError(f"there is no key {key!r}{meant(key, names)}: driftlearn inspect without "
                         "--key shows some")  # fmt: skip
    record, voices = state.record, state.voices
    found = inspect(state.own)
    weights = dict(zip(voices.names, voices.weights))
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
        "accuracy lately": record.accuracy(LATELY), "changes": record.changes, "weights": weights,
    }  # fmt: skip
    sentences = [*_sentences_of_key(key, record, weights), *found.sentences]
    return Inspection(found.title, facts, tables, sentences)


class _Pass:
    """One pass over the summaries of all keys, and what was counted on the way."""

    def __init__(self, store: KeyStore):
        self.n_keys = self.n_drifting = self.n_worse = self.n_bytes = self.largest = 0
        self._sizes = np.zeros(64 * PARTS, dtype=np.int64)
        self._rows = np.zeros(64, dtype=np.int64)
        self._right = np.zeros(EXACT + 1, dtype=np.int64)
        for block in store.blocks():
            self._count(*block.T)

    def _count(
        self, rows: Any, tested: Any, right: Any, lately: Any, lately_right: Any, _: Any,
        changed: Any, size: Any,
    ) -> None:  # fmt: skip
        self.n_keys += len(rows)
        self.n_bytes += int(size.sum())
        self.largest = max(self.largest, int(size.max()))
        drifting = rows - changed <= NOW
        before = np.maximum(tested - lately, 1)
        worse = lately_right * before < (right - lately_right) * np.maximum(lately, 1)
        self.n_drifting += int(drifting.sum())
        self.n_worse += int((drifting & worse & (tested > lately)).sum())
        self._sizes += np.bincount((PARTS * np.log2(np.maximum(size, 1))).astype(int),
                                   minlength=len(self._sizes))  # fmt: skip
        self._rows += np.bincount(np.frexp(rows)[1], minlength=len(self._rows))
        some = tested >= LEAST
        share = np.floor(right[some] / tested[some] * EXACT + 1e-9).astype(int)
        self._right += np.bincount(share, minlength=len(self._right))

    def accuracies(self) -> dict[str, Any]:
        """Return the median and the worst tenth of keys, to a thousandth."""
        up_to = self._right.cumsum()
        n = int(up_to[-1])
        at = {name: int(np.searchsorted(up_to, part * n)) / EXACT
              for name, part in (("median", 0.5), ("worst tenth", 0.1))}  # fmt: skip
        return {"keys": n, "least": LEAST, **(at if n else dict.fromkeys(at))}

    def accuracy_table(self) -> Table:
        """Return how many keys have which share of right answers."""
        counts = self._right[:-1].reshape(BINS, -1).sum(axis=1)
        counts[-1] += self._right[-1]
        edges = np.arange(BINS + 1) / BINS
        return Table({"from": edges[:-1], "to": edges[1:], "keys": counts})

    def size_table(self) -> Table:
        """Return how many states have how many bytes."""
        found = _trimmed(self._sizes)
        edges = np.ceil(2.0 ** (np.arange(found.start, found.stop + 1) / PARTS)).astype(int)
        return Table({"from": edges[:-1], "to": edges[1:] - 1, "keys": self._sizes[found]})

    def row_table(self) -> Table:
        """Return how many keys have how many rows."""
        found = _trimmed(self._rows)
        edges = 2 ** np.arange(found.start, found.stop + 1) // 2
        return Table({"from": edges[:-1], "to": edges[1:] - 1, "keys": self._rows[found]})


def _trimmed(counts: np.ndarray) -> slice:
    """Return the bins from the first to the last that is not empty."""
    there = np.flatnonzero(counts)
    return slice(int(there[0]), int(there[-1]) + 1) if len(there) else slice(0, 0)


def _shares(counts: dict[str, int]) -> dict[str, float]:
    n = sum(counts.values())
    return {name: count / n if n else 0.0 for name, count in counts.items()}


def _share(part: int, n: int) -> float | None:
    return part / n if n else None


def _over_stream(heard: Heard) -> Table | None:
    """Return what happened in each span of the stream."""
    if not len(heard.spans):
        return None
    rows = heard.spans.tolist()
    return Table(
        {
            "first row": np.arange(len(rows)) * heard.span,
            "tested": [row[1] for row in rows],
            "accuracy": _floats([_share(row[2], row[1]) for row in rows]),
            "global": _floats([_share(row[4], row[3]) for row in rows]),
            "new keys": [row[5] for row in rows],
        }
    )


def _floats(values: list[float | None]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _keys(found: list[Summary]) -> Table:
    before = [_share(each.right - each.lately_right, each.tested - each.lately_tested)
              for each in found]  # fmt: skip
    return Table(
        {
            "key": [each.key for each in found],
            "rows": [each.rows for each in found],
            "before": _floats(before),
            "lately": _floats([_share(each.lately_right, each.lately_tested) for each in found]),
            "changes": [each.changes for each in found],
            "rows since": [None if each.changed is None else each.rows - each.changed
                           for each in found],
            "bytes": [each.size for each in found],
        }
    )  # fmt: skip


def _answers(answered: dict[str, list[int]]) -> Table | None:
    total = sum(n for n, _ in answered.values())
    if not total:
        return None
    return Table(
        {
            "source": [*answered],
            "rows": [n for n, _ in answered.values()],
            "share": [round(n / total, DECIMALS) for n, _ in answered.values()],
            "right": _floats([None if name == NOBODY else _share(right, n)
                              for name, (n, right) in answered.items()]),
        }
    )  # fmt: skip


def _ages(heard: Heard) -> Table | None:
    """Return who answered for keys that had learned so many rows."""
    counts = heard.by_age
    found = _trimmed(counts[..., 0].sum(axis=1))
    if found.stop == 0:
        return None
    some = counts[: found.stop]
    n = some[..., 0].sum(axis=1)
    edges = 2 ** np.arange(found.stop + 1) // 2
    shares = np.round(some[..., 0] / np.maximum(n, 1)[:, None], DECIMALS)
    return Table(
        {
            "from": edges[:-1],
            "to": edges[1:] - 1,
            "rows": n,
            **dict(zip(KINDS, shares.T)),
            "right": _floats([_share(int(right), int(all_ - none)) for right, all_, none in
                              zip(some[..., 1].sum(axis=1), n, some[:, -1, 0])]),
        }
    )  # fmt: skip


def _shelf(population: Population, heard: Heard, store: KeyStore) -> Table:
    keys = [name.removeprefix(BORROWED) for name in population.names]
    known = [store.summary(key) for key in keys]
    said = [heard.lent.get(name, [0, 0]) for name in population.names]
    return Table(
        {
            "key": keys,
            "predictions": [n for n, _ in said],
            "right": _floats([_share(right, n) for n, right in said]),
            "its rows": [None if each is None else each.rows for each in known],
            "its own lately": _floats([None if each is None else
                                       _share(each.lately_right, each.lately_tested)
                                       for each in known]),
        }
    )  # fmt: skip


def _importances(population: Population) -> Table | None:
    model = population.model
    return importance_table(model) if model is not None and model.__sklearn_is_fitted__() else None


def _aside(store: KeyStore) -> dict[str, Table]:
    rows, reasons = store.aside(), store.reasons(MOST_REASONS)
    return {
        "quarantined": Table({name: [getattr(row, name) for row in rows]
                              for name in ("at", "file", "row", "key", "why")}),
        "reasons": Table({"why": [why for why, _, _ in reasons],
                          "rows": [n for _, n, _ in reasons],
                          "last at": [at for _, _, at in reasons]}),
    }  # fmt: skip


def _expired(counts: dict[int, int]) -> Table:
    """Return how many keys were forgotten, by the stretch of the stream of their last row."""
    step = -(-len(counts) // MOST_STRETCHES) or 1
    begins, n = [*counts], [*counts.values()]
    return Table({"last row from": begins[::step],
                  "keys": [sum(n[i : i + step]) for i in range(0, len(n), step)]})  # fmt: skip


def _over_rows(record: KeyRecord) -> Table:
    """Return how the key did in each span of its rows."""
    tested = record.tested_in
    return Table(
        {
            "first row": np.arange(len(tested)) * record.span,
            "tested": tested,
            "accuracy": _floats([_share(*pair) for pair in zip(record.right_in, tested)]),
            "own": _floats([_share(*pair) for pair in zip(record.own_in, tested)]),
        }
    )


def _changes(record: KeyRecord) -> Table:
    """Return when the errors of the own model changed, with its errors in spans between."""
    begins = np.arange(len(record.tested_in)) * record.span
    middles = (begins + np.minimum(begins + record.span, record.n_rows)) / 2
    edges = [0, *record.changes, record.n_rows]

    def error(first: int, last: int) -> float | None:
        among = (middles > first) & (middles <= last)
        tested = int(np.array(record.tested_in)[among].sum())
        right = _share(int(np.array(record.own_in)[among].sum()), tested)
        return None if right is None else 1.0 - right

    errors = _floats([error(*pair) for pair in pairwise(edges)])
    return Table({"after": record.changes, "before": errors[:-1], "since": errors[1:]})


def _sentences_of_key(key: str, record: KeyRecord, weights: dict[str, float]) -> list[str]:
    shares = ", ".join(f"{name} {share:.4f}" for name, share in record.accuracy().items()
                       if share is not None)  # fmt: skip
    found = [f"Of {record.n_rows:,} rows of {key}, right were: {shares or 'none'}."]
    if record.n_changes:
        rows = ", ".join(f"{row:,}" for row in record.changes)
        found.append(f"The errors of its own model changed {record.n_changes:,} times, lately "
                     f"after row {rows}.")  # fmt: skip
    if weights:
        heard = ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items())
        found.append(f"Whose answer counts, by weight: {heard}.")
    return found
