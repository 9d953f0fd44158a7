"""DDM, EDDM, Page-Hinkley and KSWIN: references checked by hand, then the detectors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import ks_2samp

from driftlearn.drift import DDM, EDDM, KSWIN, PageHinkley
from tests.reference.detectors import (
    DDMReference,
    EDDMReference,
    KSWINReference,
    PageHinkleyReference,
    most_apart,
    p_value,
)

N = 240
QUIET = ("zeros", "ones")
MISTAKES = ("jumps", "ramp", "regular", "blocks", *QUIET)
LOSSES = (*MISTAKES, "losses", "eighths", "tiny")  # in [0, 1]
NUMBERS = (*LOSSES, "normal", "huge")
SEEDS = range(2)
STEP = 5  # a stream tries every fifth combination of options, the next stream the next ones


def stream(kind, seed):
    """Return errors; sums of "eighths" are exact, so that means can be equal."""
    rng = np.random.default_rng([seed, NUMBERS.index(kind)])
    rate = np.repeat(rng.random(6) ** 2, N // 6)
    match kind:
        case "jumps":
            return (rng.random(N) < rate).astype(float)
        case "ramp":
            return (rng.random(N) < np.linspace(seed % 2, 1 - seed % 2, N)).astype(float)
        case "regular":
            return (np.arange(N) % np.repeat([5, 3], N // 2) == 0).astype(float)
        case "blocks":
            return np.repeat([0.0, 1.0, 0.0, 1.0], N // 4)
        case "zeros":
            return np.zeros(N)
        case "ones":
            return np.ones(N)
        case "losses":
            return np.clip(rng.normal(rate, 0.1), 0, 1)
        case "eighths":
            return np.minimum(rng.integers(0, 7, N) + np.round(8 * rate), 8) / 8
        case "tiny":
            return rng.random(N) * 1e-300
        case "normal":
            return rng.normal(10 * rate, 2)
        case "huge":
            return rng.uniform(-1e100, 1e100, N)


def options(**values):
    return [dict(zip(values, chosen)) for chosen in itertools.product(*values.values())]


def levels(pairs, **more):
    """Return the options with each pair of a drift level and a warning level."""
    return [
        {"drift_level": drift, "warning_level": warning, **rest}
        for drift, warning in pairs
        for rest in options(**more)
    ]


ZONES = "warning_detected", "n_warning"
CASES = {
    "DDM": (
        DDM,
        DDMReference,
        ZONES,
        LOSSES,
        levels([(3, 2), (2, 2), (4, 1), (1, 0.5), (0.3, 0.1)], min_window=[0, 1, 30, 100]),
    ),
    "EDDM": (
        EDDM,
        EDDMReference,
        ZONES,
        MISTAKES,
        levels(
            [(0.9, 0.95), (0.95, 0.95), (0.7, 0.8), (0.5, 1), (1, 1)],
            min_mistakes=[1, 2, 30],
            early_peak=[False, True],
        ),
    ),
    "PageHinkley": (
        PageHinkley,
        PageHinkleyReference,
        ("rising",),
        NUMBERS,
        options(
            threshold=[0, 0.5, 50],
            delta=[0, 0.005, 0.2],
            min_window=[0, 30],
            fading=[1, 0.99],
            direction=["rising", "falling", "both"],
        ),
    ),
    "KSWIN": (
        KSWIN,
        KSWINReference,
        ("rising", "distance"),
        NUMBERS,
        [
            {"window_size": window, "sample_size": r, "random_state": window, **rest}
            for window, r in [(100, 30), (20, 10), (50, 7), (2, 1)]
            for rest in options(level=[1, 0.2, 0.005, 1e-4], exact=[False, True])
        ],
    ),
}
STREAMS = [
    (name, kind, seed)
    for name, case in CASES.items()
    for kind in case[3]
    for seed in (SEEDS if kind not in QUIET else [0])
]


def face(detector, extra):
    names = ("drift_detected", "n_detections", "width", *extra)
    return [getattr(detector, name) for name in names]


def assert_same(product, reference, extra, scale, where):
    assert face(product, extra) == face(reference, extra), where
    assert abs(product.estimate - reference.estimate) <= 1e-13 * scale, where


@pytest.mark.parametrize(("name", "kind", "seed"), STREAMS)
def test_detectors_agree(name, kind, seed):
    Product, Reference, extra, kinds, chosen = CASES[name]
    errors = stream(kind, seed)
    scale, changes = np.abs(errors).max(), 0
    for values in chosen[(seed + kinds.index(kind)) % STEP :: STEP]:
        product, reference = Product(**values), Reference(**values)
        for row, error in enumerate(errors.tolist()):
            assert product.update(error) == reference.update(error), (values, row)
            assert_same(product, reference, extra, scale, (values, row))
        changes += reference.n_detections
    assert changes == 0 if kind in QUIET else changes > 0 or kind == "tiny"


@pytest.mark.parametrize(
    ("name", "values"), [(name, {}) for name in CASES] + [("KSWIN", {"exact": True})]
)
def test_defaults_batches_states_and_resets_agree(name, values):
    Product, Reference, extra, kinds, _ = CASES[name]
    if name == "KSWIN":
        values = {**values, "random_state": 3}
    errors = np.concatenate([stream(kind, 7) for kind in kinds if kind != "huge"][1::2])
    scale, ends = np.abs(errors).max(), np.cumsum([1, 0, 500, 37, 300, len(errors)])
    product, reference = Product(**values), Reference(**values)
    for _ in range(2):
        start = 0
        for end in ends.tolist():
            rows = errors[start:end]
            found = [row for row, error in enumerate(rows.tolist()) if reference.update(error)]
            assert product.update_many(rows).tolist() == found
            assert_same(product, reference, extra, scale, end)
            state, product = product.get_state(), Product(**values)
            product.set_state(state)
            assert_same(product, reference, extra, scale, end)
            start = end
        assert reference.n_detections > 0
        product, reference = product.reset(), Reference(**values)
        assert_same(product, reference, extra, scale, "reset")


def test_kswin_without_a_seed_where_the_sample_is_all_there_is():
    errors = stream("losses", 1)
    product, reference = (D(0.05, 40, 20, exact=True) for D in (KSWIN, KSWINReference))
    changes = [row for row, error in enumerate(errors.tolist()) if reference.update(error)]
    assert changes == product.update_many(errors).tolist() != []


# reference implementations checked by hand


def run(reference, errors):
    return [row for row, error in enumerate(errors, 1) if reference.update(error)]


def test_ddm_by_hand():
    # row 5: p = 1/5, s = sqrt(4 / 125) = 0.179, the lowest; row 6: 1/3 + 0.192 = 0.526 is
    # beyond 0.2 + 0.179 but below 0.2 + 2 * 0.179; row 7: 3/7 + 0.187 = 0.616 is beyond that,
    # and below 0.2 + 3 * 0.179 = 0.737; row 8: 1/2 + 0.177 = 0.677; row 9: 5/9 + 0.166 = 0.721;
    # row 10: 0.6 + 0.155 = 0.755
    reference = DDMReference(min_window=4)
    zones = []
    for error in [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]:
        reference.update(error)
        zones.append((reference.n_warning, reference.warning_detected, reference.drift_detected))
    none, change = (0, False, False), (4, False, True)
    assert zones == [none] * 6 + [(n, True, False) for n in (1, 2, 3)] + [change]
    assert (reference.width, reference.estimate) == (0, 0)
    reference.update(1)
    assert (reference.n_warning, reference.width, reference.estimate) == (0, 1, 1)


def test_ddm_reaches_a_level_at_equality_but_not_where_nothing_rose():
    assert run(DDMReference(1, 1, 0), [0] * 50) == run(DDMReference(1, 1, 0), [1] * 50) == []
    assert run(DDMReference(3, 2, 30), [0] * 40 + [1]) == [41]


def test_eddm_by_hand():
    # distances 4, 4: high = 4 = peak; 4, 4, 1: 3 + 2 sqrt(3) = 6.46 = peak; 4, 4, 1, 1: 2.5 +
    # 2 sqrt(3) = 5.96, a share of 0.923; 4, 4, 1, 1, 1: 2.2 + 2 sqrt(2.7) = 5.486, one of 0.849
    errors = [0, 0, 0, 1, 0, 0, 0, 1, 1, 1]
    reference = EDDMReference(min_mistakes=2)
    assert run(reference, errors) == []
    assert (reference.n_warning, reference.warning_detected, reference.estimate) == (1, True, 0.4)
    assert run(reference, [0, 0]) == []  # correct predictions do not change the zone
    assert (reference.n_warning, reference.warning_detected) == (3, True)
    assert run(EDDMReference(min_mistakes=2), [*errors, 1]) == [11]
    assert run(EDDMReference(0.95, 0.95, 5), [*errors, 1, 1]) == [12]  # 5.098 / 5.486 = 0.929
    assert run(EDDMReference(0.99, 0.99, 5), [*errors, 1]) == []
    # after a change the first distance starts at the error at which it was detected
    assert run(EDDMReference(min_mistakes=2), [*errors, 1] * 2) == [11, 22]


def test_eddm_early_peak_by_hand():
    # distances 9, 1, 1, 1: high is 9, 5 + 11.31 = 16.31, 3.67 + 9.24 = 12.90, 3 + 8 = 11
    errors = [0] * 8 + [1] * 4
    assert run(EDDMReference(min_mistakes=3), errors) == [12]  # 11 / 12.90 = 0.853
    assert run(EDDMReference(0.8, 0.8, 3), errors) == []
    assert run(EDDMReference(0.8, 0.8, 3, early_peak=True), errors) == [12]  # 11 / 16.31 = 0.674


def test_page_hinkley_by_hand():
    # off: 0, 0, 2/3, 1/2; up (delta 1/4): -1/4, -1/2, -1/12, 1/6; the rise is 5/12, then 2/3
    errors = [0, 0, 1, 1]
    assert run(PageHinkleyReference(0.6, 0.25, 0), errors) == [4]
    assert run(PageHinkleyReference(0.4, 0.25, 0), errors) == [3]
    assert run(PageHinkleyReference(0.4, 0.25, 3), errors) == [4]
    assert run(PageHinkleyReference(0.6, 0.25, 0, direction="falling"), errors) == []
    for direction, rising in [("falling", False), ("both", False)]:
        reference = PageHinkleyReference(0.6, 0.25, 0, direction=direction)
        assert run(reference, [1, 1, 0, 0]) == [4] and reference.rising is rising
    assert run(PageHinkleyReference(0.5, 0, 0), [0, 1]) == []  # a rise of 0.5 is not above it
    # up is -1/4, -3/8, 2/3 - 1/4 - 3/16 = 0.229: a rise of 0.604
    assert run(PageHinkleyReference(0.6, 0.25, 0, fading=0.5), errors) == [3]


def test_p_value_is_that_of_scipy():
    for r in (1, 2, 5, 10, 30):
        for c in range(2, r + 1):
            a, b = [1] * c + [0] * (r - c), [0] * r
            assert most_apart(a, b) == c
            assert p_value(r, c) == pytest.approx(ks_2samp(a, b, method="exact").pvalue, rel=1e-12)
    assert p_value(1, 1) == 1
    assert p_value(2, 2) == 1 / 3


def test_kswin_by_hand():
    # sqrt(-ln(0.005) / 5) is 1.03, more than any distance; p(5, 5) = 2 / 252 = 0.0079
    errors = [0] * 5 + [1] * 5
    assert run(KSWINReference(0.005, 10, 5), errors) == []
    assert run(KSWINReference(0.008, 10, 5), errors) == [10]  # 0.983
    assert run(KSWINReference(0.007, 10, 5, exact=True), errors) == []
    reference = KSWINReference(0.008, 10, 5, exact=True)
    assert run(reference, errors) == [10]
    assert (reference.rising, reference.distance, reference.width, reference.estimate) == (
        True,
        1.0,
        5,
        1.0,
    )
    assert run(reference, [0] * 5) == [5] and not reference.rising
