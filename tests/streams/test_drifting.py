"""Streams that change from one concept to another."""

import pickle

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier
from driftlearn.evaluate import holdout, prequential
from driftlearn.streams import (
    RBF,
    SEA,
    SIN,
    STA,
    Checkerboard,
    ClassImbalance,
    Drifting,
    GeneratedStream,
    Hyperplane,
    IrrelevantFeatures,
    LabelNoise,
    Mixed,
    RandomRows,
    RandomTree,
    Sine,
    from_arrays,
)


class Number(GeneratedStream):
    """A concept whose features are its number and the row's position."""

    name, n_features, feature_names, chunk_size = "number", 2, ["number", "row"], 100
    n_rows = None
    classes = np.arange(3)
    movable = ("number",)

    def __init__(self, number=0, random_state=0):
        self.number = number
        self.random_state = random_state

    def _draw(self, rng, rows):
        number = np.broadcast_to(np.asarray(self.number, dtype=float), len(rows))
        return np.column_stack([number, rows]), np.zeros(len(rows), dtype=int)


def numbers(k=3):
    return [Number(number) for number in range(k)]


def test_abrupt_changes_are_at_their_rows():
    stream = Drifting(numbers(), drift_at=(1_000, 2_600, 2_700), n_rows=4_000, random_state=0)
    X, _ = stream.take(4_000)
    expected = np.repeat([0, 1, 2, 0], [1_000, 1_600, 100, 1_300])
    np.testing.assert_array_equal(X[:, 0], expected)
    np.testing.assert_array_equal(X[:, 1], np.arange(4_000))
    assert stream.drift_spans == [(1_000, 1_000), (2_600, 2_600), (2_700, 2_700)]
    assert stream.drifts == [1_000, 2_600, 2_700]
    assert [stream.concept_at(row) for row in range(4_000)] == expected.tolist()
    for row in (0, 999, 1_000, 2_650, 3_999):
        assert set(stream.test_set(row, 50)[0][:, 0]) == {stream.concept_at(row)}


def test_concepts_that_return_have_their_number():
    stream = Drifting(numbers(), order=(0, 1, 0, 2, 1), n_rows=5_000, random_state=0)
    assert stream.drifts == [1_000, 2_000, 3_000, 4_000]
    assert [stream.concept_at(row) for row in range(0, 5_000, 1_000)] == [0, 1, 0, 2, 1]
    in_turn = Drifting(numbers(2), drift_at=(10, 20, 30), n_rows=40)
    assert in_turn.order == (0, 1, 0, 1)


@pytest.mark.parametrize(
    ("transition", "chance"),
    [
        ("linear", lambda share: share),
        ("sigmoid", lambda share: 1 / (1 + np.exp(-12 * (share - 0.5)))),
    ],
)
def test_gradual_transitions_draw_from_both(transition, chance):
    stream = Drifting(
        numbers(2), (20_000,), transition, width=20_000, n_rows=60_000, random_state=0
    )
    X, _ = stream.take(60_000)
    new = X[:, 0].reshape(-1, 1_000).mean(axis=1)
    share = (np.arange(0, 20_000) / 20_000).reshape(-1, 1_000)
    expected = np.concatenate([np.zeros(20), chance(share).mean(axis=1), np.ones(20)])
    np.testing.assert_allclose(new, expected, atol=0.05)
    assert not X[:20_000, 0].any() and X[40_000:, 0].all()
    np.testing.assert_array_equal(X[:, 1], np.arange(60_000))
    assert stream.drift_spans == [(20_000, 40_000)]
    assert [stream.concept_at(row) for row in (29_999, 30_000)] == [0, 1]
    drawn = stream.test_set(35_000, 20_000)[0][:, 0].mean()
    assert abs(drawn - chance(0.75)) < 0.02


def test_the_sigmoid_is_the_one_of_the_field():
    """A change at p of width w is 1 / (1 + exp(-4 (t - p) / w)) elsewhere, and 3 w wide here."""
    p, w = 50_000, 10_000
    at = p - 3 * w // 2
    stream = Drifting(numbers(2), (at,), "sigmoid", width=3 * w, n_rows=100_000, random_state=0)
    for row in (40_000, 48_000, 50_000, 53_000, 60_000):
        expected = 1 / (1 + np.exp(-4 * (row - p) / w))
        assert abs(stream.test_set(row, 20_000)[0][:, 0].mean() - expected) < 0.02


def test_incremental_transitions_move_the_parameters():
    stream = Drifting(
        [Number(5.0), Number(9.0)], (1_000, 3_000), "incremental", width=800, n_rows=5_000
    )
    X, _ = stream.take(5_000)
    rows = [0, 1_000, 1_800, 3_000, 3_800, 5_000]
    np.testing.assert_allclose(X[:, 0], np.interp(np.arange(5_000), rows, [5, 5, 9, 9, 5, 5]))
    assert X[1_800, 0] == 9 and X[3_800, 0] == 5
    assert stream.drift_spans == [(1_000, 1_800), (3_000, 3_800)]
    assert set(stream.test_set(1_200, 10)[0][:, 0]) == {6.0}
    assert [stream.concept_at(row) for row in (1_399, 1_400, 3_399, 3_400)] == [0, 1, 1, 0]


