"""An encoder that keeps learning: a table of numbers, words and dates as numbers for a learner."""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in

from driftlearn.base.thread_safe import ThreadSafeEstimator
from driftlearn.io.schema import Field, InvalidStateError, a, integer, list_of, optional, word
from driftlearn.preprocessing._columns import (
    MOST_CATEGORIES,
    PARTS,
    CategoryColumn,
    are_parts,
    made,
)
from driftlearn.preprocessing._knowledge import Knowledge
from driftlearn.preprocessing.surprises import (
    MOST_ROWS,
    Surprise,
    SurpriseWarning,
    added,
    shown,
    table_of,
)
from driftlearn.tables.frames import Frame, frame_of, numbered
from driftlearn.tables.values import KINDS, kind_of
from driftlearn.utils.arguments import meant
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Self, TransformerMixin

#: Categories that have a place where `max_categories` is None. A hundred codes cost a tree little;
#: each column of a one-hot encoding costs every learner as much as a feature.
PLACES = {"codes": 100, "frequency": 100, "onehot": 16}
FITTED = ("known_", "n_features_in_", "surprises_", "row_", "file_")


class TableEncoder(TransformerMixin, ThreadSafeEstimator):
    """Turn a table of numbers, booleans, words and dates into numbers, and keep learning how.

    What each column holds is decided at the first call, by the column's type or by its values,
    and is told by `kinds_`. From then on the number of columns that come out never changes,
    whatever comes later: a category that was never seen, more of them than there are places, a
    column that vanishes. Whatever the first rows did not let expect is a *surprise*: it is told of
    in `report_`, with file and row.

    Means, variances and categories are learned row by row, so they have the same bits however the
    rows are sliced into calls, and memory is bounded for ever.

    Parameters
    ----------
    categories : {"codes", "onehot", "frequency"}, default="codes"
        How categories become numbers. "codes": one column; 0 for categories without a place, 1 for
        missing ones, then 2, 3, ... by the order in which they came; `nominal_features_` names
        these columns to learners that want to know. "onehot": `max_categories` columns and one for
        all others; none is 1 where the value is missing. "frequency": the category's share of all
        rows so far.
    max_categories : int, optional
        How many categories of a column have a place of their own, first come, first served. By
        default 100, and 16 for "onehot", where it decides how many columns come out.
    date_parts : sequence of str, default=("month", "day", "weekday", "hour", "age")
        What dates become: parts of the calendar, in UTC ("year" too; Monday is weekday 0; hours
        have fractions), and the age in days since the first date of the column.
    missing : {"auto", "mean", "indicator", "native"}, default="auto"
        What a missing value becomes. "auto": "native" where a pipeline has a learner that takes nan
        right behind the encoder, else "mean". "mean": the mean of the values before it, of numbers,
        booleans, dates and frequencies (0 as long as there is none). "indicator": the same,
        and for every column another one that is 1 where its value is missing. "native": nan, for
        learners that take it.
    scale : bool, default=False
        Whether numbers, dates and frequencies are brought to mean 0 and variance 1, by the values
        before; where nothing varies they are 0, and nothing is further away than 1e6.
    window : int, optional
        Let means and variances forget: a value that is so many values old counts for 37 %. By
        default all count alike.
    kinds : dict of str to str, optional
        What columns hold, for those where the first rows may mislead: "number", "boolean",
        "category", "date", or "drop" for a column to be left out. Columns of arrays are called
        "x0", "x1", ...
    on_surprise : {"warn", "note", "stop"}, default="warn"
        What happens when something comes that does not fit: a column that is new (it is left out)
        or gone (its values are missing), a value that is no number, date or boolean or beyond
        1e75 (it is missing), a column of text that comes as numbers (they are categories). "note":
        it goes into `report_`. "warn": the first time in a column there is a `SurpriseWarning`,
        too. "stop": a ValueError, and nothing is learned.

    Attributes
    ----------
    kinds_ : dict of str to str
        What each column holds; "empty" before its first value. An empty column has one column
        of numbers: when the first values come a date is its age, a category its code.
    categories_ : dict of str to list of str
        The categories that have a place, by column, in the order of places.
    nominal_features_ : list of int
        The positions of columns of codes among those that come out.
    report_ : Table
        All surprises: column, problem, file, row, value, and how many rows had it.
    surprises_ : list of Surprise
        The same as objects; each tells of itself in a sentence.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    `transform` uses what is known now, and learns nothing. `transform_then_learn` encodes each row
    by what was known *before* it: the row that brings a category is still one without a place.
    So a pipeline that tests and then trains has the same bits as one that predicts and learns row
    by row, and no row is encoded by means of rows that come later.

    Text of which every value in the first call is written as a number is a column of numbers,
    unless one begins with a zero, and text in the form of 2024-01-31 or 2024-01-31T12:00 one of
    dates. Missing are None, nan, NaT, pandas' NA and empty text.

    Examples
    --------
    >>> encoder = TableEncoder(on_surprise="note")
    >>> monday = {"price": [1.5, None, 2.5], "colour": ["red", "blue", "red"]}
    >>> encoder.partial_fit(monday, file="monday").kinds_
    {'price': 'number', 'colour': 'category'}
    >>> encoder.transform(monday)
    array([[1.5, 2. ],
           [2. , 3. ],
           [2.5, 2. ]])
    >>> _ = encoder.partial_fit({"price": ["high"], "colour": ["green"]}, file="tuesday")
    >>> print(encoder.surprises_[0])
    tuesday, row 0: column 'price' holds 'high', which is no number; it counts as missing
    >>> encoder.categories_
    {'colour': ['red', 'blue', 'green']}
    """

    STATE: ClassVar[dict[str, Field]] = {
        "n_features_in_": optional(integer(1)),
        "known_": a(Knowledge),
        "surprises_": list_of(a(Surprise)),
        "row_": integer(0, MOST_ROWS),
        "file_": optional(word()),
    }
    _parameter_constraints: dict[str, list[Any]] = {
        "categories": [StrOptions({"codes", "onehot", "frequency"})],
        "max_categories": [Interval(Integral, 1, MOST_CATEGORIES, closed="both"), None],
        "date_parts": ["array-like"],
        "missing": [StrOptions({"auto", "mean", "indicator", "native"})],
        "scale": ["boolean"],
        "window": [Interval(Integral, 2, None, closed="left"), None],
        "kinds": [dict, None],
        "on_surprise": [StrOptions({"warn", "note", "stop"})],
    }
    known_: Knowledge
    surprises_: list[Surprise]
    row_: int
    file_: str | None

    def __init__(
        self,
        categories: str = "codes",
        *,
        max_categories: int | None = None,
        date_parts: Sequence[str] = ("month", "day", "weekday", "hour", "age"),
        missing: str = "auto",
        scale: bool = False,
        window: int | None = None,
        kinds: Mapping[str, str] | None = None,
        on_surprise: str = "warn",
    ):
        self.categories = categories
        self.max_categories = max_categories
        self.date_parts = date_parts
        self.missing = missing
        self.scale = scale
        self.window = window
        self.kinds = kinds
        self.on_surprise = on_surprise

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless columns and what is known of them fit together."""
        if not any(name in state for name in FITTED):
            return
        gone = [name for name in FITTED if name not in state]
        if gone:
            raise InvalidStateError(f"a TableEncoder without {gone[0]}")
        if len(state["known_"].columns) > state["n_features_in_"]:
            raise InvalidStateError("a TableEncoder of more columns than it was given")
        names = state.get("feature_names_in_", np.array([""] * state["n_features_in_"]))
        if np.shape(names) != (state["n_features_in_"],) or names.dtype.kind not in "OU":
            raise InvalidStateError("a TableEncoder whose columns have other names")
        if not all(isinstance(name, str) for name in names.tolist()):
            raise InvalidStateError("a TableEncoder whose columns have names that are no text")

    def fit(self, X: Any, y: Any = None, *, file: str | None = None) -> Self:
        """Forget everything, then learn these rows.

        Parameters
        ----------
        X : frame, table, dict of columns or array-like of shape (n, d)
            The rows: a frame of pandas or polars, a table of pyarrow, a dict of columns, or an
            array, of objects where columns differ. Columns with names are found by name, in any
            order; those of arrays by position.
        y : None
            Ignored.
        file : str, optional
            What the rows come from, for `report_`. Rows are counted from 0 in each file.

        Returns
        -------
        self
        """
        return self._absorb(X, file, start=True)[0]

    def partial_fit(self, X: Any, y: Any = None, *, file: str | None = None) -> Self:
        """Go on learning with these rows.

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
        """Return rows as numbers, by what is known now; nothing is learned.

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
        out, met = now._encoded(frame_of(X), None, learning=False)
        self._tell([], met)
        return out

    def transform_then_learn(self, X: Any, *, file: str | None = None) -> np.ndarray:
        """Return rows as numbers, each by what was known before it, and learn them.

        Parameters
        ----------
        X, file
            As in `fit`.

        Returns
        -------
        float64 array of shape (n, len(get_feature_names_out()))
        """
        return self._absorb(X, file, start=False)[1]

    @property
    def kinds_(self) -> dict[str, str]:
        """What each column holds."""
        self._check_fitted("kinds_")
        return {each.name: each.kind for each in self.known_.columns}

    @property
    def categories_(self) -> dict[str, list[str]]:
        """The categories that have a place, by column."""
        self._check_fitted("categories_")
        found = (each for each in self.known_.columns if isinstance(each, CategoryColumn))
        return {each.name: [*each.places] for each in found}

    @property
    def nominal_features_(self) -> list[int]:
        """The positions of columns of codes."""
        self._check_fitted("nominal_features_")
        owners = [each for each in self.known_.columns for _ in range(each.width)]
        return [j for j, each in enumerate(owners) if getattr(each, "encoding", "") == "codes"]

    @property
    def report_(self) -> Table:
        """All surprises so far."""
        self._check_fitted("report_")
        return table_of(self.surprises_)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns that come out; they never change."""
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
            why = "This TableEncoder has not learned anything yet"
            raise NotFittedError(f"{why}: call fit or partial_fit before {what}.")

    def _validate_params(self) -> None:
        super()._validate_params()
        parts = [*self.date_parts]
        if not are_parts(parts):
            raise ValueError(f"date_parts must be some of {PARTS}, each once; got {parts}")
        for name, kind in (self.kinds or {}).items():
            if kind not in (*KINDS[:-1], "drop"):
                raise ValueError(
                    f"kinds[{name!r}] must be 'number', 'boolean', 'category', 'date' or 'drop'; "
                    f"got {kind!r}"
                )

    def _absorb(self, X: Any, file: str | None, start: bool) -> tuple[Self, np.ndarray]:
        """Learn rows on a draft that takes this one's place when nothing failed."""
        file = None if file is None else str(file)
        with self._locked():
            start = start or not hasattr(self, "known_")
            draft = self._draft(start)
            frame = frame_of(X)
            if start:
                draft._validate_params()
                draft._begin(frame)
            if file != draft.file_:
                draft.row_, draft.file_ = 0, file
            out, met = draft._encoded(frame, file, learning=True)
            before = draft.surprises_
            draft.surprises_ = added(before, met)
            draft.row_ += frame.n_rows
            self.__dict__ = draft.__dict__
        self._tell(before, met)
        return self, out

    def _begin(self, frame: Frame) -> None:
        """Decide what the columns hold."""
        names = frame.names or numbered(len(frame.columns))
        stated = {**(self.kinds or {})}
        for name in stated:
            if name not in names:
                raise ValueError(
                    f"kinds names {name!r}, which is not a column{meant(name, names)}. The columns "
                    f"are {', '.join(map(repr, names[:20]))}"
                )
        columns = []
        for name, raw in zip(names, frame.columns):
            kind = stated[name] if name in stated else kind_of(raw, name)
            if kind != "drop":
                parts = tuple(self.date_parts)
                columns.append(made(name, kind, self.categories, self._n_places, parts))
        if not columns:
            raise ValueError("kinds drops every column: there is nothing left to learn from")
        self.n_features_in_ = len(names)
        if frame.names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        self.known_ = Knowledge(columns, self.scale, self.missing == "indicator")
        self.surprises_ = []
        self.row_, self.file_ = 0, None

    @property
    def _n_places(self) -> int:
        return PLACES[self.categories] if self.max_categories is None else self.max_categories

    def _encoded(
        self, frame: Frame, file: str | None, learning: bool
    ) -> tuple[np.ndarray, list[Surprise]]:
        """Return rows as numbers and the surprises on the way; if learning more is known then."""
        met: list[Surprise] = []
        row = self.row_ if learning else 0

        def note(column: str, problem: str, rows: Sequence[int], value: Any = "") -> None:
            met.append(Surprise(column, problem, file, row + rows[0], shown(value), len(rows)))
            if self.on_surprise == "stop":
                raise ValueError(
                    f"{met[-1].what}. Repair it, or go on with on_surprise='note': then "
                    f"{met[-1].becomes}."
                )

        names = self.__dict__.get("feature_names_in_")
        raws = self.known_.matched(frame, names, self.n_features_in_, note)
        if learning:
            self.known_.settle(raws, self.scale, self.categories, self._n_places)
        native = self.missing == "native"
        out = self.known_.encoded(raws, frame.n_rows, native, self.window, learning, note)
        return out, sorted(met, key=lambda each: each.row)

    def _tell(self, before: list[Surprise], met: list[Surprise]) -> None:
        """Warn of what was never met before."""
        if self.on_surprise == "warn" and met:
            known = {(each.column, each.problem) for each in before}
            for each in met:
                if (each.column, each.problem) not in known:
                    warnings.warn(str(each), SurpriseWarning, stacklevel=4)
