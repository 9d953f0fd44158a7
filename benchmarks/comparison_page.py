"""Page of the comparison with other libraries: speedups and accuracies."""

import json
import os
import platform
import subprocess
from pathlib import Path

import numpy as np
from comparison_table import (
    BEFORE,
    CHUNK,
    COMPARED,
    LEARNERS,
    MEMBERS,
    OURS,
    STREAMS,
    TABLES,
    WORDS,
)

from driftlearn.bench.report._matplotlib import new_figure, save, styled
from driftlearn.bench.report._style import FAINT, PALETTE
from driftlearn.io import atomic_write
from driftlearn.utils.rst import escaped, listed, section, write_summary
from driftlearn.utils.show_versions import versions
from driftlearn.utils.table import Table

NAMES = {"capymoa": "MOA"}
TITLES = {
    "chunks": f"Chunks of {CHUNK} rows: predicted, then learned",
    "rows": "Row by row: predicted, then learned",
    "calls": "One call per row",
    "fit": "fit on a single table",
    "kernel": "fit on a single table, without input validation",
}
NOTES = {
    "chunks": "driftlearn, scikit-learn and stream-learn predict a chunk with predict and learn it "
    "with partial_fit; CART is retrained on every chunk. MOA has no chunks: its loop in Java "
    "predicts a row and learns it, with the rows in memory or read from a file by its command "
    "EvaluateInterleavedTestThenTrain. Its accuracy is that of chunks, measured in a separate run "
    "from Python. The fastest is shown.",
    "rows": "driftlearn: one call of test_then_train. MOA as above; river takes one row per call.",
    "calls": "One call of predict and one of partial_fit for every row; in river, predict_one and "
    "learn_one.",
    "fit": "CART and scikit-learn's DecisionTreeClassifier, both with min_samples_split=10, the "
    "best of many calls. Accuracy is on the training rows.",
    "kernel": "The same without input validation: driftlearn's compiled tree, and the compiled "
    "builder that scikit-learn's fit calls.",
}
# changes between commit f0f2690 and the current one; the beginnings of the names of learners that
# show the change best, and the protocol
CHANGED = {
    "members are copied in compiled code and predict in one call, once for the same rows; the "
    "folds of AWE are one call": ("chunks", ("AUE2", "AWE, naive", "AWE, Hoeffding")),
    "per call: parameters are validated when they changed, plain tables are validated in compiled "
    "code": ("chunks", ("naive Bayes", "CART", "SEA", "Learn++.NSE")),
    "rows are passed as pointers, and a row that is tested and learned descends a tree once; "
    "descending has no unpredictable branches; Poisson numbers come from a table": (
        "rows",
        ("Hoeffding", "online bagging, H", "ADWIN bagging, H", "leveraging bagging, H", "DWM, H"),
    ),
    "naive Bayes uses precisions and a square root instead of logarithms and divisions": (
        "rows",
        ("naive Bayes", "online bagging, n", "ADWIN bagging, n", "leveraging bagging, n", "DWM, n"),
    ),
    "a plain row of a known class is learned in one compiled call": ("calls", ("",)),
}
# why ours is less accurate, by the beginnings of learner and stream; tested explanations only
REASONS = {
    (
        "Learn++.NSE",
        "RBF",
    ): "MOA's pruning by age leaves one member: with 1, 2, 3 and 10 members it "
    "has the same 90.8. Ours with one member has 90.9: where clusters move, old members do harm",
    ("AWE, naive", "RBF"): "MOA's AWE always contains the newest model, ours the models with the "
    "largest weights of the paper: with one member 90.8 and 90.4",
    ("AWE, Hoeffding", "RBF"): "as over naive Bayes",
    ("leveraging bagging, Hoeffding", "SEA"): "the number of members replaced after an abrupt "
    "change matters, and is small: 35 in MOA's run, 30 and 29 in two of ours",
    (
        "SEA, CART",
        "RBF",
    ): "among equally good splits, scikit-learn's trees choose at random, ours the "
    "first: its trees in our SEA reach 82.4 to 82.8 with five seeds",
    ("Hoeffding adaptive tree", "electricity"): "not known; MOA's leaves resample rows, which did "
    "not improve ours",
}
# clocks besides total CPU time; each is compared with its own fastest library
CLOCKS = "loop alone", "wall"
LEVELS = {1: "as fast or faster", 5: "at least 5 times", 10: "at least 10 times"}
LOOPS = "with loops alone: " + ", ".join(f"{level} times" for level in LEVELS)
TICKS = 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000
SUMMARY = (
    "Rows per second of CPU time, compared with the fastest of MOA (through CapyMOA), river, "
    "scikit-learn and stream-learn on the same rows, with the same algorithm and settings."
)
ABOUT = (
    "All libraries get the same rows, which are prepared before the clock starts. One process runs "
    "at a time, the libraries take turns, and the best round counts; *spread* is how much slower "
    "the slowest round was. Rows per second are per second of CPU time, without start-up. *Times* "
    "is the ratio of these. MOA's Java compiles and collects garbage in other threads while its "
    "loop runs: *loop alone* excludes these threads, as MOA's own clock does. *Wall* is the ratio "
    "of wall-clock speeds. Accuracy is prequential, the mean over rounds with different seeds. A "
    "library that exceeded its time limit has fewer rows; our accuracy on the same rows is given."
)


