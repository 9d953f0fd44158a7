"""The loop of all protocols: rounds of testing and training, and their records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.evaluate import metrics
from driftlearn.evaluate._members import MemberLog
from driftlearn.evaluate._memory import nbytes
from driftlearn.evaluate._probability_metrics import BINS, RoundScores, TestedRows, joined, score
from driftlearn.utils.arguments import Floats, Ints, Labels, Learner, Values

PREDICT = StreamClassifier.predict
#: One learner, a sequence of learners, or a mapping from name to learner.
Learners = Learner | Sequence[Learner] | Mapping[str, Learner]


class Learn(NamedTuple):
    """Rows to train on in one call."""

    X: Any
    y: Any


class LearnRows(Learn):
    """Rows to train on one by one, each as a separate chunk."""


class Predict(NamedTuple):
    """Rows to predict.

    `fixed` is True if the same rows will be predicted again. `drawn` is True if they are not the
    next rows of the stream, so the label of the previous row is meaningless.
    """

    X: Any
    y: Any
    fixed: bool = False
    drawn: bool = False


class TestThenTrain(NamedTuple):
    """Rows to predict and then train on, one by one."""

    X: Any
    y: Any


Action = Learn | Predict | TestThenTrain


class Round(NamedTuple):
    """Actions on every learner between two rows of the stream, in order.

    A protocol is a function that turns a stream into rounds; each round gives one record.
    """

    start: int
    stop: int
    actions: Sequence[Action]


@dataclass(frozen=True)
class Step:
    """Record of one learner in one round.

    Attributes
    ----------
    learner : str
        Name of the learner.
    chunk : int
        Number of the round, from 0.
    start, stop : int
        The round covers rows ``start`` to ``stop - 1`` of the stream.
    classes : ndarray
        Labels seen so far, sorted.
    confusion : ndarray of int
        ``[true, predicted]`` counts of the tests; all zero if the learner was not tested.
    log_loss : float
        Log loss of the tests; nan without `predict_proba`.
    trained : int
        Number of rows the learner was trained on.
    fit_seconds, predict_seconds : float
        Time of training and of the tests, without additional calls of `predict_proba`. The time of
        `test_then_train` counts as fit time.
    members : float
        Number of members after the round; nan if it is not an ensemble.
    nbytes : float
        Memory after the round; nan if it was not measured.
    unchanged : float
        Number of test rows with the same label as the previous row of the stream; nan if they are
        not rows of the stream.
    brier, auc : float
        Brier score and area under the ROC curve of the tests; nan without `predict_proba`; the
        area is also nan if fewer than two classes occur.
    calibration : ndarray of shape (3, 10)
        For each tenth of confidence: rows, sum of confidences and hits; see
        `metrics.calibration`.
    """

    learner: str
    chunk: int
    start: int
    stop: int
    classes: Labels
    confusion: Ints
    log_loss: float
    trained: int
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
        """Fraction of test rows predicted correctly; nan if the learner was not tested."""
        return float(metrics.accuracy(self.confusion))


@dataclass
class Run:
    """State of an evaluation: learners, position in the stream, and records.

    The rounds depend only on the stream, so a stored run can be resumed: pass the same rounds
    to `steps` again, and the first `position` of them are skipped.

    Parameters
    ----------
    learners : dict of str to estimator
        Learners, trained in place.
    classes : ndarray
        Labels known so far; grows with the stream.
    position : int
        Number of rounds processed.
    records : list of Step
        Records of these rounds.
    log_loss : bool
        Whether to call `predict_proba`, for log loss, Brier score, AUC and calibration.
    memory_every : int, optional
        Measure the learners' memory every `memory_every` rounds.
    member_logs : dict of str to MemberLog
        Last known error, classes and name of the members of each ensemble.

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
    member_logs: dict[str, MemberLog] = field(default_factory=dict)
    _watches: dict[str, tuple[Any, Any]] = field(default_factory=dict, init=False, repr=False)

    def steps(self, rounds: Iterable[Round]) -> Iterator[Step]:
        """Process the rounds and yield a record for each round and learner."""
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
        tests: list[TestedRows] = []
        trained, unchanged, fit_seconds, predict_seconds = 0, 0.0, 0.0, 0.0
        for action, repeats in _by_row(learner, zip(round_.actions, same)):
            start = perf_counter()
            if isinstance(action, Predict):
                rows = self._predict(name, action)
                predict_seconds += perf_counter() - start
                if rows is not None:
                    unchanged += repeats.sum()
                    tests.append(self._with_proba(learner, action, rows))
                continue
            if isinstance(action, TestThenTrain):
                rows, tested = self._test_then_train(learner, action)
                if len(rows.y):
                    tests.append(rows)
                    unchanged += repeats[tested].sum()
            else:
                self._train(learner, action)
            trained += len(action.y)
            fit_seconds += perf_counter() - start
        scores = self._scores(tests)
        self.member_logs.setdefault(name, MemberLog()).update(learner)
        is_measured = self.memory_every and number % self.memory_every == 0
        return Step(
            learner=name,
            chunk=number,
            start=round_.start,
            stop=round_.stop,
            classes=self.classes,
            trained=trained,
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            members=_size(learner),
            nbytes=nbytes(learner) if is_measured else np.nan,
            unchanged=unchanged if tests else np.nan,
            **scores._asdict(),
        )

    def _train(self, learner: Any, rows: Learn) -> None:
        # All learners receive the same rows, so each gets a copy that it may modify.
        X, y = _copies(rows)
        try:
            learner.partial_fit(X, y)
        except ValueError as error:
            # scikit-learn's estimators need all classes in the first call of partial_fit.
            if hasattr(learner, "classes_") or "classes must be passed" not in str(error):
                raise
            if not len(self.classes):
                raise ValueError(
                    f"{type(learner).__name__} requires all classes in the first call, but the "
                    "stream does not provide them. Pass classes=[...] to the protocol."
                ) from error
            learner.partial_fit(X, y, classes=self.classes)

    def _test_then_train(self, learner: Any, rows: TestThenTrain) -> tuple[TestedRows, Values]:
        """Return the predictions of `test_then_train`, and a mask of the rows that were tested."""
        predictions = learner.test_then_train(*_copies(rows), proba=self.log_loss)
        unknown = np.ma.getmaskarray(predictions)
        tested: Values = np.logical_not(unknown.all(axis=1) if self.log_loss else unknown)
        y = np.asarray(rows.y)[tested]
        if not self.log_loss:
            return TestedRows(y, predictions.data[tested]), tested
        proba = predictions.filled(0.0)[tested]
        classes = learner.classes_
        return TestedRows(y, classes[proba.argmax(axis=1)], proba, classes), tested

    def _predict(self, name: str, test: Predict) -> TestedRows | None:
        """Return a learner's predictions of test rows, or None if it cannot predict yet.

        If the predicted label is the one with the largest probability, as in all learners of
        driftlearn, one call returns both.
        """
        learner = self.learners[name]
        y = np.asarray(test.y)
        try:
            if test.fixed and hasattr(learner, "watch"):
                seen, watch = self._watches.get(name, (None, None))
                if seen is not test.X:
                    watch = learner.watch(test.X)
                    self._watches[name] = test.X, watch
                return TestedRows(y, np.asarray(watch.predict()))
            if self.log_loss and getattr(type(learner), "predict", None) is PREDICT:
                proba, classes = learner._proba_with_classes(test.X)
                return TestedRows(y, classes[proba.argmax(axis=1)], proba, classes)
            return TestedRows(y, np.asarray(learner.predict(test.X)))
        except NotFittedError:
            return None

    def _with_proba(self, learner: Any, test: Predict, rows: TestedRows) -> TestedRows:
        """Add probabilities if they are requested, available and still missing."""
        if rows.proba is not None or not (self.log_loss and hasattr(learner, "predict_proba")):
            return rows
        return rows._replace(proba=learner.predict_proba(test.X), classes=learner.classes_)

    def _scores(self, tests: Sequence[TestedRows]) -> RoundScores:
        """Return the scores of the tests of a round; their labels become known classes."""
        if not tests:
            return RoundScores(np.zeros((len(self.classes), len(self.classes)), dtype=int))
        test = joined(tests)
        for labels in (test.y, test.predicted):
            if metrics.unknown(labels, self.classes):
                known = self.classes if len(self.classes) else labels
                self.classes = np.union1d(known, labels)
        return score(test, self.classes)


