"""Runs of ``driftlearn learn --key`` on engines: what begins them, and what they come to.

A run has a folder of its own inside of the state folder, where the engine keeps what it needs to go
on after a kill. The store of the state folder does not change until all rows are learned; then all
that the run came to moves there at one stroke, and the folder of the run goes.
"""

from __future__ import annotations

import json
import shutil
import uuid
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from driftlearn import io as persist
from driftlearn.ops.keyed.clock import Clock
from driftlearn.ops.keyed.engine import Counts
from driftlearn.ops.keyed.heard import Heard
from driftlearn.ops.keyed.key_store import KeyStore, Summary
from driftlearn.ops.keyed.keyed_learner import LOOK
from driftlearn.ops.keyed.local import LocalRun
from driftlearn.ops.keyed.population import Population
from driftlearn.ops.keyed.reader import Batch, Reader
from driftlearn.ops.keyed.sample import Sample, read_samples, shares
from driftlearn.ops.keyed.settings import ENGINES, STORE
from driftlearn.ops.sources.files import FileSource, _looks
from driftlearn.ops.sources.server import is_server, without_password

ABOUT = "run.json"


class Outcome(NamedTuple):
    """What a run came to.

    Attributes
    ----------
    states : iterable of (Summary, bytes)
        The states of keys.
    counts : Counts
        What was counted.
    positions : dict
        How far files were read.
    clock : dict or None
        The clock of the stream; None where keys do not expire.
    population : Population or None
        What keys share, after all rows; None where it learned nothing.
    heard : Heard or None
        Whose answers were heard so far; None where that was not counted.
    """

    states: Iterable[tuple[Summary, bytes]]
    counts: Counts
    positions: dict[str, Any]
    clock: dict[str, Any] | None = None
    population: Population | None = None
    heard: Heard | None = None


class EngineRun(LocalRun):
    """One run on an engine.

    Attributes
    ----------
    engine : str
        Its name: the folder of the run is called so.
    """

    engine: str

    @abstractmethod
    def _begin(self, here: Path) -> dict[str, Any]:
        """Make what the engine needs in the folder of a new run; return what to remember."""

    @abstractmethod
    def _work(self, here: Path, about: dict[str, Any]) -> Outcome:
        """Learn all rows of a run, however much of it was done before."""

    def _check_engine(self) -> None:
        """Raise unless the engine is there, and knows what is asked for."""

    def _check_same(self, about: dict[str, Any]) -> bool:
        """Tell whether a run that is not done is the one that is asked for."""
        return bool(about["files"] == self._shown)

    @property
    def _shown(self) -> list[str]:
        """What is learned from, as it may be written down."""
        return [without_password(name) for name in self.request.files]

    def _has_rows(self) -> bool:
        """Tell whether a new run is worth beginning."""
        return True

    def _take_up_out(self, out: str) -> None:
        """Predictions are in several files, which processes of the engine write."""
        if Path(out).exists() and not Path(out).is_dir():
            raise ValueError(f"--out is a folder where several processes write; {out} is none")

    def _learn_all(self) -> None:
        self._check_engine()
        here = self.folder.resolve() / self.engine
        about = self._known_run(here)
        if about is not None and not self._check_same(about):
            raise ValueError(
                f"{self.folder} has a run on {about['on']} over {', '.join(about['files'])} that "
                "is not done: first finish it with the same command as before"
            )
        if about is None:
            if not self._has_rows():
                return
            about = self._new_run(here)
        self._is_whole = False  # what is whole is with the engine
        self._take_over(about, self._work(here, about))
        shutil.rmtree(here)

    def _known_run(self, here: Path) -> dict[str, Any] | None:
        """Return the run that is not done; one that is needs only to be cleared away."""
        about = unfinished(here, self.store)
        if about is None:
            shutil.rmtree(here, ignore_errors=True)
        return about

    def _new_run(self, here: Path) -> dict[str, Any]:
        if not self._is_known:
            self._look_at_the_first_rows()
        self.models.commit()
        here.mkdir()
        number = 1 + int(self.store.about("runs") or b"0")
        request = self.request
        about = {
            "id": uuid.uuid4().hex, "number": number, "on": request.on, "files": self._shown,
            "folder": str(here),
            "skip": request.skip, "out": request.out,
            "memory": request.memory, "positions": self.position, "settings": self.settings,
            "kinds": self.models.learner.kinds, "clock": self.models.clock.state(),
            **self._begin(here),
        }  # fmt: skip
        if request.out is not None:
            Path(request.out).mkdir(parents=True, exist_ok=True)
        persist.atomic_write(here / ABOUT, json.dumps(about).encode())
        return about

    def _look_at_the_first_rows(self) -> None:
        pieces = []
        for piece in self.source.pieces(self.position):
            if piece.path:
                self._check(piece)
                pieces.append(piece)
            n = sum(each.n_rows for each in pieces)
            if n >= LOOK or (n and not piece.path):  # there may be no more for long
                break
        self._look([piece for piece in pieces if piece.n_rows])
        if not self._is_known:
            raise ValueError(f"there are no rows in {', '.join(self.request.files)}")

    def _renew_population(self, about: dict[str, Any], outcome: Outcome, is_due: bool) -> None:
        """Have the population know of a run whose states are in the store.

        Whether so many rows came that the shelf is to be chosen anew is `is_due`.
        """
        if outcome.population is not None:
            self.models.learner = self.models.learner.among(outcome.population)
            if is_due:
                self.models.renew_shelf()

    def _take_over(self, about: dict[str, Any], outcome: Outcome) -> None:
        """Move what a run came to into the store, at one stroke."""
        store, models, counts = self.store, self.models, outcome.counts
        for summary, content in outcome.states:
            store.put_state(content, summary)
        store.put_aside(counts.aside)
        for name in ("rows", "learned", "tested", "right"):
            models.counts[name] += getattr(counts, name)
        models.counts["aside"] += counts.n_aside
        for at, n in counts.expired.items():
            store.put_expired(at, n)
            models.counts["expired"] += n
        is_due = counts.rows >= models.until_renewal()
        clock = models.clock
        if outcome.clock is None:
            clock.pass_rows(counts.rows, None)
        else:
            models.clock = Clock.of(clock.idle, clock.by_time, outcome.clock)
        store.put_about("run", about["id"].encode())
        store.put_about("runs", str(about["number"]).encode())
        models.sweep()
        if outcome.heard is not None:
            models.heard = outcome.heard
        self._renew_population(about, outcome, is_due)
        models.commit(outcome.positions)
        self.source.settled(outcome.positions)


