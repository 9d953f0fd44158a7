"""Benchmark results in `driftlearn list learners` and docs/choosing.rst, from the benchmark suite.

    python benchmarks/learner_card.py 2026-11-16                   the day of the suite's results
    python benchmarks/learner_card.py 2026-11-16 --older dwm,flc   learners whose defaults changed

Reads docs/suite.txt, which ``suite.py --page`` writes, and suite.toml; writes learner_figures.json
of the workbench, from which ``make stubs`` writes docs/which-learner.txt. Accuracies are means over
all streams; a learner that does not support all of them has none. Ranks are among the learners in
the file, row by row, by the main metric of each stream. Rows per second are those of the streams
whose number of rows is in suite.toml, evaluated prequentially in chunks.
"""

import argparse
import json
import re
from pathlib import Path

import numpy as np
from scipy.stats import rankdata
from suite_page import WORDS, metric_of

from driftlearn.io import atomic_write
from driftlearn.specs.toml import read_toml

HERE = Path(__file__).parent
CARD = HERE.parent / "src/driftlearn/bench/workbench/learner_figures.json"
DOCS = HERE.parent / "docs"


def read_suite(text):
    """Return the numbers of the page by protocol, stream, learner and metric."""
    found = {protocol: {} for protocol in WORDS}
    titles = "|".join(map(re.escape, WORDS.values()))
    parts = re.split(rf"^(.+), ({titles})\n\n", text, flags=re.MULTILINE)
    for stream, words, table in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        header, *lines = [re.split(r"\s{2,}", line.strip()) for line in table.strip().splitlines()]
        protocol = next(each for each in WORDS if WORDS[each] == words)
        found[protocol][stream] = {
            name: dict(zip(header[1:], map(float, numbers), strict=True))
            for name, *numbers in lines
        }
    return found


def labels(suite, streams):
    """Return the suite's name of each learner with default settings, by our name.

    Variants with settings for tables come first, if there are results for them.
    """
    plain = re.compile(r"([\w+.-]+)(:chunk_size=\d+)?")
    places = [suite.get("chunk_learners", {}), suite["learners"], suite["baselines"]]
    found = {}
    for label, spec in (pair for place in places for pair in place.items()):
        fit = plain.fullmatch(spec)
        if fit and any(label in learners for learners in streams.values()):
            found.setdefault(fit[1], label)
    return found


def n_rows(suite):
    """Return the number of rows of the streams that define it."""
    specs = {**suite["tuning"]["streams"], **suite["generated"]}
    found = {name: re.findall(r"n_rows=(\d+)", spec) for name, spec in specs.items()}
    return {name: int(rows[0]) for name, rows in found.items() if len(rows) == 1}


def figures(suite, found, older=()):
    """Return the results of each learner, by our name."""
    there, lengths = {key: labels(suite, found[key]) for key in found}, n_rows(suite)
    everywhere = [
        name
        for name in there["rows"]
        if all(there[key].get(name) in each for key in found for each in found[key].values())
    ]
    ranks = [
        rankdata([-each[there["rows"][name]][metric_of(suite, stream)] for name in everywhere])
        for stream, each in found["rows"].items()
    ]
    means = dict(zip(everywhere, np.mean(ranks, axis=0), strict=True))
    card = {}
    for name, label in there["chunks"].items():
        timed = [stream for stream in lengths if label in found["chunks"].get(stream, ())]
        seconds = sum(found["chunks"][stream][label]["seconds"] for stream in timed)
        card[name] = {"speed": float(f"{sum(map(lengths.get, timed)) / seconds / 1_000:.2g}")}
        if name in means:
            for key, streams in found.items():
                right = np.mean([each[there[key][name]]["accuracy"] for each in streams.values()])
                card[name][key] = round(100 * float(right), 1)
            card[name]["rank"] = round(float(means[name]), 1)
        if name in older:
            card[name]["older"] = True
    return card


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("date", help="day on which the suite's results were computed")
    parser.add_argument(
        "--older", default="", help="learners whose defaults have changed since then"
    )
    args = parser.parse_args()
    suite, _ = read_toml(HERE / "suite.toml")
    found = read_suite((DOCS / "suite.txt").read_text("utf-8"))
    older = [name for name in args.older.split(",") if name]
    card = {"date": args.date, "streams": len(found["rows"])}
    card["learners"] = figures(suite, found, older)
    lines = [f"  {json.dumps(name)}: {json.dumps(each)}" for name, each in card["learners"].items()]
    head = json.dumps({**card, "learners": None})[: -len("null}")]
    atomic_write(CARD, (head + "{\n" + ",\n".join(lines) + "\n}}\n").encode())


if __name__ == "__main__":
    main()
