"""The one loop behind every protocol: learners, rounds of test and training, records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from driftlearn.evaluate import metrics
from driftlearn.evaluate._memory import nbytes

Rows = tuple[Any, Any]


class Round(NamedTuple):
    """What happens to every learner between two rows of the stream.

    A protocol is a function that turns a stream into rounds. The loop trains on each batch of
    `before`, tests on `test`, then trains on each batch of `after`.
    """

    start: int
    stop: int
    test: Rows | None
    before: Sequence[Rows] = ()
    after: Sequence[Rows] = ()


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
        ``[true, predicted]`` counts of the test; all zero where the learner was not tested.
    log_loss : float
        Of the test; nan without `predict_proba`.
    learnt : int
        How many rows it was trained on.
    fit_seconds, predict_seconds : float
        What that and the test took; `predict_proba` is not counted.
    members : float
        The length of its `members_` afterwards; nan without.
    nbytes : float
        Its size in memory afterwards; nan where that was not measured.
    """

    learner: str
    chunk: int
    start: int
    stop: int
    classes: np.ndarray
    confusion: np.ndarray
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

    These three are all the state there is. The rounds are a function of the stream, so a run whose
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
    >>> rounds = [Round(0, 2, test=None, after=[rows]), Round(2, 4, test=rows)]
    >>> [step.accuracy for step in run.steps(rounds)]
    [nan, 1.0]
    """

    learners: dict[str, Any]
    classes: np.ndarray
    position: int = 0
    records: list[Step] = field(default_factory=list)
    log_loss: bool = True
    memory_every: int | None = None

    def steps(self, rounds: Iterable[Round]) -> Iterator[Step]:
        """Go through the rounds and yield a record for each round and learner as it comes."""
        for number, round_ in enumerate(islice(rounds, self.position, None), self.position):
            done = []
            for name, learner in self.learners.items():
                try:
                    done.append(self._step(name, learner, number, round_))
                except Exception as error:
                    raise RuntimeError(
                        f"learner {name!r} failed in chunk {number} (rows {round_.start} to "
                        f"{round_.stop - 1}): {type(error).__name__}: {error}"
                    ) from error
                yield done[-1]
            self.records += done
            self.position += 1

    def _step(self, name: str, learner: Any, number: int, round_: Round) -> Step:
        begun = perf_counter()
        for rows in round_.before:
            self._teach(learner, rows)
        fit_seconds = perf_counter() - begun
        counts, loss, predict_seconds = self._test(learner, round_.test)
        begun = perf_counter()
        for rows in round_.after:
            self._teach(learner, rows)
        fit_seconds += perf_counter() - begun
        weigh = self.memory_every and number % self.memory_every == 0
        members = getattr(learner, "members_", None)
        return Step(
            learner=name,
            chunk=number,
            start=round_.start,
            stop=round_.stop,
            classes=self.classes,
            confusion=counts,
            log_loss=loss,
            learnt=sum(len(y) for _, y in (*round_.before, *round_.after)),
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            members=np.nan if members is None else len(members),
            nbytes=nbytes(learner) if weigh else np.nan,
        )

    def _teach(self, learner: Any, rows: Rows) -> None:
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

    def _test(self, learner: Any, rows: Rows | None) -> tuple[np.ndarray, float, float]:
        """Return confusion matrix, log loss and seconds; nothing if it cannot predict yet."""
        nothing = np.zeros((len(self.classes), len(self.classes)), dtype=int), np.nan, 0.0
        if rows is None:
            return nothing
        X, y = rows[0], np.asarray(rows[1])
        begun = perf_counter()
        try:
            predicted = np.asarray(learner.predict(X))
        except NotFittedError:
            return nothing
        seconds = perf_counter() - begun
        for labels in (y, predicted):
            if metrics.unknown(labels, self.classes):
                self.classes = (
                    np.union1d(self.classes, labels) if len(self.classes) else (np.unique(labels))
                )
        loss = np.nan
        if self.log_loss and hasattr(learner, "predict_proba"):
            loss = metrics.log_loss(y, learner.predict_proba(X), learner.classes_)
        return metrics.confusion(y, predicted, self.classes), loss, seconds


def named(learners: Any) -> dict[str, Any]:
    """Return copies of the learners by name, whether they come in a dict, a list or alone."""
    if isinstance(learners, Mapping):
        found = {str(name): learner for name, learner in learners.items()}
    else:
        found = {}
        for learner in learners if isinstance(learners, (list, tuple)) else [learners]:
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
