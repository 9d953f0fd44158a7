"""The store's chunks as a table that other tools can read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from driftlearn._table import Table
from driftlearn.workbench.store import Store, StoreError

COLUMNS = (
    "chunk", "start", "stop", "learnt", "accuracy", "log_loss", "fit_seconds", "predict_seconds",
    "members", "nbytes", "classes", "confusion",
)  # fmt: skip
QUERY = (
    "SELECT rc.run, rc.stream, rc.learner, rc.seed, "
    + ", ".join(f"k.{name}" for name in COLUMNS)
    + " FROM run_cells rc JOIN cells c ON c.key = rc.cell JOIN chunks k ON k.cell = rc.cell "
    "WHERE c.status = 'done' AND rc.run IN (%s) ORDER BY rc.run, rc.place, k.chunk"
)


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
    for run in runs:
        store.run(run)
    numbers = list(runs) or store.runs()["run"].tolist()
    rows = store.query(QUERY % ", ".join("?" * len(numbers)), numbers)
    if not rows:
        raise StoreError(f"there is no finished cell to export in {store.path}")
    table = Table(dict(zip(("run", "stream", "learner", "seed", *COLUMNS), zip(*rows))))
    draft = path.with_name(f".{path.name}.part")
    if path.suffix == ".csv":
        table.to_csv(draft)
    else:
        _write_parquet(table, draft)
    draft.replace(path)
    return len(table)


def _write_parquet(table: Table, path: Path) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError('Parquet needs pyarrow: pip install "driftlearn[data]"') from error
    columns = {name: table[name].tolist() for name in table.columns}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
