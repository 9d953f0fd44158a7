"""Agrawal generator: loan applications."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from driftlearn.streams._generated import OneConcept
from driftlearn.utils.arguments import check_function
from driftlearn.utils.typing import Floats, Ints, Labels, Rows

Bools = npt.NDArray[np.bool_]
COLUMNS = (
    *("salary", "commission", "age", "elevel", "car", "zipcode", "hvalue", "hyears", "loan"),
)
SALARY, COMMISSION, AGE, ELEVEL, CAR, ZIPCODE, HVALUE, HYEARS, LOAN = range(9)
K = 1_000.0


def _by_age(age: Floats, young: Bools, middle: Bools, old: Bools) -> Bools:
    return np.where(age < 40, young, np.where(age < 60, middle, old))


def _within(values: Floats, low: float, high: float) -> Bools:
    return (low <= values) & (values <= high)


def _f1(x: Floats) -> Bools:
    return (x[AGE] < 40) | (x[AGE] >= 60)


def _salary_by_age(age: Floats, salary: Floats) -> Bools:
    return _by_age(
        age,
        _within(salary, 50 * K, 100 * K),
        _within(salary, 75 * K, 125 * K),
        _within(salary, 25 * K, 75 * K),
    )


def _f2(x: Floats) -> Bools:
    return _salary_by_age(x[AGE], x[SALARY])


def _elevel_by_age(x: Floats) -> Bools:
    level = x[ELEVEL]
    return _by_age(x[AGE], level <= 1, _within(level, 1, 3), level >= 2)


def _f4(x: Floats) -> Bools:
    salary = x[SALARY]
    low, mid, high = (_within(salary, a * K, (a + 50) * K) for a in (25, 50, 75))
    fits = _elevel_by_age(x)
    return _by_age(
        x[AGE],
        np.where(fits, low, mid),
        np.where(fits, mid, high),
        np.where(fits, mid, low),
    )


def _f5(x: Floats) -> Bools:
    low, mid, high = (_within(x[LOAN], a * K, (a + 200) * K) for a in (100, 200, 300))
    fits = _f2(x)
    return _by_age(
        x[AGE],
        np.where(fits, low, mid),
        np.where(fits, mid, high),
        np.where(fits, high, low),
    )


def _f6(x: Floats) -> Bools:
    return _salary_by_age(x[AGE], x[SALARY] + x[COMMISSION])


def _income(x: Floats) -> Floats:
    return 0.67 * (x[SALARY] + x[COMMISSION])


def _f7(x: Floats) -> Bools:
    return _income(x) - 0.2 * x[LOAN] - 20 * K > 0


def _f8(x: Floats) -> Bools:
    return _income(x) - 5 * K * x[ELEVEL] - 20 * K > 0


def _f9(x: Floats) -> Bools:
    return _income(x) - 5 * K * x[ELEVEL] - 0.2 * x[LOAN] - 10 * K > 0


def _f10(x: Floats) -> Bools:
    equity = 0.1 * x[HVALUE] * np.maximum(x[HYEARS] - 20, 0)
    return _income(x) - 5 * K * x[ELEVEL] + 0.2 * equity - 10 * K > 0


FUNCTIONS: tuple[Callable[[Floats], Bools], ...] = (
    *(_f1, _f2, _elevel_by_age, _f4, _f5, _f6, _f7, _f8, _f9, _f10),
)


class Agrawal(OneConcept):
    """Agrawal generator: loan applications labeled by one of ten functions.

    ========== ==================================================================================
    salary     uniform from 20,000 to 150,000
    commission 0 where the salary is 75,000 or more, else uniform from 10,000 to 75,000
    age        20 to 80, integer
    elevel     level of education, 0 to 4
    car        make of the car, 1 to 20
    zipcode    0 to 8
    hvalue     value of the house, uniform from 50,000 k to 150,000 k, with k = zipcode + 1
    hyears     years since the house was bought, 1 to 30, integer
    loan       uniform from 0 to 500,000
    ========== ==================================================================================

    Class 0 is group A of the paper, class 1 the other applicants. Functions 1 to 6 test whether
    age, education, salary (with or without commission) and loan are within certain ranges.
    Functions 7 to 10 test whether the disposable income is positive.

    Parameters
    ----------
    function : int, default=1
        Number of the function, 1 to 10.
    perturbation : float, default=0
        Noise of the numeric features (salary, positive commission, age, hvalue, hyears, loan):
        ``r * perturbation * range`` with ``r ~ U[-1/2, 1/2]`` is added after labeling.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] R. Agrawal, T. Imielinski and A. Swami, "Database mining: a performance perspective",
       IEEE TKDE 5(6), 1993.

    Examples
    --------
    >>> from driftlearn.streams import Agrawal
    >>> X, y = Agrawal(function=1, random_state=0).take(1_000)
    >>> bool(((y == 0) == ((X[:, 2] < 40) | (X[:, 2] >= 60))).all())
    True
    """

    name = "agrawal"
    n_features = len(COLUMNS)

    def __init__(
        self,
        function: int = 1,
        perturbation: float = 0.0,
        n_rows: int | None = 1_000_000,
        chunk_size: int = 1_000,
        random_state: int | None = None,
    ) -> None:
        super().__init__(n_rows, chunk_size, random_state)
        self.function = check_function(function, len(FUNCTIONS))
        self.perturbation = float(perturbation)
        if not 0 <= self.perturbation <= 1:
            raise ValueError(
                "The 'perturbation' parameter must be a float in the range [0, 1]. "
                f"Got {perturbation!r} instead."
            )
        self.classes = np.arange(2)
        self.feature_names = list(COLUMNS)

    def label(self, X: Floats) -> Labels:
        """Return the class of each row; the features must not be perturbed."""
        return 1 - FUNCTIONS[self.function - 1](X.T).astype(np.int64)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        x = rng.random((self.n_features, len(rows)))
        x[SALARY] = 20 * K + 130 * K * x[SALARY]
        x[COMMISSION] = np.where(x[SALARY] >= 75 * K, 0.0, 10 * K + 65 * K * x[COMMISSION])
        for column, first, n in (
            *((AGE, 20, 61), (ELEVEL, 0, 5), (CAR, 1, 20), (ZIPCODE, 0, 9), (HYEARS, 1, 30)),
        ):
            x[column] = first + np.floor(n * x[column])
        unit = 100 * K * (x[ZIPCODE] + 1)
        x[HVALUE] = unit * (0.5 + x[HVALUE])
        x[LOAN] *= 500 * K
        y = self.label(x.T)
        if self.perturbation:
            moved = [SALARY, COMMISSION, AGE, HVALUE, HYEARS, LOAN]
            r = self.perturbation * (rng.random((len(moved), len(rows))) - 0.5)
            paid = 65 * K * (x[COMMISSION] > 0)
            for k, (column, span) in enumerate(zip(moved, (130 * K, paid, 60, unit, 29, 500 * K))):
                x[column] += r[k] * span
        return np.ascontiguousarray(x.T), y
