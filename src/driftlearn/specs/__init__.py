"""Learners and streams as text, TOML and JSON: catalogue, grammar, plug-ins."""
