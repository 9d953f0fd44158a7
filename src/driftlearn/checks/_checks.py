"""Checks for all stream classifiers; each receives an unfitted one and raises on failure."""

import pickle
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

from driftlearn.checks._suite import (
    blobs,
    check,
    check_where,
    error_of,
    has,
    same,
    seeded,
    some_classes,
    takes_many_classes,
    trained,
)
from driftlearn.io import dumps, loads
from driftlearn.utils.arguments import Self


@check
def learns(estimator: Any) -> None:
    """The learner reaches 80 % accuracy after a few chunks of well separated clusters."""
    model = trained(estimator)
    accuracy = model.score(*blobs(300, seed=99))
    assert accuracy > 0.8, f"accuracy {accuracy:.2f} on an easy problem"


@check
def returns_self(estimator: Any) -> None:
    """`partial_fit` and `fit` return the estimator, so that calls can be chained."""
    X, y = blobs(60, seed=0)
    assert estimator.partial_fit(X, y) is estimator, "partial_fit does not return self"
    assert estimator.fit(X, y) is estimator, "fit does not return self"


@check_where(lambda estimator: hasattr(estimator, "decision_function"))
def margins_agree(estimator: Any) -> None:
    """`decision_function` and `predict` agree for two and for more classes."""
    for classes in {(0, 1), some_classes(estimator)}:
        model = trained(estimator, classes=classes)
        X, _ = blobs(100, seed=99, classes=classes)
        margins, labels = model.decision_function(X), model.predict(X)
        shape = (100,) if len(classes) == 2 else (100, len(classes))
        assert margins.shape == shape, f"margins of shape {margins.shape}, not {shape}"
        best = margins > 0 if len(classes) == 2 else margins.argmax(axis=1)
        assert np.array_equal(model.classes_[np.asarray(best, dtype=int)], labels), (
            "decision_function and predict disagree"
        )


@check
def inputs_untouched(estimator: Any) -> None:
    """Neither `partial_fit` nor `predict` writes into the caller's arrays."""
    classes = some_classes(estimator)
    X, y = blobs(100, seed=0, classes=classes)
    w = np.linspace(0.5, 1.5, len(y))
    keep = y != classes[-1]
    passed = X, y, w, X[keep], y[keep]
    before = [array.copy() for array in passed]
    estimator.partial_fit(X, y, sample_weight=w)
    estimator.partial_fit(*passed[3:])
    estimator.predict(X)
    assert all(map(np.array_equal, before, passed)), "an input array was changed"
    for array in (X, y, w):
        array.setflags(write=False)
    estimator.partial_fit(X, y, sample_weight=w)


@check
def keeps_no_input(estimator: Any) -> None:
    """Changing the arrays after a call, as with a reused buffer, does not change the model."""
    classes = some_classes(estimator)
    X, y = blobs(240, seed=0, classes=classes)
    w = np.linspace(0.5, 1.5, len(y))
    probe = blobs(100, seed=99, classes=classes)[0]
    has_chunk_size = "chunk_size" in estimator.get_params(deep=False)
    for params in ({}, {"chunk_size": 50}) if has_chunk_size else ({},):
        model, other = (seeded(estimator).set_params(**params) for _ in range(2))
        for start in range(0, len(y), 80):
            rows = slice(start, start + 80)
            model.partial_fit(X[rows], y[rows], sample_weight=w[rows])
            buffers = X[rows].copy(), y[rows].copy(), w[rows].copy()
            other.partial_fit(*buffers[:2], sample_weight=buffers[2])
            for buffer, content in zip(buffers, (-X[rows], y[rows][::-1], w[rows][::-1])):
                buffer[:] = content
        same(model, other, probe, "after the caller overwrote its arrays")


@check_where(takes_many_classes)
def class_arrives_late(estimator: Any) -> None:
    """New classes may appear in any call; ``classes_`` stays sorted."""
    model = seeded(estimator)
    for k in range(3):
        model.partial_fit(*blobs(100, seed=k, classes=(1, 5)))
    for k in range(6):
        model.partial_fit(*blobs(150, seed=10 + k, classes=(1, 5, 3)))
    assert list(model.classes_) == [1, 3, 5], f"classes_ is {list(model.classes_)}"
    X, y = blobs(300, seed=99, classes=(1, 5, 3))
    assert model.predict_proba(X).shape == (300, 3), "predict_proba lacks a column"
    assert (model.predict(X)[y == 3] == 3).mean() > 0.5, "the late class is not learned"


@check_where(takes_many_classes)
def class_may_be_absent(estimator: Any) -> None:
    """A chunk without a known class does not fail or remove the class from ``classes_``."""
    model = trained(estimator, classes=(0, 1, 2))
    model.partial_fit(*blobs(100, seed=7, classes=(0, 1)))
    assert list(model.classes_) == [0, 1, 2]
    assert model.predict_proba(blobs(5, seed=1)[0]).shape == (5, 3)


