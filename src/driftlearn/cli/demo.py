"""The command ``driftlearn demo``."""

from pathlib import Path

import click

from driftlearn.cli.command import Command, check_outputs
from driftlearn.cli.options import FOLDER, NOT_NEGATIVE


@click.command(cls=Command)
@click.option("--out", type=FOLDER, default=Path("driftlearn-demo"), show_default=True,
              help="Folder for the page and the figure.")  # fmt: skip
@click.option("--rows", type=click.IntRange(min=2000), default=30_000, show_default=True,
              help="Rows of the stream.")  # fmt: skip
@click.option("--seed", type=NOT_NEGATIVE, default=0, show_default=True, help="Random seed.")
def demo(out: Path, rows: int, seed: int) -> None:
    """Compare seven learners on a stream with three abrupt drifts.

    Prints a table, and writes a page and a figure.

    \b
      driftlearn demo
      driftlearn demo --rows 60000 --seed 1 --out drifts/
    """  # noqa: D301
    check_outputs(out / "demo.html", figures=[out / "demo.png"])
    from driftlearn.cli._demo_page import run

    run(out, rows, seed)
