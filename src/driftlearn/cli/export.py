"""The command ``driftlearn export``."""

from pathlib import Path

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, check_outputs, echo


@click.command(cls=Command)
@click.argument("path", type=opt.FILE)
@opt.many("--run", "numbers", type=opt.POSITIVE, help="Export only this run; repeatable.")
@opt.STORE
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

    with opt.open_store(store) as opened:
        rows = export_chunks(opened, path, numbers)
    echo(f"{rows:,} chunks written to {path}")
