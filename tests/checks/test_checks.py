"""Every check can fail: a learner with the mistake it looks for is caught by it."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from driftlearn import GaussianNBClassifier, LearnPPNSEClassifier
from driftlearn.checks import CHECKS, check_stream_classifier, checks_for

BY_NAME = {check.__name__: check for check in CHECKS}


class Forgets(LearnPPNSEClassifier):
    """Starts anew on each call."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        return self.fit(X, y, sample_weight)


class WritesLabels(LearnPPNSEClassifier):
    """Overwrites the caller's labels when a class is missing, as another library does."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)
        if isinstance(y, np.ndarray) and y.flags.writeable and len(np.unique(y)) < 3:
            y[0] = self.classes_[-1]
        return self


class ReturnsNothing(LearnPPNSEClassifier):
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)


class GlobalRandom(LearnPPNSEClassifier):
    """Draws from NumPy's global generator."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        w = np.random.random(len(y)) + 0.1  # noqa: NPY002
        return super().partial_fit(X, y, classes, w)


class LosesWeightsInPickle(LearnPPNSEClassifier):
    def __getstate__(self):
        state = dict(super().__getstate__())
        if "committee_" in state:
            state["committee_"] = state["committee_"].draft()
            state["committee_"]["weight"] = np.ones(len(state["committee_"]))
        return state


class NeverForgets(GaussianNBClassifier):
    """One naive Bayes with a long past: it cannot follow a flip."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)
        if not hasattr(self, "seen_"):
            self.seen_ = True
            for _ in range(50):
                super().partial_fit(X, y)
        return self


class LooksAtTheBatch(LearnPPNSEClassifier):
    """Predicts by what else is in the batch."""

    def predict_proba(self, X):
        proba = super().predict_proba(X)
        return proba * 0.9 + 0.1 * proba.mean(axis=0)


class IgnoresWeights(LearnPPNSEClassifier):
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        return super().partial_fit(X, y, classes)


class Grows(LearnPPNSEClassifier):
    """Keeps every row it has seen."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)
        self.kept_ = [*getattr(self, "kept_", []), np.array(X)]
        return self


class LearnsBeforeChecking(LearnPPNSEClassifier):
    """Half a step is left behind when the input is bad."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if hasattr(self, "committee_") and len(self.committee_) and len(X) != len(y):
            self.committee_.keep([0])
        return super().partial_fit(X, y, classes, sample_weight)


class UsesLabelsAsNumbers(LearnPPNSEClassifier):
    def predict(self, X):
        return self.classes_[(self.predict_proba(X) * (np.arange(3) == self.classes_)).argmax(1)]


class CutsByCall(LearnPPNSEClassifier):
    """Takes `chunk_size` and does not honour it."""

    def _receive(self, chunk, finish):
        self._step(chunk)


class AnswersUnfitted(LearnPPNSEClassifier):
    def predict(self, X):
        try:
            return super().predict(X)
        except NotFittedError:
            return np.zeros(len(X))


class DropsHistoryOnFit(LearnPPNSEClassifier):
    """`fit` goes on where `partial_fit` stopped."""

    def fit(self, X, y, sample_weight=None):
        return self.partial_fit(X, y, None, sample_weight)


class CannotReadStrings(LearnPPNSEClassifier):
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        return super().partial_fit(X, np.asarray(y, dtype=float), classes, sample_weight)


class WorseThanNothing(LearnPPNSEClassifier):
    def predict(self, X):
        return np.full(len(X), self.classes_[0])


BROKEN = {
    "learns": WorseThanNothing(),
    "returns_self": ReturnsNothing(),
    "inputs_untouched": WritesLabels(),
    "class_arrives_late": GaussianNB(),
    "class_may_stay_away": Forgets(),
    "earlier_knowledge_survives": Forgets(),
    "recovers_from_a_flip": NeverForgets(),
    "pickles_in_mid_stream": LosesWeightsInPickle(),
    "seeds_decide": GlobalRandom(),
    "predict_is_pure": LooksAtTheBatch(),
    "zero_weight_is_absence": IgnoresWeights(),
    "fit_forgets": DropsHistoryOnFit(),
    "bad_input_changes_nothing": LearnsBeforeChecking(),
    "says_when_unfitted": AnswersUnfitted(),
    "string_labels": CannotReadStrings(),
    "labels_are_not_indices": UsesLabelsAsNumbers(),
    "bounded_memory": Grows(),
    "slicing_does_not_matter": CutsByCall(),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_mistake_is_caught(name):
    with pytest.raises(Exception):  # noqa: B017 - whatever it is, the check must not pass
        BY_NAME[name](BROKEN[name])
    BY_NAME[name](LearnPPNSEClassifier())


def test_the_suite_names_the_check_and_leaves_the_estimator_alone():
    with pytest.raises(AssertionError, match=r"^class_may_stay_away: "):
        check_stream_classifier(Forgets())
    model = LearnPPNSEClassifier()
    found = check_stream_classifier(model)
    assert set(found.values()) == {"passed"} and len(found) == len(checks_for(model))
    assert not hasattr(model, "classes_")


def test_expected_failures_cannot_rot():
    reasons = {"returns_self": "it returns nothing"}
    with pytest.raises(AssertionError, match="returns_self holds, though it is listed"):
        check_stream_classifier(LearnPPNSEClassifier(), reasons)
    with pytest.raises(ValueError, match="no such checks: nonsense"):
        check_stream_classifier(LearnPPNSEClassifier(), {"nonsense": "?"})
