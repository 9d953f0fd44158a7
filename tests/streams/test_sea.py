import numpy as np
import pytest

from driftlearn.streams import SEA


def test_labels_follow_the_threshold_in_force():
    stream = SEA(n_rows=8_000, noise=0, random_state=0)
    X, y = stream.take(8_000)
    theta = np.repeat([8, 9, 7, 9.5], 2_000)
    np.testing.assert_array_equal(y, np.where(X[:, 0] + X[:, 1] >= theta, 1, 2))
    assert X.min() >= 0 and X.max() <= 10
    assert stream.drifts == [2_000, 4_000, 6_000]
    assert stream.drift_spans == [(2_000, 2_000), (4_000, 4_000), (6_000, 6_000)]
    assert [stream.concept_at(row) for row in (0, 1_999, 2_000, 7_999)] == [8, 8, 9, 9.5]


def test_noise_is_in_the_training_rows_only():
    stream = SEA(random_state=0)
    clean = SEA(noise=0, random_state=0)
    X, y = stream.take(50_000)
    np.testing.assert_array_equal(X, clean.take(50_000)[0])
    wrong = y != clean.take(50_000)[1]
    assert abs(wrong.mean() - 0.1) < 0.005
    X, y = stream.test_set(30_000, 5_000)
    np.testing.assert_array_equal(y, np.where(X[:, 0] + X[:, 1] >= 7, 1, 2))


def test_noise_in_test_on_request():
    X, y = SEA(noise=0.2, noise_in_test=True, random_state=0).test_set(0, 20_000)
    assert abs(np.mean(y != np.where(X[:, 0] + X[:, 1] >= 8, 1, 2)) - 0.2) < 0.01


def test_ramp_moves_the_threshold_linearly():
    stream = SEA((4, 8), n_rows=1_000, noise=0, ramp=100, random_state=0)
    assert stream.drift_spans == [(500, 600)]
    assert [stream.concept_at(row) for row in (499, 500, 525, 599, 600, 999)] == pytest.approx(
        [4, 4, 5, 7.96, 8, 8]
    )
    X, y = stream.take(1_000)
    theta = np.interp(np.arange(1_000), [500, 600], [4, 8])
    np.testing.assert_array_equal(y, np.where(X[:, 0] + X[:, 1] >= theta, 1, 2))


def test_thresholds_recur():
    stream = SEA((1, 2), n_rows=1_000, segment=300, random_state=0)
    assert stream.drifts == [300, 600, 900]
    assert [stream.concept_at(row) for row in (0, 300, 600, 900)] == [1, 2, 1, 2]


def test_form_of_the_iboost_paper():
    stream = SEA.iboost(random_state=0)
    X, y = stream.take(1_000)
    np.testing.assert_array_equal(y, np.where(X[:, 0] + X[:, 1] <= 8, 1, -1))
    assert stream.classes.tolist() == [-1, 1]
    assert stream.n_rows == 50_000 and stream.drifts == [12_500, 25_000, 37_500]


def test_form_of_the_nse_paper():
    stream = SEA.nse(random_state=0)
    assert stream.noise == 0.1 and not stream.noise_in_test
    assert sum(1 for _ in stream) == 200
    assert len(stream.test_set(0)[1]) == 250


@pytest.mark.parametrize(
    "bad",
    [
        {"noise": 1.0},
        {"noise": -0.1},
        {"n_rows": 0},
        {"n_rows": 2.5},
        {"thresholds": ()},
        {"n_rows": 3},
        {"labels": (1, 1)},
        {"ramp": -1},
        {"segment": 0},
        {"chunk_size": 0},
    ],
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=r"[Gg]ot|divided"):
        SEA(**bad)
