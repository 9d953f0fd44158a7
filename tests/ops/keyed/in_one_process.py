"""Expected results of distributed engines, computed in one process."""

from copy import deepcopy

import numpy as np

from driftlearn.io import dumps
from driftlearn.ops.checkpoint.inputs import open_source
from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyedLearner, KeyedModels
from driftlearn.ops.keyed.key_cache import WorkerStates
from driftlearn.ops.keyed.reader import Clock, Reader
from driftlearn.ops.keyed.settings import DEFAULTS
from driftlearn.ops.keyed.training import grouped

ROLES = {"target": "label", "key": "device"}


class InOneProcess:
    """Train keys row by row, run by run; the shared models are constant during a run.

    With fewer than 10,000 rows in files of equal length, the global model learns all rows.
    """

    def __init__(self, learner, kinds):
        self.learner, self.kinds = learner, kinds
        self.models = KeyedModels(KeyedLearner(learner, kinds=kinds))
        self.positions, self.clock, self.quarantined, self.predicted = (
            {},
            Clock(None, False),
            [],
            [],
        )

    def run(self, data):
        """Learn the new rows of a folder."""
        models, store = self.models, self.models.store
        settings = {**DEFAULTS, **ROLES}
        reader = Reader(
            open_source([str(data)], settings), settings, self.kinds, self.positions, self.clock
        )
        shared_models = deepcopy(models.learner.shared)
        learner = KeyedLearner(self.learner, kinds=self.kinds, shared=shared_models)
        workers, keys = WorkerStates(learner, store), set()
        for batch in reader.batches():
            self.quarantined += batch.quarantined
            for group in grouped(batch):
                self.predicted += workers.train(group).lines()
                keys.add(group.key)
            good = [i for i in range(len(batch.rows)) if i not in batch.rows.bad]
            if good:
                models.learner.shared.learn_rows(batch.rows.take(np.array(good)))
        for summary, content in map(workers.final, sorted(keys)):
            store.put_state(content, summary)
        self.positions, self.clock = reader.positions, reader.clock
        models.clock.resume(self.clock.state())
        models.refresh_pool()
        return self

    def check(self, state):
        """Compare with a state folder; return its models with an open store."""
        found = KeyedModels(store=state / STORE)
        store = self.models.store
        assert found.store.keys() == store.keys() and len(store)
        for summary in store.keys():  # noqa: SIM118
            assert found.store.state(summary.key) == store.state(summary.key), summary.key
        assert found.store.quarantined() == self.quarantined and self.quarantined
        assert found.store.positions() == self.positions
        assert found.counts["rows"] == found.clock.n_rows == self.clock.n_rows
        assert found.counts["learned"] + found.counts["quarantined"] == found.counts["rows"]
        assert found.counts["tested"] == sum(line[4] is not None for line in self.predicted)
        assert found.counts["right"] == sum(line[3] == line[4] for line in self.predicted)
        mine, theirs = self.models.learner.shared, found.learner.shared
        assert mine.n_rows == theirs.n_rows == len(self.predicted)
        assert dumps(mine) == dumps(theirs)
        nobody = {name: [None] for name, kind in self.kinds.items() if kind != "drop"}
        assert found.predict(["somebody new"], nobody).votes == ["global"]
        return found

    def lines(self):
        """Return the lines of the file of predictions, sorted."""
        return sorted(
            ",".join("" if each is None else str(each) for each in line) for line in self.predicted
        )
