"""The command ``driftlearn compare``."""

from pathlib import Path

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, echo, echo_json


@click.command(cls=Command)
@click.argument("first", type=opt.FOLDER)
@click.argument("second", type=opt.FOLDER)
@opt.INPUTS
@opt.ALLOW
@opt.ON_ERROR
@opt.JSON
def compare(
    first: Path, second: Path, files: tuple[str, ...], allow: tuple[str, ...], skip: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Compare two saved models on new files.

    FIRST and SECOND are state folders, which are not changed. Each file is predicted by copies of
    both models before either learns it. The differences in accuracy, AUC and log loss have 95 %
    intervals by a paired block bootstrap over files. Files that a model has learned are omitted.

    \b
      driftlearn compare model/ other/ days/2024-03-*.csv
    """  # noqa: D301
    from driftlearn.ops.checkpoint import compare as of
    from driftlearn.ops.checkpoint.paired_scores import comparison_table, verdict

    def note(text: str) -> None:
        echo(text, err=True)

    found = of.compare(first, second, [*files], skip=skip, allow=allow, note=note)
    conclusion = verdict(found, str(first), str(second))
    if as_json:
        names = {"first": str(first), "second": str(second), "verdict": conclusion}
        echo_json({**names, **found})
        return
    echo(f"{found['files']:,} files ({found['rows']:,} rows), predicted before they were learned:")
    echo(comparison_table(found, str(first), str(second)))
    echo(conclusion)
