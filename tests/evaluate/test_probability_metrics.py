"""Metrics of probabilities, compared with scikit-learn or with explicit formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from driftlearn import GaussianNBClassifier, MajorityClassifier
from driftlearn.evaluate import metrics, prequential
from driftlearn.streams import SEA

cases = st.tuples(st.integers(2, 4), st.integers(0, 2**32 - 1), st.booleans())


def drawn(k, seed, ties, n=30):
    """Return labels of every class, and probabilities with or without ties."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    proba = rng.multinomial(8, np.full(k, 1 / k), n) / 8 if ties else rng.dirichlet(np.ones(k), n)
    return y, proba


@given(cases)
def test_auc_is_scikit_learns(case):
    k = case[0]
    y, proba = drawn(*case)
    expected = (
        reference.roc_auc_score(y, proba[:, 1])
        if k == 2
        else reference.roc_auc_score(y, proba, multi_class="ovo", average="macro")
    )
    assert metrics.auc(y, proba, np.arange(k)) == pytest.approx(expected)


def test_auc_counts_pairs_in_the_right_order():
    y, proba = drawn(3, 5, True)
    areas = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for own, other in ((i, j), (j, i)):
            pairs = [
                (proba[a, own] > proba[b, own]) + 0.5 * (proba[a, own] == proba[b, own])
                for a in np.flatnonzero(y == own)
                for b in np.flatnonzero(y == other)
            ]
            areas.append(np.mean(pairs))
    assert metrics.auc(y, proba, [0, 1, 2]) == pytest.approx(np.mean(areas))


def test_auc_of_one_class_is_undefined():
    assert np.isnan(metrics.auc([1, 1], [[0.2, 0.8], [0.6, 0.4]], [0, 1]))
    assert np.isnan(metrics.auc([7], [[0.2, 0.8]], [0, 1]))


def test_auc_of_a_class_the_learner_never_saw_is_a_tie():
    """A pair with a class of no probability: half by its own, all or nothing by the other's."""
    found = metrics.auc(["a", "c"], [[0.9, 0.1], [0.2, 0.8]], ["a", "b"])
    assert found == pytest.approx((1.0 + 0.5) / 2)


@given(cases)
def test_brier_score_is_half_the_squared_distance(case):
    k = case[0]
    y, proba = drawn(*case)
    expected = ((proba - np.eye(k)[y]) ** 2).sum(axis=1).mean() / 2
    assert metrics.brier_score(y, proba, np.arange(k)) == pytest.approx(expected)
    if k == 2:
        assert expected == pytest.approx(reference.brier_score_loss(y, proba[:, 1]))


@pytest.mark.parametrize("new", [-1, 5])
def test_brier_score_of_a_class_the_learner_never_saw(new):
    assert metrics.brier_score([new], [[0.3, 0.7]], [0, 1]) == pytest.approx(
        (0.09 + 0.49 + 1.0) / 2
    )


def test_unscaled_scores_and_no_scores_at_all():
    assert metrics.brier_score([0], [[3.0, 1.0]], [0, 1]) == pytest.approx(0.25**2)
    assert metrics.brier_score([0], [[0.0, 0.0]], [0, 1]) == pytest.approx(0.5)


@given(cases)
def test_calibration_error_by_hand(case):
    k = case[0]
    y, proba = drawn(*case)
    confidence, hit = proba.max(axis=1), proba.argmax(axis=1) == y
    expected = 0.0
    for low in range(10):
        inside = [min(int(c * 10), 9) == low for c in confidence]
        if any(inside):
            expected += np.mean(inside) * abs(confidence[inside].mean() - hit[inside].mean())
    bins = metrics.calibration(y, proba, np.arange(k))
    assert bins[0].sum() == len(y) and bins[2].sum() == hit.sum()
    assert metrics.calibration_error(bins) == pytest.approx(expected)


def test_calibration_of_no_rows_is_undefined():
    assert np.isnan(metrics.calibration_error(np.zeros((3, 10))))


@pytest.fixture(scope="module")
def result():
    stream = SEA(n_rows=1200, noise=0.1, chunk_size=100, random_state=0)
    return prequential({"nb": GaussianNBClassifier(), "prior": MajorityClassifier()}, stream)


@pytest.fixture(scope="module")
def predicted():
    """Return the prequential probabilities of naive Bayes, chunk by chunk."""
    model, found = GaussianNBClassifier(), []
    for batch in SEA(n_rows=1200, noise=0.1, random_state=0).chunks(100):
        if found or hasattr(model, "classes_"):
            found.append((batch.y, model.predict(batch.X), model.predict_proba(batch.X)))
        model.partial_fit(batch.X, batch.y)
    return found


