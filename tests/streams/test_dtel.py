"""ROT, CIR, SIN and STA, and the fifteen streams by name."""

import numpy as np
import pytest

from driftlearn.streams import CIR, ROT, S1_STREAMS, SEA, SIN, STA, s1_stream


def wrong_share(y, truth):
    return float(np.mean(y != truth))


def rot_truth(X, angle, bands=9, classes=6):
    """Rotate the points back and determine their band."""
    x = X[:, 0] * np.cos(-angle) - X[:, 1] * np.sin(-angle)
    return np.clip(((x + 0.5) * bands).astype(int), 0, bands - 1) % classes


def test_rot_turns_by_a_step_a_chunk():
    stream = ROT(noise=0, n_rows=6_000, random_state=0)
    for k, batch in enumerate(stream):
        assert stream.concept_at(batch.start) == pytest.approx(k * np.pi / 60)
        assert wrong_share(batch.y, rot_truth(batch.X, k * np.pi / 60)) == 0
    assert stream.drifts == [] and stream.drift_spans == [(0, 6_000)]
    X, y = stream.test_set(1_000, 500)
    assert wrong_share(y, rot_truth(X, 5 * np.pi / 60)) == 0


def test_rot_noise_replaces_by_any_other_class():
    noisy = ROT(noise=0.3, random_state=0).take(20_000)[1]
    clean = ROT(noise=0, random_state=0).take(20_000)[1]
    assert abs(np.mean(noisy != clean) - 0.3) < 0.01
    shift = (noisy - clean)[noisy != clean] % 6
    assert np.bincount(shift, minlength=6)[1:].min() > 1_000


def test_sin_moves_by_a_step_a_chunk():
    stream = SIN(noise=0, a=4, b=2, c=1, random_state=0)
    for k, batch in enumerate(stream.chunks()):
        x1, x2 = batch.X.T
        truth = x2 <= 4 * np.sin(2 * x1 + k * np.pi / 30) + 1
        assert wrong_share(batch.y, truth) == 0
    assert k == 119
    assert batch.X.min() >= -5 and batch.X.max() <= 5


def test_cir_follows_its_radius():
    stream = CIR(noise=0, centre=(1, -1), random_state=0)
    X, y = stream.take(24_000)
    r = np.repeat([3, 2, 1, 2, 3, 4, 5, 4], 3_000)
    truth = (X[:, 0] - 1) ** 2 + (X[:, 1] + 1) ** 2 <= r**2
    np.testing.assert_array_equal(y, truth)
    assert stream.drifts == list(range(3_000, 24_000, 3_000))


def test_cir_can_keep_a_radius_for_25_chunks():
    stream = CIR((1, 2, 3, 4, 5), segment=25 * 200, random_state=0)
    assert stream.drifts == [5_000, 10_000, 15_000, 20_000]
    assert stream.concept_at(23_999) == 5


RULES = {
    "size=S and colour=R": lambda colour, shape, size: size == "S" and colour == "R",
    "colour=G or shape=C": lambda colour, shape, size: colour == "G" or shape == "C",
    "size=M or size=L": lambda colour, shape, size: size in ("M", "L"),
    "colour=R and shape=C": lambda colour, shape, size: colour == "R" and shape == "C",
    "colour=R or shape=C": lambda colour, shape, size: colour == "R" or shape == "C",
}


@pytest.mark.parametrize("rule", STA.RULES)
def test_sta_rules_read_as_they_are_written(rule):
    X, y = STA((rule,), n_rows=500, segment=None, noise=0, random_state=0).take(500)
    for (colour, shape, size), label in zip(X.astype(int), y):
        assert label == RULES[rule]("RBG"[colour], "CST"[shape], "SML"[size])
    assert len(np.unique(X, axis=0)) == 27


def test_sta_rules_take_turns():
    stream = STA(random_state=0)
    assert stream.drifts == [5_000, 10_000, 15_000, 20_000]
    assert stream.concept_at(15_000) == stream.concept_at(0) == "size=S and colour=R"
    assert stream.concept_at(10_000) == "size=M or size=L"


PARAMETERS = {
    "SEA200A": {"thresholds": (10, 7, 3, 7, 10, 13, 16, 13), "segment": 3_000},
    "SEA500G": {"thresholds": (10, 8, 6, 8, 10, 12, 14, 12), "segment": 7_500},
    "ROT200A": {"step": np.pi / 60, "n_bands": 9},
    "ROT500G": {"step": np.pi / 120, "n_bands": 9},
    "CIR200A": {"radii": (3, 2, 1, 2, 3, 4, 5, 4), "segment": 5_000},
    "CIR200G": {"radii": (3, 2.5, 2, 2.5, 3, 3.5, 4, 3.5), "segment": 5_000},
    "SIN200A": {"step": np.pi / 30, "a": 5, "b": 1, "c": 0},
    "SIN500G": {"step": np.pi / 60, "a": 5, "b": 1, "c": 0},
    "STA200A": {"segment": 5_000, "rules": STA.RULES[:3]},
    "STA500G": {"segment": 12_500, "rules": STA.RULES[3:]},
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_of_the_paper(name):
    params = s1_stream(name, 0).params()
    assert {key: params[key] for key in PARAMETERS[name]} == PARAMETERS[name]


@pytest.mark.parametrize("name", S1_STREAMS)
def test_streams_of_table_ii(name):
    features, labels = {"SEA": (3, 2), "ROT": (2, 6), "CIR": (3, 2), "SIN": (2, 2), "STA": (3, 2)}[
        name[:3]
    ]
    stream = s1_stream(name, random_state=0)
    chunks = [len(batch.y) for batch in stream]
    assert chunks == [int(name[3:6])] * 120
    assert (stream.n_features, len(stream.classes)) == (features, labels)
    assert stream.name == name
    clean = type(stream)(**{**stream.params(), "noise": 0})
    noise = wrong_share(stream.take(20_000)[1], clean.take(20_000)[1])
    assert abs(noise - 0.1) < 0.01
    step = 3 * stream.chunk_size
    assert len(stream.test_set(step)[1]) == stream.chunk_size
    differ = stream.test_set(step, 20_000)[1] != clean.test_set(step, 20_000)[1]
    expected = 0.0 if name[:3] in ("SEA", "ROT") else 0.1
    assert abs(differ.mean() - expected) < 0.01


def test_names_are_those_of_table_ii():
    assert len(S1_STREAMS) == 15
    assert sorted(S1_STREAMS)[:3] == ["CIR200A", "CIR200G", "CIR500G"]
    with pytest.raises(ValueError, match=r"must be one of .*'SEA200A'.* Got 'SEA500A'"):
        s1_stream("SEA500A")


@pytest.mark.parametrize("kind", [SEA, ROT, CIR, SIN, STA])
def test_unknown_drift_is_refused(kind):
    with pytest.raises(ValueError, match=r"drift must be one of 'A', 'G'. Got 'B'"):
        kind.dtel("B")


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match=r"a rule must be one of .* Got 'size=S'"):
        STA(("size=S",))
    with pytest.raises(
        ValueError, match=r"'n_classes' parameter must be an int.*n_bands=9. Got 10"
    ):
        ROT(n_classes=10)
