"""driftlearn reproduce: numbers beside the printed ones, claims, pages and figures."""

import json

import pytest
from click.testing import CliRunner

from driftlearn.bench.papers import PAPERS
from driftlearn.bench.papers.s3.tables import FIGURE_2
from driftlearn.bench.workbench.store import Store
from driftlearn.cli import main

pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True)
def own_store(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def run(*words):
    done = CliRunner().invoke(main, ["reproduce", *words, "--quiet", "--on", "serial"])
    assert done.exit_code == 0, done.output
    return done


def test_published_and_own_numbers_stand_side_by_side():
    done = run("S1", "--table", "III", "--stream", "STA200A", "--seeds", "1", "--quick")
    assert "89.48" in done.output and "DTEL" in done.output
    assert "reduced" in done.output and "what the papers state" in done.output
    assert done.output.startswith("Sun, Tang, Zhu and Yao 2018 (DTEL), table III: accuracy on")


def test_quick_runs_mark_claims_that_need_the_full_size(tmp_path):
    done = run("S3", "--item", "variant noise", "--quick", "--out", str(tmp_path / "out"))
    assert "(reduced: " in done.output and "(variant) (needs the full size)" in done.output
    assert "one seed; reduced size" in done.output and "state; reduced size" in done.output
    page = (tmp_path / "out" / "s3-variant-noise.rst").read_text()
    assert "driftlearn reproduce S3 --item 'variant noise' --quick" in page
    assert page.startswith("Grbovic and Vucetic 2011 (IBoost), variant noise\n====")
    assert "(reduced: " in page and "needs the full size" in page and "processor" in page
    index = (tmp_path / "out" / "index.rst").read_text()
    assert ":doc:`s3-variant-noise`" in index and "Not checked in the full size" in index
    assert "Reduced size." in index and "**Reduced size" in page
    html = (tmp_path / "out" / "s3-variant-noise.html").read_text("utf-8")
    assert "<strong>Reduced size" in html and 'src="data:image/png;base64,' in html
    assert "driftlearn reproduce S3 --item &#x27;variant noise&#x27; --quick" in html
    assert "Reduced size" in (tmp_path / "out" / "s3-variant-noise.svg").read_text("utf-8")
    assert "Sources" in (tmp_path / "out" / "verdicts-details.rst").read_text()
    for ending in ("png", "svg"):
        picture = tmp_path / "out" / f"s3-variant-noise.{ending}"
        assert picture.stat().st_size > 1_000 and (ending == "svg" or picture.name in page)


def test_papers_are_named_by_authors():
    shown = run("--help").output
    listed = CliRunner().invoke(main, ["list", "papers"]).output
    for short, paper in PAPERS.items():
        assert f"{short}  {paper}" in shown and f"{short}: {paper}: {paper.title}" in listed
    one = CliRunner().invoke(main, ["list", "papers", "s4"]).output
    assert "S4 table 5: digits" in one and "learners: ARTMAP" in one and "S3" not in one


def test_a_drawing_without_learners(tmp_path):
    run("S0", "--figure", "2", "--out", str(tmp_path))
    assert (tmp_path / "s0-figure-2.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "s0-figure-2.svg").read_text().startswith("<?xml")


def test_the_same_drawing_is_the_same_file(tmp_path):
    contents = []
    for folder in ("a", "b"):
        run("S0", "--figure", "2", "--out", str(tmp_path / folder))
        contents.append((tmp_path / folder / "s0-figure-2.svg").read_bytes())
    assert contents[0] == contents[1]


def test_json_is_all_that_goes_to_standard_output():
    done = run("S3", "--figure", "2", "--quick", "--learner", "FLB M=200 n=200", "--json")
    (found,) = json.loads(done.stdout)["experiments"]
    assert found["paper"] == "S3" and found["item"] == "figure 2"
    (row,) = found["table"]
    assert row["learner"] == "FLB M=200 n=200" and row["published"] == 94.4
    assert found["claims"] == [], "claims need all learners"


def test_a_figure_takes_what_a_table_has_run(tmp_path):
    words = ("--quick", "--learner", "OCB M=200 n=200")
    run("S3", "--table", "2", *words)
    run("S3", "--figure", "2", *words)
    with Store(tmp_path / "data" / "driftlearn" / "runs.sqlite") as store:
        assert len(store.query("SELECT key FROM cells")) == 1 and len(store.runs()) == 2
    assert "OCB M=200 n=200" in FIGURE_2.learners


def test_a_failure_in_one_cell_is_reported_and_the_rest_is_shown(monkeypatch):
    from driftlearn.ensemble.boosting.flb import FLBClassifier

    def broken(self, chunk):
        raise FloatingPointError("broken")

    monkeypatch.setattr(FLBClassifier, "_learn", broken)
    words = ["reproduce", "S3", "--figure", "2", "--quick", "--quiet", "--on", "serial"]
    for name in ("FLB", "OCB"):
        words += ["--learner", f"{name} M=200 n=200"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1
    assert "failed: FLB M=200 n=200 on SEA, seed 0" in done.output and "OCB M=200" in done.output
