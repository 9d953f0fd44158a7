"""Pages of outcomes, the verdict page built from them, and the numbers in the README."""

from pathlib import Path

import pytest

from driftlearn.bench.papers import EXPERIMENTS, find
from driftlearn.bench.papers.page import claim_sections, page_sections, read_claims, write_page
from driftlearn.bench.papers.verdict_page import NOT_CHECKED, rows, summary, write_index
from driftlearn.bench.papers.verdict_page import write_verdicts as write
from tests.bench.papers.made import any_outcome

HERE = Path(__file__).parents[3]
SHIPPED = HERE / "docs" / "results"


def page_of(experiment, folder, seeds=3):
    made = any_outcome(experiment, seeds=seeds)
    write_page(made, folder, "as typed", page_sections(made, seeds, {}, {}))
    return made


@pytest.mark.data
@pytest.mark.parametrize("experiment", find("S4"), ids=lambda e: e.item)
def test_a_page_gives_back_its_claims(experiment, tmp_path):
    made = page_of(experiment, tmp_path)
    (path,) = tmp_path.glob("*.rst")
    found = read_claims(path)
    for row in made.verdicts():
        back = found[row["claim"]]
        assert all(back[key] == str(row[key]).strip() for key in ("verdict", "figure", "margin"))
        assert ("sentence" in back) == (row["kind"] == "paper")


@pytest.mark.data
def test_other_kinds_are_apart_and_not_counted(tmp_path):
    made = page_of(find("S4", "table 5")[0], tmp_path)
    stated, further = (f"{each.text} {each.table}" for each in claim_sections(made.verdicts()))
    assert "Of 3 statements " in stated and "transfer function" not in stated
    assert "transfer function" in further and "UDNC above ARTMAP" not in further


@pytest.mark.data
def test_the_verdict_page_repeats_the_verdicts_of_the_pages(tmp_path):
    (experiment,) = find("S4", "table 5")
    made = page_of(experiment, tmp_path)
    text = write(tmp_path).read_text()
    found = [row for row in rows(tmp_path) if row["on"] == "s4-table-5"]
    expected = [row for row in made.verdicts() if row["kind"] == "paper"]
    assert [row["verdict"] for row in found] == [row["verdict"] for row in expected]
    assert [row["margin"] for row in found] == [row["margin"] for row in expected]
    assert {row["verdict"] for row in rows(tmp_path) if row["on"] != "s4-table-5"} == {NOT_CHECKED}
    details = (tmp_path / "verdicts-details.rst").read_text().split("Sources")[1]
    assert "Of 3 statements " in text and "3 seeds" in details
    assert "Of 3 statements " in write_index(tmp_path).read_text()


@pytest.mark.data
def test_the_reduced_size_decides_nothing_that_needs_the_full_one(tmp_path):
    page_of(find("S4", "table 5")[0].quick(), tmp_path)
    found = {r["checked as"]: r["verdict"] for r in rows(tmp_path) if r["on"] == "s4-table-5"}
    assert found["UDNC and ARTMAP within 3 points after D*"] == NOT_CHECKED
    assert found["UDNC above ARTMAP after D3 and D4"] != NOT_CHECKED


def test_shipped_pages_are_consistent():
    """The verdict page, the index and the README have the number of statements."""
    found = rows(SHIPPED)
    assert len(found) == sum(c.kind == "paper" for e in EXPERIMENTS for c in e.claims)
    for path in (SHIPPED / "verdicts.rst", SHIPPED / "index.rst", HERE / "README.md"):
        assert summary(found) in path.read_text(encoding="utf-8"), path.name
