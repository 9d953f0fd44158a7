"""The recipe for SHAP in explain.rst, and that its values agree with ours."""

import warnings

import numpy as np
import pytest

import driftlearn as dl
from driftlearn import TableEncoder, make_pipeline

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    shap = pytest.importorskip("shap", reason="shap is not installed", exc_type=ImportError)


@pytest.mark.filterwarnings("ignore")
def test_shap_explains_the_default_learner():
    rng = np.random.default_rng(0)
    model = make_pipeline(TableEncoder(), dl.AutoClassifier(random_state=0))
    for _ in range(4):
        table = {"size": rng.random(200), "price": rng.random(200),
                 "colour": rng.choice(["red", "blue"], 200).astype(object)}  # fmt: skip
        model.partial_fit(table, table["size"] + (table["colour"] == "red") > 0.8)
    rows = {name: values[:4] for name, values in table.items()}

    encoder, learner = model.steps_[0][1], model.steps_[1][1]
    explainer = shap.Explainer(
        learner.predict_proba, model.recent_.rows, feature_names=[*encoder.get_feature_names_out()]
    )
    found = explainer(encoder.transform(rows))

    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict_proba(rows), atol=1e-9)
    ours = model.explain(rows)
    assert found.feature_names == ours.columns
    np.testing.assert_allclose(found.values, ours.shapley_values, atol=1e-9)
