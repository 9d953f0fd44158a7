"""AdaBoost on a window, FLB and OCB against their twins."""

import numpy as np
import pytest
from boosted_cases import bands, with_late_class
from twins.flb import FLBTwin
from twins.ocb import OCBTwin
from twins.online_bases import stump_base
from twins.windowed_adaboost import WindowedAdaBoostTwin

from driftlearn import FLBClassifier, OCBClassifier, StumpClassifier, WindowedAdaBoostClassifier


def agree(product, twin, X, y, w, probe_every=40):
    """The same predictions all along, and the same scores to rounding."""
    probe = np.random.default_rng(9).random((50, X.shape[1]))
    for start in range(0, len(y), probe_every):
        part = slice(start, start + probe_every)
        product.partial_fit(X[part], y[part], sample_weight=w[part])
        twin.partial_fit(X[part], y[part], w[part])
        scores = np.asarray(twin.scores(probe), dtype=float)
        known = [list(product.classes_).index(c) for c in twin.classes]
        if isinstance(product, WindowedAdaBoostClassifier):
            ours = product.team_.scores(probe)[:, known]
            ours = ours / ours.sum(axis=1, keepdims=True)
        else:
            ours = product.predict_proba(probe)[:, known]
        said = [twin.predict_one(x) for x in probe]
        clear = np.abs(np.sort(scores, axis=1)[:, -1] - np.sort(scores, axis=1)[:, -2]) > 1e-9
        np.testing.assert_array_equal(product.predict(probe)[clear], np.array(said)[clear])
        total = scores.sum(axis=1, keepdims=True)
        if (total > 0).all() and (scores >= 0).all():
            np.testing.assert_allclose(ours, scores / total, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "how", [{}, {"window_size": 30}, {"period": 7}, {"n_estimators": 3}], ids=str
)
@pytest.mark.parametrize("stream", ["two", "late"])
def test_windowed_adaboost(how, stream):
    how = {"n_estimators": 12, "window_size": 60, "random_state": 1, **how}
    X, y, w = bands(1, 200, noise=0.05) if stream == "two" else with_late_class(200)
    twin = WindowedAdaBoostTwin(stump_base(laplace=0.0), **how)
    agree(WindowedAdaBoostClassifier(StumpClassifier(), **how), twin, X, y, w)


@pytest.mark.parametrize("detect", [True, False])
@pytest.mark.parametrize("how", [{}, {"n_per_block": 1}, {"n_estimators": 4}], ids=str)
@pytest.mark.parametrize("stream", ["two", "late"])
def test_flb(how, detect, stream):
    how = {"n_estimators": 30, "block_size": 25, "n_per_block": 3, "random_state": 1, **how}
    X, y, w = bands(1, 400, noise=0.05) if stream == "two" else with_late_class(400)
    product = FLBClassifier(StumpClassifier(), change_level=0.01 if detect else None, **how)
    agree(product, FLBTwin(stump_base(laplace=0.5), detect=detect, **how), X, y, w)


@pytest.mark.parametrize("how", [{}, {"order": 1}, {"order": 20}, {"smoothing": 2.0}], ids=str)
def test_ocb(how):
    how = {"n_estimators": 10, "init_size": 60, "random_state": 1, **how}
    X, y, w = bands(1, 300, noise=0.1)
    agree(OCBClassifier(StumpClassifier(), **how), OCBTwin(stump_base(laplace=0.0), **how), X, y, w)