@check
def one_class_chunk(estimator: Any) -> None:
    """A chunk of a single class is accepted at any time, and probabilities stay finite."""
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = seeded(estimator).partial_fit(X, np.full(50, 7))
    assert (model.predict(X) == 7).all(), "a learner with a single class must predict it"
    model.partial_fit(*blobs(100, seed=1, classes=(3, 7)))
    model.partial_fit(X, np.full(50, 3))
    assert np.isfinite(model.predict_proba(X)).all(), "probabilities are not finite"


@check
def one_row_chunk(estimator: Any) -> None:
    """A chunk of a single row is accepted at any time."""
    X, y = blobs(100, seed=0)
    model = seeded(estimator).partial_fit(X[:1], y[:1])
    assert model.predict(X[:1]) == y[:1]
    model.partial_fit(X, y).partial_fit(X[:1], y[:1])
    assert np.isfinite(model.predict_proba(X)).all(), "probabilities are not finite"


@check
def earlier_training_is_retained(estimator: Any) -> None:
    """Four further rows do not erase earlier training."""
    model = trained(estimator, n_chunks=6)
    before = model.score(*blobs(300, seed=99))
    model.partial_fit(*blobs(4, seed=50))
    after = model.score(*blobs(300, seed=99))
    assert after > before - 0.2, f"accuracy fell from {before:.2f} to {after:.2f} after four rows"


@check
def recovers_from_a_flip(estimator: Any) -> None:
    """After all labels are swapped, the learner adapts within twelve chunks."""
    model = trained(estimator, n_chunks=5)
    for k in range(12):
        model.partial_fit(*blobs(100, seed=20 + k, flip=True))
    accuracy = model.score(*blobs(300, seed=99, flip=True))
    assert accuracy > 0.8, f"accuracy {accuracy:.2f} twelve chunks after the labels swapped"


@check
def pickles_in_mid_stream(estimator: Any) -> None:
    """A pickled copy behaves identically to the original, also after further training."""
    classes = some_classes(estimator)
    model = trained(estimator, classes=classes)
    copy = pickle.loads(pickle.dumps(model))
    X = blobs(200, seed=99, classes=classes)[0]
    same(model, copy, X, "after unpickling")
    later = (*classes, 3) if takes_many_classes(estimator) else classes
    for k in range(3):
        more = blobs(100, seed=30 + k, classes=later)
        model.partial_fit(*more)
        copy.partial_fit(*more)
    same(model, copy, X, "after further training of an unpickled copy")


@check
def seeds_decide(estimator: Any) -> None:
    """Equal seeds give bit-identical results, independently of NumPy's global generator."""
    X = blobs(200, seed=99)[0]
    first = trained(estimator)
    state = np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(12345)  # noqa: NPY002
        second = trained(estimator)
    finally:
        np.random.set_state(state)  # noqa: NPY002
    same(first, second, X, "two runs with one seed")


@check
def predict_is_pure(estimator: Any) -> None:
    """Prediction does not change the model, and rows are predicted independently."""
    model = trained(estimator)
    X = blobs(150, seed=99)[0]
    before = pickle.dumps(model)
    whole = model.predict_proba(X)
    rows = np.vstack([model.predict_proba(row[None]) for row in X])
    assert np.array_equal(whole, rows), "a row's probabilities depend on the batch"
    untouched = pickle.loads(before)
    same(model, untouched, X, "after predicting")
    more = blobs(100, seed=60)
    same(model.partial_fit(*more), untouched.partial_fit(*more), X, "training after predicting")


@check
def zero_weight_is_ignored(estimator: Any) -> None:
    """A row with weight zero has no effect except on the list of classes."""
    X, y = blobs(120, seed=0)
    junk, labels = blobs(30, seed=5, flip=True)
    w = np.r_[np.ones(120), np.zeros(30)]
    with_junk = seeded(estimator)
    with_junk.partial_fit(np.r_[X, junk], np.r_[y, labels], sample_weight=w)
    without = seeded(estimator).partial_fit(X, y, sample_weight=np.ones(120))
    same(with_junk, without, blobs(200, seed=99)[0], "rows of weight zero")


@check
def fit_discards_earlier_training(estimator: Any) -> None:
    """`fit` discards all earlier training."""
    X, y = blobs(120, seed=0)
    used = trained(estimator, classes=some_classes(estimator)).fit(X, y)
    fresh = seeded(estimator).fit(X, y)
    assert list(used.classes_) == [0, 1]
    same(used, fresh, blobs(200, seed=99)[0], "fit after a stream, and fit of a new learner")


