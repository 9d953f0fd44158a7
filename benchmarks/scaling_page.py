"""The page of scaling: curves, exponents, and what gives out first."""

import numpy as np
from field_page import card, machine_rows
from scaling import AXES, LEARNERS, USUAL, axes_of

from driftlearn.bench.papers.page import escaped, listed, section
from driftlearn.bench.report._matplotlib import new_figure, save, styled
from driftlearn.bench.report._style import DASHES, PALETTE
from driftlearn.io import atomic_write

# where a learner has no use any more: a millisecond a row, a model of a gigabyte
LIMITS = {"us": (1e3, "1 ms a row"), "kB": (1e6, "1 GB")}
WORDS = {"us": "time", "kB": "memory"}
CURVES = (
    ("members", "us"), ("rows", "us"), ("features", "us"),
    ("classes", "us"), ("chunk", "us"), ("members", "kB"), ("rows", "kB"),
)  # fmt: skip


def curve(lines, learner, axis, what):
    """Return the places and values of a curve, empty where nothing was measured."""
    there = lines if axis in axes_of(learner) else {}
    points = there.get((learner, axis), {"points": []})["points"]
    return (np.array([point[name] for point in points], dtype=float) for name in ("at", what))


def exponent(at, value):
    """Return the slope of a line through the logarithms, and its place at 1; nan if too short."""
    if len(set(at)) < 3:
        return np.nan, np.nan
    slope, height = np.polyfit(np.log(at), np.log(value), 1)
    return float(slope), float(np.exp(height))


def tail(at, value):
    """Return exponent and place by the last three points: what holds for large sizes."""
    return exponent(at[-3:], value[-3:])


def gives_out(lines, learner, axis):
    """Return in words what reaches its limit first when a size grows on as at the end."""
    found = []
    for what, (limit, words) in LIMITS.items():
        at, value = curve(lines, learner, axis, what)
        slope, place = tail(at, value)
        if slope > 0.05:  # else it does not grow
            found.append(((limit / place) ** (1 / slope), WORDS[what], words))
    if not found:
        return ""
    where, what, words = min(found)
    return f"{what}: {words} at {rounded(where)}" if where < 1e12 else ""


def rounded(value):
    """Return two digits of a large number."""
    return f"{float(f'{value:.2g}'):,.0f}"


def exponents(lines, what, axes):
    """Yield a row a learner, with the exponents over whole curves and over their ends."""
    yield ["learner", *axes]
    for learner in LEARNERS:
        cells = []
        for axis in axes:
            at, value = curve(lines, learner, axis, what)
            whole, end = exponent(at, value)[0], tail(at, value)[0]
            cells.append("" if np.isnan(whole) else f"{whole:.2f} ({end:.2f})")
        if any(cells):
            yield [learner, *cells]


def first_to_give_out(lines):
    axes = ("members", "features", "classes", "rows")
    yield ["learner", *axes]
    for learner in LEARNERS:
        cells = [gives_out(lines, learner, axis) for axis in axes]
        if any(cells):
            yield [learner, *cells]


def threads(lines):
    yield ["learner", "us a row, 1 thread", "2 threads", "times"]
    for learner in LEARNERS:
        _, us = curve(lines, learner, "threads", "us")
        if len(us) == 2:
            yield [learner, f"{us[0]:.2f}", f"{us[1]:.2f}", f"{us[0] / us[1]:.2f}"]


def flat(lines):
    """Yield what a long life does to memory."""
    yield ["learner", "rows", "model, kB", "process, MB", "us a row"]
    for learner in LEARNERS:
        for point in lines.get((learner, "rows"), {"points": []})["points"][-2:]:
            yield [learner, f"{point['at']:,}", f"{point['kB']:,.0f}", f"{point['MB']:,.0f}",
                   f"{point['us']:.2f}"]  # fmt: skip


def write_page(path, lines):
    """Write the page, and its picture beside it."""
    title, picture = "Scaling", path.with_suffix(".png")
    command = "    python benchmarks/scaling.py"
    usual = ", ".join(f"{USUAL[name]} {name}" for name in ("members", "features", "classes"))
    text = [
        title, "=" * len(title), "", "Written by these commands, and changed by nothing else::", "",
        command, f"{command} --page docs/{path.name}", "",
        f"One thing varies, the others are: {usual}, chunks of {USUAL['chunk']} rows, one thread. "
        "A row is asked about and then learned. Times are of the processor. Where a curve ends "
        "early the next point was not reached in the time that a point has.", "",
    ]  # fmt: skip
    if lines:
        draw(lines, picture)
        text += [f".. image:: {picture.name}", "   :alt: curves of time and memory", ""]
    else:
        text += ["Nothing was measured yet.", ""]
    parts = {
        "Exponents of time": (
            "The slope in logarithms: 1 is proportional, 0 does not grow. In brackets that of the "
            "last three points, which is what holds for large sizes.",
            exponents(lines, "us", [axis for axis in AXES if axis != "threads"]),
        ),
        "Exponents of memory": (
            "The same of the model as a file.",
            exponents(lines, "kB", ("members", "features", "classes", "rows")),
        ),
        "What gives out first": (
            "Drawn out from the last three points: where a row takes a millisecond, or a model "
            "weighs a gigabyte, whichever comes first, if no bound of the learner's comes before.",
            first_to_give_out(lines),
        ),
        "Memory over a life": (
            "The last two stops of a life. Hoeffding trees grow with what their stream tells them, "
            "each up to its ``max_nodes`` and ``max_bytes``; the others stay as they are.",
            flat(lines),
        ),
        "Threads": ("By the clock on the wall, the best chunk.", threads(lines)),
    }
    for heading, (words, rows) in parts.items():
        rows = [[escaped(cell) for cell in row] for row in rows]
        if len(rows) > 1:
            text += [*section(heading), words, "", *listed(rows)]
    text += section("The machine")
    text += listed(machine_rows(card()))
    codes = {line["settings"][0] for line in lines.values() if "settings" in line}
    text += [f"Code: {', '.join(sorted(codes))}."] if codes else []
    atomic_write(path, ("\n".join(text) + "\n").encode())


@styled
def draw(lines, path):
    """Draw a panel for each size, with a line a learner."""
    figure, panels = new_figure(11, 10.5, len(CURVES), 3, share=False)
    for axes, (axis, what) in zip(panels, CURVES):
        for k, learner in enumerate(LEARNERS):
            at, value = curve(lines, learner, axis, what)
            dash = DASHES[k // (len(PALETTE) - 1)]
            axes.loglog(at, value, ls=dash, marker=".", color=PALETTE[k % (len(PALETTE) - 1)],
                        label=learner)  # fmt: skip
        axes.set_xlabel("rows of a chunk" if axis == "chunk" else axis)
        axes.set_title("microseconds a row" if what == "us" else "model, kB")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower right", frameon=False, ncols=2, fontsize=8)
    save(figure, path)
