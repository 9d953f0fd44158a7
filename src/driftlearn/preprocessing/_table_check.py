"""Comparison of whole tables with the columns of earlier tables."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from driftlearn.base.validation import LARGEST_VALUE
from driftlearn.preprocessing._columns import CategoryColumn
from driftlearn.preprocessing._knowledge import Knowledge, SchemaChange, shown
from driftlearn.tables.frames import Frame, Raw
from driftlearn.tables.values import booleans, dates, missing, names, numbers
from driftlearn.utils.arguments import invalid
from driftlearn.utils.safe_text import printable

POLICIES = ("stop", "warn", "note")
#: Exit codes of commands: rows were processed, but a table had changed; the policy stopped the run.
CHANGED, STOPPED = 4, 5
EXIT_CODES = {"stop": STOPPED, "warn": CHANGED, "note": 0}
LEAST_ROWS = 50  # minimum rows to compare medians and shares
#: Another unit is assumed if median and spread change by this factor. Means of skewed columns are
#: far from their medians, so they need a larger one.
FACTOR, MEAN_FACTOR = 5.0, 10.0
UNSEEN = 0.5  # share of rows with unseen words that is reported; vocabularies grow
#: Problems of which single rows show nothing.
TABLES = {
    "all missing", "other scale", "unseen words", "other spelling", "other boolean", "new label",
    "no key",
}  # fmt: skip
BOOLEANS = {"true", "false", "yes", "no", "t", "f", "y", "n"}
READERS = {
    "number": (numbers, "no number"),
    "boolean": (booleans, "no boolean"),
    "date": (dates, "no date"),
}
#: Forms of values that are not numbers or dates, and what to do about them.
NUMBER_HINTS = {
    r"[+-]?\d*,\d+": "it has a decimal comma: write a decimal point",
    r"[+-]?\d{1,3}([ .']\d{3})*,\d+": "it has a decimal comma: write a decimal point",
    r"[+-]?\d{1,3}([ ,']\d{3})+(\.\d*)?": "it has thousands separators: write digits only",
    r"(?i)true|false|yes|no": "it is a boolean: write 1 and 0",
    r"[+-]?\d[\d.,]*\s*[^\d\s.,].*": "it has a unit: write the number only",
}
DATE_HINTS = {
    r"\d{1,4}[./ -]\d{1,2}[./ -]\d{1,4}.*|\d{8}(\d\d)?(\.\d+)?": "write dates as 2024-01-31"
}


class SchemaError(ValueError):
    """Error for a table that changed, if the policy is "stop"."""

    exit_code = STOPPED


@dataclass(frozen=True)
class History:
    """Values of a column in earlier tables.

    Attributes
    ----------
    name, kind : str
        Name of the column, and kind of its values.
    words : sequence of str
        The known categories.
    knows_all : bool
        Whether `words` contains every category so far.
    center, spread : float or None
        Typical value and spread of numbers.
    factor : float
        Factor between old and new values at which another unit is assumed.
    n : float
        Number of values.
    """

    name: str
    kind: str
    words: Sequence[str] = ()
    knows_all: bool = False
    center: float | None = None
    spread: float | None = None
    factor: float = MEAN_FACTOR
    n: float = 0.0


def histories(known: Knowledge) -> list[History]:
    """Return what an encoder has stored about its columns."""
    found, at = [], 0
    for each in known.columns:
        n = float(known.count[at])
        if isinstance(each, CategoryColumn):
            knows_all = len(each.places) < each.n_places
            found.append(History(each.name, each.kind, [*each.places], knows_all, n=n))
        elif each.kind == "number" and n >= LEAST_ROWS:
            mean, spread = float(known.mean[at]), float(np.sqrt(known.var[at]))
            found.append(History(each.name, each.kind, (), False, mean, spread, n=n))
        else:
            found.append(History(each.name, each.kind, n=n))
        at += each.width
    return found


def table_changes(
    known: Iterable[History],
    ignored: Iterable[str],
    frame: Frame,
    file: str | None = None,
    row: int = 0,
) -> list[SchemaChange]:
    """Return the differences between a table and earlier tables, one per column and problem.

    Parameters
    ----------
    known : iterable of History
        The columns of earlier tables.
    ignored : iterable of str
        Columns that are known and not used.
    frame : Frame
        The table.
    file : str, optional
        Name of the table.
    row : int
        Number of its first row.
    """
    known, n = [*known], frame.n_rows
    if frame.names is None:  # columns without names are matched by position
        return []
    given = dict(zip(frame.names, frame.columns))
    found: list[SchemaChange] = []

    def note(column: str, problem: str, at: int, value: str, count: int) -> None:
        found.append(SchemaChange(column, problem, file, row + at, value, count, n))

    used = {each.name for each in known}
    new = [name for name in given if name not in used and name not in {*ignored}]
    for each in known:
        if each.kind == "drop":
            continue
        if each.name in given:
            _compare(each, given[each.name], note)
        else:
            near = _renamed(each.name, new)
            note(each.name, "missing column", 0, near, n)
    for name in new:
        note(name, "new column", 0, "", n)
    return found


def _compare(known: History, raw: Raw, note: Any) -> None:
    """Report the differences in one column."""
    values, n = raw.values, len(raw.values)
    gone = missing(values)
    there = n - int(gone.sum())
    if not there and n >= LEAST_ROWS and known.n >= LEAST_ROWS:
        note(known.name, "all missing", 0, "", n)
    if not there:
        return
    if known.kind in READERS:
        read, problem = READERS[known.kind]
        found, bad = read(values)
        if bad:
            note(known.name, problem, bad[0], shown(values[bad[0]]), len(bad))
        if known.kind == "number":
            large = np.flatnonzero(np.abs(found) > LARGEST_VALUE)
            if len(large):
                note(known.name, "too large", int(large[0]), shown(values[large[0]]), len(large))
            _compare_numbers(known, found[np.isfinite(found)], note)
    elif known.kind == "category" and known.words:
        _compare_words(known, names(values), note)


def _compare_numbers(known: History, values: np.ndarray, note: Any) -> None:
    """Report a median and a spread that are off by a common factor."""
    if len(values) < LEAST_ROWS or known.center is None or known.spread is None:
        return
    low, center, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    spread = (high - low) / 1.349  # that of a normal distribution with this standard deviation
    ratio = _ratio(center, known.center)
    scale = _ratio(spread, known.spread)
    if known.spread == 0 or spread == 0:
        scale = ratio if (known.spread == 0) == (spread == 0) else None
    is_centered = abs(known.center) < known.spread / 2
    if scale is None or (not is_centered and ratio is None):
        return
    several = [scale] if is_centered or ratio is None else [scale, ratio]
    if min(several) >= known.factor or max(several) <= 1 / known.factor:
        text = f"{center:.4g} instead of {known.center:.4g}"
        note(known.name, "other scale", 0, text, len(values))


def _ratio(new: float, old: float) -> float | None:
    """Return the ratio of two numbers of the same sign, None for others."""
    return new / old if old and new / old > 0 else None


def _compare_words(known: History, found: list[str | None], note: Any) -> None:
    """Report unseen words, and words that are spelled in another way."""
    words = {*known.words, None}
    unseen = [(i, word) for i, word in enumerate(found) if word not in words]
    if not unseen:
        return
    folded = {_folded(word): word for word in known.words}
    usual = [folded.get(_folded(str(word))) for _, word in unseen]
    other = [(i, word, as_known) for (i, word), as_known in zip(unseen, usual) if as_known]
    if other:
        i, word, as_known = other[0]
        value = f"{shown(word)} instead of {shown(as_known)}"
        note(known.name, "other spelling", i, value, len(other))
    rest = [i for (i, _), as_known in zip(unseen, usual) if not as_known]
    if not rest or not known.knows_all or known.n < LEAST_ROWS:
        return
    if {*folded} <= BOOLEANS and {found[i] for i in rest} <= {"0", "1"}:
        value = f"{shown(found[rest[0]])} instead of {shown(known.words[0])}"
        note(known.name, "other boolean", rest[0], value, len(rest))
    elif len(found) >= LEAST_ROWS and len(rest) >= UNSEEN * len(found):
        note(known.name, "unseen words", rest[0], shown(found[rest[0]]), len(rest))


def _folded(word: str) -> str:
    return " ".join(word.casefold().split())


def _renamed(name: str, new: Iterable[str]) -> str:
    """Return the new column that is most similar to a missing one, "" if none is."""
    plain = {re.sub(r"[\W_]", "", each.casefold()): each for each in new}
    near = get_close_matches(re.sub(r"[\W_]", "", name.casefold()), plain, n=1)
    return plain[near[0]] if near else ""


VALUES = {"no number": "numbers", "no date": "dates", "no boolean": "booleans"}
SENTENCES = {
    **dict.fromkeys(
        VALUES,
        "column {name}: {right:,} of {n:,} values are {kinds}; {at} is treated as missing{more}; "
        "--kind {column}=category to override",
    ),
    "missing column": "no column {name}, which the model uses{near}; treated as missing in {n:,} "
    "rows",
    "new label": "column {name}: {count:,} of {n:,} rows have new labels: {value}",
    "no key": "column {name}: {count:,} of {n:,} rows have no key, the first row {row:,}; they "
    "are not learned",
    "new column": "column {name} is new; it is not used",
    "all missing": "all {n:,} values of column {name} are missing",
    "too large": "column {name}: {count:,} of {n:,} values lie outside of -1e75 to 1e75; {at} is "
    "treated as missing",
    "other scale": "column {name} has the median {value}: does it have another unit?",
    "unseen words": "column {name}: {count:,} of {n:,} values ({share:.0%}) are new words, e.g. "
    "{at}",
    "other spelling": "column {name}: {count:,} of {n:,} values differ from known words only in "
    "case or spaces, e.g. {at}; write them alike",
    "other boolean": "column {name}: {count:,} of {n:,} values are 0 or 1, e.g. {at}; write them "
    "as before",
}


def hint(problem: str, value: str) -> str:
    """Return what to do about a value of another form, "" if the form is unknown.

    Examples
    --------
    >>> hint("no number", "'12,5'"), hint("no date", "'31.01.2024'"), hint("no number", "'much'")
    ('it has a decimal comma: write a decimal point', 'write dates as 2024-01-31', '')
    """
    text = value.strip("'\" ")
    forms = {"no number": {**NUMBER_HINTS, **DATE_HINTS}, "no date": DATE_HINTS}.get(problem, {})
    return next((what for form, what in forms.items() if re.fullmatch(form, text)), "")


def sentence(change: SchemaChange, n_files: int = 1) -> str:
    """Return a schema change with its counts as a sentence without a period."""
    n, value = change.rows or change.count, change.value
    more = hint(change.problem, value)
    if change.problem in SENTENCES:
        text = SENTENCES[change.problem].format(
            column=change.column, name=repr(change.column), value=value, row=change.row, n=n,
            count=change.count, right=n - change.count, share=change.count / n,
            at=f"{value} in row {change.row:,}", kinds=VALUES.get(change.problem),
            more=f"; {more}" if more else "",
            near=f" (did you mean {value!r}, which is new? Rename it)" if value else "",
        )  # fmt: skip
    else:
        what, becomes = change.description
        text = f"column {change.column!r} {what} in {change.count:,} rows; {becomes}"
    file = "the table" if change.file is None else printable(change.file)
    files = f" ({n_files} files)" if n_files > 1 else ""
    return f"{file}{files}: {text}"


class SchemaReport:
    """Schema changes of a run, with one entry per column and problem.

    Parameters
    ----------
    policy : {"stop", "warn", "note"}, optional
        What to do about a change: raise `SchemaError`, report it and set the exit code, or report
        it only. A run without a policy sets that of its state folder.

    Attributes
    ----------
    changes : list of SchemaChange
        The changes, with the numbers of rows in all files.
    notify : callable or None
        Receives the changes of each table, before an error is raised and rows are used.

    Examples
    --------
    >>> report = SchemaReport("warn")
    >>> report.add([SchemaChange("age", "no number", "may.csv", 17, "'old'", 1, 400)])
    >>> print(*report.texts(), report.exit_code)
    may.csv: column 'age': 399 of 400 values are numbers; 'old' in row 17 is treated as missing; \