def _unchanged(round_: Round, last: Any) -> tuple[list[Floats], Any]:
    """For each action, return which rows repeat the previous label, and the last label.

    The value is 1 or 0, or nan for rows that are not tested or not the next rows of the stream. The
    first tested row is compared with the last training row.
    """
    found: list[Floats] = []
    for action in round_.actions:
        y = np.ravel(action.y)
        repeats = np.full(len(y), np.nan)
        tests = isinstance(action, TestThenTrain) or (
            isinstance(action, Predict) and not action.drawn
        )
        if tests and len(y):
            before = y[:1] if last is None else last
            repeats[:] = y == np.concatenate([before, y[:-1]])
            repeats[0] *= last is not None
        found.append(repeats)
        if len(y) and (last is None or isinstance(action, (Predict, TestThenTrain))):
            last = y[-1:]
    return found, last


def _by_row(
    learner: Any, actions: Iterable[tuple[Action, Floats]]
) -> Iterator[tuple[Action, Floats]]:
    """Yield actions, split into single rows if the learner lacks a method for several rows.

    A learner with a `decision` has none that returns both labels and probabilities.
    """
    decides = getattr(getattr(learner, "_learner", learner), "decision", None) is not None
    by_row = decides or not hasattr(learner, "test_then_train")
    for action, repeats in actions:
        rows = [slice(i, i + 1) for i in range(len(action.y))]
        if isinstance(action, TestThenTrain) and by_row:
            for row in rows:
                yield Predict(action.X[row], action.y[row]), repeats[row]
                yield Learn(action.X[row], action.y[row]), repeats[row]
        # For learners that train row by row, one call with n rows equals n calls with one row.
        elif isinstance(action, LearnRows) and not getattr(learner, "_by_row", False):
            for row in rows:
                yield Learn(action.X[row], action.y[row]), repeats[row]
        else:
            yield action, repeats


