"""Options for another reading of a paper: references checked by hand, then the learners."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import driftlearn
from driftlearn import CARTClassifier, GaussianNBClassifier, StumpClassifier
from driftlearn.bench.papers.s3.iboost_variants import IBoostVariant
from tests.reference import learnpp
from tests.reference.bases import cart_base, naive_bayes_base
from tests.reference.common import drawn
from tests.reference.dtel import DTELReference, diversity, superfluous
from tests.reference.iboost import BinaryIBoostReference, IBoostReference, Row
from tests.reference.iboost_literal import LiteralIBoostReference
from tests.reference.nse import NSEReference, sigmoid
from tests.reference.online_bases import stump_base
from tests.reference.windowed_adaboost import WindowedAdaBoostReference

CART = cart_base(min_samples_split=10)
STUMP = stump_base()


def chunks(seed, n_classes, weighted, n_chunks=14, rows=50):
    """Yield chunks of moving bands of a sum, with some wrong labels."""
    rng = np.random.default_rng(seed)
    for t in range(n_chunks):
        X = rng.random((rows, 3))
        y = ((X[:, 0] + X[:, 1] + 0.45 * (t // 3 % 3)) * n_classes / 1.6).astype(int) % n_classes
        astray = rng.random(rows) < 0.15
        y[astray] = rng.integers(0, n_classes, astray.sum())
        yield X, y, rng.integers(1, 5, rows) / 4 if weighted else np.ones(rows)


def rows_of(seed, n_classes, n=220, noise=0.1):
    """Return the same for online learners."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    total = X.sum(axis=1) + 0.5 * (np.arange(n) >= n // 2)
    y = np.minimum((total * n_classes / 2).astype(int), n_classes - 1)
    astray = rng.random(n) < noise
    y[astray] = rng.integers(0, n_classes, astray.sum())
    return X, y, rng.integers(1, 4, n) / 2


STREAMS = list(itertools.product([0, 4], [2, 3], [False, True]))
streams = pytest.mark.parametrize(("seed", "n_classes", "weighted"), STREAMS)


def chunk_trace(reference, data, weights=lambda reference: reference.weights, **more):
    """Return predictions before every step, and members with weights after it."""
    trace = []
    for X, y, w in data:
        predicted = reference.predict(X).tolist() if trace else None
        reference.partial_fit(X, y, w, **more)
        births = getattr(reference, "births", None) or [member.step for member in reference.members]
        trace.append((predicted, list(births), list(weights(reference))))
    return trace


def product_chunk_trace(model, data, **more):
    trace = []
    for X, y, w in data:
        predicted = model.predict(X).tolist() if trace else None
        model.partial_fit(X, y, sample_weight=w, **more)
        members = model.members_
        trace.append((predicted, members["created_at"].tolist(), members["weight"].tolist()))
    return trace


def row_trace(reference, X, y, w):
    trace = []
    for x, label, weight in zip(X, y.tolist(), w):
        predicted = reference.predict_one(x)
        reference.learn_one(x, label, weight)
        trace.append((predicted, list(reference.alphas)))
    return trace


def before_a_tie(reference, X, y, w):
    """Return the rows before the first tie of confidences, because rounding decides a tie.

    If confidences are never updated, those of members without errors are all equal.
    """
    for i in range(len(y)):
        predicted = [
            1 if member.predict(X[i : i + 1])[0] == 1 else -1 for member in reference.members
        ]
        if len(predicted) > 1 and abs(np.dot(predicted, reference.alphas)) < 1e-9:
            assert i > 100, "too few rows are left to compare"
            return X[:i], y[:i], w[:i]
        reference.learn_one(X[i], y[i].item(), w[i])
    return X, y, w


def product_row_trace(model, X, y, w):
    trace = []
    for i in range(len(y)):
        predicted = model.predict(X[i : i + 1]).tolist()[0] if i else None
        model.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=w[i : i + 1])
        trace.append((predicted, model.members_["weight"].tolist()))
    return trace


def assert_agree(product, reference):
    for step, (ours, theirs) in enumerate(zip(product, reference, strict=True)):
        assert ours[:-1] == theirs[:-1], f"step {step}"
        assert ours[-1] == pytest.approx(theirs[-1], rel=1e-9, abs=1e-12), f"step {step}"


# DTEL

RIGHT = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 0]]
MEASURES = ["q", "disagreement", "double_fault", "entropy"]