class PlannedRun(EngineRun):
    """A run over a list of files that is fixed when it begins; each is read wherever it is.

    The list has, for each file, how far it was read before, and its size and time: a file that is
    read once more after a kill must be what it was. It has, too, how many rows of each file the
    global model learns when all is done.
    """

    def _check_engine(self) -> None:
        place = self.request.on
        given = self.request.files
        if self.request.follow or "-" in given or any(is_server(name) for name in given):
            raise ValueError(
                f"--on {place} learns files that are there: leave out --follow, - and servers, and "
                "give the same command again when there are more; --on local takes all of these"
            )
        if self.settings["idle"] is not None:
            raise ValueError(
                f"--on {place} does not forget idle keys, since its rows have no one order: leave "
                "out --idle, or learn --on local or --on bytewax:2"
            )

    def _has_rows(self) -> bool:
        return bool(self.plan)

    @property
    def _files(self) -> FileSource:
        assert isinstance(self.source, FileSource)
        return self.source

    @cached_property
    def plan(self) -> list[dict[str, Any]]:
        """The files that have something new."""
        paths = [path for path in self._files.paths() if self._is_new(path)]
        looks = [_looks(path) for path in paths]
        kept = shares([size for size, _ in looks])
        return [
            {"place": place, "path": path, "name": self._files.file(path).name,
             "at": self.position.get(path), "looks": looks[place], "sample": kept[place]}
            for place, path in enumerate(paths)
        ]  # fmt: skip

    def _renew_population(self, about: dict[str, Any], outcome: Outcome, is_due: bool) -> None:
        paths = [_sample_of(about, file) for file in about["plan"]]
        sample = read_samples(paths, about["kinds"])
        if sample is not None:
            self.models.learner.population.learn_rows(sample)
        self.models.renew_shelf()

    def _is_new(self, path: str) -> bool:
        """Tell whether a file has anything that was not read yet."""
        at = self.position.get(path)
        if at is None or self._files._is_known(path, at):
            return at is None
        pieces = self._files.file(path).pieces(at, lambda: (), skip=True)
        return any(piece.n_rows or piece.broken for piece in pieces)


def unfinished(here: Path, store: KeyStore) -> dict[str, Any] | None:
    """Return the run that a folder has, unless all of it is in the store."""
    if not (here / ABOUT).exists():
        return None
    about: dict[str, Any] = json.loads((here / ABOUT).read_text("utf-8"))
    return None if store.about("run") == about["id"].encode() else about


def check_others(folder: Path, asked: str) -> None:
    """Raise if a state folder has a run on another engine that is not done."""
    for engine in {*ENGINES.values()} - {asked}:
        if (folder / engine / ABOUT).exists():
            store = KeyStore(folder / STORE, to_read=True)
            about = unfinished(folder / engine, store)
            store.close()
            if about is not None:
                raise ValueError(
                    f"{folder} has a run on {about['on']} over {', '.join(about['files'])} that is "
                    "not done: first finish it with the same command as before"
                )


def read_file(about: dict[str, Any], file: dict[str, Any]) -> Iterator[Batch | dict[str, Any]]:
    """Yield the rows of a file of a plan, and in the end its position; a sample of them is kept."""
    path = file["path"]
    if _looks(path) != file["looks"]:
        raise ValueError(
            f"{path} has changed since the run over it began: remove {about['folder']}, in which "
            "nothing counts yet, and give the same command again"
        )
    at = {} if file["at"] is None else {path: file["at"]}
    reader = Reader(
        [path], about["settings"], about["kinds"], at, Clock(None, False), skip=about["skip"]
    )
    sample = Sample(file["sample"])
    for batch in reader.batches():
        sample.add(batch)
        yield batch
    sample.write(_sample_of(about, file), about["kinds"])
    yield reader.positions.get(path, {})


def _sample_of(about: dict[str, Any], file: dict[str, Any]) -> Path:
    return Path(about["folder"], f"sample-{file['place']}")
