# cython: infer_types=True
"""The members of an ensemble of online models, and every number that must move with them."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.ensemble._pointer_list import PointerList
    from driftlearn.utils._row_pointers import place_at, row_at, start_of

from driftlearn.base._model_answers import labels
from driftlearn.base._validation import finite
from driftlearn.ensemble._committee_checks import check_new
from driftlearn.io.schema import (
    InvalidStateError,
    a,
    able,
    dict_of,
    floats,
    integer,
    integers,
    list_of,
    word,
)
from driftlearn.utils._class_axis import widened

MOST_ROWS = 2**62  # more than any stream has
UNTOLD = cython.declare(cython.int, -2)
UNTESTED = cython.declare(cython.int, -3)


@cython.cclass
class OnlineCommittee(Engine):
    """Online models with a table that has a row of numbers a member.

    Membership changes through `add`, `drop`, `select` and `replace` only, so that nothing can fall
    out of step. A column of the table is read and written by its name, ``committee["weight"]``;
    things that are no numbers, a detector for instance, are lists beside it, one entry a member.

    What the verbs are given is checked. Rows are a matrix of as many columns as there are
    features, best a C-ordered float64 array, which is not copied; weights are one number a member.

    Parameters
    ----------
    n_features, n_classes : int
        Shape of the problem; `widen` adds classes.
    columns : tuple of str, default=("weight", "error")
        Numbers kept of a member besides its ``"id"`` and ``"created_at"``, the row of its birth. A
        weight starts at 1, any other number at 0.

    Attributes
    ----------
    models : list of OnlineModel
        In the order in which they are asked.
    n_rows : int
        Rows learned; the row in hand is number ``n_rows + 1``.
    objects : dict of str to list
        What else belongs to members.

    Notes
    -----
    Nothing depends on classes of which no row has come yet, so it does not matter when they
    become known: where nobody votes, the first class that *has* come wins.

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
        "n_features": integer(1),
        "n_classes": integer(0),
        "columns": list_of(word(), "columns", tuple),
        "models": list_of(a(OnlineModel), "members"),
        "numbers": floats("members", "columns", finite=False),
        "member_classes": integers("members", "n_classes", least=0, below=2),
        "seen_classes": integers("n_classes", least=0, below=2),
        "objects": dict_of(list_of(able("update"), "members")),
        "n_rows": integer(0, MOST_ROWS),
        "n_admitted": integer(0, MOST_ROWS),
    }

    def __init__(self, n_features, n_classes, columns=("weight", "error")):
        names = ("id", "created_at", *columns)
        if isinstance(columns, str) or len(set(names)) < len(names):
            raise ValueError(
                f"columns must be different names besides id and created_at, got {columns!r}"
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
        """Raise ValueError unless all models are of the committee's problem."""
        shape = state["n_features"], state["n_classes"]
        if any((model.n_features, model.n_classes) != shape for model in state["models"]):
            raise InvalidStateError(
                f"a committee of {shape} features and classes has a model of others"
            )
        if state["columns"][:2] != ("id", "created_at"):
            raise InvalidStateError(
                "the table of a committee does not begin with id and created_at"
            )

    def _prepare(self):
        self.votes = np.zeros(self.n_classes)
        self._refresh()

    def _refresh(self):
        """Have the members at hand, and room for what concerns each, now that they are others."""
        self.pointers = PointerList(self.models)
        self.cached = np.full(len(self.models), UNTESTED, dtype=np.int32)
        self.vote_weights = np.zeros(len(self.models))

    def __len__(self):
        return len(self.models)

    def __getitem__(self, column):
        """Return a column of the table, to be read or written: one number a member."""
        if column in self.objects:
            return self.objects[column]
        return np.asarray(self.numbers)[:, self._place(column)]

    def __setitem__(self, column, values):
        if column in self.objects:
            if len(values) != len(self.models):
                raise ValueError(f"{len(values)} things for {len(self.models)} members")
            self.objects[column][:] = values
        else:
            np.asarray(self.numbers)[:, self._place(column)] = values

    def _place(self, column):
        if column not in self.columns:
            there = ", ".join([*self.columns, *self.objects])
            raise KeyError(f"no column {column!r} in this committee; there are {there}")
        return self.columns.index(column)

    def add(self, model, **row):
        """Admit a model that knows nothing, as the last member, with its numbers and things."""
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
        """Dismiss the member at position `j`."""
        self.check_member(j)
        self.select([k for k in range(len(self.models)) if k != j])

    def select(self, index):
        """Keep the members at these positions, in this order, and dismiss the others."""
        for j in index:
            self.check_member(j)
        if len({*index}) < len(index):
            raise ValueError(f"a member cannot be kept twice: {index!r:.60}")
        rows = np.array(index, dtype=np.intp)
        self.models = [self.models[j] for j in rows]
        self.numbers = np.asarray(self.numbers)[rows]
        self.member_classes = np.asarray(self.member_classes)[rows]
        self._refresh()
        for things in self.objects.values():
            things[:] = [things[j] for j in rows]

    def replace(self, j, model, **row):
        """Put a model that knows nothing in the place of the member at position `j`."""
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
        """Take note that a row of class `y` has come."""
        self.check_class(y)
        self.mark_seen(y)

    def update(self, X, i, y, weights):
        """Have every member learn row `i` of `X`, each with its own weight; 0 passes it over."""
        rows: cython.const[cython.double][:, ::1] = self.checked(X, i)
        shares: cython.const[cython.double][::1] = self._weights(weights)
        self.check_class(y)
        for j in range(shares.shape[0]):
            if shares[j] > 0.0:
                self.update_row(j, row_at(rows, i), y, shares[j])

    def predict(self, X, i):
        """Return the code that each member gives row `i` of `X`; -1 if it knows nothing yet."""
        rows: cython.const[cython.double][:, ::1] = self.checked(X, i)
        codes = np.empty(len(self.models), dtype=np.int32)
        out: cython.int[::1] = codes
        for j in range(out.shape[0]):
            out[j] = self.predict_row(j, row_at(rows, i))
        return codes

    def update_one(self, j, X, i, y, w):
        """Have member `j` learn row `i` of `X`, of class `y`, as if it had come `w` times."""
        self.check_member(j)
        self.check_class(y)
        if w > 0.0:
            rows: cython.const[cython.double][:, ::1] = self.checked(X, i)
            self.update_row(j, row_at(rows, i), y, w)

    def predict_one(self, j, X, i):
        """Return the code that member `j` gives row `i` of `X`; -1 if it knows nothing yet."""
        self.check_member(j)
        rows: cython.const[cython.double][:, ::1] = self.checked(X, i)
        return self.predict_row(j, row_at(rows, i))

    def checked(self, X, i):
        """Return rows as the models take them; raise if they are of another width or too few."""
        rows = np.ascontiguousarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise ValueError(f"rows of shape {rows.shape} for models of {self.n_features} features")
        if not 0 <= i < len(rows):
            raise IndexError(f"row {i} of {len(rows)} rows")
        return rows

    def check_member(self, j):
        """Raise IndexError if there is no member at position `j`."""
        if not 0 <= j < len(self.models):
            raise IndexError(f"member {j} of a committee of {len(self.models)}")

    def check_class(self, y):
        """Raise ValueError if there is no class of code `y`."""
        if not 0 <= y < self.n_classes:
            raise ValueError(f"class code {y} where there are {self.n_classes} classes")

    def _weights(self, weights):
        shares = np.ascontiguousarray(weights, dtype=np.float64)
        if shares.shape != (len(self.models),) or not finite(shares):
            raise ValueError(
                f"weights must be finite numbers, one for each of {len(self.models)} members; got "
                f"{weights!r:.60}"
            )
        return shares

    # What engines call, who know what they do: nothing is checked. A row is a pointer.

    def mark_seen(self, y):
        """Take note that a row of class `y` has come."""
        self.seen_classes[y] = 1

    def update_row(self, j, row, y, w):
        """Have member `j` learn a row."""
        cython.cast(OnlineModel, self.pointers.at[j])._take_row(row, y, w)
        self.member_classes[j, y] = 1
        return 0

    def update_tested_row(self, j, row, y, w):
        """Have member `j` learn a row; if it was tested on it, by what that found."""
        if self.cached[j] == UNTESTED:
            return self.update_row(j, row, y, w)
        self.cached[j] = UNTESTED
        cython.cast(OnlineModel, self.pointers.at[j])._take_tested(row, y, w)
        self.member_classes[j, y] = 1
        return 0

    def predict_row(self, j, row):
        """Return the code that member `j` gives a row."""
        return cython.cast(OnlineModel, self.pointers.at[j])._say_row(row)

    def score_row(self, j, row, out):
        """Write the scores of member `j` on a row to `out`.

        Only `update_tested_row`, of this row, may follow, or another row begins by `begin_row`.
        """
        self.cached[j] = cython.cast(OnlineModel, self.pointers.at[j])._test_row(row, out)
        return 0

    def predict_once(self, j, row):
        """Return the code that member `j` gives a row; a test that told it is not repeated."""
        if self.cached[j] == UNTESTED or self.cached[j] == UNTOLD:
            self.cached[j] = self.predict_row(j, row)
        return self.cached[j]

    def begin_row(self):
        """Take note that another row is in hand, on which nobody has been tested."""
        for j in range(self.cached.shape[0]):
            self.cached[j] = UNTESTED

    def weigh_by(self, column):
        """Let the number in this column of the table be what a member's vote counts."""
        for j in range(self.vote_weights.shape[0]):
            self.vote_weights[j] = self.numbers[j, column]

    def vote_row(self, row, votes):
        """Write the votes on one row, weighted by `vote_weights`, as `tally` does."""
        for c in range(self.n_classes):
            votes[c] = 0.0
        for j in range(self.vote_weights.shape[0]):
            if self.vote_weights[j] > 0.0:
                says = self.predict_once(j, row)
                if says >= 0:
                    votes[says] += self.vote_weights[j]
        return 0

    def blend_row(self, row, votes):
        """Write the probabilities on one row, summed with `vote_weights`, as `blend` does."""
        for c in range(self.n_classes):
            votes[c] = 0.0
        for j in range(self.vote_weights.shape[0]):
            if self.vote_weights[j] > 0.0:
                self.score_row(j, row, start_of(self.votes))
                for c in range(self.n_classes):
                    votes[c] += self.vote_weights[j] * self.votes[c]
        return 0

    def best_class(self):
        """Return the class with the most of `votes` among those that have come; -1 for none."""
        return self.best_class_of(start_of(self.votes))

    def best_class_of(self, votes):
        """Return the class with the most of these votes among those that have come."""
        best: cython.Py_ssize_t = -1
        for c in range(self.n_classes):
            if self.seen_classes[c] and (best < 0 or votes[c] > votes[best]):
                best = c
        return best

    def tally(self, X, weights):
        """Return the sum of the weights of those who name a class: (rows, classes)."""
        X = self.checked(X, 0) if len(X) else X
        scores = np.zeros((len(X), self.n_classes))
        sums: cython.double[:, ::1] = scores
        shares: cython.const[cython.double][::1] = self._weights(weights)
        for j in range(shares.shape[0]):
            if shares[j] > 0.0:
                codes = labels(self.models[j], X)
                said: cython.const[cython.int][::1] = np.asarray(codes, np.int32)
                for i in range(sums.shape[0]):
                    if said[i] >= 0:
                        sums[i, said[i]] += shares[j]
        return scores

    def blend(self, X, weights):
        """Return the weighted sum of the members' class probabilities: (rows, classes)."""
        scores = np.zeros((len(X), self.n_classes))
        if not len(X):
            return scores
        rows: cython.const[cython.double][:, ::1] = self.checked(X, 0)
        sums: cython.double[:, ::1] = scores
        shares: cython.const[cython.double][::1] = self._weights(weights)
        if (
            sums.shape[0] == 1 and self.pointers.all_lock_free()
        ):  # arrays for each would cost more than it
            self.vote_weights[:] = shares
            self.blend_row(row_at(rows, 0), place_at(sums, 0))
            self.begin_row()  # nobody learns by what this found
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
        """Return the vote by the weights in the table."""
        return self.tally(X, self["weight"])

    def describe(self, weights=None, errors=None):
        """Return a table of the members, as a dict of columns.

        Size and bytes are those of models that can grow, their nodes and memory; None for others.
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
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.member_classes = widened(self.member_classes, positions, n_classes, axis=1)
        self.seen_classes = widened(self.seen_classes, positions, n_classes)
        self.n_classes = n_classes
        self._prepare()
        for model in self.models:
            model.widen(positions, n_classes)
