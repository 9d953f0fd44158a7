"""The command ``driftlearn backtest``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import LongCommand, check_outputs, echo, echo_json
from driftlearn.cli.learn import METRICS, shown


@click.command(cls=LongCommand)
@opt.INPUTS
@click.option("--target", metavar="COLUMN", required=True, help="Label column.")
@click.option("--learner", "-l", type=opt.LEARNER, metavar=opt.SPEC, help="Learner that is updated "
              "with each file.  [auto]")  # fmt: skip
@click.option("--against", metavar=opt.SPEC, help="Classifier that is retrained every 7 files on "
              "the last 56, and trained in the first four weeks only: lightgbm or any scikit-learn "
              "classifier.  [lightgbm if installed, otherwise HistGradientBoosting]")  # fmt: skip
@opt.TIME
@opt.DELAY
@opt.LABELS
@opt.LABEL_TIME
@opt.BY
@opt.DROP
@opt.KIND
@opt.SEP
@opt.ENCODING
@opt.NA
@opt.ON_ERROR
@click.option("--state", type=opt.FOLDER, metavar="FOLDER", help="Folder of the models; by default "
              "in the user's data folder.")  # fmt: skip
@opt.REPORT
@opt.ALLOW
@opt.JSON
@opt.QUIET
def backtest(
    files: tuple[str, ...],
    against: str | None,
    state: Path | None,
    report: Path | None,
    allow: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Compare models on files of the past, and recommend one.

    Each file is predicted as a whole before any of its labels is known: by the learner, by another
    classifier that is retrained every 7 files, by the same classifier trained on the first weeks
    only (once), and by the class frequencies of the last 28 files. With --delay, --labels and
    --label-time, labels are as late as they were. Repeat the command to continue after an
    interruption, or with new files.

    \b
      driftlearn backtest days/ --target late --delay 7 --report backtest.html
    """  # noqa: D301
    from driftlearn.ops.checkpoint import backtest as of
    from driftlearn.ops.checkpoint.progress import make_progress
    from driftlearn.ops.checkpoint.saved_model import MODEL

    check_outputs(report, None if state is None else state / MODEL)
    given["kinds"] = {**dict(given["kinds"]), **dict.fromkeys(given.pop("drop"), "drop")} or None
    given["missing"] = [*given.pop("na")] or None

    def note(text: str) -> None:
        if not quiet:
            echo(text, err=True)

    found = of.backtest(
        files, given, against=against, folder=state, labels=given.pop("labels"),
        skip=given.pop("skip"), allow=allow, note=note, progress=lambda: make_progress(quiet),
    )  # fmt: skip
    for each in found["schema"]["changes"]:
        note(f"note: {each['text']}")
    if report is not None:
        from driftlearn.bench.report._backtest import backtest_page

        report.write_text(backtest_page(found), encoding="utf-8")
        note(f"page: {report}")
    if as_json:
        echo_json(found)
    else:
        print_backtest(found)


def print_backtest(found: dict[str, Any]) -> None:
    """Print the scores of the models and the recommendation."""
    from driftlearn.utils.table import Table

    which = "the last " if found["omitted"] else ""
    echo(f"{which}{found['files']:,} files ({found['rows']:,} rows), each predicted before its "
         "labels were known:")  # fmt: skip
    models = found["models"]
    columns = {title: [shown(each, name) for each in models.values()]
               for title, name in METRICS.items()}  # fmt: skip
    columns["log loss, difference (95 % interval)"] = [
        interval(each.get("versus")) for each in models.values()
    ]
    echo(Table({"": [*models], **columns}).text())
    echo(found["recommendation"])


def interval(versus: dict[str, Any] | None) -> str:
    """Return the difference in log loss from the first model, with its interval, as text."""
    if versus is None:
        return ""
    found = versus["log loss"]
    if found["interval"] is None:
        return f"{found['difference']:+.4f}"
    low, high = found["interval"]
    return f"{found['difference']:+.4f} ({low:+.4f} to {high:+.4f})"
