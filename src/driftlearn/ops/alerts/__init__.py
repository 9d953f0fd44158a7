"""Alerts about a model in a state folder: rules, conditions that are met, and their delivery."""
