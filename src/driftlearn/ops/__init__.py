"""Run models in production: row sources and sinks, checkpoints, keyed models, HTTP service."""