def test_a_hyperplane_goes_to_another_one():
    one, other = (Hyperplane(2, magnitude=0, weights=w) for w in ((1, 0), (0, 1)))
    stream = Drifting([one, other], (2_000,), "incremental", width=4_000, n_rows=8_000)
    X, y = stream.take(8_000)
    share = np.clip((np.arange(8_000) - 2_000) / 4_000, 0, 1)
    score = (1 - share) * (X[:, 0] - 0.5) + share * (X[:, 1] - 0.5)
    np.testing.assert_array_equal(y, score >= 0)


def test_sines_move_their_height_and_level():
    low, high = SIN(step=0, noise=0, a=1), SIN(step=0, noise=0, a=4, c=1)
    stream = Drifting([low, high], transition="incremental", width=1_000, n_rows=4_000)
    X, y = stream.take(4_000)
    share = np.clip((np.arange(4_000) - 2_000) / 1_000, 0, 1)
    curve = (1 - share) * np.sin(X[:, 0]) + share * (4 * np.sin(X[:, 0]) + 1)
    np.testing.assert_array_equal(y, X[:, 1] <= curve)


def test_labels_follow_the_concept_and_noise_stays_out_of_test_sets():
    stream = Drifting([LabelNoise(Sine(1), 0.2), Sine(2)], n_rows=20_000, random_state=0)
    X, y = stream.take(20_000)
    below = X[:, 1] < np.sin(X[:, 0])
    assert abs((below[:10_000] == y[:10_000]).mean() - 0.8) < 0.02
    np.testing.assert_array_equal(below[10_000:], y[10_000:] == 0)
    X, y = stream.test_set(0, 2_000)
    np.testing.assert_array_equal(X[:, 1] < np.sin(X[:, 0]), y)


