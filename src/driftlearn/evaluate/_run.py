"""The one loop behind every protocol: learners, rounds of learning and tests, records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.evaluate import metrics
from driftlearn.evaluate._judge import Judged, Tested, judge, together
from driftlearn.evaluate._members import Lookout
from driftlearn.evaluate._memory import nbytes
from driftlearn.evaluate._probability_metrics import BINS
from driftlearn.utils.typing import Floats, Ints, Labels, Learner, Values

PREDICT = StreamClassifier.predict
#: One learner, several, or several by name.
Learners = Learner | Sequence[Learner] | Mapping[str, Learner]


class Learn(NamedTuple):
    """Rows to learn."""

    X: Any
    y: Any


class LearnRows(NamedTuple):
    """Rows to learn one after the other, each a chunk of its own."""

    X: Any
    y: Any


class Predict(NamedTuple):
    """Rows to predict.

    `fixed` says that the same rows will be asked for again, `drawn` that they are not the next
    rows of the stream, so that the label of the row before means nothing.
    """

    X: Any
    y: Any
    fixed: bool = False
    drawn: bool = False


class TestThenTrain(NamedTuple):
    """Rows to predict and learn one after the other."""

    X: Any
    y: Any


Act = Learn | LearnRows | Predict | TestThenTrain


class Round(NamedTuple):
    """What happens to every learner between two rows of the stream, in order.

    A protocol is a function that turns a stream into rounds; each gives one record.
    """

    start: int
    stop: int
    acts: Sequence[Act]


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
        What that and the tests took; a `predict_proba` that is asked besides is not counted. Rows
        that are tested and learned one after the other in one call (`test_then_train`) count as
        fit.
    members : float
        How many members it has afterwards; nan if it is no ensemble.
    nbytes : float
        Its size in memory afterwards; nan where that was not measured.
    unchanged : float
        How many of the test rows have the label of the row before them in the stream; nan where
        they are no rows of the stream.
    brier, auc : float
        Brier score and area under the ROC curve of the tests; nan without `predict_proba`, and
        the area where fewer than two classes occur.
    calibration : ndarray of shape (3, 10)
        For each tenth of confidence, rows, sum of confidences and hits; see
        `metrics.calibration`.
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
    unchanged: float = np.nan
    brier: float = np.nan
    auc: float = np.nan
    calibration: Floats = field(default_factory=lambda: np.zeros((3, BINS)))

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
        Whether to ask for probabilities where a learner has them: for log loss, Brier score, AUC
        and calibration.
    memory_every : int, optional
        Measure the learners' size every so many rounds.
    lookouts : dict of str to Lookout
        What was noted of the members of each learner that keeps a history of their weights.

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
    lookouts: dict[str, Lookout] = field(default_factory=dict)
    _watches: dict[str, tuple[Any, Any]] = field(default_factory=dict, init=False, repr=False)

    def steps(self, rounds: Iterable[Round]) -> Iterator[Step]:
        """Go through the rounds and yield a record for each round and learner as it comes."""
        last: Any = None
        for number, round_ in enumerate(rounds):
            same, last = _unchanged(round_, last)
            if number < self.position:
                continue
            done = []
            for name in self.learners:
                try:
                    done.append(self._step(name, number, round_, same))
                except Exception as error:
                    raise RuntimeError(
                        f"learner {name!r} failed in chunk {number} (rows {round_.start} to "
                        f"{round_.stop - 1}): {type(error).__name__}: {error}"
                    ) from error
            self.records += done
            self.position += 1
            yield from done

    def _step(self, name: str, number: int, round_: Round, same: list[Floats]) -> Step:
        learner = self.learners[name]
        tests: list[Tested] = []
        learnt, unchanged, fit_seconds, predict_seconds = 0, 0.0, 0.0, 0.0
        for act, alike in _by_row(learner, zip(round_.acts, same)):
            begun = perf_counter()
            if isinstance(act, TestThenTrain):
                told, tested = self._test_then_train(learner, act)
                if len(told.y):
                    tests.append(told)
                    unchanged += alike[tested].sum()
                learnt += len(act.y)
                fit_seconds += perf_counter() - begun
                continue
            if not isinstance(act, Predict):
                self._teach(learner, act)
                learnt += len(act.y)
                fit_seconds += perf_counter() - begun
                continue
            said = self._predict(name, act)
            predict_seconds += perf_counter() - begun
            if said is not None:
                unchanged += alike.sum()
                tests.append(self._with_proba(learner, act, said))
        judged = self._judge(tests)
        self.lookouts.setdefault(name, Lookout()).look(learner)
        weigh = self.memory_every and number % self.memory_every == 0
        return Step(
            learner=name,
            chunk=number,
            start=round_.start,
            stop=round_.stop,
            classes=self.classes,
            learnt=learnt,
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            members=_size(learner),
            nbytes=nbytes(learner) if weigh else np.nan,
            unchanged=unchanged if tests else np.nan,
            **judged._asdict(),
        )

    def _teach(self, learner: Any, rows: Learn | LearnRows) -> None:
        # Learners share the rows: one that writes into them must not spoil them for the next.
        X, y = _copies(rows)
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

    def _test_then_train(self, learner: Any, rows: TestThenTrain) -> tuple[Tested, Values]:
        """Have a learner test and learn rows in one call; say also which it could be tested on."""
        said = learner.test_then_train(*_copies(rows), proba=self.log_loss)
        unknown = np.ma.getmaskarray(said)
        tested: Values = np.logical_not(unknown.all(axis=1) if self.log_loss else unknown)
        y = np.asarray(rows.y)[tested]
        if not self.log_loss:
            return Tested(y, said.data[tested]), tested
        proba = said.filled(0.0)[tested]
        classes = learner.classes_
        return Tested(y, classes[proba.argmax(axis=1)], proba, classes), tested

    def _predict(self, name: str, test: Predict) -> Tested | None:
        """Return what a learner says of test rows; None if it cannot predict yet.

        Where its labels are those of the largest probabilities, as in all learners of ours, one
        call gives both.
        """
        learner = self.learners[name]
        y = np.asarray(test.y)
        try:
            if test.fixed and hasattr(learner, "watch"):
                seen, watch = self._watches.get(name, (None, None))
                if seen is not test.X:
                    watch = learner.watch(test.X)
                    self._watches[name] = test.X, watch
                return Tested(y, np.asarray(watch.predict()))
            if self.log_loss and getattr(type(learner), "predict", None) is PREDICT:
                proba, classes = learner._proba_with_classes(test.X)
                return Tested(y, classes[proba.argmax(axis=1)], proba, classes)
            return Tested(y, np.asarray(learner.predict(test.X)))
        except NotFittedError:
            return None

    def _with_proba(self, learner: Any, test: Predict, said: Tested) -> Tested:
        """Ask for probabilities where they are wanted, are to be had and are not there yet."""
        if said.proba is not None or not (self.log_loss and hasattr(learner, "predict_proba")):
            return said
        return said._replace(proba=learner.predict_proba(test.X), classes=learner.classes_)

    def _judge(self, tests: Sequence[Tested]) -> Judged:
        """Return what a round's tests say together, once all their labels are known."""
        if not tests:
            return Judged(np.zeros((len(self.classes), len(self.classes)), dtype=int))
        test = together(tests)
        for labels in (test.y, test.predicted):
            if metrics.unknown(labels, self.classes):
                self.classes = (
                    np.union1d(self.classes, labels) if len(self.classes) else np.unique(labels)
                )
        return judge(test, self.classes)