def card():
    """Return the hardware and software of this machine, without identifying it."""
    found = {"processor": platform.processor() or platform.machine()}
    try:
        text = Path("/proc/cpuinfo").read_text()
        named = [
            line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line
        ]
        found["processor"] = named[0]
    except (OSError, IndexError):
        pass
    found["cores"] = str(os.cpu_count())
    if hasattr(os, "sysconf"):
        found["memory"] = (
            f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB"
        )
    found["system"] = f"{platform.system()} {platform.machine()}"
    try:
        java = subprocess.run(["java", "-version"], capture_output=True, text=True)
        found["Java"] = java.stderr.splitlines()[0]
    except (OSError, IndexError):
        pass
    known = versions()
    return found | {name: known[name] for name in ("python", "numpy", "kernels")}


def machine_rows(machine):
    return [["machine", "value"], *([name, escaped(machine[name])] for name in machine)]


def summaries(lines):
    """Return the combined results of the rounds of each run, for its newest version only."""
    groups = {}
    for line in lines:
        place = tuple(line[name] for name in ("stream", "learner", "library", "way"))
        same = [line[name] for name in ("asked", "version", "text")]
        if place not in groups or groups[place][0] != same:
            groups[place] = same, []
        groups[place][1].append(line)
    found = {}
    for place, (_, rounds) in groups.items():
        done = [line for line in rounds if "problem" not in line]
        found[place] = summary(done) if done else {"problem": rounds[-1]["problem"]}
        found[place]["version"] = rounds[-1]["version"]
    return found


def summary(rounds):
    """Return the best rows per second by each clock, spread, accuracy, memory and start-up time."""
    alone = "own" if rounds[0]["library"] == "capymoa" else "cpu"
    rates = {
        clock: [line["n_rows"] / max(line["seconds"][clock], 1e-9) for line in rounds]
        for clock in ("wall", "cpu", alone)
    }
    longest = max(rounds, key=lambda line: line["n_rows"])
    alike = [line for line in rounds if line["n_rows"] == longest["n_rows"]]
    right = np.mean([line["right"] for line in alike], axis=0)
    each = [line["right"][-1] / max(longest["tested"], 1) for line in alike]
    return {
        "rate": max(rates["cpu"]),
        "spread": max(rates["cpu"]) / min(rates["cpu"]) - 1,
        "loop alone": max(rates[alone]),
        "wall": max(rates["wall"]),
        "n_rows": longest["n_rows"],
        "tested": longest["tested"],
        "right": right.tolist(),
        "accuracy": float(np.mean(each)),
        "by chance": float(np.std(each, ddof=1)) if len(each) > 1 else 0.0,
        "memory": max(line["memory"] for line in rounds),
        "start": min(line["start"]["wall"] for line in rounds),
        "start_cpu": min(line["start"]["cpu"] for line in rounds),
        "rounds": len(rounds),
        "load": max((line["load"] or 0.0) for line in rounds),
    }


