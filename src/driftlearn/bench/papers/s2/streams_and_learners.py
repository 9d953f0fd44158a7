"""Class schedules over recorded rows, Learn++ and Learn++.MT, and the published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.svm import SVC

import driftlearn as dl
from driftlearn import streams
from driftlearn.bench.papers.outcome import Outcome, table_of
from driftlearn.bench.papers.paper import published
from driftlearn.utils.table import Table

GASES = (1, 2, 4, 6, 5)
ALCOHOLS = ("1-Isobutanol", "1-Octanol", "1-Propanol", "2-Butanol", "2-Propanol")
ALCOHOL_COUNTS = ((8, 0, 8, 0, 9), (4, 10, 4, 0, 2), (4, 6, 4, 12, 2), (9, 9, 9, 13, 12))
MLP = dl.MLPGoalClassifier.network_a()
KINDS = {"Learn++": dl.LearnPPClassifier, "Learn++.MT": dl.LearnPPMTClassifier}
OTHER_BASES: dict[str, Any] = {
    " NB": dl.GaussianNBClassifier(var_smoothing=1e-2, constant="density"),
    " CART": dl.CARTClassifier.as_published(),
    " SVM": SVC(),
}


def unit(X: np.ndarray) -> np.ndarray:
    """Scale features to [0, 1] by their bounds over all rows."""
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / (high - low)


def drawn(plan: streams.ClassSchedule) -> tuple[Any, ...]:
    """Return the parameters of a schedule after its source."""
    counts = plan.counts, plan.test_counts, plan.validation_counts
    return *counts, plan.redrawn, plan.random_state


class Wine(streams.ClassSchedule):
    """Wine data in the class schedule of Table 1, with features in [0, 1]."""

    name = "wine"

    def __init__(self, random_state: int | None = None) -> None:
        plan = streams.paper_schedule("wine", random_state)
        X, y = plan.source.arrays()
        super().__init__(streams.from_arrays(unit(X), y + 1), *drawn(plan))


class Digits(streams.ClassSchedule):
    """Digits in a class schedule of this paper or of the Learn++.UDNC paper, with pixels in [0, 1].

    Parameters
    ----------
    schedule : str
        Name of a schedule in `driftlearn.streams.paper_schedule`.
    random_state : int, default=None
        Seed.
    """

    def __init__(self, schedule: str, random_state: int | None = None) -> None:
        self.schedule = self.name = schedule
        plan = streams.paper_schedule(schedule, random_state)
        X, y = plan.source.arrays()
        super().__init__(streams.from_arrays(X / 16, y), *drawn(plan))


class Vapours(streams.ClassSchedule):
    """Public gas sensor data in the class schedule of Table 7.

    Ammonia, one of the six gases, is omitted. There are 25 rows of each alcohol; the counts of each
    class are scaled so that all rows are used.

    Parameters
    ----------
    data : {"gas", "alcohol"}
        The data set.
    random_state : int, default=None
        Seed.
    """

    def __init__(self, data: str, random_state: int | None = None) -> None:
        self.data = self.name = data
        recorded: Any = streams.load(data)
        X, y = recorded.arrays()
        classes: tuple[Any, ...] = ALCOHOLS
        counts: tuple[Any, ...] = ALCOHOL_COUNTS
        if data == "gas":
            classes, counts = GASES, tuple(published()["S2"]["tables"]["7"]["rows"].values())
        kept = np.isin(y, classes)
        number = {label: k for k, label in enumerate(classes, start=1)}
        source = streams.from_arrays(unit(X[kept]), [number[label] for label in y[kept].tolist()])
        super().__init__(source, counts[:-1], counts[-1], random_state=random_state)


def both(
    bases: Mapping[str, Any], n_per_chunk: int = 5, composite: str = "all", **options: Any
) -> dict[str, Any]:
    """Return Learn++ and Learn++.MT for each base learner, by names of learner and base learner."""
    return {
        f"{name}{suffix}": kind(base, n_per_chunk, composite=composite, **options)
        for suffix, base in bases.items()
        for name, kind in KINDS.items()
    }


class Validated(BaseEstimator):  # type: ignore[misc]
    """Learn++ whose members are selected on the validation set of the wine schedule.

    The seed equals that of the stream, so the validation set contains no rows of the stream.

    Parameters
    ----------
    estimator : LearnPPClassifier or LearnPPMTClassifier
        The learner.
    random_state : int, optional
        Seed of the learner and of the schedule.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # checked where it is used

    def __init__(self, estimator: Any, random_state: int | None = None):
        self.estimator = estimator
        self.random_state = random_state

    def partial_fit(self, X: Any, y: Any) -> Validated:
        """Train on a data set; keep the number of new members with the least validation error."""
        if not hasattr(self, "learner_"):
            self.learner_ = clone(self.estimator).set_params(random_state=self.random_state)
        self.learner_.partial_fit(X, y, validation=Wine(self.random_state).validation_set())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted labels."""
        return self.learner_.predict(X)

    @property
    def members_(self) -> Any:
        """The remaining members."""
        return self.learner_.members_


def validated(base: Any = MLP, **options: Any) -> dict[str, Any]:
    """Return both learners with up to 30 members per data set, selected on the validation set."""
    return {name: Validated(learner) for name, learner in both({"": base}, 30, **options).items()}


def printed(old: str, new: str) -> dict[str, np.ndarray]:
    """Return the published numbers of Learn++ and MT, one row per data set."""
    tables = published()["S2"]["tables"]
    return {
        name: np.array(list(tables[number]["rows"].values()), dtype=float)
        for name, number in (("Learn++", old), ("Learn++.MT", new))
    }


def members_table(old: str, new: str, per_set: bool, outcome: Outcome) -> Table:
    """Return the number of members after each data set, published and ours.

    Parameters
    ----------
    old, new : str
        The tables of Learn++ and of MT.
    per_set : bool
        Whether the published numbers count only the new members of each data set.
    outcome : Outcome
        The outcome.
    """
    tables, rows = published()["S2"]["tables"], []
    for stream, result in outcome.results.items():
        for learner, number in (("Learn++", old), ("Learn++.MT", new)):
            known = np.array(tables[number]["n_classifiers"])
            known = known.cumsum() if per_set else known
            ours = result.scores(learner, "members").mean(axis=0).round(1)
            for after in zip(outcome.experiment.tests, known.tolist(), ours.tolist()):
                rows.append((stream, learner, *after))
    names = ("stream", "learner", "after", "published", "ours")
    return table_of(names, rows)
