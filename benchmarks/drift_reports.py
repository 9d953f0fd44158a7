"""Reported drift on streams with seasons: hits, delays, dates, sizes and false alarms.

    python benchmarks/drift_reports.py --streams 100                   run 200 streams
    python benchmarks/drift_reports.py --page docs/drift-reports.rst   write the page

Each stream is a folder of daily CSV files, which ``driftlearn learn`` reads day by day. Weekends
have fewer rows, other values, another share of the target and more errors; a feature has the hour
of the day. In half of the streams, each day also differs at random from other days. A third of the
streams has a time column, a third has dates only in file names, a third has neither. The number of
rows of a day is random.
"""

import argparse
import json
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import norm

from driftlearn.inspection import inspect
from driftlearn.io import atomic_write
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.utils import rst

DAYS, ROWS, WEEKEND_ROWS = 70, (307, 541), (150, 260)
FIRST, LAST = 35, 55  # first and last possible day of a drift
WATCHED = 14  # days after a drift in which it may be reported
WEEKEND_NOISE = 0.07  # additional share of wrong labels
KINDS = {
    "feature": "the mean of a feature shifts by 0.8 standard deviations",
    "target": "the share of a class changes from 38 to 65 %",
    "rule": "the effect of the most important feature is reversed",
    "error": "8 % of the labels are wrong, then 22 %",
}
INPUTS = ("time column", "dates in file names", "numbered files")
SHIFT, OLD_SHARE, NEW_SHARE, OLD_NOISE, NEW_NOISE = 0.8, 0.38, 0.65, 0.08, 0.22
HEAD = (
    "kind", "streams", "reported", "median delay in files", "longest delay", "dated to the file",
    "dated within a file", "true size in the interval", "other report before the drift",
)  # fmt: skip


def day_of(rng, day, kind, is_later, by_day=0.0):
    """Return hours, columns and labels of a day; `by_day` is the size of its random differences."""
    is_weekend = day % 7 > 4
    n = int(rng.integers(*(WEEKEND_ROWS if is_weekend else ROWS)))
    hours = np.sort(rng.integers(0, 24, n))
    apart = by_day * rng.normal(0, 1, 3)
    share = (
        (NEW_SHARE if kind == "target" and is_later else OLD_SHARE)
        + 0.08 * is_weekend
        + 0.03 * apart[0]
    )
    y = rng.random(n) < share
    sign = np.where(y, 1.0, -1.0)
    mean = -0.9 if kind == "rule" and is_later else 0.9
    shift = SHIFT if kind == "feature" and is_later else 0.0
    columns = {
        "price": rng.normal(0.4 * is_weekend + shift + 0.15 * apart[1], 1, n),
        "age": rng.normal(mean * sign, 1, n),
        "size": rng.normal(0.6 * sign, 1, n),
        "load": rng.normal(np.sin(hours / 24 * 2 * np.pi), 1, n),
    }  # fmt: skip
    noise = (NEW_NOISE if kind == "error" and is_later else OLD_NOISE) + WEEKEND_NOISE * is_weekend
    noise += 0.02 * apart[2]
    label = y ^ (rng.random(n) < noise)
    return hours, columns, label


def write_day(path, date, hours, columns, label, has_times):
    names = [*(["when"] if has_times else []), *columns, "label"]
    lines = [",".join(names)]
    for i in range(len(label)):
        values = [f"{date}T{hours[i]:02d}:00"] if has_times else []
        values += [f"{each[i]:.4f}" for each in columns.values()]
        lines.append(",".join([*values, "yes" if label[i] else "no"]))
    path.write_text("\n".join(lines) + "\n")


def reports(state):
    """Return the reported changes as (what, file, low, high)."""
    found = inspect(state)
    rises = [row for row in found.table("changes") if row["since"] > row["before"]]
    what = [(f"error {row['cause']}", row["file"], row["low"], row["high"]) for row in rises]
    what += [("target", row["file"], row["low"], row["high"]) for row in found.table("target")]
    return what + [
        (row["feature"], row["file"], row["low"], row["high"])
        for row in found.table("features")
        if row["since"] is not None and row["feature"] != "when"
    ]


def is_hit(kind, report):
    """Return whether a report names the drift."""
    what = report[0]
    if kind == "feature":
        return what == "price"
    return what == "target" if kind == "target" else what.startswith("error")


def true_size(kind):
    """Return the size of a drift in terms of its report, or None if it depends on the model."""
    if kind == "feature":
        return 2 * norm.cdf(SHIFT / 2) - 1
    if kind != "target":
        return None
    # labels of which some are wrong, more of them among the rows of weekends
    weekends = 2 * sum(WEEKEND_ROWS) / (2 * sum(WEEKEND_ROWS) + 5 * sum(ROWS))
    return (NEW_SHARE - OLD_SHARE) * (1 - 2 * (OLD_NOISE + WEEKEND_NOISE * weekends))


