"""The page of a model for each key: one file that needs no network."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from driftlearn.bench.report._bars import bars
from driftlearn.bench.report._columns import columns
from driftlearn.bench.report._concepts import Concepts
from driftlearn.bench.report._curves import Curves
from driftlearn.bench.report._document import document
from driftlearn.bench.report._markup import of_table
from driftlearn.bench.report._plot import Stage, looks_of, nice, over_rows
from driftlearn.inspection.keys_inspection import KeysInspection
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table

NEWEST = 20  # rows of a table whose newest are shown
PAIRS = 12  # keys of a picture
VOICES = ("own", "global", "borrowed", "nobody")
ABOUT = {
    "accuracy": "The newest spans: the share of answers that were right, what the global model "
    "alone would have had, and how many keys came for the first time.",
    "drifting": "Keys whose own model's errors changed within their last 256 rows, first those "
    "that have become worst by it: the share of right answers lately (in the newest four spans of "
    "the key) and before, changes in all, and rows since the last.",
    "worst": "Keys with the lowest share of right answers lately, of those with 32 answers or "
    "more in that time.",
    "accuracies": "How many keys have which share of right answers, of those with 16 answers or "
    "more.",
    "predictions": "Whose model gave the answers, and how many of these were right. Nobody: no model "
    "had learned a class yet.",
    "ages": "The same by how many rows the key had learned before: a new key is answered for by "
    "others, until its own model earns its weight.",
    "pool": "Keys whose models answer for others, since when they are on the shelf; beside it "
    "how the key itself does.",
    "sizes": "How many keys have a state of so many bytes, compressed, as it is stored.",
    "rows": "How many keys have learned so many rows.",
    "importances": "Of trees: the share of the decrease of impurity that is due to splits on a "
    "feature.",
    "quarantined": "The newest rows that could not be learned: where they are in the stream and in "
    "their file, their key, and what is the matter.",
    "reasons": "What is the matter, the most frequent first.",
    "expired": "Keys that had no row for too long, by where in the stream their last row was.",
}


def keys_page(inspection: KeysInspection, *, title: str | None = None) -> str:
    """Return the page of a model for each key as HTML.

    Parameters
    ----------
    inspection : KeysInspection
        What to show.
    title : str, optional
        The heading; by default the learner.
    """
    title = inspection.title if title is None else title
    parts = {
        inspection.titles[name]: f"<p>{ABOUT[name]}</p>\n{''.join(_part(inspection, name))}"
        for name in inspection.tables
        if len(inspection.tables[name])
    }
    about = "" if title == inspection.title else f"a model for each key: {inspection.title}"
    first = f'<div class="grid">{_over_stream(inspection)}{_over_keys(inspection)}</div>'
    return document(title, " ".join(inspection.sentences), parts, about=about, more=first)


def _part(inspection: KeysInspection, name: str) -> Iterator[str]:
    """Yield the picture of a part, if it has one, and its table."""
    shown = inspection.tables[name]
    if name in ("drifting", "worst"):
        yield _pairs(shown)
    elif name == "ages":
        yield _ages(shown)
    elif name == "predictions":
        yield _bars(dict(zip(shown["source"], shown["share"])), "Shares of answers")
    elif name == "importances":
        yield _bars(dict(zip(shown["feature"], shown["importance"])), "Importances")
    elif name in ("sizes", "rows"):
        what = "bytes" if name == "sizes" else "rows"
        yield _histogram(shown, f"Keys by {what}", f"From so many {what} on.")
    elif name == "expired":
        labels = [_short(at) for at in shown["last row from"]]
        yield columns({"keys": shown["keys"]}, labels, title="Forgotten keys",
                      alt=f"{int(shown['keys'].sum()):,} keys were forgotten.", edges=True,
                      below="Row of the stream.", height=140)  # fmt: skip
    newest = name in inspection.newest
    if len(shown) > NEWEST and newest:
        yield f"<p>The newest {NEWEST} of {len(shown):,}.</p>"
    yield of_table(_known(shown[-NEWEST:] if newest else shown), inspection.titles[name])


def _over_stream(inspection: KeysInspection) -> str:
    shown = inspection.tables.get("accuracy")
    if shown is None or not len(shown) or not shown["tested"].any():
        return ""
    first = shown["first row"].astype(int)
    lines = {"predictions": shown["accuracy"], "global": shown["global"]}
    lines = {name: line for name, line in lines.items() if not np.isnan(line).all()}
    last = int(inspection.facts["counts"]["rows"])
    ends = np.append(first[1:], last)
    told = [f"{name} {line[~np.isnan(line)][-1]:.3f}" for name, line in lines.items()]
    alt = f"Shares of right answers over {last:,} rows of the stream; in the end {', '.join(told)}."
    return over_rows(Curves(ends, lines, {}, 1, 1), Stage(last, (), Concepts([], [])), [*lines],
                     title="Accuracy over the stream", height=200, alt=alt)  # fmt: skip


def _over_keys(inspection: KeysInspection) -> str:
    shown, facts = inspection.tables["accuracies"], inspection.facts["accuracy of keys"]
    if not facts["keys"]:
        return ""
    below = (
        f"The share of right answers of a key. Median {facts['median']:.3f}; the worst tenth has "
        f"{facts['worst tenth']:.3f} or less."
    )
    there = np.flatnonzero(shown["keys"])
    part = shown[int(there[0]) :]
    labels = [f"{value:.2f}" for value in part["from"]]
    return columns({"keys": part["keys"]}, labels, title="Accuracy over keys", alt=below,
                   below=below, edges=True)  # fmt: skip


def _histogram(shown: Table, title: str, below: str) -> str:
    labels = [_short(value) for value in shown["from"]]
    most = int(np.argmax(shown["keys"]))
    alt = (
        f"{title}: most have {int(shown['from'][most]):,} to {int(shown['to'][most]):,}, the "
        f"fewest {int(shown['from'][0]):,} or more, the most {int(shown['to'][-1]):,} or less."
    )
    return columns({"keys": shown["keys"]}, labels, title=title, alt=alt, below=below, edges=True,
                   height=140)  # fmt: skip


def _known(shown: Table) -> Table:
    """Return the columns of which something is known."""
    there = [
        name
        for name in shown.columns
        if not all(value is None or value != value for value in shown[name])
    ]
    return Table({name: shown[name] for name in there})


def _ages(shown: Table) -> str:
    labels = [_short(value) for value in shown["from"]]
    parts = {name: shown[name] for name in VOICES if shown[name].any()}
    own = shown["own"]
    alt = (
        f"The share of answers of own models is {own[0]:.0%} for new keys and {own[-1]:.0%} for "
        f"those with {int(shown['from'][-1]):,} rows or more."
    )
    return columns(parts, labels, title="Whose answers, by rows learned before", alt=alt,
                   below="From so many rows of the key on.", share=True)  # fmt: skip


def _bars(values: dict[str, float], what: str) -> str:
    alt = ", ".join(f"{name} {value:.3f}" for name, value in [*values.items()][:12])
    return f'<figure><div class="scroll">{bars(values, alt=f"{what}: {alt}.")}</div></figure>'


def _pairs(shown: Table) -> str:
    """Return a row of dots a key: the share of right answers before, and lately."""
    kinds = [kind for kind in ("before", "lately") if not np.isnan(shown[kind][:PAIRS]).all()]
    values = np.concatenate([shown[kind][:PAIRS] for kind in kinds])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 0.04 * (high - low) or 0.05
    low, high = low - room, high + room
    rows = ""
    for each in shown[:PAIRS]:
        name = escape(printable(each["key"]))
        dots = "".join(
            f'<i class="{looks_of(kinds, kind)}" '
            f'style="--at: {(each[kind] - low) / (high - low):.4f}"></i>'
            for kind in kinds
            if not np.isnan(each[kind])
        )
        rows += (
            f'<div class="row"><span class="name" title="{name}">{name}</span>'
            f'<div class="dots" aria-hidden="true">{dots}</div></div>'
        )
    scale = "".join(
        f'<span style="--at: {(at - low) / (high - low):.4f}">{at:g}</span>'
        for at in nice(low, high)
        if low <= at <= high
    )
    legend = "".join(
        f'<li class="{looks_of(kinds, kind)}"><span class="box"></span><span>{kind}</span></li>'
        for kind in kinds
    )
    return (
        f'<figure class="strip"><p class="title">Share of right answers</p>{rows}'
        f'<div class="row" aria-hidden="true"><span></span><div class="x">{scale}</div></div>'
        f'<ul class="legend">{legend}</ul></figure>'
    )


def _short(value: float) -> str:
    """Return a number in few signs.

    Examples
    --------
    >>> _short(900), _short(2048), _short(3_000_000)
    ('900', '2,048', '3M')
    """
    value = float(value)
    for unit, least, name in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e3, 1e5, "k")):
        if value >= least:
            return f"{value / unit:.3g}{name}"
    return f"{value:,.0f}"
