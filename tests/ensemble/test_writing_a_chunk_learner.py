"""The worked example of the documentation: a chunk learner from public names only."""

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.utils.estimator_checks import check_estimator

from driftlearn import SEAClassifier
from driftlearn import io as persist
from driftlearn.checks import check_stream_classifier
from driftlearn.evaluate import prequential
from driftlearn.streams import SEA
from tests.doc_code import code_of

CODE = code_of("writing-a-chunk-learner.rst")
ROW_LIMITS = "min_samples_split counts rows, not weights"

HARD_VOTES = {"no_class_is_impossible": "its members vote by labels"}


@pytest.fixture
def learner(tmp_path, monkeypatch):
    (tmp_path / "fading.py").write_text(CODE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "fading", raising=False)
    return import_module("fading").FadingVotesClassifier


def test_it_is_short_and_made_of_public_names():
    body = CODE[CODE.index("    def _learn") :]
    assert len(body.strip().splitlines()) <= 15
    ours = [line for line in CODE.splitlines() if line.startswith("from driftlearn")]
    assert [line.split()[1] for line in ours] == ["driftlearn.ensemble"]


def test_it_passes_the_checks(learner):
    found = check_estimator(learner(), on_fail=None, on_skip=None)
    failed = [each["check_name"] for each in found if each["status"] == "failed"]
    assert failed == ["check_sample_weight_equivalence_on_dense_data"], ROW_LIMITS
    check_stream_classifier(learner(), expected_failures=HARD_VOTES)


def test_an_external_base_learner(learner):
    check_stream_classifier(learner(SGDClassifier(loss="log_loss")), expected_failures=HARD_VOTES)


def test_it_follows_a_drift_and_reports(learner, tmp_path):
    stream = SEA(thresholds=(8, 2, 9), n_rows=6_000, random_state=0)
    result = prequential(
        {"fading": learner(), "sea": SEAClassifier.as_published()}, stream, chunk_size=200
    )
    fading, sea = (np.nanmean(result.scores(name)) for name in ("fading", "sea"))
    assert fading > sea + 0.02, "weighted votes must be quicker than equal ones"
    result.report(tmp_path / "fading.html")
    assert "fading" in (tmp_path / "fading.html").read_text("utf-8")


def test_saved_models_continue(learner):
    first, second = SEA(n_rows=1_000, random_state=0).chunks(500)
    model = learner().partial_fit(first.X, first.y)
    copy = persist.loads(persist.dumps(model, allow="fading"), allow="fading")
    for one in (model, copy):
        one.partial_fit(second.X, second.y)
    np.testing.assert_array_equal(model.predict_proba(first.X), copy.predict_proba(first.X))
    assert persist.dumps(model, allow="fading") == persist.dumps(copy, allow="fading")


def test_it_runs_on_the_command_line(learner, tmp_path):
    found = subprocess.run(
        [
            sys.executable, "-m", "driftlearn", "run", "--stream", "sea:n_rows=1000",
            "--learner", "fading:FadingVotesClassifier", "--store", "runs.sqlite",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "fading" in found.stdout