def test_measures_of_diversity_by_hand():
    w = [1, 1, 1, 2]
    # pairs differ on rows (2, 3), none, (1, 3), (2, 3), (1, 2), (1, 3), of a weight of 5
    assert diversity("disagreement", RIGHT, w) == Fraction(5 * 2, 5 * 6)
    # both wrong: the last row always, the third in one pair
    assert diversity("double_fault", RIGHT, w) == -Fraction(2 * 6 + 1, 5 * 6)
    # right: 3, 3, 2, 0 of 4
    assert diversity("entropy", RIGHT, w) == Fraction(1 + 1 + 2, 2 * 5)
    assert diversity("entropy", RIGHT[:3], np.ones(4)) == Fraction(0 + 1 + 1 + 0, 4)
    for measure in MEASURES[1:]:
        assert diversity(measure, RIGHT[:1], w) == 0


def test_most_redundant_model_is_dropped():
    w = np.ones(4)
    assert superfluous("disagreement", RIGHT, w) == 0  # or the equal third one, which is newer
    assert superfluous("double_fault", [[0, 0, 1], [1, 0, 0], [1, 1, 0]], np.ones(3)) == 1
    assert superfluous("entropy", [[1, 0, 1], [1, 1, 1], [0, 1, 1]], np.ones(3)) == 1
    assert [superfluous(measure, RIGHT[:2], w) for measure in MEASURES] == [0] * 4


def dtel_trace(stream, **options):
    return chunk_trace(DTELReference(*CART, n_estimators=4, **options), chunks(*stream))


def dtel_product_trace(stream, **options):
    model = driftlearn.DTELClassifier(CARTClassifier(), 4, random_state=0, **options)
    return product_chunk_trace(model, chunks(*stream))


@pytest.mark.parametrize("measure", MEASURES)
@streams
def test_dtel_diversity(measure, seed, n_classes, weighted):
    stream = seed, n_classes, weighted
    reference = dtel_trace(stream, diversity=measure)
    assert_agree(dtel_product_trace(stream, diversity=measure), reference)


@pytest.mark.parametrize("n_transfers", [1, 2, 3])
@pytest.mark.parametrize("measure", ["q", "entropy"])
@streams
def test_dtel_n_transfers(n_transfers, measure, seed, n_classes, weighted):
    stream, options = (seed, n_classes, weighted), {"diversity": measure, "vote": "soft"}
    reference = dtel_trace(stream, n_transfers=n_transfers, **options)
    assert max(len(births) for _, births, _ in reference) == n_transfers + 1
    assert [predicted for predicted, _, _ in reference] != [
        predicted for predicted, _, _ in dtel_trace(stream, **options)
    ]
    assert_agree(dtel_product_trace(stream, n_transfers=n_transfers, **options), reference)


def test_dtel_enough_transfers_are_all():
    stream = STREAMS[2]
    assert dtel_trace(stream, n_transfers=4) == dtel_trace(stream)
    assert_agree(dtel_product_trace(stream, n_transfers=4), dtel_trace(stream))


def test_dtel_measures_differ():
    for stream in STREAMS:
        births = [[t[1] for t in dtel_trace(stream, diversity=measure)] for measure in MEASURES]
        assert all(a != b for a, b in itertools.combinations(births, 2)), stream


class Rule:
    """A model that predicts rule(x)."""

    def __init__(self, rule):
        self.rule = rule

    def predict(self, X):
        return np.array([self.rule(x[0]) for x in X])

    def proba(self, X, classes):
        return np.array([[float(self.rule(x[0]) == c) for c in classes] for x in X])


def always(label):
    return Rule(lambda x: label)


def script(*models):
    queue = list(models)
    return lambda X, y, w, seed: queue.pop(0)


def test_dtel_transfers_the_least_wrong_the_newer_among_equals():
    models, moved = [always("a"), always("a"), always("b"), always("c")], []
    reference = DTELReference(
        script(*models), lambda f, X, y, w: moved.append(f) or f, n_transfers=1
    )
    X = np.zeros((4, 1))
    for labels in ("aaaa", "aaaa", "abbb", "caaa"):
        reference.partial_fit(X, list(labels))
    assert [models.index(f) for f in moved] == [0, 1, 1]
    assert (reference.births, reference.archive_births) == ([2, 4], [1, 2, 3, 4])


# Learn++.NSE

CURVES = [{}, {"slope": 3.0, "crossing": 0.4}, {"slope": 0.5, "crossing": 0}]


