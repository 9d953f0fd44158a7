"""Promises about bits: slices, threads, files and seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from driftlearn.checks._register import (
    blobs,
    check,
    check_where,
    has,
    same,
    seeded,
    some_classes,
    taught,
)
from driftlearn.io import dumps, loads

if TYPE_CHECKING:
    from typing_extensions import Self

    from driftlearn.utils.typing import BaseEstimator, ClassifierMixin
else:
    from sklearn.base import BaseEstimator, ClassifierMixin


def learns_row_by_row(estimator: Any) -> bool:
    """Say whether a learner promises that only the order of rows matters, not the calls.

    It does so by the class attribute ``_in_place = True``, as `OnlineClassifier` has it.
    """
    return bool(getattr(estimator, "_in_place", False))


def shows_members(estimator: Any) -> bool:
    """Say whether it is an ensemble with a seed that shows its models in ``estimators_``."""
    return has("estimator", "random_state")(estimator) and hasattr(type(estimator), "estimators_")


@check_where(learns_row_by_row)
def calls_do_not_matter(estimator: Any) -> None:
    """One call of n rows gives the same bits as n calls of one row, new classes included.

    For learners that promise it: those with the class attribute ``_in_place = True``.
    """
    classes = some_classes(estimator)
    X, y = blobs(300, seed=0, classes=classes)
    y[:150][y[:150] == 2] = 0
    w = np.linspace(0.5, 2.0, len(y))
    whole = seeded(estimator).partial_fit(X, y, sample_weight=w)
    for step in (1, 7):
        model = seeded(estimator)
        for rows in (slice(start, start + step) for start in range(0, len(y), step)):
            model.partial_fit(X[rows], y[rows], sample_weight=w[rows])
        same(whole, model, blobs(200, seed=99, classes=classes)[0], f"{step} rows a call")


@check_where(lambda estimator: hasattr(estimator, "test_then_train"))
def test_then_train_is_predict_then_learn(estimator: Any) -> None:
    """`test_then_train` gives the same bits as `predict` and `partial_fit` of row after row.

    A class comes late, and rows have weights.
    """
    classes = some_classes(estimator)
    X, y = blobs(80, seed=0, classes=classes)
    y[:40][y[:40] == classes[-1]] = 0
    w = np.linspace(0.5, 2.0, len(y))
    slow, fast = seeded(estimator), seeded(estimator)
    expected: list[Any] = []
    for i in range(len(y)):
        row = slice(i, i + 1)
        try:
            expected += slow.predict(X[row]).tolist()
        except NotFittedError:
            expected.append(None)
        slow.partial_fit(X[row], y[row], sample_weight=w[row])
    said = fast.test_then_train(X, y, sample_weight=w).tolist()  # None where it is masked
    assert said == expected, "what is said of a row is not what predict says before it is learned"
    if any(label is not None for label in expected):
        same(fast, slow, blobs(200, seed=99, classes=classes)[0], "one call, and row after row")


@check_where(has("chunk_size"))
def slicing_does_not_matter(estimator: Any) -> None:
    """With ``chunk_size`` set, the result does not depend on how the caller slices the rows."""
    X, y = blobs(400, seed=0, classes=(0, 1, 2))
    y[:150][y[:150] == 2] = 0
    probe = blobs(200, seed=99, classes=(0, 1, 2))[0]
    whole = seeded(estimator).set_params(chunk_size=60).partial_fit(X, y)
    for step in (1, 7, 60, 133):
        model = seeded(estimator).set_params(chunk_size=60)
        for start in range(0, len(y), step):
            model.partial_fit(X[start : start + step], y[start : start + step])
        same(whole, model, probe, f"rows handed over {step} at a time")


@check_where(
    lambda estimator: (
        estimator.get_params().get("chunk_size", 0) is None and hasattr(estimator, "flush")
    )
)
def flush_learns_what_waits(estimator: Any) -> None:
    """`flush` learns the rows that wait as a chunk of their own, and nothing where none wait."""
    X, y = blobs(100, seed=0)
    probe = blobs(200, seed=99)[0]
    cut = seeded(estimator).partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    model = seeded(estimator).set_params(chunk_size=60).flush().partial_fit(X, y)
    same(cut, model.flush(), probe, "forty rows flushed, and forty handed over as a chunk")
    same(cut, model.flush(), probe, "rows flushed once and twice")


@check_where(has("class_weight"))
def class_weight_multiplies(estimator: Any) -> None:
    """The weights of classes are the rows' weights, multiplied; who is not named counts 1."""
    X, y = blobs(200, seed=0)
    y[::3] = 1 - y[::3]  # so that the weights matter
    w = np.linspace(0.5, 1.5, len(y))
    by_class = seeded(estimator).set_params(class_weight={1: 2.0})
    by_class.partial_fit(X, y, sample_weight=w)
    by_row = seeded(estimator).partial_fit(X, y, sample_weight=np.where(y == 1, 2.0 * w, w))
    same(by_class, by_row, blobs(200, seed=99)[0], "weights of classes, and of rows")


