"""Members on a real scheduler and real workers give the bits of one process, also after kills."""

import os
import signal
import warnings

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

pytest.importorskip("distributed", reason="dask.distributed is not installed")

from driftlearn import (
    AUE2Classifier,
    AWEClassifier,
    CARTClassifier,
    DTELClassifier,
    HoeffdingTreeClassifier,
    LearnPPNSEClassifier,
    SEAClassifier,
    cluster,
)
from driftlearn.bench.workbench.dask_executor import NoCluster, local_cluster
from driftlearn.cluster import members_on
from driftlearn.io import dumps
from driftlearn.streams import SEA

CHUNKS = [(chunk.X, chunk.y) for chunk in SEA(n_rows=1_500, noise=0.1, random_state=0).chunks(250)]


@pytest.fixture(scope="module")
def address():
    executor = local_cluster(2)
    yield executor._client.scheduler.address
    executor.close()


LEARNERS = {
    "AUE2, linear": AUE2Classifier(SGDClassifier(loss="log_loss"), 4, random_state=0),
    "AUE2, trees": AUE2Classifier(HoeffdingTreeClassifier(), 4, random_state=0),
    "AWE, trees": AWEClassifier(CARTClassifier(), 4, random_state=0),
    "AWE, neighbours": AWEClassifier(KNeighborsClassifier(), 4, random_state=0),
    "DTEL, trees": DTELClassifier(n_estimators=4, random_state=0),
    "Learn++.NSE, network": LearnPPNSEClassifier(MLPClassifier((3,), max_iter=20), random_state=0),
    "SEA, neighbours": SEAClassifier(KNeighborsClassifier(), 4, random_state=0),
}


def life(model, labels=None):
    for X, y in CHUNKS:
        model.partial_fit(X, y if labels is None else labels[y])
    return model


@pytest.mark.parametrize("name", LEARNERS)
def test_the_bits_of_one_process(name, address):
    from sklearn.base import clone

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Stochastic Optimizer")
        alone, labels = clone(LEARNERS[name]), np.array(["no", "yes", "perhaps"])
        life(alone, labels)
        with members_on(address):
            there = life(clone(LEARNERS[name]), labels)
            probas = there.predict_proba(CHUNKS[0][0])
    assert np.array_equal(probas, alone.predict_proba(CHUNKS[0][0]))
    assert there.members_.text() == alone.members_.text()
    if "neighbours" not in name:  # of which the model here shares arrays with its chunk
        assert dumps(there, allow="sklearn") == dumps(alone, allow="sklearn")


class Refuses(SGDClassifier):
    """Accepts two chunks and rejects the third."""

    lessons_ = 0

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if self.lessons_:
            raise ValueError("no more rows, please")
        self.lessons_ = 1
        return super().partial_fit(X, y, classes, sample_weight)


def test_an_error_on_a_worker_is_raised_here_and_nothing_is_lost(address):
    model = AUE2Classifier(Refuses(loss="log_loss"), 4, random_state=0)
    allow = [__name__.partition(".")[0], "sklearn"]
    with members_on(address):
        model.partial_fit(*CHUNKS[0]).partial_fit(*CHUNKS[1])
        before = dumps(model, allow=allow)
        with pytest.raises(ValueError, match="no more rows, please"):
            model.partial_fit(*CHUNKS[2])
    assert dumps(model, allow=allow) == before


def test_without_workers_it_is_done_here(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    executor = local_cluster(1)
    alone = life(AUE2Classifier(SGDClassifier(loss="log_loss"), 4, random_state=0))
    model = AUE2Classifier(SGDClassifier(loss="log_loss"), 4, random_state=0)
    try:
        with members_on(executor._client.scheduler.address):
            for k, chunk in enumerate(CHUNKS):
                if k == 3:
                    executor._client.close()
                    executor._cluster.close()  # the whole cluster, in the middle
                    with pytest.warns(RuntimeWarning, match="which were run in this process"):
                        model.partial_fit(*chunk)
                else:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore" if k > 3 else "error", RuntimeWarning)
                        model.partial_fit(*chunk)
    finally:
        executor.close()
    assert dumps(model) == dumps(alone)


def test_a_worker_that_is_killed_is_no_harm(address):
    alone = life(AUE2Classifier(SGDClassifier(loss="log_loss"), 4, random_state=0))
    executor = local_cluster(2)
    try:
        model = AUE2Classifier(SGDClassifier(loss="log_loss"), 4, random_state=0)
        with members_on(executor._client.scheduler.address), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="the dask cluster")
            for k, chunk in enumerate(CHUNKS):
                if k == 3:
                    pids = executor._client.run(os.getpid)
                    os.kill(next(iter(pids.values())), signal.SIGKILL)
                model.partial_fit(*chunk)
    finally:
        executor.close()
    assert dumps(model) == dumps(alone)


def test_missing_schedulers_are_reported():
    with (
        pytest.raises(NoCluster, match="no dask scheduler responds"),
        members_on("tcp://127.0.0.1:1", timeout=1),
    ):
        pass
