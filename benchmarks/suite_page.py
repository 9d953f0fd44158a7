"""Page of the benchmark suite: figures, best learners, remarks, and all numbers."""

import numpy as np
from scipy.stats import rankdata

from driftlearn.bench.report._matplotlib import styled
from driftlearn.bench.report._style import FAINT, PALETTE
from driftlearn.bench.workbench._code_digest import code_digest
from driftlearn.io import atomic_write
from driftlearn.utils.rst import escaped, listed, section
from driftlearn.utils.table import Table

METRICS = ("accuracy", "kappa", "kappa_temporal", "g_mean", "auc", "seconds")
GROUPS = {"baselines": "baselines", "other libraries": "others", "ours": "learners"}
LOOKS = {"baselines": (FAINT, "s"), "other libraries": (PALETTE[1], "D"), "ours": (PALETTE[0], "o")}
CLEAR = 0.005  # smaller differences in points are not reported
WORDS = {"chunks": "in chunks of 500 rows", "rows": "row by row"}


def write_page(path, part, suite, found, n_seeds=None):
    """Write the page, and one figure per protocol."""
    title = f"The suite, {part} part"
    seeds = suite[part]["seeds"][:n_seeds]
    command = f"python benchmarks/suite.py --part {part}"
    if n_seeds is not None:
        command += f" --seeds {n_seeds}"
    ran = {name for streams in found.values() for each in streams.values() for name in each}
    named = "" if {*suite["learners"]} <= ran else " --protocol P --learner NAME ..."
    ours, others = (len(ran & {*suite[place]}) for place in ("learners", "others"))
    apart = "; no seed and no set of the final part is on this page" if part == "tuning" else ""
    lines = [
        title, "=" * len(title), "",
        "Learners with default settings, baselines, and learners of MOA and river on real and "
        "generated streams, with both protocols; evaluation is prequential. This page is generated "
        "by the following commands::", "",
        f"    {command}{named}", f"    {command} --page docs/{path.name}", "",
        f"Seeds: {', '.join(map(str, seeds))}; the first for other libraries{apart}. The best of "
        f"many learners is better than the best of few: we have {ours}, other libraries {others}. "
        "Ensembles of MOA have ten members, as ours. The metric is accuracy or, on streams with "
        "rare classes, the geometric mean of the recalls (g_mean). Seconds are CPU time on a "
        "shared machine. Learners that do not support a stream are omitted there.", "",
        f"Code: {code_digest()}.", "",
    ]  # fmt: skip
    for protocol, streams in found.items():
        if streams:
            picture = path.with_name(f"{path.stem}-{protocol}.png")
            draw(streams, suite, protocol, str(picture))
            lines += section(f"Best of each kind, {WORDS[protocol]}")
            lines += [
                f".. image:: {picture.name}",
                f"   :alt: the best of each kind, {protocol}",
                "",
            ]
            lines += table(best_of_each(streams, suite, protocol))
            lines += section(f"Remarks, {WORDS[protocol]}")
            lines += [f"* {escaped(each)}" for each in remarks(streams, suite, protocol)] + [""]
            lines += section(f"Over all streams, {WORDS[protocol]}")
            lines += table(over_all(streams, suite))
    numbers = path.with_suffix(".txt")
    lines += [*section("Every number"), f".. literalinclude:: {numbers.name}", "   :language: none"]
    atomic_write(path, ("\n".join(lines) + "\n").encode())
    atomic_write(numbers, every_number(suite, found).encode())


def every_number(suite, found):
    """Return the learners of every stream with all metrics, the best first, as text."""
    parts = []
    for protocol, streams in found.items():
        for stream, learners in streams.items():
            table = sorted_by(metric_of(suite, stream), learners)
            parts.append(f"{stream}, {WORDS[protocol]}\n\n{table}\n")
    return "\n".join(parts)


def metric_of(suite, stream):
    return suite["judged_by"].get(stream, "accuracy")


def best(learners, names, metric):
    """Return the best of several learners and its result; None if none was run."""
    there = [name for name in learners if name in names]
    return max(((learners[name][metric], name) for name in there), default=None)


