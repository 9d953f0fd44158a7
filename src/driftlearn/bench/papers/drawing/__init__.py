"""Figures of the papers, drawn from outcomes in the style of `driftlearn.bench.report`."""

from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.drawing.checkerboard_snapshots import snapshots
from driftlearn.bench.papers.drawing.class_recalls import recalls
from driftlearn.bench.papers.drawing.decision_regions import regions
from driftlearn.bench.papers.drawing.over_a_parameter import sweeps
from driftlearn.bench.papers.drawing.published_beside_ours import dots, ranks

__all__ = ["courses", "dots", "ranks", "recalls", "regions", "snapshots", "sweeps"]
