"""The store's chunks as a table that other tools can read."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from driftlearn.bench.workbench.store import Store, StoreError
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.optional import needed
from driftlearn.utils.table import Table

COLUMNS = (
    "chunk", "start", "stop", "trained", "accuracy", "log_loss", "fit_seconds", "predict_seconds",
    "members", "nbytes", "classes", "confusion", "unchanged", "brier", "auc", "calibration",
)  # fmt: skip
#: Columns of the store that have another name in exports.
RENAMED = {"trained": "learnt"}


def export_chunks(store: Store, path: Path, runs: Sequence[int] = ()) -> int:
    """Write a row for each chunk of each finished cell; return how many.

    Parameters
    ----------
    store : Store
        Where they are.
    path : Path
        A file whose name ends in ``.csv`` or ``.parquet``.
    runs : sequence of int
        Which runs; all, if none is named.
    """
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path} must end in .csv or .parquet")
    if path.suffix == ".parquet":
        needed("pyarrow.parquet", "Parquet")
    numbers = sorted(set(runs)) or store.runs()["run"].tolist()
    stored = [RENAMED.get(name, name) for name in COLUMNS]
    rows = [
        (run, cell["stream"], cell["learner"], cell["seed"], *(chunk[name] for name in stored))
        for run in numbers
        for cell in store.cells(run)
        if cell["status"] == "done"
        for chunk in store.chunks(cell["cell"])
    ]
    if not rows:
        raise StoreError(f"there is no finished cell to export in {store.path}")
    table = Table(dict(zip(("run", "stream", "learner", "seed", *COLUMNS), zip(*rows))))
    if path.suffix == ".csv":
        table.to_csv(path)
    else:
        _write_parquet(table, path)
    return len(table)


def _write_parquet(table: Table, path: Path) -> None:
    parquet, pyarrow = needed("pyarrow.parquet", "Parquet"), needed("pyarrow", "Parquet")
    columns = {name: table[name].tolist() for name in table.columns}
    content = BytesIO()
    parquet.write_table(pyarrow.table(columns), content)
    atomic_write(path, content.getvalue())
