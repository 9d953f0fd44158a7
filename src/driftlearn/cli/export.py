"""The command ``driftlearn export``."""

from __future__ import annotations

from pathlib import Path

import click

from driftlearn.cli.command import FILE, STORE, Command, look_for, open_store, say


@click.command(cls=Command)
@click.argument("path", type=FILE)
@click.option("--run", "numbers", multiple=True, type=click.IntRange(min=1),
              help="Only this run; may be repeated.")  # fmt: skip
@STORE
def export(path: Path, numbers: tuple[int, ...], store: Path | None) -> None:
    """Write every chunk of the finished cells to PATH, a .csv or .parquet file.

    \b
      driftlearn export chunks.parquet
      driftlearn export chunks.csv --run 3 --run 5
    """  # noqa: D301
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path} must end in .csv or .parquet")
    look_for(path)
    from driftlearn.bench.workbench.export import export_chunks

    with open_store(store) as opened:
        rows = export_chunks(opened, path, numbers)
    say(f"{rows:,} chunks written to {path}")
