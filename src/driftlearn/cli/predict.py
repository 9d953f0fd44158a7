"""The command ``driftlearn predict``."""

from __future__ import annotations

from pathlib import Path

import click

from driftlearn.cli.command import Command, look_for, say
from driftlearn.cli.learn import STATE


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILES...")
@STATE
@click.option("--out", required=True, type=click.Path(), metavar="FILE", help="Where to write: "
              ".csv, .parquet, or - for standard output (CSV).")  # fmt: skip
@click.option("--keep", multiple=True, metavar="COLUMN", help="A column of the rows to hand "
              "through; may be repeated.")  # fmt: skip
@click.option("--voters/--no-voters", default=True, help="Who voted for each label.")
@click.option("--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
              help="At a broken line of a CSV file.")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Do not say how many rows there were.")
def predict(
    files: tuple[str, ...],
    state: Path,
    out: str,
    keep: tuple[str, ...],
    voters: bool,
    on_error: str,
    quiet: bool,
) -> None:
    """Predict rows of files with a kept model; it learns nothing.

    Of each row comes what it is predicted to be, the probability of every label, and who voted for
    it, with weights. The column of labels may be absent.

    \b
      driftlearn predict new.csv --state model/ --out said.parquet --keep id
    """  # noqa: D301
    from driftlearn.keeping.predicting import check_out, predict_files

    check_out(out)
    look_for(None if out == "-" else Path(out))
    n = predict_files(state, [*files], out, keep=keep, voters=voters, skip=on_error == "skip")
    if not quiet:
        say(f"{n:,} rows predicted" + ("" if out == "-" else f": {out}"), err=True)
