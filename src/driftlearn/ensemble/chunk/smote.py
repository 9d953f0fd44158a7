"""SMOTE: oversampling of rare classes, and a classifier retrained on each oversampled data set."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base.chunk import Chunk
from driftlearn.base.validation import nominal_columns
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.utils.docstrings import inherit_docs
from driftlearn.utils.optional import needed


def oversampled(
    chunk: Chunk, rng: np.random.Generator, n_neighbors: int = 5, nominal_features: Any = None
) -> Chunk:
    """Return a chunk with synthetic rows of rare classes added.

    Classes with fewer than half the rows of the largest class are filled up to its size. Synthetic
    rows lie between a row of the class and one of its nearest neighbors in it; a class with a
    single row is repeated. Synthetic rows get the mean weight of their class, and their nominal
    values from one random row of it. For each of these classes, in order, one seed for
    imbalanced-learn is drawn from `rng`, and then the rows with the nominal values.

    Parameters
    ----------
    chunk : Chunk
        The rows.
    rng : numpy.random.Generator
        Source of randomness.
    n_neighbors : int
        Maximum number of neighbors to choose from; smaller classes have fewer.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes.
    """
    SMOTE = imported()
    nominal = nominal_columns(nominal_features, chunk.X.shape[1])
    sizes = np.bincount(chunk.y)
    X, y, w = [chunk.X], [chunk.y], [chunk.w]
    for c in chunk.present:
        missing = int(sizes.max() - sizes[c])
        if 2 * sizes[c] >= sizes.max():
            continue
        own = chunk.X[chunk.y == c]
        seed = int(rng.integers(2**31 - 1))
        if len(own) == 1:
            new = np.repeat(own, missing, axis=0)
        else:
            sampler = SMOTE(
                sampling_strategy={1: missing + len(own)},
                k_neighbors=min(n_neighbors, len(own) - 1),
                random_state=seed,
            )
            others = chunk.X[chunk.y != c]
            member = np.r_[np.ones(len(own), int), np.zeros(len(others), int)]
            new = sampler.fit_resample(np.vstack([own, others]), member)[0][len(chunk) :]
        if nominal.any():  # values between two codes would be codes of other categories
            new[:, nominal] = own[rng.integers(len(own), size=missing)][:, nominal]
        X.append(new)
        y.append(np.full(missing, c))
        w.append(np.full(missing, chunk.w[chunk.y == c].mean()))
    return Chunk(np.vstack(X), np.concatenate(y), np.concatenate(w), chunk.classes)


def imported() -> Any:
    """Return imbalanced-learn's SMOTE class, or raise an error with the install command."""
    return needed("imblearn.over_sampling").SMOTE


@inherit_docs
@dataclass(eq=False, repr=False)
class SMOTEClassifier(ChunkClassifier):
    """SMOTE: one model, retrained on each data set after oversampling its rare classes.

    The classifier has no memory: a class that is missing from a data set is not predicted until it
    returns. Use it as the baseline for Learn++.UDNC.

    Parameters
    ----------
    %(estimator)s
    n_neighbors : int, default=5
        Number of nearest neighbors used for synthetic rows; smaller classes use fewer.
    chunk_size : int, optional
        Number of rows per chunk. By default each `partial_fit` or `fit` call is a chunk,
        because a single model benefits from all rows of a table.
    %(nominal_features)s
    %(class_weight)s
    %(random_state)s
    %(n_jobs)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row, for the single model.
    %(history_)s

    References
    ----------
    .. [1] N. V. Chawla, K. W. Bowyer, L. O. Hall, W. P. Kegelmeyer, "SMOTE: Synthetic Minority
       Over-sampling Technique", JAIR 16, 2002, doi:10.1613/jair.953.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> rare = slice(None, 110)
    >>> SMOTEClassifier(random_state=0).fit(X[rare], y[rare]).score(X, y) > 0.8
    True
    """

    _: KW_ONLY
    n_neighbors: int = 5

    _splits_tables = False
    _parameter_constraints = {"n_neighbors": [Interval(Integral, 1, None, closed="left")]}

    def _measures(self) -> bool:
        return True  # SMOTE interpolates between rows

    def _learn(self, chunk: Chunk) -> None:
        self.committee_.select([])
        filled = oversampled(chunk, self.rng_, self.n_neighbors, self.nominal_features)
        self.committee_.add(self._train(filled), weight=1.0, created_at=self.step_)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self.committee_.vote(self.committee_.probas(X))
