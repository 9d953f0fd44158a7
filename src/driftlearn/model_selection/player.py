"""A player of a tournament: a learner that is asked about rows before it learns them."""

from __future__ import annotations

from inspect import signature
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError

from driftlearn.base.base_learners import columns_of, proba
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, able, newer, number, word


class Player:
    """A learner with its score.

    Parameters
    ----------
    name : str
        What it is called.
    learner : classifier with `partial_fit`
        Who plays.

    Attributes
    ----------
    hits, tries : float
        Of the rows that it was asked about until the last look: how many it was right about, and
        how many there were. Both fade.
    new_hits, new_tries : float
        The same since the last look.
    all_hits, all_tries : float
        The same of all rows until the last look; they do not fade.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "name": word(),
        "learner": able("partial_fit", "predict"),
        "hits": number(0),
        "tries": number(0),
        "new_hits": number(0),
        "new_tries": number(0),
        "all_hits": newer(number(0)),
        "all_tries": newer(number(0)),
    }
    all_hits: float = 0.0  # in older files, too
    all_tries: float = 0.0

    def __init__(self, name: str, learner: Any):
        self.name = name
        self.learner = learner
        self.hits = self.tries = 0.0
        self.new_hits: float = 0
        self.new_tries: float = 0

    @property
    def accuracy(self) -> float:
        """Its share of right answers lately; nan for one that has not answered yet."""
        return self.hits / self.tries if self.tries else np.nan

    @property
    def whole_accuracy(self) -> float:
        """Its share of right answers of all rows; nan for one that has not answered yet."""
        return self.all_hits / self.all_tries if self.all_tries else np.nan

    def fade(self, factor: float) -> None:
        """Let what was before count less, then add what is new."""
        self.all_hits += self.new_hits
        self.all_tries += self.new_tries
        self.hits = factor * self.hits + self.new_hits
        self.tries = factor * self.tries + self.new_tries
        self.new_hits = self.new_tries = 0

    def probas(self, X: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
        """Return class probabilities, a column for each of `classes`; None if it knows nothing.

        Of rows for which the learner gives a nan it says nothing: nan throughout.
        """
        ours = isinstance(self.learner, StreamClassifier)
        try:
            said = self.learner.predict_proba(X) if ours else proba(self.learner, X)
        except NotFittedError:
            return None
        probas = np.zeros((len(X), len(classes)))
        probas[:, columns_of(self.learner, classes)] = said
        unknown = np.isnan(probas)
        if not (unknown | (probas >= 0.0) & (probas < np.inf)).all():
            raise ValueError("class probabilities must be numbers, none negative; there are others")
        probas[unknown.any(axis=1)] = np.nan
        return probas

    def play(
        self,
        X: np.ndarray,
        y: np.ndarray,
        w: np.ndarray,
        classes: np.ndarray,
        worth: np.ndarray | None = None,
    ) -> np.ndarray:
        """Say of each row what it is, then learn it; nan where it had nothing to say.

        `y` are codes of `classes`, `worth` is what a row counts for in the score, 1 by default.
        """
        labels = classes[y]
        ours = isinstance(self.learner, StreamClassifier)
        probas = np.full((len(y), len(classes)), np.nan)
        if ours and len(y) > 1:  # one row is faster by itself, with the same bits
            said = self.learner.test_then_train(X, labels, sample_weight=w, proba=True)
            answered = ~np.ma.getmaskarray(said).all(axis=1)
            probas[answered] = 0.0
            columns = columns_of(self.learner, classes)
            probas[np.ix_(answered, columns)] = said[answered].filled(0.0)
        else:
            how = {} if ours else {"classes": classes}
            weighs = ours or "sample_weight" in signature(self.learner.partial_fit).parameters
            for i in range(len(y)):
                row = slice(i, i + 1)
                found = self.probas(X[row], classes) if hasattr(self.learner, "classes_") else None
                if found is not None:
                    probas[row] = found
                weight = {"sample_weight": w[row]} if weighs and w[i] != 1.0 else {}
                self.learner.partial_fit(X[row], labels[row], **how, **weight)
        self._count(probas, y, worth)
        return probas

    def play_chunk(
        self,
        X: np.ndarray,
        y: np.ndarray,
        w: np.ndarray,
        classes: np.ndarray,
        worth: np.ndarray | None = None,
    ) -> None:
        """Say of all rows what they are, then learn them in one call; as `play` else."""
        probas = self.probas(X, classes) if hasattr(self.learner, "classes_") else None
        if probas is not None:
            self._count(probas, y, worth)
        ours = isinstance(self.learner, StreamClassifier)
        weighs = ours or "sample_weight" in signature(self.learner.partial_fit).parameters
        how: dict[str, Any] = {} if ours else {"classes": classes}
        if weighs and (w != 1.0).any():
            how["sample_weight"] = w
        self.learner.partial_fit(X, classes[y], **how)

    def _count(self, probas: np.ndarray, y: np.ndarray, worth: np.ndarray | None) -> None:
        """Count the rows that it said something about, and those that it was right about."""
        answered = ~np.isnan(probas[:, 0])
        right = probas[answered].argmax(axis=1) == y[answered]
        if worth is None:
            self.new_tries += int(answered.sum())
            self.new_hits += int(right.sum())
        else:  # added up row by row, so that it does not matter how the rows come
            worth = worth[answered]
            self.new_tries = float(np.cumsum([self.new_tries, *worth])[-1])
            self.new_hits = float(np.cumsum([self.new_hits, *worth[right]])[-1])
