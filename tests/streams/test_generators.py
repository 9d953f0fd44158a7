"""RBF, LED, poker hands and the laser."""

import itertools

import numpy as np
import pytest

from driftlearn.streams import LED, RBF, Drifting, Laser, PokerHands, load, poker_label


def test_rbf_centres_bounce_between_the_walls():
    stream = RBF(n_rows=None, speed=0.01, random_state=0)
    position, velocity = stream.concept_at(0), stream.concept_at(1) - stream.concept_at(0)
    np.testing.assert_allclose(np.linalg.norm(velocity, axis=1), 0.01)
    for row in range(1, 400):
        position = position + velocity
        out = (position < 0) | (position > 1)
        position = np.where(position < 0, -position, np.where(position > 1, 2 - position, position))
        velocity = np.where(out, -velocity, velocity)
        np.testing.assert_allclose(stream.concept_at(row), position, atol=1e-9)


def test_rbf_rows_lie_around_the_centres_of_their_row():
    still = RBF(n_rows=20_000, speed=0.0, random_state=0)
    moving = RBF(n_rows=20_000, random_state=0)
    X, y = moving.take(20_000)
    X0, y0 = still.take(20_000)
    np.testing.assert_array_equal(y, y0)
    shifts = X - X0
    start = moving.concept_at(0)
    for row in (5, 1_999, 19_999):
        moved = moving.concept_at(row) - start
        assert np.min(np.abs(moved - shifts[row]).max(axis=1)) < 1e-9
    assert still.drift_spans == [] and moving.drift_spans == [(0, 20_000)]
    assert moving.drifts == []


def test_rbf_spread_is_that_of_a_normal_length_in_a_random_direction():
    stream = RBF(n_rows=50_000, n_centroids=1, n_classes=1, speed=0.0, random_state=3)
    X, _ = stream.take(50_000)
    length = np.linalg.norm(X - stream.concept_at(0), axis=1)
    sd = np.sqrt(np.mean(length**2))
    assert 0 < sd < 1
    assert abs(np.mean(length < sd) - 0.6827) < 0.01


@pytest.mark.parametrize("seed", range(8))
def test_rbf_has_all_classes(seed):
    stream = RBF(n_rows=5_000, n_centroids=4, n_classes=4, random_state=seed)
    assert set(stream.take(5_000)[1]) == {0, 1, 2, 3}


def test_rbf_some_centres_may_stand_still():
    stream = RBF(n_moving=3, random_state=0)
    moved = np.any(stream.concept_at(100) != stream.concept_at(0), axis=1)
    assert moved.tolist() == [True] * 3 + [False] * 7


@pytest.mark.parametrize("bad", [{"n_classes": 11}, {"speed": -1}, {"n_moving": 11}])
def test_bad_rbf_is_refused(bad):
    with pytest.raises(ValueError, match=r"n_c|speed|n_moving"):
        RBF(**bad)


SEGMENTS = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"


def test_led_shows_digits_and_swaps_its_columns():
    stream = LED(n_rows=3_000, drift_at=(1_000, 2_000), bit_noise=0, binary=False, random_state=0)
    X, y = stream.take(3_000)
    order = stream.columns()
    assert sorted(order) == list(range(24)) and np.sum(order != np.arange(24)) == 8
    assert np.sum(order[:7] >= 7) == 4
    X[1_000:2_000] = X[1_000:2_000][:, order]
    shown = ["".join(str(int(bit)) for bit in row[:7]) for row in X]
    assert shown == [SEGMENTS.split()[digit] for digit in y]
    assert np.all(np.abs(X[:, 7:].mean(axis=0) - 0.5) < 0.05)
    assert stream.drifts == [1_000, 2_000]
    assert [stream.concept_at(row) for row in (0, 999, 1_000, 2_000)] == [0, 0, 4, 0]


