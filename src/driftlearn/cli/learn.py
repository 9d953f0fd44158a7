"""The command ``driftlearn learn``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import (
    LongCommand,
    announce,
    check_outputs,
    echo,
    echo_json,
    schema_reported,
    use_working_folder,
)

if TYPE_CHECKING:
    from driftlearn.ops.alerts.alarm import Alarm, Status
    from driftlearn.ops.checkpoint.learn_run import LearnRun
    from driftlearn.ops.checkpoint.saved_model import SavedModel

#: Options of a single model, and of one model per key.
SINGLE_MODEL = (
    "every",
    "delay",
    "by",
    "wait",
    "labels",
    "label_time",
    "challenger",
)
KEYED = ("on", "memory", "idle", "key")
#: What to do instead of an option of a single model.
HINTS = {
    "challenger": " Train the other --learner in a different --state folder on the same files: "
    "'driftlearn learn' prints the accuracy of both."
}
#: Description of each number in `SavedModel.counts`.
COUNTS = {
    "unlabelled": "rows had no label and were not learned",
    "broken": "lines could not be parsed and were skipped",
    "late": "rows arrived after the end of their time span and were learned with the next one",
    "given up": "rows were dropped because their labels did not arrive in time (--wait)",
    "corrected": "labels were corrected after their rows had been learned, and were not used",
    "held back": "rows were not learned, because their labels are new and rare (--new-label-rows)",
}
#: Names of the lines of `KeyedModels.comparison`.
KEYED_NAMES = {"model": "models per key", "own": "own model of each key",
               "global": "one global model", "no change": "no-change"}  # fmt: skip
METRICS = {"accuracy": "accuracy", "AUC": "auc", "log loss": "log loss"}


@click.command(cls=LongCommand)
@opt.INPUTS
@click.option("--target", metavar="COLUMN", help="Label column. Stored at the first run.")
@opt.STATE
@click.option("--learner", "-l", type=opt.LEARNER, metavar=opt.SPEC, help="Learner.  [auto]")
@click.option("--challenger", metavar=opt.SPEC, help="Learner that is trained on the same files in "
              "the background and compared ('driftlearn promote'); 'none' drops it.")  # fmt: skip
@click.option("--weekly", metavar=opt.SPEC, help="For comparison, instead of --learner: "
              "lightgbm or any scikit-learn classifier, e.g. sklearn.ensemble:"
              "RandomForestClassifier, retrained every 7 files on the last 56.")  # fmt: skip
@click.option("--chunk", type=opt.chunk, metavar="ROWS|file", help="Rows predicted together, "
              "before any of their labels is known; 1 if each label is known before the next row.  "
              "[file; 1 for streams and standard input]")  # fmt: skip
@click.option("--every", metavar="SPAN", help="Span of time that forms a chunk, instead of "
              "--chunk: 1h, 6h, 1d, 1w, 1mo; requires --time.")  # fmt: skip
@opt.TIME
@opt.DELAY
@opt.LABELS
@opt.LABEL_TIME
@opt.BY
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
@opt.flag("--again", help="Learn files whose content was learned under another name or path, too.")
@opt.DROP
@opt.KIND
@opt.SEP
@opt.ENCODING
@opt.NA
@opt.SCHEMA
@click.option("--new-label-rows", type=opt.POSITIVE, help="Rows after which a new label is "
              "learned, if chunks are files or with --key; until then its rows are held back.  "
              "[5]")  # fmt: skip
@opt.flag("--dry-run", help="Do everything in a temporary copy of the state folder, and save "
          "nothing.")  # fmt: skip
@opt.ALLOW
@opt.JSON
@opt.LOG_LINE
@opt.flag("--quiet", "-q", help="Print nothing but warnings.")
def learn(
    files: tuple[str, ...],
    state: Path,
    as_json: bool,
    quiet: bool,
    dry_run: bool,
    log_line: bool,
    allow: tuple[str, ...],
    **given: Any,
) -> None:
    """Train a model on files and keep it up to date.

    Each file is predicted before it is learned, so the printed figures are what you would have had.
    Run the same command again to learn new files and rows only:

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
    use_working_folder()
    printed = {"as_json": as_json, "quiet": quiet, "log_line": log_line}
    if not quiet:
        announce(f"Starting to train the model in {state} ...")
    if not dry_run:
        return learn_files(state, state, [*files], allow, given, printed)
    from driftlearn.ops.sources.source import is_server, without_password

    for name in ("out", "follow"):
        if given[name]:
            raise ValueError(f"--{name} cannot be combined with --dry-run.")
    for each in files:
        if is_server(each):
            what = (
                "--dry-run requires files, because reading from a server changes its read position."
            )
            raise ValueError(f"{without_password(each)}: {what}")
    with TemporaryDirectory() as here:
        folder = Path(here, "state")
        if state.exists():
            copytree(state, folder, ignore=ignore_patterns("*.lock"))
        try:
            learn_files(folder, state, [*files], allow, given, printed)
        except ValueError as problem:
            problem.args = (str(problem).replace(str(folder), str(state)),)
            raise
        finally:
            echo("dry run: nothing was saved", err=True)


