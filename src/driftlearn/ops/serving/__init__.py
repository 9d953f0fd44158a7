"""A kept model as an HTTP service: what ``driftlearn serve`` runs. Nothing of it is public."""
