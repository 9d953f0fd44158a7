"""Drifts of a saved model as sentences that join features, target, error and members."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from driftlearn.inspection import _tables
from driftlearn.inspection._changes import LEAST_RISE
from driftlearn.inspection.drift_record import DriftRecord
from driftlearn.utils.table import Table

WINDOW = re.compile(r"(.*?)(?:, (\d+) chunks)?")  # name of a candidate, and its window
NEWEST = 3  # maximum number of described drifts
NAMED = 3  # maximum number of named features of a drift
MOST_WEIGHT = 0.5  # minimum share of the voting weight that is mentioned
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def drifts_of(
    features: DriftRecord, tables: Mapping[str, Table | None], created_in: list[int] | None
) -> list[dict[str, Any]]:
    """Return the newest drifts, oldest first, each with a sentence.

    Changes that begin in the same span or in neighboring spans are one drift.

    Parameters
    ----------
    features : DriftRecord
        The record of the arrived rows.
    tables : mapping of str to Table
        The tables of the inspection.
    created_in : list of int or None
        The span in which each row of the table ``members`` was created, if it is known.

    Returns
    -------
    list of dict
        ``after``, the number of rows before the drift; ``file`` and ``time`` of its first row; and
        ``sentence``.
    """
    changes = [
        (int(features.span_at(row[column])), kind, row)
        for kind, column in (("features", "since"), ("target", "after"), ("changes", "after"))
        for row in tables.get(kind) or ()
        if row[column] is not None
    ]
    recoveries = [
        new[0]
        for old, new in pairwise(each for each in changes if each[1] == "changes")
        if old[2]["recovered"] is not None and not _is_rise(new)
    ]  # the rises before them mention these falls
    changes = [each for each in changes if each[1] != "changes" or each[0] not in recoveries]
    changes.sort(key=lambda each: each[0])
    groups: list[list[tuple[int, str, dict[str, Any]]]] = []
    for each in changes:
        if groups and each[0] <= groups[-1][0][0] + 1:
            groups[-1].append(each)
        else:
            groups.append([each])
    rises = [group[0][0] for group in groups if any(map(_is_rise, group))]
    found = []
    for group in groups:
        parts = _of_features([row for _, kind, row in group if kind == "features"])
        parts += [_of_target(row) for _, kind, row in group if kind == "target"]
        parts += [_of_error(row) for _, kind, row in group if kind == "changes"]
        # The main change dates the drift: of the error, if it changed.
        split, kind, main = group[-1] if group[-1][1] == "changes" else group[0]
        members = tables.get("members")
        if rises and group[0][0] == rises[-1] and members is not None:
            if created_in is not None:
                parts += _of_members(members, created_in, split, rises[:-1], features)
            elif {"name", "accuracy"} <= {*members.columns}:
                parts += _of_windows(members)
        after = int(main["since" if kind == "features" else "after"])
        place = features.where(after)
        sentence = f"{when(place)} {'; '.join(parts)}."
        found.append({"after": after, **place, "sentence": sentence[0].upper() + sentence[1:]})
    return found[-NEWEST:]


class Drift(NamedTuple):
    """The newest drift of a feature, the target or the error.

    Attributes
    ----------
    subject : str
        "error", "target", or "feature" and a name.
    after : int
        Number of rows that arrived before the drift.
    text : str
        A clause without a period.
    is_over : bool
        Whether the error has recovered.
    """

    subject: str
    after: int
    text: str
    is_over: bool = False


def newest_drifts(saved: Any) -> list[Drift]:
    """Return the newest drift of each feature, of the target and of the error of a saved model."""
    if not saved.record.n_rows:
        return []
    found = []
    rises = [row for row in _tables.change_table(saved) if row["since"] > row["before"]]
    for row in rises[-1:]:
        is_over = row["recovered"] is not None
        found.append(Drift("error", row["after"], f"{when(row)} {_of_error(row)}", is_over))
    for row in [*(_tables.target_table(saved) or ())][-1:]:
        found.append(Drift("target", row["after"], f"{when(row)} {_of_target(row)}"))
    for row in _tables.feature_table(saved.features, saved.record) or ():
        if row["since"] is not None:
            text = f"{when(row)} {_of_feature(row)}"
            found.append(Drift(f"feature {row['feature']}", int(row["since"]), text))
    return found


def when(place: Mapping[str, Any], preposition: str = "on") -> str:
    """Return the date of a place, or its file.

    Examples
    --------
    >>> when({"time": "2024-02-11T12:00", "file": "a.csv"}), when({"time": None, "file": "a.csv"})
    ('on 11 February 2024, 12:00,', 'from a.csv on,')
    """
    if not place["time"]:
        return f"from {place['file']} on," if preposition == "on" else str(place["file"])
    date, _, hour = place["time"].partition("T")
    year, month, day = date.split("-")
    text = f"{int(day)} {MONTHS[int(month) - 1]} {year}"
    text += f", {hour}" if hour else ""
    return f"on {text}{',' if hour else ''}" if preposition == "on" else text


def _is_rise(change: tuple[int, str, dict[str, Any]]) -> bool:
    return change[1] == "changes" and change[2]["since"] > change[2]["before"]


def _of_features(rows: list[dict[str, Any]]) -> list[str]:
    named = [_of_feature(row) for row in rows[:NAMED]]
    more = len(rows) - NAMED
    return [*named, f"{more} more features changed"] if more > 0 else named


def _of_feature(row: Mapping[str, Any]) -> str:
    before, after = row["before"], row["after"]
    if before.startswith("median ") and after.startswith("median "):
        after = after.removeprefix("median ")
    return f"{row['feature']!r} changed ({before} to {after})"


def _of_target(row: Mapping[str, Any]) -> str:
    verb = "rose" if row["since"] > row["before"] else "fell"
    shares = f"from {row['before']:.0%} to {row['since']:.0%}"
    return f"the share of {row['class']!r} {verb} {shares}"


def _of_error(row: Mapping[str, Any]) -> str:
    verb = "rose" if row["since"] > row["before"] else "fell"
    text = f"the error {verb} from {row['before']:.1%} to {row['since']:.1%}"
    if row["cause"] == "rule":
        text += ", also of rows with the same predictions"
    if row["recovered"] is not None:
        text += f", and recovered within {row['recovered']:,} rows"
    return text


def _of_members(
    members: Table, created_in: list[int], split: int, rises: list[int],
    features: DriftRecord,
) -> list[str]:  # fmt: skip
    """Return clauses on the weights of old and new members since the latest drift."""
    weights = np.nan_to_num(np.asarray(members["weight"], dtype=float))
    if len(weights) < 2 or weights.sum() <= 0:
        return []
    shares, created = weights / weights.sum(), np.array(created_in)
    k = int(shares.argmax())
    if shares[k] >= MOST_WEIGHT and created[k] < split - 1:
        # An old model that was overtaken by an earlier drift has recovered its accuracy.
        fits = "fits again and " if any(created[k] < rise < split for rise in rises) else ""
        origin = features.where(features.starts[max(created[k], 0)][0])
        return [f"the model of {when(origin, '')} {fits}has {shares[k]:.0%} of the weight since"]
    new = float(shares[created >= split].sum())
    if new >= MOST_WEIGHT:
        return [f"members created since then have {new:.0%} of the weight"]
    return []


def _of_windows(candidates: Table) -> list[str]:
    """Return whether candidates that are trained on the newest chunks are more accurate."""
    names = [str(name) for name in candidates["name"]]
    accuracy = dict(zip(names, candidates["accuracy"].tolist()))
    windows: dict[str, list[tuple[float, str]]] = {}
    for name in names:
        base, size = WINDOW.fullmatch(name).groups()  # type: ignore[union-attr]
        windows.setdefault(base, []).append((float(size or "inf"), name))
    found = []
    for kind in windows.values():
        (size, new), (_, old) = min(kind), max(kind)
        gain = accuracy[new] - accuracy[old]
        if gain >= LEAST_RISE:
            scores = f"{accuracy[new]:.1%}, {old!r} {accuracy[old]:.1%}"
            text = f"models of the last {size:.0f} chunks fit better ({new!r} {scores})"
            found.append((gain, text))
    return [max(found)[1]] if found else []
