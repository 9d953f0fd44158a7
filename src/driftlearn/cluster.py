"""Members that learn on a dask cluster: for base learners that are heavy."""

from __future__ import annotations

import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.threads import elsewhere
from driftlearn.bench.workbench.dask_executor import DaskExecutor
from driftlearn.utils.optional import needed

__all__ = ["members_on"]

Call = tuple[Any, ...]
LOOK, PATIENCE = 1.0, 10.0  # seconds to the next look whether there is a worker; without any


@contextmanager
def members_on(address: str, *, timeout: float = 10.0) -> Iterator[None]:
    """Have the members of chunk learners learn on a cluster, as long as the block lasts.

    What a learner would do in threads (``n_jobs``) it does on the workers: members that are taught
    a chunk, transferred to it or trained on its folds, and members that are asked one by one. The
    chunk goes to each worker once, a member to a worker and back. The result has the bits of one
    process. What a worker that was lost had in hand is done again by another one, or, where none
    is left, here; a warning says so.

    Parameters
    ----------
    address : str
        Of the dask scheduler, ``tcp://host:port``; the workers have the same version of driftlearn.
    timeout : float, default=10
        Seconds to wait for the scheduler.

    Raises
    ------
    NoCluster
        If there is no scheduler, or none of its workers has this version of driftlearn.

    Notes
    -----
    It pays where a member takes longer to learn a chunk than to travel: see the documentation for
    the cost from which on. For our own trees it does not; those learn a chunk in a millisecond.

    Examples
    --------
    >>> from driftlearn import AUE2Classifier
    >>> from driftlearn.streams import SEA
    >>> from sklearn.linear_model import SGDClassifier
    >>> model = AUE2Classifier(SGDClassifier(loss="log_loss"), random_state=0)
    >>> with members_on("tcp://scheduler:8786"):  # doctest: +SKIP
    ...     for batch in SEA(n_rows=100_000, random_state=0).chunks(10_000):
    ...         model.partial_fit(batch.X, batch.y)
    """
    executor = DaskExecutor(address, timeout)
    before = elsewhere.set(_Cluster(executor, address))
    try:
        yield
    finally:
        elsewhere.reset(before)
        executor.close()


class _Cluster:
    """Maps a function over calls on the workers of a cluster."""

    def __init__(self, executor: DaskExecutor, address: str):
        self._client, self._address = executor._client, address

    def __call__(self, function: Callable[..., Any], calls: list[Call]) -> list[Any]:
        shared = _shared(calls)
        packed = [_pack((function, call), shared) for call in calls]
        futures = self._sent(packed, shared)
        results, lost = [], 0
        for call, future in zip(calls, futures):
            done, result = self._outcome(future)
            if not done:
                lost += 1
                result = function(*call)
            results.append(_unpack(result, shared) if done else result)
        if lost:
            warnings.warn(
                f"the dask cluster at {self._address} lost what {lost} of {len(calls)} members "
                "had to do; it was done here",
                RuntimeWarning,
                stacklevel=2,
            )
        return results

    def _sent(self, packed: list[bytes], shared: list[Any]) -> list[Any]:
        """Return the calls under way, or a None for each if there is nobody to do them.

        What they share is the result of a task, which workers get from each other, and which runs
        again where those that had it are gone; data that is scattered would be gone with them.
        """
        if not self._alive():
            return [None] * len(packed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            there = self._client.submit(_as_it_is, pickle.dumps(shared, 5), pure=False)
            return [self._client.submit(_work, data, there, pure=False) for data in packed]

    def _outcome(self, future: Any) -> tuple[bool, Any]:
        """Return whether a call was done on the cluster, and what came of it; raise its error."""
        distributed = needed("distributed", "a cluster")
        gone = (distributed.KilledWorker, distributed.client.FutureCancelledError, OSError)
        last = time.monotonic()
        while future is not None and time.monotonic() < last + PATIENCE:
            try:
                failed, data = future.result(timeout=LOOK)
            except TimeoutError:
                if self._alive():
                    last = time.monotonic()
            except gone:
                break
            else:
                if failed:
                    raise pickle.loads(data)
                return True, data
        return False, None

    def _alive(self) -> bool:
        """Tell whether there is a scheduler that has a worker."""
        try:
            return self._client.status == "running" and bool(self._client.nthreads())
        except (OSError, TimeoutError):
            return False


def _as_it_is(content: bytes) -> bytes:
    return content


def _work(data: bytes, shared: bytes) -> tuple[bool, bytes]:
    """Make a call on a worker; return whether it failed, and the error or the result."""
    from threadpoolctl import threadpool_limits

    objects = pickle.loads(shared)
    function, call = _unpack(data, objects)
    with threadpool_limits(1):
        try:
            return False, _pack(function(*call), objects)
        except Exception as problem:
            return True, pickle.dumps(problem)


def _shared(calls: Sequence[Call]) -> list[Any]:
    """Return chunks with their class lists, and arrays that several calls have.

    They are sent once, and are the same objects again in what comes back.
    """
    seen: dict[int, tuple[Any, set[int]]] = {}

    def look(call: int, obj: Any) -> int | None:
        if isinstance(obj, Chunk):
            look(call, obj.classes)
        elif not isinstance(obj, np.ndarray) or obj.dtype == object:
            return None
        seen.setdefault(id(obj), (obj, set()))[1].add(call)
        return 0  # chunks and arrays are not looked into

    for k, call in enumerate(calls):
        _written(call, partial(look, k))
    return [obj for obj, where in seen.values() if len(where) > 1 or isinstance(obj, Chunk)]


def _pack(obj: Any, shared: list[Any]) -> bytes:
    """Write an object, and of shared ones where they stand in the list."""
    places = {id(one): place for place, one in enumerate(shared)}
    return _written(obj, lambda one: places.get(id(one)))


def _written(obj: Any, place: Callable[[Any], int | None]) -> bytes:
    """Write an object, also of a class that a notebook defines; those with a place by that."""
    cloudpickle = needed("cloudpickle", "a cluster")

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc, name-defined, unused-ignore]
        def persistent_id(self, one: Any) -> int | None:
            return place(one)

    file = BytesIO()
    Pickler(file, 5).dump(obj)
    return file.getvalue()


def _unpack(data: bytes, shared: list[Any]) -> Any:
    """Read what `_pack` wrote."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, place: int) -> Any:
            return shared[place]

    return Unpickler(BytesIO(data)).load()
