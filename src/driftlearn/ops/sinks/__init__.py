"""Sinks of predictions: each row is predicted exactly once, also when a run is killed.

A sink stores how many rows of each source it has. A run that continues after a crash predicts
some rows again, with the same result, and omits the predictions that the sink already has.
"""

from driftlearn.ops.sinks.sink import Done, Sink, sink_of

__all__ = ["Done", "Sink", "sink_of"]
