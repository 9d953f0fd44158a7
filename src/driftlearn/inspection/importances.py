"""Feature importances: impurity decrease of trees and permutation importances."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from driftlearn.inspection._members import columns_of, members_of, models_of
from driftlearn.tables.frames import frame_of, held, n_rows_of, numbered
from driftlearn.tree.node_arrays import Tree, importances_of, tree_of
from driftlearn.utils.arguments import Floats
from driftlearn.utils.table import Table


def tree_importances(learner: Any) -> Floats:
    """Return the mean feature importances of the trees in a learner, weighted by voting weights.

    Raises
    ------
    AttributeError
        If no member is a tree, so that ``hasattr`` returns False as in scikit-learn.
    """
    learner._check_fitted()
    rows = [_of_model(model, learner) for model in models_of(learner)]
    if all(row is None for row in rows):
        raise AttributeError(
            f"this {type(learner).__name__} has no 'feature_importances_', because no member is a "
            "tree. Use driftlearn.inspection.permutation_importances(model, X, y) instead."
        )
    weights = np.asarray(members_of(learner)["weight"], dtype=float)
    total = np.zeros(learner.n_features_in_)
    for row, weight in zip(rows, weights):
        if row is not None and np.isfinite(weight) and weight > 0:
            total += weight * row
    if not total.any():  # if no tree with splits has weight, all trees count equally
        total += sum(row for row in rows if row is not None)
    return _shares(total)


def _shares(values: Floats) -> Floats:
    """Return values divided by their sum if the sum is positive."""
    total = values.sum()
    return np.asarray(values / total if total > 0 else values)


def _of_model(model: Any, learner: Any) -> Floats | None:
    """Return the importances of a member: zeros without splits, None if not available."""
    d = learner.n_features_in_
    tree = model if isinstance(model, Tree) else tree_of(model)
    if tree is not None:
        return importances_of(tree, d)
    if model is learner:
        return None
    found = getattr(getattr(model, "model", model), "feature_importances_", None)
    if found is None or np.shape(found) != (d,):
        return None
    return _shares(np.nan_to_num(np.asarray(found, dtype=float)))


def permutation_importances(
    model: Any, X: Any, y: Any, *, n_repeats: int = 5, random_state: Any = 0
) -> Table:
    """Return the loss of accuracy when a column is permuted, for any model.

    Parameters
    ----------
    model : classifier or pipeline
        A fitted model.
    X : frame, table, dict of columns or array-like
        Labeled rows, preferably rows on which the model was not trained.
    y : array-like of shape (n,)
        The labels of the rows.
    n_repeats : int
        Number of permutations of each column.
    random_state : int, Generator, RandomState or None
        Seed of the permutations.

    Returns
    -------
    Table
        One row per column, most important first: ``feature``; ``importance``, the mean loss of
        accuracy; and ``spread``, the standard deviation of the loss.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> X = np.random.default_rng(0).random((200, 2))
    >>> model = GaussianNBClassifier().fit(X, X[:, 1] > 0.5)
    >>> permutation_importances(model, X, X[:, 1] > 0.5)["feature"].tolist()
    ['x1', 'x0']
    """
    X, y = held(X), np.asarray(y)
    frame = frame_of(X)
    if frame.n_rows != len(y):
        raise ValueError(f"X has {frame.n_rows} rows, but y has {len(y)} labels")
    is_generator = isinstance(random_state, np.random.Generator)
    rng = random_state if is_generator else check_random_state(random_state)
    right = float((model.predict(X) == y).mean())
    names = frame.names or numbered(len(frame.columns))
    lost = np.zeros((len(names), n_repeats))
    for j, name in enumerate(names):
        for k in range(n_repeats):
            shuffled = _with_column(X, j, name, rng.permutation(n_rows_of(X)))
            lost[j, k] = right - float((model.predict(shuffled) == y).mean())
    found = {"feature": names, "importance": lost.mean(axis=1), "spread": lost.std(axis=1)}
    return Table(found).sort("importance", descending=True)


def importance_table(model: Any) -> Table | None:
    """Return a table of the feature importances of a model, or None if it has none."""
    names, learner = columns_of(model)
    try:
        found = Table({"feature": names, "importance": learner.feature_importances_})
    except AttributeError:
        return None
    return found.sort("importance", descending=True)


def _with_column(X: Any, j: int, name: str, order: np.ndarray) -> Any:
    """Return rows with one permuted column; the other columns are not copied."""
    if isinstance(X, np.ndarray):
        other = X.copy()
        other[:, j] = X[order, j]
        return other
    if hasattr(X, "iloc"):
        other = X.copy()
        other.isetitem(j, X.iloc[order, j].set_axis(X.index))
        return other
    if hasattr(X, "set_column"):  # pyarrow
        return X.set_column(j, name, X.column(j).take(order))
    if hasattr(X, "with_columns"):  # polars
        return X.with_columns(X[name][order.tolist()])
    return {**X, name: np.asarray(X[name])[order]}