def on_the_first(ours, n_rows):
    """Return our accuracy on the first rows of a stream, if another library was stopped there."""
    left = ours["n_rows"] - n_rows
    if left <= 0 or n_rows < CHUNK:
        return ours["accuracy"]
    return ours["right"][n_rows // CHUNK - 1] / max(ours["tested"] - left, 1)


def compared(found):
    """Return a dict for each row of the page: ours beside the fastest other library."""
    rows = []
    for (stream, learner, library, way), ours in found.items():
        if library != OURS or "problem" in ours:
            continue
        others = {
            (name, their_way): each
            for (on, what, name, their_way), each in found.items()
            if (on, what) == (stream, learner) and name not in (OURS, BEFORE)
            and their_way in COMPARED[way] and "problem" not in each
        }  # fmt: skip
        if not others:
            continue
        name, their_way = max(others, key=lambda place: others[place]["rate"])
        theirs = others[name, their_way]
        best = {clock: max(each[clock] for each in others.values()) for clock in CLOCKS}
        rival = others.get((name, way), theirs)  # predictions under the same protocol, if any
        here = on_the_first(ours, rival["n_rows"])
        chance = here * (1 - here) + rival["accuracy"] * (1 - rival["accuracy"])
        # standard errors of a mean, and of one run
        seeds = ours["by chance"] ** 2 * (1 / ours["rounds"] + 1)
        rows.append({
            "stream": stream, "learner": learner, "way": way,
            "ours": ours, "theirs": theirs, "library": name, "their way": their_way,
            "times": ours["rate"] / theirs["rate"],
            **{clock: ours[clock] / best[clock] for clock in CLOCKS},
            "gap": here - rival["accuracy"],
            "noise": 2 * float(np.sqrt(chance / max(rival["tested"], 1) + seeds)),
            "here": here, "judged": rival,
        })  # fmt: skip
    return rows


def shown(row):
    """Return the cells of a row."""
    ours, theirs, rival = row["ours"], row["theirs"], row["judged"]
    notes = []
    if rival["n_rows"] < ours["n_rows"]:
        notes.append(f"its first {rival['n_rows']:,} rows; ours on these {100 * row['here']:.1f} %")
    if row["gap"] < -row["noise"]:
        notes.append(f"ours {-100 * row['gap']:.1f} points below")
    name = NAMES.get(row["library"], row["library"])
    same = row["their way"] == row["way"]
    return {
        "learner": row["learner"],
        "rows/s": f"{ours['rate']:,.0f}",
        "spread": f"{ours['spread']:.0%}",
        "%": f"{100 * ours['accuracy']:.1f}",
        "MB": f"{ours['memory']:.0f}",
        "fastest other": name if same else f"{name} ({WORDS[row['their way']]})",
        "its rows/s": f"{theirs['rate']:,.0f}",
        "its spread": f"{theirs['spread']:.0%}",
        "its %": f"{100 * rival['accuracy']:.1f}",
        "its MB": f"{theirs['memory']:.0f}",
        "times": f"**{row['times']:.1f}**",
        "loop alone": f"{row['loop alone']:.1f}",
        "wall": f"{row['wall']:.1f}",
        "note": "; ".join(notes),
    }


def slowest(rows):
    """Return the learners below the highest level, with the lowest and highest speedup of each."""
    shares = {}
    for row in rows:
        if row["times"] < max(LEVELS):
            shares.setdefault(row["learner"], []).append(row["times"])
    words = []
    for learner, times in shares.items():
        least, most = f"{min(times):.1f}", f"{max(times):.1f}"
        words.append(f"{learner} {least if least == most else f'{least} to {most}'}")
    return "; ".join(words)


def glance(rows):
    """Return a table of the number of comparisons per protocol that reach each speedup."""
    table = []
    for way, title in TITLES.items():
        here = [row for row in rows if row["way"] == way]
        if here:
            counts = {name: str(sum(row["times"] >= level for row in here))
                      for level, name in LEVELS.items()}  # fmt: skip
            alone = [str(sum(row["loop alone"] >= level for row in here)) for level in LEVELS]
            table.append({
                "protocol": title, "compared": str(len(here)), **counts,
                "minimum": f"**{min(row['times'] for row in here):.1f}**",
                LOOPS: ", ".join(alone),
            })  # fmt: skip
    return table


def accuracy_remarks(rows):
    """Return sentences about accuracy and about small speedups."""
    below, above = (sum(sign * row["gap"] > row["noise"] for row in rows) for sign in (-1, 1))
    return (
        f"Accuracy is lower than that of the fastest other library by more than two standard "
        f"errors in {below} of {len(rows)} comparisons, and higher in {above}. The standard error "
        "includes differences between seeds. Most learners that are less than "
        f"{max(LEVELS)} times as fast are naive Bayes and ensembles of it, which spend their time "
        "on the arithmetic of their members."
    )


def behind(rows):
    """Return a table of the rows with significantly lower accuracy of ours, with the reasons."""
    table = []
    for row in sorted(rows, key=lambda row: row["gap"]):
        if row["gap"] < -row["noise"]:
            why = [
                text
                for (learner, stream), text in REASONS.items()
                if row["learner"].startswith(learner) and row["stream"].startswith(stream)
            ]
            table.append({
                "learner": row["learner"], "stream": row["stream"], "protocol": WORDS[row["way"]],
                "%": f"{100 * row['here']:.1f}",
                "its %": f"{100 * row['judged']['accuracy']:.1f}",
                "of": NAMES.get(row["library"], row["library"]),
                "gap": f"{100 * row['gap']:.1f}",
                "two standard errors": f"{100 * row['noise']:.1f}",
                "probable cause": why[0] if why else "not known",
            })  # fmt: skip
    return table


def one_call(found):
    """Return the speedup of one call for all rows over one call per row."""
    rows = []
    for (stream, learner, library, way), slow in found.items():
        fast = found.get((stream, learner, library, "rows"), {"problem": ""})
        if library == OURS and way == "calls" and "problem" not in {**slow, **fast}:
            rows.append({
                "stream": stream, "learner": learner,
                "one call per row, rows/s": f"{slow['rate']:,.0f}",
                "test_then_train, rows/s": f"{fast['rate']:,.0f}",
                "times": f"**{fast['rate'] / slow['rate']:.0f}**",
            })  # fmt: skip
    return rows


def before_and_after(found, rows):
    """Return the results of an earlier commit on the same rows, relative to the other libraries."""
    table = []
    for row in rows:
        then = found.get((row["stream"], row["learner"], BEFORE, row["way"]), {"problem": ""})
        if "problem" not in then:
            table.append({
                "protocol": WORDS[row["way"]], "stream": row["stream"], "learner": row["learner"],
                "before, rows/s": f"{then['rate']:,.0f}",
                "%": f"{100 * then['accuracy']:.1f}",
                "now, rows/s": f"{row['ours']['rate']:,.0f}",
                "now %": f"{100 * row['ours']['accuracy']:.1f}",
                "gained": f"**{row['ours']['rate'] / then['rate']:.1f}**",
                "times others, before": f"{then['rate'] / row['theirs']['rate']:.1f}",
                "now": f"{row['times']:.1f}",
            })  # fmt: skip
    return table


def what_it_bought(found, rows):
    """Return for each change the total speedup of the learners that show it."""
    table = []
    for what, (way, names) in CHANGED.items():
        gained = [
            row["ours"]["rate"] / found[place]["rate"]
            for row in rows
            if row["way"] == way and row["learner"].startswith(names)
            and "rate" in found.get(place := (row["stream"], row["learner"], BEFORE, way), {})
        ]  # fmt: skip
        if gained:
            table.append({
                "change": what, "protocol": WORDS[way], "comparisons": str(len(gained)),
                "speedup, all changes": f"{min(gained):.1f} to {max(gained):.1f}",
                "median": f"**{np.median(gained):.1f}**",
            })  # fmt: skip
    return table


def start_up(found):
    """Return the start-up costs of each library."""
    names = dict.fromkeys((library, way) for _, _, library, way in found)
    columns = {"library": [], "s, wall": [], "s, processor": [], "version": []}
    for library, way in names:
        if library != "capymoa" and way != next(w for name, w in names if name == library):
            continue
        here = [each for (_, _, *place), each in found.items() if tuple(place) == (library, way)]
        done = [each for each in here if "problem" not in each]
        if done:
            name = NAMES.get(library, library)
            columns["library"].append(f"{name} ({WORDS[way]})" if library == "capymoa" else name)
            columns["s, wall"].append(f"{np.median([each['start'] for each in done]):.2f}")
            columns["s, processor"].append(f"{np.median([each['start_cpu'] for each in done]):.2f}")
            columns["version"].append(here[0]["version"])
    return Table(columns)


def every_number(found):
    """Return every run as a table row."""
    order = [*STREAMS, *TABLES]
    names = ("rate", "loop alone", "wall", "spread", "accuracy", "n_rows", "memory", "rounds")
    columns = {name: [] for name in ("stream", "learner", "library", "way", *names)}
    problems = []
    for place in sorted(found, key=lambda p: (order.index(p[0]), [*LEARNERS].index(p[1]), p[2:])):
        each = found[place]
        if "problem" in each:
            problems.append(f"{', '.join(place)}: {each['problem']}")
            continue
        for name, value in zip(("stream", "learner", "library", "way"), place):
            columns[name].append(value)
        for name in names:
            columns[name].append(round(each[name], 4 if name in ("accuracy", "spread") else 0))
    return "\n".join([Table(columns).text(), *problems, ""])


def as_rst(table):
    rows = [[*table[0]], *([*row.values()] for row in table)]
    return listed(
        [cell if cell.startswith("**") else escaped(cell) for cell in row] for row in rows
    )


def write_page(path, lines, limits):
    """Write the page, its figure, its JSON and all numbers."""
    found = summaries(lines)
    rows = compared(found)
    machine = card()
    summary = [
        SUMMARY, "",
        *([*as_rst([{name: row[name] for name in row if name != LOOPS} for row in glance(rows)]),
           accuracy_remarks(rows)] if rows else ["No measurements yet."]),
        "",
    ]  # fmt: skip
    text = [
        "These pages are generated by the following commands::", "",
        "    make bench", f"    python benchmarks/comparison.py --page docs/{path.name}", "",
        ABOUT, "",
        f"Ensembles have {MEMBERS} members over the same base learner with the same settings; "
        "forests and patches have MOA's trees and detectors.", "",
    ]  # fmt: skip
    if rows:
        picture = path.with_suffix(".png")
        draw(rows, picture)
        text += [*as_rst(glance(rows)), f".. image:: {picture.name}"]
        text += ["   :alt: Speedup of each learner", ""]
        slow = [(title, slowest([row for row in rows if row["way"] == way]))
                for way, title in TITLES.items()]  # fmt: skip
        text += section(f"Learners less than {max(LEVELS)} times as fast")
        text += [*(f"* {title}: {escaped(names)}." for title, names in slow if names), ""]
    for way, heading in TITLES.items():
        here = [row for row in rows if row["way"] == way]
        text += [*section(heading), escaped(NOTES[way]), ""] if here else []
        for stream in [*STREAMS, *TABLES]:
            some = [shown(row) for row in here if row["stream"] == stream]
            if some:
                text += [f".. rubric:: {stream}", "", *as_rst(some)]
    tables = {
        "Where ours is less accurate": behind(rows),
        "One call for all rows": one_call(found),
        "Speedup since an earlier version, by change": what_it_bought(found, rows),
        "Speedup since an earlier version": before_and_after(found, rows),
        "Start-up": [*start_up(found)],
    }
    for heading, some in tables.items():
        text += [*section(heading), *as_rst(some)] if some else []
    if limits.exists():
        from limits import section_of

        text += section_of(limits)
    text += section("The machine")
    text += listed(machine_rows(machine))
    load = max((each["load"] for each in found.values() if "load" in each), default=0.0)
    rounds = [each["rounds"] for each in found.values() if "rounds" in each]
    done = f"Rounds: {min(rounds)} to {max(rounds)}. " if rounds else ""
    code = ", ".join(sorted({each["version"] for place, each in found.items() if OURS in place}))
    text += [f"{done}Load before a run, at most: {load:.1f}. Code: {code}.", ""]
    title = "Speed compared with other libraries"
    write_summary(path, title, summary, text, every_number(found))
    places = [dict(zip(("stream", "learner", "library", "way"), place)) for place in found]
    runs = [
        {**place, **{name: value for name, value in each.items() if name != "right"}}
        for place, each in zip(places, found.values())
    ]
    content = json.dumps({"machine": machine, "code": code, "runs": runs}, indent=1)
    atomic_write(path.with_suffix(".json"), (content + "\n").encode())


@styled
def draw(rows, path):
    """Draw a bar per learner, the median over the streams, with a dot for each stream."""
    ways = [way for way in ("chunks", "rows") if any(row["way"] == way for row in rows)]
    ways = ways or [rows[0]["way"]]
    rows = [row for row in rows if row["way"] in ways]
    shares = [row["times"] for row in rows]
    streams = [*STREAMS, *TABLES]
    sizes = [len({row["learner"] for row in rows if row["way"] == way}) for way in ways]
    figure, _ = new_figure(9, 0.26 * sum(sizes) + 1.6, 0)
    grid = figure.subplots(len(ways), 1, sharex=True, squeeze=False, height_ratios=sizes)
    for axes, way in zip(grid[:, 0], ways):
        here = [row for row in rows if row["way"] == way]
        learners = [name for name in LEARNERS if any(row["learner"] == name for row in here)]
        for place, name in enumerate(reversed(learners)):
            some = [row for row in here if row["learner"] == name]
            middle = float(np.median([row["times"] for row in some]))
            axes.barh(place, middle - 1, left=1, height=0.7, color=PALETTE[0], alpha=0.35)
            for row in some:
                colour = PALETTE[1 + streams.index(row["stream"]) % (len(PALETTE) - 1)]
                axes.plot(row["times"], place, "o", ms=4, color=colour)
        for level in LEVELS:
            axes.axvline(level, color=FAINT, lw=0.9, ls="solid" if level == 1 else (0, (2, 2)))
        axes.set_yticks(range(len(learners)), learners[::-1])
        axes.set_xscale("log")
        axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        axes.set_xticks([], minor=True)
        axes.set_title(TITLES[way])
        axes.grid(axis="y", visible=False)
    axes.set_xlim(0.8 * min(1.0, *shares), 1.2 * max(*shares, max(LEVELS)))
    present = [name for name in streams if any(row["stream"] == name for row in rows)]
    for name in present:
        colour = PALETTE[1 + streams.index(name) % (len(PALETTE) - 1)]
        axes.plot([], [], "o", ms=4, color=colour, label=name)
    grid[-1, 0].set_xlabel(
        "rows per second, relative to the fastest other library (lines: 1, 5, 10)"
    )
    figure.legend(loc="outside upper center", ncols=len(present), frameon=False)
    save(figure, path)
