"""Outcomes with given accuracies, or with the numbers that a paper prints."""

import numpy as np

from driftlearn.bench.papers import Outcome
from driftlearn.evaluate import RepeatedResult, Result

ROWS = 10**9
CLASSES = {
    "wine": (1, 2, 3),
    "OCR": tuple(range(10)),
    "gas": (1, 2, 3, 4, 5),
    "alcohol": (1, 2, 3, 4, 5),
}


def columns(accuracy, classes, stops, seconds=1.0, members=5.0):
    """Return the records of a run with accuracies between 0 and 1, one per chunk."""
    n, k = len(accuracy), len(classes)
    right = np.round(np.nan_to_num(accuracy) * ROWS / k).astype(int)
    confusion = np.zeros((n, k, k), dtype=int)
    for c in range(k):
        confusion[:, c, c] = right
        confusion[:, c, (c + 1) % k] = ROWS // k - right
    starts = np.append(0, stops[:-1])
    return {
        "confusion": confusion,
        "start": starts,
        "stop": np.asarray(stops),
        "trained": np.diff(np.append(0, stops)),
        "log_loss": np.full(n, np.nan),
        "fit_seconds": np.full(n, seconds / n),
        "predict_seconds": np.zeros(n),
        "members": np.full(n, float(members)),
        "nbytes": np.full(n, np.nan),
    }


def result(courses, stops, drifts=(), classes=(0, 1), seconds=None, name="made"):
    """Return a result of given accuracies over time, by learner."""
    seconds = seconds or {}
    return Result(
        names=list(courses),
        classes=np.array(classes),
        stream=name,
        drifts=list(drifts),
        seed=0,
        settings={"protocol": "holdout"},
        params={learner: {} for learner in courses},
        versions={},
        data={
            learner: columns(np.asarray(values), classes, stops, seconds.get(learner, 1.0))
            for learner, values in courses.items()
        },
    )


def outcome(experiment, results):
    """Return an outcome of one seed."""
    return Outcome(experiment, {name: RepeatedResult([0], [one]) for name, one in results.items()})


def met(checked, slack=0.0):
    """Return whether every part of a claim holds and the figures are given."""
    margins, figure = checked
    return min(margins.values()) > -slack and bool(figure)


def any_outcome(experiment, n=80, seeds=2):
    """Return an outcome with all streams and learners of an experiment, random but reproducible.

    Streams with named tests have a chunk for each.
    """
    rng = np.random.default_rng(0)
    results = {}
    if not experiment.learners:
        return Outcome(experiment, {})
    n = len(experiment.tests) or n
    classes = (0, 1)
    for name in experiment.streams:
        if experiment.tests:
            classes = CLASSES.get(name, (1, 2, 3, 4))
        length, step = (1_000, 1_000) if name in ("LED", "RBF") else (n, 50)
        stops = np.arange(1, length + 1) * step
        drifts = [stops[-1] * k // 4 for k in (1, 2, 3)]
        runs = [
            result(
                {learner: rng.uniform(0.5, 1, length) for learner in experiment.learners},
                stops, drifts, classes, name=name,
            )
            for _ in range(seeds)
        ]  # fmt: skip
        results[name] = RepeatedResult(list(range(seeds)), runs)
    return Outcome(experiment, results)


def printed_course(mean, spread=0.0, recovery=None, n=120):
    """Return accuracies of 50 rows each with a mean and a spread, or a recovery after changes."""
    if recovery is None:
        sign = np.where(np.arange(n) % 2, 1.0, -1.0)
        return (mean + spread * sign * np.sqrt((n - 1) / n)) / 100
    course = np.empty(n)
    after = np.zeros(n, dtype=bool)
    for drift in (n // 4, n // 2, 3 * n // 4):
        after[drift : drift + 12] = True
    course[after] = recovery
    course[~after] = (n * mean - after.sum() * recovery) / (~after).sum()
    return course / 100


def printed_outcome(experiment):
    """Return the outcome of an experiment in which everything is as printed."""
    spreads = experiment.further.get("chunk_std", {})
    recoveries = experiment.further.get("recovery", {})
    times = experiment.further.get("seconds", {})
    results = {}
    for stream in experiment.streams:
        courses = {
            learner: printed_course(
                mean,
                spreads.get(stream, {}).get(learner, 0.0),
                recoveries.get(stream, {}).get(learner),
            )
            for learner, mean in experiment.numbers[stream].items()
            if learner in experiment.learners
        }
        stops = np.arange(1, 121) * 50
        results[stream] = result(
            courses, stops, (1_500, 3_000, 4_500), seconds=times.get(stream, {}), name=stream
        )
    return outcome(experiment, results)


class PrintedRecalls(Outcome):
    """Return the outcome of an experiment with named tests and the printed recalls.

    Learners without printed numbers have recalls ten points below those of the last learner.
    """

    def _printed(self, stream, learner):
        known = self.experiment.recalls[stream]
        if learner in known:
            return np.nan_to_num(known[learner])
        return list(known.values())[-1] - 10

    def recalls(self, stream, learner):
        """Return the printed recalls."""
        return self._printed(stream, learner)[:, :-2]

    def overall(self, stream, learner):
        """Return two seeds whose mean and standard deviation are as printed."""
        mean, std = self._printed(stream, learner)[:, -2:].T
        return np.array([mean - std / np.sqrt(2), mean + std / np.sqrt(2)])


def printed_recalls(experiment):
    """Return such an outcome."""
    return PrintedRecalls(experiment, any_outcome(experiment).results)