@pytest.mark.parametrize("window", [1, 3, None])
@pytest.mark.parametrize("metric", ["accuracy", "f1", "log_loss", "brier", "ece", "auc"])
def test_scores_over_windows_are_those_of_the_rows_together(result, predicted, metric, window):
    formulas = {
        "accuracy": lambda y, p, q: reference.accuracy_score(y, p),
        "f1": lambda y, p, q: reference.f1_score(y, p, average="macro"),
        "log_loss": lambda y, p, q: reference.log_loss(y, q, labels=[1, 2]),
        "brier": lambda y, p, q: reference.brier_score_loss(y, q[:, 1], pos_label=2),
        "ece": lambda y, p, q: metrics.calibration_error(metrics.calibration(y, q, [1, 2])),
        "auc": lambda y, p, q: reference.roc_auc_score(y, q[:, 1]),
    }
    found = result.scores("nb", metric, window)
    assert np.isnan(found[0])
    for k in range(len(predicted)):
        rows = predicted[0 if window is None else max(0, k + 1 - window) : k + 1]
        if metric == "auc":  # of several chunks the mean
            expected = np.mean([formulas["auc"](*chunk) for chunk in rows])
        else:
            expected = formulas[metric](*(np.concatenate(part) for part in zip(*rows)))
        assert found[k + 1] == pytest.approx(expected), k


def test_summary_and_table_have_them(result):
    row = result.summary("nb")
    for metric in ("f1", "brier", "ece", "kappa_m", "kappa_temporal"):
        assert row[metric] == result.scores("nb", metric, None)[-1] == result.total("nb", metric)
    assert row["auc"] == pytest.approx(np.nanmean(result.scores("nb", "auc")))
    table = result.table(columns=["auc", "brier", "ece"])
    assert table.columns == ["learner", "auc", "brier", "ece"]
    assert table.marked["auc"] == {0} and table.marked["brier"] == {0}
    assert table["auc"][1] == 0.5  # the prior does not rank rows


def test_unknown_metrics_columns_and_windows(result):
    with pytest.raises(ValueError, match=r"metric must be one of .*'kapa'.*did you mean 'kappa"):
        result.scores("nb", "kapa")
    with pytest.raises(
        ValueError, match=r"per-class metric must be one of .*'recal'.*did you mean 'recall'"
    ):
        result.per_class("nb", "recal")
    with pytest.raises(
        ValueError, match=r"column must be one of .*'acuracy'.*did you mean 'accuracy'"
    ):
        result.table(columns=["acuracy"])
    for window in (0, -1, 2.5, "all"):
        with pytest.raises(ValueError, match="'window' parameter must be an int"):
            result.scores("nb", "kappa", window)


def test_metrics_without_probabilities_are_nan():
    stream = SEA(n_rows=300, chunk_size=100, random_state=0)
    result = prequential({"nb": GaussianNBClassifier()}, stream, log_loss=False)
    for metric in ("log_loss", "brier", "auc", "ece"):
        assert np.isnan(result.scores("nb", metric)).all()
    assert not np.isnan(result.scores("nb")[1:]).any()


def test_scores_of_joint_records():
    """A window of chunks of different sizes, with a new class in the middle."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.where(np.arange(90) < 50, (X[:, 0] > 0).astype(int), 2 * (X[:, 1] > 0))
    batches = [(X[i : i + 10], y[i : i + 10]) for i in range(0, 90, 10)]
    result = prequential({"nb": GaussianNBClassifier()}, batches, every=90)
    model, labels, proba = GaussianNBClassifier(), [], np.zeros((80, 3))
    for k, (rows, truth) in enumerate(batches):
        if k:
            for column, c in zip(model.predict_proba(rows).T, model.classes_):
                proba[10 * k - 10 : 10 * k, c] = column
            labels.extend(truth)
        model.partial_fit(rows, truth)
    assert result.total("nb", "brier") == pytest.approx(
        ((proba - np.eye(3)[labels]) ** 2).sum(axis=1).mean() / 2
    )
    assert result.total("nb", "auc") == pytest.approx(metrics.auc(labels, proba, [0, 1, 2]))


def test_ram_hours_are_size_times_time():
    stream = SEA(n_rows=500, chunk_size=100, random_state=0)
    result = prequential({"nb": GaussianNBClassifier()}, stream, memory_every=2)
    data = result.data["nb"]
    seconds = data["fit_seconds"] + data["predict_seconds"]
    size = data["nbytes"][[0, 0, 2, 2, 4]]
    hours = size * seconds / 2**30 / 3600
    np.testing.assert_allclose(result.scores("nb", "ram_hours"), hours)
    assert result.summary("nb")["ram_hours"] == pytest.approx(hours.sum())
    once = prequential({"nb": GaussianNBClassifier()}, stream)
    assert once.summary("nb")["ram_hours"] == pytest.approx(
        once.memory["nb"] * once.summary("nb")["seconds"] / 2**30 / 3600
    )


def test_nan_is_ignored():
    odd = [[np.nan, np.nan], [0.2, 0.8]], [0, 1]
    zeros = [[0.0, 0.0], [0.2, 0.8]], [0, 1]
    for metric in (metrics.log_loss, metrics.brier_score, metrics.auc):
        assert metric([0, 1], *odd) == metric([0, 1], *zeros)
    assert np.array_equal(metrics.calibration([0, 1], *odd), metrics.calibration([0, 1], *zeros))
