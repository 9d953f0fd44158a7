"""scikit-learn's estimators in files: listed ones work and are validated."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from driftlearn.io import CorruptFile, _files, _sklearn, dumps, loads
from driftlearn.io._names import Names
from tests.io import fuzzing

X, Y = fuzzing.rows()
WITHOUT_PARTS = "FeatureUnion", "Pipeline", "VotingClassifier"


def estimators():
    for name in _sklearn.LISTED:
        kind = Names().find(name)
        if issubclass(kind, BaseEstimator) and kind.__name__ not in WITHOUT_PARTS:
            yield kind


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [*estimators()], ids=lambda kind: kind.__name__)
def test_every_listed_estimator_is_restored(kind):
    labels = (Y == "b").astype(float) if kind.__name__.endswith("Regressor") else Y
    model = kind().fit(*((labels,) if kind.__name__.startswith("Label") else (X, labels)))
    copy = loads(dumps(model))
    assert dumps(copy) == dumps(model)
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree", "brute"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_neighbors_are_restored(algorithm, metric):
    model = KNeighborsClassifier(2, algorithm=algorithm, metric=metric, leaf_size=5, p=3)
    model = make_pipeline(StandardScaler(), model).fit(X, Y)
    np.testing.assert_array_equal(loads(dumps(model)).predict_proba(X), model.predict_proba(X))


def changed(model, change):
    tree, blocks = fuzzing.opened(dumps(model))
    change(tree, blocks)
    packed = {name: (a.dtype, [a.tobytes()]) for name, a in blocks.items()}
    return _files.pack("crafted", tree, packed, False)


def at(tree, key):
    """Return the last (container, key) with this key in a tree."""
    return next(owner for owner, name in reversed(fuzzing.places(tree, [])) if name == key)


def spoil_block(name, field, value):
    def change(tree, blocks):
        found = next(block for key, block in blocks.items() if key.startswith(name))
        (found if field is None else found[field])[-1] = value

    return change


def spoil(key, value):
    return lambda tree, blocks: at(tree, key).__setitem__(key, value)


@pytest.mark.parametrize(
    "model, change",
    [
        (KNeighborsClassifier(algorithm="kd_tree"), spoil_block("void", "idx_end", 10**6)),
        (KNeighborsClassifier(algorithm="kd_tree"), spoil_block("void", "idx_start", -5)),
        (KNeighborsClassifier(algorithm="ball_tree"), spoil_block("void", "is_leaf", 0)),
        (KNeighborsClassifier(algorithm="ball_tree"), spoil_block("int64", None, 10**9)),
        (KNeighborsClassifier(algorithm="brute"), spoil_block("int64", None, 10**9)),
        (KNeighborsClassifier(algorithm="brute"), spoil("n_samples_fit_", 10**6)),
        (KNeighborsClassifier(algorithm="brute"), spoil("n_neighbors", -1)),
        (RandomForestClassifier(3), spoil("n_features_in_", 1)),
        (RandomForestClassifier(3), spoil("n_classes_", 2**30)),
        (RandomForestClassifier(3), spoil("n_outputs_", 2**53)),
        (SGDClassifier(), spoil("n_features_in_", 5)),
        (SGDClassifier(), lambda tree, _: tree["state"]["dict"].update(predict=3)),
    ],
)
def test_states_that_would_lead_compiled_code_astray(model, change):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, Y)
    loads(changed(model, lambda tree, blocks: None))
    with pytest.raises(CorruptFile):
        loads(changed(model, change))


def test_nothing_is_made_empty_but_by_its_own_module():
    kind = {"class": "driftlearn.naive_bayes._naive_bayes:NaiveBayesModel"}
    tree = {"restorer": "sklearn.neighbors._kd_tree:newObj", "arguments": [kind]}
    with pytest.raises(CorruptFile, match=r"expected a class of sklearn\.neighbors\._kd_tree"):
        loads(_files.pack("crafted", tree, {}, False))
