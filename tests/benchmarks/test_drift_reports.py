"""Drift reports on a few streams: hits, dates and no false alarm; the page."""

import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def reports(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import drift_reports

    return drift_reports


def test_drifts_of_each_kind_are_dated_and_streams_without_drift_are_quiet(reports):
    results = [reports.run((kind, k), "naive-bayes") for k, kind in enumerate(reports.KINDS)]
    for found in results:
        own = [each for each in found["reports"] if reports.is_hit(found["kind"], each)]
        assert 1 <= found["delay"] <= 7 and found["early"] == []
        assert min(abs(day) for _, day, *_ in own) <= 2
    quiet = [reports.run(("none", k), "naive-bayes") for k in range(3)]
    assert [each["reports"] for each in quiet] == [[], [], []]
    drifts, alarms = reports.summary([*results, *quiet])
    assert [row[1:3] for row in drifts[1:]] == [[1, 1]] * 4
    assert [row[1:3] for row in alarms[1:]] == [[1, 0]] * 3


def test_page(reports, monkeypatch, tmp_path):
    error = {"kind": "error", "stream": 3, "how": "time column", "delay": 2, "early": []}
    error["reports"] = [("error rule", 1, 0.1, 0.2)]
    quiet = {"kind": "none", "stream": 0, "how": "numbered files", "delay": None, "early": []}
    quiet["reports"] = [("price", 3, 0.1, 0.2)]
    lines = [{"n": 1, "first": 0, "learner": "naive-bayes"}, error, quiet]
    (tmp_path / "out.jsonl").write_text("\n".join(map(json.dumps, lines)))
    path = tmp_path / "page.rst"
    words = [f"--out={tmp_path / 'out.jsonl'}", f"--page={path}"]
    monkeypatch.setattr(sys, "argv", ["drift_reports.py", *words])
    reports.main()
    text = path.read_text()
    assert "drift_reports.py --streams 1 --first 0\n" in text
    rows = [line.strip(" *-") for line in text.splitlines()]
    at = rows.index("error: 8 % of the labels are wrong, then 22 %")
    assert rows[at + 1 : at + 7] == ["1", "1", "2.0", "2", "0", "1"]
    at = rows.index("numbered files")
    assert rows[at + 1 : at + 4] == ["1", "1", "price"]
