"""The experiments of S2 and S4, small: their definitions, and the robust claims."""

import numpy as np
import pytest
from sklearn.base import clone

from driftlearn.bench.papers import Experiment, published
from driftlearn.bench.papers.claim import on_each
from driftlearn.bench.papers.s2 import tables as s2
from driftlearn.bench.papers.s2.claims import bounded, over_bases
from driftlearn.bench.papers.s2.streams_and_learners import MLP, OTHER_BASES, Vapours, Wine, both
from driftlearn.bench.papers.s4 import tables as s4
from driftlearn.bench.papers.s4.claims import UDNC, above
from driftlearn.evaluate import holdout
from driftlearn.streams import GaussianClasses
from tests.bench.papers.made import met

S2 = (s2.TABLES_2_3, s2.FIVE_AND_FIVE, s2.TABLES_5_6, s2.SECTION_4, s2.TABLES_8_9)
S4 = (s4.TABLES_2_3, s4.TABLE_5, s4.TABLE_6, s4.FUTURE_WORK)


def counts(batch, n_classes, first=1):
    return np.bincount(batch.y - first, minlength=n_classes).tolist()


@pytest.mark.parametrize("experiment", [*S2, *S4], ids=lambda e: f"{e.paper} {e.item}")
def test_printed_rows_fit(experiment):
    """Every printed table has a row per test, and its overall accuracy is between its recalls."""
    for stream, tables in experiment.recalls.items():
        assert stream in experiment.streams
        for learner, rows in tables.items():
            assert learner in experiment.learners
            assert rows.shape[0] == len(experiment.tests)
            recalls, overall = np.nan_to_num(rows[:, :-2]), rows[:, -2]
            assert (recalls.min(axis=1) <= overall).all()
            assert (overall <= recalls.max(axis=1)).all()


@pytest.mark.parametrize("experiment", [s4.TABLES_2_3, s4.TABLE_5, s4.TABLE_6])
def test_overall_of_s4_is_the_mean_recall(experiment):
    for tables in experiment.recalls.values():
        for rows in tables.values():
            assert np.abs(rows[:, :-2].mean(axis=1) - rows[:, -2]).max() < 1.1


def test_wine_is_table_1():
    stream = Wine(0)
    table = published()["S2"]["tables"]["1"]["rows"]
    assert [counts(batch, 3) for batch in stream] == [table["D1"], table["D2"]]
    X, y = stream.test_set()
    assert np.bincount(y - 1).tolist() == table["test"]
    assert np.bincount(stream.validation_set()[1] - 1).tolist() == table["valid"]
    assert X.min() >= 0 and X.max() <= 1


@pytest.mark.data
@pytest.mark.parametrize("name", ["gas", "alcohol"])
def test_vapours_follow_table_7(name):
    """The gases have the printed counts; the alcohols use all rows and have its empty cells."""
    table = published()["S2"]["tables"]["7"]["rows"]
    stream = Vapours(name, 1)
    found = [counts(batch, 5) for batch in stream]
    printed = [table[test] for test in ("D1", "D2", "D3")]
    if name == "gas":
        assert found == printed
    else:
        assert stream.n_rows + len(stream.test_set()[1]) == 125
        assert (np.array(found) == 0).tolist() == (np.array(printed) == 0).tolist()


def test_wine_five_and_five():
    """Learn++ is outvoted on the new class with every base learner, Learn++.MT is not."""
    outcome = s2.FIVE_AND_FIVE.run(range(5))
    for base in ("", *OTHER_BASES):
        old, new = (outcome.recall("wine", f"{name}{base}", "D2", 3)
                    for name in ("Learn++", "Learn++.MT"))  # fmt: skip
        assert new >= 85 and old <= 65, base
        assert outcome.level("wine", f"Learn++{base}", "D1") == outcome.level(
            "wine", f"Learn++.MT{base}", "D1"
        )
    assert met(s2.FIVE_AND_FIVE.claims[0].check(outcome))


def test_members_are_selected_on_the_validation_set():
    """Fewer than 30 members per data set are kept; without the validation set all would be."""
    outcome = s2.TABLES_2_3.run([0], learners=["Learn++.MT"])
    members = outcome.results["wine"].scores("Learn++.MT", "members")[0]
    assert 1 <= members[0] < 30 and members[0] < members[1] < members[0] + 30
    plain = holdout(both({"": MLP}, 30)["Learn++.MT"], Wine(0), log_loss=False)
    assert plain.scores("LearnPPMT", "members").tolist() == [30, 60]