def test_nse_printed_by_hand():
    reference = NSEReference(script(always("a"), always("b")), "printed", slope=2, crossing=1)
    X = np.zeros((4, 1))
    reference.partial_fit(X, list("aaab"))
    assert reference.weights == pytest.approx([math.log(1 + math.exp(2 * (1 - 1 / 3)))])
    reference.partial_fit(X, list("bbba"))
    both = sigmoid(2 * (1 / 3 - 1)) + 1 / 2
    assert reference.weights == pytest.approx([-math.log(both), math.log(1 + math.exp(2 * 0.75))])
    reference.weights = [-1.0, -2.0]
    reference.classes = ["a", "b", "c"]
    assert reference.predict(X[:1]).tolist() == ["c"]  # as printed: no member voted for it


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize(
    "options", [{}, {"use_distribution": "resample"}, {"prune": "error", "n_estimators": 5}]
)
@streams
def test_nse_printed(curve, options, seed, n_classes, weighted):
    stream, options = (seed, n_classes, weighted), {**curve, **options}
    reference = chunk_trace(NSEReference(CART[0], "printed", **options), chunks(*stream))
    usual = chunk_trace(NSEReference(CART[0], **options), chunks(*stream))
    assert reference[-1][-1] != pytest.approx(usual[-1][-1], rel=0.05)
    assert [predicted for predicted, _, _ in reference] != [predicted for predicted, _, _ in usual]
    if curve:
        assert min(min(weights) for _, _, weights in reference) < -0.5
    model = driftlearn.LearnPPNSEClassifier(
        CARTClassifier(), weighting="printed", random_state=0, **options
    )
    assert_agree(product_chunk_trace(model, chunks(*stream)), reference)


# Learn++ and its variants

FAMILY = ["LearnPP", "LearnPPMT", "LearnPPNC", "LearnPPUD", "LearnPPUDNC"]


def learnpp_data(seed, n_classes):
    *data, held = chunks(seed, n_classes, False, n_chunks=5, rows=60)
    return data, (held[0][:12], held[1][:12])


@pytest.mark.parametrize("ties", ["first", "last"])
@pytest.mark.parametrize("options", [{}, {"validation_share": 0.2}])
@pytest.mark.parametrize(("seed", "n_classes"), [(0, 2), (1, 3)])
@pytest.mark.parametrize("name", FAMILY)
def test_learnpp_ties(name, seed, n_classes, options, ties):
    data, held = learnpp_data(seed, n_classes)
    more = {} if options else {"validation": held}
    traces = {}
    for which in ("first", "last"):
        reference = getattr(learnpp, f"{name}Reference")(
            CART[0], n_per_chunk=6, ties=which, **options
        )
        traces[which] = chunk_trace(
            reference, data, lambda reference: [m.W for m in reference.members], **more
        )
    assert traces["first"][0][1] < traces["last"][0][1] or traces["first"] != traces["last"]
    model = getattr(driftlearn, f"{name}Classifier")(
        CARTClassifier(), 6, ties=ties, random_state=0, **options
    )
    assert_agree(product_chunk_trace(model, data, **more), traces[ties])


# IBoost and AdaBoost on a window


def test_draw_inverts_the_distribution():
    class Given:
        def random(self, n):
            return np.array([0.0, 0.25, 0.2499, 0.9999])[:n]

    assert drawn([1.0, 0.0, 1.0, 2.0], Given()).tolist() == [0, 2, 0, 3]
    assert drawn([2.0, 0.0], Given()).tolist() == [0, 0]


def test_literal_weights_by_hand():
    reference = LiteralIBoostReference(script(always(0)), update_when="never", n_estimators=3)
    reference.classes, reference.members, reference.alphas = (
        [0, 1],
        [always(1), always(0)],
        [0.7, 0.4],
    )
    reference.only_class = [None, None]
    for label in (0, 1, 0, 0):
        reference.slide(np.zeros(1), label, 1.0)
    logs = [row.log_weight for row in reference.window]
    assert logs == pytest.approx([0.7, 0.4, 0.7, 0.7])  # (15)
    reference._grow()
    e = math.exp(0.4) / (math.exp(0.4) + 3 * math.exp(0.7))
    assert reference.alphas[2] == pytest.approx(math.log((1 - e) / e))  # (3)
    logs = [row.log_weight for row in reference.window]
    assert logs == pytest.approx([0.7, 0.4 + reference.alphas[2], 0.7, 0.7])  # (4)
    reference._remove([0])
    logs = [row.log_weight for row in reference.window]
    assert logs == pytest.approx([0, 0.4 + reference.alphas[1], 0, 0])  # (16)
    reference.recalculate()
    F = sum(reference.alphas)
    assert [row.log_weight for row in reference.window] == pytest.approx([-F, F, -F, -F])  # (9)
    with pytest.raises(ValueError, match="exponential"):
        LiteralIBoostReference(STUMP, loss="logistic")


def test_literal_last_member_has_its_weights_recalculated():
    reference = LiteralIBoostReference(None, n_updates=0)
    reference.classes, reference.members, reference.alphas = (
        [0, 1],
        [always(0), always(1)],
        [-0.5, -0.2],
    )
    reference.only_class, reference.window = [None, None], [Row(np.zeros(1), 0, 1.0, [0, 1])]
    reference.window[0].log_weight = 5.0
    reference._remove_negatives()
    assert reference.window[0].log_weight == pytest.approx(reference.alphas[0]) == 1e-6