--kind age=category to override 4
    """

    def __init__(self, policy: str | None = None):
        if policy not in (*POLICIES, None):
            raise invalid("on_schema_change", "'stop', 'warn' or 'note'", policy)
        self.policy = policy
        self.notify: Callable[[list[SchemaChange]], None] | None = None
        self._found: dict[tuple[str, str], SchemaChange] = {}
        self._files: dict[tuple[str, str], set[str | None]] = {}

    def add(self, changes: Iterable[SchemaChange]) -> None:
        """Add the changes of a table; raise `SchemaError` if the policy is "stop"."""
        changes = [*changes]
        if self.notify is not None:
            self.notify(changes)
        for each in changes:
            key = each.column, each.problem
            self._files.setdefault(key, set()).add(each.file)
            before = self._found.get(key)
            if before is not None:
                n, rows = before.count + each.count, before.rows + each.rows
                each = replace(before, count=n, rows=rows)
            self._found[key] = each
        if self._found and self.policy == "stop":
            text = "; ".join(self.texts())
            raise SchemaError(
                f"{text}. Nothing was done with the table. Correct it, or continue with "
                "--on-schema-change warn"
            )

    @property
    def changes(self) -> list[SchemaChange]:
        """The changes, with the numbers of rows in all files."""
        return [*self._found.values()]

    @property
    def exit_code(self) -> int:
        """Exit code of a command, which depends on the policy if there were changes."""
        return EXIT_CODES[self.policy or "warn"] if self._found else 0

    def texts(self) -> list[str]:
        """Return a sentence for each change."""
        return [sentence(each, len(self._files[key])) for key, each in self._found.items()]

    def state(self) -> list[Any]:
        """Return the changes and their files as JSON values, for `include`."""
        return [[vars(each), sorted(map(str, self._files[key]))]
                for key, each in self._found.items()]  # fmt: skip

    def include(self, state: list[Any]) -> None:
        """Add the changes of another report, which its `state` returned; see `add`."""
        for change, files in state:
            self._files.setdefault((change["column"], change["problem"]), set()).update(files)
        self.add(SchemaChange(**change) for change, _ in state)

    def to_dict(self) -> dict[str, Any]:
        """Return policy and changes as JSON values."""
        return {
            "policy": self.policy,
            "changes": [
                {**vars(each), "files": len(self._files[key]), "text": text}
                for (key, each), text in zip(self._found.items(), self.texts())
            ],
        }


def policy_of(settings: Mapping[str, Any], default: str = "warn") -> str:
    """Return the policy that a state folder stores, or the default."""
    return settings.get("on_schema_change") or default
