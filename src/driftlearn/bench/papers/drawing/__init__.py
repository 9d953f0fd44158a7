"""Figures of the papers, drawn from outcomes in the style of `driftlearn.bench.report`."""

from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.drawing.planes import regions, snapshots
from driftlearn.bench.papers.drawing.published_beside_ours import dots, ranks, recalls, sweeps

__all__ = ["courses", "dots", "ranks", "recalls", "regions", "snapshots", "sweeps"]
