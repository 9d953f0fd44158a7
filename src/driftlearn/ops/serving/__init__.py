"""HTTP service for a saved model, run by ``driftlearn serve``. This package is private."""
