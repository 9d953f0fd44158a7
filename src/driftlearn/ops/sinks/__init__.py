"""Sinks for predictions, with exactly-once output even if a run is killed.

A sink stores the number of rows that it contains from each source. After a crash, the next run
predicts some rows again, with the same result, and omits the predictions that the sink already
contains.
"""

from driftlearn.ops.sinks.sink import Done, Sink, sink_of

__all__ = ["Done", "Sink", "sink_of"]
