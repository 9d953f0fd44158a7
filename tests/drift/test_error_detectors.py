"""Common properties of DDM, EDDM, PageHinkley, KSWIN and the older detectors."""

import inspect
import pickle
import re
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from driftlearn import drift
from driftlearn import io as persist
from driftlearn.drift import ADWIN, DDM, EDDM, KSWIN, DeviationWindow, PageHinkley
from driftlearn.io.schema import check

DETECTORS = {
    "adwin": partial(ADWIN, delta=0.05, clock=8),
    "deviation": partial(DeviationWindow, window_size=80, min_sub=10),
    "ddm": partial(DDM, drift_level=2.5, min_window=20),
    "eddm": partial(EDDM, drift_level=0.8, min_mistakes=20),
    "eddm-early": partial(EDDM, early_peak=True),
    "page-hinkley": partial(PageHinkley, threshold=15, fading=0.999, direction="both"),
    "kswin": partial(KSWIN, level=0.01, window_size=60, sample_size=20, random_state=3),
    "kswin-exact": partial(KSWIN, exact=True, random_state=5),
}
make_any = pytest.mark.parametrize("make", DETECTORS.values(), ids=DETECTORS)


def errors_that_change(seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.random(400) < p for p in (0.1, 0.6, 0.2, 0.7)]).astype(float)


def seen(detector):
    """Return the public attributes of a detector, and its state."""
    public = [name for name in dir(detector) if not name.startswith("_")]
    values = {name: getattr(detector, name) for name in public}
    shown = {name: value for name, value in values.items() if not callable(value)}
    content = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in detector.get_state().items()
    }
    if "rng" in content:
        content["rng"] = content["rng"].bit_generator.state
    return shown, content


def test_all_are_here():
    assert {make.func.__name__ for make in DETECTORS.values()} == {*drift.__all__} - {"BlockTest"}


@make_any
def test_one_call_of_many_is_many_calls_of_one(make):
    errors = errors_that_change()
    one, many, sliced = make(), make(), make()
    expected = [i for i, error in enumerate(errors) if one.update(error=error)]
    found = many.update_many(errors)
    assert found.tolist() == expected and len(expected) >= 2
    assert found.dtype == np.intp
    cuts = sorted([0, 1, 1, 7, 399, 400, 1111, expected[-1] + 1, len(errors)])
    parts = [start + sliced.update_many(errors[start:end]) for start, end in pairwise(cuts)]
    assert np.concatenate(parts).tolist() == expected
    assert seen(one) == seen(many) == seen(sliced)
    assert one.n_detections == len(expected)


@make_any
def test_changes_are_reported_at_the_last_error(make):
    errors = errors_that_change()
    detector = make()
    first = make().update_many(errors)[0]
    detector.update_many(errors[: first + 1])
    assert detector.drift_detected and detector.n_detections == 1
    detector.update_many([])
    assert detector.drift_detected
    detector.update_many(errors[first + 1 : first + 2])
    assert not detector.drift_detected and detector.n_detections == 1


@make_any
@pytest.mark.parametrize("copied", ["pickle", "file", "state"])
def test_copies_continue_identically(make, copied):
    errors = errors_that_change(1)
    detector = make()
    detector.update_many(errors[:555])
    if copied == "pickle":
        other = pickle.loads(pickle.dumps(detector))
    elif copied == "file":
        other = persist.loads(persist.dumps(detector))
    else:
        other = type(detector)().set_state(detector.get_state())
    assert seen(other) == seen(detector)
    expected = detector.update_many(errors[555:])
    assert seen(other) != seen(detector)  # it is a copy
    assert other.update_many(errors[555:]).tolist() == expected.tolist()
    assert len(expected) and seen(other) == seen(detector)
    assert seen(other.reset()) == seen(make())


@make_any
def test_reset_restores_the_initial_state(make):
    errors = errors_that_change(2)
    detector = make()
    expected = detector.update_many(errors).tolist()
    assert detector.reset() is detector
    assert seen(detector) == seen(make())
    assert detector.update_many(errors).tolist() == expected


@make_any
def test_input_is_documented_as_errors(make):
    assert list(inspect.signature(make.func.update).parameters) == ["self", "error"]
    assert list(inspect.signature(make.func.update_many).parameters) == ["self", "errors"]


@make_any
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_error_changes_nothing(make, bad):
    detector = make()
    detector.update_many([0, 1, 0])
    before = seen(detector)
    with pytest.raises(ValueError, match=r"^error must be .*\. Got (nan|-?inf) instead\.$"):
        detector.update(bad)
    with pytest.raises(ValueError, match=r"^errors must be .*\. Got (nan|-?inf) at position 2\.$"):
        detector.update_many([0, 1, bad, 1])
    assert seen(detector) == before


@make_any
def test_errors_have_one_axis(make):
    for errors, axes in ([[0, 1], [1, 0]], 2), (1.0, 0):
        with pytest.raises(
            ValueError, match=f"errors must be 1-dimensional. Got an array with {axes} dim"
        ):
            make().update_many(errors)


