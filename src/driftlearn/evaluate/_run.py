"""The one loop behind every protocol: learners, rounds of learning and tests, records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from driftlearn._types import Ints, Labels, Learner
from driftlearn.evaluate import metrics
from driftlearn.evaluate._memory import nbytes

#: One learner, several, or several by name.
Learners = Learner | Sequence[Learner] | Mapping[str, Learner]


class Learn(NamedTuple):
    """Rows to learn."""

    X: Any
    y: Any


class Predict(NamedTuple):
    """Rows to predict; `fixed` says that the same rows will be asked for again."""

    X: Any
    y: Any
    fixed: bool = False


class Round(NamedTuple):
    """What happens to every learner between two rows of the stream, in order.

    A protocol is a function that turns a stream into rounds; each gives one record.
    """

    start: int
    stop: int
    acts: Sequence[Learn | Predict]


@dataclass(frozen=True)
class Step:
    """What one learner did in one round.

    Attributes
    ----------
    learner : str
        Its name.
    chunk : int
        The number of the round, from 0.
    start, stop : int
        The rows of the stream the round stands for, ``start`` to ``stop - 1``.
    classes : ndarray
        The labels met so far, sorted.
    confusion : ndarray of int
        ``[true, predicted]`` counts of the tests; all zero where the learner was not tested.
    log_loss : float
        Of the tests; nan without `predict_proba`.
    learnt : int
        How many rows it was trained on.
    fit_seconds, predict_seconds : float
        What that and the tests took; `predict_proba` is not counted.
    members : float
        How many members it has afterwards; nan if it is no ensemble.
    nbytes : float
        Its size in memory afterwards; nan where that was not measured.
    """

    learner: str
    chunk: int
    start: int
    stop: int
    classes: Labels
    confusion: Ints
    log_loss: float
    learnt: int
    fit_seconds: float
    predict_seconds: float
    members: float
    nbytes: float

    @property
    def accuracy(self) -> float:
        """The share of test rows predicted right; nan where the learner was not tested."""
        return float(metrics.accuracy(self.confusion))


@dataclass
class Run:
    """An evaluation under way: learners, how far they are, and what was recorded.

    These are all the state there is. The rounds are a function of the stream, so a run whose
    state was stored can go on: give `steps` the same rounds again and it passes over the first
    `position` of them.

    Parameters
    ----------
    learners : dict of str to estimator
        The learners, which are trained in place.
    classes : ndarray
        The labels known so far; grows with the stream.
    position : int
        How many rounds are done.
    records : list of Step
        What they gave.
    log_loss : bool
        Whether to ask for probabilities where a learner has them.
    memory_every : int, optional
        Measure the learners' size every so many rounds.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> run = Run({"nb": GaussianNB()}, classes=np.array([0, 1]))
    >>> rows = [[0.0], [1.0]], [0, 1]
    >>> rounds = [Round(0, 2, [Learn(*rows)]), Round(2, 4, [Predict(*rows)])]
    >>> [step.accuracy for step in run.steps(rounds)]
    [nan, 1.0]
    """

    learners: dict[str, Any]
    classes: Labels
    position: int = 0
    records: list[Step] = field(default_factory=list)
    log_loss: bool = True
    memory_every: int | None = None
    _watches: dict[str, tuple[Any, Any]] = field(default_factory=dict, init=False, repr=False)

    def steps(self, rounds: Iterable[Round]) -> Iterator[Step]:
        """Go through the rounds and yield a record for each round and learner as it comes."""
        for number, round_ in enumerate(islice(rounds, self.position, None), self.position):
            done = []
            for name in self.learners:
                try:
                    done.append(self._step(name, number, round_))
                except Exception as error:
                    raise RuntimeError(
                        f"learner {name!r} failed in chunk {number} (rows {round_.start} to "
                        f"{round_.stop - 1}): {type(error).__name__}: {error}"
                    ) from error
            self.records += done
            self.position += 1
            yield from done

    def _step(self, name: str, number: int, round_: Round) -> Step:
        learner = self.learners[name]
        tests = []
        learnt, fit_seconds, predict_seconds = 0, 0.0, 0.0
        for act in round_.acts:
            begun = perf_counter()
            if isinstance(act, Learn):
                self._teach(learner, act)
                learnt += len(act.y)
                fit_seconds += perf_counter() - begun
                continue
            predicted = self._predict(name, act)
            predict_seconds += perf_counter() - begun
            if predicted is not None:
                tests.append((np.asarray(act.y), predicted, self._loss(learner, act)))
        counts, loss = self._judge(tests)
        weigh = self.memory_every and number % self.memory_every == 0
        return Step(
            learner=name,
            chunk=number,
            start=round_.start,
            stop=round_.stop,
            classes=self.classes,
            confusion=counts,
            log_loss=loss,
            learnt=learnt,
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            members=_size(learner),
            nbytes=nbytes(learner) if weigh else np.nan,
        )

    def _teach(self, learner: Any, rows: Learn) -> None:
        # Learners share the rows: one that writes into them must not spoil them for the next.
        X, y = (a.copy() if isinstance(a, np.ndarray) else a for a in rows)
        try:
            learner.partial_fit(X, y)
        except ValueError as error:
            # scikit-learn's own learners want to hear of all classes before they begin.
            if hasattr(learner, "classes_") or "classes must be passed" not in str(error):
                raise
            if not len(self.classes):
                raise ValueError(
                    f"{type(learner).__name__} must know all classes from the start, and the "
                    "stream does not tell them: pass classes="
                ) from error
            learner.partial_fit(X, y, classes=self.classes)

    def _predict(self, name: str, test: Predict) -> Labels | None:
        """Return a learner's labels for test rows; None if it cannot predict yet."""
        learner = self.learners[name]
        try:
            if not (test.fixed and hasattr(learner, "watch")):
                return np.asarray(learner.predict(test.X))
            seen, watch = self._watches.get(name, (None, None))
            if seen is not test.X:
                watch = learner.watch(test.X)
                self._watches[name] = test.X, watch
            return np.asarray(watch.predict())
        except NotFittedError:
            return None

    def _loss(self, learner: Any, test: Predict) -> float:
        if not (self.log_loss and hasattr(learner, "predict_proba")):
            return np.nan
        return metrics.log_loss(np.asarray(test.y), learner.predict_proba(test.X), learner.classes_)

    def _judge(self, tests: Sequence[tuple[Labels, Labels, float]]) -> tuple[Ints, float]:
        """Return confusion matrix and log loss of a round's tests together."""
        for y, predicted, _ in tests:
            for labels in (y, predicted):
                if metrics.unknown(labels, self.classes):
                    self.classes = (
                        np.union1d(self.classes, labels) if len(self.classes) else np.unique(labels)
                    )
        counts = np.zeros((len(self.classes), len(self.classes)), dtype=int)
        for y, predicted, _ in tests:
            counts += metrics.confusion(y, predicted, self.classes)
        if not tests:
            return counts, np.nan
        return counts, float(np.average([t[2] for t in tests], weights=[len(t[0]) for t in tests]))


def _size(learner: Any) -> float:
    """Return how many members a learner has; nan if it is no ensemble."""
    if hasattr(learner, "n_members_"):
        found: float = learner.n_members_
        return found
    members = getattr(learner, "members_", None)
    return np.nan if members is None else len(members)


def named(learners: Learners) -> dict[str, Any]:
    """Return copies of the learners by name, whether they come in a dict, a list or alone."""
    found: dict[str, Any] = {}
    if isinstance(learners, Mapping):
        found = {str(name): learner for name, learner in learners.items()}
    else:
        several: Sequence[Any] = learners if isinstance(learners, (list, tuple)) else [learners]
        for learner in several:
            base = name = type(learner).__name__.removesuffix("Classifier")
            number = 1
            while name in found:
                number += 1
                name = f"{base}-{number}"
            found[name] = learner
    if not found:
        raise ValueError("there is no learner to evaluate")
    for name, learner in found.items():
        if isinstance(learner, type) or not hasattr(learner, "partial_fit"):
            raise TypeError(f"learner {name!r} must be an object with partial_fit, got {learner!r}")
    return {name: clone(learner, safe=False) for name, learner in found.items()}