def learn_files(
    folder: Path,
    state: Path,
    files: list[str],
    allow: tuple[str, ...],
    given: dict[str, Any],
    printed: dict[str, bool],
) -> None:
    """Train a model in a folder and print the result, with `state` as the name of the folder."""
    from driftlearn.ops.alerts.alarm import Alarm, Status, saved_status
    from driftlearn.ops.checkpoint.learn_run import LearnRun
    from driftlearn.ops.checkpoint.progress import make_progress
    from driftlearn.ops.checkpoint.saved_model import MODEL, is_keyed
    from driftlearn.ops.checkpoint.training import LIGHTGBM, weekly_learner
    from driftlearn.ops.sources.source import is_server

    check_outputs(folder / MODEL)
    if (weekly := given.pop("weekly")) is not None:
        if given["learner"] is not None:
            raise ValueError("--weekly and --learner cannot be combined. Use one of them.")
        given["learner"] = weekly_learner(weekly)
        allow += (LIGHTGBM,) if weekly.startswith(LIGHTGBM) else ()
    dropped = dict.fromkeys(given.pop("drop"), "drop")
    given["kinds"] = {**dict(given["kinds"]), **dropped} or None
    given["missing"] = [*given.pop("na")] or None
    how = {name: given.pop(name) for name in ("reprocess", "again", "skip", "follow", "out")}
    how["progress"] = make_progress(printed["quiet"])
    # a dry run in a copy of the state folder raises no alerts
    alarm = Alarm(folder, partial(echo, err=True)) if folder == state else None
    if given["key"] is not None or is_keyed(folder):
        if weekly is not None:
            raise ValueError("--weekly cannot be combined with --key.")
        return learn_keyed(folder, state, files, given, how, alarm, **printed)
    for name in KEYED:
        if given.pop(name) is not None:
            raise ValueError(f"--{name} requires one model per key: add --key COLUMN.")
    out = how["out"]
    check_outputs(None if out is None or is_server(out) else Path(out))
    run = LearnRun(folder, files, given, labels=given.pop("labels"),
                   challenger=given.pop("challenger"), allow=allow, **how)  # fmt: skip
    with schema_reported(run.schema, printed["as_json"], printed["log_line"], alarm) as line:
        with clock_of(alarm, saved_status(folder, allow), how["follow"]):
            saved = run.run()
        found = summary(run, saved, state)
        if alarm is not None:
            alarm.check(Status.of(saved), is_run=True)
            found |= alerts_in(alarm, found["exit code"])
        line.update({name: found[name] for name in ("new rows", "rows", "files", "warnings")})
        line["accuracy"] = found["accuracy"]["model"]
        if printed["as_json"]:
            echo_json(found)
        elif not printed["quiet"]:
            print_summary(found)
        for text in found["warnings"]:
            echo(f"warning: {text}", err=True)


