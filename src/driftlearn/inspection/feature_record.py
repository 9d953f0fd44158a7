"""Feature drift from counts of values over time, in bounded memory."""

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar

import numpy as np
from scipy.special import chdtrc

from driftlearn.evaluate.significance import holm
from driftlearn.inspection._changes import MOST_SPANS, Change, changes_of, largest_change
from driftlearn.io import schema
from driftlearn.tables.frames import Raw, frame_of, numbered
from driftlearn.tables.values import KINDS, booleans, kind_of, missing, names, numbers
from driftlearn.utils.arguments import Self, check_integer, invalid
from driftlearn.utils.table import Table

#: Maximum number of bins per feature: ranges of numbers, or categories with one bin for all others.
#: With 20 bins, the first 1000 rows give 50 rows per bin, enough for a chi-square test.
PLACES = 20
MOST_ROWS = 2**62  # more than any stream has; leaves room for sums in 64 bits
LEAST_SPAN = 100  # minimum rows per span: five per bin
ALPHA = 0.05


class FeatureCounts:
    """Base class: the distribution of each column in spans of rows.

    Attributes
    ----------
    kinds : dict of str to str
        The monitored columns and the kinds of their values.
    n_rows : int
        Number of rows so far.
    counts : ndarray of shape (spans, columns, 21)
        Number of rows of each bin; the last bin has the missing values.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "span": schema.integer(LEAST_SPAN, MOST_ROWS),
        "most_spans": schema.integer(2, MOST_SPANS),
        "n_rows": schema.integer(0, MOST_ROWS),
        "kinds": schema.dict_of(schema.word(*KINDS)),
        "places": schema.dict_of(schema.dict_of(schema.integer(0, PLACES))),
        "edges": schema.optional(schema.list_of(schema.floats(None)), needed=True),
        "first": schema.floats(None, None, finite=False),
        "counts": schema.integers("spans", "features", PLACES + 1, least=0),
    }

    def __init__(self, span: int, most_spans: int):
        self.span, self.most_spans = span, most_spans
        self.n_rows = 0
        self.kinds: dict[str, str] = {}
        self.places: dict[str, dict[str, int]] = {}
        self.edges: list[np.ndarray] | None = None
        self.first = np.zeros((0, 0))  # rows whose values determine the bins, until they are known
        self.counts = np.zeros((0, 0, PLACES + 1), dtype=np.int64)

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless bins and columns are consistent."""
        d, edges = len(state["kinds"]), state["edges"]
        valid = {
            "each column must have bin edges": edges is None or len(edges) == d,
            "bin edges must be strictly increasing": all(
                len(e) < PLACES and (np.diff(e) > 0).all() for e in edges or ()
            ),
        }
        check_rules("a FeatureCounts", valid)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        size = f"{len(self.kinds)} columns, {self.n_rows} rows, {len(self)} spans"
        return f"{type(self).__name__}({size})"

    def drift(self, alpha: float = ALPHA, least: float = 0.1) -> Table:
        """Return a table of the changes in the distribution of each feature.

        The sequence of spans is divided at the interval that differs most from the rest. The parts
        are divided again while they differ significantly (chi-square test of the counts) and by at
        least `least`. The first test of each feature is corrected for the number of intervals
        (Bonferroni) and for the number of features (Holm).

        Parameters
        ----------
        alpha : float
            Significance level of the tests.
        least : float
            Minimum *total variation distance* of a change: the share of rows whose values would
            have to change to make both distributions equal. With many rows, even negligible
            differences are significant.

        Returns
        -------
        Table
            One row per feature, largest changes first: ``feature``; ``since``, the row of the
            newest change, or None; ``changes``, the number of changes; ``p``, the corrected
            p-value; ``effect``, the total variation distance, ``low`` and ``high``, its 95 %
            confidence interval, and ``psi``, the population stability index, of the newest change
            or, without changes, of the most different interval;
            ``before`` and ``after``: the median of numbers, the most frequent category, or the
            share of missing values if this share changed.

        Notes
        -----
        The tests assume independent rows. In autocorrelated rows, such as time series, values
        change slowly and often, and the tests report these changes.
        """
        counts, strata = self._spans()
        best = [largest_change(counts[:, j], strata=strata) for j in range(counts.shape[1])]
        p = holm(np.array([each.p for each in best]))
        rows: list[list[Any]] = []
        sizes = ("effect", "low", "high", "psi")
        for j, (name, newest) in enumerate(zip(self.kinds, best)):
            found: list[Change] = []
            if p[j] < alpha:
                level = alpha / (len(best) * MOST_SPANS)
                found = changes_of(counts[:, j], level, least, strata=strata)
                newest = found[-1] if found else newest
            since = self._start(newest.split) if found else None
            inside = np.arange(newest.split, newest.end)
            outside = np.setdiff1d(np.arange(newest.begin, newest.stop), inside)
            typical = [
                self._typical(j, name, newest.before, newest.after, outside),
                self._typical(j, name, newest.after, newest.before, inside),
            ]
            measured = [getattr(newest, each) for each in sizes]
            rows.append([name, since, len(found), float(p[j]), *measured, *typical])
        head = (
            "feature",
            "since",
            "changes",
            "p",
            "effect",
            "low",
            "high",
            "psi",
            "before",
            "after",
        )
        rows.sort(key=lambda row: (row[1] is None, -row[4]))  # by `since`, then by `effect`
        return Table({name: [row[k] for row in rows] for k, name in enumerate(head)})

    def shares(self, feature: str) -> Table:
        """Return the distribution of a feature, with one row per span and one column per bin.

        Parameters
        ----------
        feature : str
            The name of the feature.
        """
        if feature not in self.kinds:
            raise ValueError(f"unknown feature {feature!r}; expected one of {[*self.kinds]}")
        j = [*self.kinds].index(feature)
        counts = self.counts[:, j] if len(self.counts) else np.zeros((0, PLACES + 1))
        shown = self._labels(j, feature) if self.edges is not None else []
        whole = np.maximum(counts.sum(axis=1, keepdims=True), 1)
        columns = {label: counts[:, k] / whole[:, 0] for label, k in shown}
        return Table({"first row": [*map(self._start, range(len(counts)))], **columns})

    def compare(self, X: Any, alpha: float = ALPHA, least: float = 0.1) -> Table:
        """Return the features of a table that differ from the newest quarter of the spans.

        Parameters
        ----------
        X : frame, table, dict of columns or array-like of shape (n, d)
            The rows, which are not counted.
        alpha, least : float
            See `drift`; the chi-square tests are corrected for the number of features.

        Returns
        -------
        Table
            One row per feature that differs: ``feature``; the total variation distance, ``effect``;
            the corrected p-value, ``p``; ``before`` and ``after``, as in `drift`; and ``outside``,
            the share of numbers below the 5 % or above the 95 % quantile of the first rows.
        """
        head = ("feature", "effect", "p", "before", "after", "outside")
        rows: list[list[Any]] = []
        if self.edges is not None and len(self.counts):
            draft = copy(self)
            draft.places = {name: {**each} for name, each in self.places.items()}
            values = draft._values(X, None)
            draft.counts = np.zeros((1, *self.counts.shape[1:]), dtype=np.int64)
            draft._add(values, np.zeros(len(values), dtype=np.int64))
            old, new = self.counts[-len(self.counts) // 4 :].sum(axis=0), draft.counts[0]
            draft.counts = np.stack([old, new])  # the bins of both have labels
            p = holm(np.array([_two_samples(*pair) for pair in zip(old, new)]))
            spans = np.zeros(0, dtype=np.int64)
            for j, name in enumerate(self.kinds):
                shares = [each[j] / max(each[j].sum(), 1) for each in (old, new)]
                effect = float(np.abs(shares[1] - shares[0]).sum() / 2)
                if p[j] >= alpha or effect < least:
                    continue
                typical = [FeatureCounts._typical(draft, j, name, here, there, spans)
                           for here, there in ((old[j], new[j]), (new[j], old[j]))]  # fmt: skip
                known = values[:, j][np.isfinite(values[:, j])]
                edges, outside = self.edges[j], 0.0
                if self.kinds[name] == "number" and len(known) and len(edges):
                    outside = float(((known < edges[0]) | (known >= edges[-1])).mean())
                rows.append([name, effect, float(p[j]), *typical, outside])
        rows.sort(key=lambda row: -row[1])
        return Table({name: [row[k] for row in rows] for k, name in enumerate(head)})

    def remove(self, feature: str) -> None:
        """Remove a feature, for example because its values have another kind from now on."""
        if feature not in self.kinds:
            return
        j = [*self.kinds].index(feature)
        self.kinds = {name: kind for name, kind in self.kinds.items() if name != feature}
        self.places = {name: each for name, each in self.places.items() if name != feature}
        if self.edges is not None:
            self.edges = [*self.edges[:j], *self.edges[j + 1 :]]
        self._delete(j, "first", "counts")

    def _delete(self, j: int, *names: str) -> None:
        """Delete the column of a feature from arrays."""
        for name in names:
            if getattr(self, name).shape[1] > j:
                setattr(self, name, np.delete(getattr(self, name), j, axis=1))

    def quartiles(self, feature: str) -> tuple[float, float, float] | None:
        """Return the quartiles of the newest quarter of the spans of a number, to within a bin.

        The result is None without numbers, or if they lie outside of the bins.
        """
        j = [*self.kinds].index(feature)
        if self.edges is None:
            known = self.first[np.isfinite(self.first[:, j]), j] if len(self.first) else []
            return tuple(np.quantile(known, [0.25, 0.5, 0.75]).tolist()) if len(known) else None
        edges, newest = self.edges[j], self.counts[-len(self.counts) // 4 :, j]
        up_to = np.cumsum(newest[:, : len(edges) + 1].sum(axis=0))
        if not len(edges) or not up_to[-1]:
            return None
        places = np.searchsorted(up_to, up_to[-1] * np.array([0.25, 0.5, 0.75]))
        if not 0 < places[1] < len(edges):
            return None
        bins = np.concatenate([edges[:1], edges, edges[-1:]])
        low, center, high = ((bins[places] + bins[places + 1]) / 2).tolist()
        return low, center, high

    def _spans(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the counts of the complete spans, and the stratum of each."""
        raise NotImplementedError

    def _start(self, span: int) -> int:
        """Return the number of rows before a span."""
        raise NotImplementedError

    def _values(self, X: Any, kinds: Mapping[str, str] | None) -> np.ndarray:
        """Return the monitored columns of rows as numbers, with nan for missing values."""
        frame = frame_of(X)
        columns = dict(zip(frame.names or numbered(len(frame.columns)), frame.columns))
        if not self.n_rows:
            found = {name: kind_of(raw, name) for name, raw in columns.items()}
            found = found if kinds is None else {**kinds}
            self.kinds = {name: kind for name, kind in found.items() if kind != "date"}
            self.places = {name: {} for name, kind in self.kinds.items() if kind == "category"}
        values = np.full((frame.n_rows, len(self.kinds)), np.nan)
        for j, (name, kind) in enumerate(self.kinds.items()):
            if name in columns:
                values[:, j] = self._read(name, kind, columns[name])
        return values

    def _read(self, name: str, kind: str, raw: Raw) -> np.ndarray:
        """Return a column as numbers, with nan for missing values."""
        if kind == "number":
            return numbers(raw.values)[0]
        if kind == "boolean":
            return booleans(raw.values)[0]
        if kind == "empty":
            return np.where(missing(raw.values), np.nan, 0.0)
        places = self.places[name]
        found = names(raw.values)
        for each in dict.fromkeys(found) if len(places) < PLACES - 1 else ():
            if each is not None and len(places) < PLACES - 1:
                places.setdefault(each, len(places))
        return np.array([np.nan if each is None else places.get(each, PLACES - 1)
                         for each in found], dtype=float)  # fmt: skip

    def _add(self, values: np.ndarray, spans: np.ndarray, begin: int = 0) -> None:
        """Count rows of spans from `begin` on."""
        size = (len(self.counts) - begin) * (PLACES + 1)
        for j, edges in enumerate(self.edges or ()):
            place = np.searchsorted(edges, values[:, j], side="right")
            place[np.isnan(values[:, j])] = PLACES
            place += (spans - begin) * (PLACES + 1)
            new = np.bincount(place, minlength=size)
            self.counts[begin:, j] += new.reshape(-1, PLACES + 1)

    def _labels(self, j: int, name: str) -> list[tuple[str, int]]:
        """Return the names and positions of the nonempty bins of a feature."""
        taken = self.counts[:, j].sum(axis=0) > 0
        assert self.edges is not None
        edges = self.edges[j]
        if name in self.places:
            labels = [*self.places[name]]
            labels += [""] * (PLACES - 1 - len(labels)) + ["(others)"]
        elif self.kinds[name] == "boolean":
            labels = ["", "false", "", "true", ""]
        else:
            labels = [_between(edges, k) for k in range(len(edges) + 1)]
        found = [(label, k) for k, label in enumerate(labels) if label and taken[k]]
        return [*found, ("(missing)", PLACES)] if taken[PLACES] else found

    def _typical(
        self, j: int, name: str, here: np.ndarray, there: np.ndarray, spans: np.ndarray
    ) -> str:
        """Return a value that distinguishes the distribution in spans from another distribution."""
        if not here.sum():
            return "-"
        gone, was_gone = (each[PLACES] / max(each.sum(), 1) for each in (here, there))
        if abs(gone - was_gone) > 0.1 or not here[:PLACES].any():
            return f"{gone:.0%} missing"
        labels = {k: label for label, k in self._labels(j, name)}
        up_to = np.cumsum(here[:PLACES])
        if self.kinds[name] in ("category", "boolean"):
            k = int(here[:PLACES].argmax())
            return f"{labels[k]} ({here[k] / up_to[-1]:.0%})"
        return "median " + self._median(j, spans, labels, up_to)

    def _median(
        self, j: int, spans: np.ndarray, labels: Mapping[int, str], up_to: np.ndarray
    ) -> str:
        """Return the median of a number in spans, to within a bin."""
        return labels[int(np.searchsorted(up_to, up_to[-1] / 2))]


class FeatureRecord(FeatureCounts):
    """Distribution of each column over time, in bounded memory.

    The stream is divided into spans of equal length. Numbers are counted in bins whose edges are
    quantiles of the first span; a frequent value has its own bin. Categories have one bin each in
    order of appearance; late categories share the last bin. Missing values are also counted. When
    there are ``most_spans`` spans, neighboring spans are merged in pairs and the span length is
    doubled.

    Columns of dates are omitted, because their distribution always changes. For a column without
    values in the first call, only the share of missing values is monitored.

    Parameters
    ----------
    span : int, default=1000
        Rows per span, at least 100.
    most_spans : int, default=64
        Maximum number of spans; an even number up to 256.

    Attributes
    ----------
    kinds : dict of str to str
        The monitored columns and the kinds of their values.
    n_rows : int
        Number of rows so far.
    span : int
        Current number of rows per span.

    Notes
    -----
    The counts do not depend on how rows are split into calls. The kinds of columns are set by
    `kinds` in the first call, or inferred from the rows of this call.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> record = FeatureRecord()
    >>> for day in range(8):
    ...     price = rng.normal(0 if day < 5 else 1, 1, 1000)
    ...     _ = record.update({"price": price, "size": rng.normal(0, 1, 1000)})
    >>> record.drift().to_dicts()[0]["feature"], record.drift()["since"].tolist()
    ('price', [5000, None])
    """

    STATE: ClassVar[dict[str, schema.Field]] = {**FeatureCounts.STATE}

    def __init__(self, span: int = 1000, most_spans: int = 64):
        if not isinstance(most_spans, int) or most_spans % 2 or not 2 <= most_spans <= MOST_SPANS:
            raise invalid("most_spans", f"an even int in the range [2, {MOST_SPANS}]", most_spans)
        span = check_integer("The 'span' parameter of FeatureRecord", span, LEAST_SPAN)
        super().__init__(span, most_spans)

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless rows, spans and columns are consistent."""
        n, d, edges = state["n_rows"], len(state["kinds"]), state["edges"]
        spans = 0 if edges is None else -(-n // state["span"])
        shape = (spans, 0 if edges is None else d)
        buffered = (n, d) if n else (0, 0)
        counts_match = state["counts"].shape[:2] == shape and spans <= state["most_spans"]
        rows_match = edges is not None or state["first"].shape == buffered
        valid = {
            "counts must match its rows and columns": counts_match,
            "buffered rows must match its number of rows": rows_match,
        }
        check_rules("a FeatureRecord", valid)

    def update(self, X: Any, kinds: Mapping[str, str] | None = None) -> Self:
        """Count the values of rows.

        Parameters
        ----------
        X : frame, table, dict of columns or array-like of shape (n, d)
            The rows, encoded or not. Columns are matched by name in any order, columns of arrays by
            position. The values of an absent column count as missing; new columns are ignored.
        kinds : mapping of str to str, optional
            The kinds of columns in the first call, such as `kinds_` of a `TableEncoder`. Other
            columns are ignored. By default, kinds are inferred.

        Returns
        -------
        self
        """
        values = self._values(X, kinds)
        if self.edges is None:
            values = self._buffer(values)
        self._count(values)
        return self

    def _spans(self) -> tuple[np.ndarray, np.ndarray]:
        m = len(self.counts)
        if self.n_rows % self.span and m > 1:
            m -= 1  # the last span is incomplete
        return self.counts[:m], np.zeros(m, dtype=np.int64)

    def _start(self, span: int) -> int:
        return span * self.span

    def _buffer(self, values: np.ndarray) -> np.ndarray:
        """Buffer the rows of the first span; once it is complete, return the rows to count."""
        if not self.n_rows:
            self.first = values[:0]
        room = self.span - len(self.first)
        self.first = np.concatenate([self.first, values[:room]])
        if len(self.first) < self.span:
            self.n_rows = len(self.first)
            return values[:0]
        self.edges = [*map(edges_of, self.first.T, self.kinds.values())]
        values = np.concatenate([self.first, values[room:]])
        self.first, self.n_rows = self.first[:0], 0
        self.counts = np.zeros((0, len(self.kinds), PLACES + 1), dtype=np.int64)
        return values

    def _count(self, values: np.ndarray) -> None:
        while len(values):
            if self.n_rows == self.span * self.most_spans:
                self.counts = self.counts[::2] + self.counts[1::2]
                self.span *= 2
            taken = values[: self.span * self.most_spans - self.n_rows]
            values = values[len(taken) :]
            spans = (self.n_rows + np.arange(len(taken))) // self.span
            begin, end = spans[0], spans[-1] + 1
            room = np.zeros((end - len(self.counts), *self.counts.shape[1:]), dtype=np.int64)
            if len(room):
                self.counts = np.concatenate([self.counts, room])
            self._add(taken, spans, begin)
            self.n_rows += len(taken)


def _two_samples(old: np.ndarray, new: np.ndarray) -> float:
    """Return the p-value of a chi-square test that both counts have the same distribution."""
    both = np.stack([old, new])[:, old + new > 0].astype(float)
    if both.shape[1] < 2 or not both.sum(axis=1).all():
        return 1.0
    expected = both.sum(axis=1, keepdims=True) * both.sum(axis=0) / both.sum()
    return float(chdtrc(both.shape[1] - 1, ((both - expected) ** 2 / expected).sum()))


def check_rules(name: str, rules: Mapping[str, bool]) -> None:
    """Raise InvalidStateError for the first rule that does not hold."""
    for rule, is_kept in rules.items():
        if not is_kept:
            raise schema.InvalidStateError(f"invalid state of {name}: {rule}")


def edges_of(values: np.ndarray, kind: str) -> np.ndarray:
    """Return the left edges of the bins of a feature, except the first bin.

    A number at two quantiles is frequent and gets its own bin.

    Examples
    --------
    >>> edges_of(np.array([3.0, 3.0, 3.0]), "number").round(3)
    array([3., 3.])
    """
    if kind == "category":
        return np.arange(1.0, PLACES)
    if kind == "boolean":
        quantiles = np.array([0.0, 0.0, 1.0, 1.0])
    else:
        known = np.sort(values[np.isfinite(values)])
        # Order statistics without interpolation, so that a frequent value becomes an exact edge.
        quantiles = known[np.arange(1, PLACES) * len(known) // PLACES] if len(known) else known
    distinct, times = np.unique(quantiles, return_counts=True)
    frequent = np.nextafter(distinct[times > 1], np.inf)
    return np.unique(np.concatenate([distinct, frequent]))


def _between(edges: np.ndarray, k: int) -> str:
    """Return the label of a bin of numbers, such as ``"1 to 2"``."""
    if not len(edges):
        return "any"
    if k == 0:
        return f"below {edges[0]:.4g}"
    low = edges[k - 1]
    if k == len(edges):
        return f"from {low:.4g} on"
    return f"{low:.4g}" if edges[k] == np.nextafter(low, np.inf) else f"{low:.4g} to {edges[k]:.4g}"
