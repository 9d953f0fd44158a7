"""Explanations of predictions: contributions of columns, members and their tree splits."""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driftlearn.base.validation import as_before, validate_rows
from driftlearn.evaluate._json import plain
from driftlearn.inspection import _members
from driftlearn.inspection.attribution import MOST_BACKGROUND, Attribution, shapley_values
from driftlearn.inspection.explained_columns import explained_columns
from driftlearn.tree.node_arrays import Tree, path_of, tree_of
from driftlearn.utils.arguments import Floats, choose
from driftlearn.utils.hooks import hook
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table

SHOWN_ROWS, SHOWN_MEMBERS = 5, 5  # number of printed rows and members; the table contains all
SHOWN_COLUMNS = 10
RISES, FALLS = "#1f5fd0", "#e0500f"  # colors of bars, readable on light and dark notebooks
SMALLEST = 1e-12  # probabilities of which logarithms are taken
SHOWN_CODES = 3  # number of categories of a group, that of the row first


def _log_odds(probas: Floats) -> Floats:
    clipped = np.clip(probas, SMALLEST, 1.0 - SMALLEST)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


#: Functions of probabilities that can be explained.
TRANSFORMS: dict[str, Callable[[Floats], Floats]] = {
    "probability": lambda probas: probas,
    "log-odds": _log_odds,
}


def _encoded(model: Any, X: Any) -> Any:
    """Return rows as they are passed to the learner of a model; None remains None."""
    for _, step in getattr(model, "steps_", [])[:-1] if X is not None else ():
        X = step.transform(X)
    return X


class Bars(NamedTuple):
    """Contributions of a row for a chart: a title, and bars by label, the largest first."""

    title: str
    labels: list[str]
    values: list[float]


