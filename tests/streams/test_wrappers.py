"""Noise, imbalance, missing values and irrelevant columns, added to any stream."""

import numpy as np
import pytest

from driftlearn.streams import (
    RBF,
    SEA,
    AssetNegotiation,
    Checkerboard,
    ClassImbalance,
    ClassRuns,
    GaussianClasses,
    IrrelevantFeatures,
    LabelNoise,
    MissingValues,
    RandomRows,
    Sine,
    Waveform,
    from_arrays,
)

GENERATED = Sine(n_rows=5_000, random_state=4)
RECORDED = from_arrays(
    np.random.default_rng(0).random((5_000, 2)),
    np.arange(5_000) % 3,
    drifts=(2_000,),
    holdout=500,
)
DATA_SETS = Checkerboard(n_steps=50, random_state=4)
each = pytest.mark.parametrize("inner", [GENERATED, RECORDED, DATA_SETS], ids=lambda s: s.name)


@each
def test_label_noise_changes_labels_only(inner):
    stream = LabelNoise(inner, noise=0.3)
    X, y = stream.take(inner.n_rows)
    clean_X, clean_y = inner.take(inner.n_rows)
    np.testing.assert_array_equal(X, clean_X)
    assert abs((y != clean_y).mean() - 0.3) < 0.02
    assert set(y) <= set(inner.classes)
    assert stream.drift_spans == inner.drift_spans and stream.chunk_size == inner.chunk_size
    for values, expected in zip(stream.test_set(7, 400), inner.test_set(7, 400)):
        np.testing.assert_array_equal(values, expected)
    noisy = LabelNoise(inner, noise=0.3, noise_in_test=True)
    assert abs((noisy.test_set(7, 400)[1] != inner.test_set(7, 400)[1]).mean() - 0.3) < 0.07


def test_all_other_classes_are_as_likely():
    stream = LabelNoise(Waveform(n_rows=30_000, random_state=0), noise=0.5)
    y, clean = stream.take(30_000)[1], stream.stream.take(30_000)[1]
    wrong = y != clean
    assert abs(((y - clean)[wrong] % 3 == 1).mean() - 0.5) < 0.02


@each
def test_missing_values_are_gaps_in_the_same_rows(inner):
    stream = MissingValues(inner, rate=0.25)
    for (X, y), (whole, labels) in (
        (stream.take(inner.n_rows), inner.take(inner.n_rows)),
        (stream.test_set(7, 400), inner.test_set(7, 400)),
    ):
        gaps = np.isnan(X)
        np.testing.assert_array_equal(X[~gaps], whole[~gaps])
        np.testing.assert_array_equal(y, labels)
        assert abs(gaps.mean() - 0.25) < 0.05
    assert not np.isnan(MissingValues(inner, rate=0).take(2_000)[0]).any()


@each
def test_irrelevant_features_come_after_the_others(inner):
    stream = IrrelevantFeatures(inner, n_irrelevant=3)
    assert stream.n_features == inner.n_features + 3 == len(stream.feature_names)
    for (X, y), (relevant, labels) in (
        (stream.take(inner.n_rows), inner.take(inner.n_rows)),
        (stream.test_set(7, 400), inner.test_set(7, 400)),
    ):
        np.testing.assert_array_equal(X[:, :-3], relevant)
        np.testing.assert_array_equal(y, labels)
        more = X[:, -3:]
        assert more.min() >= 0 and more.max() < 1 and len(np.unique(more)) == more.size
        assert X.flags.c_contiguous


@each
def test_rows_of_wrapped_streams_do_not_depend_on_how_they_are_read(inner):
    stream = MissingValues(IrrelevantFeatures(LabelNoise(inner)), random_state=5)
    X, y = stream.take(inner.n_rows)
    for size, start in ((1, 1_020), (7, 0), (1_500, 333), (None, 2_049)):
        row = start
        for batch in stream.chunks(size, start):
            np.testing.assert_array_equal(batch.X, X[row : row + len(batch.y)])
            np.testing.assert_array_equal(batch.y, y[row : row + len(batch.y)])
            row += len(batch.y)
            if row > start + 3_000:
                break


