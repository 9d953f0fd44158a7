"""Training of ensemble members on a dask cluster, for expensive base learners."""

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
POLL, PATIENCE = 1.0, 10.0  # seconds between checks for workers; seconds to wait if there are none


@contextmanager
def members_on(address: str, *, timeout: float = 10.0) -> Iterator[None]:
    """Train the members of chunk ensembles on a dask cluster within a ``with`` block.

    The workers replace threads (``n_jobs``): single members are trained on a chunk, transferred to
    the chunk, trained on its folds, or used for prediction. A chunk is sent to each worker once, a
    member to a worker and back. Results are bit-identical to those of a single process. Tasks of a
    lost worker are repeated by another worker or, if there is none, in this process with a warning.

    Parameters
    ----------
    address : str
        Address of the dask scheduler, ``tcp://host:port``. The workers need the same version of
        driftlearn.
    timeout : float, default=10
        Seconds to wait for the scheduler.

    Raises
    ------
    NoCluster
        If the scheduler does not respond, or none of its workers has this version of driftlearn.

    Notes
    -----
    A cluster is faster if training a member on a chunk takes longer than sending the member; the
    documentation contains measurements. driftlearn's own trees are trained on a chunk in a
    millisecond and are faster without a cluster.

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
    """Maps a function over argument tuples on the workers of a cluster."""

    def __init__(self, executor: DaskExecutor, address: str):
        self._client, self._address = executor._client, address

    def __call__(self, function: Callable[..., Any], calls: list[Call]) -> list[Any]:
        shared = _shared(calls)
        packed = [_pack((function, call), shared) for call in calls]
        futures = self._sent(packed, shared)
        results, lost = [], 0
        for call, future in zip(calls, futures):
            data = self._outcome(future)
            lost += data is None
            results.append(function(*call) if data is None else _unpack(data, shared))
        if lost:
            warnings.warn(
                f"the dask cluster at {self._address} lost {lost} of {len(calls)} tasks, "
                "which were run in this process",
                RuntimeWarning,
                stacklevel=2,
            )
        return results

    def _sent(self, packed: list[bytes], shared: list[Any]) -> list[Any]:
        """Submit calls; return their futures, or None for each call if there is no worker.

        Shared objects are sent as the result of a task. Workers receive this result from each
        other, and the task is repeated if its worker is lost; scattered data would be lost with the
        worker.
        """
        if not self._alive():
            return [None] * len(packed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            common = self._client.submit(bytes, pickle.dumps(shared, 5), pure=False)
            return [self._client.submit(_work, data, common, pure=False) for data in packed]

    def _outcome(self, future: Any) -> bytes | None:
        """Return the pickled result of a call, or None if the call was lost; raise its error."""
        distributed = needed("distributed", "a cluster")
        gone = (distributed.KilledWorker, distributed.client.FutureCancelledError, OSError)
        last = time.monotonic()
        while future is not None and time.monotonic() < last + PATIENCE:
            try:
                failed, data = future.result(timeout=POLL)
            except TimeoutError:
                if self._alive():
                    last = time.monotonic()
            except gone:
                break
            else:
                if failed:
                    raise pickle.loads(data)
                return data
        return None

    def _alive(self) -> bool:
        """Return whether the scheduler is connected and has a worker."""
        try:
            return self._client.status == "running" and bool(self._client.nthreads())
        except (OSError, TimeoutError):
            return False


def _work(data: bytes, shared: bytes) -> tuple[bool, bytes]:
    """Execute a call on a worker; return whether it failed, and the error or result."""
    from threadpoolctl import threadpool_limits

    objects = pickle.loads(shared)
    function, call = _unpack(data, objects)
    with threadpool_limits(1):
        try:
            return False, _pack(function(*call), objects)
        except Exception as problem:
            return True, pickle.dumps(problem)


def _shared(calls: Sequence[Call]) -> list[Any]:
    """Return all chunks with their class lists, and all arrays shared by several calls.

    These objects are sent once, and results refer to the same objects.
    """
    seen: dict[int, tuple[Any, set[int]]] = {}

    def note(call: int, obj: Any) -> int | None:
        if isinstance(obj, Chunk):
            note(call, obj.classes)
        elif not isinstance(obj, np.ndarray) or obj.dtype == object:
            return None
        seen.setdefault(id(obj), (obj, set()))[1].add(call)
        return 0  # any reference keeps the pickler from copying the contents

    for k, call in enumerate(calls):
        _written(call, partial(note, k))
    return [obj for obj, where in seen.values() if len(where) > 1 or isinstance(obj, Chunk)]


def _pack(obj: Any, shared: list[Any]) -> bytes:
    """Pickle an object, with references to the shared objects by position."""
    places = {id(one): place for place, one in enumerate(shared)}
    return _written(obj, lambda one: places.get(id(one)))


def _written(obj: Any, place: Callable[[Any], int | None]) -> bytes:
    """Pickle an object, possibly of a class defined in a notebook; some parts by reference."""
    cloudpickle = needed("cloudpickle", "a cluster")

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc, name-defined, unused-ignore]
        def persistent_id(self, one: Any) -> int | None:
            return place(one)

    file = BytesIO()
    Pickler(file, 5).dump(obj)
    return file.getvalue()


def _unpack(data: bytes, shared: list[Any]) -> Any:
    """Return the object pickled by `_pack`."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, place: int) -> Any:
            return shared[place]

    return Unpickler(BytesIO(data)).load()
