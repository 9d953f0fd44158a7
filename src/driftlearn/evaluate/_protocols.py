"""Evaluation protocols: prequential, hold-out, delayed labels, and concept by concept.

A protocol is a function of `_rounds` that turns a stream into rounds of testing and training;
`Run.steps` is the loop over rounds for all protocols.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftlearn.evaluate import _rounds
from driftlearn.evaluate._drawable import BASELINES
from driftlearn.evaluate._gather import gather
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._rounds import Delay
from driftlearn.evaluate._row_progress import Progress
from driftlearn.evaluate._run import Learners, Round, Run, Step, named
from driftlearn.utils.arguments import choose

OnStep = Callable[[Step], Any] | Iterable[Callable[[Step], Any]] | None

ROUNDS: dict[str, Callable[..., Iterator[Round]]] = {
    "prequential": _rounds.prequential_rounds,
    "holdout": _rounds.holdout_rounds,
    "delayed": _rounds.delayed_rounds,
    "concepts": _rounds.concept_rounds,
}


@dataclass
class Evaluation:
    """Resumable evaluation of learners on a stream.

    `prequential`, `holdout`, `delayed` and `concepts` start and finish an evaluation in one call.
    Use this class to stop and resume an evaluation. Its mutable state is in `run`.

    Attributes
    ----------
    run : Run
        Learners, position and records.
    stream : stream or iterable
        Source of the rows.
    settings : dict
        Protocol and its options.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> from sklearn.naive_bayes import GaussianNB
    >>> stream = SEA(n_rows=500, random_state=0)
    >>> evaluation = Evaluation.start("prequential", GaussianNB(), stream, chunk_size=100)
    >>> len(list(evaluation.steps()))
    5
    """

    run: Run
    stream: Iterable[Any]
    settings: dict[str, Any]

    @classmethod
    def start(
        cls,
        protocol: str,
        learners: Learners,
        stream: Iterable[Any],
        *,
        classes: Any = None,
        log_loss: bool = True,
        memory_every: int | None = None,
        baselines: bool = False,
        **options: Any,
    ) -> Evaluation:
        """Return an evaluation of copies of the learners; `options` are those of the protocol."""
        choose("protocol", protocol, ROUNDS)
        run = new_run(
            learners, stream, classes, baselines, log_loss=log_loss, memory_every=memory_every
        )
        return cls(run, stream, {"protocol": protocol, **options})

    def rounds(self) -> Iterator[Round]:
        """Return all rounds, including those that have been processed."""
        options = dict(self.settings)
        return ROUNDS[options.pop("protocol")](self.stream, **options)

    def steps(self) -> Iterator[Step]:
        """Process the remaining rounds and yield a record for each round and learner."""
        return self.run.steps(self.rounds())

    def result(self, keep_learners: bool = False) -> Result:
        """Return the result of the records so far."""
        if not self.run.records:
            raise ValueError("the stream has no rows")
        fields = gather(self.run, self.stream, self.settings)
        return Result(**fields, fitted=self.run.learners if keep_learners else None)

    def finish(
        self, on_step: OnStep = None, progress: bool = False, keep_learners: bool = False
    ) -> Result:
        """Process the remaining rounds, call `on_step` with every record, and return the result."""
        sinks = [on_step] if callable(on_step) else list(on_step or ())
        with ExitStack() as stack:
            if progress:
                n_rows = getattr(self.stream, "n_rows", None)
                sinks.append(stack.enter_context(Progress(n_rows)))
            for step in self.steps():
                for sink in sinks:
                    sink(step)
        result = self.result(keep_learners)
        self._warn_if_untested(result)
        return result

    def _warn_if_untested(self, result: Result) -> None:
        """Warn with the reason if no row was tested."""
        if any(result.confusion(name).any() for name in result.names):
            return
        stops = result.rows(result.names[0])
        if self.settings["protocol"] == "prequential" and len(stops) == 1:
            why = (
                f"all {stops[-1]:,} rows are one chunk, and the first chunk is only trained on. "
                "Use a smaller chunk_size."
            )
        else:
            why = (
                "no learner had been trained when it was tested. Use more rows, a smaller delay, "
                "or learners with a smaller chunk_size."
            )
        warnings.warn(f"no row was tested: {why}", UserWarning, stacklevel=4)


def new_run(
    learners: Learners, stream: Iterable[Any], classes: Any, baselines: bool = False, **options: Any
) -> Run:
    """Return a new run of copies of the learners and of the baselines they do not include."""
    known = getattr(stream, "classes", None) if classes is None else classes
    labels = np.array([]) if known is None else np.unique(np.asarray(known))
    copies = named(learners)
    if baselines:
        there = {type(learner) for learner in copies.values()}
        for name, kind in BASELINES.items():
            if kind not in there:
                copies.setdefault(name, kind())
    return Run(copies, labels, **options)


def _evaluate(protocol: str, arguments: dict[str, Any]) -> Result:
    """Return the result of a protocol for the arguments of its public function."""
    finish = {name: arguments.pop(name) for name in ("on_step", "progress", "keep_learners")}
    return Evaluation.start(protocol, **arguments).finish(**finish)


def prequential(
    learners: Learners,
    stream: Iterable[Any],
    chunk_size: int | None = None,
    *,
    every: int | None = None,
    classes: Any = None,
    on_step: OnStep = None,
    progress: bool = False,
    keep_learners: bool = False,
    log_loss: bool = True,
    memory_every: int | None = None,
    baselines: bool = False,
) -> Result:
    """Test on each chunk, then train on it. The first chunk is only trained on.

    The usual protocol for streams is row by row: ``chunk_size=1`` with, for example,
    ``every=1000``. Learners with a method `test_then_train` then process the rows of a record in
    one call, whose time is counted as fit time.

    Parameters
    ----------
    learners : estimator, or list or dict of estimators
        Classifiers with `partial_fit` and `predict`. They are cloned and evaluated together in one
        pass over the stream. A learner that cannot predict yet (`NotFittedError`) is not tested on
        that chunk.
    stream : stream or iterable of (X, y)
        A stream of `driftlearn.streams`, or batches of any source.
    chunk_size : int, optional
        Rows per chunk. Cannot be set for an iterable, whose batches are the chunks.
    every : int, optional
        Number of rows per record, if chunks are too small for one record each.
    classes : array-like, optional
        All labels, if the stream does not list them. Only scikit-learn's own learners need them.
    on_step : callable or list of callables, optional
        Called with every `Step`, for example to display it, to store it, or to stop the evaluation
        by raising an exception.
    progress : bool
        Whether to show the progress on standard error.
    keep_learners : bool
        Whether to keep the trained learners in ``result.fitted``.
    log_loss : bool
        Whether to call `predict_proba`, for log loss, Brier score, AUC and calibration. It may
        double the time of the tests.
    memory_every : int, optional
        Measure the learners' memory every `memory_every` chunks instead of only at the end.
    baselines : bool
        Whether to evaluate `NoChangeClassifier` and `MajorityClassifier` as well, as "no-change"
        and "majority". The result then lists the learners that do not beat them.

    Returns
    -------
    Result
        The scores of every chunk.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> stream = [(X[i : i + 100], y[i : i + 100]) for i in (0, 100, 200)]
    >>> result = prequential({"bayes": GaussianNB()}, stream, classes=[0, 1])
    >>> result.scores("bayes", "accuracy")
    array([ nan, 0.98, 1.  ])
    """
    return _evaluate("prequential", locals())


def holdout(
    learners: Learners,
    stream: Iterable[Any],
    chunk_size: int | None = None,
    test_size: int | None = None,
    *,
    every: int | None = None,
    fixed: bool = False,
    random_state: int | None = None,
    classes: Any = None,
    on_step: OnStep = None,
    progress: bool = False,
    keep_learners: bool = False,
    log_loss: bool = True,
    memory_every: int | None = None,
    baselines: bool = False,
) -> Result:
    """Train on a chunk, then test on other rows of the same concept.

    The stream must be able to draw more rows of the current concept. The score measures how well
    the *current* concept is learned, whereas the prequential score measures how well the next
    chunk is predicted.

    Parameters
    ----------
    learners, stream, chunk_size
        As in `prequential`; the stream must have ``test_set(row, n, random_state)``.
    test_size : int, optional
        Number of rows per test; the default is that of the stream's `test_set`.
    every : int, optional
        Number of rows between tests, instead of a test after every chunk. It is also the default
        of `chunk_size`.
    fixed : bool
        Whether to draw the test rows once per concept instead of once per test.
    random_state : int, optional
        Seed of the test rows. The default is the seed of the stream, so that each repetition has
        its own test rows.
    classes, on_step, progress, keep_learners, log_loss, memory_every, baselines
        As in `prequential`.

    Returns
    -------
    Result
        The scores of every test.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> from sklearn.naive_bayes import GaussianNB
    >>> stream = SEA(thresholds=(8, 9), n_rows=1000, noise=0.1, random_state=0)
    >>> result = holdout(GaussianNB(), stream, chunk_size=100, test_size=500)
    >>> result.scores("GaussianNB").shape
    (10,)
    """
    return _evaluate("holdout", locals())


def delayed(
    learners: Learners,
    stream: Iterable[Any],
    delay: Delay,
    chunk_size: int | None = None,
    *,
    every: int | None = None,
    classes: Any = None,
    on_step: OnStep = None,
    progress: bool = False,
    keep_learners: bool = False,
    log_loss: bool = True,
    memory_every: int | None = None,
    baselines: bool = False,
) -> Result:
    """Predict every chunk at once, and train on a row when its label arrives.

    Parameters
    ----------
    learners, stream, chunk_size
        As in `prequential`. Rows are passed on as NumPy arrays.
    delay : int or callable
        Number of rows after which the label of a row arrives; a callable receives the row number. 0
        is `prequential`; with ``inf`` the label never arrives. At the end of each chunk, the
        learners are trained in one call on the rows whose labels arrived during it, in order of
        arrival.
    every, classes, on_step, progress, keep_learners, log_loss, memory_every, baselines
        As in `prequential`.

    Returns
    -------
    Result
        The scores of every chunk; nan until a learner can predict.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> stream = [(X[i : i + 100], y[i : i + 100]) for i in (0, 100, 200, 300)]
    >>> delayed({"bayes": GaussianNB()}, stream, delay=100, classes=[0, 1]).scores("bayes")
    array([ nan,  nan, 0.99, 0.98])
    """
    return _evaluate("delayed", locals())


def concepts(
    learners: Learners,
    stream: Iterable[Any],
    chunk_size: int | None = None,
    test_size: int | None = None,
    *,
    random_state: int | None = None,
    classes: Any = None,
    on_step: OnStep = None,
    progress: bool = False,
    keep_learners: bool = False,
    log_loss: bool = True,
    memory_every: int | None = None,
    baselines: bool = False,
) -> Result:
    """Train on each period between drifts, then test on every concept of the stream.

    The result measures forgetting and transfer: ``result.concept_matrix(name)`` has a row for each
    period between two drifts and a column for each concept, and ``result.summary(name)`` includes
    forgetting, backward and forward transfer and the anytime accuracy. Its `accuracy` is the mean
    of the matrix.

    Parameters
    ----------
    learners, chunk_size
        As in `prequential`. A chunk that contains a drift is assigned to the period after that
        drift.
    stream : stream
        A stream with known drifts and concepts and a ``test_set(row, n, random_state)``.
    test_size, random_state
        As in `holdout`. The test rows of a concept are drawn once.
    classes, on_step, progress, keep_learners, log_loss, memory_every, baselines
        As in `prequential`.

    Returns
    -------
    Result
        A record for each period and concept.

    Examples
    --------
    >>> from driftlearn import LearnPPNSEClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(thresholds=(8, 3, 8), n_rows=3000, random_state=0)
    >>> result = concepts({"nse": LearnPPNSEClassifier()}, stream, chunk_size=250, test_size=1000)
    >>> result.concept_matrix("nse").shape
    (3, 2)
    """
    return _evaluate("concepts", locals())
