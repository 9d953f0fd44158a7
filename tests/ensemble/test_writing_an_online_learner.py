"""The worked example of the documentation: an online learner from public names only."""

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.utils.estimator_checks import check_estimator

from driftlearn import io as persist
from driftlearn.checks import check_stream_classifier
from driftlearn.evaluate import prequential
from driftlearn.streams import SEA
from tests.doc_code import code_of

CODE = code_of("writing-an-online-learner.rst")
POISSON = "every row is drawn a Poisson number of times: equal in distribution, not in every draw"

HARD_VOTES = {"no_class_is_impossible": "its members vote by labels"}


@pytest.fixture
def learner(tmp_path, monkeypatch):
    (tmp_path / "leveraging.py").write_text(CODE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "leveraging", raising=False)
    return import_module("leveraging").LeveragingBaggingClassifier


def test_it_is_short():
    body = CODE[CODE.index("    def _default_base_learner") :]
    assert len(body.strip().splitlines()) <= 25
    assert len(CODE.strip().splitlines()) <= 60


def test_it_passes_the_checks(learner):
    found = check_estimator(learner(random_state=0), on_fail=None, on_skip=None)
    failed = [each["check_name"] for each in found if each["status"] == "failed"]
    assert failed == ["check_sample_weight_equivalence_on_dense_data"], POISSON
    check_stream_classifier(learner(random_state=0), expected_failures=HARD_VOTES)


@pytest.mark.parametrize("base", [None, SGDClassifier(random_state=0)], ids=["tree", "external"])
def test_slicing_does_not_matter(learner, base):
    stream = SEA(n_rows=600, noise=0.1, random_state=0)
    X, y = (np.concatenate(parts) for parts in zip(*((b.X, b.y) for b in stream.chunks(200))))
    whole = learner(base, 4, random_state=3).partial_fit(X, y, classes=[0, 1])
    rows = learner(base, 4, random_state=3).partial_fit(X[:1], y[:1], classes=[0, 1])
    for i in range(1, len(y)):
        rows.partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_array_equal(whole.predict_proba(X), rows.predict_proba(X))
    assert persist.dumps(whole, allow="leveraging") == persist.dumps(rows, allow="leveraging")


def test_saved_models_continue(learner):
    first, second = SEA(n_rows=1_000, random_state=0).chunks(500)
    model = learner(random_state=0).partial_fit(first.X, first.y)
    copy = persist.loads(persist.dumps(model, allow="leveraging"), allow="leveraging")
    for one in (model, copy):
        one.partial_fit(second.X, second.y)
    np.testing.assert_array_equal(model.predict_proba(first.X), copy.predict_proba(first.X))


def test_it_recovers_and_reports(learner, tmp_path):
    """After a flip of the concept members are replaced; the report contains the learner."""
    rng = np.random.default_rng(0)
    X = rng.random((6_000, 2))
    y = (X[:, 0] > 0.5).astype(int)
    y[2_000:] = 1 - y[2_000:]
    model = learner(random_state=0).partial_fit(X, y)
    assert model.members_["created_at"].max() > 2_000
    assert model.score(X[2_000:], y[2_000:]) > 0.9
    result = prequential(
        {"lb": learner(random_state=0)}, SEA(n_rows=1_000, random_state=0), chunk_size=250
    )
    result.report(tmp_path / "lb.html")
    assert "lb" in (tmp_path / "lb.html").read_text("utf-8")


def test_it_runs_on_the_command_line(learner, tmp_path):
    found = subprocess.run(
        [
            sys.executable, "-m", "driftlearn", "run", "--stream", "sea:n_rows=1000",
            "--learner", "leveraging:LeveragingBaggingClassifier", "--store", "runs.sqlite",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "leveraging" in found.stdout
