"""The experiments of S3, small: their definitions, and the robust claims."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from driftlearn.bench.papers import find
from driftlearn.bench.papers.s3 import figures, tables
from driftlearn.bench.papers.s3.claims import (
    BATCH,
    STOCHASTIC,
    after,
    after_each,
    ahead,
    alike,
    at_least,
    between,
    chain,
    course,
    from_row,
    in_concepts,
    not_worse,
)
from driftlearn.bench.papers.s3.figures import LOGISTIC, NAIVE, STUMPS, WINDOW, figure
from driftlearn.bench.papers.s3.tables import sea
from tests.bench.papers.made import met

A, B = f"{STOCHASTIC} M=20 n=200", "AdaBoost M=20 n=200"


@pytest.mark.parametrize("experiment", find("S3"), ids=lambda e: e.item)
def test_claims_and_notes_are_about_what_is_there(experiment):
    names = {*experiment.streams, *experiment.learners}
    kinds = {name.split(" M=")[0].split(" p=")[0] for name in names}
    for claim in experiment.claims:
        assert set(claim.needs) <= set(experiment.streams)
    for subject in experiment.notes:
        assert set(subject.split("/")) <= names | kinds
    assert len({claim.text for claim in experiment.claims}) == len(experiment.claims)


@pytest.mark.parametrize("experiment", [tables.TABLE_2, tables.TABLE_3, tables.TABLE_4])
def test_every_cell_has_its_printed_number(experiment):
    for stream in experiment.streams:
        assert set(experiment.numbers[stream]) == set(experiment.learners)


def test_printed_cells():
    accuracy, recovery = tables.TABLE_2.numbers["SEA"], tables.TABLE_2.further["recovery"]["SEA"]
    assert (accuracy["FLB M=200 n=2000"], recovery["FLB M=200 n=2000"]) == (83.4, 81.9)
    assert (accuracy["IBoost Batch M=500 n=200"], accuracy["AdaBoost M=20 n=200"]) == (98, 94.5)
    numbers = tables.TABLE_3.numbers["SEA"]
    recovery = tables.TABLE_3.further["recovery"]["SEA"]
    assert (numbers["IBoost Stochastic p=50 b=1"], recovery["IBoost Batch p=1 b=10"]) == (
        94.7,
        92.9,
    )
    assert tables.TABLE_4.numbers["Santa Fe"]["DWM"] == 88.8


def test_settings_reach_the_learners():
    chosen = tables.TABLE_2.learners["IBoost Batch M=200 n=500"]
    assert (chosen.n_estimators, chosen.window_size, chosen.update) == (200, 500, "batch")
    assert tables.TABLE_2.learners["OCB M=200 n=100"].init_size == 100
    chosen = tables.TABLE_3.learners["IBoost Stochastic p=50 b=1"]
    assert (chosen.period, chosen.n_updates, chosen.n_estimators) == (50, 1, 200)
    chosen = figures.FIGURE_5.learners[NAIVE]
    assert (chosen.n_estimators, chosen.period, chosen.n_updates, chosen.loss) == (
        20,
        10,
        1,
        "exponential",
    )
    assert figures.FIGURE_6.learners["DWM"].period == 500
    assert tables.TABLE_4.learners["DWM"].period == 50


def test_streams():
    stream = sea(0)
    assert stream.drifts == [12_500, 25_000, 37_500]
    X, y = stream.test_set(13_000)
    assert len(y) == 2_500 and ((X[:, 0] + X[:, 1] < 9) == (y == 1)).all()
    assert figures.FIGURE_5.streams["LED"](0).drifts == [500_000]
    assert figure(5, 1_000).streams["LED"](0).drifts == [500]
    assert figures.FIGURE_6.streams["RBF"](0).n_rows == 1_000_000


@pytest.fixture(scope="module")
def small():
    """Two learners of scikit-learn replace two of Table 2, on a short SEA."""
    part = tables.table_2(members=(20,), windows=(), n_rows=4_000)
    learners = {A: GaussianNB(), B: GaussianNB(var_smoothing=10.0)}
    return replace(part, learners=learners, claims=(), alternatives={}).run([0])


def test_checks(small):
    """Every kind of claim can hold and can fail, and returns figures."""
    a, b = small.accuracy("SEA", A), small.accuracy("SEA", B)
    assert a != b
    best, worst = (A, B) if a > b else (B, A)
    high, low = max(a, b), min(a, b)
    checked = {
        at_least: [("SEA", A, a - 0.01), ("SEA", A, a + 0.01)],
        between: [("SEA", A, a - 0.01, a + 0.01), ("SEA", A, a + 0.01, 100)],
        ahead: [("SEA", best, {worst: high - low - 0.01}), ("SEA", worst, (best,))],
        not_worse: [("SEA", worst, best, high - low + 0.01), ("SEA", worst, best, 0)],
        from_row: [("SEA", best, (worst,), 0), ("SEA", worst, (best,), 0)],
        chain: [("SEA", [(best, worst)]), ("SEA", [(best, worst), (worst, best)])],
        course: [("SEA", [best, worst], low - high + 0.01), ("SEA", [best, worst], 0)],
        after: [("SEA", A, 100.0), ("SEA", A, -100.0)],
        after_each: [("SEA", A, (B,), 4_000), ("SEA", A, (A,))],
        in_concepts: [("SEA", A, [B], (1, 4), 100.0), ("SEA", A, [B], (2, 3), -100.0)],
        alike: [("SEA", A, B, high - low + 0.01), ("SEA", A, B, 0)],
    }
    for check, (right, wrong) in checked.items():
        assert met(check(small, *right)), check.__name__
        assert not met(check(small, *wrong)), check.__name__
    assert at_least(small, "SEA", A, 0) == ({"": a}, f"{a:.2f}")


def test_a_trend_is_that_of_all(small):
    """A curve that ends higher but decreases on the whole has no rising trend."""
    a, b = small.accuracy("SEA", A), small.accuracy("SEA", B)
    best, worst = (A, B) if a > b else (B, A)
    bent = [worst, *[best] * 3, *[worst] * 3, best]
    assert not met(course(small, "SEA", bent, 0, trend=True))
    falls = course(small, "SEA", bent, -0.001, trend=True)
    assert met(falls) and falls[0]["trend"] == pytest.approx(abs(a - b) / 6 - 0.001)


def test_loss_after_a_change_is_measured_at_the_change(small):
    scores = small.results["SEA"].scores(A)[0]
    drifts = [1_000, 2_000, 3_000]
    losses = [scores[d // 50 - 2 : d // 50].mean() - scores[d // 50 : d // 50 + 2].mean()
              for d in drifts]  # fmt: skip
    assert after(small, "SEA", A, 5, rows=100)[1] == f"{100 * np.mean(losses):.2f}"


def test_recovery_beside_the_printed(small):
    table = small.beside("recovery")
    assert table["published"].tolist() == [92.5, 92.0]
    ours = 100 * np.mean(small.results["SEA"].recovery(A))
    assert small.value("SEA", A, "recovery") == pytest.approx(ours)
    assert table["ours"][0] == round(ours, 2)


@pytest.mark.compiled
def test_iboost_is_ahead_on_sea():
    """Table 2 with concepts of 2,000 rows and M = 100: the order of its first three rows."""
    learners = [f"{name} M=100 n=200" for name in (BATCH, STOCHASTIC, "AdaBoost")]
    outcome = tables.table_2((100,), (), n_rows=8_000).run([0], learners=learners)
    batch, stochastic, adaboost = (outcome.accuracy("SEA", name) for name in learners)
    assert batch > stochastic + 0.3 and stochastic > adaboost + 0.2
    checked = chain(outcome, "SEA", [learners])
    assert met(checked) and checked[1] == "2 of 2"


@pytest.mark.compiled
def test_additions_that_are_rare_cost_accuracy():
    names = [f"{STOCHASTIC} p={p} b=1" for p in (1, 50)]
    part = tables.table_3(updates=(1,), periods=(50,), n_rows=8_000)
    outcome = part.run([0], learners=names)
    assert met(course(outcome, "SEA", names, -0.5))


@pytest.mark.compiled
def test_logistic_loss_is_robust_to_noise():
    names = [f"{STOCHASTIC} M=50{loss}" for loss in (LOGISTIC, "")]
    outcome = figures.NOISE.run([0], learners=names)
    logistic, exponential = (outcome.accuracy("SEA", name) for name in names)
    assert logistic >= 87 and logistic > exponential + 5


@pytest.mark.compiled
def test_figures_5_and_6_small():
    led = figure(5, 6_000).run([0], learners=[STUMPS + LOGISTIC, "DWM"])
    assert led.accuracy("LED", STUMPS + LOGISTIC) > 70
    rbf = figure(6, 12_000).run([0], learners=[NAIVE, "OnlineBoost", WINDOW])
    assert met(ahead(rbf, "RBF", NAIVE, {"OnlineBoost": 3}))
    assert abs(rbf.accuracy("RBF", NAIVE) - rbf.accuracy("RBF", WINDOW)) < 3


@pytest.mark.data
@pytest.mark.compiled
def test_santa_fe():
    """Table 4, one seed: IBoost leads the fast learners, as claimed."""
    names = [STOCHASTIC, "OnlineBoost", "OCB", "DWM"]
    outcome = tables.TABLE_4.run([0], streams=["Santa Fe"], learners=names)
    assert outcome.accuracy("Santa Fe", STOCHASTIC) >= 93.5
    assert met(ahead(outcome, "Santa Fe", STOCHASTIC, {"DWM": 3, "OnlineBoost": 1.5}))
