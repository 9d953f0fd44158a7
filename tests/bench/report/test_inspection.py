"""Charts of an inspected model: on a page, in a figure, on a terminal."""

import re
from io import StringIO

import numpy as np
import pytest

from driftlearn.bench.report._inspection import inspection_page
from driftlearn.bench.report._svg import bar_chart
from driftlearn.bench.report._terminal import blocks, console, live_view, view
from driftlearn.inspection import Inspection
from driftlearn.utils.table import Table

HOSTILE = '<script>alert("x")</script>\x1b[31m'


def inspection(feature=HOSTILE):
    n = 300
    rates = np.linspace(0.5, 1.0, n)
    tables = {
        "accuracy": Table(
            {
                "first row": np.arange(n) * 100,
                "file": [feature] * n,
                "time": [""] * n,
                "tested": np.full(n, 100),
                "accuracy": rates,
                "no change": 1 - rates,
                "majority": np.full(n, 0.5),
            }
        ),
        "changes": Table({"after": [5000], "before": [0.1], "since": [0.4], "recovered": [None],
                          "file": [feature], "time": [None]}),
        "features": Table({"feature": [feature], "since": [100], "effect": [0.5]}),
        "importances": Table({"feature": [feature, "b"], "importance": [0.75, 0.25]}),
        "members": Table({"id": [1], "weight": [1.0], "classes": [["a", feature]]}),
        "calibration": Table({"confidence": ["0.5 to 0.6"], "rows": [3],
                              "mean confidence": [0.55], "share right": [0.5]}),
        "events": Table({"after": [1], "text": [feature]}),
    }  # fmt: skip
    facts = {"classes": ["a", feature], "ece": 0.05}
    return Inspection("SEAClassifier", facts, tables)


def test_external_data_is_escaped():
    html = inspection_page(inspection())
    assert "<script>alert" not in html and "\x1b" not in html
    assert html.count("<script>") == 1


def test_every_chart_has_a_description_and_the_page_is_self_contained():
    html = inspection_page(inspection(), title="model")
    pictures = re.findall(r"<[^>]* role=.img.[^>]*>", html)
    assert len(pictures) == 4
    assert all('aria-label="' in each for each in pictures)
    assert not re.search(r"(src|href)=[\"'][^#]", html)
    assert "default-src 'none'" in html


def test_page_of_an_untested_learner():
    html = inspection_page(Inspection("X", {"classes": [0]}, {"members": Table({"id": [1]})}))
    assert 'role="img"' not in html and 'id="members"' in html


def test_lines_have_gaps_where_nothing_was_tested_and_changes_are_marked():
    shown = inspection()
    table = shown.tables["accuracy"]
    tested = np.where(np.arange(300) // 30 == 5, 0, 100)
    rates = np.where(tested > 0, table["accuracy"], np.nan)
    columns = {name: table[name] for name in table.columns}
    shown.tables["accuracy"] = Table(columns | {"tested": tested, "accuracy": rates})
    html = inspection_page(shown)
    (line,) = re.findall(r'data-name="model" d="([^"]*)"', html)
    points = [[*map(int, pair.split(","))] for pair in re.findall(r"\d+,\d+", line)]
    assert line.count("M") == 2 and len(points) == 90 and points[-1][0] == 10_000
    assert 'class="drift" d="M1667,0v10000"' in html
    assert "Accuracy over 300 spans: 0.502 at first, 0.502 at worst, 0.998 in the end" in html


def test_where_nothing_was_tested_there_is_no_line():
    shown = inspection()
    table = shown.tables["accuracy"]
    columns = {name: table[name] for name in table.columns} | {"tested": np.zeros(300, dtype=int)}
    shown.tables["accuracy"] = Table(columns)
    assert "Accuracy over 300" not in inspection_page(shown)


def test_calibration_is_drawn_over_confidence():
    html = inspection_page(inspection())
    assert 'data-last="100" data-unit="confidence"' in html and 'data-name="share right"' in html
    assert "0.50 right at confidence 0.55" in html and 'data-unit="row"' in html


def test_bars_are_as_long_as_their_values():
    html = bar_chart({"a": 0.8, "b": 0.2, "c": 0.0}, alt="x")
    widths = [float(each) for each in re.findall(r'class="bar" style="--at: ([0-9.]+)"', html)]
    assert widths[1] == pytest.approx(widths[0] / 4, abs=0.1) and widths[2] == 0


def test_figure_of_all_parts(tmp_path):
    pytest.importorskip("matplotlib")
    shown = inspection("price").plot(tmp_path / "figure.png")
    assert len(shown.figure_.axes) == 4 and shown._repr_png_()[0].startswith(b"\x89PNG")
    assert (tmp_path / "figure.png").stat().st_size > 1000


@pytest.mark.parametrize("show", [view, live_view])
def test_terminal_output_fits_eighty_columns_and_is_escaped(show):
    screen = console(record=True, file=StringIO(), force_terminal=True, width=80)
    screen.print(show(inspection()))
    text = screen.export_text()
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_accuracy_on_the_terminal_is_scaled_to_the_data_and_drifts_are_marked():
    shown = inspection()
    table = shown.tables["accuracy"]
    rates = np.where(np.arange(300) // 30 == 5, 0.76, 0.95)
    shown.tables["accuracy"] = Table({name: table[name] for name in table.columns}
                                     | {"accuracy": rates})  # fmt: skip
    change = {"after": 15_000, "before": 0.05, "since": 0.24, "recovered": None, "file": "a"}
    shown.tables["changes"] = Table({name: [value] for name, value in change.items()})
    screen = console(record=True, file=StringIO(), force_terminal=True, width=80)
    screen.print(live_view(shown, width=80))
    accuracy, marks, scale = screen.export_text().split("accuracy ", 2)[1].splitlines()[:3]
    assert {*accuracy.split()[0]} == {"█", "▁"} and accuracy.endswith("0.950")
    offset = len("  accuracy ")
    assert accuracy[marks.index("▲") - offset] == "▁" and marks.count("▲") == 1
    assert "scale 0.76 to 0.95; no change 0.0" in scale and "majority 0.500" in scale


def test_sparkline_is_never_longer_than_its_place():
    assert len(blocks(np.random.default_rng(0).random(1000), 60)) == 60
    assert blocks([np.nan, 1.0], 60) == " █"
    assert blocks([], 60) == ""
