"""Registry of streams by name, and the streams of the DTEL paper by the names of its Table II."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from driftlearn import streams
from driftlearn.streams import CIR, ROT, SEA, SIN, STA, RealStream, Stream, load, paper_schedule
from driftlearn.streams._data_sets import DATA_SETS
from driftlearn.streams._generated import DTELGenerator, GeneratedStream
from driftlearn.streams._real import SCHEDULES
from driftlearn.utils.arguments import choose

_DTEL: dict[str, type[DTELGenerator]] = {kind.__name__: kind for kind in (SEA, ROT, CIR, SIN, STA)}
S1_STREAMS = tuple(f"{kind}{form}" for kind in _DTEL for form in ("200A", "200G", "500G"))


def s1_stream(name: str, random_state: int | None = None) -> GeneratedStream:
    """Return a synthetic stream of the DTEL paper by its name.

    Every stream has 120 chunks. At each step, the paper draws a second chunk from the same concept
    as the test set. ``stream.test_set(batch.start)`` returns this chunk, with label noise as in the
    paper (CIR, SIN and STA; the test rows of SEA and ROT are clean).

    Parameters
    ----------
    name : str
        Kind of stream, chunk size and drift (A or G), for example ``"SEA200A"`` or ``"ROT500G"``.
    random_state : int, default=None
        Seed; None draws a random seed once.

    Returns
    -------
    SEA, ROT, CIR, SIN or STA

    References
    ----------
    .. [1] Y. Sun, K. Tang, Z. Zhu and X. Yao, "Concept drift adaptation by exploiting historical
       knowledge", IEEE TNNLS 29(10), 2018.

    Examples
    --------
    >>> from driftlearn.streams import s1_stream
    >>> stream = s1_stream("CIR500G", random_state=0)
    >>> sum(1 for batch in stream), stream.n_rows, len(stream.drifts)
    (120, 60000, 4)
    """
    choose("name", name, dict.fromkeys(S1_STREAMS))
    stream = _DTEL[name[:3]].dtel(name[-1], int(name[3:6]), random_state)
    stream.name = name
    return stream


class StreamEntry(NamedTuple):
    """Entry of the registry of streams.

    Attributes
    ----------
    make : callable
        Constructor of the stream; accepts its parameters as keyword arguments.
    about : str
        One-line description.
    params : tuple of str
        Names of the parameters.
    """

    make: Callable[..., Stream]
    about: str
    params: tuple[str, ...]


def _entry(make: Callable[..., Stream], about: str = "", signature: Any = None) -> StreamEntry:
    """Return an entry; the default description is the first line of the docstring."""
    about = about or (inspect.getdoc(make) or "").partition("\n")[0]
    names = inspect.signature(signature or make).parameters
    return StreamEntry(make, about, tuple(name for name in names if name != "name"))


_KINDS: tuple[type[Stream], ...] = (
    streams.SEA, streams.Checkerboard, streams.ROT, streams.CIR, streams.SIN, streams.STA,
    streams.GaussianClasses, streams.RBF, streams.LED, streams.PokerHands, streams.Agrawal,
    streams.Hyperplane, streams.Sine, streams.Mixed, streams.RandomTree, streams.Waveform,
    streams.AssetNegotiation, streams.Drifting, streams.LabelNoise, streams.ClassImbalance,
    streams.ClassRuns, streams.MissingValues, streams.IrrelevantFeatures, streams.RandomRows,
    streams.Laser,
)  # fmt: skip
STREAMS: dict[str, StreamEntry] = {kind.name: _entry(kind) for kind in _KINDS}
STREAMS |= {
    name: _entry(partial(load, name), data.about, RealStream)
    for name, data in DATA_SETS.items()
    if name != "laser"
}
STREAMS |= {
    f"schedule-{name}": _entry(
        partial(paper_schedule, name), f"Class schedule {name!r} of its paper.", paper_schedule
    )
    for name in SCHEDULES
}
STREAMS |= {
    name: _entry(partial(s1_stream, name), f"Stream {name} of the DTEL paper.", s1_stream)
    for name in S1_STREAMS
}


def make_stream(name: str, **params: Any) -> Stream:
    """Return the stream with the given name, as used on the command line.

    Parameters
    ----------
    name : str
        A key of `STREAMS`.
    **params
        Parameters of the stream.

    Returns
    -------
    Stream

    Examples
    --------
    >>> from driftlearn.streams import make_stream
    >>> make_stream("sea", n_rows=1_000, random_state=0)
    SEA(n_rows=1000, random_state=0)
    """
    entry = choose("the name of a stream", name, STREAMS)
    for param in params:
        choose(f"a parameter of {name}", param, dict.fromkeys(entry.params))
    return entry.make(**params)
