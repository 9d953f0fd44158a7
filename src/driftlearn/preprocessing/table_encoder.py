"""Incremental encoder of tables."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in

from driftlearn.base.thread_safe import ThreadSafeEstimator
from driftlearn.io.schema import Field, InvalidStateError, a, integer, list_of, optional, word
from driftlearn.preprocessing import _columns, _knowledge
from driftlearn.preprocessing._knowledge import Knowledge, SchemaChange, SchemaWarning, shown
from driftlearn.preprocessing._table_check import (
    LEAST_ROWS,
    TABLES,
    SchemaError,
    histories,
    sentence,
    table_changes,
)
from driftlearn.tables.frames import Frame, frame_of, numbered
from driftlearn.tables.values import KINDS, is_identifier, kind_of
from driftlearn.tables.values import names as value_names
from driftlearn.utils.arguments import Self, TransformerMixin, invalid, meant
from driftlearn.utils.table import Table

#: Number of encoded categories if `max_categories` is None. A hundred codes cost a tree little,
#: whereas each one-hot column costs every learner as much as a feature.
PLACES = {"codes": 100, "frequency": 100, "onehot": 16}
FITTED = ("known_", "n_features_in_", "schema_changes_", "row_", "file_")


@dataclass(eq=False, repr=False)
class TableEncoder(TransformerMixin, ThreadSafeEstimator):
    """Incremental encoder of tables with numbers, booleans, categories and dates.

    The first call determines the kind of each column (`kinds_`) from its type or its values. The
    number of output columns never changes afterwards, even if new categories appear or a column is
    missing. A deviation from the first rows is a *schema change*, recorded in `report_` with file
    and row.

    Means, variances and categories are updated row by row. The results are bitwise identical
    however rows are split into calls, and memory is bounded.

    Parameters
    ----------
    categories : {"codes", "onehot", "frequency"}, default="codes"
        Encoding of categories. "codes": one column; 0 for categories beyond `max_categories`, 1 for
        missing values, then 2, 3, ... in order of appearance; `nominal_features_` lists these
        columns for learners that distinguish them. "onehot": `max_categories` columns and one for
        all other categories; all are 0 if the value is missing. "frequency": the relative frequency
        of the category so far.
    max_categories : int, optional
        Number of categories of a column that are encoded individually, in order of appearance. The
        default is 100, and 16 for "onehot", where it determines the number of output columns.
    date_parts : sequence of str, default=("month", "day", "weekday", "hour", "age")
        Features of dates: parts of the calendar in UTC (also "year"; Monday is weekday 0; hours
        have fractions), and the age in days since the first date of the column.
    missing : {"auto", "mean", "indicator", "native"}, default="auto"
        Encoding of missing values. "auto": "native" in a pipeline whose next step is a learner that
        supports nan, else "mean". "mean": the mean of the values before it, for numbers, booleans,
        dates and frequencies (0 if there are none). "indicator": the same, with an additional
        column for every column that is 1 where its value is missing. "native": nan.
    scale : bool, default=False
        Whether to standardize numbers, dates and frequencies with the mean and variance of the
        values before. Constant columns are 0, and values are clipped to [-1e6, 1e6].
    window : int, optional
        Window of exponentially weighted means and variances: a value this many values ago has
        37 % of the weight of a new one. By default all values have the same weight.
    kinds : dict of str to str, optional
        Kinds of columns whose first rows may be misleading: "number", "boolean", "category",
        "date", or "drop" to omit a column. The columns of arrays are named "x0", "x1", ... Columns
        of strings that are not listed are dropped with a warning if at least 99 % of the values in
        the first call are distinct, such as order numbers, and there are at least 500.
    on_schema_change : {"warn", "note", "stop"}, default="warn"
        Reaction to schema changes: a new column (it is ignored), a missing column (its values are
        missing), a value that is not a number, date or boolean or is beyond 1e75 (it is missing),
        numbers in a column of strings (they are categories). "note": record it in `report_`.
        "warn": also issue a `SchemaWarning` for the first one in a column. "stop": raise
        ValueError and leave the encoder unchanged.

    Attributes
    ----------
    kinds_ : dict of str to str
        Kind of each column; "empty" before its first value. An empty column has one output column;
        when its first values arrive, a date is encoded as its age and a category as its code.
    categories_ : dict of str to list of str
        The individually encoded categories of each column, in the order of their codes.
    nominal_features_ : list of int
        Positions of the output columns that contain codes.
    report_ : Table
        All schema changes: column, problem, file, row, value, and number of rows.
    schema_changes_ : list of SchemaChange
        The same changes as objects; each prints as a sentence.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    `transform` uses the current state and does not update it. `transform_then_learn` encodes each
    row with the state *before* that row: the first row with a new category is encoded like other
    rare categories. Prequential evaluation of a pipeline is therefore bitwise identical to
    predicting and training row by row, and no row is encoded with information from later rows.

    A text column is numeric if at least 95 % of its values in the first call are numbers, unless
    one of them has a leading zero; text like 2024-01-31 or 2024-01-31T12:00 is a column of dates.
    The remaining values are schema changes and count as missing. Missing values are None, nan, NaT,
    pandas' NA and empty text.

    Examples
    --------
    >>> encoder = TableEncoder(on_schema_change="note")
    >>> monday = {"price": [1.5, None, 2.5], "colour": ["red", "blue", "red"]}
    >>> encoder.partial_fit(monday, file="monday").kinds_
    {'price': 'number', 'colour': 'category'}
    >>> encoder.transform(monday)
    array([[1.5, 2. ],
           [2. , 3. ],
           [2.5, 2. ]])
    >>> _ = encoder.partial_fit({"price": ["high"], "colour": ["green"]}, file="tuesday")
    >>> print(encoder.schema_changes_[0])
    tuesday, row 0: column 'price' holds 'high', which is not a number; it counts as missing
    >>> encoder.categories_
    {'colour': ['red', 'blue', 'green']}
    """

    categories: str = "codes"
    _: KW_ONLY
    max_categories: int | None = None
    date_parts: Sequence[str] = ("month", "day", "weekday", "hour", "age")
    missing: str = "auto"
    scale: bool = False
    window: int | None = None
    kinds: Mapping[str, str] | None = None
    on_schema_change: str = "warn"

    STATE: ClassVar[dict[str, Field]] = {
        "n_features_in_": optional(integer(1)),
        "known_": a(Knowledge),
        "schema_changes_": list_of(a(SchemaChange)),
        "row_": integer(0, _knowledge.MOST_ROWS),
        "file_": optional(word()),
    }
    _parameter_constraints = {
        "categories": [StrOptions({"codes", "onehot", "frequency"})],
        "max_categories": [Interval(Integral, 1, _columns.MOST_CATEGORIES, closed="both"), None],
        "date_parts": ["array-like"],
        "missing": [StrOptions({"auto", "mean", "indicator", "native"})],
        "scale": ["boolean"],
        "window": [Interval(Integral, 2, None, closed="left"), None],
        "kinds": [dict, None],
        "on_schema_change": [StrOptions({"warn", "note", "stop"})],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the columns and their names are consistent."""
        if not any(name in state for name in FITTED):
            return
        gone = [name for name in FITTED if name not in state]
        if gone:
            raise InvalidStateError(f"{gone[0]!r} of TableEncoder is missing")
        if len(state["known_"].columns) > state["n_features_in_"]:
            raise InvalidStateError("TableEncoder has more columns than features")
        names = state.get("feature_names_in_", np.array([""] * state["n_features_in_"]))
        if np.shape(names) != (state["n_features_in_"],) or names.dtype.kind not in "OU":
            raise InvalidStateError(
                "TableEncoder has a different number of column names than features"
            )
        if not all(isinstance(name, str) for name in names.tolist()):
            raise InvalidStateError("the column names of TableEncoder must be strings")

    def fit(self, X: Any, y: Any = None, *, file: str | None = None) -> Self:
        """Fit from scratch.

        Parameters
        ----------
        X : frame, table, dict of columns or array-like of shape (n, d)
            The rows: a pandas or polars DataFrame, a pyarrow Table, a dict of columns, or an array
            (of objects if the columns differ). Columns are matched by name, in any order, and
            those of arrays by position.
        y : None
            Ignored.
        file : str, optional
            Name of the source of the rows, for `report_`. Each file starts at row 0.

        Returns
        -------
        self
        """
        return self._absorb(X, file, start=True)[0]

    def partial_fit(self, X: Any, y: Any = None, *, file: str | None = None) -> Self:
        """Update the encoder with more rows.

        Parameters
        ----------
        X, y, file
            As in `fit`.

        Returns
        -------
        self
        """
        return self._absorb(X, file, start=False)[0]

    def transform(self, X: Any) -> np.ndarray:
        """Encode rows with the current state, which is not updated.

        Parameters
        ----------
        X : frame, table, dict of columns or array-like of shape (n, d)
            The rows, as in `fit`.

        Returns
        -------
        float64 array of shape (n, len(get_feature_names_out()))
        """
        now = object.__new__(type(self))
        now.__dict__ = {**self.__dict__}
        now._check_fitted("transform")
        frame = frame_of(X)
        tables = now._table_changes(frame, None)
        out, changes = now._encoded(frame, None, learning=False)
        self._warn([], [*changes, *tables])
        return out

    def transform_then_learn(self, X: Any, *, file: str | None = None) -> np.ndarray:
        """Encode each row with the state before it, then update the encoder with the row.

        Parameters
        ----------
        X, file
            As in `fit`.

        Returns
        -------
        float64 array of shape (n, len(get_feature_names_out()))
        """
        return self._absorb(X, file, start=False)[1]

    def check(self, X: Any, *, file: str | None = None) -> list[SchemaChange]:
        """Return how a table differs from the rows seen so far, without updating the encoder.

        Columns, kinds of values, medians and words are compared.

        Parameters
        ----------
        X, file
            As in `fit`.

        Returns
        -------
        list of SchemaChange
        """
        self._check_fitted("check")
        return self._compared(frame_of(X), file)

    def change_kinds(self, kinds: Mapping[str, str]) -> Self:
        """Change the kinds of columns of a fitted encoder, or stop using columns.

        The output columns remain: those of a dropped column have no values, and a date is encoded
        as its age. Learners treat new codes of categories as they treated the column before.

        Parameters
        ----------
        kinds : dict of str to str
            The new kinds by column: "number", "boolean", "category", "date" or "drop".

        Returns
        -------
        self
        """
        self._check_fitted("change_kinds")
        with self._locked():
            draft = self._draft(start=False)
            draft.kinds = {**(self.kinds or {}), **kinds}
            draft._validate_params()
            names = [each.name for each in draft.known_.columns]
            for name, kind in kinds.items():
                if name not in names:
                    raise ValueError(
                        f"{name!r} is not a column that is used{meant(name, names)}. The columns "
                        f"are {', '.join(map(repr, names[:20]))}."
                    )
                draft.known_.change_kind(name, kind, self.scale, self.categories, self._n_places)
            self.__dict__ = draft.__dict__
        return self

    @property
    def kinds_(self) -> dict[str, str]:
        """Kind of each column."""
        self._check_fitted("kinds_")
        return {each.name: each.kind for each in self.known_.columns}

    @property
    def categories_(self) -> dict[str, list[str]]:
        """The individually encoded categories of each column."""
        self._check_fitted("categories_")
        found = (each for each in self.known_.columns if isinstance(each, _columns.CategoryColumn))
        return {each.name: [*each.places] for each in found}

    @property
    def nominal_features_(self) -> list[int]:
        """Positions of the output columns that contain codes."""
        self._check_fitted("nominal_features_")
        owners = [each for each in self.known_.columns for _ in range(each.width)]
        return [j for j, each in enumerate(owners) if getattr(each, "encoding", "") == "codes"]

    @property
    def report_(self) -> Table:
        """All schema changes so far."""
        self._check_fitted("report_")
        return _knowledge.table_of(self.schema_changes_)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the output columns; they never change."""
        self._check_fitted("get_feature_names_out")
        _check_feature_names_in(self, input_features)
        return np.array(self.known_.outputs(), dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "known_")

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def _check_fitted(self, what: str) -> None:
        if not self.__sklearn_is_fitted__():
            why = "This TableEncoder is not fitted yet"
            raise NotFittedError(f"{why}: call fit or partial_fit before {what}.")

    def _validate_params(self) -> None:
        super()._validate_params()
        parts = [*self.date_parts]
        if not _columns.are_parts(parts):
            wanted = f"a selection of {_columns.PARTS}, without repetition"
            raise invalid("date_parts", wanted, parts)
        for name, kind in (self.kinds or {}).items():
            if kind not in (*KINDS[:-1], "drop"):
                raise ValueError(
                    f"kinds[{name!r}] must be 'number', 'boolean', 'category', 'date' or 'drop'. "
                    f"Got {kind!r} instead."
                )

    def _draft(self, start: bool) -> Self:
        if start:
            return super()._draft(start)
        draft = object.__new__(type(self))
        draft.__dict__ = {**self.__dict__, "known_": self.known_.draft()}
        return draft

    def _absorb(self, X: Any, file: str | None, start: bool) -> tuple[Self, np.ndarray]:
        """Update a working copy with rows; it replaces the encoder if nothing failed."""
        file = None if file is None else str(file)
        with self._locked():
            start = start or not hasattr(self, "known_")
            draft = self._draft(start)
            frame = frame_of(X)
            if start:
                draft._validate_params()
                draft._begin(frame, file)
            if file != draft.file_:
                draft.row_, draft.file_ = 0, file
            tables = [] if start else draft._table_changes(frame, file)
            out, changes = draft._encoded(frame, file, learning=True)
            changes += tables
            before = draft.schema_changes_
            draft.schema_changes_ = _knowledge.added(before, changes)
            draft.row_ += frame.n_rows
            self.__dict__ = draft.__dict__
        self._warn([] if start else before, [*before, *changes] if start else changes)
        return self, out

    def _begin(self, frame: Frame, file: str | None = None) -> None:
        """Determine the kinds of the columns."""
        names = frame.names or numbered(len(frame.columns))
        stated = {**(self.kinds or {})}
        for name in stated:
            if name not in names:
                raise ValueError(
                    f"'kinds' contains {name!r}, which is not a column{meant(name, names)}. The "
                    f"columns are {', '.join(map(repr, names[:20]))}."
                )
        columns, dropped = [], []
        for name, raw in zip(names, frame.columns):
            kind = stated[name] if name in stated else kind_of(raw, name)
            if kind != "drop":
                parts = tuple(self.date_parts)
                columns.append(_columns.made(name, kind, self.categories, self._n_places, parts))
            is_open = kind == "category" and name not in stated and not raw.is_category
            if is_open and is_identifier(raw.values):
                value = shown(next(filter(None, value_names(raw.values))))
                change = SchemaChange(name, "identifier", file, 0, value, frame.n_rows)
                dropped.append((columns.pop(), change))
        if dropped and not columns:
            columns = [column for column, _ in dropped]
            dropped = []
        if not columns:
            raise ValueError("kinds drops every column: at least one must remain")
        self.n_features_in_ = len(names)
        if frame.names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        self.known_ = Knowledge(columns, self.scale, self.missing == "indicator")
        self.schema_changes_: list[SchemaChange] = [change for _, change in dropped]
        self.row_ = 0
        self.file_: str | None = None

    @property
    def _n_places(self) -> int:
        return PLACES[self.categories] if self.max_categories is None else self.max_categories

    def _encoded(
        self, frame: Frame, file: str | None, learning: bool
    ) -> tuple[np.ndarray, list[SchemaChange]]:
        """Return encoded rows and the schema changes in them; update the columns if `learning`."""
        changes: list[SchemaChange] = []
        row = self.row_ if learning else 0

        def note(column: str, problem: str, rows: Sequence[int], value: Any = "") -> None:
            first = row + rows[0]
            changes.append(SchemaChange(column, problem, file, first, shown(value), len(rows)))
            if self.on_schema_change == "stop":
                raise ValueError(
                    f"{changes[-1].what}. Correct it, or continue with on_schema_change='note': "
                    f"then {changes[-1].becomes}."
                )

        names = self.__dict__.get("feature_names_in_")
        raws = self.known_.matched(frame, names, self.n_features_in_, note)
        if learning:
            self.known_.settle(raws, self.scale, self.categories, self._n_places)
        native = self.missing == "native"
        out = self.known_.encoded(raws, frame.n_rows, native, self.window, learning, note)
        return out, sorted(changes, key=lambda each: each.row)

    def _compared(self, frame: Frame, file: str | None, row: int = 0) -> list[SchemaChange]:
        """Return the differences between a table and the rows so far."""
        names = [str(name) for name in getattr(self, "feature_names_in_", ())]
        return table_changes(histories(self.known_), names, frame, file, row)

    def _table_changes(self, frame: Frame, file: str | None) -> list[SchemaChange]:
        """Return the differences that only a whole table shows; raise ValueError if they stop."""
        if self.on_schema_change == "note" or frame.n_rows < LEAST_ROWS:
            return []
        found = [each for each in self._compared(frame, file, self.row_) if each.problem in TABLES]
        if found and self.on_schema_change == "stop":
            raise SchemaError(
                f"{sentence(found[0])}. Correct it, or continue with on_schema_change='note'."
            )
        return found

    def _warn(self, before: list[SchemaChange], changes: list[SchemaChange]) -> None:
        """Issue a warning for each change that is the first of its kind in its column."""
        if self.on_schema_change == "warn" and changes:
            known = {(each.column, each.problem) for each in before}
            for each in changes:
                if (each.column, each.problem) not in known:
                    text = sentence(each) if each.rows else str(each)
                    warnings.warn(text, SchemaWarning, stacklevel=4)
