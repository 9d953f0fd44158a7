"""Sinks store the predictions of each row exactly once, also if a run is killed.

A sink stores how many rows of each source it has. A resumed run repeats some predictions, which are
the same, and omits those that the sink has.
"""

from driftlearn.ops.sinks.sink import Done, Sink, sink_of

__all__ = ["Done", "Sink", "sink_of"]
