"""The command ``driftlearn learn``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import LongCommand, check_outputs, echo, echo_json, use_working_folder

if TYPE_CHECKING:
    from driftlearn.ops.checkpoint.learn_run import LearnRun
    from driftlearn.ops.checkpoint.saved_model import SavedModel

#: Options of a single model, and of one model per key.
SINGLE_MODEL = ("every", "delay", "by", "wait", "labels")
KEYED = ("on", "memory", "idle", "key")
#: Description of each number in `SavedModel.counts`.
COUNTS = {
    "unlabelled": "rows had no label and were not learned",
    "broken": "lines could not be parsed and were skipped",
    "late": "rows arrived after the end of their time span and were learned with the next one",
    "given up": "rows were dropped because their labels did not arrive in time (--wait)",
}


@click.command(cls=LongCommand)
@opt.INPUTS
@click.option("--target", metavar="COLUMN", help="Label column. Stored at the first run.")
@opt.STATE
@click.option("--learner", "-l", type=opt.LEARNER, metavar=opt.SPEC, help="Learner.  [auto]")
@click.option("--chunk", type=opt.chunk, metavar="ROWS|file", help="Rows predicted together "
              "before they are learned; by default rows are learned one by one.")  # fmt: skip
@click.option("--every", metavar="SPAN", help="Span of time that forms a chunk, instead of "
              "--chunk: 1h, 6h, 1d, 1w, 1mo; requires --time.")  # fmt: skip
@click.option("--time", metavar="COLUMN", help="Time column.")
@click.option("--delay", type=opt.NOT_NEGATIVE, help="Rows until labels become available.  [0]")
@click.option(
    "--labels", type=click.Path(), metavar="FILE", help="Label file, joined to rows by --by."
)
@click.option("--by", metavar="KEY", help="Key column that joins rows and labels.")
@click.option("--wait", type=opt.POSITIVE, help="Maximum number of rows waiting for labels; the "
              "oldest are dropped.  [100000]")  # fmt: skip
@click.option("--key", metavar="COLUMN", help="Key column; a model is trained for each key.")
@click.option("--on", metavar="WHERE", help="With --key: where to train the models.  [local]")
@click.option("--idle", metavar="SPAN|ROWS", help="With --key: drop keys without a row for a span "
              "of time, 12h, 30d, 8w (requires --time), or a number of rows.")  # fmt: skip
@opt.MEMORY
@opt.flag("--follow", "-f", help="Wait for more rows and files until Ctrl-C.")
@click.option("--out", type=click.Path(), metavar="WHERE", help="Where to write prequential "
              "predictions: a .csv file, redis://HOST/STREAM or kafka://HOST/TOPIC.")  # fmt: skip
@opt.ON_ERROR
@opt.many("--reprocess", type=click.Path(), metavar="FILE", help="Reprocess this file; repeatable.")
@opt.many("--drop", metavar="COLUMN", help="Omit a column; repeatable.")
@opt.many("--kind", "kinds", type=opt.kind, metavar="COLUMN=KIND", help="Kind of a column: "
      "number, boolean, category or date; repeatable.")  # fmt: skip
@click.option("--sep", metavar="CHAR", help="Field separator of CSV files; by default detected in "
              "the first line.")  # fmt: skip
@click.option("--encoding", metavar="NAME", help="Encoding of CSV files.  [utf-8]")
@opt.many("--na", metavar="TEXT", help="Additional spelling of a missing value; repeatable.")
@opt.JSON
@opt.QUIET
def learn(files: tuple[str, ...], state: Path, as_json: bool, quiet: bool, **given: Any) -> None:
    """Train a model on files and keep it up to date.

    Each row is predicted before it is learned, so the reported accuracy is what you would have
    had. Run the same command again to learn new rows and files only:

    \b
      driftlearn learn days/ --target label --state model/
      driftlearn learn days/ --state model/

    FILES are CSV (also .gz) and Parquet files, folders, globs, - for standard input, or streams and
    topics: redis://HOST:6379/STREAM, kafka://HOST:9092/TOPIC, nats://HOST:4222/STREAM. The state
    folder stores the settings that must not change, such as target, learner and chunk.

    With --key, a model is trained for each key (device, shop, patient) instead of a single one:

    \b
      driftlearn learn days/ --target label --key device --state models/
    """  # noqa: D301
    from driftlearn.ops.checkpoint.learn_run import LearnRun
    from driftlearn.ops.checkpoint.progress import make_progress
    from driftlearn.ops.checkpoint.saved_model import MODEL, is_keyed
    from driftlearn.ops.sources.source import is_server

    use_working_folder()
    check_outputs(state / MODEL)
    dropped = dict.fromkeys(given.pop("drop"), "drop")
    given["kinds"] = {**dict(given["kinds"]), **dropped} or None
    given["missing"] = [*given.pop("na")] or None
    how = {name: given.pop(name) for name in ("reprocess", "skip", "follow", "out")}
    how["progress"] = make_progress(quiet)
    if given["key"] is not None or is_keyed(state):
        return learn_keyed(state, [*files], given, how, as_json)
    for name in KEYED:
        if given.pop(name) is not None:
            raise ValueError(f"--{name} requires one model per key: add --key COLUMN.")
    out = how["out"]
    check_outputs(None if out is None or is_server(out) else Path(out))
    run = LearnRun(state, [*files], given, labels=given.pop("labels"), **how)
    saved = run.run()
    n, accuracy = saved.record.n_rows, saved.record.accuracy()
    if not as_json:
        return print_summary(run, saved, accuracy)
    echo_json({
        "state": str(state), "new rows": n - run.before, "rows": n, "accuracy": accuracy,
        "classes": sorted(saved.record.classes), "files": len(saved.position["files"]),
        "waiting": len(saved.waiting), "counts": saved.counts,
    })  # fmt: skip


def learn_keyed(
    state: Path, files: list[str], settings: dict[str, Any], how: dict[str, Any], as_json: bool
) -> None:
    """Train keyed models and print the result."""
    from driftlearn.ops.keyed.settings import Request, parse_bytes, run

    for name in SINGLE_MODEL:
        if settings.pop(name) is not None:
            raise ValueError(f"--{name} cannot be combined with --key.")
    if settings["chunk"] == "file":
        raise ValueError("--chunk file cannot be combined with --key. Use a number of rows.")
    for name, parse in (("on", str), ("memory", parse_bytes)):
        if (value := settings.pop(name)) is not None:
            how[name] = parse(value)
    if how["out"] is not None:
        is_file = how.get("on", "local") == "local"  # otherwise a folder with one file per worker
        check_outputs(Path(how["out"]) if is_file else Path(how["out"], "part"))
    models = run(Request(state, files, settings, **how))
    accuracy, counts = models.record.accuracy()["predictions"], models.counts
    if as_json:
        read = sum("digest" in at for at in models.store.positions().values())
        echo_json({"state": str(state), "keys": len(models), "accuracy": accuracy,
                   "counts": counts, "files": read})  # fmt: skip
        return
    echo(f"{state}: {counts['learned']:,} rows of {len(models):,} keys learned in total")
    if accuracy is not None:
        echo(f"accuracy: {accuracy:.4f}")
    if counts["quarantined"]:
        last = models.store.quarantined()[-1]
        where = f"{last.file}, row {last.row}: " if last.row is not None else ""
        what = f"{counts['quarantined']:,} malformed rows were quarantined"
        echo(f"{what}, most recently {where}{last.reason}", err=True)
    if counts["expired"]:
        echo(f"{counts['expired']:,} idle keys were dropped", err=True)


def print_summary(run: LearnRun, saved: SavedModel, accuracy: dict[str, float | None]) -> None:
    """Print the result of a run."""
    from driftlearn.utils.table import Table

    settings, n = saved.settings, saved.record.n_rows
    echo(f"{run.folder}: {n - run.before:,} new rows learned, {n:,} in total")
    if accuracy["model"] is not None:
        names = {"model": settings["learner"], "no change": "no-change"}
        learners = [names.get(name, name) for name in accuracy]
        echo(Table({"learner": learners, "accuracy": [*accuracy.values()]}).text())
    elif n and isinstance(settings["chunk"], int):
        echo(
            "no row was tested: the first chunk is used for training only, and there are only "
            f"{n:,} rows (--chunk {settings['chunk']})",
            err=True,
        )
    for name, text in COUNTS.items():
        if name == "unlabelled" and not n:
            text = (
                f"rows have no label in column {settings['target']!r}, and no rows with labels "
                "were found. Is it the label column (--target)?")  # fmt: skip
        if saved.counts[name]:
            echo(f"{saved.counts[name]:,} {text}", err=True)
    if len(saved.waiting):
        is_late = settings["by"] or settings["delay"]
        what = "their labels" if is_late else "their chunk to be complete (driftlearn serve)"
        echo(f"{len(saved.waiting):,} rows are waiting for {what}", err=True)
