"""The papers' figures, drawn again from outcomes in the style of `driftlearn.report`."""

from driftlearn.papers.drawing._board import snapshots
from driftlearn.papers.drawing._courses import courses
from driftlearn.papers.drawing._dots import dots
from driftlearn.papers.drawing._ranks import ranks
from driftlearn.papers.drawing._recalls import recalls
from driftlearn.papers.drawing._sweeps import sweeps

__all__ = ["courses", "dots", "ranks", "recalls", "snapshots", "sweeps"]
