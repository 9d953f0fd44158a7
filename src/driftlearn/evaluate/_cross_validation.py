"""Prequential cross-validation: several copies of each learner on one stream, in folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any

from sklearn.utils.parallel import Parallel
from sklearn.utils.parallel import delayed as later

from driftlearn.evaluate._evaluation import Evaluation, new_run
from driftlearn.evaluate._repeat import RepeatedResult
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._rounds import Delay, fold_rounds
from driftlearn.evaluate._run import Learners, named

SCHEMES = ("cross", "split", "bootstrap")


def cross_validation(
    learners: Learners,
    stream: Iterable[Any],
    chunk_size: int | None = None,
    *,
    n_folds: int = 10,
    scheme: str = "cross",
    delay: Delay = 0,
    every: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    classes: Any = None,
    log_loss: bool = True,
    memory_every: int | None = None,
) -> RepeatedResult:
    """Test and train several copies of each learner on one stream, each on rows of its own.

    One pass over a real stream gives one number. Here each of `n_folds` copies of a learner is
    tested on other rows than it is trained on, so that there are as many numbers, and significance
    tests between learners have something to count [1]_. The copies share most of their rows, so
    they differ less than on independent streams.

    Parameters
    ----------
    learners, chunk_size, classes, log_loss, memory_every
        As in `prequential`.
    stream : stream or iterable of (X, y)
        It is gone through once a fold, so an iterator will not do.
    n_folds : int
        How many copies of each learner.
    scheme : {"cross", "split", "bootstrap"}
        What a row is for. "cross": it tests one copy, drawn at random, and trains all others.
        "split": it trains one and tests all others. "bootstrap": each copy learns it Poisson(1)
        times, as a row that is repeated, and is tested on it if that is never.
    delay : int or callable
        As in `delayed`: rows between a row and its label. Rows are tested as they come and learned
        when their labels arrive.
    every : int, optional
        As in `prequential`. With ``chunk_size=1``, the field's usual protocol, it is much faster.
    random_state : int
        Decides which row is for whom; chunk sizes do not matter.
    n_jobs : int, optional
        How many folds at a time, each in a process of its own.

    Returns
    -------
    RepeatedResult
        The result of each fold; ``seeds`` are the numbers of the folds.

    References
    ----------
    .. [1] A. Bifet, G. de Francisci Morales, J. Read, G. Holmes, B. Pfahringer, "Efficient Online
       Evaluation of Big Data Stream Classifiers", Knowledge Discovery and Data Mining, 2015,
       doi:10.1145/2783258.2783372.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=2_000, noise=0.0, random_state=0)
    >>> bayes = {"bayes": GaussianNBClassifier()}
    >>> result = cross_validation(bayes, stream, chunk_size=1, every=500, n_folds=4)
    >>> result.scores("bayes").shape
    (4, 4)
    """
    if isinstance(n_folds, bool) or not isinstance(n_folds, Integral) or n_folds < 2:
        raise ValueError(f"n_folds must be a whole number, 2 or more; got {n_folds!r}")
    if scheme not in SCHEMES:
        raise ValueError(f"no scheme {scheme!r}; there are {', '.join(SCHEMES)}")
    if isinstance(stream, Iterator):
        raise ValueError(
            "the stream is gone through once a fold, and an iterator only once: give a stream, or "
            "a list of batches"
        )
    options = {
        "n_folds": int(n_folds),
        "scheme": scheme,
        "chunk_size": chunk_size,
        "delay": delay,
        "every": every,
        "random_state": random_state,
    }
    how = {"classes": classes, "log_loss": log_loss, "memory_every": memory_every}
    folds = (later(_fold)(named(learners), stream, fold, options, how) for fold in range(n_folds))
    return RepeatedResult([*range(n_folds)], list(Parallel(n_jobs=n_jobs)(folds)))


def _fold(
    learners: dict[str, Any],
    stream: Iterable[Any],
    fold: int,
    options: dict[str, Any],
    how: dict[str, Any],
) -> Result:
    run = new_run(learners, stream, **how)
    for _ in run.steps(fold_rounds(stream, fold, **options)):
        pass
    return Evaluation(run, stream, {"protocol": "cross_validation", **options}).result()
