"""Several threads share a learner: readers see it before or after training, writers wait."""

import os
import threading
import time
import warnings

import numpy as np
import pytest
from joblib import Parallel, cpu_count, delayed, parallel_config
from sklearn.utils import get_tags

import driftlearn
from driftlearn import io as persist
from driftlearn.base.threads import in_parts, n_threads, thread_limit, threads

LEARNERS = [
    getattr(driftlearn, name)
    for name in driftlearn.__all__
    if name.endswith("Classifier") and hasattr(getattr(driftlearn, name)(), "partial_fit")
]
SLOW = {"MLPGoalClassifier": 4, "WindowedAdaBoostClassifier": 6, "FuzzyARTMAPClassifier": 6}
rng = np.random.default_rng(0)
X = rng.random((60 * 25, 3))
Y = np.where(X[:, 0] + X[:, 1] > 1, 1, 0)
MANY = Y.copy()
MANY[600::5] = 2
MANY[900::7] = 3


def made(kind):
    params = kind().get_params()
    small = {"n_estimators": 5} if "n_estimators" in params and "prune" not in params else {}
    return kind(**small, **({"random_state": 0} if "random_state" in params else {}))


def chunks(kind):
    y = MANY if get_tags(kind()).classifier_tags.multi_class else Y
    n = SLOW.get(kind.__name__, 60)
    return [(X[k * 25 : k * 25 + 25], y[k * 25 : k * 25 + 25]) for k in range(n)]


