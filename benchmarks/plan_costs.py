"""Costs of keyed models on this machine: the input of a capacity plan."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import NamedTuple

import numpy as np
from bench_keyed import FEATURES, drawn

from driftlearn.evaluate._memory import nbytes
from driftlearn.ops.keyed import KeyedLearner, KeyedModels, KeyStore
from driftlearn.ops.sources import FileSource

KINDS = dict.fromkeys(FEATURES, "number")
LEARNERS = ("naive-bayes", "hoeffding", "leveraging-bagging", "auto")
GROUPS = (1, 10, 100)  # rows of a key per call
LENT = 64  # number of keys of the shared models
WRITTEN = 300  # states saved and loaded
WARM = 40  # rows per key: enough for the model pool
PATIENCE = 6.0  # approximate CPU seconds of one kind of measurement
ENOUGH = 48 * 2**20  # growth of a process in bytes that the system reports reliably


class Costs(NamedTuple):
    """Costs of a learner in CPU seconds and bytes.

    `rows` is the number of training rows of a key; `call` and `row` are the costs of a key's own
    model (a call with n rows takes ``call + n * row``), `stream` the cost of a row independent of
    its key (reading, shared models, grouping by key, counting), `load` and `save` those of a state
    in SQLite, `renewal` that of a refresh of the model pool, `start` that of a process until it can
    train. `stored` are the bytes of a state, `disk` those of a key in the file, `held` those in
    memory, `counted` the estimate of the cache, `row_bytes` those of a row of a batch, `process`
    those of a process without keys.
    """

    learner: str
    rows: int
    call: float
    row: float
    stream: float
    load: float
    save: float
    renewal: float
    start: float
    stored: float
    disk: float
    held: float
    counted: float
    row_bytes: float
    process: float


def costs_of(learner, rows=100, patience=PATIENCE):
    """Measure a learner in a separate process, because freed memory would be reused."""
    words = [sys.executable, __file__, learner, str(rows), str(patience)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return Costs(*json.loads(done.stdout))


def measured(learner, rows=100, patience=PATIENCE):
    """Measure a learner whose keys have this number of rows."""
    made = KeyedLearner(learner, kinds=KINDS)
    with tempfile.TemporaryDirectory() as place:
        models = _shared_models(made, Path(place, "keys.sqlite"))
        states, held, counted = _held(models.learner, rows, patience)
        call, row = _calls(models.learner, states, patience)
        saved, load, stored, disk = _to_disk(models, states)
        n = int(np.clip(patience / 4 / (row + 2e-5), 2_000, 20_000))
        stream, row_bytes = _stream(models, n, Path(place, "rows.parquet"))
        begun = time.process_time()
        models.refresh_pool()
        renewal = time.process_time() - begun
        start, process = _start()
        return Costs(learner, rows, call, row, stream, load, saved, renewal, start, stored, disk,
                     held, counted, row_bytes, process)  # fmt: skip


def _shared_models(made, path):
    """Train models of some keys, so that there are a global model and a model pool."""
    models = KeyedModels(made, KeyStore(path))
    keys = np.tile(np.arange(LENT), WARM)
    models.learn(keys, *drawn(keys, len(keys)))
    models.refresh_pool()
    models.commit()
    return models


def _rows_and_predictions(learner, seed, n):
    """Return rows of one key, and the predictions of the shared models for them."""
    table, labels = drawn(np.full(n, seed), n, seed)
    rows = learner.read(table, None, labels)
    return rows, learner.shared.predict(rows.table, n)


def _held(learner, rows, patience):
    """Return states after this number of rows, with their bytes: as measured, and as estimated."""
    state = learner.new_state()
    read, predictions = _rows_and_predictions(learner, 0, rows)
    learner.learn_frame(state, read.frame, read.labels, predictions)
    begun = time.process_time()
    learner.learn_frame(state, read.frame, read.labels, predictions)
    one, counted = time.process_time() - begun, nbytes(state)
    n = int(min(np.ceil(ENOUGH / counted), max(32, patience / max(one, 1e-4))))
    gc.collect()
    before, states = _resident(), []
    for k in range(n):
        if k % 64 == 0:
            read, predictions = _rows_and_predictions(learner, k, rows)
        states.append(learner.new_state())
        learner.learn_frame(states[-1], read.frame, read.labels, predictions)
    gc.collect()
    grown = (_resident() - before) / n
    return states, grown if n * counted >= ENOUGH else float(counted), nbytes(states[0])


def _calls(learner, states, patience):
    """Return the CPU seconds of a call and of each of its rows, for states not in CPU caches."""
    took = {}
    for group in GROUPS:
        read, predictions = _rows_and_predictions(learner, 1, group)
        best = np.inf
        for _ in range(3):
            some = [learner.loads(learner.dumps(each)) for each in states[:48]]
            begun = time.process_time()
            for state in some:
                learner.learn_frame(state, read.frame, read.labels, predictions)
            best = min(best, (time.process_time() - begun) / len(some))
            if best * len(some) > patience / 6:
                break
        took[group] = best
    row = max((took[100] - took[1]) / 99, 1e-9)
    return max(took[1] - row, 1e-9), row


def _to_disk(models, states):
    """Return the CPU seconds to save and to load a state, its bytes, and those of a key on disk."""
    learner, store = models.learner, models.store
    store._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = store.path.stat().st_size
    names = [f"state-{k:06d}" for k in range(WRITTEN)]
    begun = time.process_time()
    for k, name in enumerate(names):
        models._write(name, states[k % len(states)])
    store.commit()
    save = (time.process_time() - begun) / len(names)
    stored = float(np.mean([store.summary(name).size for name in names]))
    begun = time.process_time()
    for name in names:
        learner.loads(store.state(name))
    load = (time.process_time() - begun) / len(names)
    store._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return save, load, stored, (store.path.stat().st_size - before) / len(names)


def _stream(models, n, path):
    """Return the CPU seconds per row independent of its key, and the bytes of a row of a batch."""
    import pyarrow as pa
    from pyarrow import parquet

    keys = np.sort(np.arange(n) % 8)
    table, labels = drawn(keys, n, 5)
    named = [f"k{key}" for key in keys.tolist()]
    parquet.write_table(pa.table({"device": named, **table, "label": labels}), path)
    tracemalloc.start()
    rows = models.learner.read(table, named, labels)
    models.learn_rows(rows)
    row_bytes = tracemalloc.get_traced_memory()[1] / n
    tracemalloc.stop()
    part, predictions = _rows_and_predictions(models.learner, 1, n // 8)
    states = [models.state(name) for name in dict.fromkeys(named)]
    begun = time.process_time()
    for state in states:
        models.learner.learn_frame(state, part.frame, part.labels, predictions)
    own = time.process_time() - begun
    begun = time.process_time()
    for piece in FileSource([str(path)]).pieces({}):
        if piece.n_rows:
            piece.after(piece.n_rows)
    models.learn_rows(models.learner.read(table, named, labels))
    return max(time.process_time() - begun - own, 0.0) / n, row_bytes


def _start():
    """Return the CPU seconds and bytes of a process before any training."""
    words = [
        "import driftlearn.ops.keyed.local_run, pyarrow.parquet, time",
        "from comparison_worker import peak",
        "print(time.process_time(), 1024 * peak())",
    ]
    line = [sys.executable, "-c", "\n".join(words)]
    here = Path(__file__).parent
    done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=here)
    seconds, kilobytes = done.stdout.split()
    return float(seconds), float(kilobytes) * 1024


def _resident():
    """Return the memory of this process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    name, n_rows, seconds = sys.argv[1:]
    print(json.dumps(measured(name, int(n_rows), float(seconds))))
