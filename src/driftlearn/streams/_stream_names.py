"""Registry of streams by name, and the streams of the DTEL paper by the names of its Table II."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from driftlearn.streams._class_schedule import SCHEDULES, paper_schedule
from driftlearn.streams._data_set_generators import Checkerboard, GaussianClasses
from driftlearn.streams._data_sets import DATA_SETS
from driftlearn.streams._drifting import Drifting
from driftlearn.streams._functions import Agrawal, AssetNegotiation, Mixed, Sine
from driftlearn.streams._generated import DTELGenerator, GeneratedStream
from driftlearn.streams._moving import RBF, ROT, SIN, Hyperplane
from driftlearn.streams._piecewise import CIR, SEA, STA
from driftlearn.streams._real import Laser, RealStream, load
from driftlearn.streams._recorded import RandomRows
from driftlearn.streams._stationary import RandomTree, Waveform
from driftlearn.streams._stream import Stream
from driftlearn.streams._switching import LED, PokerHands
from driftlearn.streams._wrappers import (
    ClassImbalance,
    ClassRuns,
    IrrelevantFeatures,
    LabelNoise,
    MissingValues,
)
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
        Constructor of the stream; takes its parameters by keyword.
    about : str
        One-line description.
    params : tuple of str
        Names of the parameters.
    """

    make: Callable[..., Stream]
    about: str
    params: tuple[str, ...]


def _entry(make: Callable[..., Stream], about: str, signature: Any = None) -> StreamEntry:
    names = inspect.signature(signature or make).parameters
    return StreamEntry(make, about, tuple(name for name in names if name != "name"))


STREAMS: dict[str, StreamEntry] = {
    "sea": _entry(SEA, "a sum of two features against a threshold that jumps"),
    "checkerboard": _entry(Checkerboard, "a checkerboard that makes a full turn"),
    "rot": _entry(ROT, "six classes in bands of a square that turns"),
    "cir": _entry(CIR, "the inside of a circle whose radius jumps"),
    "sin": _entry(SIN, "above or below a sine whose phase moves"),
    "sta": _entry(STA, "rules about colour, shape and size that jump"),
    "gaussian": _entry(GaussianClasses, "Gaussian classes that come, go and are rare"),
    "rbf": _entry(RBF, "classes around centres that move all the time"),
    "led": _entry(LED, "digits of a seven-segment display whose wires are swapped"),
    "poker-hands": _entry(PokerHands, "hands of five cards from a deck that may change"),
    "agrawal": _entry(Agrawal, "people who want a loan, by one of ten functions"),
    "hyperplane": _entry(Hyperplane, "the sides of a hyperplane that turns all the time"),
    "sine": _entry(Sine, "below or above one of two sines, or the reverse"),
    "mixed": _entry(Mixed, "two truth values and a sine, of which a majority is asked"),
    "random-tree": _entry(RandomTree, "classes by a tree that is drawn at random"),
    "waveform": _entry(Waveform, "three classes of waves with noise"),
    "asset-negotiation": _entry(
        AssetNegotiation, "rare offers that are of interest, by five rules"
    ),
    "drifting": _entry(Drifting, "goes from concept to concept, each a generated stream"),
    "label-noise": _entry(LabelNoise, "a stream some of whose labels are wrong"),
    "class-imbalance": _entry(ClassImbalance, "a stream with given ratios of the classes"),
    "class-runs": _entry(ClassRuns, "a stream whose classes come in runs"),
    "missing-values": _entry(MissingValues, "a stream some of whose values are missing"),
    "irrelevant-features": _entry(IrrelevantFeatures, "a stream with columns that tell nothing"),
    "random-rows": _entry(RandomRows, "rows of a recorded stream, drawn at random"),
    "laser": _entry(Laser, "a laser's intensity, low or not by a threshold that drifts slowly"),
}
STREAMS |= {
    name: _entry(partial(load, name), data.about, RealStream)
    for name, data in DATA_SETS.items()
    if name != "laser"
}
STREAMS |= {
    f"schedule-{name}": _entry(
        partial(paper_schedule, name), f"the papers' schedule of classes {name!r}", paper_schedule
    )
    for name in SCHEDULES
}
STREAMS |= {
    name: _entry(partial(s1_stream, name), f"stream {name} of the DTEL paper", s1_stream)
    for name in S1_STREAMS
}


def make_stream(name: str, **params: Any) -> Stream:
    """Return a stream by its name on the command line.

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
