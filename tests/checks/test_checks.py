"""Every check can fail: it detects a learner with the error that it tests for."""

import time

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from driftlearn import AUE2Classifier, GaussianNBClassifier, LearnPPNSEClassifier
from driftlearn.checks import CHECKS, check_stream_classifier, checks_for

BY_NAME = {check.__name__: check for check in CHECKS}


class Forgets(LearnPPNSEClassifier):
    """Restarts on each call."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        return self.fit(X, y, sample_weight)


class WritesLabels(LearnPPNSEClassifier):
    """Overwrites the caller's labels when a class is missing, as another library does."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)
        if isinstance(y, np.ndarray) and y.flags.writeable and len(np.unique(y)) < 3:
            y[0] = self.classes_[-1]
        return self


class FlushesNothing(LearnPPNSEClassifier):
    """Discards buffered rows."""

    def flush(self):
        self.waiting_ = None
        return self


class WeighsTwice(LearnPPNSEClassifier):
    """Applies class weights twice."""

    def _weigh(self, y, w):
        return super()._weigh(y, super()._weigh(y, w))


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
    """A single naive Bayes with a long history, which cannot follow a flip."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)
        if not hasattr(self, "seen_"):
            self.seen_ = True
            for _ in range(50):
                super().partial_fit(X, y)
        return self


class LooksAtTheBatch(LearnPPNSEClassifier):
    """Prediction depends on the other rows of the batch."""

    def predict_proba(self, X):
        proba = super().predict_proba(X)
        return proba * 0.9 + 0.1 * proba.mean(axis=0)


class IgnoresWeights(LearnPPNSEClassifier):
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        return super().partial_fit(X, y, classes)


class Grows(LearnPPNSEClassifier):
    """Keeps every row."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)
        self.kept_ = [*getattr(self, "kept_", []), np.array(X)]
        return self


class LearnsBeforeChecking(LearnPPNSEClassifier):
    """Is partly trained when the input is invalid."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if hasattr(self, "committee_") and len(self.committee_) and len(X) != len(y):
            self.committee_.select([0])
        return super().partial_fit(X, y, classes, sample_weight)


class UsesLabelsAsNumbers(LearnPPNSEClassifier):
    def predict(self, X):
        return self.classes_[(self.predict_proba(X) * (np.arange(3) == self.classes_)).argmax(1)]


class CutsByCall(LearnPPNSEClassifier):
    """Has `chunk_size` but ignores it."""

    def _receive(self, chunk, finish):
        self._step(chunk)


class AnswersUnfitted(LearnPPNSEClassifier):
    def predict(self, X):
        try:
            return super().predict(X)
        except NotFittedError:
            return np.zeros(len(X))


class DropsHistoryOnFit(LearnPPNSEClassifier):
    """`fit` continues the previous training."""

    def fit(self, X, y, sample_weight=None):
        return self.partial_fit(X, y, None, sample_weight)


class CannotReadStrings(LearnPPNSEClassifier):
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        return super().partial_fit(X, np.asarray(y, dtype=float), classes, sample_weight)


class WorseThanNothing(LearnPPNSEClassifier):
    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class RefusesOneClass(LearnPPNSEClassifier):
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if len(np.unique(y)) == 1:
            raise ValueError("a single class")
        return super().partial_fit(X, y, classes, sample_weight)


class CountsThreads(LearnPPNSEClassifier):
    def _scores(self, X):
        return super()._scores(X) + 1e-9 * self.n_jobs


class ScalesByCall(GaussianNBClassifier):
    """Declares row-by-row training but centers the rows of each call."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        return super().partial_fit(X - np.mean(X, axis=0), y, classes, sample_weight)


class NotesTheTime(LearnPPNSEClassifier):
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.when_ = time.perf_counter_ns()
        return super().partial_fit(X, y, classes, sample_weight)


class RemembersLoading(LearnPPNSEClassifier):
    def __setstate__(self, state):
        super().__setstate__(state)
        self.loaded_ = True


class SeedsByStep(LearnPPNSEClassifier):
    """Every ensemble has the same members, whatever its random_state."""

    def _seed(self):
        return self.step_


class SeedsByChance(LearnPPNSEClassifier):
    """Ensembles with the same seed have different members."""

    def _seed(self):
        return int(np.random.default_rng().integers(2**31))


class RestartsByBirth(AUE2Classifier):
    """A restarted member gets its creation step as its seed."""

    def _learn(self, chunk):
        self.committee_["seed"] = self.committee_["created_at"]
        super()._learn(chunk)


class KeepsTheCallersRows(LearnPPNSEClassifier):
    """Its members are trained on prediction, on arrays that may have changed by then."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.given_ = [*getattr(self, "given_", []), (X, y, sample_weight)]
        self.classes_ = np.unique(np.concatenate([rows[1] for rows in self.given_]))
        return self

    def predict_proba(self, X):
        model = LearnPPNSEClassifier(random_state=0)
        for rows in self.given_:
            model.partial_fit(rows[0], rows[1], sample_weight=rows[2])
        return model.predict_proba(X)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class TrainsThenTests(LearnPPNSEClassifier):
    """Trains on all rows before predicting them."""

    def test_then_train(self, X, y, classes=None, sample_weight=None, *, proba=False):
        self.partial_fit(X, y, classes, sample_weight)
        return np.ma.MaskedArray(self.predict(X))


class HidesThatItTakesMissingValues(LearnPPNSEClassifier):
    """Accepts missing values although its tag denies it."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags


