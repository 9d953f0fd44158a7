"""Evaluations repeated with several seeds or on several folds of one stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel
from sklearn.utils.parallel import delayed as later

from driftlearn.evaluate import metrics
from driftlearn.evaluate._drawable import Drawable
from driftlearn.evaluate._gather import widened
from driftlearn.evaluate._json import from_json, read_json, to_json, write_json
from driftlearn.evaluate._protocols import Evaluation, new_run
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._rounds import Delay, fold_rounds
from driftlearn.evaluate._run import Learners, named
from driftlearn.utils.arguments import Floats, Ints, Labels, check_integer, choose
from driftlearn.utils.table import Table


def repeat(
    protocol: Callable[..., Result],
    learners: Learners,
    make_stream: Callable[[int], Iterable[Any]],
    seeds: Iterable[int] = range(10),
    n_jobs: int | None = None,
    **options: Any,
) -> RepeatedResult:
    """Evaluate learners on the same stream drawn with several seeds.

    Parameters
    ----------
    protocol : callable
        `prequential`, `holdout` or `delayed`.
    learners : estimator, or list or dict of estimators
        Their `random_state` parameter, if they have one, is set to the seed.
    make_stream : callable
        Returns the stream for a seed.
    seeds : iterable of int
        The seeds.
    n_jobs : int, optional
        Number of runs to execute in parallel, each in its own process.
    **options
        Passed to the protocol.

    Returns
    -------
    RepeatedResult
        All results and their means over seeds.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn.evaluate import prequential
    >>> from sklearn.naive_bayes import GaussianNB
    >>> def make_stream(seed):
    ...     rng = np.random.default_rng(seed)
    ...     for _ in range(5):
    ...         X = rng.normal(size=(50, 2))
    ...         yield X, (X[:, 0] > 0).astype(int)
    >>> result = repeat(
    ...     prequential, {"bayes": GaussianNB()}, make_stream, seeds=range(3), classes=[0, 1]
    ... )
    >>> result.scores("bayes").shape
    (3, 5)
    """
    seeds = [int(seed) for seed in seeds]
    if not seeds:
        raise ValueError("'seeds' is empty: pass at least one seed")
    cells = (later(_cell)(protocol, named(learners), make_stream, seed, options) for seed in seeds)
    return RepeatedResult(seeds, list(Parallel(n_jobs=n_jobs)(cells)))


def _cell(
    protocol: Callable[..., Result],
    learners: dict[str, Any],
    make_stream: Callable[[int], Iterable[Any]],
    seed: int,
    options: dict[str, Any],
) -> Result:
    for learner in learners.values():
        if hasattr(learner, "get_params") and "random_state" in learner.get_params(deep=False):
            learner.set_params(random_state=seed)
    result = protocol(learners, make_stream(seed), **options)
    result.seed = seed
    return result


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
        How each row is used. "cross": to test one random copy and train all others. "split": to
        train one random copy and test all others. "bootstrap": each copy is trained on the row
        Poisson(1) times, and tested on it if that number is 0.
    delay : int or callable
        As in `delayed`: number of rows between a row and its label.
    every : int, optional
        As in `prequential`. With ``chunk_size=1`` it makes the evaluation much faster.
    random_state : int
        Seed that determines how rows are used, independently of the chunk size.
    n_jobs : int, optional
        Number of folds to run in parallel, each in its own process.

    Returns
    -------
    RepeatedResult
        Result of each fold; ``seeds`` contains the fold numbers.

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


def _of_first(name: str, description: str) -> Any:
    """Return a property with the value of an attribute in the first run."""
    return property(lambda self: getattr(self.results[0], name), doc=description)


@dataclass(repr=False)
class RepeatedResult(Drawable):
    """Results of the same evaluation for several seeds.

    It has the methods of `Result`; scores have an additional first axis, the seeds.

    Attributes
    ----------
    seeds : list of int
        The seeds.
    results : list of Result
        The result of each seed.
    """

    seeds: list[int]
    results: list[Result]

    names = _of_first("names", "Names of the learners.")
    stream = _of_first("stream", "Name of the stream.")
    drifts = _of_first("drifts", "Rows at which a new concept starts.")
    concepts = _of_first("concepts", "Concept in force at the end of each chunk.")
    params = _of_first("params", "Parameters of each learner.")
    versions = _of_first("versions", "Versions of the libraries.")
    histories = _of_first("histories", "Member weights of the learners.")

    @property
    def classes(self) -> Labels:
        """Labels of all runs, sorted."""
        return np.unique(np.concatenate([result.classes for result in self.results]))

    @property
    def settings(self) -> dict[str, Any]:
        """Protocol, its parameters and the seeds."""
        return {**self.results[0].settings, "seeds": self.seeds}

    def scores(self, learner: str, metric: str = "accuracy", window: int | None = 1) -> Floats:
        """Return a learner's scores, shape (seeds, chunks)."""
        return stacked([result.scores(learner, metric, window) for result in self.results])

    def per_class(self, learner: str, metric: str = "recall", window: int | None = 1) -> Floats:
        """Return precision, recall or F1 of every class, shape (seeds, chunks, classes)."""
        runs = []
        for result in self.results:
            found = result.per_class(learner, metric, window)
            wide = np.full((len(found), len(self.classes)), np.nan)
            wide[:, np.searchsorted(self.classes, result.classes)] = found
            runs.append(wide)
        return stacked(runs)

    def concept_matrix(self, learner: str, metric: str = "accuracy") -> Floats:
        """Return the concept matrix of each seed, shape (seeds, periods, concepts)."""
        return np.stack([result.concept_matrix(learner, metric) for result in self.results])

    def total(self, learner: str, metric: str = "accuracy") -> Floats:
        """Return a metric over all chunks for each seed."""
        return np.array([result.total(learner, metric) for result in self.results])

    def confusion(self, learner: str) -> Ints:
        """Return the confusion matrix over all chunks and seeds."""
        runs = [widened(r.confusion(learner), r.classes, self.classes) for r in self.results]
        return np.sum(runs, axis=0)

    def rows(self, learner: str) -> Ints:
        """Return the row of the stream at which each chunk ends."""
        return max((result.rows(learner) for result in self.results), key=len)

    def recovery(
        self, learner: str, window: int = metrics.RECOVERY_ROWS, kind: str | None = None
    ) -> Floats:
        """Return the recovery after known drifts for each seed."""
        return np.array([result.recovery(learner, window, kind) for result in self.results])

    def summary(self, learner: str, window: int = metrics.RECOVERY_ROWS) -> dict[str, float]:
        """Return one number per metric: the mean over seeds.

        `std` is the standard deviation over the seeds, `chunk_std` the mean over the seeds of the
        standard deviation over the chunks of a run.
        """
        runs = [result.summary(learner, window) for result in self.results]
        means = {key: float(metrics.mean([run[key] for run in runs])) for key in runs[0]}
        chunk_std = means.pop("std")
        std = float(metrics.std([run["accuracy"] for run in runs]))
        return {"accuracy": means.pop("accuracy"), "std": std, "chunk_std": chunk_std, **means}

    def records(self) -> Table:
        """Return the scores in long format: one row per seed, chunk and learner."""
        columns: dict[str, list[Any]] = {}
        parts = [result.records() for result in self.results]
        keys = list(dict.fromkeys(key for part in parts for key in part.columns))
        for seed, part in zip(self.seeds, parts):
            columns.setdefault("seed", []).extend([seed] * len(part))
            for key in keys:
                values = part[key] if key in part.columns else [np.nan] * len(part)
                columns.setdefault(key, []).extend(values)
        return Table(columns)

    def save(self, path: str | Path) -> None:
        """Save all results to one JSON file."""
        content = {"seeds": self.seeds, "results": [to_json(result) for result in self.results]}
        write_json(path, "driftlearn.repeated", content)

    @classmethod
    def load(cls, path: str | Path) -> RepeatedResult:
        """Load saved results."""
        content = read_json(path, "driftlearn.repeated")
        return cls(content["seeds"], [Result(**from_json(one)) for one in content["results"]])

    @property
    def title(self) -> str:
        """Protocol and stream in one line."""
        return f"{self.settings.get('protocol')} on {self.stream}, {len(self.seeds)} seeds"


AnyResult = Result | RepeatedResult
#: Results by stream.
Results = Mapping[str, AnyResult]


def stacked(runs: list[Floats]) -> Floats:
    """Stack arrays along a new first axis; shorter arrays are padded with nan."""
    longest = max(len(run) for run in runs)
    stack = np.full((len(runs), longest, *runs[0].shape[1:]), np.nan)
    for i, run in enumerate(runs):
        stack[i, : len(run)] = run
    return stack
