"""Logistic regression for tables: one-hot encoded categories and standardized numbers."""

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import Interval

from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.validation import LIGHTEST, nominal_columns
from driftlearn.io.schema import Field, InvalidStateError, floats, integer, integers, list_of

FEWEST_ROWS = 10  # sum of row weights; below, only the class frequencies are estimated
BLOCK = 10_000  # rows that are encoded together
CONSTANT = 1e-9  # a smaller standard deviation, relative to the mean, is rounding noise


@dataclass(eq=False, repr=False)
class OneHotLogisticClassifier(StreamClassifier):
    """Logistic regression for tables: one-hot encoded categories and standardized numbers.

    The model is trained on all rows of a call; it cannot be updated. Use it in `RefitClassifier`,
    or as a candidate of `OnlineStackingClassifier`, where a linear model complements trees: it is
    cheap, and it extrapolates from few rows.

    Numeric columns are standardized, and missing values are replaced by the mean. Nominal columns
    are one-hot encoded; rare values, values not seen in training, and the values of a column with
    too many share a column.

    Parameters
    ----------
    C : float, default=0.3
        Inverse strength of the L2 penalty.
    max_iter : int, default=20
        Maximum number of iterations of the solver. Coefficients that have not converged by then
        are used without a warning, since more iterations hardly change the predictions.
    min_frequency : int, default=10
        Sum of row weights that a value of a nominal column needs for a coefficient of its own.
    max_categories : int, default=60
        Maximum number of values of a nominal column with coefficients of their own: the most
        frequent ones.
    nominal_features : array-like, optional
        Columns that contain codes of categories: indices, or a boolean mask. A pipeline with a
        `TableEncoder` sets them.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied. A dict maps labels to weights; other
        classes have weight 1. "balanced" uses n / (k * rows of the class), with the n rows and k
        classes of the call.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    categories_ : list of ndarray
        The values with coefficients of their own, for each nominal column; nan is a missing value.
    mean_, scale_ : ndarray
        Mean and standard deviation of each numeric column.
    coef_ : ndarray of shape (n_classes, n_coefficients)
        Coefficients: of the numeric columns, then for each nominal column those of its categories
        and that of all other values.
    intercept_ : ndarray of shape (n_classes,)
        Intercepts. With row weights of less than ten, or one class, these are the logarithms of the
        class frequencies, and all coefficients are 0.
    n_iter_ : int
        Number of iterations of the solver.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2nd
       edition, Springer, 2009 (section 4.4).

    Examples
    --------
    >>> X = [[shop, price] for shop in range(3) for price in range(20)]
    >>> y = [int(shop == 1) for shop, price in X]
    >>> OneHotLogisticClassifier(nominal_features=[0]).fit(X, y).score(X, y)
    1.0
    """

    C: float = 0.3
    _: KW_ONLY
    max_iter: int = 20
    min_frequency: int = 10
    max_categories: int = 60
    nominal_features: Any = None
    class_weight: Any = None

    STATE: ClassVar[dict[str, Field]] = {
        "numeric_": integers("numeric", least=0, below="n_features_in_"),
        "nominal_": integers("nominal", least=0, below="n_features_in_"),
        "mean_": floats("numeric"),
        "scale_": floats("numeric", least=0.0),
        "categories_": list_of(floats(None, missing=True), "nominal"),
        "coef_": floats("classes", "coefficients"),
        "intercept_": floats("classes"),
        "n_iter_": integer(0),
    }
    _incremental = False
    _parameter_constraints = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "min_frequency": [Interval(Integral, 1, None, closed="left")],
        "max_categories": [Interval(Integral, 0, None, closed="left")],
        "nominal_features": ["array-like", None],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless there is a coefficient for each column and category."""
        if "coef_" in state:
            n_categories = sum(len(values) + 1 for values in state["categories_"])
            if state["coef_"].shape[1] != len(state["numeric_"]) + n_categories:
                raise InvalidStateError("the coefficients do not match the columns and categories")

    def _takes_missing(self) -> bool:
        return True

    def _check_features(self, X: np.ndarray) -> None:
        nominal_columns(self.nominal_features, X.shape[1])

    def _learn(self, chunk: Chunk) -> None:
        nominal = nominal_columns(self.nominal_features, self.n_features_in_)
        self.numeric_, self.nominal_ = np.flatnonzero(~nominal), np.flatnonzero(nominal)
        self._standardize(chunk.X[:, self.numeric_], chunk.w)
        columns = chunk.X[:, self.nominal_].T
        self.categories_ = [self._frequent(column, chunk.w) for column in columns]
        widths = [len(self.numeric_), *(len(values) + 1 for values in self.categories_)]
        self.coef_ = np.zeros((len(self.classes_), sum(widths)))
        shares = np.bincount(chunk.y, chunk.w, len(self.classes_)) + 1e-12
        self.intercept_ = np.log(shares / shares.sum())
        self.n_iter_ = 0
        if chunk.w.sum() >= FEWEST_ROWS and len(chunk.present) > 1:
            self._fit_coefficients(chunk)

    def _standardize(self, X: np.ndarray, w: np.ndarray) -> None:
        """Set mean and scale of the numeric columns; those of an empty column are 0 and 1."""
        missing = np.isnan(X)
        weights = np.where(missing, 0.0, w[:, None])
        total = np.maximum(weights.sum(axis=0), LIGHTEST)
        terms = np.where(missing, 0.0, X)
        terms *= weights
        self.mean_ = terms.sum(axis=0) / total
        np.subtract(X, self.mean_, out=terms)  # in place, since tables may be large
        terms[missing] = 0.0
        terms *= terms
        terms *= weights
        scale = np.sqrt(terms.sum(axis=0) / total)
        self.scale_ = np.where(scale > CONSTANT * np.abs(self.mean_), scale, 1.0)

    def _frequent(self, column: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return the values of a nominal column that get coefficients of their own, sorted."""
        values, codes = np.unique(column, return_inverse=True)
        counts = np.bincount(codes, w, len(values))
        most = np.argsort(-counts, kind="stable")[: self.max_categories]
        return np.sort(values[most[counts[most] >= self.min_frequency]])

    def _fit_coefficients(self, chunk: Chunk) -> None:
        model = LogisticRegression(C=self.C, max_iter=self.max_iter)
        with warnings.catch_warnings():
            # of convergence, and of many classes, which could be a regression problem
            warnings.simplefilter("ignore", UserWarning)
            model.fit(self._design(chunk.X), chunk.y, chunk.w)
        # with two classes there are only the coefficients of the second
        binary = len(chunk.present) == 2
        self.intercept_ = np.full(len(self.classes_), self.intercept_.min())
        rows = chunk.present[-1:] if binary else chunk.present
        self.intercept_[chunk.present] = 0.0
        self.coef_[rows], self.intercept_[rows] = model.coef_, model.intercept_
        self.n_iter_ = int(model.n_iter_[0])

    def _design(self, X: np.ndarray) -> sparse.csr_array:
        """Return standardized numbers and one-hot encoded categories."""
        # Intermediate arrays of all rows would take several times the memory of `X`.
        parts = [self._encoded(X[k : k + BLOCK]) for k in range(0, len(X), BLOCK)]
        return sparse.vstack(parts, format="csr")

    def _encoded(self, X: np.ndarray) -> sparse.csr_array:
        numbers = (X[:, self.numeric_] - self.mean_) / self.scale_
        numbers[np.isnan(numbers)] = 0.0
        rows = np.arange(len(X))
        blocks = [sparse.csr_array(numbers)] if len(self.numeric_) else []
        for column, values in zip(X[:, self.nominal_].T, self.categories_):
            places = np.searchsorted(values, column)
            found = values.take(places, mode="clip") if len(values) else column
            is_known = (found == column) | np.isnan(found) & np.isnan(column)
            places[~is_known | (places == len(values))] = len(values)
            shape = len(X), len(values) + 1
            blocks.append(sparse.csr_array((np.ones(len(X)), (rows, places)), shape=shape))
        return sparse.hstack(blocks, format="csr")

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = self._design(X) @ self.coef_.T + self.intercept_
        return np.exp(scores - scores.max(axis=1, keepdims=True))
