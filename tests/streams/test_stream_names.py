import subprocess
import sys

import numpy as np
import pytest

import driftlearn.streams
from driftlearn.streams import S1_STREAMS, SEA, STREAMS, Stream, make_stream


def test_every_entry_has_a_description():
    for name, entry in STREAMS.items():
        assert name == name.strip() and callable(entry.make)
        assert 10 < len(entry.about) < 100
        assert "self" not in entry.params
    assert {"sea", "checkerboard", "rbf", "led", "laser", "electricity", "wine"} <= set(STREAMS)
    assert set(S1_STREAMS) < set(STREAMS)


@pytest.mark.parametrize(
    "name",
    [
        *("sea", "checkerboard", "rot", "cir", "sin", "sta", "gaussian", "rbf", "led"),
        *("poker-hands", "wine", "schedule-wine", "SEA200A", "agrawal", "hyperplane", "sine"),
        *("mixed", "random-tree", "waveform", "asset-negotiation"),
    ],
)
def test_streams_are_made_by_name(name):
    stream = make_stream(name, random_state=0)
    assert isinstance(stream, Stream)
    X, y = stream.take(50)
    assert X.shape == (50, stream.n_features) and set(y) <= set(stream.classes)
    np.testing.assert_array_equal(make_stream(name, random_state=0).take(50)[0], X)


def test_parameters_are_passed_on():
    assert make_stream("sea", thresholds=(1, 2), noise=0).thresholds == (1, 2)
    assert isinstance(make_stream("sea"), SEA)
    assert make_stream("wine", n_rows=20).n_rows == 20


def test_mistakes_are_named():
    with pytest.raises(ValueError, match=r"Got 'seaa' \(did you mean 'sea'"):
        make_stream("seaa")
    with pytest.raises(
        ValueError, match=r"a parameter of sea must be one of .*Got 'nois'.*'noise'"
    ):
        make_stream("sea", nois=0.1)


def test_all_names_are_public_and_documented():
    for name in driftlearn.streams.__all__:
        thing = getattr(driftlearn.streams, name)
        if callable(thing):
            assert thing.__doc__


def test_import_needs_neither_scikit_learn_nor_the_extras():
    code = (
        "import sys, driftlearn.streams; "
        "print([m for m in ('sklearn', 'pandas', 'pyarrow', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
