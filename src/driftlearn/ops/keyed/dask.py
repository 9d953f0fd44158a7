"""Keys on a dask cluster: files are learned, or predicted, in parts that are tasks of workers.

First every file is read by a worker and its rows are cut by key into parts; then every part is
learned by a worker, file after file, so that the rows of a key are in their order. What is done is
in files of the run's folder, each written at one stroke: a kill, of a worker or of all, costs the
tasks that were under way. Workers must see this folder, and the files that are read.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn import io as persist
from driftlearn.bench.workbench.dask_executor import DaskExecutor
from driftlearn.bench.workbench.executors import (
    Done,
    Emit,
    Event,
    Executor,
    Failed,
    Function,
    Retried,
    Told,
)
from driftlearn.ops.keyed.arrow_rows import arrays_of, rows_of
from driftlearn.ops.keyed.engine import Counts, Group, Pupils, grouped
from driftlearn.ops.keyed.engine_run import ABOUT, Outcome, PlannedRun, read_file
from driftlearn.ops.keyed.key_store import Aside, KeyStore, place_of
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.predicting import predict_keyed
from driftlearn.ops.keyed.predictions import COLUMNS, as_csv
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.settings import STORE, Request
from driftlearn.ops.keyed.state_files import read_states, write_states
from driftlearn.ops.sources.files import FileSource
from driftlearn.utils.optional import needed

ROW = "_driftlearn_row"
PARTS = 4  # for each worker: so many that none waits for long for the last
MOST_PARTS = 256


def run(request: Request) -> KeyedModels:
    """Learn all that is new on a dask cluster; return the models."""
    return DaskRun(request).run()


class DaskRun(PlannedRun):
    """One run on a dask cluster."""

    engine = "dask"

    def _check_engine(self) -> None:
        for module in ("distributed", "pyarrow"):
            needed(module, f"--on {self.request.on}")
        super()._check_engine()

    def _begin(self, here: Path) -> dict[str, Any]:
        self.store.copy(here / STORE)
        with DaskExecutor(self.request.on) as executor:
            n = min(max(1, executor.workers) * PARTS, MOST_PARTS)
        return {"plan": self.plan, "parts": n}

    def _work(self, here: Path, about: dict[str, Any]) -> Outcome:
        plan, folder = about["plan"], str(here)
        with DaskExecutor(self.request.on) as executor:
            left = [(str(k), (folder, k)) for k in range(len(plan)) if not _end(here, "rows", k)]
            self._run(executor, read, left)
            ends = [_end(here, "rows", k) for k in range(len(plan))]
            begins, n = [], about["clock"]["rows"]
            for file, end in zip(plan, ends):
                begins.append(n - (0 if file["at"] is None else file["at"]["rows"]))
                n += end["rows"]
            parts = range(about["parts"])
            tasks = [(str(k), (folder, k, begins)) for k in parts if not _end(here, "said", k)]
            self._run(executor, learn, tasks)
        counts = Counts()
        for begin, end in zip(begins, ends):
            aside = [Aside(begin + at, *rest) for at, *rest in end["aside"]]
            counts += Counts(rows=end["rows"], n_aside=end["n_aside"], aside=aside)
        for k in parts:
            counts += Counts.loads(json.dumps(_end(here, "said", k)).encode())
        if about["out"] is not None:
            for k in parts:
                name = f"run-{about['number']}-part-{k}.csv"
                persist.atomic_write(
                    Path(about["out"], name), (here / f"said-{k}.csv").read_bytes()
                )
        positions = {file["path"]: end["position"] for file, end in zip(plan, ends)
                     if end["position"]}  # fmt: skip
        return Outcome(read_states(here / f"states-{k}" for k in parts), counts, positions)

    def _run(self, executor: Executor, function: Function, tasks: Sequence[Any]) -> None:
        run_tasks(executor, function, tasks, self.show.note)


def run_tasks(
    executor: Executor, function: Function, tasks: Sequence[Any], note: Any
) -> dict[str, Any]:
    """Have tasks done; return what they came to. What one raises is raised here."""
    found: dict[str, Any] = {}

    def handle(event: Event) -> None:
        if isinstance(event, Failed):
            kind, _, said = event.error.partition(": ")
            if kind not in MISTAKES:
                said = f"a task failed ({event.error}): nothing is lost, the same command goes on"
            raise ValueError(said)
        if isinstance(event, Told):
            note(event.text)
        elif isinstance(event, Retried):
            note(f"a task is done once more: {event.reason}")
        elif isinstance(event, Done):
            found[event.key] = event.result

    if tasks:
        executor.run(function, tasks, handle)
    return found


#: What a task raises that another try would raise again, in the words of the house.
MISTAKES = ("ValueError", "BrokenLine", "ChangedFile", "FileNotFoundError", "ModuleNotFoundError")


def read(task: tuple[str, int], emit: Emit) -> None:
    """Read a file of the plan and cut its rows by key."""
    here, about = _about(task[0])
    kinds, n_parts, place = about["kinds"], about["parts"], task[1]
    file = about["plan"][place]
    pa = needed("pyarrow")
    new = here / f".rows-{place}.{uuid.uuid4().hex}"
    before = 0 if file["at"] is None else file["at"]["rows"]
    parts: list[int] = []
    counts, position, writer = Counts(), {}, None
    with open(new, "wb") as sink:
        for batch in read_file(about, file):
            if not isinstance(batch, Batch):
                position = batch
                continue
            aside = [each._replace(at=before + each.at) for each in batch.aside]
            counts += Counts(rows=batch.n_rows, aside=aside)
            for part, some in _cut(batch, kinds, n_parts):
                if writer is None:
                    options = pa.ipc.IpcWriteOptions(compression="lz4")
                    writer = pa.ipc.new_file(sink, some.schema, options=options)
                writer.write_batch(some)
                parts.append(part)
        if writer is not None:
            writer.close()
    os.replace(new, here / f"rows-{place}")
    found = {name: getattr(counts, name) for name in ("rows", "aside", "n_aside")}
    _put_end(here, "rows", place, {**found, "position": position, "parts": parts})


def _cut(batch: Batch, kinds: dict[str, str], n_parts: int) -> Iterator[tuple[int, Any]]:
    """Yield the good rows of a batch by part; those of a key are always in the same one."""
    pa = needed("pyarrow")
    good = batch.good
    if not len(good):
        return
    rows = batch.rows.take(good)
    numbers = pa.array([batch.where[i][1] for i in good.tolist()], pa.int64())
    whole = pa.RecordBatch.from_pydict({ROW: numbers, **arrays_of(rows, kinds)})
    part = np.array([place_of(str(key)) % n_parts for key in rows.keys])
    for k in np.unique(part).tolist():
        yield k, whole.take(pa.array(np.flatnonzero(part == k)))


def learn(task: tuple[str, int, list[int]], emit: Emit) -> None:
    """Have the keys of a part learn their rows, file after file."""
    here, about = _about(task[0])
    part, begins = task[1:]
    store = KeyStore(here / STORE, to_read=True)
    pupils = Pupils(KeyedModels(store=store).learner, store, memory=about["memory"])
    counts, keys = Counts(), set()
    new = here / f".said-{part}.{uuid.uuid4().hex}"
    with open(new, "wb") as out:
        out.write(as_csv([COLUMNS]))
        for file, begin in zip(about["plan"], begins):
            for group in _groups(here, about, file, part):
                group.numbers = np.array([row for _, row in group.where]) + begin
                lesson = pupils.learn(group)
                counts += lesson.counts
                if lesson.counts.learned:  # else perhaps its state cannot be read: it stays so
                    keys.add(group.key)
                if about["out"] is not None:
                    out.write(as_csv(lesson.lines()))
    os.replace(new, here / f"said-{part}.csv")
    write_states(here / f"states-{part}", (pupils.final(key) for key in sorted(keys)))
    store.close()
    _put_end(here, "said", part, json.loads(counts.dumps()))


def _groups(here: Path, about: dict[str, Any], file: dict[str, Any], part: int) -> Iterator[Group]:
    """Yield the rows of a file that belong to a part, by key."""
    pa = needed("pyarrow")
    mine = [i for i, k in enumerate(_end(here, "rows", file["place"])["parts"]) if k == part]
    if not mine:
        return
    with pa.ipc.open_file(here / f"rows-{file['place']}") as reader:
        for i in mine:
            batch = reader.get_batch(i)
            rows = rows_of(batch, about["kinds"])
            where = [(file["name"], row) for row in batch.column(ROW).to_pylist()]
            nobody = np.zeros(len(rows), dtype=np.int64)
            yield from grouped(Batch(rows, nobody, 0, where, []))


def predict(
    folder: str | os.PathLike[str],
    files: list[str],
    out: str,
    on: str,
    *,
    keep: Sequence[str] = (),
    voters: bool = True,
    skip: bool = False,
    note: Any = print,
) -> int:
    """Write predictions for the rows of files, a file each; return how many rows there are.

    Parameters
    ----------
    folder, files, keep, voters, skip
        As in `driftlearn.ops.keyed.predicting.predict_keyed`.
    out : str
        The folder of predictions, which is made.
    on : str
        The scheduler, ``tcp://host:port``.
    note : callable
        Told of workers that are lost, and the like.
    """
    if Path(out).exists() and not Path(out).is_dir():
        raise ValueError(f"--out is a folder where several processes write; {out} is none")
    store = KeyStore(Path(folder, STORE), to_read=True)
    here = Path(folder).resolve() / f".predict-{uuid.uuid4().hex}"
    settings = json.loads(store.about("settings") or b"{}")
    form = {name: settings[name] for name in ("sep", "encoding", "missing")}
    paths = FileSource(files, skip=skip, **form).paths()
    named = {_name_of(path, k): path for k, path in enumerate(paths)}
    how = {"keep": [*keep], "voters": voters, "skip": skip}
    with DaskExecutor(on) as executor:
        Path(out).mkdir(parents=True, exist_ok=True)
        here.mkdir()
        try:
            store.copy(here / STORE)
            tasks = [(name, (str(here), path, str(Path(out).resolve() / name), how))
                     for name, path in named.items()]  # fmt: skip
            found = run_tasks(executor, predict_file, tasks, note)
        finally:
            shutil.rmtree(here)
            store.close()
    return sum(found.values())


def predict_file(task: tuple[str, str, str, dict[str, Any]], emit: Emit) -> int:
    """Write predictions for the rows of a file."""
    here, path, out, how = task
    return predict_keyed(here, [path], out, **how)


def _name_of(path: str, k: int) -> str:
    """Return what the predictions of a file are called."""
    ending = "parquet" if path.lower().endswith((".parquet", ".pq", ".parq")) else "csv"
    return f"{k:05d}-{Path(path).name.partition('.')[0]}.{ending}"


def _about(folder: str) -> tuple[Path, dict[str, Any]]:
    here = Path(folder)
    if not (here / ABOUT).is_file():
        raise ValueError(
            f"a worker does not see {folder}: --state and the files must be on a disk that all "
            "workers see under the same name"
        )
    return here, json.loads((here / ABOUT).read_text("utf-8"))


def _end(here: Path, what: str, k: int) -> dict[str, Any]:
    """Return what a task came to; nothing if it is not done."""
    path = here / f"{what}-{k}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def _put_end(here: Path, what: str, k: int, content: dict[str, Any]) -> None:
    """Have a task be done."""
    persist.atomic_write(here / f"{what}-{k}.json", json.dumps(content).encode())
