"""The worked examples of the documentation: streams from public names only."""

import pickle
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier
from driftlearn.evaluate import holdout, prequential
from driftlearn.specs.spec import Spec
from driftlearn.streams import GeneratedStream, Stream
from tests.doc_code import code_of


@pytest.fixture
def beach(tmp_path, monkeypatch):
    (tmp_path / "beach.py").write_text(code_of("writing-a-stream.rst"), "utf-8")
    (tmp_path / "nights.py").write_text(code_of("writing-a-stream.rst", 2), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("beach", "nights"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return import_module("beach").Tide


def rows_of(stream, *how):
    return [np.concatenate(part) for part in zip(*((b.X, b.y) for b in stream.chunks(*how)))]


def test_rows_do_not_depend_on_how_they_are_read(beach):
    stream = beach(n_rows=3_000, random_state=1)
    X, y = rows_of(stream)
    assert X.shape == (3_000, 2) and X.dtype == float
    for how in ((1,), (7,), (1_024,), (5_000,)):
        for mine, theirs in zip((X, y), rows_of(stream, *how)):
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(X[1_500:], rows_of(stream, 100, 1_500)[0])
    assert not np.array_equal(X, rows_of(beach(n_rows=3_000, random_state=2))[0])


def test_description(beach):
    stream = beach((0.2, 0.5), n_rows=5_000, random_state=1)
    assert repr(stream) == "Tide(levels=(0.2, 0.5), n_rows=5000, random_state=1)"
    assert stream.drifts == [2_000, 4_000]
    assert [stream.concept_at(row) for row in (0, 1_999, 2_000, 4_999)] == [0.2, 0.2, 0.5, 0.2]
    for copy in (pickle.loads(pickle.dumps(stream)), Spec.of_json(Spec.of(stream).json()).make()):
        np.testing.assert_array_equal(rows_of(copy)[0], rows_of(stream)[0])
    assert beach().random_state != beach().random_state


def test_test_sets_are_of_the_concept_in_force(beach):
    stream = beach(noise=0.0, random_state=1)
    for row in (0, 2_000):
        X, y = stream.test_set(row, 400)
        assert ((X[:, 1] < stream.concept_at(row)) == (y == "wet")).all()
        assert not np.isin(X, rows_of(stream)[0]).any()


def test_it_is_evaluated(beach):
    result = prequential(GaussianNBClassifier(), beach(n_rows=3_000, random_state=0))
    assert list(result.drifts) == [2_000]
    holdout(GaussianNBClassifier(), beach(n_rows=3_000, random_state=0), test_size=50)


def test_it_runs_on_the_command_line(beach, tmp_path):
    found = subprocess.run(
        [
            sys.executable, "-m", "driftlearn", "run", "--learner", "naive-bayes",
            "--stream", "beach:Tide:levels=(0.2,0.5,0.8),n_rows=1000", "--store", "runs.sqlite",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "beach:Tide" in found.stdout


def test_rows_from_elsewhere(beach, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.random((500, 3)), rng.integers(2, size=500)
    for k, cut in enumerate((slice(130), slice(130, 400), slice(400, None))):
        np.savez(tmp_path / f"night{k}.npz", X=X[cut], y=y[cut])
    stream = import_module("nights").Nights(tmp_path, 3)
    for start in (0, 50, 130, 450):
        np.testing.assert_array_equal(rows_of(stream, 64, start)[0], X[start:])
        np.testing.assert_array_equal(rows_of(stream, 64, start)[1], y[start:])
    assert stream.concept_at(400) == 0
    prequential(GaussianNBClassifier(), stream, chunk_size=100)
    with pytest.raises(ValueError, match="Stream Nights does not implement test_set"):
        holdout(GaussianNBClassifier(), stream)


class Silent(Stream):
    name, n_rows, n_features, chunk_size = "silent", None, 2, 10


class Undrawn(GeneratedStream):
    name, n_rows, n_features, chunk_size, random_state = "undrawn", 10, 2, 10, 0


class Crooked(Silent):
    name = "crooked"

    def __init__(self, X, y):
        self.X, self.y = X, y

    def _pieces(self, start):
        yield self.X, self.y


@pytest.mark.parametrize(
    "stream, hook", [(Silent(), r"_pieces\(start\)"), (Undrawn(), r"_draw\(rng, rows\)")]
)
def test_missing_hooks_are_reported(stream, hook):
    with pytest.raises(NotImplementedError, match=f"{type(stream).__name__} must implement {hook}"):
        stream.take(3)


class Forgetful(GeneratedStream):
    n_features, classes, feature_names = 1, np.array([0, 1]), ["x"]
    chunk_size, name = 3, "forgetful"

    def _draw(self, rng, rows):
        return rng.random((len(rows), 1)), np.zeros(len(rows), dtype=int)


def test_missing_attributes_are_reported():
    stream = Forgetful()
    with pytest.raises(AttributeError, match="Class Forgetful must set the attribute 'n_rows'"):
        stream.take(3)
    stream.n_rows = 10
    with pytest.raises(AttributeError, match="set the attribute 'random_state'"):
        stream.take(3)
    stream.random_state = 0
    assert stream.take(3)[0].shape == (3, 1)
    with pytest.raises(AttributeError, match="'Forgetful' object has no attribute 'rows'"):
        _ = stream.rows


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (3,)])
def test_rows_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match="Stream crooked yields X of shape"):
        Crooked(np.zeros(shape), np.zeros(3)).take(3)
