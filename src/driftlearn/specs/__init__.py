"""Learners and streams as text, TOML and JSON: registry, grammar, plug-ins."""
