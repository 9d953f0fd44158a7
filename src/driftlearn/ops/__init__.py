"""Models in production: row sources and sinks, checkpoints, models per key, HTTP service."""
