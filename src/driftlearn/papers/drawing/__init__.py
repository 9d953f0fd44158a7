"""The papers' figures, drawn again from outcomes in the style of `driftlearn.report`."""

from driftlearn.papers.drawing.accuracy_along_streams import courses
from driftlearn.papers.drawing.checkerboard_snapshots import snapshots
from driftlearn.papers.drawing.class_recalls import recalls
from driftlearn.papers.drawing.decision_regions import regions
from driftlearn.papers.drawing.over_a_parameter import sweeps
from driftlearn.papers.drawing.published_beside_ours import dots
from driftlearn.papers.drawing.rank_diagram import ranks

__all__ = ["courses", "dots", "ranks", "recalls", "regions", "snapshots", "sweeps"]