@pytest.mark.compiled
@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_readers_see_consistent_models(kind):
    """Readers get predictions of the model before or after some chunk, never a mixture."""
    rows = chunks(kind)
    requested = X[:40]
    alone = made(kind)
    right = set()
    for x, y in rows:
        alone.partial_fit(x, y)
        right.add(
            (alone.predict_proba(requested).tobytes(), tuple(alone.predict(requested).tolist()))
        )
    probas, labels = ({pair[k] for pair in right} for k in (0, 1))
    model, wrong, done = made(kind).partial_fit(*rows[0]), [], threading.Event()

    def read():
        try:
            while not done.is_set():
                if model.predict_proba(requested).tobytes() not in probas:
                    wrong.append("a mixture of probabilities")
                if tuple(model.predict(requested).tolist()) not in labels:
                    wrong.append("a mixture of labels")
                if hasattr(model, "members_"):
                    len(model.members_)
        except Exception as problem:
            wrong.append(repr(problem))

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for x, y in rows[1:]:
        model.partial_fit(x, y)
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong, wrong[0]
    np.testing.assert_array_equal(model.predict_proba(requested), alone.predict_proba(requested))


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_writers_wait_for_each_other(kind):
    """Two threads train one model: all chunks are learned completely."""
    rows = chunks(kind)[:8]
    model, wrong = made(kind), []

    def write(mine):
        try:
            for x, y in mine:
                model.partial_fit(x, y)
        except Exception as problem:
            wrong.append(repr(problem))

    writers = [threading.Thread(target=write, args=(rows[k::2],)) for k in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert not wrong, wrong[0]
    if hasattr(model, "n_rows_"):
        assert model.n_rows_ == 25 * len(rows)
    elif hasattr(model, "step_"):
        assert model.step_ == len(rows)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("kind", [driftlearn.DWMClassifier, driftlearn.SEAClassifier])
def test_saving_waits_for_training(kind):
    """A model saved while another thread trains is that before or after some chunk."""
    rows = chunks(kind)
    alone, right = made(kind), set()
    for x, y in rows:
        right.add(persist.dumps(alone.partial_fit(x, y)))
    model, done, saved = made(kind).partial_fit(*rows[0]), threading.Event(), []

    def save():
        while not done.is_set() or not saved:
            saved.append(persist.dumps(model))

    saver = threading.Thread(target=save)
    saver.start()
    for x, y in rows[1:]:
        model.partial_fit(x, y)
    done.set()
    saver.join()
    assert {*saved} <= right


ONLINE = {
    "OnlineBaggingClassifier": {},
    "OOBClassifier": {},
    "UOBClassifier": {"vote": "majority"},
    "ADWINBaggingClassifier": {},
    "LeveragingBaggingClassifier": {"draws": "me", "error": "after"},
    "AdaptiveRandomForestClassifier": {"vote": "majority"},
    "StreamingRandomPatchesClassifier": {},
}
BASES = [
    None,
    driftlearn.GaussianNBClassifier(),
    driftlearn.HoeffdingAdaptiveTreeClassifier(grace_period=20),
]


@pytest.mark.parametrize("base", BASES, ids=["tree", "bayes", "adaptive"])
@pytest.mark.parametrize("name", ONLINE)
def test_threads_do_not_change_members(name, base):
    """Any number of threads and any slicing; errors increase, so members are replaced."""
    y = np.where(np.arange(len(MANY)) < 700, MANY, 3 - MANY)
    params = {**ONLINE[name], "estimator": base, "n_estimators": 5, "random_state": 0}
    models = [
        getattr(driftlearn, name)(**params, n_jobs=n_jobs).partial_fit(X[:5], y[:5], [0, 1, 2, 3])
        for n_jobs in (1, 2, 3, -1)
    ]
    tested = [model.test_then_train(X[5:600], y[5:600], proba=True) for model in models]
    for model, cuts in zip(models, ([], [300], [1, 150, 890], [450])):
        for x, codes in zip(np.split(X[600:], cuts), np.split(y[600:], cuts)):
            model.partial_fit(x, codes)
        model.n_jobs = None
    for model, predicted in zip(models[1:], tested[1:]):
        np.testing.assert_array_equal(predicted, tested[0])
        assert persist.dumps(model) == persist.dumps(models[0])


def test_more_threads_than_a_pool_supports():
    models = [
        driftlearn.OnlineBaggingClassifier(n_estimators=70, random_state=0, n_jobs=n_jobs)
        for n_jobs in (None, 70)
    ]
    alone, many = (model.fit(X[:300], Y[:300]).predict_proba(X) for model in models)
    np.testing.assert_array_equal(many, alone)


def test_several_learners_have_pools_at_the_same_time():
    alone = driftlearn.OnlineBaggingClassifier(random_state=0).fit(X, Y).predict_proba(X)

    def learn(_):
        model = driftlearn.OnlineBaggingClassifier(random_state=0, n_jobs=2)
        return model.fit(X, Y).predict_proba(X)

    for probas in threads(4, learn, range(12)):
        np.testing.assert_array_equal(probas, alone)


@pytest.mark.parametrize("n_jobs", [2, 3])
@pytest.mark.parametrize("name", ["DTEL", "AWE", "SEA", "TIX", "LearnPPNSE", "DYNSE"])
def test_chunks_in_threads_are_learned_the_same(name, n_jobs, monkeypatch):
    """Trees are transferred, folds are evaluated and members predict in threads."""
    monkeypatch.setattr("driftlearn.base.threads.MIN_COST", 0)
    kind = getattr(driftlearn, f"{name}Classifier")
    rows = np.random.default_rng(3).random((14, 500, 40))
    rows[:, :, 20:] = rows[:, :, 20:] > 0.9
    models = []
    for n in (None, n_jobs):
        model = kind(random_state=0, n_jobs=n)
        for k, x in enumerate(rows):
            model.partial_fit(x, (x[:, 0] + x[:, 1] > 1).astype(int) + (k > 5) * (x[:, 25] > 0))
        model.n_jobs = None
        models.append(persist.dumps(model))
    assert models[0] == models[1]


def test_nested_calls_run_in_the_calling_thread():
    requested = []
    in_parts(10, 10**6, lambda first, last: requested.append((first, last)))
    assert requested == [(0, 10)]
    with thread_limit(2):
        in_parts(10, 10, lambda first, last: requested.append((first, last)))
        assert requested == [(0, 10), (0, 10)]
        del requested[:]
        in_parts(10, 10**6, lambda first, last: requested.extend(range(first, last)))
    assert sorted(requested) == list(range(10))


def test_the_order_of_results_is_kept():
    assert threads(3, pow, range(50), [2] * 50) == [k * k for k in range(50)]


def test_nested_threads_do_not_deadlock():
    def inner(k):
        return sum(threads(4, lambda j: j + k, range(8)))

    assert threads(70, inner, range(100)) == [28 + 8 * k for k in range(100)]


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_the_first_error_is_raised_when_all_threads_are_done(kind):
    began, ended = [], []

    def fail(k):
        began.append(k)
        time.sleep(0.01)
        ended.append(k)
        if k >= 3:
            raise kind(k)

    with pytest.raises(kind) as reported:
        threads(4, fail, range(1_000))
    assert reported.value.args == (3,)
    assert sorted(began) == sorted(ended) and len(began) < 1_000


def test_worker_processes_use_one_thread_by_default():
    requested = [delayed(n_threads)(n_jobs) for n_jobs in (4, -1, None)]
    with parallel_config("loky", inner_max_num_threads=1):
        assert Parallel(n_jobs=2)(requested) == [1, 1, 1]
    with parallel_config("loky", inner_max_num_threads=2):
        assert Parallel(n_jobs=2)(requested) == [2, min(2, cpu_count()), 1]


@pytest.mark.parametrize("kind", [driftlearn.DTELClassifier, driftlearn.OnlineBaggingClassifier])
def test_zero_threads_are_rejected(kind):
    with pytest.raises(ValueError, match="n_jobs"):
        kind(n_jobs=0).fit(X, Y)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_processes_have_separate_threads():
    models = [
        driftlearn.OnlineBaggingClassifier(random_state=0, n_jobs=2),
        driftlearn.TIXClassifier(n_jobs=2),
    ]
    wide = np.hstack([X, X])
    for model in models:
        model.partial_fit(wide, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork with threads
        pid = os.fork()
    if pid == 0:
        try:
            for model in models:
                model.partial_fit(wide, Y)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0
