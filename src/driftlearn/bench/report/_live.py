"""Live page of a model: tiles, charts and folded tables, updated without a reload."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._html import fill, framed, of_table, pairs, safe
from driftlearn.bench.report._inspection import chart_of, section_of, texts_of
from driftlearn.inspection.inspection import RECENT_ROWS, Inspection, KeysInspection
from driftlearn.utils.table import Table

LEAST_SHARE = 0.0005  # of predictions, below which a source is not listed
RECENT_SPANS = 2  # spans of the stream that count as recent
#: Names of the sources of predictions of keyed models.
SOURCES = {"own": "own models", "global": "global model", "pool": "shared models", "none": "none"}
LONG = 12  # characters of a value above which it is written smaller
KEYS = 25  # keys per page of the table of keys
#: Charts above the tables, of a model and of keyed models.
CHARTS = ("files", "history", "importance history")
KEYED_CHARTS = ("accuracy", "accuracies", "worse", "better")
#: Orders of the table of keys, see `KeyStore.keys`.
ORDERS = {
    "rows": "all, most rows first",
    "key": "all, by name",
    "worse": "got worse",
    "better": "got better",
    "worst": "lowest accuracy",
}


class Tile(NamedTuple):
    """Number on a live page, with its explanation.

    Attributes
    ----------
    title, value : str
        The heading and the number.
    lines : sequence of str
        Lines below the number.
    look : str
        ``"bad"`` if the number needs attention, ``"wide"`` for long lines,
        ``"long"`` for a long value.
    """

    title: str
    value: str
    lines: Sequence[str] = ()
    look: str = ""


def model_tiles(inspection: Inspection) -> list[Tile]:
    """Return the tiles of an inspection."""
    if isinstance(inspection, KeysInspection):
        return _keyed_tiles(inspection)
    facts = inspection.facts
    found = []
    if facts.get("accuracy", {}).get("model") is not None:
        found.append(_accuracy_tile(facts))
    found += [_drift_tile(inspection), _leader_tile(inspection.tables["members"])]
    if "rows" in facts:
        n = len(facts["classes"])
        lines = [f"{n} class{'' if n == 1 else 'es'}"]
        found.append(Tile("Rows learned", f"{facts['rows']:,}", lines))
    if "waiting" in facts:
        lines = ["rows without a label, or in an incomplete chunk"]
        found.append(Tile("Waiting", f"{facts['waiting']:,}", lines))
    return found


def _accuracy_tile(facts: Mapping[str, Any]) -> Tile:
    recent = {name: share for name, share in facts["recent accuracy"].items() if share is not None}
    is_newest = facts["rows"] > RECENT_ROWS and "model" in recent
    shares = recent if is_newest else facts["accuracy"]
    model, others = shares["model"], {k: v for k, v in shares.items() if k != "model"}
    lines = [f"{name} {share:.1%}" for name, share in others.items() if share is not None]
    if is_newest:
        lines = [f"last {RECENT_ROWS:,} rows", *lines, f"all rows {facts['accuracy']['model']:.1%}"]
    best = max((share for share in others.values() if share is not None), default=0.0)
    if model <= best:
        lines.append("The model does not beat a baseline.")
    return Tile("Accuracy now", f"{model:.1%}", lines, "bad" if model <= best else "")


def _drift_tile(inspection: Inspection) -> Tile:
    drifts, changes = inspection.facts.get("drifts"), inspection.tables.get("changes")
    if drifts:
        place = drifts[-1]
        when = place["time"] or place["file"] or f"row {place['after']:,}"
        return Tile("Last drift", str(when).replace("T", ", "), [place["sentence"]], "wide")
    if changes is not None and len(changes):
        last = changes[-1]
        lines = [f"The error changed from {last['before']:.1%} to {last['since']:.1%}."]
        return Tile("Last drift", f"row {last['after']:,}", lines)
    return Tile("Last drift", "none", ["No change of the error so far."])


def _leader_tile(members: Table) -> Tile:
    """Return a tile with the member of the largest voting weight."""
    first = members[0]
    name = str(first.get("name") or f"member {first['id']}")
    weights = np.nan_to_num(np.asarray(members["weight"], dtype=float))
    n_equal = int((weights == weights[0]).sum())
    if 1 < n_equal == len(members):
        return Tile("Members", f"{n_equal}", ["All have the same weight."])
    total = abs(weights).sum()
    lines = []
    if len(members) > 1 and total > 0:
        lines.append(f"{abs(weights[0]) / total:.0%} of the weight of {len(members)} members")
    if n_equal > 1:
        lines.append(f"{n_equal - 1} more with the same weight")
    if first.get("accuracy") is not None and first["accuracy"] == first["accuracy"]:
        lines.append(f"accuracy {first['accuracy']:.1%}")
    since = first.get("created at") or first.get("created in")
    if since:
        lines.append(f"created {str(since).replace('T', ', ')}")
    return Tile("Largest weight", name, lines, "long" if len(name) > LONG else "")


def _keyed_tiles(inspection: KeysInspection) -> list[Tile]:
    facts, drifting = inspection.facts, inspection.facts["drifting"]
    found = []
    if facts["accuracy"]["predictions"] is not None:
        found.append(_keyed_accuracy_tile(facts["accuracy"], inspection.tables["accuracy"]))
    within = f"in their last {drifting['within']} rows"
    worse = Tile("Keys that got worse", f"{drifting['worse']:,}",
                 [within, f"{drifting['better']:,} got better"],
                 "bad" if drifting["worse"] > drifting["better"] else "")  # fmt: skip
    found.append(worse)
    sources = facts["predictions"]
    first = max(sources, key=lambda name: sources[name])
    if sources[first]:
        rest = [f"{SOURCES[name]} {share:.1%}" for name, share in sources.items()
                if name != first and share >= LEAST_SHARE]  # fmt: skip
        lines = [f"{sources[first]:.1%} of all predictions", *rest]
        found.append(Tile("Most predictions by", SOURCES[first], lines))
    lines = [f"{facts['keys']:,} keys"]
    if facts["counts"]["quarantined"]:
        lines.append(f"{facts['counts']['quarantined']:,} quarantined")
    return [*found, Tile("Rows learned", f"{facts['counts']['learned']:,}", lines)]


def _keyed_accuracy_tile(facts: Mapping[str, Any], table: Table) -> Tile:
    spans = table[-RECENT_SPANS:]
    tested = spans["tested"].astype(float)
    lines = [f"global model alone {facts['global']:.1%}"] if facts["global"] is not None else []
    if not tested.sum():
        return Tile("Accuracy", f"{facts['predictions']:.1%}", ["all rows", *lines])
    now = np.nansum(spans["accuracy"] * tested) / tested.sum()
    more = [f"all rows {facts['predictions']:.1%}", *lines]
    return Tile("Accuracy now", f"{now:.1%}", [f"last {tested.sum():,.0f} predictions", *more])


def tiles_html(tiles: Iterable[Tile]) -> str:
    """Return tiles as a description list."""
    return "".join(
        fill("tile", title=each.title, look=each.look, value=each.value,
             lines="".join(f"<dd>{safe(line)}</dd>" for line in each.lines))
        for each in tiles
    )  # fmt: skip


def summary_part(tiles: Iterable[Tile], learner: str, updated_at: float, trouble: str = "") -> str:
    """Return the first part of a live page.

    Parameters
    ----------
    tiles : iterable of Tile
        The tiles.
    learner : str
        The class of the learner.
    updated_at : float
        Time of the last change of the model, in seconds since 1970.
    trouble : str
        A problem that is displayed above the tiles.
    """
    date = datetime.fromtimestamp(updated_at, timezone.utc)
    when, iso = f"{date:%Y-%m-%d %H:%M} UTC", date.isoformat()
    about = fill("about", learner=learner, iso=iso, when=when)
    alert = f'<p class="alert">{safe(trouble)}</p>' if trouble else ""
    body = f'{about}{alert}<dl class="tiles">{tiles_html(tiles)}</dl>'
    return fill("part", name="summary", title="Summary", kind="summary", body=body)


def model_parts(inspection: Inspection | None, facts: Mapping[str, str]) -> str:
    """Return the parts of a live page below the tiles: charts and tables.

    Parameters
    ----------
    inspection : Inspection or None
        The inspection; None if the model is not trained yet.
    facts : mapping of str to str
        Names and values of a table about the service; without a table if it is empty.
    """
    about = (
        fill("folded", name="about", title="Service", body=pairs(facts, "Service")) if facts else ""
    )
    if inspection is None:
        text = "<p>The model is not trained yet.</p>"
        return fill("part", name="untrained", title="Model", kind="", body=text) + about
    keyed = isinstance(inspection, KeysInspection)
    above = KEYED_CHARTS if keyed else CHARTS
    if not keyed and "files" not in inspection.tables:
        above = ("accuracy", *above)
    charts = {name: chart for name in above
              if name in inspection.tables and (chart := chart_of(inspection, name))}  # fmt: skip
    found = "".join(
        fill("part", name=f"chart-{name}", title=inspection.titles[name], kind="chart-part",
             body=chart)
        for name, chart in charts.items()
    )  # fmt: skip
    if keyed:
        options = "".join(f'<option value="{key}">{text}</option>' for key, text in ORDERS.items())
        found += fill("keys", options=options)
    found += fill("part", name="tables", title="Tables", kind="", body="<h2>Tables</h2>")
    body = "".join(f"<p>{safe(each)}</p>" for each in inspection.sentences)
    found += fill("folded", name="sentences", title="Findings in sentences", body=body)
    texts = texts_of(inspection)
    for name, table in inspection.tables.items():
        if len(table):
            body = (
                f"<p>{texts[name]}</p>{section_of(inspection, name, has_chart=name not in charts)}"
            )
            found += fill("folded", name=name, title=inspection.titles[name], body=body)
    return found + about


def live_document(title: str, version: str, body: str) -> str:
    """Return a live page with its first content."""
    return framed(title, fill("live", title=title, version=version, body=body), is_live=True)


def keys_found(table: Table, begin: int, total: int) -> dict[str, Any]:
    """Return a page of the table of keys as JSON values for the script of the page."""
    end = begin + len(table)
    shown = f"{begin + 1:,} to {end:,} of {total:,}" if len(table) else "no keys"
    return {
        "html": of_table(table, "Keys") if len(table) else "<p>No key matches.</p>",
        "shown": shown,
        "before": max(begin - KEYS, 0),
        "next": end if end < total else None,
    }
