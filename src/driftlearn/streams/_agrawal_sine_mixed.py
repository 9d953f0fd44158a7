"""Generators labeled by numbered functions: Agrawal, asset negotiation, Sine, Mixed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from driftlearn.streams._generated import Generator
from driftlearn.streams._stream import read_json
from driftlearn.utils.arguments import Floats, Ints, Labels, Rows

Bools = npt.NDArray[np.bool_]
COLUMNS = ["salary", "commission", "age", "elevel", "car", "zipcode", "hvalue", "hyears", "loan"]
SALARY, COMMISSION, AGE, ELEVEL, CAR, ZIPCODE, HVALUE, HYEARS, LOAN = range(9)
#: First value and number of values of each integer column.
INTEGERS = {AGE: (20, 61), ELEVEL: (0, 5), CAR: (1, 20), ZIPCODE: (0, 9), HYEARS: (1, 30)}
K = 1_000.0


def _by_age(age: Floats, young: Bools, middle: Bools, old: Bools) -> Bools:
    return np.where(age < 40, young, np.where(age < 60, middle, old))


def _ranges(values: Floats, width: float, *starts: float) -> list[Bools]:
    """Return, for each range (in thousands), a mask of the values it contains."""
    return [(start * K <= values) & (values <= (start + width) * K) for start in starts]


def _salary_by_age(age: Floats, salary: Floats) -> Bools:
    return _by_age(age, *_ranges(salary, 50, 50, 75, 25))


def _f2(x: Floats) -> Bools:
    return _salary_by_age(x[AGE], x[SALARY])


def _elevel_by_age(x: Floats) -> Bools:
    level = x[ELEVEL]
    return _by_age(x[AGE], level <= 1, (level >= 1) & (level <= 3), level >= 2)


def _f4(x: Floats) -> Bools:
    low, mid, high = _ranges(x[SALARY], 50, 25, 50, 75)
    fitting, others = _by_age(x[AGE], low, mid, mid), _by_age(x[AGE], mid, high, low)
    return np.where(_elevel_by_age(x), fitting, others)


def _f5(x: Floats) -> Bools:
    low, mid, high = _ranges(x[LOAN], 200, 100, 200, 300)
    fitting, others = _by_age(x[AGE], low, mid, high), _by_age(x[AGE], mid, high, low)
    return np.where(_f2(x), fitting, others)


def _income(x: Floats) -> Floats:
    return 0.67 * (x[SALARY] + x[COMMISSION])


def _equity(x: Floats) -> Floats:
    return 0.1 * x[HVALUE] * np.maximum(x[HYEARS] - 20, 0)


#: Functions 1 to 10, which return whether an applicant belongs to group A.
FUNCTIONS: tuple[Callable[[Floats], Bools], ...] = (
    lambda x: (x[AGE] < 40) | (x[AGE] >= 60),
    _f2,
    _elevel_by_age,
    _f4,
    _f5,
    lambda x: _salary_by_age(x[AGE], x[SALARY] + x[COMMISSION]),
    lambda x: _income(x) - 0.2 * x[LOAN] - 20 * K > 0,
    lambda x: _income(x) - 5 * K * x[ELEVEL] - 20 * K > 0,
    lambda x: _income(x) - 5 * K * x[ELEVEL] - 0.2 * x[LOAN] - 10 * K > 0,
    lambda x: _income(x) - 5 * K * x[ELEVEL] + 0.2 * _equity(x) - 10 * K > 0,
)


@dataclass(repr=False, eq=False)
class Agrawal(Generator):
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
    _columns = COLUMNS
    _n_functions = len(FUNCTIONS)
    _ranges = {"perturbation": "[0, 1]"}
    function: int = 1
    perturbation: float = 0.0
    n_rows: int | None = 1_000_000
    chunk_size: int = 1_000
    random_state: int | None = None

    def label(self, X: Floats) -> Labels:
        """Return the class of each row; the features must not be perturbed."""
        return 1 - FUNCTIONS[self.function - 1](X.T).astype(np.int64)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        x = rng.random((self.n_features, len(rows)))
        x[SALARY] = 20 * K + 130 * K * x[SALARY]
        x[COMMISSION] = np.where(x[SALARY] >= 75 * K, 0.0, 10 * K + 65 * K * x[COMMISSION])
        for column, (first, n) in INTEGERS.items():
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


_ASSETS = read_json("asset_negotiation")
#: Values of each feature, in the order of their codes.
VALUES: dict[str, tuple[Any, ...]] = {k: tuple(v) for k, v in _ASSETS["values"].items()}
#: Each function is a disjunction of conjunctions: an offer is of interest if all values on at least
#: one line match.
RULES: dict[int, tuple[dict[str, Any], ...]] = dict(enumerate(map(tuple, _ASSETS["rules"]), 1))


@dataclass(repr=False, eq=False)
class FunctionGenerator(Generator):
    """Base class of generators with a selectable labeling function."""

    function: int = 1
    n_rows: int | None = 1_000_000
    chunk_size: int = 1_000
    random_state: int | None = None


class AssetNegotiation(FunctionGenerator):
    """Asset negotiation generator: offers labeled by an agent's interest.

    An offer has five categorical features: colour, price, term of payment, amount and delay of
    delivery. Their values are coded by their positions in ``AssetNegotiation.VALUES`` and equally
    frequent. The class is 1 if the offer matches one of five rules, ``AssetNegotiation.RULES``,
    else 0. At most 2 % of the offers match; `ClassImbalance` changes this share.

    Parameters
    ----------
    function : {1, 2, 3, 4, 5}, default=1
        Number of the labeling rule.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] F. Enembreck, B. C. Avila, E. E. Scalabrin and J.-P. Barthes, "Learning drifting
       negotiations", Applied Artificial Intelligence 21(9), 2007.

    Examples
    --------
    >>> from driftlearn.streams import AssetNegotiation, ClassImbalance
    >>> stream = ClassImbalance(AssetNegotiation(function=2), ((1, 1),), random_state=0)
    >>> X, y = stream.take(1_000)
    >>> [AssetNegotiation.VALUES["price"][int(code)] for code in set(X[y == 1, 1])]
    ['high']
    """

    name = "asset-negotiation"
    VALUES = VALUES
    RULES = RULES
    n_features = len(VALUES)
    _columns = tuple(VALUES)
    _n_functions = len(RULES)

    def label(self, X: Floats) -> Labels:
        """Return the class of each row."""
        codes = dict(zip(VALUES, X.T))
        matches = [
            [codes[name] == VALUES[name].index(value) for name, value in line.items()]
            for line in RULES[self.function]
        ]
        return np.any([np.all(line, axis=0) for line in matches], axis=0).astype(np.int64)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        sizes = [len(values) for values in VALUES.values()]
        X = np.floor(rng.random((len(rows), len(sizes))) * sizes)
        return X, self.label(X)


class Sine(FunctionGenerator):
    """Sine generator: two classes separated by a sine curve.

    ``x ~ U[0, 1]^2``. Depending on `function`, the class is 1 if

    1. ``x2 < sin(x1)``,
    2. ``x2 >= sin(x1)``, the reverse of 1,
    3. ``x2 < 0.5 + 0.3 sin(3 pi x1)``,
    4. ``x2 >= 0.5 + 0.3 sin(3 pi x1)``, the reverse of 3;

    else 0. These are SINE1 and SINE2 of the paper before and after the drift. With two columns of
    `IrrelevantFeatures` they are SINIREL1 and SINIREL2.

    Parameters
    ----------
    function : {1, 2, 3, 4}, default=1
        Number of the labeling rule.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] J. Gama, P. Medas, G. Castillo and P. Rodrigues, "Learning with drift detection", SBIA
       2004.

    Examples
    --------
    >>> from driftlearn.streams import Sine
    >>> X, y = Sine(function=2, random_state=0).take(10_000)
    >>> round(float(y.mean()), 2)
    0.54
    """

    name = "sine"
    n_features = 2
    _n_functions = 4

    def label(self, X: Floats) -> Labels:
        """Return the class of each row."""
        curve = np.sin(X[:, 0]) if self.function <= 2 else wave(X[:, 0])
        return ((X[:, 1] < curve) == (self.function % 2 == 1)).astype(np.int64)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.random((len(rows), 2))
        return X, self.label(X)


class Mixed(FunctionGenerator):
    """Mixed generator: two Boolean and two numeric features, labeled by a majority of conditions.

    ``x1`` and ``x2`` are 0 or 1, ``x3`` and ``x4`` uniform in [0, 1]. Class 1 if at least two of
    ``x1 = 1``, ``x2 = 1`` and ``x4 < 0.5 + 0.3 sin(3 pi x3)`` hold, else 0; with ``function=2``
    the classes are reversed.

    Parameters
    ----------
    function : {1, 2}, default=1
        Number of the labeling rule.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] J. Gama, P. Medas, G. Castillo and P. Rodrigues, "Learning with drift detection", SBIA
       2004.

    Examples
    --------
    >>> from driftlearn.streams import Mixed
    >>> Mixed(random_state=0).take(3)[1].tolist()
    [1, 0, 0]
    """

    name = "mixed"
    n_features = 4
    _n_functions = 2

    def label(self, X: Floats) -> Labels:
        """Return the class of each row."""
        held = X[:, 0] + X[:, 1] + (X[:, 3] < wave(X[:, 2]))
        return ((held >= 2) == (self.function == 1)).astype(np.int64)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.random((len(rows), 4))
        X[:, :2] = X[:, :2] < 0.5
        return X, self.label(X)


def wave(x: Floats) -> Floats:
    """Return the second sine curve of the paper."""
    return 0.5 + 0.3 * np.sin(3 * np.pi * x)
