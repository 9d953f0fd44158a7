"""Explanations name the columns and words of the table, and add up to the prediction."""

import warnings

import numpy as np
import pytest

import driftlearn as dl
from driftlearn import TableEncoder, make_pipeline
from driftlearn.inspection import Explanation
from driftlearn.preprocessing.recent_rows import SIZE

TREE = dl.HoeffdingTreeClassifier(grace_period=40)
LEARNERS = {
    "auto": dl.AutoClassifier(random_state=0),
    "auto vote": dl.AutoClassifier({"bayes": dl.GaussianNBClassifier(), "tree": TREE},
                                   combine="vote", chunk_size=100),
    "stacking": dl.OnlineStackingClassifier({"bayes": dl.GaussianNBClassifier(), "tree": TREE}),
    "forest": dl.AdaptiveRandomForestClassifier(n_estimators=5, random_state=0),
    "patches": dl.StreamingRandomPatchesClassifier(n_estimators=5, random_state=0),
    "boosted": dl.RefitClassifier(dl.BoostedTreesClassifier(20)),
    "logistic": dl.LogisticClassifier(),
    "one-hot logistic": dl.RefitClassifier(dl.OneHotLogisticClassifier()),
    "nse": dl.LearnPPNSEClassifier(random_state=0),
    "learn++.nc": dl.LearnPPNCClassifier(random_state=0),
    "bayes": dl.GaussianNBClassifier(),
}  # fmt: skip


def table(n, seed=0):
    """Return rows whose label depends on the size and the colour, but on no other column."""
    rng = np.random.default_rng(seed)
    rows = {
        "price": rng.normal(10, 2, n),
        "size": rng.random(n),
        "colour": rng.choice(["red", "blue"], n).astype(object),
        "day": np.datetime64("2026-01-01") + rng.integers(0, 90, n).astype("m8[D]"),
        "paid": rng.random(n) > 0.5,
        "shelf": rng.random(n),
        "weight": rng.random(n),
    }
    return rows, np.where(rows["size"] + 0.4 * (rows["colour"] == "red") > 0.7, "yes", "no")


@pytest.fixture(scope="module", params=LEARNERS)
def model(request):
    model = make_pipeline(TableEncoder(), LEARNERS[request.param])
    for k in range(6):
        model.partial_fit(*table(250, k))
    return model


def test_contributions_add_up_and_name_the_columns(model):
    rows, _ = table(12, seed=99)
    why = model.explain(rows)
    assert why.columns == [*rows]
    assert why.n_background == SIZE
    total = why.base + why.shapley_values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict_proba(rows), atol=1e-12)
    strength = np.abs(why.shapley_values).mean(axis=(0, 2))
    assert {why.columns[j] for j in np.argsort(-strength)[:2]} == {"size", "colour"}
    found = why.contributions
    assert len(found) == 12 * 7
    assert str(found["column"][0]) in str(why)
    odds = model.explain(rows, output="log-odds")
    p = np.clip(model.predict_proba(rows), 1e-12, 1 - 1e-12)
    total = odds.base + odds.shapley_values.sum(axis=1)
    np.testing.assert_allclose(total, np.log(p / (1 - p)), atol=1e-9)


def test_the_words_of_the_table_and_what_was_not_used():
    model = make_pipeline(TableEncoder(), dl.GaussianNBClassifier()).partial_fit(*table(300))
    rows = {
        "size": [0.5, "broad", None],
        "colour": ["red", "green", None],
        "day": ["2026-02-01", "soon", "2026-02-03"],
        "paid": ["True", "perhaps", "no"],
        "shelf": [1.0, 2.0, 3.0],
        "weight": [0.1, 0.2, 0.3],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.explain(rows).contributions
    notes = {(each["row"], each["column"]): (each["value"], each["note"]) for each in found}
    assert notes[0, "colour"] == ("red", None)
    assert notes[1, "colour"] == ("green", "unknown word")
    assert notes[2, "colour"] == ("missing", None)
    assert notes[0, "size"] == ("0.5", None)
    assert notes[1, "size"] == ("broad", "no number, treated as missing")
    assert notes[1, "day"] == ("soon", "no date, treated as missing")
    assert notes[1, "paid"] == ("perhaps", "no boolean, treated as missing")
    assert notes[0, "price"] == ("missing", "the column is missing")


def test_words_beyond_the_limit():
    model = make_pipeline(TableEncoder(max_categories=1), dl.GaussianNBClassifier())
    model.partial_fit(*table(300))
    rows, _ = table(1)
    rows["colour"] = np.array(["violet"], dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.explain(rows).contributions
    assert "none of the first 1 words" in found["note"].tolist()


@pytest.mark.parametrize("how", [{"categories": "onehot"}, {"missing": "indicator"}])
def test_columns_that_are_encoded_as_several_are_explained_as_one(how):
    model = make_pipeline(TableEncoder(**how), dl.LogisticClassifier()).partial_fit(*table(600))
    rows, _ = table(3, seed=5)
    why = model.explain(rows)
    assert why.columns == [*rows] and why.shapley_values.shape == (3, 7, 2)
    total = why.base + why.shapley_values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict_proba(rows), atol=1e-12)


def test_the_background():
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    model = dl.GaussianNBClassifier().fit(X, X[:, 1] > 0.5)
    alone = model.explain(X[:1])
    assert not alone.n_background and not len(alone.contributions) and np.isnan(alone.base).all()
    assert "pass background=rows" in str(alone)
    among = model.explain(X[:30])
    assert among.n_background == 30
    np.testing.assert_allclose(among.base, model.predict_proba(X[:30]).mean(axis=0))
    given = Explanation(model, X[:1], background=X[200:210])
    assert given.n_background == 10 and given.columns == ["x0", "x1", "x2"]
    np.testing.assert_allclose(given.base, model.predict_proba(X[200:210]).mean(axis=0))
    assert given.contributions["column"][0] == "x1"
    with pytest.raises(ValueError, match="X has 2 features"):
        model.explain(X[:1], background=X[:, :2])
    with pytest.raises(ValueError, match="output must be one of"):
        model.explain(X[:1], output="odds")


def test_a_linear_model_is_explained_exactly():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 9))
    model = dl.OneHotLogisticClassifier().fit(X, X[:, 1] - X[:, 4] > 0.2)
    why = model.explain(X[:4], background=X[100:150], output="log-odds")
    weights = (model.coef_[1] - model.coef_[0]) / model.scale_
    expected = weights * (X[:4] - X[100:150].mean(axis=0))
    np.testing.assert_allclose(why.shapley_values[:, :, 1], expected, atol=1e-9)
    assert not why.errors.any()


def test_a_pipeline_without_table_encoder_names_what_its_learner_gets():
    from sklearn.preprocessing import StandardScaler

    rows, labels = table(400)
    X = np.column_stack([rows["price"], rows["size"]])
    model = make_pipeline(StandardScaler(), dl.GaussianNBClassifier()).partial_fit(X, labels)
    assert model.explain(X[:2]).contributions["column"][0] == "x1"