def _copies(rows: Learn | TestThenTrain) -> tuple[Any, Any]:
    X, y = (a.copy() if isinstance(a, np.ndarray) else a for a in rows)
    return X, y


def _size(learner: Any) -> float:
    """Return the number of members of a learner; nan if it is not an ensemble."""
    if hasattr(learner, "n_members_"):
        return learner.n_members_
    members = getattr(learner, "members_", None)
    return np.nan if members is None else len(members)


def named(learners: Learners) -> dict[str, Any]:
    """Return copies of the learners by name, from a dict, a list or a single learner."""
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
        raise ValueError("'learners' is empty: pass at least one learner")
    for name, learner in found.items():
        if isinstance(learner, type) or not hasattr(learner, "partial_fit"):
            raise TypeError(
                f"learner {name!r} must be an object with partial_fit. Got "
                f"{' '.join(repr(learner).split()):.80}. {_remedy(learner)}".rstrip()
            )
    return {name: clone(learner, safe=False) for name, learner in found.items()}


def _remedy(learner: Any) -> str:
    """Return what to pass instead of an object without `partial_fit`."""
    if isinstance(learner, type):
        return f"Pass {learner.__name__}()."
    if hasattr(learner, "chunks"):
        return "Pass the learners before the stream."
    if hasattr(learner, "steps"):
        return "Use driftlearn.make_pipeline, whose pipelines have it."
    if hasattr(learner, "fit"):
        kind = type(learner).__name__
        return f"RefitClassifier({kind}(...)) retrains a {kind} at regular intervals."
    return ""
