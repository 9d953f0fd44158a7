"""Keyed models on a dask cluster: training and prediction as tasks over files.

In the first tasks, workers read one file each and partition its rows by key. In the next tasks,
each worker trains the keys of one part, file after file, so the rows of a key stay in order. Task
results are files in the folder of the run, written atomically: if workers or the client are killed,
only the tasks in progress are repeated. Workers need access to this folder and to the input files.
"""

import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn import io as persist
from driftlearn.bench.workbench import executors
from driftlearn.bench.workbench.dask_executor import DaskExecutor
from driftlearn.ops.checkpoint.inputs import csv_options
from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import arrow_files, engine_run
from driftlearn.ops.keyed.key_cache import WorkerStates
from driftlearn.ops.keyed.key_store import KeyStore, place_of
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.predictions import COLUMNS, predict_keyed
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.training import Counts, Group, grouped
from driftlearn.ops.sources.files import PARQUET, FileSource
from driftlearn.preprocessing._table_check import SchemaError, SchemaReport, policy_of
from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import csv_lines

Note = Callable[[str], Any]
ROW = "_driftlearn_row"
PARTS = 4  # tasks per worker, so that workers finish at about the same time
MAX_PARTS = 256
#: Task errors that would recur on a retry; their messages are complete.
USER_ERRORS = (
    "ValueError", "SchemaError", "BrokenLine", "ChangedFile", "FileNotFoundError",
    "ModuleNotFoundError",
)  # fmt: skip


class DaskRun(engine_run.PlannedRun):
    """One run on a dask cluster."""

    engine = "dask"

    def _prepare(self, here: Path) -> dict[str, Any]:
        self.store.copy(here / STORE)
        with DaskExecutor(self.request.on) as executor:
            n = min(max(1, executor.workers) * PARTS, MAX_PARTS)
        return {"plan": self.plan, "parts": n}

    def _run_engine(self, here: Path, about: dict[str, Any]) -> engine_run.Outcome:
        plan, n_parts = about["plan"], about["parts"]

        def run(task: Any, what: str, n: int, *more: Any) -> list[dict[str, Any]]:
            """Run the unfinished tasks; return the results of all tasks."""
            left = [k for k in range(n) if not _result(here, what, k)]
            tasks = [(str(k), (str(here), k, *more)) for k in left]
            run_tasks(executor, task, tasks, self.request.note)
            return [_result(here, what, k) for k in range(n)]

        with DaskExecutor(self.request.on) as executor:
            files = run(read, "rows", len(plan))
            begins = engine_run.first_numbers(about, [file["rows"] for file in files])
            trained = run(learn, "trained", n_parts, begins)
        counts = sum(map(Counts.of, trained), Counts())
        for begin, file in zip(begins, files):
            more = Counts.of(file)
            more.quarantined = [each._replace(at=begin + each.at) for each in more.quarantined]
            counts += more
        if about["out"] is not None:
            for k in range(n_parts):
                path = Path(about["out"], f"run-{about['number']}-part-{k}.csv")
                persist.atomic_write(path, (here / f"trained-{k}.csv").read_bytes())
        states = arrow_files.read_states(here / f"states-{k}" for k in range(n_parts))
        positions = {each["path"]: file["position"] for each, file in zip(plan, files)
                     if file["position"]}  # fmt: skip
        return engine_run.Outcome(states, counts, positions)


def run_tasks(
    executor: executors.Executor, function: executors.Function, tasks: list[Any], note: Note
) -> dict[str, Any]:
    """Run tasks and return their results; raise ValueError if a task fails."""
    found: dict[str, Any] = {}

    def handle(event: executors.Event) -> None:
        if isinstance(event, executors.Failed):
            kind, _, message = event.error.partition(": ")
            if kind not in USER_ERRORS:
                message = f"A task failed ({event.error}). Run the same command again to continue."
            raise ValueError(message)
        if isinstance(event, executors.Notice):
            note(event.text)
        elif isinstance(event, executors.Retried):
            note(f"a task is repeated: {event.reason}")
        elif isinstance(event, executors.Done):
            found[event.key] = event.result

    if tasks:
        executor.run(function, tasks, handle)
    return found


def read(task: tuple[str, int], emit: executors.Emit) -> None:
    """Read a file of the plan and partition its rows by key."""
    (here, about), place = _about(task[0]), task[1]
    file, pa = about["plan"][place], needed("pyarrow")
    before, parts = file["before"], []
    counts, position, writer = Counts(), {}, None
    with arrow_files.replaced(here / f"rows-{place}") as sink:
        for batch in engine_run.read_file(about, file):
            if not isinstance(batch, Batch):
                position = batch
                continue
            quarantined = [each._replace(at=before + each.at) for each in batch.quarantined]
            counts += Counts(rows=len(batch.rows), quarantined=quarantined)
            for part, some in _partitioned(batch, about["kinds"], about["parts"]):
                if writer is None:
                    options = pa.ipc.IpcWriteOptions(compression="lz4")
                    writer = pa.ipc.new_file(sink, some.schema, options=options)
                writer.write_batch(some)
                parts.append(part)
        if writer is not None:
            writer.close()
    _finish(here, "rows", place, {**counts.values(), "position": position, "parts": parts})


def _partitioned(batch: Batch, kinds: dict[str, str], n_parts: int) -> Iterator[tuple[int, Any]]:
    """Yield the valid rows of a batch by part; all rows of a key are in the same part."""
    pa = needed("pyarrow")
    good = batch.rows.good
    rows = batch.rows.take(good)
    numbers = pa.array([batch.places[i][1] for i in good.tolist()], pa.int64())
    every = pa.RecordBatch.from_pydict({ROW: numbers, **arrow_files.arrays_of(rows, kinds)})
    part = np.array([place_of(str(key)) % n_parts for key in rows.keys])
    for k in np.unique(part).tolist():
        yield k, every.take(pa.array(np.flatnonzero(part == k)))