@pytest.mark.parametrize(
    ("kind", "error", "rule"),
    [
        (DDM, -0.1, "in the range [0, 1]"),
        (DDM, 1.5, "in the range [0, 1]"), (EDDM, 0.5, "0 or 1"),
        (PageHinkley, 1e101, "in the range [-1e+100, 1e+100]"),
        (KSWIN, -1e101, "in the range [-1e+100, 1e+100]"),
    ],
)  # fmt: skip
def test_errors_out_of_range(kind, error, rule):
    with pytest.raises(ValueError, match=re.escape(f"error must be {rule}. Got {error} instead.")):
        kind().update(error)


@pytest.mark.parametrize(
    ("kind", "parameters", "problem"),
    [
        (ADWIN, {"clock": 2.5}, "'clock' of ADWIN must be an int .* Got 2.5"),
        (DeviationWindow, {"k_sd": "3"}, "'k_sd' of DeviationWindow must be a finite number"),
        (DDM, {"drift_level": 0}, "'drift_level' of DDM must be a finite number in the range .0"),
        (
            DDM,
            {"drift_level": float("nan")},
            "'drift_level' of DDM must be a finite number .* Got nan",
        ),
        (DDM, {"min_window": 3.5}, "'min_window' of DDM must be an int .* Got 3.5"),
        (DDM, {"min_window": -1}, "'min_window' of DDM must be an int in the range .0"),
        (DDM, {"warning_level": 4.0}, "warning_level=4.0 must be at most drift_level=3.0"),
        (EDDM, {"drift_level": 1.5}, "'drift_level' of EDDM must be a finite number in the"),
        (EDDM, {"warning_level": 0.5}, "warning_level=0.5 must be at least drift_level=0.9"),
        (EDDM, {"min_mistakes": 0}, "'min_mistakes' of EDDM must be an int in the range .1"),
        (EDDM, {"early_peak": 1}, "'early_peak' of EDDM must be a bool"),
        (PageHinkley, {"threshold": -1}, "'threshold' of PageHinkley must be a finite"),
        (PageHinkley, {"delta": float("inf")}, "'delta' of PageHinkley must be a finite"),
        (PageHinkley, {"fading": 0}, "'fading' of PageHinkley must be a finite number"),
        (PageHinkley, {"direction": "up"}, "'direction' of PageHinkley must be one of .* Got 'up'"),
        (KSWIN, {"level": 0}, "'level' of KSWIN must be a finite number in the range .0, 1"),
        (KSWIN, {"window_size": 10**9}, "'window_size' of KSWIN must be an int in the"),
        (
            KSWIN,
            {"window_size": 59},
            "window_size=59 must be at least twice sample_size=3",
        ),
        (KSWIN, {"sample_size": 0}, "'sample_size' of KSWIN must be an int in the range .1"),
        (KSWIN, {"random_state": "a"}, "'random_state' of KSWIN must be an int .* Got 'a'"),
    ],
)
def test_parameters_out_of_range(kind, parameters, problem):
    with pytest.raises(ValueError, match=problem):
        kind(**parameters)


@pytest.mark.parametrize("make", [DDM, EDDM, PageHinkley, partial(KSWIN, random_state=0)])
def test_errors_may_be_of_any_type(make):
    errors = errors_that_change()
    expected = make().update_many(errors).tolist()
    frozen = errors.copy()
    frozen.flags.writeable = False
    for same in errors.astype(bool), errors.astype(int), errors.tolist(), np.repeat(errors, 2)[::2]:
        assert make().update_many(same).tolist() == expected
    assert make().update_many(frozen).tolist() == expected


def test_a_file_with_another_window_is_refused():
    detector = DDM()
    detector._window = PageHinkley()._window
    with pytest.raises(
        persist.CorruptFile, match=r"'_window' of DDM must be an ErrorRate. Got a CumulativeSum"
    ):
        persist.loads(persist.dumps(detector))


@pytest.mark.parametrize(
    ("make", "changed", "problem"),
    [
        (DDM, {"total": 9.0}, "the sum of the errors exceeds their number"),
        (EDDM, {"last": 9}, "the number of mistakes exceeds the number of rows"),
        (EDDM, {"n_mistakes": 3}, "the number of mistakes exceeds the number of rows"),
        (
            PageHinkley,
            {"direction": "up"},
            "'direction' of CumulativeSum must be one of .* Got 'up'",
        ),
        (KSWIN, {"errors": np.zeros(101)}, "more than window_size"),
        (KSWIN, {"sample_size": 51}, "must be at least twice sample_size"),
    ],
)
def test_a_file_that_cannot_be_is_refused(make, changed, problem):
    detector = make()
    detector.update_many([0, 1, 0])
    window = detector._window
    check(type(window), window.get_state())
    with pytest.raises(ValueError, match=problem):
        check(type(window), {**window.get_state(), **changed})


def test_repr():
    detector = DDM()
    detector.update_many([0, 1])
    assert repr(detector) == "DDM(drift_level=3.0, width=2, estimate=0.5)"
