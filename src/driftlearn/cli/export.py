"""The command ``driftlearn export``."""

from __future__ import annotations

from pathlib import Path

import click

from driftlearn.cli.command import Command, check_outputs, echo
from driftlearn.cli.options import FILE, POSITIVE, STORE, many, open_store


@click.command(cls=Command)
@click.argument("path", type=FILE)
@many("--run", "numbers", type=POSITIVE, help="Export only this run; repeatable.")
@STORE
def export(path: Path, numbers: tuple[int, ...], store: Path | None) -> None:
    """Write the results of all chunks to PATH, a .csv or .parquet file.

    \b
      driftlearn export chunks.parquet
      driftlearn export chunks.csv --run 3 --run 5
    """  # noqa: D301
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"Unknown file format of {path}: use .csv or .parquet.")
    check_outputs(path)
    from driftlearn.bench.workbench.export import export_chunks

    with open_store(store) as opened:
        rows = export_chunks(opened, path, numbers)
    echo(f"{rows:,} chunks written to {path}")