def _unchanged(round_: Round, last: Any) -> tuple[list[Floats], Any]:
    """Return for each act which rows have the label of the row before; and the last label.

    That is 1 or 0, and nan for rows that are not tested or not the next of the stream. Before the
    first row of all tests stands the last one that was learned.
    """
    found: list[Floats] = []
    for act in round_.acts:
        y = np.ravel(act.y)
        alike = np.full(len(y), np.nan)
        tests = isinstance(act, TestThenTrain) or (isinstance(act, Predict) and not act.drawn)
        if tests and len(y):
            before = y[:1] if last is None else last
            alike[:] = y == np.concatenate([before, y[:-1]])
            alike[0] *= last is not None
        found.append(alike)
        if len(y) and (last is None or isinstance(act, (Predict, TestThenTrain))):
            last = y[-1:]
    return found, last


def _by_row(learner: Any, acts: Iterable[tuple[Act, Floats]]) -> Iterator[tuple[Act, Floats]]:
    """Yield acts, those that go row by row as single rows where a learner cannot take them all."""
    for act, alike in acts:
        rows = [slice(i, i + 1) for i in range(len(act.y))]
        if isinstance(act, TestThenTrain) and not hasattr(learner, "test_then_train"):
            for row in rows:
                yield Predict(act.X[row], act.y[row]), alike[row]
                yield Learn(act.X[row], act.y[row]), alike[row]
        # One that learns in place promises that one call of n rows is n calls of one row.
        elif isinstance(act, LearnRows) and not getattr(learner, "_in_place", False):
            for row in rows:
                yield Learn(act.X[row], act.y[row]), alike[row]
        else:
            yield act, alike


def _copies(rows: Learn | LearnRows | TestThenTrain) -> tuple[Any, Any]:
    X, y = (a.copy() if isinstance(a, np.ndarray) else a for a in rows)
    return X, y


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
            kind = learner if isinstance(learner, type) else type(learner)
            base = name = kind.__name__.removesuffix("Classifier")
            number = 1
            while name in found:
                number += 1
                name = f"{base}-{number}"
            found[name] = learner
    if not found:
        raise ValueError("there is no learner to evaluate")
    for name, learner in found.items():
        if isinstance(learner, type) or not hasattr(learner, "partial_fit"):
            hint = f": give {learner.__name__}()" if isinstance(learner, type) else ""
            raise TypeError(
                f"learner {name!r} must be an object with partial_fit, got {learner!r:.80}{hint}"
            )
    return {name: clone(learner, safe=False) for name, learner in found.items()}
