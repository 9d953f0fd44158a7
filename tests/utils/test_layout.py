"""Tables on narrow screens: narrower names, fewer decimals, then a note on omitted columns."""

import io

import pytest

from driftlearn.bench.report._terminal import COLUMNS, show
from driftlearn.utils.table import Column, Table, fold, lay_out
from driftlearn.utils.terminal import Screen

NAMES = ("learn++.nse:slope=0.5,estimator=cart(max_depth=3)", "dtel", "no-change")


def columns(n=99):
    """Return a summary of three learners with all possible columns."""
    found = [Column("learner", NAMES)]
    for name in [*COLUMNS][:n]:
        pair = ("123,456", "123,456") if name == "rows/s" else ("0.9123", "0.912")
        cells, fewer = ([cell] * 3 for cell in pair)
        found.append(Column(name.replace("_", " "), cells, True, (1,), COLUMNS[name], fewer))
    return found


def text(lines):
    return ["".join(piece for piece, _ in line) for line in lines]


@pytest.mark.parametrize("width", [80, 100, 120, 200])
@pytest.mark.parametrize("stars", [False, True])
def test_lines_are_as_wide_as_there_is_room(width, stars):
    lines, _ = lay_out(columns(), width, stars)
    assert max(map(len, text(lines))) <= width


def test_narrower_names_come_before_fewer_decimals_and_these_before_leaving_out():
    wide = sum(len(column.title) for column in columns()) + 200
    stages = []
    for width in range(wide, 30, -1):
        lines, left_out = lay_out(columns(), width)
        whole = "\n".join(text(lines))
        stage = (
            bool(left_out),
            "0.9123" not in whole,
            "acc." in whole,
            "balanced acc" not in whole,
        )
        if stage not in stages:
            stages.append(stage)
    assert stages == sorted(stages) and len(stages) == 5


def test_names_are_folded_and_not_lost():
    lines, left_out = lay_out(columns(4), 60)
    rows = [line for line in text(lines) if line.strip()]
    name = "".join(row[:24].split("  ")[0].strip() for row in rows[2:])
    assert left_out == [] and NAMES[0] in name
    assert "".join(fold(NAMES[0], 12)) == NAMES[0] and max(map(len, fold(NAMES[0], 12))) <= 12


def test_truncated_cells_are_marked():
    table = Table({"run": [1], "title": ["t" * 50], "command": ["c" * 300]})
    (head, row) = table.text(40, cut=("title", "command")).splitlines()
    assert len(row) <= 40 and row.count("…") == 2 and "command" in head
    assert "c" * 300 in table.text() and "…" not in table.text()


def shown(terminal, width=80, **options):
    file = io.StringIO()
    screen = Screen(file=file, force_terminal=terminal, color_system=None, width=width)
    show(screen, columns(), "title", **options)
    return file.getvalue()


def test_what_has_no_room_is_named():
    message = shown(True, 50, more="look there")
    assert "… left out: " in message and "rows/s; look there" in message
    assert "left out" not in shown(True, 200)


def test_the_best_is_marked_in_pipes():
    assert "0.9123*" in shown(False) and "*" not in shown(True, 200)
    assert "left out" not in shown(False, 20)
