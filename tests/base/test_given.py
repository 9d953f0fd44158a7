"""Frames and sparse matrices go to foreign base learners as they were given."""

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
from driftlearn import persist
from driftlearn._schema import Misfit, check
from driftlearn.base.given import Given, joined, taken
from driftlearn.base.input import takes_missing

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
    """Sliced, kept back for a chunk, saved and loaded in between, tested row by row."""
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
    said = model.test_then_train(taken(frame, slice(0, 5)), y[:5])
    assert not np.ma.getmaskarray(said).any()


def test_members_see_what_the_user_gave():
    frame, y = table()
    model = dl.SEAClassifier(WORDS, random_state=0).partial_fit(frame, y)
    assert model.estimators_[0].feature_names_in_.tolist() == ["size", "colour"]
    assert model.feature_names_in_.tolist() == ["size", "colour"]
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame[["colour", "size"]], y)


def test_columns_of_categories_get_there():
    frame, y = table()
    frame["colour"] = frame["colour"].astype("category")
    model = dl.AWEClassifier(HistGradientBoostingClassifier(max_iter=20), chunk_size=200)
    assert model.fit(frame, y).score(frame, y) > 0.9
    assert model.estimators_[0].is_categorical_.tolist() == [False, True]


def test_a_frame_of_numbers_is_an_array_to_others():
    X, y = counts()
    model = dl.SEAClassifier(GaussianNB(), random_state=0)
    model.fit(pd.DataFrame(X, columns=[f"c{j}" for j in range(30)]), y)
    assert not hasattr(model.estimators_[0], "feature_names_in_")
    with pytest.raises(ValueError, match="column 'colour' of X holds text"):
        clone(model).fit(*table())


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [*HANDING, dl.DTELClassifier, dl.AUE2Classifier])
def test_sparse_matrices_stay_sparse(kind, form, monkeypatch):
    X, y = counts()
    rows = sp.csr_array(X).asformat(form)
    dense = kind(MultinomialNB(), chunk_size=150, random_state=0).fit(X, y)

    toarray = sp.csr_array.toarray

    def dense_of(rows, *args, **kwargs):
        assert rows.shape[1] < 30 or rows.shape[0] <= 2, "made dense"  # labels and sums may be
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
        dl.OnlineBaggingClassifier(SGDClassifier()),
        dl.SEAClassifier(GaussianNB()),
        dl.DICClassifier(SGDClassifier()),
        dl.DYNSEClassifier(SGDClassifier()),
        dl.TIXClassifier(SGDClassifier()),
        dl.SMOTEClassifier(SGDClassifier()),
    ],
    ids=str,
)
def test_others_refuse_sparse_matrices(learner):
    X, y = counts()
    assert not get_tags(learner).input_tags.sparse
    with pytest.raises(TypeError, match="Sparse data was passed"):
        learner.fit(sp.csr_array(X), y)


def test_what_is_wrong_with_rows_that_are_handed_on():
    frame, y = table()
    model = dl.SEAClassifier(WORDS, chunk_size=250).partial_fit(frame[:100], y[:100])
    for rows, labels, message in [
        (frame[:0], y[:0], "0 sample"),
        (frame[:3], y[:2], "inconsistent numbers of samples"),
        (frame[["size"]], y, "feature names"),
        (pl.from_pandas(frame), y, r"come as pandas.DataFrame and polars.DataFrame"),
    ]:
        before = persist.dumps(model, allow="sklearn")
        with pytest.raises(ValueError, match=message):
            model.partial_fit(rows, labels)
        assert persist.dumps(model, allow="sklearn") == before
    with pytest.raises(ValueError, match=r"come as driftlearn.Given and numpy.ndarray"):
        joined([Given(frame), np.zeros((2, 2))])
    with pytest.raises(Misfit, match="no table"):
        check(Given, {"rows": np.zeros(3)})


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
def test_which_pipelines_take_missing_values(base, takes):
    assert takes_missing(base) == takes
    if takes and base is not WORDS:
        X, y = np.where(np.arange(N)[:, None] % 7, counts()[0], np.nan), counts()[1]
        assert dl.LearnPPNSEClassifier(base, random_state=0).fit(X, y).score(X, y) > 0.7
