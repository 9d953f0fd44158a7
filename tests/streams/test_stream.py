"""Properties of all generated streams."""

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlearn.streams import (
    CIR,
    LED,
    RBF,
    ROT,
    SEA,
    SIN,
    STA,
    Agrawal,
    AssetNegotiation,
    Batch,
    Checkerboard,
    ClassImbalance,
    ClassRuns,
    Drifting,
    GaussianClasses,
    Hyperplane,
    IrrelevantFeatures,
    LabelNoise,
    Laser,
    MissingValues,
    Mixed,
    PokerHands,
    RandomRows,
    RandomTree,
    Sine,
    Waveform,
    from_arrays,
)

SERIES = np.sin(np.arange(2_500) / 7) + np.arange(2_500) / 900
ROWS = from_arrays(
    np.random.default_rng(0).random((500, 3)), np.arange(500) % 3, holdout=200, chunk_size=100
)
STREAMS = {
    "sea": SEA(n_rows=2_500, random_state=1),
    "sea-ramp": SEA(n_rows=2_500, ramp=300, segment=400, random_state=1),
    "rot": ROT(n_rows=2_500, random_state=1),
    "cir": CIR(n_rows=2_500, random_state=1),
    "sin": SIN(n_rows=2_500, random_state=1),
    "sta": STA(n_rows=2_500, segment=700, random_state=1),
    "checkerboard": Checkerboard(n_steps=25, random_state=1),
    "checkerboard-pulsing": Checkerboard(n_steps=25, rate="pulsing", random_state=1),
    "gaussian": GaussianClasses(random_state=1),
    "rbf": RBF(n_rows=2_500, random_state=1),
    "led": LED(n_rows=2_500, drift_at=(1_100, 2_000), random_state=1),
    "poker-hands": PokerHands(n_rows=2_500, drift_at=(1_100,), random_state=1),
    "laser": Laser(series=SERIES, ramp=100, holdout=200, random_state=1),
    "agrawal": Agrawal(function=4, n_rows=2_500, random_state=1),
    "agrawal-perturbed": Agrawal(perturbation=0.05, n_rows=2_500, random_state=1),
    "hyperplane": Hyperplane(segment=300, n_rows=2_500, random_state=1),
    "sine": Sine(function=3, n_rows=2_500, random_state=1),
    "mixed": Mixed(function=2, n_rows=2_500, random_state=1),
    "random-tree": RandomTree(n_rows=2_500, random_state=1),
    "waveform": Waveform(irrelevant=True, n_rows=2_500, random_state=1),
    "asset-negotiation": AssetNegotiation(function=3, n_rows=2_500, random_state=1),
    "drifting": Drifting([Sine(1), Sine(3)], drift_at=(500, 1_100), n_rows=2_500, random_state=1),
    "drifting-gradually": Drifting(
        [SEA((8,)), SEA((9,), labels=(1, 2))],
        transition="sigmoid",
        width=700,
        n_rows=2_500,
        random_state=1,
    ),
    "drifting-incrementally": Drifting(
        [Hyperplane(magnitude=0), Hyperplane(magnitude=0, weights=range(10))],
        transition="incremental",
        width=600,
        order=(0, 1, 0),
        n_rows=2_500,
        random_state=1,
    ),
    "label-noise": LabelNoise(SEA(n_rows=2_500), noise=0.3, noise_in_test=True, random_state=1),
    "label-noise-of-data-sets": LabelNoise(Checkerboard(n_steps=25), random_state=1),
    "class-imbalance": ClassImbalance(
        Sine(n_rows=2_500), ((1, 9), (9, 1)), drift_at=(800,), width=500, random_state=1
    ),
    "class-runs": ClassRuns(RBF(n_rows=2_500), span=700, random_state=1),
    "missing-values": MissingValues(RBF(n_rows=2_500), rate=0.2, random_state=1),
    "irrelevant-features": IrrelevantFeatures(LED(n_rows=2_500, drift_at=(900,)), random_state=1),
    "random-rows": RandomRows(ROWS, n_rows=2_500, random_state=1),
    "all-of-them": ClassImbalance(
        MissingValues(
            LabelNoise(
                Drifting(
                    [IrrelevantFeatures(Sine(k), n_irrelevant=2) for k in (1, 2)],
                    drift_at=(1_000, 2_000),
                    transition="linear",
                    width=300,
                    n_rows=2_500,
                )
            )
        ),
        random_state=1,
    ),
}
each = pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS.keys())


def joined(batches):
    batches = list(batches)
    return np.concatenate([b.X for b in batches]), np.concatenate([b.y for b in batches])


