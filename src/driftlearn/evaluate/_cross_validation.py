"""Prequential cross-validation: several copies of each learner on one stream."""

from collections.abc import Iterable, Iterator
from typing import Any

from sklearn.utils.parallel import Parallel
from sklearn.utils.parallel import delayed as later

from driftlearn.evaluate._evaluation import Evaluation, new_run
from driftlearn.evaluate._repeat import RepeatedResult
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._rounds import Delay, fold_rounds
from driftlearn.evaluate._run import Learners, named
from driftlearn.utils.arguments import check_integer, choose

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
    """Evaluate several copies of each learner on different rows of one stream.

    One pass over a real stream gives one score. Here each of `n_folds` copies of a learner is
    tested on rows it is not trained on, which gives `n_folds` scores for significance tests between
    learners [1]_. The copies share most of their rows, so they differ less than on independent
    streams.

    Parameters
    ----------
    learners, chunk_size, classes, log_loss, memory_every
        As in `prequential`.
    stream : stream or iterable of (X, y)
        It is read once per fold, so it cannot be an iterator.
    n_folds : int
        Number of copies of each learner.
    scheme : {"cross", "split", "bootstrap"}
        Use of a row. "cross": it tests one random copy and trains all others. "split": it trains
        one copy and tests all others. "bootstrap": each copy is trained on it Poisson(1) times,
        and tested on it if that number is 0.
    delay : int or callable
        As in `delayed`: number of rows between a row and its label.
    every : int, optional
        As in `prequential`. With ``chunk_size=1`` it makes the evaluation much faster.
    random_state : int
        Seed of the use of rows, independent of the chunk size.
    n_jobs : int, optional
        Number of folds in parallel, each in its own process.

    Returns
    -------
    RepeatedResult
        Result of each fold; ``seeds`` are the numbers of the folds.

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
    n_folds = check_integer("n_folds", n_folds, least=2)
    choose("scheme", scheme, dict.fromkeys(SCHEMES))
    if isinstance(stream, Iterator):
        raise ValueError(
            "'stream' must be a Stream or a list of batches, because it is read once per fold. "
            "Got an iterator."
        )
    options = {
        "n_folds": n_folds,
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
