"""Kappa-temporal and other metrics that depend on concepts."""

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier, LearnPPNSEClassifier, NoChangeClassifier
from driftlearn.evaluate import Result, concepts, delayed, holdout, metrics, prequential, repeat
from driftlearn.streams import LED, RBF, SEA, from_arrays
from tests.evaluate.fakes import Recorder, Rows

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 2))
Y = np.repeat(rng.integers(0, 3, 80), 5)[:400]  # labels in runs of five


@pytest.mark.parametrize("every", [None, 50])
def test_no_change_row_by_row_has_a_kappa_temporal_of_zero(every):
    stream = from_arrays(X, Y)
    result = prequential({"no": NoChangeClassifier()}, stream, 1, every=every)
    assert result.total("no") == (Y[1:] == Y[:-1]).mean()
    assert result.total("no", "kappa_temporal") == 0.0
    assert result.data["no"]["unchanged"][1:].sum() <= (Y[1:] == Y[:-1]).sum()


@pytest.mark.parametrize("size", [1, 7, 40])
def test_kappa_temporal_by_hand(size):
    result = prequential({"nb": GaussianNBClassifier()}, from_arrays(X, Y), size, every=80)
    model, right = GaussianNBClassifier(), []
    for i in range(0, 400, size):
        if i:
            right += (model.predict(X[i : i + size]) == Y[i : i + size]).tolist()
        model.partial_fit(X[i : i + size], Y[i : i + size])
    before = (Y[size:] == Y[size - 1 : -1]).mean()
    assert result.total("nb", "kappa_temporal") == pytest.approx(
        (np.mean(right) - before) / (1 - before)
    )


def test_untested_rows_are_not_counted():
    """A learner without predictions for its first chunk is compared on its tested rows."""
    learner = LearnPPNSEClassifier(chunk_size=100, random_state=0)
    result = prequential({"nse": learner}, from_arrays(X, Y), 10, every=200)
    assert result.confusion("nse").sum() == 300
    assert result.data["nse"]["unchanged"].sum() == (Y[100:] == Y[99:-1]).sum()


def test_delayed_labels_are_compared_with_the_row_before():
    result = delayed({"nb": GaussianNBClassifier()}, from_arrays(X, Y), 0, 40)
    direct = prequential({"nb": GaussianNBClassifier()}, from_arrays(X, Y), 40)
    late = delayed({"nb": GaussianNBClassifier()}, from_arrays(X, Y), 40, 40)
    np.testing.assert_array_equal(result.data["nb"]["unchanged"], direct.data["nb"]["unchanged"])
    np.testing.assert_array_equal(
        late.data["nb"]["unchanged"][3:], direct.data["nb"]["unchanged"][3:]
    )


def test_drawn_rows_have_no_row_before():
    result = holdout({"nb": GaussianNBClassifier()}, SEA(n_rows=500, random_state=0), 100, 200)
    assert np.isnan(result.scores("nb", "kappa_temporal")).all()
    assert np.isnan(result.summary("nb")["kappa_temporal"])
    assert "kappa_temporal" not in result.table().columns


def test_resumed_runs_equal_uninterrupted_runs():
    from driftlearn.evaluate import Evaluation

    whole = prequential({"nb": GaussianNBClassifier()}, from_arrays(X, Y), 40)
    evaluation = Evaluation.start(
        "prequential", {"nb": GaussianNBClassifier()}, from_arrays(X, Y), chunk_size=40
    )
    steps = evaluation.steps()
    for _ in range(4):
        next(steps)
    result = evaluation.finish()
    np.testing.assert_array_equal(result.data["nb"]["unchanged"], whole.data["nb"]["unchanged"])


# Recovery


def test_recovery_of_new_and_of_returned_rules():
    stream = SEA(thresholds=(8, 3, 8, 5, 3), n_rows=1000, chunk_size=50, random_state=0)
    result = prequential({"nb": GaussianNBClassifier()}, stream)
    assert result.concepts == [c for c in (8, 3, 8, 5, 3) for _ in range(4)]
    scores = result.scores("nb")
    row = result.summary("nb", window=100)
    new, returned = ([scores[i : i + 2].mean() for i in begins] for begins in ((4, 12), (8, 16)))
    assert row["recovery_new"] == pytest.approx(np.mean(new))
    assert row["recovery_returned"] == pytest.approx(np.mean(returned))
    assert row["recovery"] == pytest.approx(np.mean([*new, *returned]))
    with pytest.raises(ValueError, match="kind must be one of 'new', 'returned'"):
        result.recovery("nb", kind="old")


def test_a_gradual_change_is_named_by_what_it_leads_to():
    stream = SEA(thresholds=(8, 3, 8), n_rows=900, ramp=100, chunk_size=50, random_state=0)
    result = prequential({"nb": GaussianNBClassifier()}, stream)
    stop = result.rows("nb")
    assert metrics.kinds_of_drifts(result.concepts, stop, result.drifts) == {
        "new": [300],
        "returned": [600],
    }