def test_one_seed_makes_the_whole():
    def made(**seeds):
        return Drifting([RandomTree(), RandomTree()], n_rows=3_000, **seeds)

    one, same, other = (made(random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.take(3_000)[0], same.take(3_000)[0])
    np.testing.assert_array_equal(one.take(3_000)[1], same.take(3_000)[1])
    assert not np.array_equal(one.take(3_000)[0], other.take(3_000)[0])
    X = np.random.default_rng(0).random((500, 10))
    assert not np.array_equal(*(tree.label(X) for tree in one.concepts))
    assert Drifting([Sine(random_state=8), Sine(2)], n_rows=10).random_state == 8
    plain = Drifting([Sine(random_state=8)], n_rows=2_000).take(2_000)[0]
    np.testing.assert_array_equal(plain, Sine(random_state=8).take(2_000)[0])


def test_an_endless_stream():
    stream = Drifting(numbers(2), (1_000,), "linear", width=100, n_rows=None, random_state=0)
    far = next(stream.chunks(5, start=10**10))
    assert far.X[:, 0].tolist() == [1] * 5 and stream.concept_at(10**10) == 1


def test_a_concept_may_move_by_itself():
    stream = Drifting([RBF(n_rows=None), RBF(n_rows=None, speed=0)], n_rows=2_000, random_state=0)
    assert stream.drift_spans == [(0, 2_000), (1_000, 1_000)] and stream.drifts == [1_000]


def test_one_rule_that_comes_again_is_no_change():
    rules = ("size=S and colour=R", "size=M or size=L")
    stagger = [STA((rule,), segment=100) for rule in rules]
    assert stagger[0].drift_spans == [] and SEA((8,), segment=500).drift_spans == []
    stream = Drifting([*stagger, STA(("colour=G or shape=C",))], n_rows=900)
    assert stream.drifts == [300, 600]


def test_it_is_evaluated():
    stream = Drifting([Sine(1), Sine(2)], order=(0, 1, 0), n_rows=3_000, random_state=0)
    for result in (
        prequential(GaussianNBClassifier(), stream, chunk_size=250),
        holdout(GaussianNBClassifier(), LabelNoise(stream), chunk_size=250, test_size=100),
    ):
        assert list(result.drifts) == [1_000, 2_000]


def test_recorded_rows_as_concepts():
    rng = np.random.default_rng(0)
    parts = []
    for k in range(2):
        X = np.column_stack([np.full(300, k), rng.random(300)])
        parts.append(RandomRows(from_arrays(X, np.arange(300) % 2, holdout=100)))
    stream = Drifting(parts, n_rows=2_000, random_state=0)
    X, _ = stream.take(2_000)
    np.testing.assert_array_equal(X[:, 0], np.repeat([0, 1], 1_000))
    held, _ = stream.test_set(1_500, 500)
    assert set(held[:, 0]) == {1} and not set(held[:, 1]) & set(X[:, 1])
    copy = pickle.loads(pickle.dumps(stream))
    np.testing.assert_array_equal(copy.take(2_000)[0], X)


NOT_ALIKE = from_arrays(np.ones((10, 2)), np.arange(10) % 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"concepts": []}, r"must be a non-empty sequence of streams. Got \[\]"),
        ({"concepts": None}, "non-empty sequence of streams. Got None"),
        ({"concepts": Sine()}, "non-empty sequence of streams. Got Sine"),
        ({"concepts": [Sine(), "sine"]}, "Concept 1, 'sine', is not a generated stream"),
        ({"concepts": [NOT_ALIKE]}, r"Concept 0, .* is not a generated stream.*RandomRows\(...\)"),
        (
            {"concepts": [LabelNoise(NOT_ALIKE)]},
            r"Concept 0, LabelNoise.* is not a generated stream",
        ),
        ({"concepts": [Checkerboard()]}, r"Concept 0, .* is not a generated stream"),
        ({"concepts": [Sine(), Mixed()]}, "Concept 1, .* has 4 features, but concept 0 has 2"),
        (
            {"concepts": [SEA((8,)), SEA((8,), labels=(1, 0))]},
            r"Concept 1, .* has the classes \[0, 1\], but concept 0 has \[1, 2\]",
        ),
        ({"concepts": [SEA()]}, "Concept 0, SEA.* already has a drift at row 12500"),
        (
            {"concepts": [Hyperplane(n_rows=50)]},
            "Concept 0, .* drifts for only 50 rows, but the stream has 1000",
        ),
        (
            {"concepts": [Hyperplane(n_rows=50)], "n_rows": None, "drift_at": ()},
            "drifts for only 50 rows, but the stream",
        ),
        ({"transition": "abrubt"}, r"transition must be one of 'abrupt'.*did you mean 'abrupt'"),
        ({"width": 5}, "'width' must be 0 for abrupt.* Got transition='abrupt' and width=5"),
        ({"transition": "sigmoid"}, "positive for others. Got transition='sigmoid' and width=0"),
        ({"transition": "linear", "width": 501}, "starts at row 500 with width=501 does not fit"),
        (
            {"transition": "linear", "width": 50, "drift_at": (100, 140)},
            "starts at row 100 with width=50 .* ends at row 140",
        ),
        ({"width": -1}, "width must be an int.* Got -1"),
        ({"width": 1.5}, "width must be an int.* Got 1.5"),
        ({"drift_at": (1_000,)}, r"must be rows below n_rows=1000. Got \(1000,\)"),
        ({"drift_at": (500, 400)}, "the rows of drift_at must be ascending"),
        ({"drift_at": 500}, r"drift_at must be a list of row numbers, as in \(500,\). Got 500"),
        ({"drift_at": (0,)}, "every row of drift_at must be an int in the range .1, inf.. Got 0"),
        ({"n_rows": None}, "unlimited rows cannot be divided into 2 equal parts"),
        ({"n_rows": 1}, "1 rows cannot be divided into 2 equal parts"),
        ({"order": (0, 2)}, "an int in the range \\[0, 1\\].* Got 2"),
        ({"order": (0, -1)}, "an int in the range \\[0, 1\\].* Got -1"),
        ({"order": (0, 0)}, r"A concept cannot follow itself. Got order=\(0, 0\)"),
        ({"concepts": [Sine()], "drift_at": (5,)}, "A concept cannot follow itself"),
        ({"order": (0, 1, 0), "drift_at": (5,)}, r"rows in 'drift_at' plus one: 2"),
        (
            {"transition": "incremental", "width": 5},
            "with movable parameters. Concepts 0 and 1 are Sine and Sine",
        ),
        (
            {"concepts": [SIN(step=0), LabelNoise(SIN(step=0))]}
            | {"transition": "incremental", "width": 5},
            "Concepts 0 and 1 are SIN and LabelNoise",
        ),
        (
            {"concepts": [SIN(step=0), SIN(step=0, noise=0.3)]}
            | {"transition": "incremental", "width": 5},
            "Concepts 0 and 1 differ in 'noise', which is not movable.* of SIN: a, b, c",
        ),
        (
            {"concepts": [Number(1.0), Number((1.0, 2.0))]}
            | {"transition": "incremental", "width": 5},
            "'number' has different shapes in concepts 0 and 1",
        ),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Drifting(**{"concepts": [Sine(1), Sine(2)], "n_rows": 1_000, **arguments})


def test_wrappers_have_the_drifts_and_concepts_of_the_stream():
    inner = Drifting([Sine(1), Sine(2)], (300, 600), n_rows=1_000, random_state=0)
    for stream in (LabelNoise(inner), IrrelevantFeatures(inner), ClassImbalance(inner)):
        assert stream.drift_spans == inner.drift_spans and stream.drifts == [300, 600]
        assert [stream.concept_at(row) for row in (0, 300, 600)] == [0, 1, 0]
