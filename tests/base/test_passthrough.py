"""Frames and sparse matrices reach external base learners unconverted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

import driftlearn as dl
from driftlearn import io as persist
from driftlearn.base.external_model import ClassBook
from driftlearn.base.validation import takes_missing
from driftlearn.ensemble import weighted as online
from driftlearn.io.schema import InvalidStateError, check
from driftlearn.preprocessing import Frozen
from driftlearn.preprocessing import make_pipeline as make_incremental
from driftlearn.tables import passthrough
from driftlearn.tables.passthrough import PassthroughRows, joined, taken

N = 600
WORDS = make_pipeline(
    make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["colour"]),
        (make_pipeline(SimpleImputer(), StandardScaler()), ["size"]),
    ),
    LogisticRegression(),
)
HANDING = [
    dl.LearnPPNSEClassifier, dl.SEAClassifier, dl.AWEClassifier, dl.RefitClassifier,
    dl.LearnPPClassifier, dl.LearnPPUDNCClassifier,
]  # fmt: skip


def table():
    rng = np.random.default_rng(0)
    size = np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N))
    frame = pd.DataFrame({"size": size, "colour": rng.choice(["red", "blue", "green"], N)})
    y = np.where((np.nan_to_num(size) > 0) & (frame["colour"] != "red"), "yes", "no")
    return frame, y


def counts():
    rng = np.random.default_rng(1)
    X = rng.poisson(0.3, size=(N, 30)).astype(float)
    return X, np.where(X[:, :5].sum(axis=1) > 1, "yes", "no")


@pytest.mark.parametrize("form", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
@pytest.mark.parametrize("kind", HANDING, ids=lambda kind: kind.__name__)
def test_a_pipeline_gets_frames(kind, form):
    """Results with slicing, buffering, saving and loading, and row-by-row tests."""
    frame, y = table()
    frame = form(frame)
    model = kind(WORDS, chunk_size=150, random_state=0)
    for k in range(0, N, 100):
        model.partial_fit(taken(frame, slice(k, k + 100)), y[k : k + 100])
        if k == 300:
            assert len(model.waiting_) == 100
            model = persist.loads(persist.dumps(model, allow="sklearn"), allow="sklearn")
    whole = kind(WORDS, chunk_size=150, random_state=0).partial_fit(frame, y)
    assert np.array_equal(model.predict_proba(frame), whole.predict_proba(frame))
    assert model.score(frame, y) > 0.8
    predicted = model.test_then_train(taken(frame, slice(0, 5)), y[:5])
    assert not np.ma.getmaskarray(predicted).any()


def test_members_receive_rows_as_passed():
    frame, y = table()
    model = dl.SEAClassifier(WORDS, random_state=0).partial_fit(frame, y)
    assert model.estimators_[0].feature_names_in_.tolist() == ["size", "colour"]
    assert model.feature_names_in_.tolist() == ["size", "colour"]
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame[["colour", "size"]], y)


def test_categorical_columns_are_passed_through():
    frame, y = table()
    frame["colour"] = frame["colour"].astype("category")
    model = dl.AWEClassifier(HistGradientBoostingClassifier(max_iter=20), chunk_size=200)
    assert model.fit(frame, y).score(frame, y) > 0.9
    assert model.estimators_[0].is_categorical_.tolist() == [False, True]


def test_numeric_frames_are_passed_as_arrays():
    X, y = counts()
    model = dl.SEAClassifier(GaussianNB(), random_state=0)
    model.fit(pd.DataFrame(X, columns=[f"c{j}" for j in range(30)]), y)
    assert not hasattr(model.estimators_[0], "feature_names_in_")
    with pytest.raises(ValueError, match="column 'colour' of X contains text"):
        clone(model).fit(*table())


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [*HANDING, dl.DTELClassifier, dl.AUE2Classifier])
def test_sparse_matrices_stay_sparse(kind, form, monkeypatch):
    X, y = counts()
    rows = sp.csr_array(X).asformat(form)
    dense = kind(MultinomialNB(), chunk_size=150, random_state=0).fit(X, y)

    toarray = sp.csr_array.toarray

    def dense_of(rows, *args, **kwargs):
        # labels and sums may be dense
        assert rows.shape[1] < 30 or rows.shape[0] <= 2, "rows were converted to a dense array"
        return toarray(rows, *args, **kwargs)

    monkeypatch.setattr(sp.csr_array, "toarray", dense_of)
    model = kind(MultinomialNB(), chunk_size=150, random_state=0).fit(rows, y)
    assert get_tags(model).input_tags.sparse
    assert model.predict(rows).tolist() == dense.predict(X).tolist()
    np.testing.assert_allclose(model.predict_proba(rows), dense.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        dl.DTELClassifier(),
        dl.HoeffdingTreeClassifier(),
        dl.OnlineBaggingClassifier(GaussianNB()),
        dl.SEAClassifier(GaussianNB()),
        dl.DICClassifier(SGDClassifier()),
        dl.DYNSEClassifier(SGDClassifier()),
        dl.TIXClassifier(SGDClassifier()),
        dl.SMOTEClassifier(SGDClassifier()),
    ],
    ids=str,
)
def test_sparse_matrices_are_rejected_if_not_supported(learner):
    X, y = counts()
    assert not get_tags(learner).input_tags.sparse
    with pytest.raises(TypeError, match="Sparse data was passed"):
        learner.fit(sp.csr_array(X), y)


ROW_BY_ROW = make_incremental(
    Frozen(make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["colour"])), rows=5),
    SGDClassifier(loss="log_loss"),
)
ONLINE = [
    getattr(online, name)
    for name in online.__all__
    if name.endswith("Classifier")
    and {"estimator", "estimators"} & {*getattr(online, name)().get_params(deep=False)}
]
HANDING_ONLINE = {
    "OnlineBagging", "OOB", "UOB", "ADWINBagging", "LeveragingBagging", "DDD", "OAUE",
    "OnlineBoost", "FLC", "DWM", "WeightedMajority",
}  # fmt: skip


def of_two(kind, base):
    """Return an ensemble of a base learner, with two members if the number is a parameter."""
    if kind is dl.WeightedMajorityClassifier:
        return kind([("one", base), ("other", clone(base))], random_state=0)
    known = kind().get_params(deep=False)
    few = {"n_estimators": 2, "random_state": 0}
    return kind(base, **{name: value for name, value in few.items() if name in known})


@pytest.mark.parametrize("kind", ONLINE, ids=lambda kind: kind.__name__)
def test_online_ensembles_pass_sparse_rows(kind):
    """Other ensembles reject sparse rows, because compiled models read and store dense rows."""
    X, y = counts()
    X, y = X[:60], y[:60]
    model = of_two(kind, MultinomialNB())
    if kind.__name__.removesuffix("Classifier") not in HANDING_ONLINE:
        assert not get_tags(model).input_tags.sparse
        with pytest.raises(TypeError, match="dense data is required"):
            model.partial_fit(sp.csr_array(X), y)
        return
    assert get_tags(model).input_tags.sparse
    model.partial_fit(sp.csr_array(X[:30]), y[:30])
    predicted = model.test_then_train(sp.csc_array(X[30:]), y[30:], proba=True)
    dense = of_two(kind, MultinomialNB()).partial_fit(X[:30], y[:30])
    np.testing.assert_allclose(
        predicted, dense.test_then_train(X[30:], y[30:], proba=True), rtol=1e-9
    )
    probas = dense.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(sp.csr_array(X)), probas, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), probas, rtol=1e-9)  # arrays are accepted


@pytest.mark.parametrize("kind", ONLINE, ids=lambda kind: kind.__name__)
def test_online_ensembles_pass_frames(kind):
    """The message suggests a step that encodes columns or selects them by name."""
    frame, y = table()
    model = of_two(kind, ROW_BY_ROW)
    name = kind.__name__
    if name.removesuffix("Classifier") not in HANDING_ONLINE:
        with pytest.raises(ValueError, match=rf"make_pipeline\(.*, {name}\("):
            model.partial_fit(frame[:20], y[:20])
        return
    model.partial_fit(frame[:20], y[:20])
    again = persist.loads(persist.dumps(model, allow="sklearn"), allow="sklearn")
    for one in (model, again):
        one.partial_fit(frame[20:40], y[20:40])
    assert model.feature_names_in_.tolist() == ["size", "colour"]
    assert np.array_equal(again.predict_proba(frame[:40]), model.predict_proba(frame[:40]))
    red, green = (
        model.predict_proba(frame[frame["colour"] == each][:1]) for each in ("red", "green")
    )
    assert not np.array_equal(red, green)


@pytest.mark.parametrize(
    "model",
    [dl.LeveragingBaggingClassifier(codes=True), dl.DWMClassifier(variant="windowed")],
    ids=lambda model: type(model).__name__,
)
def test_options_that_prevent_passthrough(model):
    X, y = counts()
    with pytest.raises(TypeError, match="Sparse data was passed"):
        model.set_params(estimator=MultinomialNB()).partial_fit(sp.csr_array(X), y)


def test_wide_sparse_rows_need_little_memory(monkeypatch):
    """Rows are numbered in an array of their shape, a few at a time."""
    X, y = counts()
    rows, sizes = sp.csr_array(X[:40]), []
    whole = dl.OnlineBaggingClassifier(MultinomialNB(), 2, random_state=0).partial_fit(rows, y[:40])
    as_arrays = ClassBook.as_arrays
    monkeypatch.setattr(passthrough, "CELLS", 100)
    monkeypatch.setattr(
        ClassBook, "as_arrays", lambda self, X: sizes.append(len(X)) or as_arrays(self, X)
    )
    few = clone(whole).partial_fit(rows, y[:40])
    np.testing.assert_array_equal(few.predict_proba(rows), whole.predict_proba(rows))
    assert max(sizes) == 3 and sum(sizes) == 120
    assert {*vars(few.class_book_)} == {"labels", "announced"}  # none of them is stored


def test_members_with_buffered_rows_abstain():
    """The model received no class and has not been trained."""
    X, y = counts()
    model = dl.OnlineBaggingClassifier(dl.SEAClassifier(chunk_size=50), 2, random_state=0)
    model.partial_fit(X[:5], y[:5])
    np.testing.assert_array_equal(model.predict_proba(X[:3]), 0.5)


def test_errors_of_passed_rows():
    frame, y = table()
    model = dl.SEAClassifier(WORDS, chunk_size=250).partial_fit(frame[:100], y[:100])
    for rows, labels, message in [
        (frame[:0], y[:0], "0 sample"),
        (frame[:3], y[:2], "inconsistent numbers of samples"),
        (frame[["size"]], y, "feature names"),
        (pl.from_pandas(frame), y, r"have different types: pandas.DataFrame and polars.DataFrame"),
    ]:
        before = persist.dumps(model, allow="sklearn")
        with pytest.raises(ValueError, match=message):
            model.partial_fit(rows, labels)
        assert persist.dumps(model, allow="sklearn") == before
    with pytest.raises(ValueError, match=r"different types: driftlearn.PassthroughRows and numpy"):
        joined([PassthroughRows(frame), np.zeros((2, 2))])
    with pytest.raises(InvalidStateError, match="must form a table"):
        check(PassthroughRows, {"rows": np.zeros(3)})


@pytest.mark.parametrize(
    ("base", "takes"),
    [
        (make_pipeline(SimpleImputer(), LogisticRegression()), True),
        (make_pipeline(StandardScaler(), LogisticRegression()), False),
        (make_pipeline(StandardScaler(), HistGradientBoostingClassifier()), True),
        (WORDS, True),
        (LogisticRegression(), False),
        (LogisticRegression, False),
    ],
    ids=str,
)
def test_pipelines_that_accept_missing_values(base, takes):
    assert takes_missing(base) == takes
    if takes and base is not WORDS:
        X, y = np.where(np.arange(N)[:, None] % 7, counts()[0], np.nan), counts()[1]
        assert dl.LearnPPNSEClassifier(base, random_state=0).fit(X, y).score(X, y) > 0.7