@check
def bad_input_changes_nothing(estimator: Any) -> None:
    """Invalid input raises ValueError and does not change the model."""
    model = trained(estimator)
    X, y = blobs(40, seed=8)
    probe = 4 * np.random.default_rng(99).normal(size=(400, 2))
    endless = X.copy()
    endless[0, 1] = np.inf
    mixed = y.astype(object)
    mixed[0] = "zero"
    bad: dict[str, tuple[Any, ...]] = {
        "infinity": (endless, y),
        "too few columns": (X[:, :1], y),
        "too many columns": (np.c_[X, X], y),
        "no rows": (X[:0], y[:0]),
        "lengths differ": (X, y[:-1]),
        "labels of mixed type": (X, mixed),
        "labels of another type": (X, np.where(y == 0, "a", "b")),
        "continuous labels": (X, X[:, 0]),
        "negative weights": (X, y, None, np.full(len(y), -1.0)),
        "weights all zero": (X, y, None, np.zeros(len(y))),
        "NaN weights": (X, y, None, np.full(len(y), np.nan)),
        "too few weights": (X, y, None, np.ones(3)),
    }
    before = pickle.loads(pickle.dumps(model))
    for what, rows in bad.items():
        error_of(ValueError, what, model.partial_fit, *rows)
        same(model, before, probe, f"after {what}")
    more = blobs(100, seed=61)
    same(model.partial_fit(*more), before.partial_fit(*more), probe, "learning after bad input")


@check
def missing_values(estimator: Any) -> None:
    """NaN is accepted if the tag `allow_nan` is set; otherwise the ValueError names NaN."""
    model = trained(estimator)
    X, y = blobs(120, seed=8)
    gaps = np.where(np.random.default_rng(3).random(X.shape) < 0.2, np.nan, X)
    if get_tags(estimator).input_tags.allow_nan:
        model.partial_fit(gaps, y)
        assert np.isfinite(model.predict_proba(gaps)).all(), "probabilities are not finite"
        return
    before = pickle.loads(pickle.dumps(model))
    for call, rows in ((model.partial_fit, (gaps, y)), (model.predict, (gaps,))):
        problem = error_of(ValueError, "NaN without the tag allow_nan", call, *rows)
        assert "NaN" in problem, f"the error does not name NaN: {problem}"
    same(model, before, X, "after NaN")


@check
def raises_when_unfitted(estimator: Any) -> None:
    """`predict` before any data raises NotFittedError, also after a failed `partial_fit`."""
    X, y = blobs(20, seed=0)
    error_of(NotFittedError, "predict before any data", estimator.predict, X)
    error_of(ValueError, "labels of another length", estimator.partial_fit, X, y[:-1])
    error_of(NotFittedError, "predict after a failed partial_fit", estimator.predict, X)


@check
def no_class_is_impossible(estimator: Any) -> None:
    """After training on overlapping classes, no class has probability 0."""
    rng, model = np.random.default_rng(0), seeded(estimator)
    for _ in range(4):
        X = rng.normal(size=(100, 2))
        y = (X[:, 0] + 2 * rng.normal(size=100) > 0).astype(int)
        model.partial_fit(X, y)
    probas = model.predict_proba(rng.normal(size=(200, 2)))
    share = (probas <= 0).any(axis=1).mean()
    assert share == 0, f"{share:.0%} of the rows have a class of probability 0"


@check
def string_labels(estimator: Any) -> None:
    """Labels may be strings, in lists or arrays of any item size."""
    names = np.array(["no", "certainly"])
    model = seeded(estimator)
    for k in range(4):
        X, y = blobs(100, seed=k)
        model.partial_fit(X, names[y].tolist() if k % 2 else names[y].astype(object))
    X, y = blobs(200, seed=99)
    assert list(model.classes_) == ["certainly", "no"]
    assert (model.predict(X) == names[y]).mean() > 0.8


@check
def labels_are_not_indices(estimator: Any) -> None:
    """Renumbering the classes in the same order gives the same predictions."""
    plain, odd = seeded(estimator), seeded(estimator)
    for k in range(4):
        X, y = blobs(100, seed=k, classes=some_classes(estimator))
        plain.partial_fit(X, y)
        odd.partial_fit(X, np.array([-7, 40, 1000])[y])
    X = blobs(200, seed=99)[0]
    codes = np.searchsorted([-7, 40, 1000], odd.predict(X))
    assert np.array_equal(plain.predict(X), codes), "predictions depend on the numbers of classes"


@check
def bounded_memory(estimator: Any) -> None:
    """The state does not grow with the number of rows once the ensemble is full."""
    limits = {"n_estimators": 3, "prune": "age", "n_stored": 3, "keep_rows": 500}
    model = seeded(estimator)
    params = model.get_params()
    model.set_params(**{name: value for name, value in limits.items() if name in params})
    sizes = []
    for k in range(60):
        model.partial_fit(*blobs(50, seed=k % 5))
        if k in (29, 59):
            sizes.append(len(pickle.dumps(model)))
    assert sizes[1] < 1.5 * sizes[0] + 4096, f"{sizes[0]} bytes became {sizes[1]}"


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
    same = dumps(model, allow=allow) == dumps(copy, allow=allow)
    assert same, "a loaded model learns differently"


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
