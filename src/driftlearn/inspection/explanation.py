"""Why a model says of a row what it says."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.base.validation import as_before, validate_rows
from driftlearn.inspection._names import columns_of, values_of
from driftlearn.inspection._trees import Tree, tree_of, way_of
from driftlearn.inspection._voices import members_of, models_of, said_by
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table

SHOWN_ROWS = 5  # that are printed; all are in the table
SHOWN_MEMBERS = 5  # the heaviest


class Explanation:
    """Which members of a model say what of rows, with which weight, and by which splits.

    It prints itself: of the first rows what the heaviest members say. `table` has everything.

    Parameters
    ----------
    model : learner or IncrementalPipeline
        One that has learned.
    X : array-like
        The rows.

    Attributes
    ----------
    classes : ndarray
        The labels.
    labels : ndarray of shape (rows,)
        What the model says.
    probabilities : ndarray of shape (rows, classes)
        How probable it finds that.
    members : Table
        Its members; a learner without any is its own.

    Notes
    -----
    Weights are those of the table of members. A few learners give a member another weight for
    each row, by its neighbours, or let one member speak alone; the label is what they say then.

    Examples
    --------
    >>> from driftlearn import SEAClassifier
    >>> X = [[k / 20] for k in range(20)]
    >>> model = SEAClassifier().fit(X, [k > 9 for k in range(20)])
    >>> print(model.explain([[0.9]]))
    row 0: True (1.00)
      member 1, weight 1: True (1.00), since x0 > 0.475 (0.9)
    """

    def __init__(self, model: Any, X: Any):
        model._check_fitted()
        names, learner = columns_of(model)
        for _, step in getattr(model, "steps_", [])[:-1]:
            X = step.transform(X)
        with learner._locked():
            learner._check_fitted()
            self._X = X = X if as_before(learner, X) else validate_rows(learner, X)
            self.classes = learner.classes_
            self.probabilities: np.ndarray = learner.predict_proba(X)
            self.members = members_of(learner)
            self._codes, self._confidence = said_by(learner, X)
            models = models_of(learner)
            self._trees = [each if isinstance(each, Tree) else tree_of(each) for each in models]
        self.labels = self.classes[self.probabilities.argmax(axis=1)]
        self._names, self._values = names, values_of(model)

    def __len__(self) -> int:
        return len(self.labels)

    def splits(self, row: int, member: int) -> list[str]:
        """Return the splits that a row meets in a member, in words; none in one that is no tree.

        Parameters
        ----------
        row : int
            Which of the rows.
        member : int
            The place of the member in `members`.
        """
        tree = self._trees[member]
        if tree is None:
            return []
        words = []
        for feature, sign, threshold in way_of(tree, self._X[row]):
            name = self._names[feature]
            known = self._values.get(name, {})
            value = float(self._X[row, feature])
            if sign in ("==", "!=") and threshold in known:
                word = "is" if sign == "==" else "is not"
                words.append(f"{name} {word} {known[threshold]}")
            elif sign.startswith("is missing"):
                words.append(f"{name} is missing")
            else:
                words.append(f"{name} {sign} {threshold:.6g} ({known.get(value, f'{value:.6g}')})")
        return words

    @property
    def table(self) -> Table:
        """A row for each row and member: what it says, how sure it is, its weight, its splits."""
        m = len(self.members)
        rows, members = np.repeat(np.arange(len(self)), m), np.tile(np.arange(m), len(self))
        codes = self._codes[members, rows]
        said = [None if code < 0 else self.classes[code] for code in codes]
        places = zip(rows.tolist(), members.tolist())
        ways = [" and ".join(self.splits(i, k)) or None for i, k in places]
        kept = [
            name for name in self.members.columns if name in ("id", "name", "created_at", "weight")
        ]
        known: dict[str, Any] = {name: self.members[name][members] for name in kept}
        return Table(
            {
                "row": rows,
                "member": known.pop("id"),
                **known,
                "says": said,
                "confidence": self._confidence[members, rows],
                "agrees": codes == np.searchsorted(self.classes, self.labels)[rows],
                "because": ways,
            }
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the table as dicts of plain values."""
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
                code = int(np.searchsorted(self.classes, self.labels[i]))
                agree = int((self._codes[rest, i] == code).sum())
                lines.append(f"  {len(rest)} other members, of which {agree} say the same")
        if len(self) > SHOWN_ROWS:
            lines.append(f"... {len(self) - SHOWN_ROWS} more rows are in .table")
        return "\n".join(lines)

    def _line(self, i: int, k: int, weight: float) -> str:
        code = self._codes[k, i]
        says = "nothing yet" if code < 0 else printable(self.classes[code])
        sure = self._confidence[k, i]
        says += "" if np.isnan(sure) else f" ({sure:.2f})"
        name = self.members["name"][k] if "name" in self.members.columns else ""
        who = printable(name) or f"member {self.members['id'][k]}"
        way = ", ".join(self.splits(i, k))
        return f"  {who}, weight {weight:.4g}: {says}" + (f", since {way}" if way else "")


def explained(model: Any, X: Any) -> Explanation:
    """Return why a model says of rows what it says; see `Explanation`."""
    return Explanation(model, X)