class Explanation:
    """Explanation of predictions: contributions of columns, member predictions, and tree splits.

    The contributions of a row are Shapley values: they distribute the difference between the
    prediction for the row and the mean prediction for background rows over the columns. The mean,
    `base`, and the contributions of all columns add up to what the model predicts, whatever its
    members and their weights. A contribution is the mean change of the prediction when the value of
    the background row is replaced by that of the row, over all orders in which columns are
    replaced. It describes the model, not causes in the world; columns that always change together
    share what they contribute.

    Up to 6 columns are explained exactly, more by sampled orders with a fixed seed. These are
    exact, too, for sums of functions of at most two columns, such as the log-odds of a linear model
    or of naive Bayes; otherwise the table states the standard error.

    Printing shows the columns with the largest contributions and the members with the largest
    weights for the first rows; `contributions` and `table` contain all of them.

    Parameters
    ----------
    model : learner or IncrementalPipeline
        A fitted model.
    X : frame, table, dict of columns or array-like
        The rows.
    background : rows as `X`, optional
        Rows to compare with, of which at most 64 are used. By default, the rows that an
        `IncrementalPipeline` or a state folder stores: a sample of the last 10,000 training rows,
        or about. Without stored rows, those of `X` if there are at least two. A single row without
        background has no contributions.
    output : {"probability", "log-odds"}
        What is explained: the probability of each class, or ``log(p / (1 - p))`` of it.

    Attributes
    ----------
    classes : ndarray
        The labels.
    labels : ndarray of shape (rows,)
        The predictions of the model.
    probabilities : ndarray of shape (rows, classes)
        The class probabilities.
    columns : list of str
        The columns of the table.
    base : ndarray of shape (classes,)
        Mean output for the background rows.
    shapley_values, errors : ndarray of shape (rows, columns, classes)
        The contributions and their standard errors.
    n_background : int
        Number of background rows; 0 without contributions.
    rows : list of int
        Numbers of the rows in tables; 0, 1, ... unless they are set.
    members : Table
        The members; a learner without members is treated as a single member.

    Notes
    -----
    The weights are taken from the table of members. A few learners weight members for each row by
    its neighborhood, or use a single member; `labels` contains the actual predictions, and the
    contributions are those of the actual predictions.

    A row takes up to 256 predictions per column: explain a few rows, not a table.

    Examples
    --------
    >>> from driftlearn import SEAClassifier
    >>> X = [[k / 20, k % 3] for k in range(20)]
    >>> model = SEAClassifier().fit(X, [k > 9 for k in range(20)])
    >>> print(model.explain([[0.9, 1.0]], background=X))
    row 0: True (0.95), on average 0.50
      x0 = 0.9: +0.45
      x1 = 1: +0.00
      member 1, weight 1: True (0.95), since x0 > 0.475 (0.9)
    """

    def __init__(self, model: Any, X: Any, background: Any = None, output: str = "probability"):
        choose("output", output, TRANSFORMS)
        model._check_fitted()
        names, learner = _members.columns_of(model)
        given = X
        X, background = _encoded(model, X), _encoded(model, background)
        with learner._locked():
            learner._check_fitted()
            self._X = X = X if as_before(learner, X) else validate_rows(learner, X)
            if background is None:
                stored = getattr(model, "recent_", None)
                background = X if stored is None or not len(stored.rows) else stored.rows
                enough = len(background) > 1
            else:
                background, enough = validate_rows(learner, background), True
            self.classes = learner.classes_
            self.probabilities: np.ndarray = learner.predict_proba(X)
            self._predicted = learner._predicted_codes(self.probabilities, self.classes)
            self.members = _members.members_of(learner)
            self._codes, self._confidence = _members.predictions_of(learner, X)
            models = _members.models_of(learner)
            self._trees = [each if isinstance(each, Tree) else tree_of(each) for each in models]
            table = explained_columns(model, given, X)
            transform = TRANSFORMS[output]
            found = Attribution(np.full(len(self.classes), np.nan), *np.zeros((2, len(X), 0, 0)))
            if enough:
                found = shapley_values(
                    lambda rows: transform(learner.predict_proba(rows)), X, background, table.owner
                )
        self.n_background = min(len(background), MOST_BACKGROUND) if enough else 0
        self.base, self.shapley_values, self.errors = found
        self.columns, _, self._texts, self._notes = table
        self.output, self.rows = output, [*range(len(X))]
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
    def contributions(self) -> Table:
        """Table with one row per input row and column, the largest contributions first.

        ``contribution`` and its standard ``error`` refer to the predicted label of the row;
        ``note`` states why a value was not used, such as a word that was never learned.
        """
        found: list[tuple[Any, ...]] = []
        for i in range(len(self)) if self.n_background else ():
            values, errors = self._of_label(i)
            for j in np.argsort(-np.abs(values), kind="stable").tolist():
                what = self.columns[j], self._texts[i][j], self.labels[i], values[j], errors[j]
                found.append((self.rows[i], *what, self._notes[i][j] or None))
        names = "row", "column", "value", "label", "contribution", "error", "note"
        return Table(dict(zip(names, zip(*found))) if found else {name: [] for name in names})

    def _of_label(self, i: int) -> tuple[Floats, Floats]:
        """Return contributions of columns to the predicted label of a row, and standard errors."""
        k = self._predicted[i]
        return self.shapley_values[i, :, k], self.errors[i, :, k]

    @property
    def table(self) -> Table:
        """Table with one row per input row and member: prediction, confidence, weight, splits."""
        m = len(self.members)
        rows, members = np.repeat(np.arange(len(self)), m), np.tile(np.arange(m), len(self))
        codes = self._codes[members, rows]
        paths = [" and ".join(self.splits(i, k)) for i, k in zip(rows.tolist(), members.tolist())]
        columns: dict[str, Any] = {
            "row": np.array(self.rows)[rows],
            "member": self.members["id"][members],
        }
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
            lines.append(self._headline(i))
            if not self.n_background:
                lines.append("  pass background=rows, e.g. training rows, to explain by columns")
            bars = self._bars(i, SHOWN_COLUMNS)
            lines += [f"  {label}: {value:+.2f}" for label, value in zip(bars.labels, bars.values)]
            lines += [self._line(i, int(k), weights[k]) for k in heaviest[:SHOWN_MEMBERS]]
            if len(heaviest) > SHOWN_MEMBERS:
                rest = heaviest[SHOWN_MEMBERS:]
                agree = int((self._codes[rest, i] == self._predicted[i]).sum())
                lines.append(f"  {len(rest)} other members, {agree} of which agree")
        if len(self) > SHOWN_ROWS:
            lines.append(f"... {len(self) - SHOWN_ROWS} more rows are in .table")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: contributions of the first rows as bars, and members."""
        weights = np.nan_to_num(np.asarray(self.members["weight"], dtype=float))
        heaviest = np.argsort(-weights, kind="stable")[:SHOWN_MEMBERS].tolist()
        found = ""
        for i in range(min(len(self), SHOWN_ROWS)):
            bars = self._bars(i, SHOWN_COLUMNS)
            top = max(map(abs, bars.values), default=0.0) or 1.0
            rows = "".join(
                f'<tr><td style="text-align:left">{escape(label)}</td>'
                f'<td style="text-align:right">{value:+.2f}</td><td style="text-align:left">'
                f'<div style="width:{160 * abs(value) / top:.0f}px;height:12px;'
                f'background:{RISES if value >= 0 else FALLS}"></div></td></tr>'
                for label, value in zip(bars.labels, bars.values)
            )
            members = "".join(
                f"<li>{escape(self._line(i, k, weights[k]).strip())}</li>" for k in heaviest
            )
            found += f"<p><strong>{escape(bars.title)}</strong></p>"
            found += f"<table><tbody>{rows}</tbody></table>" if rows else ""
            found += f"<details><summary>Members</summary><ul>{members}</ul></details>"
        rest = len(self) - SHOWN_ROWS
        return found + (f"<p>… {rest:,} more rows are in <code>.table</code></p>" * (rest > 0))

    def bars(self, most: int) -> list[Bars]:
        """Return the largest contributions of each row for a chart, the others as their sum."""
        return [self._bars(i, most) for i in range(len(self))]

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the contributions of the first 6 rows with matplotlib.

        Notebooks render the returned display; its attribute `figure_` is the figure.

        Parameters
        ----------
        path : str or Path, optional
            Where to save the figure; its suffix determines the format.
        """
        return hook("figure_display")(hook("explanation_figure")(self, path))

    def report(self, path: str | Path, *, title: str = "Explanation") -> Path:
        """Write a self-contained HTML page and return its path.

        Parameters
        ----------
        path : str or Path
            Path of the page.
        title : str
            The heading.
        """
        return hook("write_document")(path, hook("explanation_page")(self, title))

    def to_dict(self) -> dict[str, Any]:
        """Return predictions, contributions and members as JSON values."""
        contributions, found = self.contributions, []
        for i, row in enumerate(self.rows):
            places = slice(i * len(self.columns), (i + 1) * len(self.columns))
            k = self._predicted[i]
            found.append({
                "row": row,
                "label": self.labels[i],
                "probabilities": dict(zip(map(str, self.classes), self.probabilities[i])),
                "average": self.base[k],
                "contributions": [
                    {name: each[name] for name in ("column", "value", "contribution", "error",
                                                   "note")}
                    for each in contributions[places]
                ],
            })  # fmt: skip
        more = {"output": self.output, "background rows": self.n_background}
        return {**more, "rows": plain(found), "members": plain(self.members.to_dicts())}

    def text(self, most: int) -> str:
        """Return a table of the largest contributions for each row, without the members."""
        parts = []
        for bars in self.bars(most):
            table = Table({"column": bars.labels, "contribution": bars.values})
            parts.append(f"{bars.title}\n{table.text()}")
        return "\n\n".join(parts)

    def _headline(self, i: int) -> str:
        """Return the number and prediction of a row and the mean output as text."""
        k = self._predicted[i]
        sure = self.probabilities[i, k]
        text = f"row {self.rows[i]}: {printable(self.labels[i])} ({sure:.2f})"
        if not self.n_background:
            return text
        what = "log-odds " if self.output == "log-odds" else ""
        return f"{text}, on average {what}{self.base[k]:.2f}"

    def _bars(self, i: int, most: int) -> Bars:
        if not self.n_background:
            return Bars(self._headline(i), [], [])
        values = self._of_label(i)[0]
        order = np.argsort(-np.abs(values), kind="stable").tolist()
        labels = []
        for j in order[:most]:
            note = f" ({self._notes[i][j]})" if self._notes[i][j] else ""
            labels.append(printable(f"{self.columns[j]} = {self._texts[i][j]}{note}"))
        shown = values[order[:most]].tolist()
        if rest := order[most:]:
            labels.append(f"{len(rest)} other columns")
            shown.append(float(values[rest].sum()))
        return Bars(self._headline(i), labels, shown)

    def _line(self, i: int, k: int, weight: float) -> str:
        code = self._codes[k, i]
        label = "no prediction" if code < 0 else printable(self.classes[code])
        sure = self._confidence[k, i]
        label += "" if np.isnan(sure) else f" ({sure:.2f})"
        name = self.members["name"][k] if "name" in self.members.columns else ""
        member = printable(name) or f"member {self.members['id'][k]}"
        path = ", ".join(self.splits(i, k))
        return f"  {member}, weight {weight:.4g}: {label}" + (f", since {path}" if path else "")
