"""State of an encoder: its columns, and means and variances of its output columns."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from driftlearn.base.validation import LARGEST_VALUE
from driftlearn.io.schema import Field, InvalidStateError, a, flags, floats, list_of
from driftlearn.preprocessing._columns import COLUMNS, CategoryColumn, Column, settled
from driftlearn.preprocessing._running_moments import fill, first_beyond
from driftlearn.tables.frames import Frame, Raw, numbered
from driftlearn.utils.typing import Self

Note = Callable[..., None]  # function called with a column, a problem, its rows and a value


class Knowledge:
    """The columns of a table and the moments of their output columns.

    Parameters
    ----------
    columns : list of Column
        The columns.
    scale : bool
        Whether to standardize the columns that can be scaled.
    indicators : bool
        Whether each column has an additional one that is 1 where its value is missing.

    Attributes
    ----------
    count, mean, var : ndarray of shape (width,)
        Moments of the output columns.
    scaled : ndarray of shape (width,)
        Which output columns are standardized.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "columns": list_of(a(*COLUMNS)),
        "count": floats("width", least=0),
        "mean": floats("width"),
        "var": floats("width", least=0),
        "scaled": flags("width"),
    }

    def __init__(self, columns: list[Column], scale: bool, indicators: bool):
        self.columns = columns
        scaled = [scale and each.scalable for each in columns for _ in range(each.width)]
        scaled += [False] * len(columns) if indicators else []
        self.scaled = np.array(scaled, dtype=bool)
        self.count, self.mean, self.var = np.zeros((3, len(scaled)))

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless columns and moments fit together."""
        columns = state["columns"]
        if not columns or len({each.name for each in columns}) < len(columns):
            raise InvalidStateError(
                "the table must have at least one column, and column names must be unique"
            )
        width = sum(each.width for each in columns)
        if len(state["count"]) not in (width, width + len(columns)):
            raise InvalidStateError(
                f"the table has {width} columns, but moments of {len(state['count'])} columns"
            )

    def outputs(self) -> list[str]:
        """Return the names of the output columns."""
        names = [name for each in self.columns for name in each.outputs()]
        if len(names) < len(self.scaled):
            names += [f"{each.name}_missing" for each in self.columns]
        return names

    def draft(self) -> Self:
        """Return a working copy; it shares the columns, which are never modified."""
        draft = object.__new__(type(self))
        draft.__dict__ = {**self.__dict__, "columns": [*self.columns]}
        for name in ("count", "mean", "var", "scaled"):
            setattr(draft, name, getattr(self, name).copy())
        return draft

    def matched(
        self, frame: Frame, names: np.ndarray | None, n_columns: int, note: Note
    ) -> list[Raw | None]:
        """Return the column of a frame for each known column, None if it is missing.

        Columns are matched by name if both have names, else by position.
        """
        if names is not None and frame.names == [each.name for each in self.columns]:
            return [*frame.columns]
        if names is None or frame.names is None:
            if len(frame.columns) != n_columns:
                raise ValueError(
                    f"X has {len(frame.columns)} features, but TableEncoder is expecting "
                    f"{n_columns} features as input: columns without names are matched by position"
                )
            keys = numbered(n_columns) if names is None else names.tolist()
        else:
            keys = frame.names
        given = dict(zip(keys, frame.columns))
        known = {*keys} if names is None else {*names.tolist()}
        whole = range(frame.n_rows)
        for name in given:
            if name not in known:
                note(name, "new column", whole)
        for each in self.columns:
            if each.name not in given:
                note(each.name, "missing column", whole)
        return [given.get(each.name) for each in self.columns]

    def settle(self, raws: list[Raw | None], scale: bool, categories: str, n_places: int) -> None:
        """Determine the kinds of empty columns that have values now."""
        begin = 0
        for k, (each, raw) in enumerate(zip(self.columns, raws)):
            if each.kind == "empty" and raw is not None:
                self.columns[k] = settled(each, raw, categories, n_places)
                self.scaled[begin] = scale and self.columns[k].scalable
            begin += each.width

    def encoded(
        self,
        raws: list[Raw | None],
        n_rows: int,
        native: bool,
        window: int | None,
        learning: bool,
        note: Note,
    ) -> np.ndarray:
        """Return the output columns, each row encoded with the state before it.

        Missing columns are None. With `native`, missing values stay nan.
        """
        out = np.empty((n_rows, len(self.scaled)))
        parts, begin = [], 0
        for k, (each, raw) in enumerate(zip(self.columns, raws)):
            part = out[:, begin : begin + each.width]
            if raw is None:
                part[:] = np.nan
            else:
                known = each.encoded(raw, part, learning, partial(note, each.name))
                if learning:
                    self.columns[k] = known
            parts.append(part)
            begin += part.shape[1]
        out[:, begin:] = 0.0
        if first_beyond(out, LARGEST_VALUE) >= 0:
            # Larger numbers become nan, because sums of their squares could overflow in learners.
            for each, part in zip(self.columns, parts):
                large = np.flatnonzero(np.abs(part[:, 0]) > LARGEST_VALUE)
                if len(large):
                    note(each.name, "too large", large.tolist(), part[large[0], 0])
                    part[large, 0] = np.nan
        for k, (each, part) in enumerate(zip(self.columns, parts)):
            if begin < out.shape[1]:
                out[:, begin + k] = np.isnan(part[:, 0])
            if isinstance(each, CategoryColumn) and not native:
                part[np.isnan(part[:, 0])] = each.missing_as()
        moments = [self.count, self.mean, self.var]
        if not learning:  # the stored moments may be memory-mapped
            moments = [each.copy() for each in moments]
        how = self.scaled.view(np.uint8)
        fill(out, *moments, how, np.inf if window is None else float(window), native, learning)  # type: ignore[call-arg]
        return out
