"""HTTP service of a saved model, which ``driftlearn serve`` runs. This package is private."""
