"""Charts of keyed models: on a page and on a terminal."""

import re
from io import StringIO

import numpy as np
import pytest

from driftlearn.bench.report._inspection import inspection_page
from driftlearn.bench.report._svg import column_chart
from driftlearn.bench.report._terminal import console, keys_view
from driftlearn.inspection.inspection import KeysInspection
from driftlearn.utils.table import Table

HOSTILE = '<script>alert("x")</script>\x1b[31m'


def keys_inspection(key=HOSTILE, **tables):
    n = 100
    keys = {"key": [key] * 14, "rows": [9] * 14, "before": [0.9] * 13 + [np.nan],
            "recent": np.linspace(0.2, 0.7, 14), "changes": [1] * 14, "rows since": [3] * 14,
            "bytes": [2000] * 14}  # fmt: skip
    bins = {"from": [100, 200, 400, 800], "to": [199, 399, 799, 1599], "keys": [2, 0, 1, 6]}
    shares = {"own": [0.0, 0.75], "global": [0.5, 0.25], "borrowed": [0, 0], "nobody": [0.5, 0.0]}
    found = {
        "accuracy": Table({"first row": np.arange(n) * 1000, "tested": [1000] * n,
                           "accuracy": np.linspace(0.5, 0.9, n), "global": [0.6] * n,
                           "new keys": [1] * n}),
        "worse": Table(keys), "better": Table(keys),
        "worst": Table(keys | {"before": [np.nan] * 14}),
        "predictions": Table({"source": [*shares], "rows": [3, 2, 0, 1],
                          "share": [0.5, 0.3, 0.0, 0.2], "right": [1.0, 0.5, np.nan, np.nan]}),
        "ages": Table({"from": [0, 1], "to": [0, 1], "rows": [4, 4], **shares, "right": [0.5, 1]}),
        "pool": Table({"key": [key], "predictions": [3]}),
        "sizes": Table(bins), "rows": Table(bins),
        "importances": Table({"feature": [key], "importance": [1.0]}),
        "reasons": Table({"why": [key], "rows": [1], "last at": [7]}),
        "quarantined": Table({"at": range(50), "file": ["a"] * 50, "row": range(50),
                        "key": [None] * 50, "why": [key] * 50}),
        "expired": Table({"last row from": [0, 100_000], "keys": [2, 3]}),
        "accuracies": Table({"from": [0.0, 0.25, 0.5, 0.75], "to": [0.25, 0.5, 0.75, 1.0],
                             "keys": [0, 1, 2, 6]}),
    }  # fmt: skip
    facts = {
        "keys": 8, "counts": {"rows": 100_000, "learned": 99_950, "quarantined": 50, "expired": 5},
        "accuracy": {"predictions": 0.7, "global": 0.6}, "drifting": {"worse": 14, "better": 14,
        "within": 256}, "accuracy of keys": {"keys": 8, "least": 16, "median": 0.75,
        "worst tenth": 0.5}, "predictions": {"own": 0.5, "global": 0.3, "borrowed": 0.0,
        "nobody": 0.2}, "bytes": {"all": 16_000, "mean": 2000.0, "largest": 3000},
    }  # fmt: skip
    return KeysInspection("hoeffding", facts, found | tables)


def test_external_data_is_escaped():
    html = inspection_page(keys_inspection(), title=HOSTILE)
    assert "<script>alert" not in html and "\x1b" not in html
    assert html.count("<script>") == 1


def test_every_chart_has_a_description_and_the_page_is_self_contained():
    html = inspection_page(keys_inspection("k"), title="model")
    pictures = re.findall(r"<[^>]* role=.img.[^>]*>", html)
    assert len(pictures) == 8
    assert all('aria-label="' in each for each in pictures)
    assert not re.search(r"(src|href)=[\"'][^#]", html)
    assert html.index("Accuracy over keys") < html.index("<nav")
    assert "Median 0.750; the worst tenth has at most 0.500." in html
    assert "most have 800 to 1,599, the fewest 100 or more, the most 1,599 or less" in html


def test_newest_rows_and_known_columns_are_shown():
    html = inspection_page(keys_inspection("k"))
    assert "The newest 20 of 50." in html and "The newest 20 of 100." in html
    aside = html[html.index('id="quarantined-rows"') :]
    assert (
        aside.index("<tbody>") < aside.index(">30<") and ">29<" not in aside[: aside.index(">31<")]
    )
    head = re.findall(r"<button[^>]*>([^<]*)</button>", aside[: aside.index("<tbody>")])
    assert head == ["at", "file", "row", "why"]


def test_dots_are_at_their_values():
    html = inspection_page(keys_inspection("k"))
    first = html[html.index('class="strip"') :]
    low, high = 0.2 - 0.04 * 0.7, 0.9 + 0.04 * 0.7
    dots = [
        float(at) for at in re.findall(r'<i class="[^"]*" style="--at: ([0-9.]+)" data-tip', first)
    ]
    assert dots[:2] == pytest.approx([(x - low) / (high - low) for x in (0.9, 0.2)], abs=1e-4)
    worst = first[first.index('id="keys-with-the-lowest-accuracy"') :]
    assert (
        worst.index("recent</span>")
        < worst.index("</figure>")
        < worst.index("Sources of predictions")
    )
    assert "before</span>" not in worst


def test_columns_stand_on_each_other():
    svg = column_chart({"own": [0.25, 1.0], "global": [0.75, 0.0]}, ["0", "1"], title="t", alt="a",
                  share=True)  # fmt: skip
    found = re.findall(r'x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', svg)
    boxes = [[*map(int, box)] for box in found]
    assert [box[1::2] for box in boxes] == [[7500, 2500], [0, 10000], [0, 7500]]
    assert boxes[0][0] == boxes[2][0] < 5000 < boxes[1][0]
    assert "<title>global, 0: 75.0%</title>" in svg and svg.count("<li") == 2


def test_page_of_untested_keys():
    nothing = dict.fromkeys(("accuracy", "predictions", "ages", "importances"))
    empty = {name: Table({"from": [], "to": [], "keys": []}) for name in ("sizes", "rows")}
    bare = keys_inspection("k", **nothing, **empty)
    bare.facts["accuracy of keys"]["keys"] = 0
    html = inspection_page(bare)
    assert 'id="sources-of-predictions"' not in html and 'id="sizes-of-states"' not in html
    assert 'id="keys-that-got-worse"' in html


def test_terminal_output_fits_eighty_columns_and_is_escaped():
    screen = console(record=True, file=StringIO(), force_terminal=True, width=80)
    screen.print(keys_view(keys_inspection()))
    text = screen.export_text()
    assert "\x1b" not in text and max(map(len, text.splitlines())) <= 80
    assert "predictions, over the stream ▅" in text and "0.900\n" in text
    assert re.search(r"keys, by rows ▃ ▂█ 100 to 1,599", text)
    assert "Keys that got worse (the first 5 of 14)" in text


def test_keys_of_similar_accuracy_are_described_without_a_histogram():
    few = {"from": [0.8, 0.85, 0.9], "to": [0.85, 0.9, 0.95], "keys": [0, 12, 0]}
    inspection = keys_inspection("k", accuracies=Table(few))
    html = inspection_page(inspection)
    assert "<p>The share of correct predictions of a key. Median 0.750" in html
    assert ">Accuracy over keys</figcaption>" not in html
    assert "by accuracy" not in repr(keys_view(inspection).renderables)
