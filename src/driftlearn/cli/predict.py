"""The command ``driftlearn predict``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftlearn.cli.command import Command, look_for, say
from driftlearn.cli.learn import STATE


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILES...")
@STATE
@click.option("--out", required=True, type=click.Path(), metavar="FILE", help="Where to write: "
              ".csv, .parquet, - for standard output (CSV), redis://HOST/STREAM, "
              "kafka://HOST/TOPIC.")  # fmt: skip
@click.option("--passthrough", multiple=True, metavar="COLUMN", help="Copy a column of the rows "
              "to the output; may be repeated.")  # fmt: skip
@click.option("--votes/--no-votes", default=True, help="Write the votes for each label.")
@click.option("--on", metavar="WHERE", help="With a model for each key: a dask scheduler, as "
              "tcp://host:8786; --out is a folder then.")  # fmt: skip
@click.option("--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
              help="At a broken line or message.")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Do not say how many rows there were.")
def predict(
    files: tuple[str, ...],
    state: Path,
    out: str,
    passthrough: tuple[str, ...],
    votes: bool,
    on: str | None,
    on_error: str,
    quiet: bool,
) -> None:
    """Predict rows of files with a kept model; it learns nothing.

    Of each row comes what it is predicted to be, the probability of every label, and who voted for
    it, with weights. The column of labels may be absent. Where there is a model for each key comes
    the key, what its row is predicted to be, and by whose model.

    \b
      driftlearn predict new.csv --state model/ --out predictions.parquet --passthrough id
    """  # noqa: D301
    from driftlearn.cli.keyed import is_keyed, predict_keyed
    from driftlearn.ops.checkpoint.predicting import check_out, predict_files
    from driftlearn.ops.sources.server import is_server, without_password

    how: dict[str, Any] = {"passthrough": passthrough, "votes": votes, "skip": on_error == "skip"}
    if on is not None:
        if not on.startswith(("tcp://", "tls://")) or not is_keyed(state):
            raise ValueError(
                f"--on {on}: a model for each key can be asked on a dask cluster, as "
                "tcp://host:8786; leave it out otherwise"
            )
        from driftlearn.ops.keyed.dask import predict as predict_on

        how |= {"on": on, "note": lambda text: say(text, err=True)}
        n = predict_on(state, [*files], out, **how)
    else:
        check_out(out)
        look_for(None if out == "-" or is_server(out) else Path(out))
        work = predict_keyed if is_keyed(state) else predict_files
        n = work(state, [*files], out, **how)
    if not quiet:
        say(
            f"{n:,} rows predicted" + ("" if out == "-" else f": {without_password(out)}"), err=True
        )
