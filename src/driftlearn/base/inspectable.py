"""What can be asked of every learner besides its predictions: margins, importances, reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.utils.hooks import hook

if TYPE_CHECKING:
    from driftlearn.inspection.explanation import Explanation


class Inspectable:
    """A learner that says how sure it is, what it looks at, and why it says what it says."""

    if TYPE_CHECKING:

        def _proba_with_classes(self, X: Any) -> tuple[np.ndarray, np.ndarray]: ...

        def _check_fitted(self) -> None: ...

    def decision_function(self, X: Any) -> np.ndarray:
        """Return how sure the learner is of each class.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n,) or (n, classes)
            Of two classes the probability of the second less that of the first: above 0 where
            `predict` says the second. Of more classes their probabilities. (Of one class, -1.)
        """
        probas, classes = self._proba_with_classes(X)
        return probas if len(classes) > 2 else probas[:, 1:].sum(axis=1) - probas[:, 0]

    @property
    def feature_importances_(self) -> np.ndarray:
        """What trees look at: the decrease of impurity that is due to each feature.

        It is the mean over members that are trees and have split, by their weights in `members_`;
        the importances of each add up to 1. All are 0 as long as no tree has split. Of external
        members it is what they say themselves. A learner without such members has no
        importances: there `driftlearn.inspection.permutation_importances` tells what rows tell.
        """
        importances: np.ndarray = hook("tree_importances")(self)
        return importances

    def explain(self, X: Any) -> Explanation:
        """Return why the learner says of rows what it says.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows; a handful, if somebody is to read it.

        Returns
        -------
        driftlearn.inspection.Explanation
            Which members say what, with which weight, and by which splits; it prints itself.
        """
        self._check_fitted()
        explanation: Explanation = hook("explain")(self, X)
        return explanation
