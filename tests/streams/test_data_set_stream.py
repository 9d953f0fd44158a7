"""Streams of data sets: the checkerboard, Gaussian classes, schedules of recorded classes."""

import pickle

import numpy as np
import pytest

from driftlearn.streams import (
    Checkerboard,
    ClassSchedule,
    GaussianClasses,
    from_arrays,
    load,
    paper_schedule,
)


def counts_of(batches, classes):
    return [[int((batch.y == c).sum()) for c in classes] for batch in batches]


def board_label(point, angle, side=0.5):
    x1, x2 = point
    u1 = x1 * np.cos(angle) - x2 * np.sin(angle)
    u2 = x1 * np.sin(angle) + x2 * np.cos(angle)
    return 1 if int(np.ceil(u1 / side) + np.floor(u2 / side)) % 2 else 2


def test_checkerboard_labels_and_balance():
    stream = Checkerboard(n_steps=9, feature_noise=0, random_state=0)
    for k, batch in enumerate(stream):
        angle = 2 * np.pi * k / 8
        assert batch.y.tolist() == [board_label(x, angle) for x in batch.X]
        assert stream.concept_at(batch.start + 99) == pytest.approx(angle)
        assert not np.array_equal(np.sort(batch.y), batch.y)
    assert counts_of(stream, (1, 2)) == [[50, 50]] * 9
    assert stream.drifts == [] and stream.drift_spans == [(0, 900)]


def test_checkerboard_noise_is_on_the_features():
    noisy = Checkerboard(n_steps=50, random_state=0).take(5_000)[0]
    clean = Checkerboard(n_steps=50, feature_noise=0, random_state=0).take(5_000)[0]
    assert abs(np.std(noisy - clean) - 0.01) < 5e-4


def test_checkerboard_grid():
    stream = Checkerboard(n_steps=9, random_state=0)
    X, y = stream.test_set(row=350)
    np.testing.assert_array_equal(X, stream.grid_test(3)[0])
    assert X.shape == (2601, 2) and X.min() == 0 and X.max() == 1
    assert len(np.unique(X, axis=0)) == 2601
    assert y.tolist() == [board_label(x, 2 * np.pi * 3 / 8) for x in X]
    assert len(stream.grid_test(0, side=5)[1]) == 25
    with pytest.raises(ValueError, match=r"step.*Got 9"):
        stream.grid_test(9)


def test_checkerboard_repeats_after_half_a_turn():
    stream = Checkerboard(n_steps=101, random_state=0)
    rng = np.random.default_rng(0)
    inside = rng.random((1_000, 2))
    flipped = stream.label(-inside, stream.concept_at(0))
    np.testing.assert_array_equal(stream.label(inside, np.pi), flipped)


@pytest.mark.parametrize(
    ("rate", "speed"),
    [
        ("constant", lambda s: 1.0),
        ("rising", lambda s: 2 * s),
        ("falling", lambda s: 2 - 2 * s),
        ("pulsing", lambda s: 1 - np.cos(8 * np.pi * s)),
    ],
)
def test_checkerboard_turns_at_a_rate(rate, speed):
    """The angle at a row is the sum of the speeds, and all boards make one turn."""
    stream = Checkerboard(n_steps=401, per_class=1, rate=rate, random_state=0)
    angles = np.array([stream.concept_at(row) for row in range(0, stream.n_rows, 2)])
    assert angles[0] == 0 and angles[-1] == pytest.approx(2 * np.pi)
    middles = (np.arange(400) + 0.5) / 400
    expected = [2 * np.pi / 400 * speed(s) for s in middles]
    np.testing.assert_allclose(np.diff(angles), expected, atol=1e-5)
    X, y = stream.test_set(row=240)
    assert y.tolist() == [board_label(x, angles[120]) for x in X]


def test_checkerboard_concepts_are_angles():
    with pytest.raises(ValueError, match=r"rate must be one of .*did you mean 'rising'"):
        Checkerboard(rate="raising")


def test_gaussian_counts_are_those_of_table_1():
    first = [[10, 0, 0, 500], [10, 500, 0, 500], [10, 500, 500, 500], [10, 500, 10, 500]]
    stream = GaussianClasses(random_state=0)
    assert counts_of(stream, stream.classes) == first
    assert stream.drifts == [510, 1_520, 3_030]
    assert [stream.concept_at(row) for row in (0, 509, 510, 4_049)] == [0, 0, 1, 3]
    second = GaussianClasses.udnc(2, random_state=0)
    assert counts_of(second, second.classes) == [*first[:3], [10, 500, 0, 500]]
    assert stream.chunk_size is None


def test_gaussian_means_and_spreads():
    stream = GaussianClasses(((4_000,) * 4,), random_state=0)
    X, y = stream.take(16_000)
    for c, (mean, sd) in enumerate(zip(stream.means, (0.387, 0.35, 0.35, 0.35)), start=1):
        np.testing.assert_allclose(X[y == c].mean(axis=0), mean, atol=0.03)
        np.testing.assert_allclose(X[y == c].std(axis=0), sd, atol=0.02)


