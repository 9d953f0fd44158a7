"""The command ``driftlearn check``."""

import sys
from pathlib import Path

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, echo, echo_json


@click.command(cls=Command)
@opt.INPUTS
@opt.STATE
@opt.SCHEMA
@opt.ALLOW
@opt.ON_ERROR
@opt.JSON
@opt.flag("--quiet", "-q", help="Print only files that differ.")
def check(
    files: tuple[str, ...],
    state: Path,
    on_schema_change: str | None,
    allow: tuple[str, ...],
    skip: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare files with those that a model has learned, before they are learned or predicted.

    Missing, new and renamed columns, values of another kind, other units, unseen words and new
    labels are reported as by learn, with its exit codes. Changes of the distribution of a column
    are reported, too; they do not change the exit code. Nothing is learned or written.

    \b
      driftlearn check today.csv --state model/
    """  # noqa: D301
    from driftlearn.ops.checkpoint.check import check_files
    from driftlearn.ops.checkpoint.saved_model import is_keyed

    if is_keyed(state):
        from driftlearn.ops.keyed.check import check_keyed

        found = check_keyed(state, files, policy=on_schema_change, skip=skip)
    else:
        found = check_files(state, files, policy=on_schema_change, skip=skip, allow=allow)
    if as_json:
        echo_json(found)
    else:
        prefix = "note" if found["policy"] == "note" else "warning"
        for file in found["files"]:
            if not quiet or file["changes"] or file["drift"]:
                echo(f"{file['file']}: {file['rows']:,} rows, {len(file['changes'])} changes of "
                     f"the schema, drift in {len(file['drift'])} columns")  # fmt: skip
            for each in file["changes"]:
                echo(f"{prefix}: {each['text']}", err=True)
            for each in file["drift"]:
                echo(f"note: {file['file']}: {each['text']}", err=True)
    sys.exit(found["exit code"])
