"""Explanations of predictions by members, weights and tree splits."""

from typing import Any

import numpy as np

from driftlearn.base.validation import as_before, validate_rows
from driftlearn.inspection import _members
from driftlearn.tree.node_arrays import Tree, path_of, tree_of
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table

SHOWN_ROWS, SHOWN_MEMBERS = 5, 5  # number of printed rows and members; the table contains all
SHOWN_CODES = 3  # number of categories of a group, that of the row first


class Explanation:
    """Explanation of predictions: member predictions, weights, and the tree splits behind them.

    Printing shows the predictions of the members with the largest weights for the first rows;
    `table` contains all rows and members.

    Parameters
    ----------
    model : learner or IncrementalPipeline
        A fitted model.
    X : array-like
        The rows.

    Attributes
    ----------
    classes : ndarray
        The labels.
    labels : ndarray of shape (rows,)
        The predictions of the model.
    probabilities : ndarray of shape (rows, classes)
        The class probabilities.
    members : Table
        The members; a learner without members is treated as a single member.

    Notes
    -----
    The weights are taken from the table of members. A few learners weight members for each row by
    its neighborhood, or use a single member; `labels` contains the actual predictions.

    Examples
    --------
    >>> from driftlearn import SEAClassifier
    >>> X = [[k / 20] for k in range(20)]
    >>> model = SEAClassifier().fit(X, [k > 9 for k in range(20)])
    >>> print(model.explain([[0.9]]))
    row 0: True (0.95)
      member 1, weight 1: True (0.95), since x0 > 0.475 (0.9)
    """

    def __init__(self, model: Any, X: Any):
        model._check_fitted()
        names, learner = _members.columns_of(model)
        for _, step in getattr(model, "steps_", [])[:-1]:
            X = step.transform(X)
        with learner._locked():
            learner._check_fitted()
            self._X = X = X if as_before(learner, X) else validate_rows(learner, X)
            self.classes = learner.classes_
            self.probabilities: np.ndarray = learner.predict_proba(X)
            self._predicted = learner._predicted_codes(self.probabilities, self.classes)
            self.members = _members.members_of(learner)
            self._codes, self._confidence = _members.predictions_of(learner, X)
            models = _members.models_of(learner)
            self._trees = [each if isinstance(each, Tree) else tree_of(each) for each in models]
        self.labels = self.classes[self._predicted]
        self._names, self._values = names, _members.values_of(model)

    def __len__(self) -> int:
        return len(self.labels)

    def splits(self, row: int, member: int) -> list[str]:
        """Return the splits on the path of a row in a member; empty if the member is not a tree.

        Parameters
        ----------
        row : int
            The position of the row.
        member : int
            The position of the member in `members`.
        """
        tree = self._trees[member]
        if tree is None:
            return []
        found = []
        for feature, sign, threshold in path_of(tree, self._X[row]):
            name = self._names[feature]
            known = self._values.get(name, {})
            value = float(self._X[row, feature])
            if sign == "in" and len(threshold) == 1:
                sign, threshold = "==", threshold[0]
            if sign in ("is missing", "is new"):
                found.append(f"{name} {sign}")
            elif sign == "in":
                codes = [value, *(code for code in threshold if code != value)][:SHOWN_CODES]
                shown = ", ".join(known.get(code, f"{code:g}") for code in codes)
                more = ", ..." if len(threshold) > SHOWN_CODES else ""
                found.append(f"{name} in {{{shown}{more}}}")
            elif sign in ("==", "!=") and threshold in known:
                found.append(f"{name} {'is' if sign == '==' else 'is not'} {known[threshold]}")
            else:
                found.append(f"{name} {sign} {threshold:.6g} ({known.get(value, f'{value:.6g}')})")
        return found

    @property
    def table(self) -> Table:
        """Table with one row per input row and member: prediction, confidence, weight, splits."""
        m = len(self.members)
        rows, members = np.repeat(np.arange(len(self)), m), np.tile(np.arange(m), len(self))
        codes = self._codes[members, rows]
        paths = [" and ".join(self.splits(i, k)) for i, k in zip(rows.tolist(), members.tolist())]
        columns: dict[str, Any] = {"row": rows, "member": self.members["id"][members]}
        for name in self.members.columns:
            if name in ("name", "created_at", "weight"):
                columns[name] = self.members[name][members]
        return Table({
            **columns,
            "prediction": [None if code < 0 else self.classes[code] for code in codes],
            "confidence": self._confidence[members, rows],
            "agrees": codes == self._predicted[rows],
            "splits": [path or None for path in paths],
        })  # fmt: skip

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the table as dicts of plain Python values."""
        return self.table.to_dicts()

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return self.table.to_frame()

    def __repr__(self) -> str:
        weights = np.nan_to_num(np.asarray(self.members["weight"], dtype=float))
        heaviest = np.argsort(-weights, kind="stable")
        lines = []
        for i in range(min(len(self), SHOWN_ROWS)):
            sure = self.probabilities[i].max()
            lines.append(f"row {i}: {printable(self.labels[i])} ({sure:.2f})")
            lines += [self._line(i, int(k), weights[k]) for k in heaviest[:SHOWN_MEMBERS]]
            if len(heaviest) > SHOWN_MEMBERS:
                rest = heaviest[SHOWN_MEMBERS:]
                agree = int((self._codes[rest, i] == self._predicted[i]).sum())
                lines.append(f"  {len(rest)} other members, {agree} of which agree")
        if len(self) > SHOWN_ROWS:
            lines.append(f"... {len(self) - SHOWN_ROWS} more rows are in .table")
        return "\n".join(lines)

    def _line(self, i: int, k: int, weight: float) -> str:
        code = self._codes[k, i]
        label = "no prediction" if code < 0 else printable(self.classes[code])
        sure = self._confidence[k, i]
        label += "" if np.isnan(sure) else f" ({sure:.2f})"
        name = self.members["name"][k] if "name" in self.members.columns else ""
        member = printable(name) or f"member {self.members['id'][k]}"
        path = ", ".join(self.splits(i, k))
        return f"  {member}, weight {weight:.4g}: {label}" + (f", since {path}" if path else "")
