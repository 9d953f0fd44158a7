"""HTML page of a backtest."""

from typing import Any

import numpy as np

from driftlearn.bench.report._curves import Curves
from driftlearn.bench.report._html import document, of_table
from driftlearn.bench.report._svg import Axis, line_chart
from driftlearn.utils.table import Table

METRICS = {"accuracy": "accuracy", "AUC": "auc", "log loss": "log loss"}
WINDOW = 7  # files per point of a curve, so that weekdays do not hide the differences


def backtest_page(found: dict[str, Any]) -> str:
    """Return the page of a backtest; see `driftlearn.ops.checkpoint.backtest.backtest`."""
    models, files = found["models"], found["by file"]
    rows = np.array([each["rows"] for each in files], dtype=float)
    charts = ""
    for metric in ("accuracy", "log loss"):
        lines = {name: _moving([each[name][metric] for each in files], rows) for name in models}
        final = ", ".join(f"{name} {line[-1]:.3f}" for name, line in lines.items())
        curves = Curves(np.arange(1, len(files) + 1), lines, {}, 1, min(WINDOW, len(files)))
        charts += line_chart(
            curves, Axis(len(files), unit="file"), [*models], title=metric.capitalize(),
            height=260, alt=f"{metric.capitalize()} by file; in the end {final}.",
            note=f"By file, mean of the last {WINDOW}.",
        )  # fmt: skip
    table = Table({
        "model": [*models],
        **{title: [each[metric] for each in models.values()] for title, metric in METRICS.items()},
        **{f"{metric}, difference": [_difference(each, metric) for each in models.values()]
           for metric in ("accuracy", "log loss")},
    })  # fmt: skip
    by_file = Table({
        "file": [each["file"] for each in files],
        "rows": [each["rows"] for each in files],
        **{f"{metric}, {name}": [each[name][metric] for each in files]
           for metric in ("accuracy", "log loss") for name in models},
    })  # fmt: skip
    caption = "Each file was predicted before its labels were known."
    caption += f" Differences from {next(iter(models))}, with 95 % intervals."
    sections = {
        "Models": of_table(table, caption),
        "By file": f"<details><summary>{len(files):,} files</summary>"
                   f"{of_table(by_file, 'Scores of each file.')}</details>",
    }  # fmt: skip
    lead = f"{found['recommendation']} {found['files']:,} files with {found['rows']:,} rows."
    return document("Backtest", lead, sections, more=f'<div class="grid">{charts}</div>')


def _moving(values: list[float], rows: np.ndarray) -> np.ndarray:
    """Return means over the last files, weighted by their rows."""
    starts = np.maximum(np.arange(1, len(rows) + 1) - WINDOW, 0)
    sums = np.concatenate([[0.0], np.cumsum(np.array(values) * rows)])
    counts = np.concatenate([[0.0], np.cumsum(rows)])
    return (sums[1:] - sums[starts]) / (counts[1:] - counts[starts])


def _difference(scores: dict[str, Any], metric: str) -> str:
    if "versus" not in scores:
        return ""
    found = scores["versus"][metric]
    low, high = found["interval"] or (np.nan, np.nan)
    return f"{found['difference']:+.4f} ({low:+.4f} to {high:+.4f})"