def learn(task: tuple[str, int, list[int]], emit: executors.Emit) -> None:
    """Train the keys of one part, file after file."""
    here, about = _about(task[0])
    part, begins = task[1:]
    store = KeyStore(here / STORE, read_only=True)
    states = WorkerStates(KeyedModels(store=store).learner, store, memory=about["memory"])
    counts, keys = Counts(), set()
    with arrow_files.replaced(here / f"trained-{part}.csv") as out:
        out.write(csv_lines([COLUMNS]))
        for file, begin in zip(about["plan"], begins):
            for group in _groups(here, about, file, part):
                group.numbers = np.array([row for _, row in group.places]) + begin
                trained = states.train(group)
                more = trained.counts
                counts += more
                if more.learned:  # otherwise the state may be damaged and is left unchanged
                    keys.add(group.key)
                if about["out"] is not None:
                    out.write(csv_lines(trained.lines()))
    arrow_files.write_states(here / f"states-{part}", (states.final(key) for key in sorted(keys)))
    store.close()
    _finish(here, "trained", part, counts.values())


def _groups(here: Path, about: dict[str, Any], file: dict[str, Any], part: int) -> Iterator[Group]:
    """Yield the rows of a file that belong to a part, by key."""
    pa = needed("pyarrow")
    parts = _result(here, "rows", file["place"])["parts"]
    if part not in parts:
        return
    with pa.ipc.open_file(here / f"rows-{file['place']}") as reader:
        for i in np.flatnonzero(np.array(parts) == part).tolist():
            batch = reader.get_batch(i)
            places = [(file["name"], row) for row in batch.column(ROW).to_pylist()]
            yield from grouped(Batch.of(arrow_files.rows_of(batch, about["kinds"]), places))


def predict(
    folder: str | os.PathLike[str],
    files: list[str],
    out: str,
    on: str,
    *,
    passthrough: Sequence[str] = (),
    votes: bool = True,
    skip: bool = False,
    schema: SchemaReport | None = None,
    note: Note = print,
) -> int:
    """Write one file of predictions per input file; return the number of rows.

    Parameters
    ----------
    folder, files, passthrough, votes, skip, schema
        See `driftlearn.ops.keyed.predictions.predict_keyed`.
    out : str
        The folder for predictions, created if it does not exist.
    on : str
        Address of the scheduler, ``tcp://host:port``.
    note : callable
        Called with messages, for example when a worker is lost.
    """
    engine_run.check_out_folder(out)
    store = KeyStore(Path(folder, STORE), read_only=True)
    here = Path(folder).resolve() / f".predict-{uuid.uuid4().hex}"
    settings = json.loads(store.about("settings") or b"{}")
    paths = FileSource(files, skip=skip, **csv_options(settings)).paths()
    schema = SchemaReport() if schema is None else schema
    schema.policy = schema.policy or policy_of(settings)
    how = {
        "passthrough": [*passthrough], "votes": votes, "skip": skip, "policy": schema.policy,
    }  # fmt: skip
    with DaskExecutor(on) as executor:
        Path(out).mkdir(parents=True, exist_ok=True)
        here.mkdir()
        try:
            store.copy(here / STORE)
            names = [_name_of(path, k) for k, path in enumerate(paths)]
            tasks = [(name, (str(here), path, str(Path(out).resolve() / name), how))
                     for name, path in zip(names, paths)]  # fmt: skip
            found = run_tasks(executor, predict_file, tasks, note)
        finally:
            shutil.rmtree(here)
            store.close()
    for _, notes, _ in found.values():
        for text in notes:
            note(text)
    schema.include([each for name in names for each in found[name][2]])
    return sum(n for n, _, _ in found.values())


def predict_file(
    task: tuple[str, str, str, dict[str, Any]], emit: executors.Emit
) -> tuple[int, list[str], list[Any]]:
    """Write predictions for the rows of one file; return their number, messages and changes.

    If a schema change stops the prediction of the file, nothing is written for it.
    """
    here, path, out, how = task
    schema, notes, n = SchemaReport(how["policy"]), list[str](), 0
    how = {name: value for name, value in how.items() if name != "policy"}
    with suppress(SchemaError):  # raised again by the client
        n = predict_keyed(here, [path], out, **how, schema=schema, note=notes.append)
    return n, notes, schema.state()


def _name_of(path: str, k: int) -> str:
    """Return the name of the prediction file of an input file."""
    ending = "parquet" if path.lower().endswith(PARQUET) else "csv"
    return f"{k:05d}-{Path(path).name.partition('.')[0]}.{ending}"


def _about(folder: str) -> tuple[Path, dict[str, Any]]:
    """Return the folder and the description of a run."""
    path = Path(folder, engine_run.ABOUT)
    if not path.is_file():
        raise ValueError(
            f"A worker cannot access {folder}. Put --state and the input files on a disk that all "
            "workers can access under the same path."
        )
    return path.parent, json.loads(path.read_text("utf-8"))


def _result(here: Path, what: str, k: int) -> dict[str, Any]:
    """Return the result of a task, which is empty if the task is unfinished."""
    path = here / f"{what}-{k}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def _finish(here: Path, what: str, k: int, result: dict[str, Any]) -> None:
    """Store the result of a task; written after its files, since it marks the task as done."""
    persist.atomic_write(here / f"{what}-{k}.json", json.dumps(result).encode())