@check_where(has("n_jobs"))
def threads_do_not_matter(estimator: Any) -> None:
    """``n_jobs`` changes the time, never the result."""
    probe = blobs(200, seed=99)[0]
    alone = taught(clone(estimator).set_params(n_jobs=1))
    many = taught(clone(estimator).set_params(n_jobs=2))
    same(alone, many, probe, "one thread and two")


@check
def same_state_same_bytes(estimator: Any) -> None:
    """Two models that were taught alike, and one that was saved and loaded, give the same file.

    The file is that of `driftlearn.io`, which the workbench writes to go on after a crash.
    """
    parts = [estimator, *estimator.get_params().values()]
    allow = {type(part).__module__.partition(".")[0] for part in parts if hasattr(part, "fit")}
    classes = some_classes(estimator)
    model, twin = taught(estimator, classes=classes), taught(estimator, classes=classes)
    content = dumps(model, allow=allow)
    assert content == dumps(twin, allow=allow), "two models taught alike give different files"
    copy = loads(content, allow=allow)
    assert content == dumps(copy, allow=allow), "a loaded model gives another file"
    for each in (model, copy):
        each.partial_fit(*blobs(100, seed=40, classes=classes))
    assert dumps(model, allow=allow) == dumps(copy, allow=allow), "a loaded model learns otherwise"


class SeededMeans(ClassifierMixin, BaseEstimator):
    """The nearest class mean, and one random number a start: ``token_`` tells the seed.

    It refuses a class that it has not met, so that an ensemble must start it again.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # all of it is looked at where it is used

    def __init__(self, random_state: Any = None):
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start with these rows."""
        return self._start(y).partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with these rows."""
        if not hasattr(self, "classes_"):
            self._start(y if classes is None else classes)
        if not np.isin(y, self.classes_).all():
            raise ValueError("a class that was not announced")
        for c, label in enumerate(self.classes_):
            self.sums_[c] = self.sums_[c] + X[y == label].sum(axis=0)
            self.counts_[c] += (y == label).sum()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the nearest mean."""
        means = [total / max(n, 1) for total, n in zip(self.sums_, self.counts_)]
        distances = [((X - mean) ** 2).sum(axis=1) for mean in means]
        winner: np.ndarray = self.classes_[np.argmin(distances, axis=0)]
        return winner

    def _start(self, labels: Any) -> Self:
        self.classes_ = np.unique(labels)
        self.sums_: list[Any] = [0.0] * len(self.classes_)
        self.counts_ = np.zeros(len(self.classes_))
        self.token_ = float(np.random.default_rng(self.random_state).random())
        return self


@check_where(shows_members)
def seeds_of_members_are_drawn(estimator: Any) -> None:
    """Members are seeded by the ensemble's generator, also those that have to start again.

    The base learner is random and cannot take a new class. Two ensembles of one ``random_state``
    have the same members in the end, two of different ones have none in common.
    """

    def tokens(seed: int) -> list[float]:
        model = seeded(estimator, seed).set_params(estimator=SeededMeans())
        for k in range(3):
            model.partial_fit(*blobs(60, seed=k))
        for k in range(3):
            model.partial_fit(*blobs(200, seed=10 + k, classes=some_classes(estimator)))
        return [member.token_ for member in model.estimators_ if hasattr(member, "token_")]

    one, again, other = tokens(0), tokens(0), tokens(1)
    assert one and other, "no member is left to look at"
    assert one == again, "one random_state gives different members"
    assert not set(one) & set(other), "a member's seed does not depend on random_state"
