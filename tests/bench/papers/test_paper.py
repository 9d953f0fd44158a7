"""Papers are named by authors, loaded separately and run in the same way."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from sklearn.naive_bayes import GaussianNB

from driftlearn.bench.papers import EXPERIMENTS, PAPERS, Experiment, find
from driftlearn.bench.workbench.grid import Grid
from driftlearn.bench.workbench.store import Store
from driftlearn.streams import SEA


class Broken(GaussianNB):
    """Learner that fails."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        raise FloatingPointError("no more")


def sea(seed):
    return SEA(n_rows=500, random_state=seed)


@pytest.fixture
def experiment():
    learners = {"whole": GaussianNB(), "broken": Broken()}
    return Experiment("S3", "table 9", "a failure", {"SEA": sea}, learners)


def test_authors():
    assert [str(paper) for paper in PAPERS.values()] == [
        "Karnick, Muhlbaier and Polikar 2008 (Learn++.NSE)",
        "Sun, Tang, Zhu and Yao 2018 (DTEL)",
        "Muhlbaier, Topalis and Polikar 2004 (Learn++.MT)",
        "Grbovic and Vucetic 2011 (IBoost)",
        "Ditzler, Muhlbaier and Polikar 2010 (Learn++.UDNC)",
    ]
    for short, paper in PAPERS.items():
        assert paper.short == short and paper.title and paper.venue


def test_every_item_is_in_its_paper():
    found = [(paper, item) for paper in PAPERS for item in PAPERS[paper].items]
    assert [(e.paper, e.item) for e in EXPERIMENTS] == found
    for experiment in EXPERIMENTS:
        assert str(experiment) == f"{PAPERS[experiment.paper]}, {experiment.item}"


@pytest.mark.parametrize(
    "paper, item", [("S0", "figure 4"), ("S1", "table III"), ("S3", "table 3")]
)
def test_one_table_loads_no_other_paper(paper, item):
    script = (
        "import sys, json\n"
        "from driftlearn.bench.papers import find\n"
        f"find({paper!r}, {item!r})\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('driftlearn.bench.papers.s')]))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    folder = f"driftlearn.bench.papers.{paper.lower()}"
    where = PAPERS[paper].items[item]["experiment"].partition(":")[0]
    shared = {f"{folder}.{name}" for name in ("claims", where)}
    found = {name for name in json.loads(out.stdout) if name != "driftlearn.bench.papers.setting"}
    assert {folder, *shared} <= found
    assert all(name == folder or name.startswith(f"{folder}.") for name in found)


def test_a_run_fails_with_its_cell(experiment):
    with pytest.raises(RuntimeError, match=r"broken on SEA, seed 0: .*no more"):
        experiment.run([0])
    assert list(experiment.run([0], learners=["whole"]).results) == ["SEA"]


def test_attempts_continue_after_failed_cells(experiment, tmp_path):
    with Store(tmp_path / "runs.sqlite") as store:
        outcome = experiment.attempt(Grid(store), [0, 1], command="as typed")
        (run,) = store.runs()
    assert outcome.results["SEA"].names == ["whole"] and len(outcome.failed) == 2
    assert run["title"] == "Grbovic and Vucetic 2011 (IBoost), table 9"
    assert run["command"] == "as typed"
    own = replace(experiment, paper="Mine")
    assert str(own) == "Mine, table 9"
    assert own.attempt(Grid(), [0], learners=["whole"]).failed == ()


def test_papers_are_found_whatever_the_case():
    assert find(" s4 ") == find("S4")
