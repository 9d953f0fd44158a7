"""Candidates of online model selection: classifiers with prequential accuracies."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from driftlearn.base.base_learners import columns_of, proba
from driftlearn.base.nominal_features import declare_nominal
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.threads import threads
from driftlearn.io.schema import Field, able, integer, newer, number, word
from driftlearn.utils.arguments import Floats, Ints, Values

DROPPED, ABSTAINS = "and was dropped", "in predict and abstains"  # outcomes in warnings


class Candidate:
    """Classifier with its prequential accuracy.

    Parameters
    ----------
    name : str
        Name of the candidate.
    classifier : classifier with `partial_fit`
        The classifier.
    id : int
        Number of the candidate, starting at 1.

    Attributes
    ----------
    weight : float
        Voting weight.
    correct, tested : float
        Total weight of correctly predicted rows and of all predicted rows until the last
        evaluation. Older rows count less; see `decay`.
    new_correct, new_tested : float
        Weights of rows since the last evaluation.
    total_correct, total_tested : float
        Weights of all rows until the last evaluation, without decay.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "name": word(),
        "classifier": able("partial_fit", "predict"),
        "id": newer(integer(1)),
        "weight": newer(number(0)),
        "correct": number(0),
        "tested": number(0),
        "new_correct": number(0),
        "new_tested": number(0),
        "total_correct": newer(number(0)),
        "total_tested": newer(number(0)),
    }
    total_correct: float = 0.0  # default for files of early versions
    total_tested: float = 0.0

    def __init__(self, name: str, classifier: Any, id: int = 1):
        self.name = name
        self.classifier = classifier
        self.id = id
        self.weight = 1.0
        self.correct = self.tested = 0.0
        self.new_correct = self.new_tested = 0.0

    def copied(self, deep: bool) -> Candidate:
        """Return a candidate to be trained in place of this one.

        Unless the copy is deep, they share a classifier that is trained in place.
        """
        copy = object.__new__(Candidate)
        classifier = self.classifier
        if self._is_ours and not classifier._in_place:
            # Such a learner never modifies what it shares with a draft.
            classifier = classifier._draft(start=False)
        elif deep:
            classifier = deepcopy(classifier)
        copy.__dict__ = {**self.__dict__, "classifier": classifier}
        return copy

    @property
    def accuracy(self) -> float:
        """Recent accuracy; nan before the first prediction."""
        return self.correct / self.tested if self.tested else np.nan

    @property
    def total_accuracy(self) -> float:
        """Accuracy over all rows; nan before the first prediction."""
        return self.total_correct / self.total_tested if self.total_tested else np.nan

    def decay(self, factor: float) -> None:
        """Multiply the counts of earlier evaluations by a factor, then add the new counts."""
        self.total_correct += self.new_correct
        self.total_tested += self.new_tested
        self.correct = factor * self.correct + self.new_correct
        self.tested = factor * self.tested + self.new_tested
        self.new_correct = self.new_tested = 0.0

    def predict_proba(self, X: Floats, classes: Values) -> Floats | None:
        """Return the probabilities of `classes`, or None before the classifier is trained.

        If the classifier returns a nan for a row, it abstains: all probabilities of the row are
        nan.
        """
        try:
            ours = self._is_ours
            found = self.classifier.predict_proba(X) if ours else proba(self.classifier, X)
        except NotFittedError:
            return None
        probas = np.zeros((len(X), len(classes)))
        probas[:, columns_of(self.classifier, classes)] = found
        missing = np.isnan(probas)
        if not (missing | (probas >= 0.0) & (probas < np.inf)).all():
            raise ValueError("class probabilities must be finite and nonnegative")
        probas[missing.any(axis=1)] = np.nan
        return probas

    @property
    def _is_ours(self) -> bool:
        return isinstance(self.classifier, StreamClassifier)

    def test_then_train(self, X: Floats, y: Ints, w: Floats, classes: Values) -> Floats:
        """Predict each row, then train on it; return the probabilities, nan for abstentions.

        `y` contains codes of `classes`.
        """
        probas = np.full((len(y), len(classes)), np.nan)
        if self._is_ours and len(y) > 1:  # a single row is faster without, with identical results
            labels = classes[y]
            found = self.classifier.test_then_train(X, labels, sample_weight=w, proba=True)
            predicted = ~np.ma.getmaskarray(found).all(axis=1)
            probas[predicted] = 0.0
            columns = columns_of(self.classifier, classes)
            probas[np.ix_(predicted, columns)] = found[predicted].filled(0.0)
        else:
            for i in range(len(y)):
                row = slice(i, i + 1)
                found = self.predict_if_trained(X[row], classes)
                if found is not None:
                    probas[row] = found
                self.train(X[row], y[row], w[row], classes)
        self.score(probas, y, w)
        return probas

    def test_then_train_chunk(
        self, X: Floats, y: Ints, w: Floats, classes: Values
    ) -> Floats | None:
        """Predict all rows, then train on them in one call; see `test_then_train`."""
        probas = self.predict_if_trained(X, classes)
        if probas is not None:
            self.score(probas, y, w)
        self.train(X, y, w, classes)
        return probas

    def predict_if_trained(self, X: Floats, classes: Values) -> Floats | None:
        """Return the probabilities of `classes`, or None if the classifier is untrained."""
        return self.predict_proba(X, classes) if hasattr(self.classifier, "classes_") else None

    def train(self, X: Floats, y: Ints, w: Floats, classes: Values) -> None:
        """Train the classifier; pass weights only if it accepts them and they are not all 1."""
        how: dict[str, Any] = {} if self._is_ours else {"classes": classes}
        # for a single row, this takes a tenth of the time
        weighted = w[0] != 1.0 if len(w) == 1 else (w != 1.0).any()
        if weighted and (
            self._is_ours or "sample_weight" in signature(self.classifier.partial_fit).parameters
        ):
            how["sample_weight"] = w
        self.classifier.partial_fit(X, classes[y], **how)

    def score(self, probas: Floats, y: Ints, w: Floats) -> None:
        """Add the weights of predicted and of correctly predicted rows, without abstentions."""
        predicted = ~np.isnan(probas[:, 0])
        correct = probas[predicted].argmax(axis=1) == y[predicted]
        w = w[predicted]
        # added row by row, so that results do not depend on how rows are split into calls
        self.new_tested = float(np.cumsum([self.new_tested, *w])[-1])
        self.new_correct = float(np.cumsum([self.new_correct, *w[correct]])[-1])


