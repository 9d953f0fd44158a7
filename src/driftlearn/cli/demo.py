"""The command ``driftlearn demo``."""

from pathlib import Path

import click

from driftlearn.cli.command import Command, check_outputs
from driftlearn.cli.options import FOLDER, NOT_NEGATIVE


@click.command(cls=Command)
@click.option("--out", type=FOLDER, default=Path("driftlearn-demo"), show_default=True,
              help="Output folder.")  # fmt: skip
@click.option("--rows", type=click.IntRange(min=2000), default=30_000, show_default=True,
              help="Rows of the stream of the first part.")  # fmt: skip
@click.option(
    "--seed", type=NOT_NEGATIVE, default=0, show_default=True, help="Random seed of the first part."
)
def demo(out: Path, rows: int, seed: int) -> None:
    """Compare learners while rules return, then learn a folder of daily files.

    The first part prints a table of seven learners on a stream with three drifts. The second part
    writes 41 daily files, learns 40 of them, predicts the last one and reports the drift. Files,
    model, figures and pages are in the output folder.

    \b
      driftlearn demo
      driftlearn demo --rows 60000 --seed 1 --out drifts/
    """  # noqa: D301
    check_outputs(out / "demo.html", out / "model.html", figures=[out / "demo.png"])
    from driftlearn.cli._demo_page import run

    run(out, rows, seed)
