"""The tables of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from driftlearn.bench.report._compare import Comparison
from driftlearn.bench.report._curves import learners_of, repetitions, runs, spread
from driftlearn.bench.report._markup import Cell, number, pairs, table
from driftlearn.bench.report._words import title
from driftlearn.evaluate._repeat import AnyResult, Results
from driftlearn.evaluate.metrics import RECOVERY_ROWS
from driftlearn.utils.typing import Values

#: Decimals (None: by size) of a summary's columns; accuracy and its std share a cell.
DECIMALS: dict[str, int | None] = {
    "balanced_accuracy": 4,
    "kappa": 4,
    "recovery": 4,
    "recovery_new": 4,
    "recovery_returned": 4,
    "anytime_accuracy": 4,
    "forgetting": 4,
    "backward_transfer": 4,
    "forward_transfer": 4,
    "members": 0,
    "rows/s": 0,
    "seconds": None,
    "MB": None,
    "auc": 4,
    "f1": 4,
    "g_mean": 4,
    "kappa_temporal": 4,
    "kappa_m": 4,
    "log_loss": 4,
    "brier": 4,
    "ece": 4,
    "chunk_std": 4,
    "ram_hours": None,
}


def summary_table(result: AnyResult, stream: str) -> str:
    """Return learners and metrics, the best of each metric marked."""
    known = result.summary(result.names[0])
    wanted = ("accuracy", "std", *DECIMALS)
    found = result.table(columns=[key for key in wanted if key in known])
    alone = len(repetitions(result)) == 1  # its deviation stands beside the accuracy
    columns = [key for key in DECIMALS if key in found.columns]
    columns = [key for key in columns if not (alone and key == "chunk_std")]
    rows = []
    decimals = {key: _decimals(found[key], DECIMALS[key]) for key in columns}
    for i, row in enumerate(found):
        off, _ = spread(result, {"std": np.nan, **row})
        cells = [number(row.get("accuracy", np.nan), 4, i in found.marked.get("accuracy", ()), off)]
        for key in columns:
            cells.append(number(row[key], decimals[key], i in found.marked.get(key, ())))
        rows.append([Cell(row["learner"]), *cells])
    head = ["learner", "accuracy", *(title(key) for key in columns)]
    caption = f"Learners and metrics on the stream {stream}"
    return table(head, rows, caption=caption, by="accuracy")


def _decimals(values: Values, fixed: int | None) -> int:
    """Return how many decimals show three digits of the largest value."""
    if fixed is not None:
        return fixed
    largest = max(float(np.nanmax(values)), 1e-8)
    return int(np.clip(2 - np.floor(np.log10(largest)), 0, 10))


def summary_note(result: AnyResult) -> str:
    """Say what the columns of `summary_table` mean."""
    off, over = spread(result, result.summary(result.names[0]))
    parts = ["★ marks the best of a column"] if len(result.names) > 1 else []
    deviation = "" if np.isnan(off) else f" ± standard deviation over {over}"
    parts += [f"accuracy: mean over the chunks{deviation}", "auc: mean over the chunks"]
    parts += ["the other metrics come from all test rows together"]
    if result.drifts:
        kinds = "; new and returned: of drifts to a rule that is new, or was in force before"
        parts.append(
            f"recovery: mean accuracy over the {RECOVERY_ROWS} rows after a known drift"
            f"{kinds if result.concepts else ''}"
        )
    parts += ["seconds: learning and predicting", "rows/s: trained", "members and MB: at the end"]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def grid_table(results: Results, comparison: Comparison) -> str:
    """Return learners and streams with accuracies, the best of each stream marked."""
    accuracy: dict[str, dict[str, tuple[float, float]]] = {}
    for stream, result in results.items():
        for name in result.names:
            found = result.summary(name)
            off = found["std"] if len(repetitions(result)) > 1 else np.nan
            accuracy.setdefault(name, {})[stream] = found["accuracy"], off
    top = {
        stream: max((row[stream][0] for row in accuracy.values() if stream in row), key=_known)
        for stream in results
    }
    rows: list[list[str | Cell]] = []
    for name in learners_of(results):
        cells = []
        for stream in results:
            value, off = accuracy[name].get(stream, (np.nan, np.nan))
            cells.append(number(value, 4, value == top[stream], off))
        best = name == comparison.best and len(comparison.ranks) > 1
        rows.append([name, *cells, number(comparison.ranks.get(name, np.nan), 2, best)])
    rows.sort(key=lambda row: comparison.ranks.get(str(row[0]), np.inf))
    return table(
        ["learner", *results, "mean rank"], rows, caption="Accuracy of each learner on each stream"
    )


def _known(value: float) -> float:
    return -np.inf if np.isnan(value) else value


def count_table(comparison: Comparison, where: str = "") -> str:
    """Return the wins, ties and losses of the best learner against each other one."""
    best, counts = comparison.best, comparison.counts
    if best is None or counts is None:
        return ""
    own = float(np.mean(comparison.means[best]))
    rows = []
    for row in counts:
        lead = own - float(np.mean(comparison.means[row["against"]]))
        cells = [Cell(str(row[word]), row[word]) for word in ("win", "tie", "loss")]
        rows.append([row["against"], *cells, Cell(f"{lead:+.4f}", lead)])
    head = [f"{best} against", "wins", "ties", "losses", "lead in accuracy"]
    return table(head, rows, caption=f"Wins, ties and losses of {best}{where}")


def parameter_table(result: AnyResult | Results) -> str:
    """Return the parameters of every learner."""
    results = list(result.values()) if isinstance(result, Mapping) else [result]
    params: dict[str, Mapping[str, Any]] = {}
    for one in results:
        for name, values in one.params.items():
            params.setdefault(name, values)
    rows = []
    for name in learners_of(result):
        values = dict(params.get(name, {}))
        kind = str(values.pop("class", ""))
        rows.append([name, kind, ", ".join(f"{key}={value}" for key, value in values.items())])
    head = ["learner", "class", "parameters"]
    return table(head, rows, caption="Parameters of the learners", sortable=False)


def settings_table(result: AnyResult | Results) -> str:
    """Return the settings of the protocol, a column a stream."""
    if not isinstance(result, Mapping):
        return pairs(result.settings, "Settings of the protocol")
    keys = list(dict.fromkeys(key for one in result.values() for key in one.settings))
    rows = [[key, *(str(one.settings.get(key, "")) for one in result.values())] for key in keys]
    caption = "Settings of the protocol on each stream"
    return table(["setting", *result], rows, caption=caption, sortable=False)


def versions(result: AnyResult | Results) -> dict[str, str]:
    """Return the versions of the libraries; where the runs differ, all of them."""
    results = list(result.values()) if isinstance(result, Mapping) else [result]
    found: dict[str, dict[str, None]] = {}
    for one in [single for repeated in results for single in runs(repeated)]:
        for name, version in one.versions.items():
            found.setdefault(name, {})[str(version)] = None
    return {name: ", ".join(all_of) for name, all_of in found.items()}
