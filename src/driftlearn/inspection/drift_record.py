"""Features, labels and errors of arrived rows, in spans that end where files or days end."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from driftlearn.inspection._changes import (
    by_stratum,
    difference,
    error_changes,
    target_changes,
)
from driftlearn.inspection.feature_record import (
    LEAST_SPAN,
    MOST_ROWS,
    PLACES,
    FeatureCounts,
    check_rules,
    edges_of,
)
from driftlearn.io import schema
from driftlearn.utils.arguments import Ints, Self

MOST_SPANS = 128  # four months of daily files
FIRST_ROWS = 1000  # rows whose quantiles are the edges of the bins
#: Possible lengths of spans of time, in minutes; each divides a day.
GRIDS = (1, 5, 15, 60, 180, 360, 720, 1440)
DAY, YEAR = 1440, 366 * 1440  # in minutes
MOST_CLASSES = 20  # classes that are counted separately; the last one stands for all others
#: Rows are divided by the predicted class, of which four are distinguished, and by its probability.
SURE = np.array([0.6, 0.7, 0.8, 0.9])
SEGMENTS = 4 * (len(SURE) + 1)
MOST_MARKS = 1024
MOST_SAMPLED = 512  # rows of the open span from which medians are computed
CYCLE = 14  # days after which weekdays are compared with the same weekday


class DriftRecord(FeatureCounts):
    """Features, labels and errors of the rows that arrived over time, in bounded memory.

    With a time column, a span is a time interval that is as short as possible, from a minute to
    a day, so that it contains at least 100 rows. Otherwise, a span ends where a file ends; long
    files are divided into spans of equal length, and short files are combined. If there are more
    than 128 spans, the length is increased; when a span is a day or a file, weeks of the older half
    are combined in pairs, a weekday with the same weekday.

    Labels and errors belong to the span in which the row arrived, even if the label comes later.

    Parameters
    ----------
    has_times : bool
        Whether there is a time column.

    Attributes
    ----------
    minutes : int
        Length of a span of time.
    rows : ndarray of shape (spans,)
        Number of rows of each span.
    keys : ndarray of shape (spans,)
        Number of the file or, with a time column, the minute since 1970 with which a span begins.
    phases : ndarray of shape (spans,)
        The minute of the week, or -1 minus the number of the file modulo 7 if it is not known.
    starts : list of [n, file, row, time]
        Number of rows before each span, and the origin of its first row.
    marks : list of [file, row, span]
        Origin of consecutive rows of a span; the newest ones.
    medians : ndarray of shape (spans, columns)
        Medians of the columns of numbers in the complete spans, from at most 512 rows.
    labels : ndarray of shape (spans, 20)
        Labels of the rows of each span.
    outcomes : ndarray of shape (spans, segments, 2)
        Number of correct and of wrong predictions, by predicted class and its probability.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        **FeatureCounts.STATE,
        "has_times": schema.a(bool),
        "minutes": schema.integer(1, DAY),
        "ahead": schema.integer(0, LEAST_SPAN),
        "newest": schema.integer(-MOST_ROWS, MOST_ROWS),
        "n_files": schema.integer(0, MOST_ROWS),
        "next_row": schema.integer(0, MOST_ROWS),
        "rows": schema.integers("spans", least=1),
        "keys": schema.integers("spans"),
        "phases": schema.integers("spans", least=-7),
        "starts": schema.list_of(schema.anything(), "spans"),
        "marks": schema.list_of(schema.anything()),
        "medians": schema.floats("spans", "features", finite=False),
        "sample": schema.floats(None, "features", finite=False),
        "stride": schema.integer(1, MOST_ROWS),
        "labels": schema.integers("spans", MOST_CLASSES, least=0),
        "outcomes": schema.integers("spans", SEGMENTS, 2, least=0),
    }

    def __init__(self, has_times: bool = False):
        super().__init__(FIRST_ROWS, MOST_SPANS)
        self.has_times, self.minutes, self.n_files = has_times, 1, 0
        self.newest = -MOST_ROWS  # minute of the newest row
        self.ahead = 0  # number of newest rows whose time is more than a year later
        self.next_row = 0  # expected number of the next row in its file
        self.rows, self.keys, self.phases = np.zeros((3, 0), dtype=np.int64)
        self.starts: list[list[Any]] = []
        self.marks: list[list[Any]] = []
        self.medians, self.sample, self.stride = np.zeros((0, 0)), np.zeros((0, 0)), 1
        self.labels = np.zeros((0, MOST_CLASSES), dtype=np.int64)
        self.outcomes = np.zeros((0, SEGMENTS, 2), dtype=np.int64)

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless rows, spans and columns are consistent."""
        n, d, m, edges = state["n_rows"], len(state["kinds"]), len(state["rows"]), state["edges"]
        types = {"starts": (int, str, int, str), "marks": (str, int, int)}
        places = [
            type(each) is list and (*map(type, each),) == types[name]
            for name in types
            for each in state[name]
        ]
        spans_match = state["rows"].sum() == n and m <= state["most_spans"]
        buffered = (n, d) if n else (0, 0)
        valid = {
            "spans must match its rows": spans_match,
            "counts must match its columns": state["counts"].shape[1] == d or not n,
            "buffered rows must match its number of rows": edges is not None
            or state["first"].shape == buffered,
            "a span must have an origin": all(places),
            "marks must be those of its spans": all(0 <= span < m for *_, span in state["marks"]),
            "the length of spans of time must divide a day": state["minutes"] in GRIDS,
        }
        check_rules("a DriftRecord", valid)

    def update(
        self,
        X: Any,
        kinds: Mapping[str, str] | None = None,
        *,
        file: str = "",
        row: int = 0,
        times: np.ndarray | None = None,
    ) -> Self:
        """Count the values of consecutive rows of a file.

        Parameters
        ----------
        X, kinds : rows, mapping
            As in `FeatureRecord.update`.
        file, row : str, int
            The file, and the number of the first row in it.
        times : datetime64 array of shape (n,), optional
            The times of the rows; NaT where missing.
        """
        values = self._values(X, kinds)
        if not len(self.counts):
            self.counts = np.zeros((0, len(self.kinds), PLACES + 1), dtype=np.int64)
            self.first, self.medians, self.sample = np.zeros((3, 0, len(self.kinds)))
        minutes = None if times is None else self._minutes(times)
        is_new = not self.marks or file != self.marks[-1][0]
        self.n_files += is_new
        done = 0
        while done < len(values):
            rest = None if minutes is None else minutes[done:]
            is_open, n = self._step(len(values) - done, rest, is_new)
            at = row + done
            if not is_open:
                self._open(file, at, rest)
            if not is_open or is_new or self.next_row != at:
                self.marks.append([file, at, len(self.rows) - 1])
            if rest is not None:
                self.newest = int(rest[n - 1])
            self.next_row, is_new = at + n, False
            self._sample(values[done : done + n])
            self.rows[-1] += n
            self.n_rows += n
            self._bin(values[done : done + n])
            done += n
        if len(self.marks) > MOST_MARKS:
            self.marks = self.marks[-MOST_MARKS // 2 :]
        return self

    def remove(self, feature: str) -> None:
        """See `FeatureCounts`."""
        if feature in self.kinds:
            self._delete([*self.kinds].index(feature), "medians", "sample")
        super().remove(feature)

    def score(
        self, locations: Sequence[list[Any]], y: Ints, predicted: Ints, confidence: np.ndarray
    ) -> None:
        """Count labels and predictions of rows that have arrived.

        Parameters
        ----------
        locations : list of [file, row, time]
            Origin of each row.
        y, predicted : int arrays of shape (n,)
            Codes of labels and predictions; -1 without a prediction.
        confidence : ndarray of shape (n,)
            Probabilities of the predicted classes.
        """
        spans = self._spans_of(locations)
        known = spans >= 0
        np.add.at(self.labels, (spans[known], np.minimum(y, MOST_CLASSES - 1)[known]), 1)
        known &= predicted >= 0
        sure = np.searchsorted(SURE, confidence[known], side="right")
        segments = np.minimum(predicted[known], 3) * (len(SURE) + 1) + sure
        wrong = (y != predicted)[known].astype(np.int64)
        np.add.at(self.outcomes, (spans[known], segments, wrong), 1)

    def error_changes(self) -> list[dict[str, Any]]:
        """Return the changes of the error, oldest first; see `driftlearn.inspection._changes`."""
        m = self._n_spans
        segments = self.outcomes[:m]
        starts = np.array([start[0] for start in self.starts])
        return error_changes(segments.sum(axis=1), starts, self.strata()[:m], segments)

    def target_changes(self) -> list[dict[str, Any]]:
        """Return the changes of the shares of the classes, oldest first."""
        m = self._n_spans
        starts = np.array([start[0] for start in self.starts])
        return target_changes(self.labels[:m], starts, self.strata()[:m])

    def has_returned(self, subject: str, before: int, since: int, least: float = 0.1) -> bool:
        """Return whether the newest rows are distributed as those before an earlier drift.

        Parameters
        ----------
        subject : str
            "target", or "feature" and a name.
        before, since : int
            Number of rows before the earlier drift, and before the newest rows.
        least : float
            Total variation distance from which distributions differ.
        """
        m, (kind, _, name) = self._n_spans, subject.partition(" ")
        if kind not in ("feature", "target"):
            return False
        counts = self.labels[:m] if kind == "target" else self.counts[:m, [*self.kinds].index(name)]
        old, new = self.span_at(before), self.span_at(since)
        some = slice(max(old - 2 * CYCLE, 0), old), slice(new, m)
        strata = self.strata()[:m]
        before_it, newest = (by_stratum(counts[each], strata[each], strata)[0] for each in some)
        return difference(before_it, newest)[1] < least

    @property
    def resolution(self) -> str:
        """The precision of the dates of changes."""
        if self.has_times:
            for unit, size in (("day", DAY), ("hour", 60), ("minute", 1)):
                if self.minutes >= size:
                    n = self.minutes // size
                    return f"{n} {unit}{'s' if n > 1 else ''}"
        return "1 file" if len(np.unique(self.keys)) == len(self.keys) else f"{self.span:,} rows"

    def where(self, n: int) -> dict[str, Any]:
        """Return file, row and time of the first row of the span that contains arrived row `n`."""
        if not self.starts:
            return {"file": None, "row": None, "time": None}
        _, file, row, time = self.starts[self.span_at(n)]
        return {"file": file, "row": row, "time": time or None}

    def span_at(self, n: int) -> int:
        """Return the span that contains arrived row `n`, counted from 0."""
        first = [start[0] for start in self.starts]
        return max(int(np.searchsorted(first, n, side="right")) - 1, 0)

    def span_of(self, file: str, row: int) -> int:
        """Return the span in which a row of a file arrived; -1 if it is no longer known."""
        return int(self._spans_in(file, np.array([row]))[0])

    def strata(self) -> Ints:
        """Return the stratum of each span: spans are compared with those of the same stratum.

        Strata are weekdays and hours as soon as each occurs several times; before, working days
        are compared with working days and weekends with weekends.
        """
        day, hour = self.phases // DAY, self.phases % DAY // 60
        none = np.zeros(len(day), dtype=np.int64)
        is_long = len(np.unique(self.keys // DAY if self.has_times else self.keys)) >= CYCLE
        if (self.phases < 0).any():
            return self.phases + 7 if is_long and (self.phases < 0).all() else none
        finest = [day * 24 + hour] if is_long else []
        for strata in (*finest, (day > 4) * 24 + hour, hour):
            if len(day) >= 2 * len(np.unique(strata)):
                return strata
        return none

    def _spans(self) -> tuple[np.ndarray, np.ndarray]:
        m = self._n_spans
        return self.counts[:m, : 0 if self.edges is None else None], self.strata()[:m]

    @property
    def _n_spans(self) -> int:
        """Number of spans with enough rows."""
        m = len(self.rows)
        return m - 1 if m > 1 and self.rows[-1] < LEAST_SPAN else m

    def _start(self, span: int) -> int:
        return int(self.starts[span][0])

    def _minutes(self, times: np.ndarray) -> Ints:
        """Return the newest time up to each row, in minutes; late rows belong to the open span."""
        known = np.where(
            np.isnat(times), -MOST_ROWS, times.astype("datetime64[m]").astype(np.int64)
        )
        found = np.maximum(np.maximum.accumulate(known), self.newest)
        begun = np.append(self.newest, found)
        begun = begun[begun > -MOST_ROWS]
        if not self.ahead and (np.diff(begun) <= YEAR).all():
            return found
        # Dates such as 9999-12-31 mean "unknown": a jump counts after 100 consecutive rows.
        newest = self.newest
        for i, minute in enumerate(known.tolist()):
            is_ahead = newest > -MOST_ROWS and minute > newest + YEAR
            self.ahead = self.ahead + 1 if is_ahead else 0
            if not is_ahead or self.ahead == LEAST_SPAN:
                newest, self.ahead = max(newest, minute), 0
            found[i] = newest
        return found

    def _step(self, n: int, minutes: Ints | None, is_new: bool) -> tuple[bool, int]:
        """Return whether the next rows belong to the open span, and how many rows to count."""
        if self.edges is None:
            n = min(n, FIRST_ROWS - self.n_rows)
        is_open = self._is_open(minutes, is_new)
        while not is_open and len(self.rows) == self.most_spans:
            self._make_room()
            is_open = self._is_open(minutes, is_new)
        if minutes is None:
            room = self.span - self.rows[-1] if is_open else self.span
        else:
            room = np.searchsorted(minutes, (minutes[0] // self.minutes + 1) * self.minutes)
        return is_open, min(n, int(room))

    def _is_open(self, minutes: Ints | None, is_new: bool) -> bool:
        """Return whether the next row belongs to the open span."""
        if not len(self.rows):
            return False
        if minutes is None:
            if (
                is_new
                and self.rows[-1] < LEAST_SPAN
                and (self.keys[-2:] == self.keys[-1]).sum() == 2
            ):
                self._merge(np.minimum(np.arange(len(self.rows)), len(self.rows) - 2))
            return bool(self.rows[-1] < (LEAST_SPAN if is_new else self.span))
        while minutes[0] // self.minutes != self.newest // self.minutes:
            if self.rows[-1] >= LEAST_SPAN:
                return False
            if self.minutes == DAY:
                break
            self._coarsen()
        return True

    def _open(self, file: str, row: int, minutes: Ints | None) -> None:
        """Append an empty span."""
        if minutes is None:
            key, time = self.n_files, date_in(file)
            phase = -1 - self.n_files % 7
            if time:
                phase = int(_phases(np.datetime64(time, "m").astype(np.int64)))
        else:
            key = int(minutes[0]) // self.minutes * self.minutes
            time = (
                "" if key < -MOST_ROWS // 2 else str(np.datetime64(key, "m")).removesuffix("T00:00")
            )
            phase = int(_phases(key))
        if len(self.medians):
            self.medians = self._medians()
        self.sample, self.stride = self.sample[:0], 1
        self.medians = np.pad(self.medians, ((0, 1), (0, 0)), constant_values=np.nan)
        for name, value in (("rows", 0), ("keys", key), ("phases", phase)):
            setattr(self, name, np.append(getattr(self, name), value))
        for name in ("counts", "labels", "outcomes"):
            counts = getattr(self, name)
            setattr(self, name, np.pad(counts, ((0, 1), *[(0, 0)] * (counts.ndim - 1))))
        self.starts.append([self.n_rows, file, row, time])

    def _sample(self, values: np.ndarray) -> None:
        """Add every `stride`-th row of the open span to the sample."""
        self.sample = np.concatenate(
            [self.sample, values[-self.rows[-1] % self.stride :: self.stride]]
        )
        while len(self.sample) > MOST_SAMPLED:
            self.sample, self.stride = self.sample[::2], 2 * self.stride

    def _medians(self) -> np.ndarray:
        """Return the medians of all spans; nan without values."""
        medians = self.medians.copy()
        known = np.isfinite(self.sample).any(axis=0)
        medians[-1, known] = np.nanmedian(self.sample[:, known], axis=0)
        return medians

    def _median(
        self, j: int, spans: np.ndarray, labels: Mapping[int, str], up_to: np.ndarray
    ) -> str:
        """Return the median of the medians of spans, weighted by their rows."""
        medians, rows = self._medians()[spans, j], self.rows[spans]
        known = np.isfinite(medians)
        if not known.any():
            return super()._median(j, spans, labels, up_to)
        order = np.argsort(medians[known], kind="stable")
        rows = rows[known][order].cumsum()
        return f"{medians[known][order][np.searchsorted(rows, rows[-1] / 2)]:.4g}"

    def _bin(self, values: np.ndarray) -> None:
        """Count rows of the open span; the first rows determine the bins."""
        newest = len(self.rows) - 1
        if self.edges is not None:
            self._add(values, np.full(len(values), newest), newest)
            return
        self.first = np.concatenate([self.first, values])
        if len(self.first) == FIRST_ROWS:
            self.edges = [*map(edges_of, self.first.T, self.kinds.values())]
            self._add(self.first, np.repeat(np.arange(len(self.rows)), self.rows))
            self.first = self.first[:0]

    def _make_room(self) -> None:
        """Increase the length of spans until there are fewer."""
        m = len(self.rows)
        while self.has_times and self.minutes < DAY:
            self._coarsen()
            if len(self.rows) < m:
                return
        if not self.has_times and (np.diff(self.keys) == 0).any():
            self.span *= 2
            place = np.arange(m) - np.searchsorted(self.keys, self.keys)
            self._merge(self.keys * m + place // 2)
            return
        groups = np.arange(m)
        open_pairs: dict[int, int] = {}
        for k in range(m // 2):
            phase = int(self.phases[k])
            groups[k] = open_pairs.pop(phase, k)
            if groups[k] == k:
                open_pairs[phase] = k
        self._merge(groups)

    def _coarsen(self) -> None:
        self.minutes = GRIDS[GRIDS.index(self.minutes) + 1]
        self.keys = self.keys // self.minutes * self.minutes
        self.phases = _phases(self.keys)
        self._merge(self.keys)

    def _merge(self, groups: Ints) -> None:
        """Add up spans of the same group; a span keeps the origin of its first rows."""
        _, first, group = np.unique(groups, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.argsort(order)[group]
        kept = first[order]
        # The median of combined spans is approximated by the mean, weighted by rows.
        weight = np.bincount(place, self.rows)
        sums = np.zeros((len(first), self.medians.shape[1]))
        np.add.at(sums, place, self.medians * self.rows[:, None])
        self.medians = sums / weight[:, None]
        for name in ("rows", "counts", "labels", "outcomes"):
            old = getattr(self, name)
            new = np.zeros((len(first), *old.shape[1:]), dtype=np.int64)
            np.add.at(new, place, old)
            setattr(self, name, new)
        self.keys, self.phases = self.keys[kept], self.phases[kept]
        self.starts = [self.starts[k] for k in kept.tolist()]
        self.marks = [[file, row, int(place[span])] for file, row, span in self.marks]

    def _spans_of(self, locations: Sequence[list[Any]]) -> Ints:
        """Return the span in which each row arrived; -1 if it is no longer known."""
        (file, row, _), (other, last, _) = locations[0], locations[-1]
        n = len(locations)
        if file == other and last - row == n - 1:
            return self._spans_in(file, np.arange(row, last + 1))
        files, rows = zip(*((each[0], each[1]) for each in locations))
        names, lines, found = np.array(files), np.array(rows), np.full(n, -1)
        for name in np.unique(names):
            own = names == name
            found[own] = self._spans_in(str(name), lines[own])
        return found

    def _spans_in(self, file: str, rows: Ints) -> Ints:
        marks = np.array([(row, span) for name, row, span in self.marks if name == file])
        if not len(marks):
            return np.full(len(rows), -1)
        # A file that was read again, or a server's requests, begin with the same numbers again.
        begin = np.flatnonzero(np.diff(marks[:, 0]) < 0)
        marks = marks[begin[-1] + 1 :] if len(begin) else marks
        place = np.searchsorted(marks[:, 0], rows, side="right") - 1
        return np.where(place < 0, -1, marks[place, 1])


def date_in(file: str) -> str:
    """Return the date in the name of a file, or an empty string.

    Examples
    --------
    >>> date_in("days/orders-20240211.csv"), date_in("days/01.csv")
    ('2024-02-11', '')
    """
    for year, month, day in re.findall(r"(?<!\d)(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)", file):
        try:
            return str(np.datetime64(f"{year}-{month}-{day}", "D"))
        except ValueError:
            continue
    return ""


def _phases(minutes: Any) -> Any:
    """Return the minute of the week; weeks begin on Mondays, and 1 January 1970 was a Thursday."""
    return (minutes + 3 * DAY) % (7 * DAY)
