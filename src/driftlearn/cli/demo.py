"""The command ``driftlearn demo``."""

from __future__ import annotations

from pathlib import Path

import click

from driftlearn.cli.command import FOLDER, Command, look_for


@click.command(cls=Command)
@click.option("--out", type=FOLDER, default=Path("driftlearn-demo"), show_default=True,
              help="Folder for the page and the picture.")  # fmt: skip
@click.option("--rows", type=click.IntRange(min=2000), default=30_000, show_default=True,
              help="Length of the stream.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed.")
def demo(out: Path, rows: int, seed: int) -> None:
    """Seven learners on a stream with three abrupt drifts: a table, a page and a picture.

    \b
      driftlearn demo
      driftlearn demo --rows 60000 --seed 1 --out drifts/
    """  # noqa: D301
    look_for(out / "demo.html", figures=[out / "demo.png"])
    from driftlearn.cli._demo_page import run

    run(out, rows, seed)