def test_led_may_begin_with_swapped_columns():
    plain, swapped = (
        LED(n_rows=1_000, drift_at=(500,), random_state=0, swapped=begins)
        for begins in (False, True)
    )
    np.testing.assert_array_equal(plain.take(1_000)[1], swapped.take(1_000)[1])
    order = plain.columns()
    np.testing.assert_array_equal(plain.take(500)[0][:, order], swapped.take(500)[0])
    assert [swapped.concept_at(row) for row in (0, 499, 500)] == [4, 4, 0]
    stream = Drifting([LED(drift_at=()), LED(drift_at=(), swapped=True)], n_rows=2_000)
    assert stream.drifts == [1_000]


def test_led_noise_and_classes():
    clean = LED(n_rows=20_000, bit_noise=0, random_state=0)
    noisy = LED(n_rows=20_000, random_state=0)
    digits = LED(n_rows=20_000, binary=False, random_state=0).take(20_000)[1]
    X, y = noisy.take(20_000)
    flipped = clean.take(20_000)[0] != X
    assert abs(flipped[:, :7].mean() - 0.1) < 0.005
    assert not flipped[:, 7:].any()
    np.testing.assert_array_equal(y == 1, np.isin(digits, [1, 2, 4, 5, 7]))
    assert noisy.drifts == []


def test_bad_led_is_refused():
    with pytest.raises(ValueError, match=r"n_swapped must be an int.* Got 8"):
        LED(n_swapped=8)
    with pytest.raises(ValueError, match=r"'bit_noise' parameter must be a float.* Got 2"):
        LED(bit_noise=2)
    with pytest.raises(ValueError, match="the rows of drift_at must be ascending"):
        LED(drift_at=(5, 5))
    with pytest.raises(
        ValueError, match=r"every row of drift_at must be an int in the range .1, inf.. Got 0"
    ):
        LED(drift_at=(0,))


def slow_label(hand):
    """Label a hand by the rules of the UCI description."""
    suits, ranks = hand[0::2], sorted(hand[1::2])
    groups = sorted((len(list(g)) for _, g in itertools.groupby(ranks)), reverse=True)
    runs = [list(range(low, low + 5)) for low in range(1, 10)] + [[1, 10, 11, 12, 13]]
    if len(set(suits)) == 1 and ranks == runs[-1]:
        return 9
    if len(set(suits)) == 1 and ranks in runs:
        return 8
    if groups[0] == 4:
        return 7
    if groups == [3, 2]:
        return 6
    if len(set(suits)) == 1:
        return 5
    if ranks in runs:
        return 4
    return {(3, 1): 3, (2, 2): 2, (2, 1): 1}.get(tuple(groups[:2]), 0)


def test_poker_labels():
    hands = PokerHands(n_rows=4_000, random_state=0).take(4_000)[0].astype(int)
    rare = [
        [1, 1, 1, 2, 1, 3, 1, 4, 1, 5],
        [2, 13, 2, 10, 2, 1, 2, 12, 2, 11],
        [1, 9, 1, 10, 1, 11, 1, 12, 1, 13],
        [1, 11, 1, 12, 1, 13, 1, 1, 1, 2],
        [1, 11, 2, 12, 3, 13, 4, 1, 1, 2],
        [1, 7, 2, 7, 3, 7, 4, 7, 1, 2],
        [1, 7, 2, 7, 3, 7, 4, 2, 1, 2],
        [4, 7, 4, 9, 4, 1, 4, 2, 4, 3],
        [1, 1, 2, 2, 3, 3, 4, 4, 1, 5],
        [1, 10, 2, 11, 3, 12, 4, 13, 1, 1],
    ]
    hands = np.vstack([hands, rare])
    expected = [slow_label(hand) for hand in hands.tolist()]
    assert poker_label(hands).tolist() == expected
    assert expected[-10:] == [8, 9, 8, 5, 0, 7, 6, 5, 4, 4]


