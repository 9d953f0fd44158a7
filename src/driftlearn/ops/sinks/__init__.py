"""Where predictions go as they are made: each row's once, also when a run is killed.

A sink knows by itself how many rows of each source it holds. Whoever goes on after a kill makes
some rows' predictions again, which are the same, and leaves out those that the sink has.
"""

from driftlearn.ops.sinks.sink import Done, Sink, sink_of

__all__ = ["Done", "Sink", "sink_of"]
