"""Evaluation protocols: prequential, hold-out, delayed labels, and concept by concept.

A protocol is a function of `_rounds` that turns a stream into rounds of testing and training; the
loop over rounds is that of `Run.steps`, the same for all protocols.
"""

from collections.abc import Iterable
from typing import Any

from driftlearn.evaluate._evaluation import Evaluation, OnStep
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._rounds import Delay
from driftlearn.evaluate._run import Learners


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
        Number of rows per record, for chunks that are too small for a record of their own.
    classes : array-like, optional
        All labels, if the stream does not know them. Only scikit-learn's own learners need them.
    on_step : callable or list of callables, optional
        Called with every `Step`: a display, a store, or a stopping rule that raises.
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
        As in `prequential`. Rows are handed on as numpy arrays.
    delay : int or callable
        Number of rows after which the label of a row arrives; a callable gets the number of the
        row. 0 is `prequential`; with ``inf`` the label never arrives. Rows whose labels arrive
        during a chunk are learned in one call at its end, in the order of arrival.
    every, classes, on_step, progress, keep_learners, log_loss, memory_every, baselines
        As in `prequential`.

    Returns
    -------
    Result
        The scores of every chunk; nan before a learner could predict.

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
    """Train from drift to drift, and test on every concept of the stream after each.

    The result measures forgetting and transfer: ``result.concept_matrix(name)`` has a row for each
    period between two drifts and a column for each concept, and ``result.summary(name)`` includes
    forgetting, backward and forward transfer and the anytime accuracy. Its `accuracy` is the mean
    of the matrix.

    Parameters
    ----------
    learners, chunk_size
        As in `prequential`. A chunk that contains a drift belongs to the period after it.
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