@each
@settings(max_examples=15)
@given(data=st.data())
def test_rows_do_not_depend_on_how_they_are_read(stream, data):
    X, y = stream.take(stream.n_rows)
    size = data.draw(st.integers(1, stream.n_rows + 10), "chunk_size")
    start = data.draw(st.integers(0, stream.n_rows - 1), "start")
    row = start
    for batch in stream.chunks(size, start):
        assert isinstance(batch, Batch)
        assert batch.start == row
        row += len(batch.y)
        np.testing.assert_array_equal(batch.X, X[batch.start : row])
        np.testing.assert_array_equal(batch.y, y[batch.start : row])
        assert len(batch.y) == min(size, stream.n_rows - batch.start)
        assert batch.X.dtype == np.float64 and batch.X.flags.c_contiguous
    assert row == stream.n_rows


@each
def test_own_chunks_cover_the_stream_from_any_row(stream):
    X, y = stream.take(stream.n_rows)
    for start in (0, 1, 137, 1_024, stream.n_rows - 1):
        got_X, got_y = joined(stream.chunks(start=start))
        np.testing.assert_array_equal(got_X, X[start:])
        np.testing.assert_array_equal(got_y, y[start:])
    assert list(stream.chunks(start=stream.n_rows)) == []


@each
def test_shape_and_classes_are_as_announced(stream):
    X, y = stream.take(stream.n_rows)
    assert X.shape == (stream.n_rows, stream.n_features)
    assert len(stream.feature_names) == stream.n_features
    assert set(np.unique(y)) <= set(stream.classes.tolist())
    assert np.all(stream.classes[:-1] < stream.classes[1:])
    assert isinstance(stream.name, str) and stream.name


@each
def test_description_and_pickle_give_the_same_rows(stream):
    X, y = stream.take(500)
    rebuilt = type(stream)(**stream.params())
    for other in (pickle.loads(pickle.dumps(stream)), rebuilt):
        assert repr(other) == repr(stream)
        np.testing.assert_array_equal(other.take(500)[0], X)
        np.testing.assert_array_equal(other.take(500)[1], y)
        np.testing.assert_array_equal(other.classes, stream.classes)


@pytest.mark.parametrize("name", sorted(set(STREAMS) - {"laser", "random-rows"}))
def test_repr_is_the_constructor_call(name):
    stream = STREAMS[name]
    np.testing.assert_array_equal(eval(repr(stream)).take(300)[0], stream.take(300)[0])


@each
def test_other_seed_gives_other_rows(stream):
    other = type(stream)(**{**stream.params(), "random_state": 2})
    assert not np.array_equal(other.take(200)[0], stream.take(200)[0])


@each
def test_test_sets_repeat_and_differ_from_training_rows(stream):
    X, y = stream.test_set(700, 150)
    again_X, again_y = stream.test_set(700, 150)
    np.testing.assert_array_equal(X, again_X)
    np.testing.assert_array_equal(y, again_y)
    assert X.shape == (150, stream.n_features) and y.shape == (150,)
    assert not np.array_equal(stream.test_set(700, 150, random_state=5)[0], X)
    if stream.name not in ("sta", "led", "asset-negotiation"):
        rows = {row.tobytes() for row in stream.take(stream.n_rows)[0]}
        assert not any(row.tobytes() in rows for row in X)


@each
def test_bad_arguments_are_named(stream):
    with pytest.raises(ValueError, match=r"chunk_size must be an int in the range .1, inf.. Got 0"):
        stream.chunks(0)
    with pytest.raises(ValueError, match=r"start.* Got -1"):
        stream.chunks(10, -1)
    with pytest.raises(ValueError, match=f"at most {stream.n_rows}, the rows of"):
        stream.take(stream.n_rows + 1)
    for row in (-1, stream.n_rows):
        with pytest.raises(ValueError, match=f"Got {row}"):
            stream.concept_at(row)
        with pytest.raises(ValueError, match=f"Got {row}"):
            stream.test_set(row, 5)


def test_without_a_seed_a_stream_still_repeats_itself():
    first, second = SEA(), SEA()
    np.testing.assert_array_equal(first.take(100)[0], first.take(100)[0])
    assert first.random_state != second.random_state


@pytest.mark.parametrize("seed", [-1, 1.5, True, "0", np.random.default_rng(0)])
def test_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match="random_state"):
        SEA(random_state=seed)


@pytest.mark.parametrize(
    "kind",
    [RBF, LED, PokerHands, Agrawal, AssetNegotiation, Mixed, RandomTree, Sine, Waveform],
)
def test_unlimited_streams_extend_limited_ones(kind):
    endless = kind(n_rows=None, random_state=3)
    assert endless.n_rows is None
    far = next(endless.chunks(10, start=5_000_000_000))
    assert far.start == 5_000_000_000 and len(far.y) == 10
    limited = kind(n_rows=1_500, random_state=3).take(1_500)[0]
    np.testing.assert_array_equal(endless.take(1_500)[0], limited)
    assert len(endless.test_set(10**9, 20)[1]) == 20


def test_a_million_rows_need_the_memory_of_a_few_blocks():
    stream = RBF(n_rows=1_000_000, random_state=0)
    next(iter(stream))
    tracemalloc.start()
    n = sum(len(batch.y) for batch in stream.chunks(5_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n == 1_000_000
    assert peak < 4_000_000
