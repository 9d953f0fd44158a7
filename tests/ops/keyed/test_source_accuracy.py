"""Whose answers were heard: counted by hand, and the same however rows are sliced."""

import numpy as np
import pytest

from driftlearn.io import CorruptFile
from driftlearn.ops.keyed.source_accuracy import KINDS, MOST_SPANS, SPAN, SourceAccuracy
from tests.keyed_streams import part, run, stream


def test_counts_are_those_of_the_answers():
    keys, _, _ = data = stream()
    models, _ = run([len(keys)], data=data)
    again = run([1, 700, 33, 4])[0]
    assert again.source_accuracy.content() == models.source_accuracy.content() and models.source_accuracy.by_pool_model
    by_age = models.source_accuracy.by_age
    assert by_age[..., 0].sum() == len(keys) == models.counts["learned"]
    assert by_age[..., 1].sum() == models.counts["right"]
    assert by_age[0, :, 0].sum() == 17 and by_age[1, :, 0].sum() == 17
    assert by_age[2, :, 0].sum() == 2 * 17
    assert models.source_accuracy.spans[:, 5].tolist() == [17, 0, 0]
    assert models.source_accuracy.spans[:, 0].tolist() == [1000, 1000, 1000]


def test_who_and_what_the_global_model_said_row_by_row():
    _, _, labels = data = stream(n=900)
    models, _ = run([900], data=data)
    by_hand, _ = run([300], data=part(*data, 0, 300))
    who, answers, everyone = [], [], []
    for i in range(300, 900):
        key, row, label = part(*data, i, i + 1)
        everyone += by_hand.learner.shared.answers(row, 1).labels[0].tolist()
        said = by_hand.learn(key, row, label)
        who += said.votes
        answers += said.labels
    truth = labels[300:]
    before, _ = run([300], data=part(*data, 0, 300))
    new = models.source_accuracy.by_age.sum(axis=0) - before.source_accuracy.by_age.sum(axis=0)
    for kind, (n, right) in zip(KINDS, new.tolist()):
        mine = [i for i, each in enumerate(who) if _kind(each) == kind]
        assert (n, right) == (len(mine), sum(answers[i] == truth[i] for i in mine))
    spans = models.source_accuracy.spans.sum(axis=0) - before.source_accuracy.spans.sum(axis=0)
    assert spans[4] == sum(a == b for a, b in zip(everyone, truth)) > 300
    assert spans[3] == 600


def _kind(who):
    return who if who in ("own", "global") else "nobody" if who is None else "borrowed"


def test_spans_become_longer_and_stay_few():
    heard, n = SourceAccuracy(), 300 * SPAN
    truth = np.array(["a", "b"])[np.arange(n) // SPAN % 2]
    for begin in range(0, n, 7 * SPAN):
        some = np.arange(begin, min(n, begin + 7 * SPAN))
        n_some = len(some)
        heard.update(some, truth[some], (["a"] * n_some, ["own"] * n_some, [1] * n_some))
    assert heard.span == 4 * SPAN and len(heard.spans) == 75 <= MOST_SPANS
    assert (heard.spans[:, 0] == 4 * SPAN).all() and (heard.spans[:, 2] == 2 * SPAN).all()
    assert SourceAccuracy.of(heard.content()).content() == heard.content()


def test_rows_that_were_not_learned_are_not_counted():
    heard = SourceAccuracy()
    assert heard.update(np.arange(2), ["a", "a"], ([None, "a"], [None, "own"], [-1, 5])) == (
        1,
        1,
        1,
    )
    assert heard.by_age.sum() == 2 and heard.spans[0, 0] == 1


def test_only_models_on_the_shelf_are_remembered():
    heard = SourceAccuracy()
    answers = ["a", "a"], ["from x", "from y"], [3, 4]
    heard.update(np.arange(2), ["a", "b"], answers, ["a", None])
    heard.choose(["from y", "from z"])
    assert heard.by_pool_model == {"from y": [1, 0], "from z": [0, 0]}
    assert heard.spans[0].tolist() == [2, 2, 1, 1, 1, 0]


@pytest.mark.parametrize("content", [b"", b"{}", b'{"by_age": [], "lent": {}, "span": 1}', b"[]"])
def test_damage_is_told(content):
    with pytest.raises(CorruptFile, match="whose answers were heard"):
        SourceAccuracy.of(content)
