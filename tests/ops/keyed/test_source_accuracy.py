"""Accuracy by source: counted by hand, and independent of slicing."""

import numpy as np
import pytest

from driftlearn.io import CorruptFile
from driftlearn.ops.keyed.source_accuracy import MAX_SPANS, SOURCES, SPAN, SourceAccuracy
from tests.keyed_streams import part, run, stream


def test_counts_agree_with_the_predictions():
    keys, _, _ = data = stream()
    models, _ = run([len(keys)], data=data)
    again = run([1, 700, 33, 4])[0]
    assert (
        again.source_accuracy.dumps() == models.source_accuracy.dumps()
        and models.source_accuracy.by_pool_model
    )
    by_age = models.source_accuracy.by_age
    assert by_age[..., 0].sum() == len(keys) == models.counts["learned"]
    assert by_age[..., 1].sum() == models.counts["right"]
    assert by_age[0, :, 0].sum() == 17 and by_age[1, :, 0].sum() == 17
    assert by_age[2, :, 0].sum() == 2 * 17
    assert models.source_accuracy.spans[:, 5].tolist() == [17, 0, 0]
    assert models.source_accuracy.spans[:, 0].tolist() == [1000, 1000, 1000]


def test_sources_and_global_predictions_row_by_row():
    _, _, labels = data = stream(n=900)
    models, _ = run([900], data=data)
    by_hand, _ = run([300], data=part(*data, 0, 300))
    votes, answers, of_global = [], [], []
    for i in range(300, 900):
        key, row, label = part(*data, i, i + 1)
        of_global += by_hand.learner.shared.predict(row, 1).labels[0].tolist()
        predicted = by_hand.learn(key, row, label)
        votes += predicted.votes
        answers += predicted.labels
    truth = labels[300:]
    before, _ = run([300], data=part(*data, 0, 300))
    new = models.source_accuracy.by_age.sum(axis=0) - before.source_accuracy.by_age.sum(axis=0)
    for kind, (n, right) in zip(SOURCES, new.tolist()):
        mine = [i for i, each in enumerate(votes) if _kind(each) == kind]
        assert (n, right) == (len(mine), sum(answers[i] == truth[i] for i in mine))
    spans = models.source_accuracy.spans.sum(axis=0) - before.source_accuracy.spans.sum(axis=0)
    assert spans[4] == sum(a == b for a, b in zip(of_global, truth)) > 300
    assert spans[3] == 600


def _kind(votes):
    return votes if votes in ("own", "global") else "none" if votes is None else "pool"


def test_spans_become_longer_and_stay_few():
    accuracy, n = SourceAccuracy(), 300 * SPAN
    truth = np.array(["a", "b"])[np.arange(n) // SPAN % 2]
    for begin in range(0, n, 7 * SPAN):
        some = np.arange(begin, min(n, begin + 7 * SPAN))
        n_some = len(some)
        accuracy.update(some, truth[some], (["a"] * n_some, ["own"] * n_some, [1] * n_some))
    assert accuracy.span == 4 * SPAN and len(accuracy.spans) == 75 <= MAX_SPANS
    assert (accuracy.spans[:, 0] == 4 * SPAN).all() and (accuracy.spans[:, 2] == 2 * SPAN).all()
    assert SourceAccuracy.loads(accuracy.dumps()).dumps() == accuracy.dumps()


def test_rows_that_were_not_learned_are_not_counted():
    accuracy = SourceAccuracy()
    assert accuracy.update(np.arange(2), ["a", "a"], ([None, "a"], [None, "own"], [-1, 5])) == (
        1,
        1,
        1,
    )
    assert accuracy.by_age.sum() == 2 and accuracy.spans[0, 0] == 1


def test_counts_of_models_outside_the_pool_are_dropped():
    accuracy = SourceAccuracy()
    answers = ["a", "a"], ["from x", "from y"], [3, 4]
    accuracy.update(np.arange(2), ["a", "b"], answers, ["a", None])
    accuracy.set_pool(["from y", "from z"])
    assert accuracy.by_pool_model == {"from y": [1, 0], "from z": [0, 0]}
    assert accuracy.spans[0].tolist() == [2, 2, 1, 1, 1, 0]


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"by_age": [], "by_pool_model": {}, "span": 1}', b"[]"]
)
def test_damage_is_reported(content):
    with pytest.raises(CorruptFile, match="its accuracy counts cannot be read"):
        SourceAccuracy.loads(content)
