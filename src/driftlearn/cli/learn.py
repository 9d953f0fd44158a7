"""The command ``driftlearn learn``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftlearn.cli.command import FOLDER, LongCommand, look_for, say, use_working_folder
from driftlearn.cli.names import Named

if TYPE_CHECKING:
    from driftlearn.ops.checkpoint.learn_run import LearnRun
    from driftlearn.ops.checkpoint.saved_model import SavedModel

STATE = click.option("--state", type=FOLDER, required=True, metavar="FOLDER",
                     help="The state folder: where the model is kept.")  # fmt: skip


class ChunkSize(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A number of rows, or the word ``file``."""

    name = "chunk"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | str:
        """Return what a text says."""
        text = str(value).replace("_", "")
        if text == "file" or (text.isascii() and text.isdigit() and int(text) > 0):
            return text if text == "file" else int(text)
        return self.fail(f"{value!r} is neither a number of rows, as 1000, nor the word file")


class ColumnKind(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A column and what it holds, as ``zip=category``."""

    name = "kind"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        """Return column and kind."""
        if isinstance(value, tuple):
            return value
        column, sign, kind = str(value).rpartition("=")
        if not sign or not column:
            self.fail(f"{value!r} is no COLUMN=KIND, as zip=category")
        return column, kind


@click.command(cls=LongCommand)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILES...")
@click.option("--target", metavar="COLUMN", help="The column of labels.")
@STATE
@click.option("--learner", "-l", type=Named("learner"), metavar="NAME[:OPTION=VALUE,...]",
              help="The learner.  [auto]")  # fmt: skip
@click.option("--chunk", type=ChunkSize(), metavar="ROWS|file", help="Predict, then learn, so many "
              "rows at a time, or a file; by default rows one by one.")  # fmt: skip
@click.option("--every", metavar="SPAN", help="Predict, then learn, a span of time at a time: 1h, "
              "6h, 1d, 1w, 1mo; needs --time.")  # fmt: skip
@click.option("--time", metavar="COLUMN", help="The column of times.")
@click.option("--delay", type=click.IntRange(min=0), help="Rows until a label is known.")
@click.option(
    "--labels", type=click.Path(), metavar="FILE", help="A file of labels, joined by --by."
)
@click.option("--by", metavar="KEY", help="The column that rows and their labels share.")
@click.option("--wait", type=click.IntRange(min=1), help="Rows that may wait for their labels; the "
              "oldest are given up.  [100000]")  # fmt: skip
@click.option("--key", metavar="COLUMN", help="The column of keys: a model for each of them.")
@click.option("--on", metavar="WHERE", help="With --key: where keys learn.  [local]")
@click.option("--idle", metavar="SPAN|ROWS", help="With --key: forget keys without a row for so "
              "long, 12h, 30d, 8w (needs --time), or for so many rows of the stream.")  # fmt: skip
@click.option("--memory", metavar="BYTES", help="With --key: what models in memory may take, as "
              "500MB.  [1GB]")  # fmt: skip
@click.option("--follow", "-f", is_flag=True, help="Wait for more rows and files; Ctrl-C ends it.")
@click.option("--out", type=click.Path(), metavar="WHERE", help="Where to write what is predicted "
              "of each row: a .csv file, redis://HOST/STREAM, kafka://HOST/TOPIC.")  # fmt: skip
@click.option("--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
              help="At a broken line or message.")  # fmt: skip
@click.option("--forget", multiple=True, type=click.Path(), metavar="FILE", help="Read this file "
              "as if it were new; may be repeated.")  # fmt: skip
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out; may be "
              "repeated.")  # fmt: skip
@click.option("--kind", "kinds", multiple=True, type=ColumnKind(), metavar="COLUMN=KIND",
              help="What a column holds: number, boolean, category, date; may be "
              "repeated.")  # fmt: skip
@click.option("--sep", metavar="SIGN", help="What separates fields; by default the first line "
              "tells.")  # fmt: skip
@click.option("--encoding", metavar="NAME", help="Of CSV files.  [utf-8]")
@click.option("--na", multiple=True, metavar="TEXT", help="What stands for a missing value, "
              "besides nothing, NA and the like; may be repeated.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def learn(
    files: tuple[str, ...],
    state: Path,
    labels: str | None,
    follow: bool,
    out: str | None,
    on_error: str,
    forget: tuple[str, ...],
    drop: tuple[str, ...],
    kinds: tuple[tuple[str, str], ...],
    na: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    on: str | None,
    memory: str | None,
    **given: Any,
) -> None:
    """Keep a model up to date with files of your own.

    FILES are CSV (also .gz) and Parquet files, folders and globs of them, - for standard input, or
    streams and topics of servers: redis://HOST:6379/STREAM, kafka://HOST:9092/TOPIC,
    nats://HOST:4222/STREAM. Each row is predicted before it is learned. The same command tomorrow
    takes only what is new:

    \b
      driftlearn learn days/ --target label --state model/
      driftlearn learn days/ --state model/

    What must not change (target, learner, chunks) is remembered in the state folder.

    With --key there is a model for each key (device, shop, patient) instead of one:

    \b
      driftlearn learn days/ --target label --key device --state models/
    """  # noqa: D301
    from driftlearn.cli.keyed import is_keyed, learn_keyed
    from driftlearn.ops.checkpoint.learn_run import LearnRun
    from driftlearn.ops.checkpoint.progress import make_progress
    from driftlearn.ops.checkpoint.saved_model import MODEL
    from driftlearn.ops.sources.server import is_server

    use_working_folder()
    look_for(state / MODEL)
    stated = {**dict(kinds), **dict.fromkeys(drop, "drop")}
    settings = {**given, "kinds": stated or None, "missing": [*na] or None}
    how: dict[str, Any] = {"forget": forget, "skip": on_error == "skip", "follow": follow,
                           "progress": make_progress(quiet)}  # fmt: skip
    for_keys = {"on": on, "memory": memory}
    if given["key"] is not None or is_keyed(state):
        settings["labels"] = labels
        learn_keyed(state, [*files], settings, {**for_keys, "out": out}, how, as_json)
        return
    for name, value in {**for_keys, "idle": settings.pop("idle")}.items():
        if value is not None:
            raise ValueError(
                f"--{name} is for a model for each key: name the column of keys, as --key device"
            )
    del settings["key"]
    look_for(None if out is None or is_server(out) else Path(out))
    keeper = LearnRun(state, [*files], settings, labels=labels, out=out, **how)
    kept = keeper.run()
    if as_json:
        say(json.dumps(summary(keeper, kept), indent=1))
    else:
        tell(keeper, kept)


def summary(keeper: LearnRun, kept: SavedModel) -> dict[str, Any]:
    """Return what a run came to, as JSON knows values."""
    return {
        "state": str(keeper.folder),
        "new rows": kept.record.n_rows - keeper.before,
        "rows": kept.record.n_rows,
        "accuracy": kept.record.accuracy(),
        "classes": sorted(kept.record.classes),
        "files": len(kept.position["files"]),
        "waiting": len(kept.waiting),
        "counts": kept.counts,
    }


def tell(keeper: LearnRun, kept: SavedModel) -> None:
    """Print what a run came to."""
    from driftlearn.utils.table import Table

    found = kept.record.accuracy()
    new = kept.record.n_rows - keeper.before
    say(f"{keeper.folder}: {new:,} new rows learned, {kept.record.n_rows:,} in all")
    if found["model"] is not None:
        names = {"model": kept.settings["learner"], "no change": "no-change"}
        learners = [names.get(name, name) for name in found]
        say(Table({"learner": learners, "accuracy": [*found.values()]}).text())
    elif kept.record.n_rows and isinstance(kept.settings["chunk"], int):
        say(f"no row was tested, since the rows so far are one chunk, which is learned first: a "
            f"chunk is {kept.settings['chunk']:,} rows (--chunk), and there are "
            f"{kept.record.n_rows:,}", err=True)  # fmt: skip
    sentences = {
        "unlabelled": "rows had no label and were not learned",
        "broken": "broken lines were passed over",
        "late": "rows came after the end of their span, and count for the one under way",
        "given up": "rows were given up, since their labels did not come (--wait)",
    }
    if not kept.record.n_rows:
        sentences["unlabelled"] = (
            f"rows have no label in column {kept.settings['target']!r}, and no other row was "
            "learned: is it the column of labels (--target)?"
        )
    for key, sentence in sentences.items():
        if kept.counts[key]:
            say(f"{kept.counts[key]:,} {sentence}", err=True)
    if len(kept.waiting):
        later = kept.settings["by"] or kept.settings["delay"]
        what = "for their labels" if later else "to be a chunk, of driftlearn serve"
        say(f"{len(kept.waiting):,} rows wait {what}", err=True)
