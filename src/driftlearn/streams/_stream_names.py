"""Registry of streams by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from driftlearn.streams._agrawal import Agrawal
from driftlearn.streams._asset_negotiation import AssetNegotiation
from driftlearn.streams._checkerboard import Checkerboard
from driftlearn.streams._class_imbalance import ClassImbalance
from driftlearn.streams._class_runs import ClassRuns
from driftlearn.streams._class_schedule import SCHEDULES, paper_schedule
from driftlearn.streams._drifting import Drifting
from driftlearn.streams._dtel_streams import S1_STREAMS, s1_stream
from driftlearn.streams._gaussian import GaussianClasses
from driftlearn.streams._hyperplane import Hyperplane
from driftlearn.streams._known_data_sets import DATA_SETS
from driftlearn.streams._laser import Laser
from driftlearn.streams._led import LED
from driftlearn.streams._piecewise import CIR, STA
from driftlearn.streams._poker import PokerHands
from driftlearn.streams._random_rows import RandomRows
from driftlearn.streams._random_tree import RandomTree
from driftlearn.streams._rbf import RBF
from driftlearn.streams._real import RealStream, load
from driftlearn.streams._sea import SEA
from driftlearn.streams._sine import Mixed, Sine
from driftlearn.streams._stream import Stream
from driftlearn.streams._turning import ROT, SIN
from driftlearn.streams._waveform import Waveform
from driftlearn.streams._wrappers import IrrelevantFeatures, LabelNoise, MissingValues
from driftlearn.utils.arguments import choose


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