def test_gaussian_test_set_has_all_classes():
    stream = GaussianClasses(random_state=0)
    assert np.bincount(stream.test_set(0)[1]).tolist() == [0, 200, 200, 200, 200]
    assert np.bincount(stream.test_set(0, 10)[1]).tolist() == [0, 3, 3, 2, 2]


@pytest.mark.parametrize(
    "bad",
    [
        {"counts": ()},
        {"counts": ((1, 2, 3),)},
        {"counts": ((0, 0, 0, 0),)},
        {"counts": ((1, -1, 3, 3),)},
        {"sds": (1, 1)},
        {"means": ((0, 0), (1, 1), (-1, 0), (1,))},
        {"labels": ("d", "c", "b", "a")},
    ],
)
def test_bad_gaussians_are_refused(bad):
    with pytest.raises(ValueError, match=r"[Gg]ot"):
        GaussianClasses(**bad)


def pool():
    y = np.repeat(["a", "b", "c"], (30, 20, 10))
    return from_arrays(np.arange(60.0)[:, None], y)


def test_schedule_uses_no_row_twice():
    stream = ClassSchedule(pool(), ((10, 5, 0), (5, 5, 4)), (5, 5, 3), (2, 2, 2), random_state=0)
    assert counts_of(stream, "abc") == [[10, 5, 0], [5, 5, 4]]
    parts = [batch.X for batch in stream] + [stream.test_set()[0], stream.validation_set()[0]]
    used = np.concatenate(parts).ravel()
    assert len(used) == len(set(used)) == 10 + 5 + 14 + 13 + 6
    X, y = stream.take(29)
    np.testing.assert_array_equal(y, pool().arrays()[1][X.ravel().astype(int)])
    assert stream.n_rows == 29 and stream.drifts == [15]


def test_schedule_gives_what_is_left_and_can_draw_afresh():
    short = ClassSchedule(pool(), ((0, 0, 6), (0, 0, 6)), (0, 0, 2), random_state=0)
    assert counts_of(short, "abc") == [[0, 0, 6], [0, 0, 2]]
    fresh = ClassSchedule(pool(), ((0, 0, 6), (0, 0, 6)), (0, 0, 2), redrawn=(1,), random_state=0)
    assert counts_of(fresh, "abc") == [[0, 0, 6], [0, 0, 6]]
    held = set(fresh.test_set()[0].ravel())
    assert not held & set(fresh.take(12)[0].ravel())


def test_schedule_depends_on_its_seed_and_survives_pickling():
    def make(seed):
        return ClassSchedule(pool(), ((10, 10, 5),), (5, 5, 5), random_state=seed)

    np.testing.assert_array_equal(make(0).take(25)[0], make(0).take(25)[0])
    assert not np.array_equal(make(0).take(25)[0], make(1).take(25)[0])
    copy = pickle.loads(pickle.dumps(make(0)))
    np.testing.assert_array_equal(copy.take(25)[0], make(0).take(25)[0])
    X, _ = make(0).test_set(0, 4)
    assert set(X.ravel()) < set(make(0).test_set()[0].ravel())


def test_bad_schedules_are_refused():
    with pytest.raises(
        ValueError, match=r"'counts' parameter must be 3 nonnegative.* Got \(1, 1\)"
    ):
        ClassSchedule(pool(), ((1, 1),), (1, 1, 1))
    stream = ClassSchedule(pool(), ((1, 1, 1),), (1, 1, 1))
    with pytest.raises(ValueError, match="validation_counts"):
        stream.validation_set()
    with pytest.raises(
        ValueError, match="'n' parameter must be at most 3, the number of test rows"
    ):
        stream.test_set(0, 4)


def test_wine_schedule_uses_every_wine():
    stream = paper_schedule("wine", random_state=0)
    assert counts_of(stream, stream.classes) == [[26, 31, 0], [13, 16, 32]]
    assert np.bincount(stream.test_set()[1]).tolist() == [13, 16, 11]
    assert np.bincount(stream.validation_set()[1]).tolist() == [7, 8, 5]
    n = stream.n_rows + len(stream.test_set()[1]) + len(stream.validation_set()[1])
    assert n == load("wine").n_rows == 178


@pytest.mark.data
def test_digit_schedules():
    mt = paper_schedule("ocr-mt", random_state=0)
    assert mt.n_features == 64
    assert counts_of(mt, range(10)) == [list(row) for row in mt.counts]
    assert np.bincount(mt.test_set()[1]).tolist() == list(mt.test_counts)
    udnc = paper_schedule("ocr-udnc", random_state=0)
    assert udnc.n_features == 62
    got = counts_of(udnc, range(10))
    short = np.array(udnc.counts) - np.array(got)
    assert {(int(k), int(c)): int(short[k, c]) for k, c in np.argwhere(short)} == {
        (1, 2): 4,
        (2, 3): 3,
        (2, 7): 1,
    }
    rare = paper_schedule("ocr-rare", random_state=0)
    assert [row[0] for row in counts_of(rare, range(10))] == [40] * 4
