"""Variants beyond the papers' tables: Bayes boundary, drift rates, dealt hands."""

from functools import partial

import numpy as np
import pytest

from driftlearn.bench.papers import Outcome
from driftlearn.bench.papers.drawing import regions
from driftlearn.bench.papers.s0.figures import CHANGING_RATE, RATE_LEARNERS, RATES
from driftlearn.bench.papers.s1.streams_and_learners import LEARNERS
from driftlearn.bench.papers.s1.tables import POKER
from driftlearn.bench.papers.s4 import tables as s4
from driftlearn.streams import GaussianClasses
from tests.bench.papers.made import any_outcome, met, outcome, result


@pytest.mark.parametrize("sds", [(0.387, 0.35, 0.35, 0.35), (0.6, 0.3, 0.2, 0.4)])
def test_the_accuracy_of_bayes_rule_is_that_on_many_rows(sds):
    stream = GaussianClasses(sds=sds, random_state=0)
    X, y = stream.test_set(0, n=200_000)
    right = stream.classes[s4.densities(stream, X).argmax(axis=1)] == y
    assert s4.bayes_accuracy(stream) == pytest.approx(100 * right.mean(), abs=0.2)


def test_bayes_rule_of_two_alike_classes():
    """The accuracy for two classes two deviations from their midpoint is a normal integral."""
    stream = GaussianClasses(((9, 9),), means=((-1, 0), (1, 0)), sds=(0.5, 0.5), random_state=0)
    assert s4.bayes_accuracy(stream) == pytest.approx(97.7250, abs=0.005)


def test_the_note_has_the_accuracy_of_the_stream():
    stream = s4.FIGURE_3.streams["Gaussian classes"](0)
    note = s4.FIGURE_3.notes["Bayes"]
    assert "states 93.1" in note and f"{s4.bayes_accuracy(stream):.1f} if 0.15 is" in note


def test_regions_are_where_a_class_has_the_highest_score():
    """Bayes' boundary between classes 2 and 4, mirror images, is where the second feature is 0."""
    (axes,) = s4.FIGURE_3.figures["figure 3"](Outcome(s4.FIGURE_3, {})).axes
    rows = [c.get_offsets() for c in axes.collections if len(c.get_offsets()) > 1]
    assert [len(each) for each in rows] == [200] * 4
    X, y = s4.FIGURE_3.streams["Gaussian classes"](0).test_set(0)
    for label, each in enumerate(rows, start=1):
        np.testing.assert_array_equal(each, X[y == label])

    def halves(stream, X):
        """Class 2 above a line, class 4 below it."""
        return np.column_stack([X[:, 0] * 0 - 9, X[:, 1] - 0.3, X[:, 0] * 0 - 9, 0.3 - X[:, 1]])

    made = Outcome(s4.FIGURE_3, {})
    figure = regions(made, stream="Gaussian classes", scores=halves)
    paths = [c.get_paths()[0].vertices for c in figure.axes[0].collections if not c.get_fill()]
    drawn = np.concatenate([path for path in paths if len(path)])
    np.testing.assert_allclose(drawn[:, 1], 0.3, atol=1e-9)
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == [*(f"class {c}" for c in "1234"), "decision boundary"]


def rates(course, rate="rising", n=200):
    """Return an outcome in which the ensemble leads by a given curve over the steps of one rate."""
    single = np.full(n, 0.7)
    courses = {name: single + (course / 100 if name.startswith("ensemble") else 0)
               for name in RATE_LEARNERS}  # fmt: skip
    made = result(courses, np.arange(1, n + 1) * 100)
    return outcome(CHANGING_RATE, {rate: made})


STEPS = np.arange(200) / 199


@pytest.mark.parametrize(
    ("number", "right", "wrong"),
    [
        (0, np.full(200, 1.0), np.full(200, -1.0)),
        # a board that speeds up is half round after 0.707 of the steps
        (1, np.where(STEPS > 0.72, 2.0, 0.0), np.where((STEPS > 0.5) & (STEPS < 0.7), 2.0, 0.0)),
        (2, np.where(STEPS > 0.76, 2.0, -1.0), np.where(STEPS > 0.76, -2.0, 1.0)),
    ],
)
def test_claims_on_a_rate(number, right, wrong):
    claim = [c for c in CHANGING_RATE.claims if c.needs == ("rising",)][number]
    assert met(claim.check(rates(right)))
    assert not met(claim.check(rates(wrong)))


def test_every_rate_has_its_panels_and_claims():
    experiment = CHANGING_RATE
    assert [experiment.streams[rate](0).rate for rate in RATES] == list(RATES)
    figure = experiment.figures["variant changing rate"](any_outcome(experiment))
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == [f"{r}, {b}" for r in RATES for b in ("naive Bayes", "CART")]
    assert {claim.kind for claim in experiment.claims} == {"variant"}
    assert len(experiment.claims) == 2 + 3 * 3


def test_dealt_hands_are_a_million_and_stand_beside_the_printed_row():
    experiment = POKER
    stream = experiment.streams["dealt hands"](3)
    assert stream.n_rows == 1_000_000 and stream.drifts == [] and stream.random_state == 3
    assert experiment.protocol_of("dealt hands")[1]["chunk_size"] == 1_000
    assert experiment.numbers["dealt hands"]["SEA"] == 56.36
    assert set(experiment.learners) == set(LEARNERS)


@pytest.mark.parametrize(("dtel", "holds"), [(0.52, True), (0.47, False)])
def test_claims_on_dealt_hands(dtel, holds):
    steady = partial(np.full, 120)
    courses = {"DTEL": steady(dtel), "SEA": steady(0.56), "Learn++.NSE": steady(0.48),
               "AUE2": np.tile([0.50, 0.52], 60), "TIX": steady(0.46)}  # fmt: skip
    made = outcome(POKER, {"dealt hands": result(courses, np.arange(1, 121) * 1_000)})
    best, above, steadier = POKER.claims
    assert met(best.check(made)) and met(steadier.check(made))
    assert met(above.check(made)) == holds