def test_streams_without_concepts():
    result = prequential({"r": Recorder()}, Rows(100, drifts=[50]), 10)
    assert result.concepts == []
    row = result.summary("r")
    assert row["recovery"] == 1 and np.isnan(row["recovery_new"])
    moving = prequential({"nb": GaussianNBClassifier()}, RBF(n_rows=300, random_state=0), 100)
    assert len(set(moving.concepts)) == 3 and all(isinstance(c, str) for c in moving.concepts)


# The matrix of concepts


@pytest.fixture(scope="module")
def matrix():
    stream = SEA(thresholds=(8, 3, 8, 5), n_rows=4000, random_state=0)
    learners = {"nb": GaussianNBClassifier(), "nse": LearnPPNSEClassifier(random_state=0)}
    return concepts(learners, stream, 250, 400)


def test_concept_matrix_is_what_a_loop_gives(matrix):
    stream = SEA(thresholds=(8, 3, 8, 5), n_rows=4000, random_state=0)
    assert matrix.settings["periods"] == [8, 3, 8, 5]
    assert matrix.concept_matrix("nb").shape == (4, 3)
    seeds = np.random.SeedSequence(0).generate_state(3)
    tests = [stream.test_set(row, 400, int(s)) for row, s in zip((999, 1999, 3999), seeds)]
    model = GaussianNBClassifier()
    for i, batch in enumerate(stream.chunks(1000)):
        for rows in np.array_split(np.arange(1000), 4):
            model.partial_fit(batch.X[rows], batch.y[rows])
        expected = [model.score(*test) for test in tests]
        np.testing.assert_allclose(matrix.concept_matrix("nb")[i], expected)


def test_summary_has_forgetting_and_transfer(matrix):
    row = matrix.summary("nse")
    expected = metrics.transfer(matrix.concept_matrix("nse"), [8, 3, 8, 5], chance=0.5)
    assert {key: row[key] for key in expected} == expected
    assert np.isnan([row["recovery"], row["recovery_new"], row["recovery_returned"]]).all()
    assert "forgetting" in matrix.table().columns
    assert "forgetting" not in prequential(Recorder(), Rows(30)).table().columns


def test_transfer_by_hand():
    R = [[0.9, 0.4, 0.5], [0.6, 0.8, 0.7], [0.8, 0.6, 0.6], [0.5, 0.7, 0.9]]
    found = metrics.transfer(R, ["a", "b", "a", "c"], chance=0.5)
    anytime = [0.9, np.mean([0.6, 0.8]), np.mean([0.8, 0.6]), np.mean([0.5, 0.7, 0.9])]
    assert found["anytime_accuracy"] == pytest.approx(np.mean(anytime))
    assert found["forgetting"] == pytest.approx(np.mean([0.9 - 0.5, 0.8 - 0.7]))
    assert found["backward_transfer"] == pytest.approx(np.mean([0.5 - 0.9, 0.7 - 0.8]))
    assert found["forward_transfer"] == pytest.approx(np.mean([0.4 - 0.5, 0.6 - 0.5]))
    with pytest.raises(ValueError, match=r"4 periods and 3 concepts.*Got \(2, 2\)"):
        metrics.transfer(np.eye(2), ["a", "b", "a", "c"])


def test_a_chunk_over_a_drift_belongs_to_the_period_after_it():
    stream = SEA(thresholds=(8, 3), n_rows=1000, random_state=0)
    learnt = concepts({"nb": GaussianNBClassifier()}, stream, 300, 50).data["nb"]["trained"]
    assert learnt.tolist() == [300, 0, 700, 0]
    with pytest.raises(
        ValueError, match=r"rows 0 to 499, .*complete chunk. Use a smaller chunk_size"
    ):
        concepts(GaussianNBClassifier(), stream, 600, 50)


@pytest.mark.parametrize(
    ("stream", "lacks"),
    [
        (from_arrays(X, Y), "its drifts are unknown"),
        (RBF(n_rows=500), "its drifts are unknown"),
        (Rows(100, drifts=[50]), "no method concept_at"),
        (LED(n_rows=None, drift_at=(100,)), "its number of rows is unknown"),
        ([(X, Y)], "cannot be used on list"),
    ],
    ids=["recorded", "moving", "mute", "endless", "iterable"],
)
def test_a_stream_without_concepts_is_refused(stream, lacks):
    with pytest.raises(ValueError, match=lacks):
        concepts(GaussianNBClassifier(), stream)


def test_only_its_own_protocol_gives_a_matrix():
    result = prequential({"r": Recorder()}, Rows(30))
    with pytest.raises(ValueError, match="protocol 'prequential' has no concept matrix"):
        result.concept_matrix("r")


def test_matrices_of_several_seeds_and_files(tmp_path, matrix):
    def make(seed):
        return SEA(thresholds=(8, 3), n_rows=1000, random_state=seed)

    found = repeat(concepts, {"nb": GaussianNBClassifier()}, make, (0, 1), chunk_size=250)
    assert found.concept_matrix("nb").shape == (2, 2, 2)
    matrix.save(tmp_path / "r.json")
    again = Result.load(tmp_path / "r.json")
    np.testing.assert_array_equal(again.concept_matrix("nse"), matrix.concept_matrix("nse"))
    assert again.concepts == matrix.concepts
