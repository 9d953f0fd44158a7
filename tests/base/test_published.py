"""The settings of a learner's own paper, and what is set besides."""

import pytest

from driftlearn import DWMClassifier


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