def learn_keyed(
    folder: Path,
    state: Path,
    files: list[str],
    settings: dict[str, Any],
    how: dict[str, Any],
    alarm: Alarm | None,
    *,
    as_json: bool,
    quiet: bool,
    log_line: bool,
) -> None:
    """Train keyed models and print the result; see `learn_files`."""
    from driftlearn.cli.alerts import status_of
    from driftlearn.ops.alerts.alarm import Status
    from driftlearn.ops.keyed.settings import Request, parse_bytes, run
    from driftlearn.utils.table import Table

    for name in SINGLE_MODEL:
        if settings.pop(name) is not None:
            hint = HINTS.get(name, "")
            raise ValueError(f"--{name.replace('_', '-')} cannot be combined with --key.{hint}")
    if settings["chunk"] == "file":
        raise ValueError("--chunk file cannot be combined with --key. Use a number of rows.")
    for name, parse in (("on", str), ("memory", parse_bytes)):
        if (value := settings.pop(name)) is not None:
            how[name] = parse(value)
    if how["out"] is not None:
        is_file = how.get("on", "local") == "local"  # otherwise a folder with one file per worker
        check_outputs(Path(how["out"]) if is_file else Path(how["out"], "part"))
    request = Request(folder, files, settings, **how)
    with schema_reported(request.schema, as_json, log_line, alarm) as line:
        with clock_of(alarm, partial(status_of, folder, ()), how["follow"]):
            models = run(request)
        if alarm is not None:
            alarm.check(Status(models.counts["rows"], models.counts["learned"]), is_run=True)
        accuracy, counts = models.record.accuracy()["predictions"], models.counts
        warnings, compared = [], models.comparison()
        if is_beaten(compared, "global", counts["tested"]):
            warnings.append(
                f"the global model alone is more accurate ({compared['global']:.4f}) than with a "
                f"model per key ({accuracy:.4f}): train a single model without --key"
            )
        if counts["quarantined"]:
            last = models.store.quarantined()[-1]
            where = f"{last.file}, row {last.row}: " if last.row is not None else ""
            what = f"{counts['quarantined']:,} malformed rows were quarantined"
            warnings.append(f"{what}, most recently {where}{last.reason}")
        if counts["expired"]:
            warnings.append(f"{counts['expired']:,} idle keys were dropped")
        line |= {"rows": counts["learned"], "keys": len(models), "accuracy": accuracy,
                 "warnings": warnings}  # fmt: skip
        if as_json:
            read = sum("digest" in at for at in models.store.positions().values())
            echo_json({
                "state": str(state), "keys": len(models), "accuracy": accuracy, "counts": counts,
                "compared": compared, "files": read, "warnings": warnings, "notes": request.notes,
                "schema": request.schema.to_dict(),
                **alerts_in(alarm, request.schema.exit_code),
            })  # fmt: skip
        elif not quiet:
            echo(f"{state}: {counts['learned']:,} rows of {len(models):,} keys learned in total")
            if accuracy is not None:
                echo(Table({
                    "learner": [KEYED_NAMES.get(name, name) for name in compared],
                    "accuracy": [*compared.values()],
                }).text())  # fmt: skip
        for text in warnings:
            echo(f"warning: {text}", err=True)


def is_beaten(accuracy: dict[str, float], name: str, n: int) -> bool:
    """Return whether another model is more accurate by over two standard errors of n rows.

    The standard error is that of independent predictions, so the comparison is cautious.
    """
    if name not in accuracy:
        return False
    variance = sum(accuracy[each] * (1 - accuracy[each]) for each in ("model", name)) / n
    return accuracy[name] - accuracy["model"] > 2 * variance**0.5


def clock_of(
    alarm: Alarm | None, status: Callable[[], Status | None], follow: bool
) -> AbstractContextManager[Any]:
    """Return a context in which alerts are checked and sent while rows are waited for."""
    from driftlearn.ops.alerts.alarm import AlarmClock

    return AlarmClock(alarm, status) if follow and alarm is not None else nullcontext()


def alerts_in(alarm: Alarm | None, exit_code: int) -> dict[str, Any]:
    """Return the alerts and the exit code of a run, as printed by ``--json``."""
    if alarm is None or alarm.rules is None:
        return {"exit code": exit_code}
    return {"alerts": alarm.texts, "exit code": alarm.exit_code or exit_code}


def summary(run: LearnRun, saved: SavedModel, state: Path) -> dict[str, Any]:
    """Return the results of a run, as printed by ``--json``."""
    n, files = saved.record.n_rows, saved.files
    label, _, spec = saved.settings["learner"].partition("=")  # as in mine=dtel:n_estimators=10
    return {
        "state": str(state),
        "learner": label if spec and ":" not in label else saved.settings["learner"],
        "file": files.newest_file(),
        "all files": files.all_files(),
        "challenger": challenge_of(run, saved),
        "warnings": [*files.warnings(), *count_warnings(saved), *filter(None, [run.problem])],
        "new rows": n - run.before,
        "rows": n,
        "accuracy": saved.record.accuracy(),
        "classes": sorted(saved.record.classes),
        "files": len({at.get("digest", path) for path, at in saved.position["files"].items()}),
        "waiting": saved.n_waiting,
        "counts": saved.counts,
        "notes": run.notes,
        "schema": run.schema.to_dict(),
        "exit code": run.schema.exit_code,
    }