def best_of_each(streams, suite, protocol):
    """Return one row per stream: the best baseline, other library and ours, and our default."""
    default = suite["default"][protocol]
    rows = []
    for stream, learners in streams.items():
        metric = metric_of(suite, stream)
        row = {"stream": stream if metric == "accuracy" else f"{stream} ({metric})"}
        for group, place in GROUPS.items():
            found = best(learners, suite[place], metric)
            row[group] = f"{found[1]} {100 * found[0]:.1f}" if found else ""
        row[f"default: {default}"] = (
            f"{100 * learners[default][metric]:.1f}" if default in learners else ""
        )
        rows.append(row)
    return Table({key: [row[key] for row in rows] for key in rows[0]})


def remarks(streams, suite, protocol):
    """Return sentences: where baselines win, which learner leads, where the default fails."""
    found = []
    ahead = {"ours": [], "other libraries": [], "neither": []}
    default, below = suite["default"][protocol], []
    for stream, learners in streams.items():
        metric = metric_of(suite, stream)
        trivial, other, ours = (best(learners, suite[place], metric) for place in GROUPS.values())
        if trivial and ours and trivial[0] > ours[0]:
            found.append(
                f"On {stream} a baseline, {trivial[1]} ({100 * trivial[0]:.1f}), beats all "
                f"of ours; the best is {ours[1]} ({100 * ours[0]:.1f})."
            )
        if trivial and default in learners and trivial[0] > learners[default][metric]:
            below.append(stream)
        if other and ours:
            gap = ours[0] - other[0]
            who = "neither" if abs(gap) < CLEAR else "ours" if gap > 0 else "other libraries"
            ahead[who].append(f"{stream} ({100 * gap:+.1f})")
    for who, where in ahead.items():
        if where:
            words = "Within half a point of each other" if who == "neither" else f"Ahead: {who}"
            plural = "s" * (len(where) != 1)
            found.append(f"{words} on {len(where)} stream{plural}: {'; '.join(where)}.")
    if below:
        found.append(
            f"The default, {default}, is below the best baseline on {len(below)} of "
            f"{len(streams)} streams: {'; '.join(below)}."
        )
    return found


def over_all(streams, suite):
    """Return the mean rank and mean metrics of each learner that was run on all streams."""
    common = set.intersection(*(set(learners) for learners in streams.values()))
    names = [name for name in next(iter(streams.values())) if name in common]
    ranks = np.zeros(len(names))
    for stream, learners in streams.items():
        values = np.array([learners[name][metric_of(suite, stream)] for name in names])
        ranks += rankdata(-values)
    order = np.argsort(ranks, kind="stable")
    columns = {"learner": [names[k] for k in order]}
    columns["mean rank"] = [f"{ranks[k] / len(streams):.1f}" for k in order]
    for metric in METRICS:
        means = [np.nanmean([each[names[k]][metric] for each in streams.values()]) for k in order]
        columns[metric] = [
            f"{mean:.4f}" if metric != "seconds" else f"{mean:.2f}" for mean in means
        ]
    return Table(columns)


def sorted_by(metric, learners):
    """Return the learners of a stream with all metrics, the best first."""
    first = sorted(learners, key=lambda name: -learners[name][metric])
    return Table({
        "learner": first,
        **{each: [round(float(learners[name][each]), 4) for name in first] for each in METRICS},
    })  # fmt: skip


def table(content):
    rows = [content.columns, *([str(row[name]) for name in content.columns] for row in content)]
    return listed([escaped(cell) for cell in row] for row in rows)


@styled
def draw(streams, suite, protocol, path):
    """Draw one line per stream, with the best of each kind and the default."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 0.28 * len(streams) + 1.2), layout="constrained")
    places = np.arange(len(streams))[::-1]
    for group, place in GROUPS.items():
        colour, marker = LOOKS[group]
        found = [best(each, suite[place], metric_of(suite, name)) for name, each in streams.items()]
        values = [100 * each[0] if each else np.nan for each in found]
        axes.plot(values, places, marker, color=colour, label=f"best of {group}", ms=6)
    default = suite["default"][protocol]
    values = [100 * each[default][metric_of(suite, name)] if default in each else np.nan
              for name, each in streams.items()]  # fmt: skip
    axes.plot(values, places, "o", mfc="none", mec=PALETTE[0], label=f"default: {default}", ms=9)
    axes.set_yticks(places, list(streams))
    axes.set_xlabel("percent: accuracy, or g_mean where classes are rare")
    axes.grid(axis="x", alpha=0.3)
    axes.hlines(places, *axes.get_xlim(), color=FAINT, lw=0.3, zorder=0)
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(path, dpi=120, metadata={"Software": None})
    plt.close(figure)