@pytest.fixture(scope="module")
def gaussian():
    learners = dict(s4.TABLES_2_3.learners)
    learners |= s4.udnc(s4.MLP_A, 5)
    small = Experiment(**{**vars(s4.TABLES_2_3), "learners": learners})
    return small.run(range(2), streams=["experiment 2"])


def test_gaussian_course(gaussian):
    """UDNC retains a class that disappears, SMOTE does not; rare-class recall falls."""
    assert gaussian.recall("experiment 2", "SMOTE", "D4", 3) == 0
    assert gaussian.recall("experiment 2", UDNC, "D4", 3) > 70
    rare = [gaussian.recall("experiment 2", UDNC, test, 1) for test in s4.SETS]
    assert rare[0] > rare[2]
    for name in gaussian.results["experiment 2"].names:
        assert gaussian.recall("experiment 2", name, "D1", 2, 3) == 0


def test_tables_show_published_and_ours(gaussian):
    overall, recalls = gaussian.table(), gaussian.recall_table()
    assert overall["stream"].tolist()[:4] == [f"experiment 2 {test}" for test in s4.SETS]
    assert overall["published"][0] == 34.93
    row = recalls.to_dicts()[0]
    assert (row["figures"], row["after"], row["1"], row["overall"]) == (
        "published",
        "D1",
        39.9,
        34.93,
    )
    ours = recalls.to_dicts()[1]
    assert ours["overall"] == pytest.approx(np.mean([ours[c] for c in "1234"]), abs=0.1)
    n_printed = (recalls["figures"] == "published").sum()
    assert n_printed == 12 and len(recalls) == 12 + 16


def test_claims_of_a_part(gaussian):
    """A claim that needs a stream that was not run is omitted."""
    assert len(gaussian.verdicts()) == 0
    part = ("experiment 2",)
    margins, figure = above(gaussian, part, "SMOTE", ("D4",), 3)
    assert margins["experiment 2 D4"] > 0
    assert figure.startswith("experiment 2: ") and figure.endswith("against 0.0")
    never = on_each(lambda outcome, stream: ({"": -1.0}, "no"))
    assert never(gaussian, part) == ({"experiment 2": -1.0}, "experiment 2: no")


def test_claims_require_every_base_learner():
    """A claim about several base learners fails with one of them."""
    outcome = s2.FIVE_AND_FIVE.run(range(2), learners=["Learn++ SVM", "Learn++.MT SVM"])
    assert met(bounded(outcome, "wine", "D2", (3,), 85, 65))
    two = over_bases(lambda outcome, stream, old, new: ({"x": 1.0}, old))
    found = two(outcome, "wine", bases=(" a", " b"))
    assert found == ({"x a": 1.0, "x b": 1.0}, "Learn++ a (a); Learn++ b (b)")


def test_rare_schedule():
    for batch in s4.rare(5, seed=0):
        assert counts(batch, 4) == [5, 500, 500, 500]


def test_smote_inside_udnc_runs():
    stream = GaussianClasses(((5, 60, 60, 60),) * 2, test_per_class=50, random_state=0)
    learner = clone(s4.FUTURE_WORK.learners[s4.FILLED])
    learner.set_params(n_per_chunk=5, random_state=0)
    result = holdout({"filled": learner}, stream, log_loss=False)
    assert result.scores("filled", "members").tolist() == [5, 10]
    assert result.recalls("filled")[-1, 1:].min() > 0.5


@pytest.mark.data
def test_digits_new_classes():
    """Table 6 against Table 5, two seeds: MT ahead, by the classes that came last."""
    experiment = s2.TABLES_5_6.varied(s2.SUB)
    outcome = experiment.run(range(2), learners=["Learn++", "Learn++.MT"])
    assert outcome.level("OCR", "Learn++.MT", "D3") >= outcome.level("OCR", "Learn++", "D3") + 4
    assert outcome.recall("OCR", "Learn++.MT", "D3", 4, 9) >= 75
    assert outcome.recall("OCR", "Learn++", "D3", 4, 9) <= 50
    assert 55 <= outcome.level("OCR", "Learn++", "D1") <= 60


@pytest.mark.data
def test_digits_that_come_and_go():
    """Tables 5 and 6, two seeds: levels, ARTMAP behind, the rare digit predicted."""
    learners = ["ARTMAP", UDNC]
    five, six = (e.run(range(2), learners=learners) for e in (s4.TABLE_5, s4.TABLE_6))
    assert 45 <= five.level("OCR", UDNC, "D1") <= 51
    assert 85 <= five.level("OCR", UDNC, "D4") <= 94
    for test in ("D3", "D4"):
        assert five.level("OCR", UDNC, test) > five.level("OCR", "ARTMAP", test)
    assert all(six.recall("OCR", UDNC, test, 0) >= 93 for test in s4.SETS)