def run(task, learner):
    """Return what was reported of a stream."""
    kind, k = task
    rng = np.random.default_rng([k, [*KINDS, "none"].index(kind)])
    change = int(rng.integers(FIRST, LAST + 1)) if kind != "none" else DAYS
    how = INPUTS[k % 3]
    with tempfile.TemporaryDirectory() as folder:
        files, state = [], Path(folder, "model")
        for day in range(DAYS):
            date = np.datetime64("2024-01-01") + day
            name = f"{day:03d}.csv" if how == INPUTS[2] else f"{date}.csv"
            files.append(Path(folder, name))
            by_day = float(k // 2 % 2)
            rows = day_of(rng, day, kind, day >= change, by_day)
            write_day(files[-1], date, *rows, how == INPUTS[0])
        given = {"target": "label", "learner": learner}
        given |= {"time": "when", "kinds": {"when": "drop"}} if how == INPUTS[0] else {}
        names, delay = [*map(str, files)], None
        if kind != "none":
            early = reports(LearnRun(state, names[:change], given).run())
            end = change
            while delay is None and end < min(change + WATCHED, DAYS):
                end += 1
                found = reports(LearnRun(state, names[:end], {}).run())
                known = {files[each].name for each in range(change - 1, end)}
                if any(is_hit(kind, each) and each[1] in known for each in found):
                    delay = end - change
        else:
            early = []
        found = reports(LearnRun(state, names, given if kind == "none" else {}).run())
        order = {path.name: day for day, path in enumerate(files)}
        shown = [(what, order[file] - change, low, high) for what, file, low, high in found]
        return {"kind": kind, "stream": k, "how": how, "delay": delay, "reports": shown,
                "early": [what for what, *_ in early]}  # fmt: skip


def summary(results):
    """Return the table of drifts and the one of false alarms, with their headings."""
    drifts = [HEAD]
    for kind in KINDS:
        some = [each for each in results if each["kind"] == kind]
        if not some:
            continue
        own = [[r for r in each["reports"] if is_hit(kind, r)] for each in some]
        nearest = [min((abs(r[1]) for r in reports), default=None) for reports in own]
        delays = [each["delay"] for each in some if each["delay"] is not None]
        size = true_size(kind)
        sizes = [min(reports, key=lambda r: abs(r[1])) for reports in own if reports]
        inside = [low <= size <= high or -high <= size <= -low for *_, low, high in sizes
                  if size is not None]  # fmt: skip
        drifts.append([
            f"{kind}: {KINDS[kind]}", len(some), len(delays),
            float(np.median(delays)) if delays else "",
            max(delays, default=""), sum(d == 0 for d in nearest),
            sum(d is not None and d <= 1 for d in nearest),
            f"{sum(inside)} of {len(inside)}" if inside else "",
            sum(bool(each["early"]) for each in some),
        ])  # fmt: skip
    alarms = [("input", "streams", "with a false alarm", "false alarms")]
    for how in INPUTS:
        some = [each for each in results if each["kind"] == "none" and each["how"] == how]
        names = sorted(what for each in some for what, *_ in each["reports"])
        wrong = sum(bool(each["reports"]) for each in some)
        alarms.append([how, len(some), wrong, ", ".join(names) or "none"])
    return drifts, alarms


def page(results, n, first, learner):
    """Return the page."""
    drifts, alarms = ([[*map(str, row)] for row in table] for table in summary(results))
    rule = sum(each["kind"] == "rule" and any(r[0] == "error rule" for r in each["reports"])
               for each in results)  # fmt: skip
    of = sum(each["kind"] == "rule" for each in results)
    title = "How reliable drift reports are"
    return "\n".join([
        title, "=" * len(title), "",
        f"``driftlearn inspect`` on daily files of {DAYS} days, with the learner ``{learner}``: "
        "weekends have fewer rows, other values, another share of the target and more errors, and "
        "a feature follows the hour of the day. In half of the streams, days also differ from each "
        "other at random: a feature by 0.15 standard deviations, the target by 3 points and the "
        "share of wrong labels by 2 points. :doc:`inspecting` describes the tests.", "",
        "This page is generated by the following commands:", "",
        ".. code-block:: bash", "",
        f"    python benchmarks/drift_reports.py --streams {n} --first {first}",
        "    python benchmarks/drift_reports.py --page docs/drift-reports.rst", "",
        f"There are {n} streams with and {n} without drift. The rules were chosen on streams 0 to "
        "99, which are not used here.", "",
        *rst.section("Drifts"),
        "A drift is reported when the table of its kind has a change that begins at most a file "
        "before it. The delay counts files, that of the drift included. Dates and sizes are those "
        "of the end of the stream.", "", *rst.listed(drifts),
        f"The reversed rule was reported as a change of the rule in {rule} of {of} streams.", "",
        *rst.section("False alarms"),
        "Streams without drift, over all features, the target and rises of the error.", "",
        *rst.listed(alarms),
    ])  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", type=int, default=8, help="streams with and without drift")
    parser.add_argument("--first", type=int, default=0, help="number of the first stream, a seed")
    parser.add_argument("--learner", default="naive-bayes")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(".bench/drift-reports.jsonl"))
    parser.add_argument("--page", type=Path, help="write the page without running anything")
    args = parser.parse_args()
    if args.page is not None:
        first, *lines = map(json.loads, args.out.read_text().splitlines())
        atomic_write(args.page, page(lines, **first).encode())
        return
    numbers = range(args.first, args.first + args.streams)
    tasks = [([*KINDS][k % len(KINDS)], k) for k in numbers]
    tasks += [("none", k) for k in numbers]
    results = []
    with ProcessPoolExecutor(args.jobs) as pool:
        for each in pool.map(partial(run, learner=args.learner), tasks):
            results.append(each)
            print(json.dumps(each), flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"n": args.streams, "first": args.first, "learner": args.learner}, *results]
    args.out.write_text("".join(json.dumps(each) + "\n" for each in lines))
    for table in summary(results):
        print("\n".join(" | ".join(map(str, row)) for row in table))


if __name__ == "__main__":
    main()
