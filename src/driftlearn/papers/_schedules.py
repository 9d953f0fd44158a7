"""The streams of S2 and S4 that hand recorded rows out by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.papers._experiment import published
from driftlearn.streams import ClassSchedule, from_arrays, load, paper_schedule

GASES = (1, 2, 4, 6, 5)
ALCOHOLS = ("1-Isobutanol", "1-Octanol", "1-Propanol", "2-Butanol", "2-Propanol")
ALCOHOL_COUNTS = ((8, 0, 8, 0, 9), (4, 10, 4, 0, 2), (4, 6, 4, 12, 2), (9, 9, 9, 13, 12))


def unit(X: np.ndarray) -> np.ndarray:
    """Return features scaled to [0, 1] by their bounds over all rows."""
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / (high - low)


class Wine(ClassSchedule):
    """The schedule of S2's Table 1, features from 0 to 1 and classes numbered as there."""

    name = "wine"

    def __init__(self, random_state: int | None = None) -> None:
        plan = paper_schedule("wine", random_state)
        X, y = plan.source.arrays()
        counts = plan.counts, plan.test_counts, plan.validation_counts, plan.redrawn
        super().__init__(from_arrays(unit(X), y + 1), *counts, random_state=plan.random_state)


class Digits(ClassSchedule):
    """A schedule of digits of S2 or S4, pixels from 0 to 1.

    Parameters
    ----------
    schedule : str
        As `driftlearn.streams.paper_schedule` names it.
    random_state : int, default=None
        Seed.
    """

    def __init__(self, schedule: str, random_state: int | None = None) -> None:
        self.schedule = self.name = schedule
        plan = paper_schedule(schedule, random_state)
        X, y = plan.source.arrays()
        counts = plan.counts, plan.test_counts, plan.validation_counts, plan.redrawn
        super().__init__(from_arrays(X / 16, y), *counts, random_state=plan.random_state)


class Vapours(ClassSchedule):
    """Public sensor data in the schedule of S2's Table 7, the classes numbered as there.

    Of the six gases ammonia is left out. Of each alcohol there are 25 rows, and the counts are
    scaled class by class so that all are used.

    Parameters
    ----------
    data : {"gas", "alcohol"}
        Which data.
    random_state : int, default=None
        Seed.
    """

    def __init__(self, data: str, random_state: int | None = None) -> None:
        self.data = self.name = data
        recorded: Any = load(data)
        X, y = recorded.arrays()
        classes: tuple = ALCOHOLS
        counts: tuple = ALCOHOL_COUNTS
        if data == "gas":
            classes, counts = GASES, tuple(published()["S2"]["tables"]["7"]["rows"].values())
        kept = np.isin(y, classes)
        number = {label: k for k, label in enumerate(classes, start=1)}
        source = from_arrays(unit(X[kept]), [number[label] for label in y[kept].tolist()])
        super().__init__(source, counts[:-1], counts[-1], random_state=random_state)
