"""Export of the chunks of a store as a CSV or Parquet file."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from driftlearn.bench.workbench.store import Store, StoreError
from driftlearn.bench.workbench.store_rows import SEALED
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.optional import needed
from driftlearn.utils.table import Table

COLUMNS = SEALED["chunks"][1:]  # without the key of the cell
#: Columns of the store that have a different name in exports.
RENAMED = {"learnt": "trained"}


def export_chunks(store: Store, path: Path, runs: Sequence[int] = ()) -> int:
    """Write one row per chunk of each finished cell; return the number of rows.

    Parameters
    ----------
    store : Store
        The store.
    path : Path
        A ``.csv`` or ``.parquet`` file.
    runs : sequence of int
        The runs; by default all.
    """
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path} must end in .csv or .parquet")
    if path.suffix == ".parquet":
        parquet = needed("pyarrow.parquet", "Parquet")
    numbers = sorted(set(runs)) or store.runs()["run"].tolist()
    rows = [
        (run, cell["stream"], cell["learner"], cell["seed"], *(chunk[name] for name in COLUMNS))
        for run in numbers
        for cell in store.cells(run)
        if cell["status"] == "done"
        for chunk in store.chunks(cell["cell"])
    ]
    if not rows:
        raise StoreError(f"{store.path} has no finished cell to export")
    names = ("run", "stream", "learner", "seed", *(RENAMED.get(name, name) for name in COLUMNS))
    table = Table(dict(zip(names, zip(*rows))))
    if path.suffix == ".csv":
        table.to_csv(path)
    else:
        content = BytesIO()
        columns = {name: table[name].tolist() for name in table.columns}
        parquet.write_table(needed("pyarrow").table(columns), content)
        atomic_write(path, content.getvalue())
    return len(table)
