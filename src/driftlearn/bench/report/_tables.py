"""Tables of a result page."""

from collections.abc import Mapping

import numpy as np

from driftlearn.bench.report import _curves
from driftlearn.bench.report._comparison import Comparison
from driftlearn.bench.report._curves import learners_of, repetitions, results_of, runs
from driftlearn.bench.report._html import Cell, number, pairs, table
from driftlearn.evaluate._repeat import AnyResult, Results
from driftlearn.evaluate.metrics import RECOVERY_ROWS
from driftlearn.utils.arguments import Values

#: The metrics of a summary other than accuracy, which shares a cell with its deviation.
METRICS = (
    "balanced_accuracy", "kappa", "recovery", "recovery_new", "recovery_returned",
    "anytime_accuracy", "forgetting", "backward_transfer", "forward_transfer", "members", "rows/s",
    "seconds", "MB", "auc", "f1", "g_mean", "kappa_temporal", "kappa_m", "log_loss", "brier", "ece",
    "chunk_std", "ram_hours",
)  # fmt: skip
#: Numbers of decimals that differ from four; None shows three digits of the largest value.
DECIMALS: dict[str, int | None] = {
    "members": 0, "rows/s": 0, "seconds": None, "MB": None, "ram_hours": None
}  # fmt: skip


def summary_table(result: AnyResult, stream: str) -> str:
    """Return a table of learners and metrics, with the best value of each metric marked."""
    known = result.summary(result.names[0])
    found = result.table(columns=[key for key in ("accuracy", "std", *METRICS) if key in known])
    columns = [key for key in METRICS if key in found.columns]
    if len(repetitions(result)) == 1 and "chunk_std" in columns:
        columns.remove("chunk_std")  # shown in the same cell as the accuracy
    decimals = {key: _decimals(found[key], DECIMALS.get(key, 4)) for key in columns}
    rows = []
    for i, row in enumerate(found):
        off, _ = _curves.accuracy_deviation(result, {"std": np.nan, **row})
        best = {key for key, where in found.marked.items() if i in where}
        cells = [number(row.get("accuracy", np.nan), 4, "accuracy" in best, off)]
        cells += [number(row[key], decimals[key], key in best) for key in columns]
        rows.append([Cell(row["learner"]), *cells])
    head = ["learner", "accuracy", *(key.replace("_", " ") for key in columns)]
    caption = f"Learners and metrics on the stream {stream}"
    return table(head, rows, caption=caption, by="accuracy")


def _decimals(values: Values, fixed: int | None) -> int:
    if fixed is not None:
        return fixed
    largest = max(float(np.nanmax(values)), 1e-8)
    return int(np.clip(2 - np.floor(np.log10(largest)), 0, 10))


def summary_note(result: AnyResult) -> str:
    """Return a note that explains the columns of `summary_table`."""
    off, over = _curves.accuracy_deviation(result, result.summary(result.names[0]))
    deviation = "" if np.isnan(off) else f" ± standard deviation over {over}"
    recovery = f"recovery: mean accuracy over the {RECOVERY_ROWS} rows after a known drift"
    kinds = "new and returned: of drifts to a new concept, or to one that was there before"
    parts = [
        "★ marks the best of a column" * (len(result.names) > 1),
        f"accuracy: mean over the chunks{deviation}; auc: mean over the chunks",
        "the other metrics are computed from all test rows together",
        *([recovery] if result.drifts else []),
        *([kinds] if result.drifts and result.concepts else []),
        "seconds: training and prediction; rows/s: training; members and MB: at the end",
    ]
    text = "; ".join(filter(None, parts))
    return f"{text[0].upper()}{text[1:]}."


def grid_table(results: Results, comparison: Comparison) -> str:
    """Return a table of accuracies by learner and stream, with the best of each stream marked."""
    columns = []
    for result in results.values():
        rows = {name: result.summary(name) for name in result.names}
        top = np.nanmax([-1.0, *(row["accuracy"] for row in rows.values())])
        has_deviation = len(repetitions(result)) > 1
        columns.append({
            name: number(row["accuracy"], 4, row["accuracy"] == top,
                         row["std"] if has_deviation else np.nan)
            for name, row in rows.items()
        })  # fmt: skip
    ranks, several = comparison.ranks, len(comparison.ranks) > 1
    cells: list[list[str | Cell]] = []
    for name in sorted(learners_of(results), key=lambda name: ranks.get(name, np.inf)):
        rank = number(ranks.get(name, np.nan), 2, name == comparison.best and several)
        cells.append([name, *(column.get(name, Cell("–")) for column in columns), rank])
    head = ["learner", *results, "mean rank"]
    return table(head, cells, caption="Accuracy of each learner on each stream")


def count_table(comparison: Comparison, where: str = "") -> str:
    """Return the wins, ties and losses of the best learner against each other learner."""
    best, counts = comparison.best, comparison.counts
    if best is None or counts is None:
        return ""
    rows = []
    for row in counts:
        lead = float(np.mean(comparison.means[best])) - np.mean(comparison.means[row["against"]])
        cells = [Cell(str(row[word]), row[word]) for word in ("win", "tie", "loss")]
        rows.append([row["against"], *cells, Cell(f"{lead:+.4f}", float(lead))])
    head = [f"{best} against", "wins", "ties", "losses", "lead in accuracy"]
    return table(head, rows, caption=f"Wins, ties and losses of {best}{where}")


def parameter_table(result: AnyResult | Results) -> str:
    """Return a table of the parameters of each learner."""
    rows = []
    for name in learners_of(result):
        params = next((one.params[name] for one in results_of(result) if name in one.params), {})
        values = {key: value for key, value in params.items() if key != "class"}
        text = ", ".join(f"{key}={value}" for key, value in values.items())
        rows.append([name, str(params.get("class", "")), text])
    head = ["learner", "class", "parameters"]
    return table(head, rows, caption="Parameters of the learners", sortable=False)


def settings_table(result: AnyResult | Results) -> str:
    """Return the settings of the protocol, with one column per stream."""
    if not isinstance(result, Mapping):
        return pairs(result.settings, "Settings of the protocol")
    keys = list(dict.fromkeys(key for one in result.values() for key in one.settings))
    rows = [[key, *(str(one.settings.get(key, "")) for one in result.values())] for key in keys]
    caption = "Settings of the protocol on each stream"
    return table(["setting", *result], rows, caption=caption, sortable=False)


def version_table(result: AnyResult | Results) -> str:
    """Return the library versions; if runs differ, all versions."""
    found: dict[str, dict[str, None]] = {}
    for run in [run for repeated in results_of(result) for run in runs(repeated)]:
        for name, version in run.versions.items():
            found.setdefault(name, {})[str(version)] = None
    versions = {name: ", ".join(each) for name, each in found.items()}
    return pairs(versions, "Versions of the libraries")
