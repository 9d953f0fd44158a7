"""Scaling and limits at a small scale: points, exponents computed by hand, pages."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def scaling(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import scaling

    return scaling


def test_resumes(scaling, monkeypatch, tmp_path, capsys):
    words = ["--seconds=0.01", "--most=1000", "--learner=naive Bayes", "--axis=classes"]
    monkeypatch.setattr(sys, "argv", ["scaling.py", f"--work={tmp_path}", *words])
    scaling.main()
    assert "naive Bayes, classes: 2:" in capsys.readouterr().out
    scaling.main()
    assert capsys.readouterr().out == ""
    (line,) = (json.loads(text) for text in (tmp_path / "scaling.jsonl").read_text().splitlines())
    assert [point["value"] for point in line["points"]] == [2, 5, 10, 30, 100]
    assert line["points"][-1]["kB"] > line["points"][0]["kB"]


def test_members_are_there_before_the_clock_runs(scaling, monkeypatch):
    requested = SimpleNamespace(seconds=0.01, patience=60.0, most=2_000)
    for learner in ("SEA, CART", "OnlineBoost, naive Bayes"):
        assert scaling.point(learner, "members", 3, requested)["at"] >= 3
    monkeypatch.setattr(scaling, "UNTIL_FULL", 500)
    assert scaling.point("DWM, naive Bayes", "classes", 2, requested)["us"] > 0  # fewer members
    requested.patience = 0.0
    assert scaling.point("SEA, CART", "members", 300, requested) is None
    assert "members" not in scaling.axes_of("naive Bayes")
    assert "members" not in scaling.axes_of("DWM, naive Bayes")  # not limited


def test_lifetime(scaling):
    requested = SimpleNamespace(patience=60.0, most=10_000)
    short, long = scaling.life("naive Bayes", requested)
    assert (short["at"], long["at"]) == (1_000, 10_000)
    assert short["kB"] == pytest.approx(long["kB"], rel=0.1) and long["us"] > 0


def test_exponents_by_hand(scaling):
    import scaling_page

    at = np.array([1.0, 10.0, 100.0, 1000.0])
    assert scaling_page.exponent(at, 3 * at**2) == pytest.approx((2.0, 3.0))
    assert np.isnan(scaling_page.exponent(at[:2], at[:2])[0])
    assert scaling_page.tail(at, [5.0, 10.0, 100.0, 1000.0])[0] == pytest.approx(1.0)
    points = [{"value": n, "at": n, "us": n / 10, "kB": n} for n in (10, 100, 1000)]
    lines = {("DTEL, CART", "members"): {"points": points}}
    assert scaling_page.gives_out(lines, "DTEL, CART", "members") == "time: 1 ms a row at 10,000"
    for point in points:
        point["kB"] = 1000 * point["at"]
    assert scaling_page.gives_out(lines, "DTEL, CART", "members") == "memory: 1 GB at 1,000"


def test_page(scaling, tmp_path):
    pytest.importorskip("matplotlib")
    import scaling_page

    points = [{"value": n, "at": n, "us": n / 10, "kB": 5.0, "MB": 90.0} for n in (10, 100, 1000)]
    lines = {("DTEL, CART", axis): {"points": points} for axis in ("members", "rows")}
    lines["DTEL, CART", "threads"] = {"points": points[:2]}
    page = tmp_path / "scaling.rst"
    scaling_page.write_page(page, {})
    assert "No measurements yet" in page.read_text(encoding="utf-8")
    scaling_page.write_page(page, lines)
    text = page.read_text(encoding="utf-8")
    assert "1.00 (1.00)" in text and "- 0.10" in text  # exponents; two threads ten times slower
    assert page.with_suffix(".png").stat().st_size > 5_000


def test_limits(scaling, monkeypatch, tmp_path, capsys):
    import limits

    monkeypatch.setattr(sys, "argv", ["limits.py", f"--work={tmp_path}", "--only=votes"])
    limits.main()
    assert capsys.readouterr().out.count(" times\n") == 2
    limits.main()
    assert capsys.readouterr().out == ""
    text = "\n".join(limits.section_of(tmp_path / "limits.jsonl"))
    assert "votes of Learn++.UDNC" in text and "us a row" in text


@pytest.mark.parametrize("entry", ["IBoost, batch", "IBoost, stochastic", "FLB", "NSOnlineBoost"])
def test_limits_of_online_learners(entry, scaling, monkeypatch):
    import limits

    monkeypatch.setattr(limits, "WARM", 300)
    monkeypatch.setattr(limits, "TIMED", 200)
    found = limits.ENTRIES[entry](None)
    assert min(found["limit"], found["ours"]) > 0 and found["accuracy"] > 0.5


@pytest.mark.data
@pytest.mark.parametrize("entry", ["DTEL", "Learn++.NSE"])
def test_limits_of_chunk_learners(entry, scaling):
    import limits

    found = limits.ENTRIES[entry](SimpleNamespace(chunks=4))
    assert 0 < found["limit"] < np.inf and found["accuracy"] > 0.3