def challenge_of(run: LearnRun, saved: SavedModel) -> dict[str, Any] | None:
    """Return the comparison with the challenger; None without one."""
    from driftlearn.ops.checkpoint.paired_scores import verdict
    from driftlearn.ops.checkpoint.versions import compare_files

    if run.challenge is None:
        return None
    spec = run.challenge.settings["learner"]
    found = compare_files(saved.files, run.challenge.files)
    if found is None:
        return {"learner": spec}
    return {"learner": spec, "verdict": verdict(found, "the model", "the challenger"), **found}


def count_warnings(saved: SavedModel) -> list[str]:
    """Return warnings about rows that were not learned or not tested."""
    settings, n, found = saved.settings, saved.record.n_rows, []
    if n and saved.record.accuracy()["model"] is None and settings["chunk"] is not None:
        if settings["chunk"] == "file":
            what = "the first file is used for training only (--chunk 1000 tests parts of a file)"
        else:
            what = "the first chunk is used for training only, and there are only "
            what += f"{n:,} rows (--chunk {settings['chunk']})"
        found.append(f"no row was tested: {what}")
    for name, text in COUNTS.items():
        if name == "unlabelled" and not n:
            text = (
                f"rows have no label in column {settings['target']!r}, and no rows with labels "
                "were found. Is it the label column (--target)?"
            )
        if saved.counts.get(name):
            found.append(f"{saved.counts[name]:,} {text}")
    if saved.n_waiting:
        is_late = settings["by"] or settings["delay"] or settings.get("label_time")
        what = "their labels" if is_late else "their chunk to be complete (driftlearn serve)"
        found.append(f"{saved.n_waiting:,} rows are waiting for {what}")
    return found


def print_summary(found: dict[str, Any]) -> None:
    """Print the result of a run."""
    from driftlearn.utils.table import Table

    file, life, accuracy = found["file"], found["all files"], found["accuracy"]
    if file is not None:
        echo(f"{file['name']}, predicted before it was learned ({file['rows']:,} rows):")
        echo(figures_table(found["learner"], file))
        echo(f"all {life['files']:,} files ({life['rows']:,} rows):")
        echo(figures_table(found["learner"], life))
    if (challenge := found["challenger"]) is not None:
        print_challenge(found["state"], challenge)
    echo(f"{found['state']}: {found['new rows']:,} new rows learned, {found['rows']:,} in total")
    if file is None and accuracy["model"] is not None:
        names = {"model": found["learner"], "no change": "no-change"}
        learners = [names.get(name, name) for name in accuracy]
        echo(Table({"learner": learners, "accuracy": [*accuracy.values()]}).text())


def print_challenge(state: str, found: dict[str, Any]) -> None:
    """Print the comparison with the challenger."""
    from driftlearn.ops.checkpoint.paired_scores import comparison_table, is_better

    if "files" not in found:
        echo(f"challenger {found['learner']}: no file was predicted by both models yet")
        return
    echo(f"challenger {found['learner']}, {found['files']:,} files ({found['rows']:,} rows):")
    echo(comparison_table(found, "model", "challenger"))
    hint = f" ('driftlearn promote --state {state}' replaces the model)" * is_better(found)
    echo(found["verdict"] + hint)


def figures_table(learner: str, scores: dict[str, Any]) -> str:
    """Return the scores of the model and of the baselines as text."""
    from driftlearn.utils.table import Table

    rows = {learner if name == "model" else name: each for name, each in scores.items()
            if isinstance(each, dict)}  # fmt: skip
    columns = {title: [shown(each, name) for each in rows.values()]
               for title, name in METRICS.items()}  # fmt: skip
    return Table({"": [*rows], **columns}).text()


def shown(scores: dict[str, float | None], name: str) -> str:
    """Return a score with four decimals, n/a if it is not defined, "" if it was not computed."""
    value = scores.get(name, "")
    return "n/a" if value is None else f"{value:.4f}" if value != "" else ""
