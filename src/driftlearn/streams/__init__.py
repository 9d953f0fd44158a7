"""Streams of rows: generators with known drift, real data sets, and a user's own data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftlearn.streams._agrawal import Agrawal
from driftlearn.streams._asset_negotiation import AssetNegotiation
from driftlearn.streams._checkerboard import Checkerboard
from driftlearn.streams._class_imbalance import ClassImbalance
from driftlearn.streams._class_runs import ClassRuns
from driftlearn.streams._class_schedule import ClassSchedule, paper_schedule
from driftlearn.streams._drifting import Drifting
from driftlearn.streams._dtel_streams import S1_STREAMS, s1_stream
from driftlearn.streams._files import CSVStream as CSVStream
from driftlearn.streams._files import ParquetStream as ParquetStream
from driftlearn.streams._gaussian import GaussianClasses
from driftlearn.streams._generated import GeneratedStream
from driftlearn.streams._hyperplane import Hyperplane
from driftlearn.streams._laser import Laser
from driftlearn.streams._led import LED
from driftlearn.streams._own_data import from_arrays, from_csv, from_frame, from_parquet
from driftlearn.streams._piecewise import CIR, STA
from driftlearn.streams._poker import PokerHands, poker_label
from driftlearn.streams._random_rows import RandomRows
from driftlearn.streams._random_tree import RandomTree
from driftlearn.streams._rbf import RBF
from driftlearn.streams._real import RealStream as RealStream
from driftlearn.streams._real import load
from driftlearn.streams._recorded import RecordedStream
from driftlearn.streams._sea import SEA
from driftlearn.streams._sine import Mixed, Sine
from driftlearn.streams._stream import Batch, Stream
from driftlearn.streams._stream_names import STREAMS, StreamEntry, make_stream
from driftlearn.streams._turning import ROT, SIN
from driftlearn.streams._waveform import Waveform
from driftlearn.streams._wrappers import IrrelevantFeatures, LabelNoise, MissingValues
from driftlearn.utils.arguments import check_seed
from driftlearn.utils.suggest import misspelt

__all__ = [
    "Batch",
    "Stream",
    "GeneratedStream",
    "RecordedStream",
    "SEA",
    "Checkerboard",
    "ROT",
    "CIR",
    "SIN",
    "STA",
    "S1_STREAMS",
    "s1_stream",
    "GaussianClasses",
    "ClassSchedule",
    "paper_schedule",
    "RBF",
    "LED",
    "Laser",
    "Agrawal",
    "AssetNegotiation",
    "Hyperplane",
    "Mixed",
    "RandomTree",
    "Sine",
    "Waveform",
    "Drifting",
    "LabelNoise",
    "ClassImbalance",
    "ClassRuns",
    "MissingValues",
    "IrrelevantFeatures",
    "RandomRows",
    "PokerHands",
    "poker_label",
    "load",
    "from_arrays",
    "from_frame",
    "from_csv",
    "from_parquet",
    "STREAMS",
    "StreamEntry",
    "make_stream",
    "check_seed",
]

if not TYPE_CHECKING:  # type checkers would accept any misspelled name if they saw `__getattr__`

    def __getattr__(name):
        raise misspelt(__name__, name, __all__)
