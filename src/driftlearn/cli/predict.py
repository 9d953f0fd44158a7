"""The command ``driftlearn predict``."""

from pathlib import Path
from typing import Any

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import (
    Command,
    announce,
    check_outputs,
    echo,
    echo_json,
    schema_reported,
)


@click.command(cls=Command)
@opt.INPUTS
@opt.STATE
@click.option("--out", required=True, type=click.Path(), metavar="FILE", help="Where to write: "
              ".csv, .parquet, - for standard output (CSV), redis://HOST/STREAM or "
              "kafka://HOST/TOPIC.")  # fmt: skip
@opt.many(
    "--passthrough", metavar="COLUMN", help="Column of the rows to copy to the output; repeatable."
)
@click.option("--votes/--no-votes", default=True, help="Write the votes for each label.")
@click.option("--sets", metavar="COVERAGE", type=click.FloatRange(0, 1, True, True), help="Also "
              "write sets of labels that contain the true one this often, e.g. 0.9.")  # fmt: skip
@click.option("--on", metavar="WHERE", help="With one model per key: address of a dask "
              "scheduler, e.g. tcp://host:8786; --out is then a folder.")  # fmt: skip
@opt.ALLOW
@opt.ON_ERROR
@opt.SCHEMA
@opt.JSON
@opt.LOG_LINE
@opt.flag("--quiet", "-q", help="Do not print the number of rows.")
def predict(
    files: tuple[str, ...],
    state: Path,
    out: str,
    on: str | None,
    sets: float | None,
    on_schema_change: str | None,
    as_json: bool,
    log_line: bool,
    quiet: bool,
    allow: tuple[str, ...],
    **options: Any,
) -> None:
    """Predict the rows of files with a saved model, which is not changed.

    The output has the predicted label, the probability of every label, and the votes: the ensemble
    members that voted for the label, with their weights. The label column may be missing. With one
    model per key, the votes are the model that predicted the label, and the output has the key.

    \b
      driftlearn predict new.csv --state model/ --out new.parquet --passthrough id
    """  # noqa: D301
    if not quiet:
        announce(f"Starting to predict with the model in {state} ...")
    from driftlearn.ops.checkpoint.predict import check_out, predict_files
    from driftlearn.ops.checkpoint.progress import make_progress
    from driftlearn.ops.checkpoint.saved_model import is_keyed
    from driftlearn.ops.keyed.predictions import predict_keyed
    from driftlearn.ops.keyed.settings import DASK
    from driftlearn.ops.sources.source import is_server, without_password
    from driftlearn.preprocessing._table_check import SchemaReport
    from driftlearn.utils.optional import needed

    schema = SchemaReport(on_schema_change)
    if sets is not None and is_keyed(state):
        raise ValueError("--sets is not available for models by key. Omit it.")
    if as_json and out == "-":
        raise ValueError("--json cannot be combined with --out -: both write to standard output.")
    if on is not None:
        if not on.startswith(("tcp://", "tls://")):
            raise ValueError(f"Invalid --on {on!r}: expected a dask scheduler, tcp://HOST:PORT.")
        if not is_keyed(state):
            raise ValueError(f"Invalid --on {on!r}: {state} has no models by key. Omit --on.")
        for package in DASK[2]:
            needed(package, f"--on {on}")
        from driftlearn.ops.keyed.dask import predict as predict_on
    else:
        check_out(out)
        check_outputs(None if out == "-" or is_server(out) else Path(out))
    options["schema"] = schema
    # rows that are printed to the terminal must not be mixed with a bar
    shown = make_progress(quiet or out == "-")
    with schema_reported(schema, as_json, log_line) as line:
        if on is not None:
            n = predict_on(
                state, [*files], out, on, note=lambda text: echo(text, err=True), **options
            )
        elif is_keyed(state):
            options["note"] = lambda text: echo(f"warning: {text}", err=True)
            n = predict_keyed(state, [*files], out, progress=shown, **options)
        else:
            options |= {"allow": allow, "sets": sets}
            n = predict_files(state, [*files], out, progress=shown, **options)
        line["rows"] = n
        if as_json:
            echo_json({"rows": n, "out": without_password(out), "schema": schema.to_dict(),
                       "exit code": schema.exit_code})  # fmt: skip
        elif not quiet:
            where = "" if out == "-" else f": {without_password(out)}"
            echo(f"{n:,} rows predicted{where}", err=True)
