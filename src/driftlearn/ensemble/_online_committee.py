# cython: infer_types=True
"""Container for the members of an online ensemble, with their weights, errors and detectors."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.ensemble._pointer_list import PointerList
    from driftlearn.utils._row_pointers import place_at, row_at, start_of

from driftlearn.base._probabilities import labels
from driftlearn.base._validation import finite
from driftlearn.ensemble._committee_checks import check_new
from driftlearn.io import schema
from driftlearn.utils._class_axis import widened
from driftlearn.utils.arguments import invalid

MOST_ROWS = 2**62  # more than any stream has
# Markers in the prediction cache: the row has scores but no class, or no scores yet.
NO_CLASS = cython.declare(cython.int, -2)
NOT_SCORED = cython.declare(cython.int, -3)


@cython.cclass
class OnlineCommittee(Engine):
    """Online models and a table of their weights, errors and other numbers, one row per member.

    Members are added, dropped and replaced by `add`, `drop`, `select` and `replace` only, so that
    models and numbers always match. A column of the table is read and written by its name, as in
    ``committee["weight"]``; objects such as detectors are kept in lists with one entry per member.

    Arguments of public methods are checked. Rows are passed as a matrix with one column per feature
    (a C-ordered float64 array is not copied), and weights as one number per member.

    Parameters
    ----------
    n_features, n_classes : int
        Number of features and classes; `widen` adds classes.
    columns : tuple of str, default=("weight", "error")
        Columns in addition to ``"id"`` and ``"created_at"`` (the row at which a member was
        created). ``"weight"`` is initially 1, every other column 0.

    Attributes
    ----------
    models : list of OnlineModel
        The members' models.
    n_rows : int
        Number of rows trained on; the current row is number ``n_rows + 1``.
    objects : dict of str to list
        Lists with one object per member, e.g. detectors.

    Notes
    -----
    Results do not depend on when a class is declared, only on when its first row is trained on: if
    no member votes, the first class that *has* occurred is predicted.

    Examples
    --------
    >>> from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
    >>> committee = OnlineCommittee(n_features=1, n_classes=2)
    >>> for weight in (1.0, 0.5):
    ...     committee.add(NaiveBayesModel(1, 2), weight=weight)
    >>> X = np.array([[0.0], [1.0]])
    >>> committee.update(X, 0, 0, np.array([1.0, 1.0]))
    >>> committee.update(X, 1, 1, np.array([0.0, 3.0]))
    >>> committee.predict(X, 1)
    array([0, 1], dtype=int32)
    >>> committee.tally(X, committee["weight"])
    array([[1.5, 0. ],
           [1. , 0.5]])
    """

    STATE = {
        "n_features": schema.integer(1),
        "n_classes": schema.integer(0),
        "columns": schema.list_of(schema.word(), "columns", tuple),
        "models": schema.list_of(schema.a(OnlineModel, **schema.SHAPE), "members"),
        "numbers": schema.floats("members", "columns", finite=False),
        "member_classes": schema.integers("members", "n_classes", least=0, below=2),
        "seen_classes": schema.integers("n_classes", least=0, below=2),
        "objects": schema.dict_of(schema.list_of(schema.able("update"), "members")),
        "n_rows": schema.integer(0, MOST_ROWS),
        "n_admitted": schema.integer(0, MOST_ROWS),
    }

    def __init__(self, n_features, n_classes, columns=("weight", "error")):
        names = ("id", "created_at", *columns)
        if isinstance(columns, str) or len(set(names)) < len(names):
            raise ValueError(
                f"column names must be distinct and must not be id or created_at. Got {columns!r} "
                "instead."
            )
        self.n_features, self.n_classes = n_features, n_classes
        self.models, self.objects, self.columns = [], {}, names
        self.numbers = np.zeros((0, len(self.columns)))
        self.member_classes = np.zeros((0, n_classes), dtype=np.uint8)
        self.seen_classes = np.zeros(n_classes, dtype=np.uint8)
        self.n_rows = self.n_admitted = 0
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise InvalidStateError unless all members have ids and creation steps."""
        if state["columns"][:2] != ("id", "created_at"):
            raise schema.InvalidStateError("the first columns must be id and created_at")

    def _prepare(self):
        self.votes = np.zeros(self.n_classes)
        self._refresh()

    def _refresh(self):
        """Update the pointers to models and the arrays with one entry per member."""
        self.pointers = PointerList(self.models)
        self.cached = np.full(len(self.models), NOT_SCORED, dtype=np.int32)
        self.vote_weights = np.zeros(len(self.models))

    def __len__(self):
        return len(self.models)

    def __getitem__(self, column):
        """Return a writable column of the table, or a list of objects."""
        if column in self.objects:
            return self.objects[column]
        return np.asarray(self.numbers)[:, self._place(column)]

    def __setitem__(self, column, values):
        if column in self.objects:
            if len(values) != len(self.models):
                raise ValueError(
                    f"column {column!r} must have one value per member: {len(self.models)}. Got "
                    f"{len(values)} values instead."
                )
            self.objects[column][:] = values
        else:
            np.asarray(self.numbers)[:, self._place(column)] = values

    def _place(self, column):
        if column not in self.columns:
            there = ", ".join([*self.columns, *self.objects])
            raise KeyError(f"no column {column!r}. The columns are: {there}")
        return self.columns.index(column)

    def add(self, model, **row):
        """Add an untrained model as the last member, with its column values and objects."""
        check_new(self, model, row)
        self.models.append(model)
        self.numbers = np.vstack([self.numbers, np.zeros((1, len(self.columns)))])
        self.member_classes = np.vstack(
            [self.member_classes, np.zeros((1, self.n_classes), dtype=np.uint8)]
        )
        for name in {**self.objects, **row}:
            if name not in self.columns:
                self.objects.setdefault(name, [None] * (len(self.models) - 1)).append(None)
        self.replace(len(self.models) - 1, model, **row)

    def drop(self, j):
        """Drop the member at position `j`."""
        self.check_member(j)
        self.select([k for k in range(len(self.models)) if k != j])

    def select(self, index):
        """Keep the members at these positions, in this order, and drop the others."""
        for j in index:
            self.check_member(j)
        if len({*index}) < len(index):
            raise ValueError(f"positions must be distinct. Got {index!r:.60} instead.")
        rows = np.array(index, dtype=np.intp)
        self.models = [self.models[j] for j in rows]
        self.numbers = np.asarray(self.numbers)[rows]
        self.member_classes = np.asarray(self.member_classes)[rows]
        self._refresh()
        for things in self.objects.values():
            things[:] = [things[j] for j in rows]

    def replace(self, j, model, **row):
        """Replace the member at position `j` by an untrained model.

        Its weight is 1 and other columns are 0 unless `row` has values; objects that are not in
        `row` are kept.
        """
        check_new(self, model, row)
        self.check_member(j)
        self.n_admitted += 1
        self.models[j] = model
        self._refresh()
        self.member_classes[j, :] = 0
        self.numbers[j, :] = 0.0
        known = {"id": self.n_admitted, "created_at": self.n_rows + 1, "weight": 1.0, **row}
        for name, value in known.items():
            if name in self.columns:
                self.numbers[j, self.columns.index(name)] = value
            elif name in self.objects:
                self.objects[name][j] = value

    def observe_class(self, y):
        """Record that class `y` has occurred."""
        self.check_class(y)
        self.mark_seen(y)

    def update(self, X, i, y, weights):
        """Train each member on row `i` of `X` with its own weight; weight 0 skips the member."""
        rows: cython.const[cython.double][:, ::1] = self.checked(X, i)
        shares: cython.const[cython.double][::1] = self._weights(weights)
        self.check_class(y)
        for j in range(shares.shape[0]):
            if shares[j] > 0.0:
                self.update_row(j, row_at(rows, i), y, shares[j])

    def predict(self, X, i):
        """Return the class code that each member predicts for row `i`; -1 before it is trained."""
        rows: cython.const[cython.double][:, ::1] = self.checked(X, i)
        codes = np.empty(len(self.models), dtype=np.int32)
        out: cython.int[::1] = codes
        for j in range(out.shape[0]):
            out[j] = self.predict_row(j, row_at(rows, i))
        return codes

    def update_one(self, j, X, i, y, w):
        """Train member `j` on row `i` of `X`, of class `y` and weight `w`."""
        self.check_member(j)
        self.check_class(y)
        if w > 0.0:
            rows: cython.const[cython.double][:, ::1] = self.checked(X, i)
            self.update_row(j, row_at(rows, i), y, w)

    def predict_one(self, j, X, i):
        """Return the class code that member `j` predicts for row `i`; -1 before it is trained."""
        self.check_member(j)
        rows: cython.const[cython.double][:, ::1] = self.checked(X, i)
        return self.predict_row(j, row_at(rows, i))

    def checked(self, X, i):
        """Return `X` as a float64 matrix; raise an error if its shape does not match."""
        rows = np.ascontiguousarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise ValueError(
                f"X has shape {rows.shape}, but the committee expects {self.n_features} features"
            )
        if not 0 <= i < len(rows):
            raise IndexError(f"row {i} is out of range for {len(rows)} rows")
        return rows

    def check_member(self, j):
        """Raise IndexError if there is no member at position `j`."""
        if not 0 <= j < len(self.models):
            raise IndexError(f"member {j} is out of range for {len(self.models)} members")

    def check_class(self, y):
        """Raise ValueError if class code `y` does not exist."""
        if not 0 <= y < self.n_classes:
            raise ValueError(f"class code {y} is out of range for {self.n_classes} classes")

    def _weights(self, weights):
        shares = np.ascontiguousarray(weights, dtype=np.float64)
        if shares.shape != (len(self.models),) or not finite(shares):
            raise invalid("weights", f"{len(self.models)} finite numbers, one per member", weights)
        return shares

    # Unchecked methods for compiled engines, which pass rows as pointers.

    def mark_seen(self, y):
        """Record that class `y` has occurred."""
        self.seen_classes[y] = 1

    def update_row(self, j, row, y, w):
        """Train member `j` on a row."""
        cython.cast(OnlineModel, self.pointers.at[j])._learn_row(row, y, w)
        self.member_classes[j, y] = 1
        return 0

    def update_tested_row(self, j, row, y, w):
        """Train member `j` on a row, reusing the results of `score_row` on this row."""
        if self.cached[j] == NOT_SCORED:
            return self.update_row(j, row, y, w)
        self.cached[j] = NOT_SCORED
        cython.cast(OnlineModel, self.pointers.at[j])._learn_tested_row(row, y, w)
        self.member_classes[j, y] = 1
        return 0

    def predict_row(self, j, row):
        """Return the class code that member `j` predicts for a row."""
        return cython.cast(OnlineModel, self.pointers.at[j])._predict_row(row)

    def score_row(self, j, row, out):
        """Write the scores of member `j` on a row to `out`.

        The next call must be `update_tested_row` for this row or `begin_row` for the next one.
        """
        self.cached[j] = cython.cast(OnlineModel, self.pointers.at[j])._test_row(row, out)
        return 0

    def predict_once(self, j, row):
        """Return the class code that member `j` predicts for a row, reusing that of `score_row`."""
        if self.cached[j] == NOT_SCORED or self.cached[j] == NO_CLASS:
            self.cached[j] = self.predict_row(j, row)
        return self.cached[j]

    def begin_row(self):
        """Discard the cached predictions before the next row."""
        for j in range(self.cached.shape[0]):
            self.cached[j] = NOT_SCORED

    def weigh_by(self, column):
        """Use this column of the table as voting weights."""
        for j in range(self.vote_weights.shape[0]):
            self.vote_weights[j] = self.numbers[j, column]

    def vote_row(self, row, votes):
        """Write the votes on one row as `tally` does, weighted by `vote_weights`."""
        for c in range(self.n_classes):
            votes[c] = 0.0
        for j in range(self.vote_weights.shape[0]):
            if self.vote_weights[j] > 0.0:
                code = self.predict_once(j, row)
                if code >= 0:
                    votes[code] += self.vote_weights[j]
        return 0

    def blend_row(self, row, votes):
        """Write the class probabilities of one row as `blend` does, weighted by `vote_weights`."""
        for c in range(self.n_classes):
            votes[c] = 0.0
        for j in range(self.vote_weights.shape[0]):
            if self.vote_weights[j] > 0.0:
                self.score_row(j, row, start_of(self.votes))
                for c in range(self.n_classes):
                    votes[c] += self.vote_weights[j] * self.votes[c]
        return 0

    def best_class(self):
        """Return the class with the most `votes` among those that have occurred; -1 if none has."""
        return self.best_class_of(start_of(self.votes))

    def best_class_of(self, votes):
        """Return the class with the most of these votes among those that have occurred."""
        best: cython.Py_ssize_t = -1
        for c in range(self.n_classes):
            if self.seen_classes[c] and (best < 0 or votes[c] > votes[best]):
                best = c
        return best

    def tally(self, X, weights):
        """Return the summed weights of the members that predict each class: (rows, classes)."""
        X = self.checked(X, 0) if len(X) else X
        scores = np.zeros((len(X), self.n_classes))
        sums: cython.double[:, ::1] = scores
        shares: cython.const[cython.double][::1] = self._weights(weights)
        for j in range(shares.shape[0]):
            if shares[j] > 0.0:
                codes = labels(self.models[j], X)
                predicted: cython.const[cython.int][::1] = np.asarray(codes, np.int32)
                for i in range(sums.shape[0]):
                    if predicted[i] >= 0:
                        sums[i, predicted[i]] += shares[j]
        return scores

    def blend(self, X, weights):
        """Return the weighted sum of the members' class probabilities: (rows, classes)."""
        scores = np.zeros((len(X), self.n_classes))
        if not len(X):
            return scores
        rows: cython.const[cython.double][:, ::1] = self.checked(X, 0)
        sums: cython.double[:, ::1] = scores
        shares: cython.const[cython.double][::1] = self._weights(weights)
        # for a single row, this is cheaper than arrays
        if sums.shape[0] == 1 and self.pointers.all_lock_free():
            self.vote_weights[:] = shares
            self.blend_row(row_at(rows, 0), place_at(sums, 0))
            self.begin_row()
            return scores
        probas: cython.double[:, ::1] = np.zeros((len(X), self.n_classes))
        for j in range(shares.shape[0]):
            if shares[j] > 0.0:
                cython.cast(OnlineModel, self.models[j]).scores_many(rows, probas)
                for i in range(sums.shape[0]):
                    for c in range(sums.shape[1]):
                        sums[i, c] += shares[j] * probas[i, c]
        return scores

    def scores(self, X):
        """Return the votes, weighted by the column ``"weight"``."""
        return self.tally(X, self["weight"])

    def describe(self, weights=None, errors=None):
        """Return a table of the members, as a dict of columns.

        ``size`` (number of nodes) and ``bytes`` (memory) are None for models that cannot grow.
        """
        return {
            "id": self["id"].astype(np.int64),
            "created_at": self["created_at"].astype(np.int64),
            "weight": np.array(self["weight"] if weights is None else weights),
            "error": np.array(self["error"] if errors is None else errors),
            "classes": np.array(self.member_classes),
            "size": [getattr(model, "n_nodes", None) for model in self.models],
            "bytes": [getattr(model, "n_bytes", None) for model in self.models],
        }

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.member_classes = widened(self.member_classes, positions, n_classes, axis=1)
        self.seen_classes = widened(self.seen_classes, positions, n_classes)
        self.n_classes = n_classes
        self._prepare()
        for model in self.models:
            model.widen(positions, n_classes)
