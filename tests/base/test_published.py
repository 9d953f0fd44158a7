"""Settings of a learner's own paper, and parameters set in addition."""

import pytest

import driftlearn
from driftlearn import AutoClassifier, DWMClassifier

WITH_BASE = [
    kind
    for name in driftlearn.__all__
    if name.endswith("Classifier") and "estimator" in (kind := getattr(driftlearn, name)).PUBLISHED
]


def test_what_is_given_comes_first():
    model = DWMClassifier.as_published(None, 5, vote="soft")
    assert model.n_estimators == 5 and model.vote == "soft" and model.estimator is not None


@pytest.mark.parametrize(
    "args, params, problem",
    [
        ((None, 5, 0.7), {}, "too many positional"),
        ((None, 5), {"n_estimators": 7}, "multiple values"),
        ((), {"vot": "soft"}, "unexpected keyword"),
    ],
)
def test_it_takes_what_the_constructor_takes(args, params, problem):
    with pytest.raises(TypeError):
        DWMClassifier(*args, **params)
    with pytest.raises(TypeError, match=problem):
        DWMClassifier.as_published(*args, **params)


@pytest.mark.parametrize("kind", WITH_BASE, ids=lambda kind: kind.__name__)
def test_files_of_older_defaults_keep_the_base_learner(kind):
    """Before `class_weight` existed, None was the paper's base learner."""
    state = kind().__getstate__()
    del state["class_weight"]
    old, now = object.__new__(kind), object.__new__(kind)
    old.__setstate__(state)
    now.__setstate__(kind().__getstate__())
    assert repr(old.estimator) == repr(kind.PUBLISHED["estimator"])
    assert now.estimator is None and old.class_weight is None


def test_files_of_auto_without_buffered_rows():
    model = AutoClassifier({"a": DWMClassifier()}).partial_fit([[0.0], [1.0]], [0, 1])
    state = model.__getstate__()
    for name in ("chunk_size", "waiting_", "class_weight"):
        state.pop(name)
    old = object.__new__(AutoClassifier)
    old.__setstate__(state)
    assert old.flush().partial_fit([[0.0], [1.0]], [0, 1]).n_rows_ == 4