def test_data_sets_keep_their_sizes():
    inner = GaussianClasses(random_state=1)
    sizes = [len(batch.y) for batch in LabelNoise(inner)]
    assert sizes == [len(batch.y) for batch in inner]


def test_the_seed_is_that_of_the_whole():
    assert LabelNoise(SEA(random_state=3)).random_state == 3
    reseeded = LabelNoise(SEA(random_state=3), random_state=9)
    assert reseeded.stream.random_state == 9
    np.testing.assert_array_equal(reseeded.take(99)[0], SEA(random_state=9).take(99)[0])


@pytest.mark.parametrize("inner", [GENERATED, DATA_SETS], ids=lambda s: s.name)
def test_wrappers_around_wrappers_draw_by_themselves(inner):
    twice = LabelNoise(LabelNoise(inner, 0.3), 0.4)
    y, once, clean = (s.take(5_000)[1] for s in (twice, twice.stream, inner))
    for rows in (once == clean, once != clean):
        assert abs((y != once)[rows].mean() - 0.4) < 0.03


def test_ratios_change_at_their_rows():
    stream = ClassImbalance(
        Sine(n_rows=60_000), ((1, 9), (4, 1)), drift_at=(20_000,), width=20_000, random_state=0
    )
    X, y = stream.take(60_000)
    np.testing.assert_array_equal(y, X[:, 1] < np.sin(X[:, 0]))
    found = y.reshape(6, -1).mean(axis=1)
    np.testing.assert_allclose(found, [0.9, 0.9, 0.725, 0.375, 0.2, 0.2], atol=0.015)
    assert stream.drift_spans == [(20_000, 40_000)]
    assert abs(stream.test_set(30_000, 20_000)[1].mean() - 0.55) < 0.02


@pytest.mark.parametrize("inner", [Waveform(n_rows=2_500), RECORDED], ids=["drawn", "recorded"])
def test_classes_come_in_runs_of_the_same_rows(inner):
    span, n = 600, inner.n_rows
    stream = ClassRuns(inner, span, random_state=3)
    X, y = stream.take(n)
    plain, labels = stream.stream.take(n)
    firsts = set()
    for start in range(0, n, span):
        rows = slice(start, start + span)
        runs = 1 + (np.diff(y[rows]) != 0).sum()
        assert runs == len(np.unique(labels[rows]))
        firsts.add(y[start])
        for label in np.unique(labels[rows]):
            mine, theirs = y[rows] == label, labels[rows] == label
            np.testing.assert_array_equal(X[rows][mine], plain[rows][theirs])
    assert len(firsts) > 1 or n <= span


def test_rows_of_a_class_are_as_before():
    """Only the shares of classes change, not the distribution of rows within a class."""
    plain, rare = (
        Sine(n_rows=40_000, random_state=0),
        ClassImbalance(Sine(n_rows=40_000), ((20, 1),)),
    )
    (X, y), (other, labels) = plain.take(40_000), rare.take(40_000)
    for k in (0, 1):
        means = X[y == k].mean(axis=0), other[labels == k].mean(axis=0)
        np.testing.assert_allclose(*means, atol=0.03)


def test_ratios_of_several_classes_and_of_rare_ones():
    stream = ClassImbalance(Waveform(n_rows=20_000), ((1, 0, 3),), random_state=0)
    np.testing.assert_allclose(
        np.bincount(stream.take(20_000)[1], minlength=3) / 20_000, [0.25, 0, 0.75], atol=0.01
    )
    offers = ClassImbalance(AssetNegotiation(2, n_rows=3_000), ((1, 1),), random_state=0)
    assert abs(offers.take(3_000)[1].mean() - 0.5) < 0.04


