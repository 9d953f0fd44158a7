"""The command ``driftlearn explain``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, check_outputs, echo, echo_json

if TYPE_CHECKING:
    from driftlearn.inspection.explanation import Explanation
    from driftlearn.inspection.importance_record import ImportanceRecord

PAGES = (".html", ".htm")


@click.command(cls=Command)
@click.argument("file", required=False, type=click.Path(), metavar="[FILE]")
@opt.STATE
@opt.many("--row", "rows", type=opt.NOT_NEGATIVE, metavar="N", help="Row of FILE, counted from 0 "
          "without the header; repeatable.  [0]")  # fmt: skip
@click.option("--top", type=opt.POSITIVE, default=10, show_default=True,
              help="Number of columns to show.")  # fmt: skip
@click.option("--output", type=click.Choice(["probability", "log-odds"]), default="probability",
              show_default=True, help="What the contributions add up to.")  # fmt: skip
@click.option("--out", type=opt.FILE, metavar="PICTURE", help="Write a figure (.png, .svg, .pdf) "
              "or a page (.html).")  # fmt: skip
@opt.ALLOW
@opt.ON_ERROR
@opt.JSON
def explain(
    file: str | None,
    state: Path,
    rows: tuple[int, ...],
    top: int,
    output: str,
    out: Path | None,
    allow: tuple[str, ...],
    skip: bool,
    as_json: bool,
) -> None:
    """Show how each column contributes to the predictions for rows of FILE.

    The contributions of all columns and the average over recent training rows add up to the
    probability of the predicted label. They are Shapley values of the whole model, with all members
    and their weights. Without FILE, the importances of the columns over time are shown.

    \b
      driftlearn explain new.csv --row 3 --state model/
      driftlearn explain new.csv --row 3 --row 8 --state model/ --out why.png
      driftlearn explain --state model/
    """  # noqa: D301
    from driftlearn.ops.checkpoint.explain import explain_rows, importances_of
    from driftlearn.ops.checkpoint.saved_model import SavedModel, is_keyed

    check_outputs(out)
    if is_keyed(state):
        raise ValueError(
            f"{state} has one model per key, which explain does not support: use driftlearn "
            "inspect --key KEY."
        )
    if file is None and rows:
        raise ValueError("--row requires a FILE.")
    saved = SavedModel.open(state, allow=allow)
    found: Explanation | ImportanceRecord
    if file is None:
        found = importances_of(saved)
    else:
        found = explain_rows(saved, file, rows or (0,), folder=state, output=output, skip=skip)
    if out is not None:
        (found.report if out.suffix.lower() in PAGES else found.plot)(out)
        echo(f"{'page' if out.suffix.lower() in PAGES else 'figure'}: {out}", err=True)
    if as_json:
        echo_json({"state": str(state), **found.to_dict()})
    elif out is None:
        echo(found.text(top))