SMALL = {"n_estimators": 12, "window_size": 40}
LITERAL = {
    "stochastic": {},
    "batch": {"update": "batch", "n_updates": 2},
    "printed": {"rule": "printed", "step": 0.002},
    "printed-batch": {"rule": "printed", "update": "batch", "step": 0.0005},
    "negatives-stay": {"remove_negative": False, "step": 0.1},
    "clip": {"weight_clip": 3.0},
    "period": {"period": 3, "add": "always"},
    "before-add": {"update_when": "before_add"},
    "never": {"update_when": "never"},
    "never-full": {"update_when": "never", "n_estimators": 3},
    "never-always": {"update_when": "never", "add": "always", "n_estimators": 60},
}


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", LITERAL)
def test_iboost_literal(name, seed, resample):
    options = {**SMALL, **LITERAL[name], "resample": resample}
    data = before_a_tie(LiteralIBoostReference(STUMP, **options), *rows_of(seed, 2))
    reference = row_trace(LiteralIBoostReference(STUMP, **options), *data)
    coherent = row_trace(BinaryIBoostReference(STUMP, **options), *data)
    assert max(len(alphas) for _, alphas in reference) > 2
    if "never" in name:  # (3) with (4), (15) and (16) is the coherent pair with twice its alphas
        assert_agree(
            [(predicted, [a / 2 for a in alphas]) for predicted, alphas in reference], coherent
        )
    else:
        assert [predicted for predicted, _ in reference] != [predicted for predicted, _ in coherent]
    model = IBoostVariant.as_published(
        StumpClassifier(), convention="literal", random_state=0, **options
    )
    assert_agree(product_row_trace(model, *data), reference)


def test_iboost_literal_refuses_what_the_text_has_not():
    X, y, _ = rows_of(0, 3)
    with pytest.raises(ValueError, match="literal"):
        IBoostVariant.as_published(convention="literal").partial_fit(X, y)
    X, y, _ = rows_of(0, 2)
    with pytest.raises(ValueError, match="literal"):
        IBoostVariant.as_published(convention="literal", loss="logistic").partial_fit(X, y)


RESAMPLED = {
    "stochastic": {},
    "batch": {"update": "batch", "n_updates": 2},
    "logistic": {"loss": "logistic"},
    "clip": {"weight_clip": 1.0, "update_when": "never"},
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", RESAMPLED)
def test_iboost_resample(name, seed, n_classes):
    data, options = rows_of(seed, n_classes), {**SMALL, **RESAMPLED[name]}
    reference = row_trace(IBoostReference(STUMP, **options, resample=True), *data)
    weighted = row_trace(IBoostReference(STUMP, **options), *data)
    assert [predicted for predicted, _ in reference] != [predicted for predicted, _ in weighted]
    model = IBoostVariant.as_published(StumpClassifier(), resample=True, random_state=0, **options)
    assert_agree(product_row_trace(model, *data), reference)


@pytest.mark.parametrize("base", ["stump", "nb"])
@pytest.mark.parametrize(("seed", "n_classes"), [(0, 2), (1, 2), (0, 3), (1, 3)])
def test_windowed_adaboost_resample(seed, n_classes, base):
    train, estimator = {
        "stump": (STUMP, StumpClassifier()),
        "nb": (naive_bayes_base()[0], GaussianNBClassifier()),
    }[base]
    data, options = rows_of(seed, n_classes, 120), {"n_estimators": 6, "window_size": 40}
    reference = row_trace(WindowedAdaBoostReference(train, **options, resample=True), *data)
    weighted = row_trace(WindowedAdaBoostReference(train, **options), *data)
    assert [predicted for predicted, _ in reference] != [predicted for predicted, _ in weighted]
    model = driftlearn.WindowedAdaBoostClassifier(
        estimator, resample=True, random_state=0, **options
    )
    assert_agree(product_row_trace(model, *data), reference)


def test_iboost_warns_of_a_large_step():
    X, y, _ = rows_of(0, 2, 900)
    reference = IBoostReference(STUMP, **SMALL, step=0.3).partial_fit(X, y)
    assert len(reference.alphas) == 1
    model = driftlearn.IBoostClassifier.as_published(
        StumpClassifier(), **SMALL, step=0.3, random_state=0
    )
    with pytest.warns(match="step") as predicted:
        model.partial_fit(X, y)
    assert len(predicted) == 1
    assert model.members_["weight"] == pytest.approx(reference.alphas)