def test_changes_of_ratio_join_those_of_the_stream():
    stream = ClassImbalance(SEA(), ((1, 2), (2, 1), (1, 1)), drift_at=(12_500, 30_000))
    assert stream.drifts == [12_500, 25_000, 30_000, 37_500]
    assert stream.concept_at(30_000) == stream.stream.concept_at(30_000) == 7


def test_random_rows_are_drawn_from_the_streamed_rows():
    inner = from_arrays(np.arange(300.0)[:, None], np.arange(300) % 2, holdout=100)
    stream = RandomRows(inner, n_rows=20_000, random_state=3)
    X, y = stream.take(20_000)
    np.testing.assert_array_equal(X[:, 0] % 2, y)
    values, counts = np.unique(X, return_counts=True)
    assert len(values) == 200 and counts.max() < 2 * counts.mean()
    held = set(stream.test_set(0, 5_000)[0][:, 0])
    assert len(held) == 100 and not held & set(values)
    with pytest.raises(ValueError, match="no additional test rows can be drawn"):
        RandomRows(from_arrays(np.ones((9, 1)), np.ones(9))).test_set(0, 5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LabelNoise("sea"), "must be a driftlearn.streams.Stream. Got 'sea'"),
        (lambda: LabelNoise(GENERATED, 1.0), r"'noise' parameter must be a float.* \[0, 1\)"),
        (lambda: MissingValues(GENERATED, -0.1), r"'rate' parameter must be a float.* Got -0.1"),
        (lambda: MissingValues(GENERATED, 1), r"'rate' parameter must be a float.* Got 1"),
        (lambda: MissingValues(GENERATED, np.nan), "'rate' parameter must be a float.* Got nan"),
        (
            lambda: IrrelevantFeatures(GENERATED, 0),
            "n_irrelevant must be an int in the range .1, inf.. Got 0",
        ),
        (lambda: ClassImbalance(LabelNoise(RECORDED)), r"needs a generated stream"),
        (lambda: ClassImbalance(ClassRuns(GENERATED)), r"needs a generated stream"),
        (lambda: ClassRuns(GENERATED, 0), "span must be"),
        (lambda: ClassImbalance(RECORDED), r"needs a generated stream.*RandomRows\(...\)"),
        (
            lambda: ClassImbalance(GENERATED, ((1, 2, 3),)),
            r"2 nonnegative numbers.*\(1, 2, 3\)",
        ),
        (lambda: ClassImbalance(GENERATED, (1, 10)), r"example \(\(1, 10\),\). Got \(1, 10\)"),
        (lambda: LabelNoise(RBF(n_classes=1)).take(5), "label-noise has only 1"),
        (lambda: ClassImbalance(GENERATED, ((1, -2),)), r"nonnegative.*Got \(1, -2\)"),
        (lambda: ClassImbalance(GENERATED, ((0, 0),)), r"not all 0. Got \(0, 0\)"),
        (lambda: ClassImbalance(GENERATED, ((1, np.nan),)), "2 nonnegative numbers"),
        (
            lambda: ClassImbalance(GENERATED, ()),
            r"1 ratios, one more than the rows in 'drift_at'. Got \(\)",
        ),
        (lambda: ClassImbalance(GENERATED, drift_at=9), "drift_at must be a list of row numbers"),
        (
            lambda: ClassImbalance(GENERATED, ((1, 2), (2, 1))),
            "1 ratios, one more than the rows in 'drift_at'",
        ),
        (
            lambda: ClassImbalance(GENERATED, ((1, 2), (2, 1)), (4_000,), 1_001),
            "starts at row 4000 with width=1001 does not fit",
        ),
        (
            lambda: ClassImbalance(SEA((30,), noise=0), ((1, 1),)).take(1),
            "Class 1 does not occur at row .* its ratio must be 0",
        ),
        (lambda: RandomRows(GENERATED), "must be a recorded stream in memory. Got Sine"),
        (lambda: RandomRows(RECORDED), "has a drift at row .* would mix its concepts"),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
