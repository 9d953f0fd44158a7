"""Daily files of orders, a clock for tests, and the command line."""

import random
from datetime import datetime, timedelta
from pathlib import Path

from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.utils import durations

FIRST = datetime(2024, 3, 4, 7, 0)  # a Monday; the time at which cron starts the job
ROWS = 300


class Clock:
    """Time of the alerts, which only tests move."""

    def __init__(self, monkeypatch):
        self.now = FIRST
        monkeypatch.setattr(durations, "now", lambda: self.now.timestamp())

    def forward(self, **span):
        self.now += timedelta(**span)


def orders(day, n=ROWS):
    """Return header and rows of a day: price and color determine the label, with some noise."""
    rng = random.Random(day)
    rows = []
    for i in range(n):
        price, color = rng.gauss(40, 8), rng.choice(["red", "blue"])
        sure = price + 10 * (color == "red") + rng.gauss(0, 3)
        label = "yes" if sure > 45 else "no"
        rows.append([f"{day}-{i}", f"{price:.2f}", str(rng.randrange(30)), color, label])
    return ["id", "price", "pieces", "color", "label"], rows


def name_of(day):
    return f"orders-{FIRST + timedelta(days=day):%Y-%m-%d}.csv"


def write(folder, day, change=None):
    """Write the file of a day, after a change of header and rows."""
    head, rows = orders(day)
    if change is not None:
        head, rows = change(head, rows)
    Path(folder).mkdir(exist_ok=True)
    lines = [",".join(row) for row in (head, *rows)]
    Path(folder, name_of(day)).write_text("\n".join(lines) + "\n")


def run(*words, **how):
    return CliRunner().invoke(main, [*map(str, words)], **how)


def learned(folder, n=4, *words):
    """Return a state folder that has learned some days of a folder."""
    for day in range(n):
        write(folder, day)
    state = Path(folder).parent / "model"
    done = run("learn", folder, "--target", "label", "--state", state, "--learner", "naive-bayes",
               "--kind", "id=drop", "-q", *words)  # fmt: skip
    assert done.exit_code == 0, done.output
    return state


def column(name, change):
    """Return a change of the values of a column."""

    def changed(head, rows):
        j = head.index(name)
        return head, [[*row[:j], change(row[j]), *row[j + 1 :]] for row in rows]

    return changed


def renamed(old, new):
    """Return a change of the name of a column."""
    return lambda head, rows: ([new if name == old else name for name in head], rows)


def flipped(head, rows):
    """Return rows with the other label."""
    return column("label", {"yes": "no", "no": "yes"}.get)(head, rows)


def misspelled(head, rows):
    """Return rows whose third label is misspelled."""
    rows[2][-1] = {"yes": "yse", "no": "noo"}[rows[2][-1]]
    return head, rows
