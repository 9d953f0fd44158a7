"""Specs of learners and streams as strings, TOML and JSON: catalog, grammar and plug-ins."""
