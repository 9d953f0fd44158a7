"""The ways to evaluate learners on a stream: prequential, hold-out, delayed labels, concepts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from driftlearn.evaluate._evaluation import Evaluation, OnStep
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._rounds import Delay
from driftlearn.evaluate._run import Learners


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

    The field's usual protocol is row by row: ``chunk_size=1`` with, say, ``every=1000``. Learners
    that have `test_then_train` then go through the rows of a record in one call; its time is
    counted as fit.

    Parameters
    ----------
    learners : estimator, or list or dict of estimators
        Anything with `partial_fit` and `predict`. They are cloned, and see the stream together in
        one pass. One that cannot predict yet (`NotFittedError`) sits that chunk's test out.
    stream : stream or iterable of (X, y)
        A stream of `driftlearn.streams`, or any batches.
    chunk_size : int, optional
        Rows a chunk. An iterable comes in batches of its own.
    every : int, optional
        Record the scores of so many rows together, where chunks are too small to be looked at one
        by one.
    classes : array-like, optional
        All labels, where the stream does not know them. Only scikit-learn's own learners ask.
    on_step : callable or list of callables, optional
        Each is called with every `Step` as it comes: a display, a store, a stopping rule that
        raises.
    progress : bool
        Show how far it is, on standard error.
    keep_learners : bool
        Keep the trained learners in ``result.fitted``.
    log_loss : bool
        Ask learners that have it for `predict_proba`, which may double the time of the tests: for
        log loss, Brier score, AUC and calibration.
    memory_every : int, optional
        Measure the learners' size every so many chunks, and not at the end only.
    baselines : bool
        Evaluate `NoChangeClassifier` and `MajorityClassifier` beside the learners, as "no-change"
        and "majority". The result says in words which learners do not beat them.

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
    evaluation = Evaluation.start(
        "prequential",
        learners,
        stream,
        classes=classes,
        log_loss=log_loss,
        memory_every=memory_every,
        baselines=baselines,
        chunk_size=chunk_size,
        every=every,
    )
    return evaluation.finish(on_step, progress, keep_learners)


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

    This is only possible where the stream can be asked for more rows of the concept in force. It
    tells how well the concept *is known now*, where the prequential score tells how well the next
    chunk was foreseen.

    Parameters
    ----------
    learners, stream, chunk_size
        As in `prequential`; the stream must have ``test_set(row, n, random_state)``.
    test_size : int, optional
        Rows of a test; by default as many as the stream's `test_set` gives when not asked for a
        number.
    every : int, optional
        Test after every so many rows instead of after every chunk. Without `chunk_size` it is the
        chunk size, too.
    fixed : bool
        Draw the test rows once a concept instead of afresh for each test.
    random_state : int, optional
        The seed of the test draws. By default it is the stream's own, so that each repetition has
        its own test rows, too.
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
    evaluation = Evaluation.start(
        "holdout",
        learners,
        stream,
        classes=classes,
        log_loss=log_loss,
        memory_every=memory_every,
        baselines=baselines,
        chunk_size=chunk_size,
        test_size=test_size,
        every=every,
        fixed=fixed,
        random_state=random_state,
    )
    return evaluation.finish(on_step, progress, keep_learners)


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
        How many rows later than its own the label of a row arrives; a callable is given the
        row's number. With 0 this is `prequential`; a label that comes with ``inf`` never does.
        Labels that arrive during a chunk are learnt at its end in the order of their arrival, in
        one call.
    every, classes, on_step, progress, keep_learners, log_loss, memory_every, baselines
        As in `prequential`.

    Returns
    -------
    Result
        The scores of every chunk from the first one that somebody could predict.

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
    evaluation = Evaluation.start(
        "delayed",
        learners,
        stream,
        classes=classes,
        log_loss=log_loss,
        memory_every=memory_every,
        baselines=baselines,
        chunk_size=chunk_size,
        delay=delay,
        every=every,
    )
    return evaluation.finish(on_step, progress, keep_learners)


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

    It tells what a learner still knows of rules that are over, and what it knows of those to
    come: ``result.concept_matrix(name)`` has a row for each period between two drifts and a
    column for each concept, and ``result.summary(name)`` forgetting, backward and forward transfer
    and the anytime accuracy; its `accuracy` is the mean over the whole matrix.

    Parameters
    ----------
    learners, chunk_size
        As in `prequential`. A chunk that reaches over a drift belongs to the period after it.
    stream : stream
        One that knows its drifts and concepts and has ``test_set(row, n, random_state)``.
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
    evaluation = Evaluation.start(
        "concepts",
        learners,
        stream,
        classes=classes,
        log_loss=log_loss,
        memory_every=memory_every,
        baselines=baselines,
        chunk_size=chunk_size,
        test_size=test_size,
        random_state=random_state,
    )
    return evaluation.finish(on_step, progress, keep_learners)
