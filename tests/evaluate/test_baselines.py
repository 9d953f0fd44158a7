"""Baselines beside the learners, and warnings about learners that are no better."""

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier, MajorityClassifier, NoChangeClassifier
from driftlearn.evaluate import concepts, delayed, holdout, not_beating, prequential, repeat
from driftlearn.streams import SEA, from_arrays
from tests.evaluate.fakes import Ensemble, Recorder, Rows

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 2))
RUNS = np.repeat(
    rng.permutation(np.resize([0, 1, 2], 30)), 20
)  # which the features do not determine
NB = {"bayes": GaussianNBClassifier()}


def sea(seed=0):
    return SEA(thresholds=(8, 3), n_rows=1000, random_state=seed)


@pytest.mark.parametrize("protocol", [prequential, holdout, concepts, delayed])
def test_baselines_are_optional(protocol):
    more = {"delay": 10} if protocol is delayed else {}
    alone = protocol(NB, sea(), chunk_size=100, **more)
    beside = protocol(NB, sea(), chunk_size=100, baselines=True, **more)
    assert alone.names == ["bayes"]
    assert beside.names == ["bayes", "no-change", "majority"]
    np.testing.assert_array_equal(alone.scores("bayes"), beside.scores("bayes"))


def test_a_baseline_that_is_there_is_not_run_twice():
    learners = {"mine": MajorityClassifier(window=10), "no-change": GaussianNBClassifier()}
    result = prequential(learners, sea(), 100, baselines=True)
    assert result.names == ["mine", "no-change"]


def test_learners_below_baselines_are_reported():
    stream = Rows(400)  # the labels 0 and 1 alternate
    result = prequential({"poor": Ensemble(skill=0.3)}, stream, 20, baselines=True)
    poor, no_change, majority = (result.summary(name)["accuracy"] for name in result.names)
    assert poor < no_change == majority == 0.5
    assert not_beating(result) == [
        f"On the stream rows, poor ({poor:.3f}) does not beat no-change (0.500).",
        f"On the stream rows, poor ({poor:.3f}) does not beat majority (0.500).",
    ]
    assert repr(result).splitlines()[-2:] == not_beating(result)


def test_previous_labels_are_recorded_without_baselines():
    result = prequential(NB, from_arrays(X, RUNS), 20)
    before = (RUNS[20:] == RUNS[19:-1]).mean()
    total = result.total("bayes")
    message = (
        f"On the stream runs, bayes ({total:.3f}) does not beat the label of the previous row "
        f"({before:.3f})."
    )
    assert not_beating(result, "runs") == [message]


def test_row_by_row_no_change_is_the_label_of_the_row_before():
    """One sentence per baseline that was run."""
    result = prequential(NB, from_arrays(X, RUNS), 1, baselines=True, every=100)
    message = not_beating(result)
    assert [text for text in message if "no-change" in text]
    assert not [text for text in message if "row before" in text]


def test_several_learners_are_one_sentence():
    learners = {"a": GaussianNBClassifier(), "b": GaussianNBClassifier(var_smoothing=1.0)}
    (message,) = not_beating(prequential(learners, from_arrays(X, RUNS), 20))
    assert message.count("(") == 3 and " and b (" in message and " do not beat " in message


def test_learners_above_baselines_are_not_reported():
    assert not_beating(prequential(NB, sea(), 100, baselines=True)) == []
    assert not_beating(prequential({"r": Recorder()}, Rows(100), 10)) == []
    assert not_beating(holdout(NB, sea(), 100)) == []


def test_seeds_are_taken_together():
    result = repeat(prequential, NB, lambda seed: from_arrays(X, RUNS), (0, 1), chunk_size=20)
    alone = prequential(NB, from_arrays(X, RUNS), 20)
    assert not_beating(result, "x") == not_beating(alone, "x")


def test_baselines_alone_are_not_reported():
    result = prequential(NoChangeClassifier(), from_arrays(X, RUNS), 20, baselines=True)
    assert not_beating(result) == []
