"""Parameters are validated when they have changed, and copied without the fitted state."""

import pytest
import sklearn
from sklearn.base import clone

from driftlearn import AUE2Classifier, GaussianNBClassifier

ROWS = [[0.0], [0.2], [1.0], [1.2]], [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("learner", "name", "bad"),
    [(GaussianNBClassifier(), "var_smoothing", -1.0), (AUE2Classifier(), "n_estimators", 0)],
)
def test_changed_parameters_are_validated_again(learner, name, bad):
    learner.partial_fit(*ROWS).partial_fit(*ROWS)
    before = getattr(learner, name)
    with pytest.raises(ValueError, match=name):
        learner.set_params(**{name: bad}).partial_fit(*ROWS)
    with pytest.raises(ValueError, match=name):
        learner.partial_fit(*ROWS)
    learner.set_params(**{name: before}).partial_fit(*ROWS)
    assert "_looked_at" not in learner.__getstate__()


def test_clones_have_parameters_and_metadata_requests_only():
    learner = GaussianNBClassifier(var_smoothing=0.5).partial_fit(*ROWS)
    assert vars(clone(learner)) == {
        "var_smoothing": 0.5,
        "constant": "match",
        "nominal_features": None,
        "class_weight": None,
    }
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(learner.set_fit_request(sample_weight=True))
        assert asking.get_metadata_routing().fit.requests == {"sample_weight": True}
    weights = {0: 2.0}
    copy = clone(GaussianNBClassifier(class_weight=weights))
    assert copy.class_weight == weights and copy.class_weight is not weights


def test_constructors_that_change_a_parameter_are_reported():
    class Wilful(GaussianNBClassifier):
        def __init__(self, var_smoothing=1e-9):
            super().__init__(2 * var_smoothing)

    with pytest.raises(RuntimeError, match="constructor"):
        clone(Wilful(0.5))
