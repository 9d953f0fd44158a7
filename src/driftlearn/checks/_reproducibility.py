"""Checks of bit-identical results: slicing, threads, files and seeds."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from driftlearn.checks._suite import (
    blobs,
    check,
    check_where,
    has,
    same,
    seeded,
    some_classes,
    trained,
)
from driftlearn.io import dumps, loads
from driftlearn.utils.arguments import Self


def learns_row_by_row(estimator: Any) -> bool:
    """Return whether the results of a learner depend only on the row order, not on the calls.

    Learners of this package with ``_in_place = True`` do, as `OnlineClassifier`, unless they train
    on tables.
    """
    return bool(getattr(estimator, "_by_row", False))


def shows_members(estimator: Any) -> bool:
    """Return whether this is an ensemble with a seed and with models in ``estimators_``."""
    return has("estimator", "random_state")(estimator) and hasattr(type(estimator), "estimators_")


@check_where(learns_row_by_row)
def calls_do_not_matter(estimator: Any) -> None:
    """One call with n rows equals n calls with one row, also when new classes appear.

    The check applies to learners with the class attribute ``_in_place = True``.
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
    """`test_then_train` equals `predict` and `partial_fit` for one row at a time.

    One class appears late, and rows have weights.
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
    found = fast.test_then_train(X, y, sample_weight=w).tolist()  # None where masked
    assert found == expected, "test_then_train and predict before partial_fit differ"
    if any(label is not None for label in expected):
        same(fast, slow, blobs(200, seed=99, classes=classes)[0], "one call, and a call per row")


@check_where(has("chunk_size"))
def slicing_does_not_matter(estimator: Any) -> None:
    """With ``chunk_size``, results do not depend on how rows are split into calls."""
    X, y = blobs(400, seed=0, classes=(0, 1, 2))
    y[:150][y[:150] == 2] = 0
    probe = blobs(200, seed=99, classes=(0, 1, 2))[0]
    whole = seeded(estimator).set_params(chunk_size=60).partial_fit(X, y)
    for step in (1, 7, 60, 133):
        model = seeded(estimator).set_params(chunk_size=60)
        for start in range(0, len(y), step):
            model.partial_fit(X[start : start + step], y[start : start + step])
        same(whole, model, probe, f"{step} rows per call")


@check_where(
    lambda estimator: (
        estimator.get_params().get("chunk_size", 0) is None and hasattr(estimator, "flush")
    )
)
def flush_trains_on_buffered_rows(estimator: Any) -> None:
    """`flush` trains on buffered rows as a chunk and does nothing if there are none."""
    X, y = blobs(100, seed=0)
    probe = blobs(200, seed=99)[0]
    cut = seeded(estimator).partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    model = seeded(estimator).set_params(chunk_size=60).flush().partial_fit(X, y)
    same(cut, model.flush(), probe, "forty rows flushed, and forty rows as a chunk")
    same(cut, model.flush(), probe, "one flush and two")


@check_where(has("class_weight"))
def class_weight_multiplies(estimator: Any) -> None:
    """Class weights multiply row weights; a class without a weight has weight 1."""
    X, y = blobs(200, seed=0)
    y[::3] = 1 - y[::3]  # without label noise, the weights would have no effect
    w = np.linspace(0.5, 1.5, len(y))
    by_class = seeded(estimator).set_params(class_weight={1: 2.0})
    by_class.partial_fit(X, y, sample_weight=w)
    by_row = seeded(estimator).partial_fit(X, y, sample_weight=np.where(y == 1, 2.0 * w, w))
    same(by_class, by_row, blobs(200, seed=99)[0], "class weights, and equivalent row weights")


@check_where(has("n_jobs"))
def threads_do_not_matter(estimator: Any) -> None:
    """Results do not depend on ``n_jobs``."""
    probe = blobs(200, seed=99)[0]
    alone = trained(clone(estimator).set_params(n_jobs=1))
    many = trained(clone(estimator).set_params(n_jobs=2))
    same(alone, many, probe, "one thread and two")


@check
def same_state_same_bytes(estimator: Any) -> None:
    """Models with the same training give the same file, also after saving and loading.

    The file format is that of `driftlearn.io`, in which checkpoints are saved.
    """
    parts = [estimator, *estimator.get_params().values()]
    allow = {type(part).__module__.partition(".")[0] for part in parts if hasattr(part, "fit")}
    classes = some_classes(estimator)
    model, other = trained(estimator, classes=classes), trained(estimator, classes=classes)
    content = dumps(model, allow=allow)
    assert content == dumps(other, allow=allow), (
        "two models with the same training give different files"
    )
    copy = loads(content, allow=allow)
    assert content == dumps(copy, allow=allow), "a loaded model gives a different file"
    for each in (model, copy):
        each.partial_fit(*blobs(100, seed=40, classes=classes))
    assert dumps(model, allow=allow) == dumps(copy, allow=allow), (
        "a loaded model learns differently"
    )


class SeededNaiveBayes(GaussianNB):  # type: ignore[misc]
    """Gaussian naive Bayes with a random number ``token_``, drawn from its seed.

    It rejects unknown classes, which forces an ensemble to replace it by a new model.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # used only by checks

    def __init__(self, random_state: Any = None):
        super().__init__()
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from scratch."""
        self.token_ = float(np.random.default_rng(self.random_state).random())
        return super().fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the model with more rows."""
        if not hasattr(self, "token_"):
            self.token_ = float(np.random.default_rng(self.random_state).random())
        return super().partial_fit(X, y, classes, sample_weight)


@check_where(shows_members)
def seeds_of_members_are_drawn(estimator: Any) -> None:
    """Members, including replacements, are seeded by the generator of the ensemble.

    The base learner is random and rejects new classes. Two ensembles with equal ``random_state``
    have equal members; ensembles with different seeds have no equal members.
    """

    def tokens(seed: int) -> list[float]:
        model = seeded(estimator, seed).set_params(estimator=SeededNaiveBayes())
        for k in range(3):
            model.partial_fit(*blobs(60, seed=k))
        for k in range(3):
            model.partial_fit(*blobs(200, seed=10 + k, classes=some_classes(estimator)))
        return [member.token_ for member in model.estimators_ if hasattr(member, "token_")]

    one, again, other = tokens(0), tokens(0), tokens(1)
    assert one and other, "the ensemble has no member to check"
    assert one == again, "one random_state gives different members"
    assert not set(one) & set(other), "a member's seed does not depend on random_state"
