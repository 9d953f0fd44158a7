"""Origins of settings, and results of alternative settings."""

import pytest
from sklearn.naive_bayes import GaussianNB

from driftlearn import GaussianNBClassifier
from driftlearn.bench.papers import (
    EXPERIMENTS,
    PAPERS,
    Claim,
    Experiment,
)
from driftlearn.bench.papers.page import page_sections, write_page
from driftlearn.bench.papers.setting import ORIGINS, UNSTATED, Setting, settings_of, settings_table
from driftlearn.bench.workbench.grid import Grid
from driftlearn.streams import SEA

BOTH = {"smooth": GaussianNBClassifier(var_smoothing=10.0), "bayes": GaussianNBClassifier()}
SHARP = "not smoothed"


def sea(seed, **options):
    return SEA(n_rows=2_000, noise=0.0, random_state=seed, **options)


def better(outcome):
    gap = outcome.accuracy("SEA", "bayes") - outcome.accuracy("SEA", "smooth")
    return {"gap": gap - 3}, f"{gap:.2f}"


def worse(outcome):
    margins, figure = better(outcome)
    return {"gap": -margins["gap"]}, figure


@pytest.fixture(scope="module")
def experiment():
    claims = (
        Claim(
            "Bayes better by 3", better, kind="paper", quote="Bayes is better", where="Section 1"
        ),
        Claim("Bayes not better by 3", worse, kind="variant"),
    )
    return Experiment(
        "S3", "table 9", "two learners", {"SEA": sea}, BOTH, claims=claims,
        alternatives={
            SHARP: {"smooth": GaussianNBClassifier()},
            "no change": {},
        },
    )  # fmt: skip


@pytest.mark.data
def test_every_setting_has_an_origin():
    unsaid = [
        (str(experiment), row["of"], row["setting"], row["value"])
        for experiment in EXPERIMENTS
        for row in settings_table(experiment)
        if row["origin"] == UNSTATED
    ]
    assert unsaid == []


@pytest.mark.data
@pytest.mark.parametrize("paper", PAPERS)
def test_every_origin_is_of_a_setting_that_is_there(paper):
    rows = [row for e in EXPERIMENTS if e.paper == paper for row in settings_table(e)]
    there = {(row["of"], row["setting"]) for row in rows}
    for setting in settings_of(paper):
        assert setting.origin in ORIGINS and setting.why
        for name in setting.names.split(", "):
            found = [path for of, path in there
                     if of == setting.of and f"{path}.".startswith(f"{name}.")]  # fmt: skip
            assert found, f"{paper}: nothing is called {name} of {setting.of}"


@pytest.mark.data
def test_what_was_chosen_to_come_near_has_an_alternative_somewhere():
    """Settings chosen to approach the printed numbers have alternatives where they matter most."""
    changed = {
        (e.paper, name) for e in EXPERIMENTS for other in e.alternatives.values() for name in other
    }
    assert changed >= {
        ("S0", "ensemble MLP"), ("S1", "Learn++.NSE"), ("S1", "SEA"), ("S1", "DTEL"),
        ("S1", "CIR200A"), ("S1", "STA500G"), ("S2", "Learn++.MT"), ("S2", "Learn++"),
        ("S3", "FLB M=200 n=200"), ("S3", "FLC"), ("S3", "IBoost Stochastic"), ("S4", "ARTMAP"),
        ("S4", "Learn++.UDNC"),
    }  # fmt: skip


def test_alternatives_change_what_is_there():
    for experiment in EXPERIMENTS:
        for name in experiment.alternatives:
            other = experiment.varied(name)
            assert {*other.streams} == {*experiment.streams}
            assert {*other.learners} == {*experiment.learners}


def test_an_alternative_of_something_else_is_refused(experiment):
    more = {"more": {"svm": GaussianNB()}}
    wrong = Experiment("S3", "table 9", "wrong", {"SEA": sea}, BOTH, alternatives=more)
    with pytest.raises(ValueError, match=r"Alternative 'more' .* unknown streams or learners: svm"):
        wrong.run([0])


def test_the_nearest_setting_counts():
    broad = Setting("tree", "estimator", "ours", "all of it")
    narrow = Setting("tree", "estimator.goal", "printed", "one of it")
    assert broad.fit("tree B", "estimator.goal") < narrow.fit("tree B", "estimator.goal")
    assert broad.fit("tree B", "estimators") is None
    assert broad.fit("bayes", "estimator") is None


def test_claims_are_checked_under_alternatives(experiment, tmp_path):
    grid = Grid()
    outcome = experiment.attempt(grid, range(6))
    assert {row["verdict"] for row in outcome.verdicts()} == {"holds", "does not hold"}
    rows = outcome.verdicts_otherwise().to_dicts()
    assert [row["with"] for row in rows] == [SHARP, SHARP, "no change"]
    assert rows[0]["verdict here"] == rows[2]["verdict then"] == "1 hold, 0 undecided, 0 not"
    assert rows[0]["verdict then"] == "0 hold, 0 undecided, 1 not"
    assert (rows[1]["claim"], rows[1]["verdict then"]) == ("Bayes better by 3", "does not hold")
    (row,) = outcome.accuracy_otherwise()
    assert row["learner"] == "smooth" and row["then"] > row["here"] + 3
    done = grid.store.cells(1)
    assert len({cell["cell"] for cell in done}) == 6 * 2, "what both have in common is run once"
    page = write_page(outcome, tmp_path, "command", page_sections(outcome, 6, {}, {})).read_text()
    assert "Settings and their origins" in page and SHARP in page
    assert "Verdicts with other settings" in page


def test_a_part_is_run_without_alternatives(experiment):
    assert experiment.run([0], learners=["smooth"]).alternatives == {}
