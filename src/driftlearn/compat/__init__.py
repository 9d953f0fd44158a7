"""Adapters for other libraries: river, CapyMOA, MLflow."""
