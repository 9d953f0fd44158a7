"""Training of keys by groups of rows, which local runs and all engines share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from driftlearn.ops.keyed.key_store import QuarantinedRow, in_stream_order
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.model_weights import GLOBAL, SharedPredictions
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.rows import Place, Rows
from driftlearn.ops.keyed.shared_models import SharedModels

STRETCH = 100_000  # number of stream rows per count of expired keys
#: Counts of predicted rows and of correct predictions by other means, as in `KeyRecord`.
BASELINES = ("n_tested", "own", "no_change", "majority")
MAX_QUARANTINED = 1_000  # maximum number of rows sent along with the counts; all are counted


@dataclass
class Group:
    """Consecutive rows of one key, or rows of several keys before grouping.

    Attributes
    ----------
    key : str
        The key; empty for rows of several keys, whose keys are in `rows`.
    rows : Rows
        The rows, none of which is malformed.
    numbers : ndarray
        Stream row number of each row.
    oldest : ndarray
        For each row, the row number below which a key counts as idle.
    places : list of (file, row)
        The origin of each row; may be empty if the caller does not need it.
    predictions : SharedPredictions or None
        Predictions of the shared models; None if they have not been computed yet.
    """

    key: str
    rows: Rows
    numbers: np.ndarray
    oldest: np.ndarray
    places: list[Place] = field(default_factory=list)
    predictions: SharedPredictions | None = None

    @classmethod
    def of(cls, learner: KeyedLearner, key: str, table: Any, labels: Any) -> Group:
        """Return a group of rows; raise ValueError if a row is malformed."""
        rows = learner.read_valid(table, labels)
        zeros = np.zeros(len(rows), dtype=np.int64)
        return cls(key, rows, zeros, zeros, [(None, None)] * len(rows))

    def by_key(self, first: Container[str] = ()) -> Iterator[Group]:
        """Split the rows into groups of one key each.

        Keys are ordered by their first rows, but keys in `first` precede all others.
        """
        codes: dict[str, int] = {}
        code = np.array([codes.setdefault(str(key), len(codes)) for key in self.rows.keys])
        order = np.argsort(code, kind="stable")
        ends = np.cumsum(np.bincount(code)).tolist()
        rows, numbers, oldest = self.rows.take(order), self.numbers[order], self.oldest[order]
        places = [self.places[i] for i in order.tolist()] if self.places else []
        shared = None if self.predictions is None else self.predictions.rows(order)
        spans = sorted(zip(codes, [0, *ends], ends), key=lambda span: span[0] not in first)
        for key, begin, end in spans:
            part = slice(begin, end)
            some = Rows(rows.columns(part, end - begin), [], rows.labels[part], {})
            given = None if shared is None else shared.rows(part)
            yield Group(key, some, numbers[part], oldest[part], places[part], given)


def grouped(batch: Batch, shared: SharedModels | None = None) -> Iterator[Group]:
    """Yield the valid rows of a batch by key.

    Parameters
    ----------
    batch : Batch
        The rows.
    shared : SharedModels, optional
        Shared models that predict the rows and are trained on them in order; by default,
        predictions are computed later.
    """
    good = batch.rows.good
    if not len(good):
        return
    rows = batch.rows.take(good)
    predictions = None if shared is None else shared.learn_rows(rows)
    places = [batch.places[i] for i in good.tolist()]
    group = Group("", rows, batch.begin + good, batch.oldest[good], places, predictions)
    yield from group.by_key()


@dataclass
class Counts:
    """Counts over a stream, which can be added; `baselines` has those of `BASELINES`."""

    rows: int = 0
    learned: int = 0
    tested: int = 0
    right: int = 0
    n_quarantined: int = 0
    expired: Counter[int] = field(default_factory=Counter)
    baselines: Counter[str] = field(default_factory=Counter)
    quarantined: list[QuarantinedRow] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.n_quarantined = max(self.n_quarantined, len(self.quarantined))

    def __add__(self, other: Counts) -> Counts:
        found = Counts(**{name: n + getattr(other, name) for name, n in vars(self).items()})
        if other.quarantined:
            found.quarantined = in_stream_order(found.quarantined)[-MAX_QUARANTINED:]
        return found

    def values(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {**vars(self), "expired": sorted(self.expired.items())}

    @classmethod
    def of(cls, values: dict[str, Any]) -> Counts:
        """Return counts from the JSON values of `values`; other keys are ignored."""
        found = {field.name: values[field.name] for field in fields(cls)}
        found["expired"] = Counter(dict(found["expired"]))
        found["baselines"] = Counter(found["baselines"])
        found["quarantined"] = [QuarantinedRow(*each) for each in found["quarantined"]]
        return cls(**found)


@dataclass
class TrainedGroup:
    """Prequential predictions for the rows of a group.

    Attributes
    ----------
    group : Group
        The rows.
    labels, votes : list of (str or None)
        See `Predictions`.
    ages : list of int
        Number of training rows of the key before each row; -1 for a rejected row.
    bad : dict of int to str
        Why rows were rejected, by position in the group.
    expired : Counter
        Number of expired states of the key, by the stream segment of their last row.
    baselines : Counter
        Number of rows and of correct predictions, by `BASELINES`.
    """

    group: Group
    labels: list[str | None]
    votes: list[str | None]
    ages: list[int]
    bad: dict[int, str] = field(default_factory=dict)
    expired: Counter[int] = field(default_factory=Counter)
    baselines: Counter[str] = field(default_factory=Counter)

    @property
    def counts(self) -> Counts:
        """The counts of the group."""
        group, truth = self.group, self.group.rows.labels
        tested = [i for i, label in enumerate(self.labels) if label is not None]
        quarantined = [
            QuarantinedRow(int(group.numbers[i]), *group.places[i], group.key, reason)
            for i, reason in sorted(self.bad.items())
        ]
        return Counts(
            0, sum(age >= 0 for age in self.ages), len(tested),
            sum(self.labels[i] == truth[i] for i in tested),
            expired=self.expired, baselines=self.baselines, quarantined=quarantined,
        )  # fmt: skip

    def lines(self) -> Iterator[list[Any]]:
        """Yield a line of the prediction file for each training row."""
        group = self.group
        rows = zip(group.places, group.rows.labels, self.labels, self.votes)
        for i, (place, *values) in enumerate(rows):
            if i not in self.bad:
                yield [*place, group.key, *values]

    def columns(self) -> list[list[Any]]:
        """Return numbers, labels, predictions, votes, ages, and predictions of the global model."""
        group = self.group
        of_global: list[Any] = [None] * len(self.ages)
        if group.predictions is not None and GLOBAL in group.predictions.names:
            of_global = group.predictions.labels[0].tolist()
        return [group.numbers.tolist(), group.rows.labels, self.labels, self.votes, self.ages,
                of_global]  # fmt: skip