def new_candidates(
    classifiers: Mapping[str, Any], seed: Callable[[], int], nominal_features: Any = None
) -> list[Candidate]:
    """Return a candidate for an unfitted copy of each classifier.

    Copies without a `random_state` get one from `seed`, and those without `nominal_features` get
    these columns, also in nested learners.
    """
    candidates = []
    for id, (name, classifier) in enumerate(classifiers.items(), 1):
        copy = clone(classifier)
        params = copy.get_params()
        if params.get("random_state", 0) is None:
            copy.set_params(random_state=seed())
        if nominal_features is not None:
            declare_nominal(copy, nominal_features)
        candidates.append(Candidate(name, copy, id))
    return candidates


def warn_of(failed: dict[str, str], outcome: str) -> None:
    """Warn of the errors of candidates, given by name."""
    for name, error in failed.items():
        warnings.warn(f"Candidate {name!r} raised {error} {outcome}.", stacklevel=3)


def results_of(
    function: Callable[[Candidate], Any], candidates: list[Candidate], n_threads: int = 1
) -> tuple[list[Any], dict[str, str]]:
    """Return the result for each candidate (None if it raises), and the errors by name.

    If all candidates raise, the last error is raised.
    """
    failed: dict[str, str] = {}
    errors: list[Exception] = []

    def attempt(candidate: Candidate) -> Any:
        try:
            return function(candidate)
        except Exception as error:
            errors.append(error)
            failed[candidate.name] = f"{type(error).__name__}: {error}"
            return None

    results = threads(n_threads, attempt, candidates)
    if len(failed) == len(candidates):
        raise errors[-1]
    return results, failed