def test_poker_hands_are_dealt_without_replacement_at_the_known_odds():
    stream = PokerHands(n_rows=50_000, random_state=0)
    X, y = stream.take(50_000)
    cards = np.sort(X[:, 0::2] * 13 + X[:, 1::2], axis=1)
    assert np.all(cards[:, 1:] > cards[:, :-1])
    np.testing.assert_array_equal(y, poker_label(X))
    odds = [0.501177, 0.422569, 0.047539, 0.021128, 0.003925, 0.001965]
    shares = np.bincount(y, minlength=10)[:6] / len(y)
    np.testing.assert_array_less(np.abs(shares - odds), 4 * np.sqrt(np.array(odds) / len(y)))
    first = np.bincount(X[:, 0].astype(int) * 13 + X[:, 1].astype(int))[14:]
    assert len(first) == 52 and np.all(np.abs(first / len(y) * 52 - 1) < 0.2)


def test_poker_deck_favours_ranks_while_it_is_weighted():
    stream = PokerHands(30_000, drift_at=(10_000, 20_000), favoured=(1,), weight=5, random_state=0)
    share = [np.mean(batch.X[:, 1] == 1) for batch in stream.chunks(10_000)]
    np.testing.assert_allclose(share, [1 / 13, 5 / 17, 1 / 13], atol=0.015)
    assert [stream.concept_at(row) for row in (0, 10_000, 20_000)] == ["fair", "weighted", "fair"]
    assert abs(np.mean(stream.test_set(15_000, 5_000)[0][:, 1] == 1) - 5 / 17) < 0.03


def test_bad_poker_is_refused():
    with pytest.raises(ValueError, match="'favoured' parameter must be ints"):
        PokerHands(favoured=(14,))
    with pytest.raises(ValueError, match=r"'weight' parameter must be a float.* Got 0"):
        PokerHands(weight=0)
    with pytest.raises(ValueError, match=r"shape \(1, 9\)"):
        poker_label([[1] * 9])
    with pytest.raises(ValueError, match="Suits must be in the range"):
        poker_label([[5, 1, 1, 2, 1, 3, 1, 4, 1, 5]])


@pytest.mark.data
@pytest.mark.parametrize("name", ["poker", "poker-training"])
def test_poker_labels_are_those_of_the_recorded_hands(name):
    X, y = load(name).arrays()
    np.testing.assert_array_equal(poker_label(X), y)


def series():
    return np.cumsum(np.random.default_rng(0).normal(size=1_209)) + 50


def test_laser_rows_are_lags_and_labels_follow_the_ramp():
    stream = Laser(series=series(), holdout=300, ramp=100, random_state=0)
    values = (series() - series().mean()) / series().std()
    assert stream.n_rows == 900 and stream.drift_spans == [(300, 400), (600, 700)]
    X, y = stream.take(900)
    position = {tuple(values[i : i + 9]): i for i in range(1_200)}
    rows = [position[tuple(row)] for row in X]
    assert rows == sorted(rows)
    b = np.interp(np.arange(900), [300, 400, 600, 700], [-0.5, 0, 0, 1])
    nexts = values[np.array(rows) + 9]
    np.testing.assert_array_equal(y, np.where(nexts <= b, 1, -1))
    held, labels = stream.test_set(350)
    assert len(held) == 300
    where = [position[tuple(row)] for row in held]
    assert not set(where) & set(rows)
    np.testing.assert_array_equal(labels, np.where(values[np.array(where) + 9] <= -0.25, 1, -1))
    np.testing.assert_array_equal(stream.arrays()[1], y)


def test_bad_laser_is_refused():
    with pytest.raises(ValueError, match="'series' parameter must be a one-dimensional array"):
        Laser(series=np.ones(100))
    with pytest.raises(
        ValueError, match="'holdout' parameter must be an int in the range \\[0, 91\\)"
    ):
        Laser(series=np.arange(100), holdout=91)
    with pytest.raises(ValueError, match="no additional test rows"):
        Laser(series=series(), holdout=0).test_set(0)


@pytest.mark.data
def test_laser_of_the_paper():
    stream = Laser(random_state=0)
    assert stream.n_rows == 10_084 - 825 and stream.n_features == 9
    assert stream.drifts == [3_086, 6_172]
    X, y = stream.test_set(9_000)
    assert X.shape == (825, 9) and set(y) == {-1, 1}
    assert abs(stream.take(stream.n_rows)[0].mean()) < 0.02