class MarginsUpsideDown(LearnPPNSEClassifier):
    def decision_function(self, X):
        return -super().decision_function(X)


BROKEN = {
    "learns": WorseThanNothing(),
    "returns_self": ReturnsNothing(),
    "inputs_untouched": WritesLabels(),
    "keeps_no_input": KeepsTheCallersRows(),
    "class_arrives_late": GaussianNB(),
    "class_may_be_absent": Forgets(),
    "one_class_chunk": RefusesOneClass(),
    "one_row_chunk": RefusesOneClass(),
    "earlier_training_is_retained": Forgets(),
    "recovers_from_a_flip": NeverForgets(),
    "pickles_in_mid_stream": LosesWeightsInPickle(),
    "seeds_decide": GlobalRandom(),
    "predict_is_pure": LooksAtTheBatch(),
    "zero_weight_is_ignored": IgnoresWeights(),
    "fit_discards_earlier_training": DropsHistoryOnFit(),
    "bad_input_changes_nothing": LearnsBeforeChecking(),
    "missing_values": HidesThatItTakesMissingValues(),
    "raises_when_unfitted": AnswersUnfitted(),
    "string_labels": CannotReadStrings(),
    "no_class_is_impossible": LearnPPNSEClassifier.as_published(n_estimators=1, prune="age"),
    "labels_are_not_indices": UsesLabelsAsNumbers(),
    "bounded_memory": Grows(),
    "slicing_does_not_matter": CutsByCall(),
    "flush_trains_on_buffered_rows": FlushesNothing(),
    "class_weight_multiplies": WeighsTwice(),
    "threads_do_not_matter": CountsThreads(),
    "calls_do_not_matter": ScalesByCall(),
    "test_then_train_is_predict_then_learn": TrainsThenTests(),
    "same_state_same_bytes": NotesTheTime(),
    "seeds_of_members_are_drawn": SeedsByStep(),
    "margins_agree": MarginsUpsideDown(),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_mistake_is_caught(name):
    with pytest.raises(Exception):  # noqa: B017 - whatever it is, the check must not pass
        BY_NAME[name](BROKEN[name])
    sound = GaussianNBClassifier() if name == "calls_do_not_matter" else LearnPPNSEClassifier()
    BY_NAME[name](sound)


def test_every_check_has_a_mistake_to_catch():
    assert set(BROKEN) == set(BY_NAME)


@pytest.mark.parametrize(
    "name, estimator, problem",
    [
        ("same_state_same_bytes", NotesTheTime(), "two models with the same training"),
        ("same_state_same_bytes", RemembersLoading(), "a loaded model gives a different file"),
        ("seeds_of_members_are_drawn", SeedsByStep(), "does not depend on random_state"),
        ("seeds_of_members_are_drawn", RestartsByBirth(), "does not depend on random_state"),
        ("seeds_of_members_are_drawn", SeedsByChance(), "one random_state gives different"),
        ("calls_do_not_matter", ScalesByCall(), "1 rows a call"),
    ],
    ids=lambda case: type(case).__name__ if hasattr(case, "fit") else None,
)
def test_promises_about_bits(name, estimator, problem):
    with pytest.raises(AssertionError, match=problem):
        BY_NAME[name](estimator)


def test_conditional_checks_apply_to_their_learners_only():
    requested = {check.__name__ for check in checks_for(LearnPPNSEClassifier())}
    assert "slicing_does_not_matter" in requested and "calls_do_not_matter" not in requested
    requested = {check.__name__ for check in checks_for(GaussianNBClassifier())}
    assert "calls_do_not_matter" in requested and "seeds_of_members_are_drawn" not in requested


def test_the_suite_names_the_check_and_copies_the_estimator():
    with pytest.raises(AssertionError, match=r"^class_may_be_absent: "):
        check_stream_classifier(Forgets())
    model, reported = LearnPPNSEClassifier(), []
    found = check_stream_classifier(model, callback=lambda *done: reported.append(done))
    assert reported == list(found.items()), "each check is told when it is done"
    assert set(found.values()) == {"passed"} and len(found) == len(checks_for(model))
    assert not hasattr(model, "classes_")


def test_expected_failures_cannot_rot():
    reasons = {"returns_self": "it returns nothing"}
    with pytest.raises(AssertionError, match="returns_self passed although it is listed"):
        check_stream_classifier(LearnPPNSEClassifier(), reasons)
    with pytest.raises(ValueError, match="unknown checks in expected_failures: nonsense"):
        check_stream_classifier(LearnPPNSEClassifier(), {"nonsense": "?"})
